import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct BatchPlanTests {
    @Test func newAndUpToDate() throws {
        let fixture = try DiskFixture()
        let inputs = [try fixture.capture("a"), try fixture.capture("b")]
        #expect(try fixture.plan(inputs) == [.run("new"), .run("new")])
        #expect(!FileSystem.exists(fixture.output))
        try fixture.run(inputs[0])
        #expect(try fixture.plan(inputs) == [.upToDate, .run("new")])
        #expect(
            try fixture.plan(inputs) { $0.isForced = true } == [
                .run("asked for with --force"), .run("asked for with --force"),
            ])
        let plan = BatchPlan(
            inputs, pipeline: try fixture.pipeline(), output: fixture.output, rules: BatchPlan.Rules(),
            programs: fixture.programs)
        #expect(plan.toRun == [inputs[1]])
        #expect(plan.waiting == [CaptureOutcome(input: inputs[0], ending: .upToDate)])
        #expect(plan.count(.upToDate) == 1)
    }

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
    @Test(arguments: ["frames.txt", "picture.jpg"]) func aFileThatWasWrittenOverTooLate(_ name: String) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.write("old", to: "in/a/picture.jpg")
        usleep(2_100_000)
        try Data("one\nnew\n".utf8).write(to: URL(fileURLWithPath: "\(input.path)/\(name)"))
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
        #expect(try fixture.plan([input], text) == [.run("another result stands in its place")])
        #expect(OutputStatus(output: fixture.output, programs: fixture.programs).entries.map(\.standing) == [.stale])
        guard case .done = try fixture.run(input, text) else { Issue.record("not made again"); return }
        #expect(fixture.results() == newer)
        // A copy of the same one is only looked at.
        try fixture.age("out/a/receipt.json", minutes: 5)
        #expect(try fixture.plan([input], text) == [.compare("its receipt was copied")])
        #expect(try fixture.run(input, text) == .upToDate)
        #expect(try fixture.plan([input], text) == [.upToDate])
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

    /// Looking changes nothing.
    @Test func aPlanWritesNothing() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        func tree() throws -> String {
            try runCommand(["sh", "-c", "find . -printf '%p %s %T@ %C@\\n' | sort"], in: fixture.path).output
        }
        let before = try tree()
        _ = try fixture.plan([input, fixture.input("missing")])
        _ = try fixture.plan([input], "stages: [read, write: {level: 2}]")
        #expect(try tree() == before)
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
        try fixture.write("x", to: "in/a/more.txt")
        try fixture.age("in/a", minutes: 30)
        #expect(try fixture.plan([input]) == [.run("something in the folder \(input.path) changed")])
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
        #expect(try fixture.plan([input]) == [.run("something in the folder \(input.path)/\(name) changed")])
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

    @Test func whatChangedInThePipeline() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        func reason(_ text: String) throws -> BatchPlan.Decision? { try fixture.plan([input], text).first }
        #expect(try reason("stages: [read, write: {level: 2}]") == .run("write.level changed from 1 to 2"))
        #expect(try reason("stages: [read, pick, write]") == .run("the stages changed (new: pick)"))
        #expect(try reason("stages: [read, pick]") == .run("the stages changed (new: pick; gone: write)"))
        #expect(try reason("{name: other, stages: [read, write]}") == .run("a stage makes other results than before"))
        fixture.versions.withLock { $0.stage = 2 }
        #expect(try reason("stages: [read, write]") == .run("a stage makes other results than before"))
    }

    /// Who unpacks a file may give it any time, and a clock may have been wrong when it was recorded.
    @Test func filesFromTheFutureArriveToo() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.write("x", to: "in/a/motion.bin", minutesAgo: -400_000)
        #expect(try fixture.plan([input]) { $0.settleSeconds = 600 } == [.arriving])
        #expect(try fixture.plan([input]) { $0.settleSeconds = .max / 2 } == [.arriving])
        usleep(1_100_000)
        #expect(try fixture.plan([input]) { $0.settleSeconds = 1 } == [.run("new")])
    }

    /// A file may have any date that its filesystem can hold, and nobody's stops a night. That of memory holds all.
    @Test(
        .enabled(if: FileSystem.isFolder("/dev/shm"), "no /dev/shm here"),
        arguments: [-9_000_000_000, -62_135_596_800, 13_569_465_600, 253_402_300_799, Int(Int64.max / 1_000_000_000)])
    func filesOfAnyDate(_ seconds: Int) throws {
        let folder = try TemporaryFolder(in: "/dev/shm")
        try folder.write("x", to: "in/a/motion.bin")
        let path = "\(folder.path)/in/a/motion.bin"
        let time = timespec(tv_sec: seconds, tv_nsec: 999_999_999)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        let isWithin = abs(seconds) < 9_200_000_000
        let limit = seconds < 0 ? Int64.min : .max
        #expect(
            FileSystem.modified(path) == (isWithin ? Int64(seconds) * 1_000_000_000 + 999_999_999 : limit))
        let fixture = try DiskFixture()
        let input = CaptureInput(id: "a", path: "\(folder.path)/in/a")
        #expect(try fixture.plan([input]) { $0.settleSeconds = 600 } == [.arriving], "its folder is new")
        #expect(try fixture.plan([input]) == [.run("new")])
    }

    /// A clock that is behind the files: nothing that changes now has such times, so there is nothing to wait for.
    @Test func filesFromBeforeAClockWasSetBack() throws {
        let fixture = try DiskFixture()
        let inputs = [try fixture.capture("a"), try fixture.capture("b")]
        try fixture.run(inputs[1])
        func plan(_ hoursAgo: Int64, settle: Int64) throws -> BatchPlan {
            var rules = BatchPlan.Rules()
            rules.settleSeconds = settle
            return BatchPlan(
                inputs, pipeline: try fixture.pipeline(), output: fixture.output, rules: rules,
                programs: fixture.programs, now: wallClock() - hoursAgo * 3_600_000_000_000)
        }
        let behind = try plan(8760, settle: 600)
        #expect(behind.entries.map(\.decision) == [.run("new"), .upToDate])
        // What is up to date is no matter of time.
        #expect(behind.fromTheFuture == [inputs[0]])
        // Clocks of two machines never agree quite.
        #expect(try plan(2, settle: 10_800).entries.map(\.decision) == [.arriving, .arriving])
        #expect(try plan(2, settle: 10_800).fromTheFuture == [])
        #expect(try plan(8760, settle: 0).fromTheFuture == [])
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
        #expect(try fixture.plan([input]) == [.run("it was made with 1, and now there is 2")])
        guard case .done = try fixture.run(input) else {
            Issue.record("not made again")
            return
        }
        #expect(try fixture.plan([input]) == [.upToDate])
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

    @Test func stagesInAnotherOrder() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input, "stages: [read, pick, write]")
        #expect(try fixture.plan([input], "stages: [read, write, pick]") == [.run("the stages stand in another order")])
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
            #expect(problem == ScanPipelineTests.problem { try fixture.run(input) }?.withoutNotes)
        }
    }

    @Test func aReceiptThatIsDamaged() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let receipt = fixture.output + "/a/receipt.json"
        let text = try String(contentsOfFile: receipt, encoding: .utf8)
        for damaged in ["", String(text.dropLast(20))] {
            try damaged.write(toFile: receipt, atomically: false, encoding: .utf8)
            #expect(try fixture.plan([input]) == [.run("receipt.json of the result is missing or has another size")])
            let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
            #expect(entries.map(\.standing) == [.stale])
            try fixture.run(input)
            #expect(try String(contentsOfFile: receipt, encoding: .utf8) == text)
            #expect(try fixture.plan([input]) == [.upToDate])
        }
    }

    @Test func whatIsNotKnown() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try FileManager.default.removeItem(atPath: fixture.output + "/.scanmill/inputs")
        #expect(try fixture.plan([input]) == [.compare("its digests are not known")])
        try fixture.write("half", to: "out/.scanmill/work/b.host.1.x/deep/b.txt")
        #expect(
            try fixture.plan([try fixture.capture("b"), try fixture.capture("c")]) == [
                .run("it was never finished"), .run("new"),
            ])
    }

    @Test func capturesThatAreStillArriving() throws {
        let fixture = try DiskFixture()
        let early = try fixture.capture("early")
        let late = try fixture.capture("late")
        try fixture.write("x", to: "in/late/color/7.jpg", minutesAgo: 3)
        #expect(symlink("..", late.path + "/loop") == 0)
        #expect(symlink(".", late.path + "/other-loop") == 0)
        try fixture.age("in/late", minutes: 60)
        #expect(try fixture.plan([early, late]) { $0.settleSeconds = 600 } == [.run("new"), .arriving])
        #expect(try fixture.plan([early, late]) { $0.settleSeconds = 60 } == [.run("new"), .run("new")])
    }

    // MARK: - Failures

    /// However its path is spelt, and wherever the next run starts.
    @Test func aPathThatIsSpeltOtherwise() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try Self.fail(input, fixture)
        var other = input
        other.path = "\(fixture.path)/./in//a"
        #expect(try fixture.plan([other]) == [.failedBefore(Problem(.input, "torn").at(file: "frames.txt", line: 2))])
        let pipeline = try fixture.pipeline()
        try RunRecord(state: fixture.state, pipeline: pipeline, inputs: []).note(
            CaptureOutcome(input: CaptureInput(id: "b", path: "in/b"), ending: .failed(Problem(.input, "torn"))),
            fingerprint: Digest.of([]))
        #expect(
            FailureNote.load("b", in: fixture.state)?.input == FileManager.default.currentDirectoryPath + "/in/b")
    }

    private static func fail(
        _ input: CaptureInput, _ fixture: DiskFixture, fault: Problem.Fault = .input,
        _ text: String = "stages: [read, write]"
    ) throws {
        let (record, fingerprint) = try begin(input, fixture, text)
        let outcome = CaptureOutcome(
            input: input, ending: .failed(Problem(fault, "torn").at(file: "frames.txt", line: 2)))
        try record.note(outcome, fingerprint: fingerprint)
    }

    /// The record of a run that begins with a capture, and what that is like now.
    private static func begin(
        _ input: CaptureInput, _ fixture: DiskFixture, _ text: String = "stages: [read, write]"
    ) throws -> (record: RunRecord, fingerprint: Digest) {
        let pipeline = try fixture.pipeline(text)
        return (
            RunRecord(state: fixture.state, pipeline: pipeline, inputs: [input]),
            FailureNote.fingerprint(of: input, pipeline: pipeline, tool: fixture.programs.tool)
        )
    }

    /// What comes while it fails is a change.
    @Test func aCaptureThatIsMendedWhileItFails() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let (record, before) = try Self.begin(input, fixture)
        try fixture.write("one\ntwo\nthree\nfour\n", to: "in/a/frames.txt")
        let torn = CaptureOutcome(input: input, ending: .failed(Problem(.input, "torn")))
        try record.note(torn, fingerprint: before)
        #expect(try fixture.plan([input]) == [.run("it failed before: torn")])
    }

    @Test func capturesThatAreGone() throws {
        let fixture = try DiskFixture()
        let (stays, goes) = (try fixture.capture("stays"), try fixture.capture("goes"))
        for input in [stays, goes] { try Self.fail(input, fixture) }
        try FileManager.default.removeItem(atPath: goes.path)
        // Captures that this run is not about stay as they are, as long as they are there.
        BatchPlan(
            [], pipeline: try fixture.pipeline(), output: fixture.output, rules: BatchPlan.Rules(),
            programs: fixture.programs
        ).forgetPastFailures(in: fixture.state)
        #expect(fixture.state.failed == ["stays"])
    }

    /// The failure may be one of what came and went meanwhile.
    @Test func aCaptureThatChangedWhileItFailed() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let (record, fingerprint) = try Self.begin(input, fixture)
        let torn = CaptureOutcome(input: input, ending: .failed(Problem(.input, "torn")))
        try record.note(torn, fingerprint: fingerprint) { fingerprint }
        #expect(try fixture.plan([input]) == [.failedBefore(Problem(.input, "torn"))])
        try record.note(torn, fingerprint: fingerprint) { Digest.of([]) }
        #expect(try fixture.plan([input]) == [.run("it failed before: torn")])
    }

    /// A copy of the good file keeps its time, and may have the bad one's size.
    @Test func aFileThatIsMendedUnderItsOldTime() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let file = "\(input.path)/frames.txt"
        let facts = try FileManager.default.attributesOfItem(atPath: file)
        try Self.fail(input, fixture)
        let size = try #require(facts[.size] as? Int)
        try fixture.write(String(repeating: "x", count: size), to: "in/a/frames.txt")
        try FileManager.default.setAttributes(
            [.modificationDate: try #require(facts[.modificationDate])], ofItemAtPath: file)
        #expect(try fixture.plan([input]) == [.run("it failed before: torn")])
    }

    /// Readers follow links to folders, and so does what says whether anything changed.
    @Test func aFolderThatIsALink() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.write("x", to: "store/color/1.jpg", minutesAgo: 90)
        #expect(symlink("../../store/color", "\(input.path)/color") == 0)
        try Self.fail(input, fixture)
        #expect(try fixture.plan([input]) == [.failedBefore(Problem(.input, "torn").at(file: "frames.txt", line: 2))])
        try fixture.write("y", to: "store/color/1.jpg")
        #expect(try fixture.plan([input]) == [.run("it failed before: torn")])
        #expect(try fixture.plan([input]) { $0.settleSeconds = 600 } == [.arriving])
        try fixture.age("store", minutes: 60)
        try fixture.age("in/a", minutes: 60)
        #expect(try fixture.plan([input]) { $0.settleSeconds = 600 } == [.run("it failed before: torn")])
    }

    /// An older result does not make a bad capture worth another try.
    @Test func aBadCaptureWithAnOlderResult() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try fixture.write("torn\n", to: "in/a/frames.txt", minutesAgo: 20)
        #expect(try fixture.plan([input]) == [.run("\(input.path)/frames.txt changed")])
        try Self.fail(input, fixture)
        #expect(try fixture.plan([input]) == [.failedBefore(Problem(.input, "torn").at(file: "frames.txt", line: 2))])
        #expect(
            try fixture.plan([input]) { $0.triesAgain = true } == [.run("\(input.path)/frames.txt changed")])
    }

    /// Other options failed, or a limit: what stands is what is asked for now.
    @Test func aFailureThatDoesNotConcernTheResult() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try Self.fail(input, fixture, fault: .environment)
        let plan = BatchPlan(
            [input], pipeline: try fixture.pipeline(), output: fixture.output, rules: BatchPlan.Rules(),
            programs: fixture.programs)
        #expect(plan.entries.map(\.decision) == [.upToDate])
        plan.forgetPastFailures(in: fixture.state)
        #expect(OutputStatus(output: fixture.output, programs: fixture.programs).entries.map(\.standing) == [.done])
    }

    @Test func aBadCaptureIsNotTriedAgainWhileNothingChanges() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try Self.fail(input, fixture)
        let torn = Problem(.input, "torn").at(file: "frames.txt", line: 2)
        #expect(try fixture.plan([input]) == [.failedBefore(torn)])
        let again = BatchPlan.Decision.run("it failed before: torn")
        #expect(try fixture.plan([input]) { $0.triesAgain = true } == [again])
        #expect(try fixture.plan([input], "stages: [read, write: {level: 2}]") == [again])
        // Another version may read what this one could not.
        fixture.versions.withLock { $0.scanmill = "scanmill 1" }
        #expect(try fixture.plan([input]) == [again])
        fixture.versions.withLock { $0.scanmill = "scanmill 0" }
        #expect(try fixture.plan([input]) == [.failedBefore(torn)])
        try fixture.write("one\n", to: "in/a/frames.txt", minutesAgo: 20)
        #expect(try fixture.plan([input]) == [again])
        try fixture.run(input)
        #expect(FailureNote.load("a", in: fixture.state) == nil)
    }

    @Test func aListThatWasCorrectedIsTriedAgain() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, write]"
        try fixture.write("0", to: "list.txt")
        let input = try fixture.capture("a")
        try Self.fail(input, fixture, text)
        #expect(
            try fixture.plan([input], text).first
                == .failedBefore(Problem(.input, "torn").at(file: "frames.txt", line: 2)))
        try fixture.write("1", to: "list.txt", minutesAgo: 20)
        #expect(try fixture.plan([input], text) == [.run("it failed before: torn")])
    }

    @Test(arguments: [Problem.Fault.environment, .tool, .usage]) func otherFailuresAreTriedAgain(_ fault: Problem.Fault)
        throws
    {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try Self.fail(input, fixture, fault: fault)
        #expect(try fixture.plan([input]) == [.run("it failed before: torn")])
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
