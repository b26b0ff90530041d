import Foundation
import ScanModel
import ScanPipeline
import Synchronization
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
        let input = CaptureInput(id: "scan ä\n", path: "/a/b", pipelineFolder: "p")
        #expect(
            try Self.roundTrip(
                CaptureJob(
                    input: input, pipelineText: "stages:\n  - read\n", pipelinePath: "p/x.yaml", settings: ["a.b=c", "ä.ö="],
                    output: "out", workers: 3)))
    }

    @Test func events() throws {
        #expect(try Self.roundTrip(CaptureEvent.progress(stage: "mask-range[2]", frame: 1, frameCount: 640)))
        let run = try MockRun([.reader { Capture.mock(4) }, .every(2), .decompress, .unproject, .writer("write-ply", to: "a")])
        let summary = CaptureSummary(run.receipt)
        #expect(summary.frameCount == 4)
        #expect(summary.framesKept == 2)
        #expect(summary.fileCount == 1)
        #expect(summary.byteCount == 7)
        #expect(summary.warnings.isEmpty)
        #expect(try Self.roundTrip(CaptureEvent.done(summary)))
    }

    @Test(arguments: Problem.Fault.allCases) func failures(_ fault: Problem.Fault) throws {
        var problem = Problem(fault, "cannot read \"it\"", notes: ["a\nb", "ü"], fix: "try again")
            .at(file: "a.jsonl", line: 3, column: 4, byte: .max, of: .max).inFrame(7).inStage("read")
        problem.excerpt = "\t{"
        #expect(try Self.roundTrip(CaptureEvent.failed(problem)))
        #expect(try Self.roundTrip(CaptureEvent.failed(Problem(fault, ""))))
    }

    // MARK: - Batches

    @Test func coresAreSpreadOverCapturesFirst() {
        func spread(_ cores: Int, _ captures: Int) -> [Int] {
            let (sideBySide, workers) = Batch.spread(cores: cores, captures: captures)
            return [sideBySide, workers]
        }
        #expect(spread(8, 100) == [8, 1])
        #expect(spread(8, 8) == [8, 1])
        #expect(spread(8, 5) == [5, 1])
        #expect(spread(8, 3) == [3, 2])
        #expect(spread(8, 1) == [1, 8])
        #expect(spread(1, 9) == [1, 1])
        #expect(spread(0, 0) == [1, 1])
    }

    private static func inputs(_ count: Int) -> [CaptureInput] {
        (0..<count).map { CaptureInput(id: "scan \($0)", path: "/scans/\($0)") }
    }

    private static func job(_ input: CaptureInput, _ workers: Int) -> CaptureJob {
        CaptureJob(input: input, pipelineText: "", pipelinePath: "p", settings: [], output: "out", workers: workers)
    }

    private static func succeed(_ job: CaptureJob) throws -> CaptureOutcome {
        let run = try MockRun([.reader { Capture.mock(1) }])
        return CaptureOutcome(input: job.input, result: .success(CaptureSummary(run.receipt)))
    }

    @Test func outcomesComeInTheOrderOfTheInputs() async throws {
        let batch = Batch { job, event in
            // The first ones take longest.
            try? await Task.sleep(for: .milliseconds(40 - (Int(job.input.path.dropFirst(7)) ?? 0) * 3))
            event(.progress(stage: job.input.id, frame: 1, frameCount: 1))
            return CaptureOutcome(input: job.input, result: .failure(Problem(.input, job.input.id)))
        }
        let told = Mutex<[String]>([])
        var ended: [String] = []
        let outcomes = await batch.run(Self.inputs(12), cores: 4, make: Self.job) { input, event in
            if case .progress(let stage, _, _) = event { told.withLock { $0.append("\(input.id) \(stage)") } }
        } ended: {
            ended.append($0.input.id)
        }
        #expect(outcomes.map(\.input) == Self.inputs(12))
        #expect(ended.sorted() == Self.inputs(12).map(\.id).sorted())
        #expect(ended != Self.inputs(12).map(\.id))
        #expect(told.withLock { $0.sorted() } == Self.inputs(12).map { "\($0.id) \($0.id)" }.sorted())
    }

    @Test func oneThatFailsDoesNotStopTheOthers() async throws {
        let batch = Batch { job, _ in
            if job.input.id == "scan 1" { return CaptureOutcome(input: job.input, result: .failure(Problem(.tool, "killed"))) }
            let result = Result { try Self.succeed(job) }
            return (try? result.get()) ?? CaptureOutcome(input: job.input, result: .failure(Problem(.tool, "odd")))
        }
        let outcomes = await batch.run(Self.inputs(5), cores: 2, make: Self.job, event: { _, _ in }, ended: { _ in })
        let failed = outcomes.map { if case .failure(let problem) = $0.result { problem.summary } else { "done" } }
        #expect(failed == ["done", "killed", "done", "done", "done"])
    }

    @Test(arguments: [1, 2, 5]) func atMostSoManySideBySide(_ cores: Int) async {
        let now = Mutex((running: 0, most: 0, workers: Set<Int>()))
        let batch = Batch { job, _ in
            now.withLock {
                $0.running += 1
                $0.most = max($0.most, $0.running)
                $0.workers.insert(job.workers)
            }
            try? await Task.sleep(for: .milliseconds(5))
            now.withLock { $0.running -= 1 }
            return CaptureOutcome(input: job.input, result: .failure(Problem(.input, "")))
        }
        let outcomes = await batch.run(Self.inputs(20), cores: cores, make: Self.job, event: { _, _ in }, ended: { _ in })
        #expect(outcomes.count == 20)
        #expect(now.withLock { $0.most } == cores)
        #expect(now.withLock { $0.workers } == [1])
    }

    @Test func inputsThatStandTwiceAreTwoOutcomes() async {
        let input = CaptureInput(id: "scan", path: "/scans/scan")
        let batch = Batch { job, _ in CaptureOutcome(input: job.input, result: .failure(Problem(.input, ""))) }
        let outcomes = await batch.run([input, input, input], cores: 2, make: Self.job, event: { _, _ in }, ended: { _ in })
        #expect(outcomes.map(\.input) == [input, input, input])
        let none = await batch.run([], cores: 2, make: Self.job, event: { _, _ in }, ended: { _ in })
        #expect(none.isEmpty)
    }
}
