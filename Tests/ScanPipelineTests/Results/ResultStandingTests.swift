import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// What tells that a result is not, or may not be, what would be made now.
@Suite struct ResultStandingTests {
    /// What was written a moment before it was looked at may have changed again without its time showing it.
    @Test func filesThatWereTooYoung() throws {
        let fixture = try DiskFixture()
        try fixture.write("one\n", to: "in/a/frames.txt", minutesAgo: 0)
        let input = fixture.input("a")
        try fixture.run(input, isAtOnce: true)
        #expect(try fixture.plan([input]) == [.compare("its files had just changed when it was run")])
        #expect(try fixture.run(input) == .upToDate)
    }

    /// The folder had stood still, and only what is in the file is new, be it one that no stage uses.
    @Test(arguments: ["in/a/frames.txt", "in/a/picture.jpg", "list.txt"])
    func aFileThatWasWrittenOverTooLate(_ name: String) throws {
        let fixture = try DiskFixture()
        let stages = "stages: [read, pick: {file: list.txt}, write]"
        try fixture.write("0", to: "list.txt")
        let input = try fixture.capture("a")
        try fixture.write("old", to: "in/a/picture.jpg")
        usleep(2_100_000)
        let text = name == "list.txt" ? "1" : "one\nnew\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(fixture.path)/\(name)"))
        try fixture.run(input, stages, isAtOnce: true)
        #expect(try fixture.plan([input], stages) == [.compare("its files had just changed when it was run")])
        #expect(try fixture.run(input, stages) == .upToDate)
        #expect(try fixture.plan([input], stages) == [.upToDate])
    }

    /// What comes into a folder a moment later need not change its time.
    @Test func aFolderIntoWhichSomethingHadJustCome() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        usleep(2_100_000)
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(input.path)/notes.txt"))
        try fixture.run(input, isAtOnce: true)
        #expect(try fixture.plan([input]) == [.compare("its files had just changed when it was run")])
        #expect(try fixture.run(input) == .upToDate)
        #expect(try fixture.plan([input]) == [.upToDate])
    }

    /// A camera's clock, or an archive's, may be ahead: such times say nothing of when somebody wrote, and last for years.
    @Test func timesThatAreStillToCome() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.write("x", to: "in/a/more.txt")
        for name in ["in/a/frames.txt", "in/a/more.txt", "in/a"] { try fixture.age(name, minutes: -600_000) }
        try fixture.run(input)
        #expect(try fixture.plan([input]) == [.upToDate])
        // What is written later has the time of now.
        try Data("two\none\n".utf8).write(to: URL(fileURLWithPath: "\(input.path)/frames.txt"))
        try fixture.age("in/a", minutes: -600_000)
        #expect(try fixture.plan([input]) == [.run("\(input.path)/frames.txt changed")])
        // Right after it was written nobody can tell.
        try fixture.age("in/a/frames.txt", minutes: -600_000)
        try fixture.run(input, isAtOnce: true)
        #expect(try fixture.plan([input]) == [.compare("its files had just changed when it was run")])
    }

    /// An older result that came back from a backup, with the same sizes.
    @Test func aResultThatWasPutBack() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let text = "stages: [read, write: {level: 2}]"
        let result = "\(fixture.output)/a"
        try fixture.run(input)
        _ = try runCommand(["cp", "-a", result, "\(fixture.path)/backup"], in: fixture.path)
        try fixture.run(input, text)
        let newer = fixture.results()
        #expect(try fixture.plan([input], text) == [.upToDate])
        FileSystem.removeTree(result)
        _ = try runCommand(["cp", "-a", "\(fixture.path)/backup", result], in: fixture.path)
        #expect(try fixture.plan([input], text) == [.compare("another result stands in its place")])
        #expect(OutputStatus(output: fixture.output, programs: fixture.programs).entries.map(\.standing) == [.stale])
        guard case .done = try fixture.run(input, text) else { Issue.record("not made again"); return }
        #expect(fixture.results() == newer)
        // A copy of the same one is only looked at.
        try fixture.age("out/a/receipt.json", minutes: 5)
        #expect(try fixture.plan([input], text) == [.compare("its receipt was copied")])
        #expect(try fixture.run(input, text) == .upToDate)
        #expect(try fixture.plan([input], text) == [.upToDate])
    }

    /// The runner was killed between giving the new result its name and noting what it was made of.
    @Test func aResultThatWasNotNoted() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let text = "stages: [read, write: {level: 2}]"
        let notes = fixture.state.path + "/inputs/a.json"
        try fixture.run(input)
        let older = try Data(contentsOf: URL(fileURLWithPath: notes))
        try fixture.run(input, text)
        try older.write(to: URL(fileURLWithPath: notes))
        let status = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(status.map(\.standing) == [.done])
        #expect(try fixture.plan([input], text) == [.compare("another result stands in its place")])
        #expect(try fixture.run(input, text) == .upToDate)
        #expect(try fixture.plan([input], text) == [.upToDate])
    }

    /// Copies without their times, or a share that was moved: reading megabytes again is left to the run.
    @Test func aLargeFileThatWasTouched() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let frames = String(repeating: "a frame\n", count: 200_000)
        try fixture.write(frames, to: "in/a/frames.txt")
        try fixture.run(input)
        try fixture.age("in/a/frames.txt", minutes: 20)
        #expect(try fixture.plan([input]) == [.compare("\(input.path)/frames.txt was touched")])
        let status = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(status.map(\.standing) == [.done])
        #expect(try fixture.run(input) == .upToDate)
        try fixture.write(frames + "one more\n", to: "in/a/frames.txt", minutesAgo: 10)
        #expect(try fixture.plan([input]) == [.run("\(input.path)/frames.txt changed")])
    }

    /// Of which nothing was read, such as the thumbnails that a file server keeps.
    @Test func aFolderThatWentAway() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        _ = try FileSystem.makeFolders("\(input.path)/@eaDir")
        for path in ["in/a/@eaDir", "in/a"] { try fixture.age(path, minutes: 60) }
        try fixture.run(input)
        #expect(rmdir("\(input.path)/@eaDir") == 0)
        try fixture.age("in/a", minutes: 60)
        let status = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(status.map(\.standing) == [.done])
        #expect(try fixture.plan([input]) == [.compare("something about \(input.path) changed")])
        #expect(try fixture.run(input) == .upToDate)
    }

    /// A cron job names the captures from the root, and a person from where they are.
    @Test func onePathInManySpellings() throws {
        let fixture = try DiskFixture()
        var input = try fixture.capture("a")
        try fixture.run(input)
        for path in ["in/a/", "in//a", "in/./a", "in/../in/a"] {
            input.path = "\(fixture.path)/\(path)"
            #expect(try fixture.plan([input]) == [.upToDate], "\(path)")
        }
    }

    @Test func whatChangedOnDisk() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        // Another size with the same time, and another time with the same size.
        for (text, minutes) in [("one\n", 60.0), ("two\n", 30)] {
            try fixture.write(text, to: "in/a/frames.txt", minutesAgo: minutes)
            #expect(try fixture.plan([input]) == [.run("\(input.path)/frames.txt changed")])
            try fixture.run(input)
            #expect(try fixture.plan([input]) == [.upToDate])
        }
        // The same bytes with another time.
        try fixture.age("in/a/frames.txt", minutes: 20)
        #expect(try fixture.plan([input]) == [.compare("\(input.path)/frames.txt was touched")])
        try fixture.run(input)
        #expect(try fixture.plan([input]) == [.upToDate])
        try fixture.write("x", to: "in/a/more.txt")
        try fixture.age("in/a", minutes: 30)
        #expect(try fixture.plan([input]) == [.compare("something in the folder \(input.path) changed")])
        try fixture.run(input)
        #expect(try fixture.plan([input]) == [.upToDate])
        try FileManager.default.removeItem(atPath: input.path + "/frames.txt")
        try fixture.age("in/a", minutes: 30)
        #expect(try fixture.plan([input]) == [.run("\(input.path)/frames.txt is gone")])
    }

    /// A folder that was empty, or of which nothing was read, may hold what would be read now.
    @Test(arguments: ["empty", "deep/er", "link"]) func foldersThatFillLater(_ name: String) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        for made in ["in/a/empty", "in/a/deep/er", "linked"] {
            _ = try FileSystem.makeFolders("\(fixture.path)/\(made)")
            try fixture.age(made, minutes: 60)
        }
        #expect(symlink("../../linked", "\(input.path)/link") == 0)
        for path in ["in/a/deep", "in/a"] { try fixture.age(path, minutes: 60) }
        try fixture.run(input)
        #expect(try fixture.plan([input]) == [.upToDate])
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(input.path)/\(name)/1.txt"))
        try fixture.age("in/a/\(name)", minutes: 30)
        #expect(try fixture.plan([input]) == [.compare("something in the folder \(input.path)/\(name) changed")])
        #expect(try fixture.run(input) == .upToDate)
        #expect(try fixture.plan([input]) == [.upToDate])
    }

    /// Other rights, or one more link: the bytes are the same as far as anybody can tell.
    @Test func whatChangedAboutAFile() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let file = "\(input.path)/frames.txt"
        #expect(chmod(file, 0o600) == 0)
        #expect(try fixture.plan([input]) == [.compare("something about \(file) changed")])
        #expect(OutputStatus(output: fixture.output, programs: fixture.programs).entries.map(\.standing) == [.done])
        #expect(try fixture.run(input) == .upToDate)
        #expect(try fixture.plan([input]) == [.upToDate])
    }

    /// The same pipeline from another folder, with a file beside it of the same name.
    @Test func anotherPipelinesFile() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, write]"
        var input = try fixture.capture("a")
        for (folder, frame) in [("one", "0"), ("same", "0"), ("other", "1")] {
            try fixture.write(frame, to: "\(folder)/list.txt")
        }
        input.pipelineFolder = "\(fixture.path)/one"
        try fixture.run(input, text)
        #expect(try fixture.plan([input], text) == [.upToDate])
        let elsewhere = BatchPlan.Decision.compare("`list.txt` is another file than it was")
        input.pipelineFolder = "\(fixture.path)/same"
        #expect(try fixture.plan([input], text) == [elsewhere])
        #expect(try fixture.run(input, text) == .upToDate)
        #expect(try fixture.plan([input], text) == [.upToDate])
        input.pipelineFolder = "\(fixture.path)/other"
        #expect(try fixture.plan([input], text) == [elsewhere])
        guard case .done = try fixture.run(input, text) else {
            Issue.record("the other list was not read")
            return
        }
        // One of the capture's own is the same from everywhere.
        try fixture.write("0", to: "in/a/list.txt")
        try fixture.run(input, text)
        input.pipelineFolder = "\(fixture.path)/one"
        #expect(try fixture.plan([input], text) == [.upToDate])
    }

    /// Together with the file beside it: what lies at the old place, or no longer does, is none of its concern.
    @Test func aPipelineThatWasMoved() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, write]"
        var input = try fixture.capture("a")
        try fixture.write("0", to: "one/list.txt")
        input.pipelineFolder = "\(fixture.path)/one"
        try fixture.run(input, text)
        // Only the file is gone: nothing was moved.
        #expect(rename("\(fixture.path)/one/list.txt", "\(fixture.path)/away.txt") == 0)
        let list = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(list.map(\.cause) == ["\(fixture.path)/one/list.txt is gone"])
        #expect(rename("\(fixture.path)/away.txt", "\(fixture.path)/one/list.txt") == 0)
        #expect(rename("\(fixture.path)/one", "\(fixture.path)/two") == 0)
        #expect(try fixture.plan([input], text) == [.run("\(fixture.path)/one/list.txt is gone")])
        // Without the pipeline nobody can tell where it is now.
        let status = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(status.map(\.standing) == [.done])
        let elsewhere = BatchPlan.Decision.compare("`list.txt` is another file than it was")
        input.pipelineFolder = "\(fixture.path)/two"
        #expect(try fixture.plan([input], text) == [elsewhere])
        #expect(try fixture.run(input, text) == .upToDate)
        #expect(try fixture.plan([input], text) == [.upToDate])
        // A copy is used now, and the first one is changed.
        try fixture.write("0", to: "three/list.txt")
        try fixture.write("11", to: "two/list.txt", minutesAgo: 20)
        #expect(try fixture.plan([input], text) == [.run("\(fixture.path)/two/list.txt changed")])
        input.pipelineFolder = "\(fixture.path)/three"
        #expect(try fixture.plan([input], text) == [elsewhere])
        #expect(try fixture.run(input, text) == .upToDate)
        #expect(try fixture.plan([input], text) == [.upToDate])
    }

    @Test func aFileThatAnOptionNames() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, write]"
        try fixture.write("0", to: "list.txt")
        let input = try fixture.capture("a")
        _ = try FileSystem.makeFolders(fixture.output)
        try fixture.age(".", minutes: 60)
        try fixture.run(input, text)
        #expect(try fixture.plan([input], text) == [.upToDate])
        try fixture.write("11", to: "list.txt")
        #expect(try fixture.plan([input], text) == [.run("\(fixture.path)/list.txt changed")])
    }

    /// A list of one capture, which it passes without: one that comes, changes or goes makes that capture run again, and
    /// no other.
    @Test func aListOfOneCapture() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: \"lists/{id}.txt\", optional: true}, write]"
        let inputs = [try fixture.capture("a"), try fixture.capture("b")]
        for input in inputs { try fixture.run(input, text) }
        #expect(try fixture.plan(inputs, text) == [.upToDate, .upToDate])
        func causes() -> [String?] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries.map(\.cause)
        }
        #expect(causes() == [nil, nil])
        /// What becomes of the first capture when its list has changed.
        func expectAgain(_ reason: String, _ what: String) throws {
            #expect(try fixture.plan(inputs, text) == [.run(reason), .upToDate], "\(what)")
            #expect(causes() == [reason, nil], "\(what)")
            guard case .done = try fixture.run(inputs[0], text) else {
                Issue.record("not made again: \(what)")
                return
            }
            #expect(try fixture.plan(inputs, text) == [.upToDate, .upToDate], "\(what)")
        }
        let list = "\(fixture.path)/lists/a.txt"
        try fixture.write("0", to: "lists/a.txt")
        try expectAgain("\(list) is new", "it came")
        #expect(String(decoding: fixture.results()["a/deep/a.txt"] ?? [], as: UTF8.self) == "1 frames")
        #expect(String(decoding: fixture.results()["b/deep/b.txt"] ?? [], as: UTF8.self) == "2 frames")
        try fixture.write("11", to: "lists/a.txt")
        try expectAgain("\(list) changed", "it changed")
        try FileManager.default.removeItem(atPath: list)
        try expectAgain("\(list) is gone", "it went")
        #expect(String(decoding: fixture.results()["a/deep/a.txt"] ?? [], as: UTF8.self) == "2 frames")
        // One that the capture brings along shows in its folder.
        try fixture.write("0", to: "in/b/lists/b.txt")
        guard case .done = try fixture.run(inputs[1], text) else {
            Issue.record("the capture's own list was not read")
            return
        }
    }

    /// Neither a folder of lists that there never was, nor a pipeline that moved without any, is a change.
    @Test func aPipelineThatWasMovedWithoutLists() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: \"lists/{id}.txt\", optional: true}, write]"
        var input = try fixture.capture("a")
        input.pipelineFolder = "\(fixture.path)/one"
        try fixture.run(input, text)
        #expect(OutputStatus(output: fixture.output, programs: fixture.programs).entries.map(\.cause) == [nil])
        input.pipelineFolder = "\(fixture.path)/two"
        #expect(try fixture.plan([input], text) == [.compare("`lists/a.txt` is another file than it was")])
        #expect(try fixture.run(input, text) == .upToDate)
        #expect(try fixture.plan([input], text) == [.upToDate])
    }

    /// A capture in a single file, whose entries need not lie on disk as such.
    @Test func aCaptureThatIsAFile() throws {
        let fixture = try DiskFixture()
        try fixture.write("one\ntwo\n", to: "in/a.lines")
        let input = CaptureInput(id: "a", path: fixture.path + "/in/a.lines", pipelineFolder: fixture.path)
        try fixture.run(input)
        #expect(try fixture.plan([input]) == [.upToDate])
        // The next night's archive beside it does not concern it.
        try fixture.write("one\n", to: "in/b.lines")
        try fixture.age("in", minutes: 10)
        #expect(try fixture.plan([input]) == [.upToDate])
        try fixture.write("one\n", to: "in/a.lines", minutesAgo: 20)
        #expect(try fixture.plan([input]) == [.run("\(input.path) changed")])
    }

    /// What another version of ScanMill or of a program that it used made is not taken for granted.
    @Test func otherPrograms() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        fixture.versions.withLock { $0.scanmill = "scanmill 1" }
        #expect(try fixture.plan([input]) == [.compare("it was run by scanmill 0")])
        #expect(try fixture.run(input) == .upToDate)
        #expect(try fixture.plan([input]) == [.upToDate])
        // A release that reads the format in another way.
        fixture.versions.withLock { ($0.scanmill, $0.format) = ("scanmill 2", 2) }
        #expect(try fixture.plan([input]) == [.compare("it was run by scanmill 1")])
        guard case .done = try fixture.run(input) else {
            Issue.record("not made again")
            return
        }
        #expect(try fixture.plan([input]) == [.upToDate])
        fixture.versions.withLock { $0.tool = "2" }
        #expect(try fixture.plan([input]) == [.run("since an update, there is 2, and no longer 1")])
        guard case .done = try fixture.run(input) else {
            Issue.record("not made again")
            return
        }
        #expect(try fixture.plan([input]) == [.upToDate])
    }

    /// A build of the same version may read a format in another way.
    @Test func aReaderThatWasRevised() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let format = try #require(PublishedResult("a", in: fixture.output)?.receipt["capture"]?["format"]?.string)
        func plan(revision: Int) throws -> [BatchPlan.Decision] {
            let formats = FormatRevisions(byName: [format: revision])
            let programs = ProgramVersions(tool: "scanmill 0", formats: formats) { _ in nil }
            return BatchPlan(
                [input], pipeline: try fixture.pipeline(), output: fixture.output, rules: BatchPlan.Rules(),
                programs: programs
            ).entries.map(\.decision)
        }
        #expect(try plan(revision: 1) == [.upToDate])
        #expect(try plan(revision: 2) == [.run("since an update, ScanMill reads \(format) differently")])
        // What the old reader could not read, this one may, and what the old build could not do.
        let installations = [(1, "a"), (2, "a"), (2, "b")].map { revision, build in
            let formats = FormatRevisions(byName: [format: revision])
            return ProgramVersions(tool: "", build: build, formats: formats) { _ in nil }.installation
        }
        #expect(Set(installations).count == 3)
    }

    @Test func aProgramThatIsGone() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let plan = BatchPlan(
            [input], pipeline: try fixture.pipeline(), output: fixture.output, rules: BatchPlan.Rules(),
            programs: ProgramVersions(tool: "scanmill 0") { _ in nil })
        #expect(plan.entries.map(\.decision) == [.upToDate])
    }

    /// What the reader could not look at may change the frames of any pipeline: the keys tell.
    @Test func aProgramThatWasMissing() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        fixture.versions.withLock { $0.tool = "" }
        try fixture.run(input)
        #expect(try fixture.plan([input]) == [.upToDate])
        fixture.versions.withLock { $0.tool = "1" }
        #expect(try fixture.plan([input]) == [.compare("it was read without decoder, and now there is 1")])
        guard case .done = try fixture.run(input) else {
            Issue.record("not made again")
            return
        }
        #expect(try fixture.plan([input]) == [.upToDate])
    }

    /// A cache is not believed, nor may it end a run, whatever numbers stand in it.
    @Test func timesThatCannotBe() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let file = fixture.state.inputs("a")
        let text = String(decoding: try FileSystem.bytes(of: file, limit: .max), as: UTF8.self)
        let looked = try #require(text.firstMatch(of: /"looked": *[0-9]+/)).output
        for number in [Int64.min, 0, .max] {
            try text.replacing(looked, with: "\"looked\":\(number)").write(
                toFile: file, atomically: true, encoding: .utf8)
            #expect(try fixture.plan([input]).count == 1)
        }
    }

    /// Such a cache is as good as none.
    @Test func digestsThatCannotBe() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let file = fixture.state.inputs("a")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for digest in [try fixture.pipeline().digest, Digest.of(Array("one\ntwo\n".utf8))] {
            let damaged = text.replacing(digest.hex, with: "0")
            try #require(damaged != text)
            try damaged.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try fixture.plan([input]) == [.compare("its digests are not known")])
        }
    }

    @Test func sizesThatCannotBe() throws {
        let fixture = try DiskFixture()
        let file = #"{"path": "x", "bytes": 9223372036854775807, "sha256": "00"}"#
        try fixture.write(#"{"files": [\#(file), \#(file)], "inputs": [\#(file), \#(file)]}"#, to: "out/a/receipt.json")
        let result = try #require(PublishedResult("a", in: fixture.output))
        #expect(result.byteCount == .max && result.inputBytes == .max)
    }

    @Test func aResultThatIsDamaged() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try FileManager.default.removeItem(atPath: fixture.output + "/a/deep/a.txt")
        #expect(try fixture.plan([input]) == [.run("deep/a.txt of the result is missing or has another size")])
        // Without its receipt it is no result, and a run leaves it alone.
        try FileManager.default.removeItem(atPath: fixture.output + "/a/receipt.json")
        for isForced in [false, true] {
            let plan = try fixture.plan([input]) { $0.isForced = isForced }
            guard case .obstructed(let problem) = plan.first else {
                Issue.record("a run would be promised")
                continue
            }
            #expect(problem == TestSupport.problem { try fixture.run(input) }?.withoutNotes)
        }
    }

    @Test func aReceiptThatIsDamaged() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let receipt = fixture.output + "/a/receipt.json"
        let text = try String(contentsOfFile: receipt, encoding: .utf8)
        // The last two have the size that it had.
        let counted = text.replacing("\"kept\": 2", with: "\"kept\": 3")
        for damaged in ["", String(text.dropLast(20)), counted, text.replacing("{", with: "[")] {
            try #require(damaged != text)
            try damaged.write(toFile: receipt, atomically: false, encoding: .utf8)
            let reason = "receipt.json of the result is damaged"
            #expect(try fixture.plan([input]) == [.run(reason)])
            let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
            #expect(entries.map(\.standing) == [.stale] && entries.map(\.cause) == [reason])
            try fixture.run(input)
            #expect(try String(contentsOfFile: receipt, encoding: .utf8) == text)
            #expect(try fixture.plan([input]) == [.upToDate])
        }
    }
}

extension Problem {
    /// As it was before it was said what became of the result.
    fileprivate var withoutNotes: Problem {
        var problem = self
        problem.notes = []
        return problem
    }
}
