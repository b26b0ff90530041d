import Foundation
import ScanModel
import ScanPipeline
import Testing

@Suite struct CaptureJobTests {
    // MARK: - What goes between processes

    private static func roundTrip<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
        let line = try JSONEncoder().encode(value)
        // One event a line.
        #expect(!line.contains(UInt8(ascii: "\n")))
        return try JSONDecoder().decode(Value.self, from: line) == value
    }

    @Test func jobs() throws {
        let input = CaptureInput(id: "scan ä\n", path: "/a/b", pipelineFolder: "p", source: SourceFolder("/"))
        #expect(
            try Self.roundTrip(
                CaptureJob(
                    input: input, pipelineText: "stages:\n  - read\n", pipelinePath: "p/x.yaml",
                    settings: ["a.b=c", "ä.ö="],
                    output: "out", workers: 3, isForced: true)))
    }

    @Test func events() throws {
        #expect(
            try Self.roundTrip(
                CaptureEvent.progress(RunProgress(stage: "mask-range[2]", pass: 3, frame: 1, frameCount: 640))))
        for device in ["iPad8,9", nil] {
            #expect(try Self.roundTrip(CaptureEvent.recognised(CaptureOrigin(format: "multiscan", device: device))))
        }
        let run = try MockRun([
            .reader { Capture.mock(4) }, .every(2), .decompress, .unproject, .writer("write-ply", to: "a"),
        ])
        let summary = CaptureSummary(run.receipt)
        #expect(summary.frameCount == 4)
        #expect(summary.framesKept == 2)
        #expect(summary.fileCount == 1)
        #expect(summary.byteCount == 7)
        #expect(summary.warnings.isEmpty)
        for ending in [.done(summary), .upToDate, .arriving, .busy, .excluded, .left("too late")] as [CaptureEnding] {
            #expect(try Self.roundTrip(CaptureEvent.ended(ending)))
            #expect(ending.problem == nil)
        }
    }

    @Test(arguments: Problem.Fault.allCases) func failures(_ fault: Problem.Fault) throws {
        var problem = Problem(fault, "cannot read \"it\"", notes: ["a\nb", "ü"], fix: "try again")
            .at(file: "a.jsonl", line: 3, column: 4, byte: .max, of: .max).inFrame(7).inStage("read")
        problem.excerpt = "\t{"
        for ending in [.failed(problem), .failedBefore(problem)] as [CaptureEnding] {
            #expect(try Self.roundTrip(CaptureEvent.ended(ending)))
            #expect(ending.problem == problem)
        }
        let leftOut = CaptureEnding.unsuited(problem.unsuited())
        #expect(try Self.roundTrip(CaptureEvent.ended(leftOut)))
        #expect(leftOut.problem == nil && leftOut.kind == .excluded)
        #expect(try Self.roundTrip(CaptureEvent.ended(.failed(Problem(fault, "")))))
    }
}
