import Foundation
import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

@Suite struct CaptureWorkTests {
    @Test func aCaptureIsDoneOnceAndThenUpToDate() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        guard case .done(let summary) = try fixture.run(input) else { Issue.record("not done"); return }
        #expect(summary.framesKept == 2 && summary.frameCount == 2 && summary.fileCount == 1)
        let results = fixture.results()
        #expect(results.keys.sorted() == ["a/deep/a.txt", "a/receipt.json"])
        #expect(results["a/deep/a.txt"] == Array("2 frames".utf8))
        #expect(try fixture.run(input) == .upToDate)
        #expect(fixture.results() == results)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == [])
    }

    /// To Swift they are equal.
    @Test func namesThatDifferOnlyInUnicodeForm() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        for (name, age) in [("caf\u{E9}", 1_000_000), ("cafe\u{301}", 2_000_000)] {
            let path = "\(input.path)/\(name)"
            #expect(mkdir(path, 0o755) == 0)
            let time = timeval(tv_sec: age, tv_usec: 0)
            #expect(utimes(path, [time, time]) == 0)
        }
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
        #expect(try fixture.run(input) == .upToDate)
    }

    /// No path leads to what lies deepest, so no reader opens it.
    @Test func foldersDeeperThanAnyPath() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        defer { FileSystem.removeTree("\(input.path)/\(String(repeating: "d", count: 250))") }
        try runPython(
            """
            import os, sys
            os.chdir(sys.argv[1])
            for level in range(20):
                os.mkdir('d' * 250)
                os.chdir('d' * 250)
            """, [input.path]
        ).require(0)
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
        #expect(try fixture.run(input) == .upToDate)
    }

    @Test func aForcedRunGivesTheSameBytes() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let results = fixture.results()
        guard case .done = try fixture.run(input, forced: true) else { Issue.record("not done"); return }
        #expect(fixture.results() == results)
    }

    /// Whatever decides a result decides whether it is made again.
    @Test func whateverDecidesAResultMakesItAnew() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, write]"
        try fixture.write("0", to: "list.txt")
        let input = try fixture.capture("a")
        var key: ResultKey?
        func isAnew(_ text: String = text) throws -> Bool {
            let ending = try fixture.run(input, text)
            let fresh = PublishedResult("a", in: fixture.output)?.key
            defer { key = fresh }
            guard case .done = ending else { return false }
            #expect(fresh != nil && fresh != key)
            return true
        }
        #expect(try isAnew())
        #expect(try !isAnew())
        try fixture.write("1", to: "list.txt")
        #expect(try isAnew())
        #expect(try !isAnew())
        // Another time, and the same bytes.
        try fixture.write("1", to: "list.txt", minutesAgo: 50)
        #expect(try !isAnew())
        try fixture.write("one\ntwo\nthree\n", to: "in/a/frames.txt", minutesAgo: 40)
        #expect(try isAnew())
        fixture.versions.withLock { $0.tool = "2" }
        #expect(try isAnew())
        fixture.versions.withLock { $0.format = 2 }
        #expect(try isAnew())
        fixture.versions.withLock { $0.stage = 2 }
        #expect(try isAnew())
        #expect(try isAnew("stages: [read, pick: {file: list.txt}, write: {level: 2}]"))
        #expect(try !isAnew("stages: [read, pick: {file: list.txt}, write: {level: 2}]"))
    }

    @Test func aDamagedResultIsMadeAnew() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let results = fixture.results()
        for damage in ["rm deep/a.txt", "truncate -s 3 deep/a.txt", "rm receipt.json", "echo x > receipt.json"] {
            _ = try runCommand(["sh", "-c", damage], in: fixture.output + "/a")
            guard damage != "rm receipt.json" else {
                // Without its receipt it is no result any more, and is left alone.
                #expect(problem { try fixture.run(input) }?.fault == .usage)
                try FileManager.default.removeItem(atPath: fixture.output + "/a")
                try fixture.run(input)
                continue
            }
            guard case .done = try fixture.run(input) else { Issue.record("\(damage)"); continue }
            #expect(fixture.results() == results)
        }
    }

    /// It may still have the key, and files that are whole: what a run called up to date would be known for good.
    @Test func aDamagedReceiptIsMadeAnew() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let results = fixture.results()
        let receipt = "\(fixture.output)/a/receipt.json"
        let text = try String(contentsOfFile: receipt, encoding: .utf8)
        for damaged in [text.replacing("\"kept\": 2", with: "\"kept\": 3"), text + "\n"] {
            try #require(damaged != text)
            try damaged.write(toFile: receipt, atomically: false, encoding: .utf8)
            guard case .done(let summary) = try fixture.run(input) else {
                Issue.record("the damaged receipt was taken for good")
                continue
            }
            // Nor are its numbers.
            #expect(summary.framesBefore == nil)
            #expect(fixture.results() == results)
            #expect(try fixture.plan([input]) == [.upToDate])
        }
        // What earlier versions wrote has no seal.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("\"seal\"") }
        let old = lines.joined(separator: "\n").replacing(",\n}", with: "\n}")
        try old.write(toFile: receipt, atomically: false, encoding: .utf8)
        #expect(try fixture.run(input) == .upToDate)
    }

    /// Files that stand as they stood are not digested again.
    @Test func digestsAreRemembered() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        #expect(fixture.log.count("frames.txt") == 1)
        try fixture.run(input)
        try fixture.run(input, forced: true)
        #expect(fixture.log.count("frames.txt") == 1)
        try fixture.write("one\n", to: "in/a/frames.txt", minutesAgo: 30)
        try fixture.run(input)
        #expect(fixture.log.count("frames.txt") == 2)
        // What changed a moment ago may have changed again without its time showing it.
        try fixture.write("two\n", to: "in/a/frames.txt", minutesAgo: 0)
        try fixture.run(input, isAtOnce: true)
        try fixture.run(input, isAtOnce: true)
        #expect(fixture.log.count("frames.txt") == 4)
        // A cache that is gone, or damaged, costs work and nothing else.
        for text in ["", "{\"inputs\": 3}", "[]"] {
            try fixture.write(text, to: "out/.scanmill/inputs/a.json")
            #expect(try fixture.run(input) == .upToDate)
        }
    }

    /// Runs a capture to which something happens once its files have been looked at.
    private func run(
        _ input: CaptureInput, in fixture: DiskFixture, meanwhile: @escaping @Sendable () throws -> Void
    ) throws -> CaptureEnding {
        let isDone = Mutex(false)
        defer { #expect(isDone.withLock { $0 }) }
        return try CaptureWork.run(
            fixture.job(input), library: fixture.library, tool: fixture.programs.tool,
            looked: wallClock() + 3_600_000_000_000
        ) { _ in
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { try? meanwhile() }
        }
    }

    /// Copying tools give a file the time that it had elsewhere, and its folder too: nobody knows of which bytes the result
    /// is.
    @Test func anInputThatIsReplacedWhileItIsRun() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let failure = try #require(
            problem {
                _ = try run(input, in: fixture) {
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
            _ = try run(input, in: fixture) {
                try fixture.write("x", to: "in/a/color/2.jpg")
                try fixture.age("in/a/color", minutes: 30)
            }
        }
        #expect(failure?.notes.first == "\(input.path)/color is not as it was")
        #expect(fixture.results().isEmpty)
        let gone = problem {
            _ = try run(input, in: fixture) { try FileManager.default.removeItem(atPath: input.path) }
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

    /// As a backup that makes links does it.
    @Test func bytesThatStayTheSame() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let ending = try run(input, in: fixture) {
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
        let ending = try run(input, in: fixture) { #expect(chmod(input.path, 0o600) == 0) }
        guard case .done = ending else { Issue.record("not done"); return }
        #expect(chmod(input.path, 0o644) == 0)
        #expect(try fixture.plan([input]) == [.compare("something about \(input.path) changed")])
        #expect(try fixture.run(input) == .upToDate)
        try fixture.write("one\n", to: "in/a.stored", minutesAgo: 50)
        let changed = problem {
            _ = try run(input, in: fixture) { try fixture.write("one\ntwo\n3\n", to: "in/a.stored") }
        }
        #expect(changed?.notes.first == "\(input.path) is not as it was")
    }

    /// Two nights' captures may have one name. The later one must not take the earlier one's place without a word.
    @Test func anotherCaptureOfTheSameName() throws {
        let fixture = try DiskFixture()
        try fixture.run(try fixture.capture("a"))
        try fixture.write("eins\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        let before = try Data(contentsOf: URL(fileURLWithPath: "\(fixture.output)/a/receipt.json"))
        let refused = try #require(problem { try fixture.run(tuesday) })
        #expect(refused.fault == .usage && refused.summary == "the result of another capture has this name")
        #expect(refused.notes.first == "it was made of \(fixture.path)/in/a, and its files are others")
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(fixture.output)/a/receipt.json")) == before)
        guard case .done = try fixture.run(tuesday, replaces: true) else {
            Issue.record("it was not replaced")
            return
        }
        // What was only moved is the same capture, also under another pipeline.
        try FileManager.default.moveItem(atPath: tuesday.path, toPath: "\(fixture.path)/a")
        let moved = CaptureInput(id: "a", path: "\(fixture.path)/a", pipelineFolder: fixture.path)
        #expect(try fixture.run(moved) == .upToDate)
        try FileManager.default.moveItem(atPath: moved.path, toPath: "\(fixture.path)/in/a~")
        let again = CaptureInput(id: "a", path: "\(fixture.path)/in/a~", pipelineFolder: fixture.path)
        guard case .done = try fixture.run(again, "stages: [read, write: {level: 2}]") else {
            Issue.record("a capture that was moved is taken for another")
            return
        }
    }

    /// Once a capture is archived, its app may use the name again.
    @Test func anotherRecordingInTheSamePlace() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a", frames: "@100\n@101\n@102\n")
        try fixture.run(input)
        let results = fixture.results()
        try fixture.write("@200\n@201\n", to: "in/a/frames.txt", minutesAgo: 20)
        let refused = try #require(problem { try fixture.run(input) })
        #expect(refused.fault == .usage && refused.summary == "the result of another capture has this name")
        #expect(refused.notes.first == "it was made of another recording, which lay in the same place")
        #expect(refused.fix?.hasPrefix("rename this capture, choose") == true)
        #expect(fixture.results() == results)
        // The same recording, mended or exported once more.
        try fixture.write("@102\n@103\n", to: "in/a/frames.txt", minutesAgo: 10)
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
        try fixture.write("@300\n", to: "in/a/frames.txt", minutesAgo: 5)
        guard case .done = try fixture.run(input, replaces: true) else { Issue.record("not done"); return }
        // Without times nothing tells.
        try fixture.write("one\n", to: "in/a/frames.txt", minutesAgo: 3)
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
    }

    /// A file beside the pipeline, which has not changed, is no sign of the same recording.
    @Test func anotherRecordingInTheSamePlaceUnderAList() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, write]"
        try fixture.write("0", to: "list.txt")
        let input = try fixture.capture("a", frames: "@100\n@101\n@102\n")
        try fixture.run(input, text)
        try fixture.write("@200\n@201\n", to: "in/a/frames.txt", minutesAgo: 20)
        #expect(problem { try fixture.run(input, text) }?.summary == "the result of another capture has this name")
    }

    /// A capture with two lists beside its frames.
    private static func capture(
        _ fixture: DiskFixture, _ folder: String, _ frames: String, more: String
    ) throws -> CaptureInput {
        for (name, text) in [("frames.txt", frames), ("list.txt", "0"), ("more.txt", more)] {
            try fixture.write(text, to: "\(folder)/a/\(name)")
        }
        return CaptureInput(id: "a", path: "\(fixture.path)/\(folder)/a", pipelineFolder: fixture.path)
    }

    /// A newcomer that holds one file of a capture, and hardly anything else, does not take its place.
    @Test func aNewcomerWithAFileOfAnotherCapture() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, pick: {file: more.txt}, write]"
        try fixture.run(try Self.capture(fixture, "monday", "one\ntwo\nthree\nfour\n", more: "1"), text)
        let stranger = try Self.capture(fixture, "tuesday", "eins\nzwei\n", more: "2")
        let fewer = "stages: [read, pick: {file: list.txt}, write]"
        let results = fixture.results()
        #expect(
            problem { try fixture.run(stranger, fewer) }?.summary == "the result of another capture has this name")
        #expect(fixture.results() == results)
        // Once that one was moved, under the name that it has now.
        FileSystem.removeTree("\(fixture.path)/monday")
        let moved = try Self.capture(fixture, "mended", "one\ntwo\nthree\nfour\n", more: "3")
        guard case .done = try fixture.run(moved, fewer) else { Issue.record("not done"); return }
    }

    /// Such as what was trained from it.
    @Test func whatOthersHavePutIntoAResult() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        for name in ["model/points.ply", "notes.txt", ".DS_Store", "deep/Thumbs.db"] {
            try fixture.write("x", to: "out/a/\(name)")
        }
        #expect(try fixture.run(input) == .upToDate)
        let text = "stages: [read, write: {level: 2}]"
        let results = fixture.results()
        let refused = try #require(problem { try fixture.run(input, text) })
        #expect(refused.fault == .usage)
        #expect(
            refused.summary
                == "the result to be replaced holds files that are not of it: model/points.ply, notes.txt")
        #expect(refused.fix?.contains("--replace") == true)
        #expect(fixture.results() == results)
        guard case .obstructed(let told)? = try fixture.plan([input], text).first else {
            Issue.record("no plan tells")
            return
        }
        #expect(told.summary == refused.summary)
        let replacing = try fixture.plan([input], text) { $0.replaces = true }
        #expect(replacing == [.run("write.level changed from 1 to 2")])
        guard case .done = try fixture.run(input, text, replaces: true) else { Issue.record("not done"); return }
        #expect(!FileSystem.exists("\(fixture.output)/a/notes.txt"))
        // What systems put everywhere is no reason.
        for name in [".DS_Store", "@eaDir/a"] { try fixture.write("x", to: "out/a/\(name)") }
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
    }

    /// Somebody trains from the older result while the new one is made.
    @Test func whatOthersPutIntoAResultThatIsBeingReplaced() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try fixture.write("eins\n", to: "in/a/frames.txt", minutesAgo: 50)
        let refused = try #require(
            problem {
                _ = try run(input, in: fixture) { try fixture.write("x", to: "out/a/model.ply") }
            })
        #expect(refused.summary == "the result to be replaced holds files that are not of it: model.ply")
        #expect(fixture.results()["a/model.ply"] == Array("x".utf8))
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == [])
    }

    /// A copy was torn, and is mended: the result that was there all the time is of it.
    @Test func aMendedCaptureHasNotFailed() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        try record.note(
            CaptureOutcome(input: input, ending: .failed(Problem(.input, "torn"))), fingerprint: Digest.of([]))
        #expect(fixture.state.failed == ["a"])
        #expect(try fixture.run(input) == .upToDate)
        #expect(fixture.state.failed == [])
    }

    /// It does not tell which files are of the result, which is made again.
    @Test func aDamagedReceiptIsNoSignOfAddedFiles() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let path = "\(fixture.output)/a/receipt.json"
        let receipt = try String(contentsOfFile: path, encoding: .utf8)
        try receipt.replacing("deep/a.txt", with: "deep/b.txt").write(toFile: path, atomically: true, encoding: .utf8)
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
    }

    /// Without the cache, which may be deleted at any time, and under a pipeline that uses less of it.
    @Test func theSameCaptureUnderAnotherPipelineWithoutTheCache() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, pick: {file: more.txt}, write]"
        for (name, content) in [("frames.txt", "one\ntwo\nthree\n"), ("list.txt", "0"), ("more.txt", "1")] {
            try fixture.write(content, to: "in/a/\(name)")
        }
        try fixture.run(fixture.input("a"), text)
        try FileManager.default.removeItem(atPath: "\(fixture.output)/.scanmill/inputs/a.json")
        guard case .done = try fixture.run(fixture.input("a")) else { Issue.record("not done"); return }
    }

    /// The phone has exported it again, and the path is spelt through a link now.
    @Test func onePlaceUnderTwoPaths() throws {
        let fixture = try DiskFixture()
        try fixture.run(try fixture.capture("a"))
        #expect(symlink("in", "\(fixture.path)/captures") == 0)
        try fixture.write("eins\n", to: "in/a/frames.txt")
        let linked = CaptureInput(id: "a", path: "\(fixture.path)/captures/a", pipelineFolder: fixture.path)
        guard case .done = try fixture.run(linked) else { Issue.record("not done"); return }
    }

    /// A damaged receipt is no reason to let another capture take the place.
    @Test func anotherCaptureOfTheSameNameBesideADamagedReceipt() throws {
        let fixture = try DiskFixture()
        let monday = try fixture.capture("a")
        try fixture.run(monday)
        let receipt = URL(fileURLWithPath: "\(fixture.output)/a/receipt.json")
        try Data(try Data(contentsOf: receipt).dropLast(20)).write(to: receipt)
        try fixture.write("eins\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        #expect(problem { try fixture.run(tuesday) }?.summary == "the result of another capture has this name")
        guard case .done = try fixture.run(monday) else { Issue.record("not done"); return }
    }

    /// A copy that lost its end takes the place of a good result.
    @Test func aPoorerResultIsSaid() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        func before(_ ending: CaptureEnding) -> Int?? {
            if case .done(let summary) = ending { summary.framesBefore } else { nil }
        }
        try fixture.write("one\n", to: "in/a/frames.txt", minutesAgo: 20)
        #expect(before(try fixture.run(input)) == .some(2))
        try fixture.write("one\ntwo\nthree\n", to: "in/a/frames.txt", minutesAgo: 10)
        #expect(before(try fixture.run(input)) == .some(nil))
        try fixture.write("eins\nzwei\ndrei\n", to: "in/a/frames.txt", minutesAgo: 5)
        #expect(before(try fixture.run(input)) == .some(nil))
        // Another pipeline wants other frames.
        try fixture.write("0", to: "list.txt")
        #expect(before(try fixture.run(input, "stages: [read, pick: {file: list.txt}, write]")) == .some(nil))
    }

    /// One of two was renamed, as the message said.
    @Test func theOtherOneWasRenamed() throws {
        let fixture = try DiskFixture()
        let monday = try fixture.capture("a")
        try fixture.run(monday)
        try fixture.write("eins\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        let refused = try #require(problem { try fixture.run(tuesday) })
        #expect(refused.fix?.hasPrefix("rename this capture, choose") == true)
        #expect(rename(monday.path, monday.path + "-monday") == 0)
        let again = try #require(problem { try fixture.run(tuesday) })
        #expect(again.notes.first == "it was made of \(monday.path), which is no longer there")
        #expect(again.fix?.hasPrefix("remove \(fixture.output)/a if that capture has another name now, ") == true)
        FileSystem.removeTree("\(fixture.output)/a")
        guard case .done = try fixture.run(tuesday) else { Issue.record("not done"); return }
    }

    /// While it waited for the others.
    @Test func aCaptureThatWasMovedAway() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        FileSystem.removeTree(input.path)
        let failure = try #require(problem { try fixture.run(input) })
        #expect(failure.fault == .environment)
        #expect(failure.summary == "the capture was moved away after the run had found it")
    }

    /// A file beside the pipeline is every capture's, and makes no two of them one.
    @Test func anotherCaptureOfTheSameNameUnderTheSameList() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, write]"
        try fixture.write("0", to: "list.txt")
        try fixture.run(try fixture.capture("a"), text)
        let results = fixture.results()
        try fixture.write("eins\nzwei\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        let refused = try #require(problem { try fixture.run(tuesday, text) })
        #expect(refused.summary == "the result of another capture has this name")
        #expect(fixture.results() == results)
        // What was moved is the same capture under another list too.
        try FileManager.default.moveItem(atPath: "\(fixture.path)/in/a", toPath: "\(fixture.path)/a")
        try fixture.write("1", to: "list.txt")
        let moved = CaptureInput(id: "a", path: "\(fixture.path)/a", pipelineFolder: fixture.path)
        guard case .done = try fixture.run(moved, text) else { Issue.record("not done"); return }
    }

    /// Two captures may have a file in common; of one that was moved and mended most files are the same.
    @Test func filesThatCapturesHaveInCommon() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, pick: {file: more.txt}, write]"
        try fixture.run(try Self.capture(fixture, "monday", "one\ntwo\nthree\nfour\n", more: "1"), text)
        let tuesday = try Self.capture(fixture, "tuesday", "eins\nzwei\ndrei\nvier\n", more: "2")
        #expect(
            problem { try fixture.run(tuesday, text) }?.summary == "the result of another capture has this name")
        let mended = try Self.capture(fixture, "mended", "one\ntwo\nthree\nfour\n", more: "3")
        guard case .done = try fixture.run(mended, text) else { Issue.record("not done"); return }
    }

    /// The cache is gone, or results were copied without it; or a runner was killed before it could write it.
    @Test func anotherCaptureOfTheSameNameWithoutTheCache() throws {
        let fixture = try DiskFixture()
        let monday = try fixture.capture("a")
        try fixture.write("eins\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        let cache = "\(fixture.output)/.scanmill/inputs/a.json"
        try fixture.run(monday)
        let ofMonday = try Data(contentsOf: URL(fileURLWithPath: cache))
        try FileManager.default.removeItem(atPath: cache)
        let results = fixture.results()
        let refused = try #require(problem { try fixture.run(tuesday) })
        #expect(refused.summary == "the result of another capture has this name")
        #expect(refused.notes.first == "it was made of other files")
        #expect(fixture.results() == results)
        #expect(try fixture.run(monday) == .upToDate)
        try fixture.run(tuesday, replaces: true)
        try ofMonday.write(to: URL(fileURLWithPath: cache))
        #expect(problem { try fixture.run(monday) }?.summary == refused.summary)
        // Whatever is asked of the same files.
        try FileManager.default.removeItem(atPath: cache)
        guard case .done = try fixture.run(tuesday, "stages: [read, write: {level: 2}]") else {
            Issue.record("not done")
            return
        }
    }

    /// A result that was moved away for a new one, which never came.
    @Test func anOlderResultIsPutBack() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let results = fixture.results()
        _ = try FileSystem.makeFolders(fixture.output + "/.scanmill/trash")
        try FileManager.default.moveItem(
            atPath: fixture.output + "/a", toPath: fixture.output + "/.scanmill/trash/a.1x2y")
        #expect(try fixture.run(input) == .upToDate)
        #expect(fixture.results() == results)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/trash") == [])
    }

    /// `--replace` in another run: what this one has not published yet it never publishes.
    @Test func resultsThatAnotherPipelineTookOver() throws {
        let fixture = try DiskFixture()
        let (mine, other) = ("{name: mine, stages: [read, write]}", "{name: other, stages: [read, write]}")
        let inputs = try ["a", "b"].map { try fixture.capture($0) }
        try fixture.state.claim(for: try fixture.pipeline(mine), replacing: false)
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(mine), inputs: inputs)
        let pipeline = try fixture.pipeline(other)
        let late = try #require(
            problem {
                _ = try CaptureWork.run(
                    fixture.job(inputs[0], mine), library: fixture.library, tool: fixture.programs.tool
                ) { _ in try? fixture.state.claim(for: pipeline, replacing: true) }
            })
        #expect(late.fault == .usage)
        #expect(late.summary == "the pipeline `other` has taken the results over from `mine`")
        #expect(late.notes == ["nothing was published for a"])
        #expect(problem { try fixture.run(inputs[1], mine) }?.summary == late.summary)
        #expect(fixture.results().isEmpty)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == [])
        // Nor does it leave a note beside the other one's results.
        try record.note(CaptureOutcome(input: inputs[0], ending: .failed(late)), fingerprint: Digest.of([]))
        #expect(fixture.state.failed == [])
        guard case .done = try fixture.run(inputs[0], other) else { Issue.record("not done"); return }
    }

    /// A disk that goes away in the night leaves the folder below its mount point: results would go where nobody looks.
    @Test(arguments: [false, true]) func anOutputFolderThatWentAway(_ isMeanwhile: Bool) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let job = fixture.job(input)
        let away = { @Sendable in try FileManager.default.removeItem(atPath: fixture.output) }
        if !isMeanwhile { try away() }
        let failure = try #require(
            problem {
                _ = try CaptureWork.run(job, library: fixture.library, tool: "") { _ in
                    if isMeanwhile { try? away() }
                }
            })
        #expect(failure.fault == .environment)
        #expect(failure.summary == "this is not the folder that the run began with")
        #expect(failure.place.file == fixture.output)
        #expect(!FileSystem.exists(fixture.output + "/a"))
    }

    @Test func aCaptureThatAnotherRunnerWorksOnIsLeft() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let lock = try CaptureLock("a", in: fixture.state)
        #expect(lock != nil)
        #expect(try fixture.run(input) == .busy)
        #expect(fixture.results().isEmpty)
        withExtendedLifetime(lock) {}
    }

    @Test func aFailureLeavesTheOlderResult() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let missing = try #require(problem { try fixture.run(input, "stages: [read, pick: {file: no.txt}, write]") })
        #expect(missing.notes.last == "nothing was published for a")
        try fixture.run(input)
        let results = fixture.results()
        try fixture.write("bad\nbad\nbad\n", to: "in/a/frames.txt")
        let failure = try #require(problem { try fixture.run(input) })
        #expect(failure.notes.last == "nothing was published for a; the last good result is unchanged")
        #expect(fixture.results() == results)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == [])
    }

    @Test func leftoversOfAKilledRunnerGo() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.write("half", to: "out/.scanmill/work/a.\(StateFolder.host).1.x/deep/a.txt")
        try fixture.write("half", to: "out/.scanmill/work/a.b.\(StateFolder.host).1.x/deep/a.txt")
        try fixture.run(input)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == ["a.b.\(StateFolder.host).1.x"])
    }

    @Test func aPipelineThatIsNotValid() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        #expect(problem { try fixture.run(input, "stages: [reed]") }?.summary == "there is no stage `reed`")
        var job = fixture.job(input)
        job.settings = ["write.level=3", "level"]
        #expect(
            problem { _ = try CaptureWork.run(job, library: fixture.library, tool: "") { _ in } }?.summary
                == "`--set level` is not of the form stage.option=value: the `=` is missing")
        job.settings = ["write.level=3"]
        _ = try CaptureWork.run(job, library: fixture.library, tool: "") { _ in }
        #expect(
            PublishedResult("a", in: fixture.output)?.receipt["stages"]?.array?.last?["options"]?["level"] == .of(3))
    }
}
