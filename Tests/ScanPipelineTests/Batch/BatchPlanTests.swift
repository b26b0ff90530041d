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
        #expect(plan.certainToRun == [inputs[1]])
    }

    /// A night may be too short for all that an update has outdated.
    @Test func whatIsNewOrHasChangedComesFirst() throws {
        let fixture = try DiskFixture()
        let inputs = try ["a", "b", "c", "d"].map { try fixture.capture($0) }
        for number in [0, 2, 3] { try fixture.run(inputs[number]) }
        fixture.versions.withLock { $0.tool = "2" }
        _ = try fixture.capture("d", frames: "one\ntwo\nthree\n")
        func plan(_ pipeline: String = "stages: [read, write]") throws -> BatchPlan {
            BatchPlan(
                inputs, pipeline: try fixture.pipeline(pipeline), output: fixture.output, rules: BatchPlan.Rules(),
                programs: fixture.programs)
        }
        #expect(try plan().entries.map(\.input) == inputs)
        #expect(try plan().toRun.map(\.id) == ["b", "d", "a", "c"])
        #expect(try plan().news.map(\.id) == ["b", "d"])
        #expect(try plan("stages: [read, pick, write]").toRun.map(\.id) == ["b", "a", "c", "d"])
    }

    /// It stays as long as nothing is to be made in its place.
    @Test func aLinkToAResult() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        #expect(rename("\(fixture.output)/a", "\(fixture.path)/elsewhere") == 0)
        #expect(symlink("../elsewhere", "\(fixture.output)/a") == 0)
        #expect(try fixture.plan([input]) == [.upToDate])
        let plans = [
            try fixture.plan([input]) { $0.isForced = true }, try fixture.plan([input], "stages: [read, pick, write]"),
        ]
        for plan in plans {
            guard case .obstructed(let problem) = plan.first else {
                Issue.record("\(plan)")
                continue
            }
            #expect(problem.summary == "the result to be replaced is a symbolic link, and is left alone")
        }
        // Digests are compared, and nothing is written.
        FileSystem.removeTree("\(fixture.state.path)/inputs")
        #expect(try fixture.run(input) == .upToDate)
        #expect(problem { try fixture.run(input, "stages: [read, pick, write]") }?.fault == .usage)
    }

    /// A run that is about to begin reads no receipts for reasons that it does not show.
    @Test func reasonsThatNobodyReads() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let other = "stages: [read, pick, write]"
        let quietly = { (rules: inout BatchPlan.Rules) in rules.explains = false }
        #expect(try fixture.plan([input], "stages: [read, write]", quietly) == [.upToDate])
        guard case .run(let why) = try fixture.plan([input], other).first,
            case .run(let short) = try fixture.plan([input], other, quietly).first
        else { throw TestError("it is to run") }
        #expect(why.contains("pick") && !short.contains("pick"), "\(why), \(short)")
        // Of the one capture that begins, the run asks for them.
        func asked(isForced: Bool = false) throws -> String? {
            var rules = BatchPlan.Rules()
            (rules.explains, rules.isForced) = (false, isForced)
            let plan = BatchPlan(
                [input], pipeline: try fixture.pipeline(other), output: fixture.output, rules: rules,
                programs: fixture.programs)
            return plan.entries.first.flatMap { plan.reason(of: $0) }
        }
        #expect(try asked() == why)
        #expect(try asked(isForced: true) == "asked for with --force")
        FileSystem.removeTree("\(fixture.state.path)/inputs")
        #expect(try asked() == why)
        #expect(try fixture.plan([input], other) == [.run(why)])
        #expect(try fixture.plan([input], other, quietly) == [.compare("its digests are not known")])
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

    @Test func whatChangedInThePipeline() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        func reason(_ text: String) throws -> BatchPlan.Decision? { try fixture.plan([input], text).first }
        #expect(try reason("stages: [read, write: {level: 2}]") == .run("write.level changed from 1 to 2"))
        #expect(try reason("stages: [read, pick, write]") == .run("the stages changed (new: pick)"))
        #expect(try reason("stages: [read, pick]") == .run("the stages changed (new: pick; gone: write)"))
        // Of another pipeline, that alone.
        let name = try fixture.pipeline().name
        let other = "{name: other, stages: [read, write: {level: 2}]}"
        #expect(try reason(other) == .run("the pipeline was `\(name)`, and is `other`"))
        fixture.versions.withLock { $0.stage = 2 }
        let revised = "since an update, ScanMill makes different results in"
        #expect(try reason("stages: [read, write]") == .run("\(revised) write"))
        #expect(try reason("stages: [read, write: {level: 2}]") == .run("write.level changed from 1 to 2"))
        // Earlier versions have not kept which revision made it.
        try fixture.forgetRevisions(of: "a")
        #expect(try reason("stages: [read, write]") == .run("\(revised) a stage"))
    }

    /// An option that came with a newer version changes no result where it is at its default, and so makes none again.
    @Test func optionsThatCameWithANewerVersion() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let path = "\(fixture.output)/a/receipt.json"
        let receipt = try String(contentsOfFile: path, encoding: .utf8)
        let older = receipt.replacing(#/"level": 1\s*/#, with: "")
        try #require(older != receipt)
        try fixture.write(older, to: "out/a/receipt.json")
        try FileManager.default.removeItem(atPath: "\(fixture.output)/.scanmill/inputs/a.json")
        #expect(try fixture.plan([input]) == [.compare("its digests are not known")])
        let same = "stages: [read, write: {level: 1}]"
        #expect(try fixture.plan([input], same) == [.compare("its digests are not known")])
        let other = "stages: [read, write: {level: 2}]"
        #expect(try fixture.plan([input], other) == [.run("write.level changed from nothing to 2")])
        fixture.versions.withLock { $0.stage = 2 }
        #expect(try fixture.plan([input]) == [.compare("its digests are not known")])
    }

    /// The receipt tells what a result was made with, also where nothing else is known of it.
    @Test func aChangeOfAPipelineWithoutWhatIsKnownOfItsFiles() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try FileManager.default.removeItem(atPath: fixture.output + "/.scanmill/inputs")
        #expect(
            try fixture.plan([input], "stages: [read, write: {level: 2}]")
                == [.run("write.level changed from 1 to 2")])
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
        #expect(try plan(2, settle: 10_800).entries.map(\.decision) == [.arriving, .upToDate])
        #expect(try plan(2, settle: 10_800).fromTheFuture == [])
        #expect(try plan(8760, settle: 0).fromTheFuture == [])
    }

    /// A disk is mounted again, and holds captures of other names than that of the link to it.
    @Test func aLinkThatLeadsSomewhereAgainHasNotFailed() throws {
        let fixture = try DiskFixture()
        try fixture.write("", to: "in/other")
        #expect(symlink("\(fixture.path)/disk", "\(fixture.path)/in/a") == 0)
        RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: []).noteRefused([
            CaptureOutcome(input: fixture.input("a"), ending: .failed(Problem(.input, "a link that leads nowhere")))
        ])
        func failed() throws -> [String] {
            BatchPlan(
                [], pipeline: try fixture.pipeline(), output: fixture.output, rules: BatchPlan.Rules(),
                programs: fixture.programs
            ).forgetPastFailures()
            return fixture.state.failed
        }
        #expect(try failed() == ["a"])
        try fixture.write("one\n", to: "disk/b/frames.txt")
        #expect(try failed() == [])
    }

    @Test func stagesInAnotherOrder() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input, "stages: [read, pick, write]")
        #expect(try fixture.plan([input], "stages: [read, write, pick]") == [.run("the stages are in another order")])
        #expect(
            try fixture.plan([input], "stages: [read, pick, pick, write]")
                == [.run("`pick` stands there 2 times, before once")])
    }

    @Test func whatElseChangedInAPipeline() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let text = "{name: one, stages: [read, pick: {file: a.txt}, pick, write]}"
        for name in ["a.txt", "b.txt"] { try fixture.write("0", to: name) }
        try fixture.run(input, text)
        let renamed = try fixture.plan([input], text.replacing("one", with: "two"))
        #expect(renamed == [.run("the pipeline was `one`, and is `two`")])
        #expect(
            try fixture.plan([input], text.replacing("a.txt", with: "b.txt"))
                == [.run("pick[1].file changed from \"a.txt\" to \"b.txt\"")])
    }

    /// Options that change together with the stages change results as much as they do alone.
    @Test(arguments: [
        ("[read, write: {level: 2}]", "the stages changed (gone: pick)"),
        ("[read, write: {level: 2}, pick]", "the stages are in another order"),
        ("[read, pick, pick, write: {level: 2}]", "`pick` stands there 2 times, before once"),
    ])
    func stagesAndOptionsChangedAtOnce(stages: String, change: String) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input, "stages: [read, pick, write]")
        let reasons = try fixture.plan([input], "stages: \(stages)")
        #expect(reasons == [.run("\(change), write.level changed from 1 to 2")])
    }

    @Test func whatIsNotKnown() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try FileManager.default.removeItem(atPath: fixture.output + "/.scanmill/inputs")
        #expect(try fixture.plan([input]) == [.compare("its digests are not known")])
        try fixture.write("half", to: "out/.scanmill/work/b.\(StateFolder.host).1.x/deep/b.txt")
        #expect(
            try fixture.plan([try fixture.capture("b"), try fixture.capture("c")]) == [
                .run("it was never finished"), .run("new"),
            ])
    }

    /// To Swift the two names are equal, and on disk they are two.
    @Test func aNameOfOtherCompositionWasNeverFinished() throws {
        let fixture = try DiskFixture()
        try fixture.write("half", to: "out/.scanmill/work/caf\u{e9}.\(StateFolder.host).1.x/deep/b.txt")
        let inputs = [try fixture.capture("caf\u{e9}"), try fixture.capture("cafe\u{301}")]
        #expect(try fixture.plan(inputs) == [.run("it was never finished"), .run("new")])
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
        // What is done, and as it was when it was run, is no news.
        try fixture.run(late)
        #expect(try fixture.plan([late]) { $0.settleSeconds = 600 } == [.upToDate])
        #expect(try fixture.plan([late]) { ($0.settleSeconds, $0.isForced) = (600, true) } == [.arriving])
    }
}
