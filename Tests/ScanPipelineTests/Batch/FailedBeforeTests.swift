import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// Captures that failed are not tried again until something changed.
@Suite struct FailedBeforeTests {
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
            FailureNote.fingerprint(of: input, pipeline: pipeline, programs: fixture.programs)
        )
    }

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

    /// Another version of a program may read what this one could not.
    @Test func aProgramThatWasUpdated() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.write("old", to: "decoder")
        try Self.fail(input, fixture)
        #expect(try fixture.plan([input]) != [.run("it failed before: torn")])
        try fixture.write("newer", to: "decoder")
        #expect(try fixture.plan([input]) == [.run("it failed before: torn")])
    }

    @Test func notesThatCannotBeRead() throws {
        let fixture = try DiskFixture()
        for (name, text) in [("empty", ""), ("older", #"{"id": "older", "input": "/in"}"#)] {
            try fixture.write(text, to: "out/.scanmill/failures/\(name).json")
        }
        BatchPlan(
            [], pipeline: try fixture.pipeline(), output: fixture.output, rules: BatchPlan.Rules(),
            programs: fixture.programs
        ).forgetPastFailures()
        #expect(fixture.state.failed == [])
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
        ).forgetPastFailures()
        #expect(fixture.state.failed == ["stays"])
    }

    /// To Swift the two names are equal, and on disk they are two.
    @Test func aNameOfOtherComposition() throws {
        let fixture = try DiskFixture()
        let (done, failed) = (try fixture.capture("caf\u{e9}"), try fixture.capture("cafe\u{301}"))
        try fixture.run(done)
        try Self.fail(failed, fixture)
        let plan = BatchPlan(
            [done], pipeline: try fixture.pipeline(), output: fixture.output, rules: BatchPlan.Rules(),
            programs: fixture.programs)
        try #require(plan.entries.map(\.decision) == [.upToDate])
        plan.forgetPastFailures()
        #expect(fixture.state.failed.count == 1)
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

    /// The capture is whole again, and its older result may be what it gives.
    @Test func aFailureThatIsMended() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let whole = try Data(contentsOf: URL(fileURLWithPath: "\(input.path)/frames.txt"))
        try fixture.write("torn\n", to: "in/a/frames.txt", minutesAgo: 20)
        try Self.fail(input, fixture)
        try whole.write(to: URL(fileURLWithPath: "\(input.path)/frames.txt"))
        try fixture.age("in/a/frames.txt", minutes: 15)
        guard case .compare = try fixture.plan([input]).first else { Issue.record("not compared"); return }
        #expect(try fixture.run(input) == .upToDate)
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
        plan.forgetPastFailures()
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

    @Test(arguments: ["list.txt", "{id}.txt"]) func aListThatWasCorrectedIsTriedAgain(_ name: String) throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: \"\(name)\"}, write]"
        let list = name.replacing("{id}", with: "a")
        try fixture.write("0", to: list)
        let input = try fixture.capture("a")
        try Self.fail(input, fixture, text)
        #expect(
            try fixture.plan([input], text).first
                == .failedBefore(Problem(.input, "torn").at(file: "frames.txt", line: 2)))
        try fixture.write("1", to: list, minutesAgo: 20)
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
