import Foundation
import ScanModel
import ScanPipeline
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
            CaptureOutcome(input: fixture.input("failed"), ending: .failed(Problem(.input, "torn"))), of: pipeline)
        let lock = try CaptureLock("running", in: fixture.state)
        let entries = OutputStatus(output: fixture.output).entries
        #expect(entries.map(\.id) == ["done", "failed", "left", "running", "stale"])
        #expect(entries.map(\.standing) == [.done, .failed, .neverRun, .running, .stale])
        #expect(entries.map(\.cause) == [nil, "torn", nil, nil, "\(fixture.path)/in/stale/frames.txt changed"])
        withExtendedLifetime(lock) {}
    }

    @Test func nothingWasEverRun() throws {
        let fixture = try DiskFixture()
        #expect(OutputStatus(output: fixture.output).entries.isEmpty)
        #expect(!FileSystem.exists(fixture.output))
    }
}
