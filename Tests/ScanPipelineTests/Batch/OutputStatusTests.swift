import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct OutputStatusTests {
    @Test func everyStanding() throws {
        let fixture = try DiskFixture()
        let inputs = try ["done", "stale", "failed", "running", "left"].map { try fixture.capture($0) }
        let pipeline = try fixture.pipeline()
        let record = RunRecord(state: fixture.state, pipeline: pipeline, inputs: inputs)
        for id in ["done", "stale"] { try fixture.run(fixture.input(id)) }
        try fixture.write("one\n", to: "in/stale/frames.txt", minutesAgo: 20)
        try record.note(
            CaptureOutcome(input: fixture.input("failed"), ending: .failed(Problem(.input, "torn"))),
            fingerprint: Digest.of([]))
        let lock = try CaptureLock("running", in: fixture.state)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.id) == ["done", "failed", "left", "running", "stale"])
        #expect(entries.map(\.standing) == [.done, .failed, .neverRun, .running, .stale])
        #expect(entries.map(\.cause) == [nil, "torn", nil, nil, "\(fixture.path)/in/stale/frames.txt changed"])
        withExtendedLifetime(lock) {}
    }

    /// What was planned and is no longer there, such as a name that it had while it arrived, is nobody's to run.
    @Test func plannedCapturesThatAreGone() throws {
        let fixture = try DiskFixture()
        let here = fixture.input("here")
        var relative = try fixture.capture("relative")
        relative.path = "in/relative"
        for input in [try fixture.capture("here"), try fixture.capture("arriving.part"), relative] {
            _ = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        }
        func entries() -> [String] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries.map(\.id)
        }
        #expect(entries() == ["arriving.part", "here"])
        #expect(rename("\(fixture.path)/in/arriving.part", "\(fixture.path)/in/arrived") == 0)
        #expect(entries() == ["here"])
        try fixture.run(here)
        try FileManager.default.removeItem(atPath: here.path)
        // Its result is all that there is.
        let gone = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(gone.map(\.standing) == [.done] && gone.map(\.isCaptureGone) == [true])
        #expect(gone.map(\.cause) == ["\(here.path) is gone"])
    }

    /// Who moves files elsewhere may leave their folders behind (rsync --remove-source-files).
    @Test func capturesOfWhichFoldersAloneAreLeft() throws {
        let fixture = try DiskFixture()
        let inputs = try ["done", "failed", "planned"].map { try fixture.capture($0) }
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: inputs)
        try fixture.run(inputs[0])
        try record.note(
            CaptureOutcome(input: inputs[1], ending: .failed(Problem(.input, "torn"))), fingerprint: Digest.of([]))
        for input in inputs {
            for name in try FileManager.default.contentsOfDirectory(atPath: input.path) {
                try FileManager.default.removeItem(atPath: "\(input.path)/\(name)")
            }
            try FileManager.default.createDirectory(
                atPath: "\(input.path)/depth/0", withIntermediateDirectories: true)
        }
        BatchPlan(
            [], pipeline: try fixture.pipeline(), output: fixture.output, rules: BatchPlan.Rules(),
            programs: fixture.programs
        ).forgetPastFailures(in: fixture.state)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.id) == ["done"] && entries.allSatisfy(\.isCaptureGone))
        // One that cannot be listed may hold anything, and so may a file.
        #expect(!FileSystem.isGone(fixture.path))
        #expect(FileSystem.isGone("\(fixture.path)/nothing"))
    }

    /// The result of a capture that is gone came back from a backup, of the time when the folder was another pipeline's.
    @Test func aResultOfAnotherPipelineAmongNewOnes() throws {
        let fixture = try DiskFixture()
        let inputs = try ["a", "b"].map { try fixture.capture($0) }
        let (first, second) = ("{name: first, stages: [read, write]}", "{name: second, stages: [read, write]}")
        for input in inputs { try fixture.run(input, first) }
        _ = try runCommand(["cp", "-a", "\(fixture.output)/a", "\(fixture.path)/backup"], in: fixture.path)
        try fixture.state.claim(for: try fixture.pipeline(second), replacing: true)
        for input in inputs { try fixture.run(input, second, replaces: true) }
        FileSystem.removeTree("\(fixture.output)/a")
        _ = try runCommand(["cp", "-a", "\(fixture.path)/backup", "\(fixture.output)/a"], in: fixture.path)
        let entries = { OutputStatus(output: fixture.output, programs: fixture.programs).entries }
        #expect(entries().map(\.standing) == [.stale, .done])
        #expect(
            entries().map(\.cause) == ["the pipeline `first` made it, and the folder is `second`'s now", nil])
        // Nothing can make it again.
        FileSystem.removeTree(inputs[0].path)
        #expect(entries().map(\.standing) == [.done, .done])
        #expect(entries().map(\.isCaptureGone) == [true, false])
    }

    /// Results may be moved to another disk, with links in their place.
    @Test func aResultOnADiskThatIsNotThere() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        try record.end([CaptureOutcome(input: input, ending: .upToDate)], seconds: 1)
        let result = "\(fixture.output)/a"
        #expect(rename(result, "\(fixture.path)/disk") == 0 && symlink("../disk", result) == 0)
        #expect(try fixture.plan([input]) == [.upToDate])
        #expect(rename("\(fixture.path)/disk", "\(fixture.path)/unmounted") == 0)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.resultGone])
        #expect(entries.map(\.cause) == ["it is a link to a folder that is not there"])
        let refused = try #require(problem { try fixture.run(input) })
        #expect(refused.fault == .environment)
        #expect(refused.summary == "the result is a link to a folder that is not there")
        #expect(try fixture.plan([input]) == [.obstructed(PublishedResult.linkToNothing(result))])
        #expect(rename("\(fixture.path)/unmounted", "\(fixture.path)/disk") == 0)
        #expect(try fixture.plan([input]) == [.upToDate])
    }

    /// Who takes finished results elsewhere every morning knows that they were made.
    @Test func resultsThatWereMovedAway() throws {
        let fixture = try DiskFixture()
        let inputs = try ["failed", "made", "moved"].map { try fixture.capture($0) }
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: inputs)
        let endings = [.failed(Problem(.input, "torn"))] + (try inputs.dropFirst().map { try fixture.run($0) })
        try record.end(zip(inputs, endings).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1)
        FileSystem.removeTree("\(fixture.output)/moved")
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.id) == ["failed", "made", "moved"])
        #expect(entries.map(\.standing) == [.neverRun, .done, .resultGone])
    }

    /// The record of a run that began so long ago.
    private func record(
        _ fixture: DiskFixture, _ pipeline: Pipeline, _ inputs: [CaptureInput], minutesAgo: Double
    ) throws -> RunRecord {
        let record = RunRecord(state: fixture.state, pipeline: pipeline, inputs: inputs)
        try fixture.age("out/.scanmill/runs/\(record.name)/plan.json", minutes: minutesAgo)
        return record
    }

    /// Results of the options of before look finished, and are not what the last run was to make.
    @Test(
        arguments: [
            (.notBegun("stopped by SIGTERM"), "; the last run left it: stopped by SIGTERM"),
            (.arriving, "; the last run left it: it was still arriving"),
            (.busy, "; the last run left it: another runner worked on it"), (.failed(Problem(.input, "torn")), ""),
        ] as [(CaptureEnding, String)])
    func aRunThatWasCutShort(_ ending: CaptureEnding, _ reason: String) throws {
        let fixture = try DiskFixture()
        let inputs = try ["a", "b"].map { try fixture.capture($0) }
        let first = try record(fixture, try fixture.pipeline(), inputs, minutesAgo: 60)
        let endings = try inputs.map { try fixture.run($0) }
        try first.end(zip(inputs, endings).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1)
        let changed = "stages: [read, {write: {level: 3}}]"
        let second = try record(fixture, try fixture.pipeline(changed), inputs, minutesAgo: 30)
        let made = try fixture.run(inputs[0], changed)
        func entries() -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries
        }
        // A killed run says nothing more.
        let change = "write.level changed from 1 to 3"
        #expect(entries().map(\.standing) == [.done, .stale])
        #expect(entries().map(\.cause) == [nil, "\(change); the last run of it has not ended"])
        try second.end(zip(inputs, [made, ending]).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1)
        #expect(entries().map(\.standing) == [.done, .stale])
        #expect(entries().map(\.cause) == [nil, change + reason])
        #expect(entries().map(\.isBehind) == [false, true])
        // Without what is known of its files, its receipt tells the same of a capture that was left.
        FileSystem.removeTree(fixture.state.inputs("b"))
        #expect(entries().map(\.standing) == [.done, reason.isEmpty ? .done : .stale])
        // The next run makes it.
        try fixture.run(inputs[1], changed)
        #expect(entries().map(\.standing) == [.done, .done])
    }

    /// Who goes back to the options of before finds all up to date, and that is said in the outcome alone.
    @Test func aRunThatFoundAllUpToDate() throws {
        let fixture = try DiskFixture()
        let (a, b) = (try fixture.capture("a"), try fixture.capture("b"))
        let (before, after) = (try fixture.pipeline(), try fixture.pipeline("stages: [read, {write: {level: 3}}]"))
        let done = [CaptureOutcome(input: a, ending: try fixture.run(a))]
        try record(fixture, before, [a], minutesAgo: 60).end(done, seconds: 1)
        let upToDate = [CaptureOutcome(input: a, ending: .upToDate)]
        #expect(!RunHistory.lacks(upToDate, of: before, in: fixture.state))
        let left = [CaptureOutcome(input: a, ending: .notBegun("too late"))]
        try record(fixture, after, [a], minutesAgo: 50).end(left, seconds: 1)
        #expect(RunHistory.lacks(upToDate, of: before, in: fixture.state))
        func entries() -> [OutputStatus.Standing] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries.map(\.standing)
        }
        #expect(entries() == [.stale])
        try record(fixture, before, [], minutesAgo: 40).end(upToDate, seconds: 1)
        #expect(entries() == [.done])
        #expect(!RunHistory.lacks(upToDate, of: before, in: fixture.state))
        // Also when a later run was about others.
        let other = [CaptureOutcome(input: b, ending: try fixture.run(b))]
        try record(fixture, after, [b], minutesAgo: 30).end(other, seconds: 1)
        #expect(entries() == [.done, .stale])
        #expect(!RunHistory.lacks(upToDate, of: before, in: fixture.state))
    }

    /// A capture that arrives is told of once, and not every hour anew.
    @Test func aRunInWhichAllArrive() throws {
        let fixture = try DiskFixture()
        let (a, b) = (try fixture.capture("a"), try fixture.capture("b"))
        let pipeline = try fixture.pipeline()
        let arriving = [a, b].map { CaptureOutcome(input: $0, ending: .arriving) }
        #expect(!RunHistory.lacks([], of: pipeline, in: fixture.state))
        #expect(RunHistory.lacks(arriving, of: pipeline, in: fixture.state))
        try record(fixture, pipeline, [a, b], minutesAgo: 60).end(arriving, seconds: 0)
        #expect(!RunHistory.lacks(arriving, of: pipeline, in: fixture.state))
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.neverRun, .neverRun])
        #expect(entries.map(\.cause) == ["it was still arriving", "it was still arriving"])
        let third = CaptureOutcome(input: try fixture.capture("c"), ending: .arriving)
        #expect(RunHistory.lacks(arriving + [third], of: pipeline, in: fixture.state))
    }

    /// A new ScanMill makes nothing stale by itself; only the keys, which a run compares, tell whether it does.
    @Test func otherPrograms() throws {
        let fixture = try DiskFixture()
        try fixture.run(try fixture.capture("a"))
        func entries() -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries
        }
        fixture.versions.withLock { $0.scanmill = "scanmill 1" }
        #expect(entries().map(\.standing) == [.done])
        fixture.versions.withLock { $0.tool = "2" }
        #expect(entries().map(\.standing) == [.stale])
        #expect(entries().map(\.cause) == ["it was made with 1, and now there is 2"])
    }

    /// To Swift the two names are equal, and on disk they are two.
    @Test func namesOfOtherComposition() throws {
        let fixture = try DiskFixture()
        let names = ["caf\u{e9}", "cafe\u{301}"]
        try fixture.run(try fixture.capture(names[0]))
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [])
        try record.note(
            CaptureOutcome(input: try fixture.capture(names[1]), ending: .failed(Problem(.input, "torn"))),
            fingerprint: Digest.of([]))
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.failed, .done])
        #expect(entries.map { Array($0.id.utf8) } == names.reversed().map { Array($0.utf8) })
    }

    @Test func nothingWasEverRun() throws {
        let fixture = try DiskFixture()
        #expect(OutputStatus(output: fixture.output, programs: fixture.programs).entries.isEmpty)
        #expect(!FileSystem.exists(fixture.output))
    }
}
