import Foundation
import ScanModel
import ScanPipeline
import Testing

@Suite struct UnreportedRunTests {
    /// Failures are read about in the morning, too.
    @Test func aRunThatOnlyFailedWantsAReport() throws {
        let fixture = try DiskFixture()
        let input = fixture.input("a")
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        let torn = CaptureEnding.failed(Problem(.input, "torn"))
        try record.end([CaptureOutcome(input: input, ending: torn, span: .init(begin: 0, seconds: 1))], seconds: 1)
        #expect(RunRecord.unreported(in: fixture.state) == record.name)
        try fixture.write("", to: "out/.scanmill/runs/\(record.name)/report.html")
        #expect(RunRecord.unreported(in: fixture.state) == nil)
    }

    private static let torn = CaptureEnding.failed(Problem(.input, "torn"))

    /// What a run says of a capture, what a later one does that made no result, and whether it is then the one to report.
    private static let saidAndFound: [(CaptureEnding, CaptureEnding, Bool)] = [
        (torn, .upToDate, true), (.left("too late"), .upToDate, true), (.arriving, .upToDate, true),
        (torn, .excluded, true), (.excluded, .failedBefore(Problem(.input, "torn")), true),
        (torn, .failedBefore(Problem(.input, "torn")), false), (.left("too late"), .excluded, false),
        (.upToDate, .arriving, false), (.upToDate, .upToDate, false),
        (.failed(Problem(.environment, "killed", notes: [Problem.newResult(of: "a")])), .upToDate, false),
    ]

    /// A file that was put back makes no result: the page that calls its capture failed would be read for ever.
    @Test(arguments: saidAndFound)
    func aReportThatIsPutRight(_ said: CaptureEnding, _ found: CaptureEnding, _ isPutRight: Bool) throws {
        let fixture = try DiskFixture()
        let (pipeline, inputs) = (try fixture.pipeline(), ["a", "b"].map(fixture.input))
        func run(_ outcomes: [CaptureOutcome]) throws -> String {
            // The clock by which files get their times goes in steps.
            usleep(10_000)
            let record = RunRecord(state: fixture.state, pipeline: pipeline, inputs: outcomes.map(\.input))
            try record.end(outcomes, seconds: 1)
            return record.name
        }
        let earlier = try run([
            CaptureOutcome(input: inputs[0], ending: said),
            CaptureOutcome(input: inputs[1], ending: Self.torn, span: .init(begin: 0, seconds: 1)),
        ])
        try fixture.write("{}", to: "out/.scanmill/failures/b.json")
        let later = try run([CaptureOutcome(input: inputs[0], ending: found)])
        #expect(RunRecord.unreported(in: fixture.state) == (isPutRight ? later : earlier))
        try fixture.write("", to: "out/.scanmill/runs/\(earlier)/report.html")
        #expect(RunRecord.unreported(in: fixture.state) == (isPutRight ? later : nil))
        // The other one is gone, and the note of its failure with it.
        FileSystem.removeTree(fixture.state.failure("b"))
        #expect(RunRecord.unreported(in: fixture.state) == later)
        try fixture.write("", to: "out/.scanmill/runs/\(later)/report.html")
        #expect(RunRecord.unreported(in: fixture.state) == nil)
    }

    /// What waits is shown where it is known.
    @Test func aKilledRunIsReportedForWhatItAloneKnows() throws {
        let fixture = try DiskFixture()
        let (pipeline, inputs) = (try fixture.pipeline(), ["a", "b"].map(fixture.input))
        let killed = RunRecord(state: fixture.state, pipeline: pipeline, inputs: inputs)
        for (count, expected) in [1, 2].enumerated() {
            usleep(10_000)
            let later = RunRecord(state: fixture.state, pipeline: pipeline, inputs: [])
            let found = inputs.prefix(expected).map { CaptureOutcome(input: $0, ending: .upToDate) }
            try later.end(found, seconds: 1)
            #expect(RunRecord.unreported(in: fixture.state) == (count == 0 ? killed.name : later.name))
        }
    }
}
