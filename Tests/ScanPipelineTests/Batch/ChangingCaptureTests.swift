import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// Captures that change while they are run.
@Suite struct ChangingCaptureTests {
    /// Copying tools give a file the time that it had elsewhere, and its folder too: nobody knows of which bytes the result
    /// is.
    @Test func anInputThatIsReplacedWhileItIsRun() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let failure = try #require(
            problem {
                _ = try fixture.run(input) {
                    try fixture.write("eins\nzwei\n", to: "in/a/frames.txt", minutesAgo: 60)
                }
            })
        #expect(
            failure.message() == """
                error: the capture was changed while it was read
                   = \(input.path)/frames.txt is not as it was
                   = nothing was published for a
                   = fix: run again when it is whole; --settle leaves captures alone that are still being copied
                """)
        // So that the next run tries it again.
        #expect(failure.fault == .environment)
        #expect(fixture.results().isEmpty)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == [])
        #expect(try fixture.plan([input]) == [.run("new")])
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
    }

    /// The digest would be that of bytes of which the result is not, and the result count as up to date for ever.
    @Test func anInputThatIsReplacedBetweenItsReadingAndItsDigest() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let read = Mock.finish("read", .init(makes: [.frames])) { (capture, context) throws(Problem) in
            let bytes = try FileSystem.bytes(of: "\(context.input.path)/frames.txt", limit: .max)
            capture.frames = bytes.split(separator: UInt8(ascii: "\n")).indices.map { FrameFacts(index: $0) }
            capture.format = "lines"
            capture.channels = [.frames]
            capture.files = [InputFile(path: "frames.txt", byteCount: Int64(bytes.count))]
            capture.source = DiskSource(folder: context.input.path, isArchive: false, version: "1")
            try? fixture.write("eins\n", to: "in/a/frames.txt", minutesAgo: 60)
        }
        let write = Mock.fold("write", claims: ["{id}.txt"]).ending { (list, capture, context) throws(Problem) in
            try context.output.write(Array("\(list.count)".utf8), to: "\(capture.id).txt")
        }
        let failure = problem {
            _ = try CaptureWork.run(
                fixture.job(input), library: StageLibrary([read, write]), tool: fixture.programs.tool
            ) { _ in }
        }
        #expect(failure?.summary == "the capture was changed while it was read")
        #expect(fixture.results().isEmpty)
    }

    /// A capture in which a file is replaced when it is opened for the second time.
    private struct Replaced: CaptureSource {
        let source: DiskSource
        let replace: @Sendable () -> Void
        private let opened = Log()

        init(_ source: DiskSource, replace: @escaping @Sendable () -> Void) {
            self.source = source
            self.replace = replace
        }

        func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] { [] }
        func prepare(_ frame: inout Frame, for channels: Set<Channel>) {}
        func location(of file: String) -> FileLocation? { source.location(of: file) }
        func open(_ file: String) throws(Problem) -> any ByteSource {
            if opened.count(file) == 1 { replace() }
            opened.add(file)
            return try source.open(file)
        }
    }

    /// One of the capture's own, which is digested before it is read for the option.
    @Test func anOptionsFileThatIsReplacedBetweenItsDigestAndItsUse() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.write("0", to: "in/a/list.txt")
        let read = Mock.reader { () -> Capture in
            var capture = Capture(id: "")
            capture.format = "lines"
            capture.frames = (0..<2).map(FrameFacts.init(index:))
            capture.files = [InputFile(path: "list.txt", byteCount: 1)]
            capture.source = Replaced(DiskSource(folder: input.path, isArchive: false, version: "")) {
                try? fixture.write("1", to: "in/a/list.txt", minutesAgo: 30)
            }
            return capture
        }
        let library = StageLibrary([read.entry] + fixture.library.entries)
        let job = fixture.job(input, "stages: [read, pick: {file: list.txt}, write]")
        let failure = try #require(problem { _ = try CaptureWork.run(job, library: library, tool: "") { _ in } })
        #expect(failure.fault == .environment && failure.summary == "the capture was changed while it was read")
        #expect(failure.notes.first == "\(input.path)/list.txt is not as it was")
        #expect(fixture.results().isEmpty)
    }

    /// What one attempt has found to be bad, the next one must not leave out of another capture.
    @Test(arguments: ["one\nzwei\nthree\n", "one\n"])
    func aCaptureThatIsReplacedBeforeItIsRunAgain(_ text: String) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a", frames: "one\ntwo\nthree\n")
        let gather = Mock.fold("gather")
        let spoil = Mock.frame("spoil") { (frame, _) throws(Problem) in
            if frame.index != 2 { return }
            try? fixture.write(text, to: "in/a/frames.txt", minutesAgo: 60)
            throw Problem(.input, "the picture is damaged")
        }
        let library = StageLibrary(fixture.library.entries + StageLibrary([gather, spoil]).entries)
        let job = fixture.job(input, "stages: [read, gather, spoil, write]")
        let failure = try #require(problem { _ = try CaptureWork.run(job, library: library, tool: "") { _ in } })
        #expect(failure.fault == .environment && failure.summary == "the capture was changed while it was read")
        #expect(fixture.results().isEmpty)
    }

    @Test func whatComesWhileACaptureIsRun() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.write("x", to: "in/a/color/1.jpg")
        let failure = problem {
            _ = try fixture.run(input) {
                try fixture.write("x", to: "in/a/color/2.jpg")
                try fixture.age("in/a/color", minutes: 30)
            }
        }
        #expect(failure?.notes.first == "\(input.path)/color is not as it was")
        #expect(fixture.results().isEmpty)
        let gone = problem {
            _ = try fixture.run(input) { try FileManager.default.removeItem(atPath: input.path) }
        }
        #expect(gone?.notes.first == "\(input.path) is not as it was")
    }

    /// Moved away, or on a disk that was taken off: what can no longer be read is not damaged.
    @Test func aCaptureThatVanishesIsNotCalledDamaged() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let lose = Mock.frame("lose") { (frame, _) throws(Problem) in
            try? FileManager.default.moveItem(atPath: input.path, toPath: input.path + "-moved")
            throw Problem(.input, "the picture is missing")
        }
        let library = StageLibrary(fixture.library.entries + StageLibrary([lose]).entries)
        let job = fixture.job(input, "stages: [read, lose, write]")
        let failure = try #require(problem { _ = try CaptureWork.run(job, library: library, tool: "") { _ in } })
        #expect(failure.fault == .environment && failure.summary == "the capture was changed while it was read")
        #expect(failure.notes.first == "\(input.path) is not as it was")
        #expect(failure.notes.contains { $0.contains("2 of 2 frames are bad") }, "\(failure.notes)")
        // Nothing vanished: it is what it looks like.
        let other = try fixture.capture("b")
        let damaged = problem {
            _ = try CaptureWork.run(
                fixture.job(other, "stages: [read, lose, write]"), library: library, tool: ""
            ) { _ in }
        }
        #expect(damaged?.fault == .input)
    }

    /// What is below a mount point once the disk was taken off is another folder, without anything in it.
    @Test func theFolderOfTheCapturesGoesAway() throws {
        let fixture = try DiskFixture()
        let folder = "\(fixture.path)/in"
        var inputs = try ["a", "b"].map { try fixture.capture($0) }
        for index in inputs.indices { inputs[index].source = SourceFolder(folder) }
        let failure = try #require(
            problem {
                _ = try fixture.run(inputs[0]) {
                    #expect(rename(folder, folder + "-away") == 0 && mkdir(folder, 0o755) == 0)
                }
            })
        #expect(
            failure.message() == """
                error: the captures' folder is another one now, perhaps because its disk is gone
                  --> \(folder)
                   = the capture was changed while it was read
                   = nothing was published for a
                   = fix: mount the disk again, or put the folder back, and run again
                """)
        #expect(failure.fault == .environment && fixture.results().isEmpty)
        let next = problem { try fixture.run(inputs[1]) }
        #expect(next?.summary == failure.summary)
        #expect(rmdir(folder) == 0)
        let gone = problem { try fixture.run(inputs[1]) }
        #expect(gone?.summary == "the folder of the captures is gone, perhaps with its disk")
        #expect(gone?.fault == .environment && gone?.fix == failure.fix)
        // It is back; one capture alone was moved away.
        #expect(rename(folder + "-away", folder) == 0 && rename(inputs[0].path, "\(fixture.path)/moved") == 0)
        #expect(
            problem { try fixture.run(inputs[0]) }?.summary == "the capture was moved away after the run had found it")
        guard case .done = try fixture.run(inputs[1]) else { Issue.record("not done"); return }
        // The same of the last one, where the folder stays.
        FileSystem.removeTree(inputs[1].path)
        #expect(
            problem { try fixture.run(inputs[1]) }?.summary == "the capture was moved away after the run had found it")
    }

    /// The folder that was named, and not the one that is moved away with a single capture.
    @Test func theFolderInWhichACaptureWasFound() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "night/one/export/a.txt")
        try folder.write("", to: "other/b/b.txt")
        let (night, other) = ("\(folder.path)/night", "\(folder.path)/other")
        var folders = SourceFolders(named: ["\(night)/", "\(other)/b"])
        let found = SourceFolder(night)
        let inside = ["one/export", "one"].map { folders.folder(of: "\(night)/\($0)") }
        #expect(found != nil && inside == [found, found])
        let named = folders.folder(of: "\(other)/b")
        #expect(named == SourceFolder(other) && SourceFolder("\(night)/none") == nil)
    }

    /// As a backup that makes links does it.
    @Test func bytesThatStayTheSame() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let ending = try fixture.run(input) {
            #expect(link("\(input.path)/frames.txt", "\(fixture.path)/backup") == 0)
            #expect(chmod(input.path, 0o700) == 0)
        }
        guard case .done = ending else { Issue.record("not done"); return }
    }

    /// The digest of what lies in an archive is not the archive's.
    @Test func anArchiveWhoseBytesStayTheSame() throws {
        let fixture = try DiskFixture()
        try fixture.write("one\ntwo\n", to: "in/a.stored")
        let input = CaptureInput(id: "a", path: "\(fixture.path)/in/a.stored", pipelineFolder: fixture.path)
        let ending = try fixture.run(input) { #expect(chmod(input.path, 0o600) == 0) }
        guard case .done = ending else { Issue.record("not done"); return }
        #expect(chmod(input.path, 0o644) == 0)
        #expect(try fixture.plan([input]) == [.compare("something about \(input.path) changed")])
        #expect(try fixture.run(input) == .upToDate)
        try fixture.write("one\n", to: "in/a.stored", minutesAgo: 50)
        let changed = problem {
            _ = try fixture.run(input) { try fixture.write("one\ntwo\n3\n", to: "in/a.stored") }
        }
        #expect(changed?.notes.first == "\(input.path) is not as it was")
    }
}
