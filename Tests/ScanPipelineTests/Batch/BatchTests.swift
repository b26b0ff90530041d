import ScanModel
import ScanPipeline
import Synchronization
import Testing

@Suite struct BatchTests {
    private static func inputs(_ count: Int) -> [CaptureInput] {
        (0..<count).map { CaptureInput(id: "scan \($0)", path: "/scans/\($0)") }
    }

    private static func job(_ input: CaptureInput, _ workers: Int) -> CaptureJob {
        CaptureJob(input: input, pipelineText: "", pipelinePath: "p", settings: [], output: "out", workers: workers)
    }

    private static func sideBySide(_ count: Int) -> CoreShares { CoreShares(cores: count, captures: .max) }

    /// A pause that is longer the lower the capture's number is.
    private static func pause(_ input: CaptureInput, of count: Int) async {
        let number = input.id.split(separator: " ").last.flatMap { Int($0) } ?? 0
        try? await Task.sleep(for: .milliseconds(3 * (count - number)))
    }

    @Test func jobsAreToldTheirThreads() async {
        let batch = Batch { job, _ in .failed(Problem(.input, "\(job.workers)")) }
        let outcomes = await batch.run(
            Self.inputs(3), on: CoreShares(cores: 8, captures: 3), make: Self.job, ended: { _ in })
        #expect(outcomes.map { $0.ending.problem?.summary } == ["3", "3", "2"])
    }

    @Test func outcomesComeInTheOrderOfTheInputs() async {
        let batch = Batch { job, report in
            await Self.pause(job.input, of: 12)
            report(RunProgress(stage: job.input.id, pass: 1, frame: 1, frameCount: 1))
            return .failed(Problem(.input, job.input.id))
        }
        let told = Mutex<[String]>([])
        var began: [String] = []
        var ended: [String] = []
        let outcomes = await batch.run(
            Self.inputs(12), on: Self.sideBySide(4), make: Self.job, began: { input, _ in began.append(input.id) },
            progress: { input, progress in told.withLock { $0.append("\(input.id) \(progress.stage)") } },
            ended: { ended.append($0.input.id) })
        let names = Self.inputs(12).map(\.id)
        #expect(outcomes.map(\.input.id) == names)
        #expect(outcomes.map(\.ending.problem?.summary) == names)
        #expect(began == names)
        #expect(ended.sorted() == names.sorted())
        // Four lanes: nobody begins before the run, and the fifth waits for one of the first four.
        let spans = outcomes.compactMap(\.span)
        #expect(spans.count == 12)
        #expect(spans.allSatisfy { $0.begin >= 0 && $0.seconds >= 0.003 })
        #expect(spans[4].begin >= 0.02)
        #expect(told.withLock { $0.sorted() } == names.map { "\($0) \($0)" }.sorted())
    }

    @Test func oneThatFailsDoesNotStopTheOthers() async {
        let batch = Batch { job, _ in job.input.id == "scan 1" ? .failed(Problem(.tool, "killed")) : .upToDate }
        let outcomes = await batch.run(Self.inputs(5), on: Self.sideBySide(2), make: Self.job, ended: { _ in })
        #expect(
            outcomes.map(\.ending) == [.upToDate, .failed(Problem(.tool, "killed")), .upToDate, .upToDate, .upToDate])
    }

    @Test(arguments: [1, 2, 5, 30]) func atMostSoManySideBySide(_ sideBySide: Int) async {
        let now = Mutex((running: 0, most: 0))
        let batch = Batch { job, _ in
            now.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1)) }
            // The first ones wait for one another, however slow the machine is, and then for one that may not come.
            for _ in 0..<10_000 where now.withLock({ $0.most < min(sideBySide, 20) }) {
                try? await Task.sleep(for: .milliseconds(1))
            }
            try? await Task.sleep(for: .milliseconds(5))
            now.withLock { $0.running -= 1 }
            return .upToDate
        }
        let outcomes = await batch.run(
            Self.inputs(20), on: Self.sideBySide(sideBySide), make: Self.job, ended: { _ in })
        #expect(outcomes.count == 20)
        #expect(now.withLock { $0.most } == min(sideBySide, 20))
    }

    @Test func inputsThatStandTwiceAreTwoOutcomes() async {
        let input = CaptureInput(id: "scan", path: "/scans/scan")
        let batch = Batch { _, _ in .upToDate }
        let outcomes = await batch.run([input, input, input], on: Self.sideBySide(2), make: Self.job, ended: { _ in })
        #expect(outcomes.map(\.input) == [input, input, input])
        #expect(await batch.run([], on: Self.sideBySide(2), make: Self.job, ended: { _ in }).isEmpty)
    }

    /// A capture that another runner works on comes again when all others are through, once.
    @Test func busyCapturesComeAgain() async {
        let tries = Mutex<[String]>([])
        let batch = Batch { job, _ in
            let earlier = tries.withLock { tries in
                defer { tries.append(job.input.id) }
                return tries.count { $0 == job.input.id }
            }
            return switch job.input.id {
            case "scan 0" where earlier == 0: .busy
            case "scan 1": .busy
            default: .upToDate
            }
        }
        var began: [String] = []
        var ended: [String] = []
        let outcomes = await batch.run(
            Self.inputs(4), on: Self.sideBySide(1), make: Self.job,
            began: { input, isAgain in began.append(isAgain ? "\(input.id) again" : input.id) },
            putBack: { began.append("not \($0.id)") }, ended: { ended.append($0.input.id) })
        #expect(
            began == [
                "scan 0", "not scan 0", "scan 1", "not scan 1", "scan 2", "scan 3", "scan 0 again", "scan 1 again",
            ])
        #expect(tries.withLock { $0 } == ["scan 0", "scan 1", "scan 2", "scan 3", "scan 0", "scan 1"])
        #expect(outcomes.map(\.ending) == [.upToDate, .busy, .upToDate, .upToDate])
        #expect(ended == ["scan 2", "scan 3", "scan 0", "scan 1"])
    }

    /// Once the gate is closed nothing begins; what runs is finished.
    @Test func theGateIsAskedBeforeEach() async {
        let begun = Mutex(0)
        let batch = Batch(gate: { begun.withLock { $0 } >= 3 ? "it was too late" : nil }) { _, _ in
            begun.withLock { $0 += 1 }
            try? await Task.sleep(for: .milliseconds(20))
            return .upToDate
        }
        var began = 0
        let outcomes = await batch.run(
            Self.inputs(9), on: Self.sideBySide(3), make: Self.job, began: { _, _ in began += 1 }, ended: { _ in })
        #expect(outcomes.count == 9)
        #expect(outcomes.prefix(3).map(\.ending) == [.upToDate, .upToDate, .upToDate])
        let left = outcomes.count { $0.ending == .left("it was too late") }
        #expect(left >= 3 && left == 9 - began)
    }
}
