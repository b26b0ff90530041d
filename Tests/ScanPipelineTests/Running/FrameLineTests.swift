import Foundation
import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

@Suite struct FrameLineTests {
    /// What a run of a line left behind.
    final class Trace: Sendable {
        struct State {
            /// For each ordered step, the frames in the order in which it saw them.
            var orders: [[Int]]
            var done: [Int] = []
            var begun: [Int] = []
            var inFlight = 0
            var mostInFlight = 0
            var threads: Set<UInt> = []
        }
        let state: Guarded<State>
        init(steps: Int) { state = Guarded(State(orders: Array(repeating: [], count: steps))) }
    }

    /// One step of a random line: whether it is ordered, and in which frames it fails.
    struct Plan {
        var isOrdered: Bool
        var failures: Set<Int> = []
    }

    /// A pause whose length does not depend on anything but its seed.
    private static func pause(_ seed: Int, longest: UInt64) {
        var random = SplitMix(seed: UInt64(bitPattern: Int64(seed)))
        switch random.next() % 4 {
        case 0: usleep(UInt32(random.next() % max(1, longest)))
        case 1: sched_yield()
        default: break
        }
    }

    private static func run(
        count: Int, plans: [Plan], workers: Int, longest: UInt64 = 300, seed: Int = 0
    ) -> (trace: Trace.State, problem: Problem?) {
        let trace = Trace(steps: plans.count)
        let steps = plans.enumerated().map { number, plan in
            let body: @Sendable (inout Frame) throws(Problem) -> Void = { (frame) throws(Problem) in
                let index = frame.index
                pause(seed &+ index &* 31 &+ number &* 7919, longest: longest)
                trace.state.withLock { state in
                    if plan.isOrdered { state.orders[number].append(index) }
                    state.threads.insert(UInt(pthread_self()))
                }
                // Each step counts the frame on: none may be left out, and none taken twice.
                frame.timestamp = (frame.timestamp ?? 0) + 1
                if plan.failures.contains(index) { throw Problem(.input, "step \(number)").inFrame(index) }
            }
            return plan.isOrdered ? FrameLine.Step.ordered(body) : .parallel(body)
        }
        let line = FrameLine(
            count: count, steps: steps, workers: workers,
            begin: { index in
                trace.state.withLock { state in
                    state.begun.append(index)
                    state.inFlight += 1
                    state.mostInFlight = max(state.mostInFlight, state.inFlight)
                }
                return Frame(FrameFacts(index: index))
            },
            done: { position, frame in
                trace.state.withLock { state in
                    state.inFlight -= 1
                    state.done.append(
                        frame.index == position && frame.timestamp ?? 0 == Int64(plans.count) ? position : -1)
                }
            })
        var problem: Problem?
        do throws(Problem) { try line.run() } catch { problem = error }
        return (trace.state.withLock { $0 }, problem)
    }

    private static let mixed = [
        Plan(isOrdered: true), Plan(isOrdered: false), Plan(isOrdered: false), Plan(isOrdered: true),
        Plan(isOrdered: true),
        Plan(isOrdered: false),
    ]

    @Test(arguments: [1, 2, 8]) func orderedStepsSeeTheFramesInOrder(_ workers: Int) {
        let (trace, problem) = Self.run(count: 200, plans: Self.mixed, workers: workers)
        #expect(problem == nil)
        for (order, plan) in zip(trace.orders, Self.mixed) where plan.isOrdered { #expect(order == Array(0..<200)) }
        #expect(trace.begun == Array(0..<200))
        #expect(trace.done.sorted() == Array(0..<200))
    }

    @Test(arguments: [0, 1, 2, 5, 6, 7, 18, 19], [1, 2, 8]) func everyCountAroundTheWindow(_ count: Int, _ workers: Int)
    {
        let (trace, problem) = Self.run(count: count, plans: Self.mixed, workers: workers)
        #expect(problem == nil)
        #expect(trace.done.sorted() == Array(0..<count))
    }

    @Test func noSteps() {
        #expect(Self.run(count: 9, plans: [], workers: 2).trace.done.sorted() == Array(0..<9))
        #expect(Self.run(count: 0, plans: [], workers: 2).trace.done.isEmpty)
    }

    @Test func framesInFlightAreBounded() {
        // The first frame waits for others to queue up behind it, however slow the machine is.
        for workers in [1, 2, 8] {
            let reached = Mutex((now: 0, most: 0))
            let steps: [FrameLine.Step] = [
                .parallel { frame in
                    guard frame.index == 0, workers > 1 else { return }
                    for _ in 0..<20_000 where reached.withLock({ $0.most <= workers }) { usleep(1000) }
                },
                .ordered { _ in },
            ]
            let line = FrameLine(
                count: 500, steps: steps, workers: workers,
                begin: { index in
                    reached.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    return Frame(FrameFacts(index: index))
                }, done: { _, _ in reached.withLock { $0.now -= 1 } })
            #expect(throws: Never.self) { try line.run() }
            let most = reached.withLock { $0.most }
            #expect(most <= 2 * workers + 2)
            #expect(workers == 1 ? most == 1 : most > workers)
        }
    }

    @Test(arguments: [1, 2, 8]) func theLowestFramesProblemWins(_ workers: Int) {
        for seed in 0..<20 {
            var plans = Self.mixed
            // The lower the frame, the later the step that fails.
            plans[5].failures = [40]
            plans[3].failures = [41, 60]
            plans[2].failures = [42, 43, 44, 45, 46]
            plans[0].failures = [47, 90]
            let (trace, problem) = Self.run(count: 100, plans: plans, workers: workers, longest: 2000, seed: seed)
            #expect(problem?.place.frame == 40)
            #expect(problem?.summary == "step 5")
            #expect(Set(trace.done).isSuperset(of: 0..<40))
            #expect(!trace.done.contains(40))
        }
    }

    @Test func aFailureStopsTheWork() {
        var plans = Self.mixed
        plans[1].failures = [10]
        let (trace, problem) = Self.run(count: 1_000_000, plans: plans, workers: 2)
        #expect(problem?.place.frame == 10)
        #expect(trace.begun.count < 30)
    }

    /// Other tests may hold all threads that there are, and the caller then does all of the work: so now or later.
    @Test(.timeLimit(.minutes(20))) func severalThreadsWork() async throws {
        let wanted = min(2, ProcessInfo.processInfo.activeProcessorCount)
        var found = 0
        for _ in 0..<60 where found < wanted {
            found = Self.run(count: 300, plans: Self.mixed, workers: 2, longest: 2000).trace.threads.count
            if found < wanted { try await Task.sleep(for: .seconds(1)) }
        }
        #expect(found == wanted)
    }

    /// Random lines, many times: nothing is lost, nothing stops, and the outcome does not depend on the workers.
    @Test(.timeLimit(.minutes(20))) func randomLines() {
        var random = SplitMix(seed: 2026)
        for round in 0..<400 {
            let count = [0, 1, 2, 3, 7, 20, 60].randomElement(using: &random) ?? 1
            var plans = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Plan(isOrdered: Bool.random(using: &random))
            }
            if round % 3 == 0 {
                for step in plans.indices where Bool.random(using: &random) {
                    plans[step].failures = Set((0..<2).map { _ in Int.random(in: 0..<80, using: &random) })
                }
            }
            let workers = [2, 3, 8].randomElement(using: &random) ?? 2
            let (trace, problem) = Self.run(count: count, plans: plans, workers: workers, longest: 60, seed: round)
            let first = plans.flatMap(\.failures).filter { $0 < count }.min()
            #expect(problem?.place.frame == first, "round \(round)")
            // Of the steps that fail in that frame it is the first.
            if let first {
                #expect(
                    problem?.summary == "step \(plans.firstIndex { $0.failures.contains(first) } ?? -1)",
                    "round \(round)")
            }
            let whole = first ?? count
            #expect(trace.done.filter { $0 < whole }.sorted() == Array(0..<whole), "round \(round)")
            #expect(!trace.done.contains(-1), "round \(round)")
            for (order, plan) in zip(trace.orders, plans) where plan.isOrdered {
                #expect(order == Array(0..<order.count), "round \(round)")
                #expect(order.count >= whole, "round \(round)")
            }
        }
    }

    /// A frame that had to wait has one owner afterwards, so that pixels are changed in place.
    @Test(arguments: [1, 2, 8]) func framesThatWaitAreNotCopied(_ workers: Int) {
        for waits: FrameLine.Step in [
            .ordered { _ in usleep(50) }, .choice(.init(most: 3) { _ in usleep(50) }),
        ] {
            let copies = Mutex(0)
            let steps: [FrameLine.Step] = [
                .parallel { frame in
                    frame.depth = DepthMap(width: 64, height: 64, metres: Array(repeating: 1, count: 4096))
                    Self.pause(frame.index, longest: 500)
                },
                waits,
                .parallel { frame in
                    guard var depth = frame.depth else { return }
                    frame.depth = nil
                    let before = depth.metres.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
                    depth.metres.withUnsafeMutableBufferPointer { $0[0] = 2 }
                    let after = depth.metres.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
                    if before != after { copies.withLock { $0 += 1 } }
                    frame.depth = depth
                },
            ]
            let line = FrameLine(
                count: 300, steps: steps, workers: workers, begin: { Frame(FrameFacts(index: $0)) }, done: { _, _ in })
            #expect(throws: Never.self) { try line.run() }
            #expect(copies.withLock { $0 } == 0, "\(workers) workers")
        }
    }

    // MARK: - Choices among neighbours

    /// Drops all frames whose number leaves no rest by `thirds`, keeps the last of each two left, and notes what it saw.
    private static func choose(
        count: Int, workers: Int, droppedBefore: @escaping @Sendable (Int) -> Bool,
        isNeighbour: @escaping @Sendable (FrameFacts, FrameFacts) -> Bool = { _, _ in true },
        failing: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) -> (groups: [[Int]], through: [Int], order: [Int], done: [Int], most: Int, problem: Problem?) {
        struct State {
            var groups: [[Int]] = []
            var through: [Int] = []
            var order: [Int] = []
            var done: [Int] = []
            var (now, most) = (0, 0)
        }
        let seen = Guarded(State())
        let steps: [FrameLine.Step] = [
            .parallel { frame in
                Self.pause(frame.index, longest: 200)
                if droppedBefore(frame.index) {
                    frame.facts.drop = Drop(stage: "before", reason: "")
                } else {
                    frame.depth = DepthMap(width: 1, height: 1, metres: [1])
                }
            },
            .choice(
                .init(most: 4, isNeighbour: isNeighbour) { frames in
                    let left = frames.indices.filter { !frames[$0].facts.isDropped }
                    seen.withLock { $0.groups.append(left.map { frames[$0].facts.index }) }
                    for place in left.dropLast() { frames[place].facts.drop = Drop(stage: "choice", reason: "") }
                }),
            .parallel { (frame) throws(Problem) in
                Self.pause(frame.index &* 7, longest: 200)
                if failing(frame.index) { throw Problem(.input, "behind").inFrame(frame.index) }
                if frame.facts.isDropped != (frame.depth == nil) { throw Problem(.tool, "pixels of a dropped frame") }
                let (index, isDropped) = (frame.index, frame.facts.isDropped)
                if !isDropped { seen.withLock { $0.through.append(index) } }
            },
            .ordered { frame in
                let index = frame.index
                seen.withLock { $0.order.append(index) }
            },
        ]
        let line = FrameLine(
            count: count, steps: steps, workers: workers,
            begin: { index in
                seen.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
                return Frame(FrameFacts(index: index))
            },
            done: { index, _ in
                seen.withLock {
                    $0.now -= 1
                    $0.done.append(index)
                }
            })
        var problem: Problem?
        do throws(Problem) { try line.run() } catch { problem = error }
        let state = seen.withLock { $0 }
        return (state.groups, state.through.sorted(), state.order, state.done.sorted(), state.most, problem)
    }

    @Test(.timeLimit(.minutes(20)), arguments: [1, 2, 8]) func neighboursWaitForEachOther(_ workers: Int) {
        // Of each so many frames, the last so many are dropped before.
        for (count, period, dropped) in [
            (0, 1, 0), (1, 1, 0), (4, 1, 0), (203, 1, 0), (203, 3, 1), (203, 50, 49), (90, 90, 88), (90, 1, 1),
        ] {
            let isDropped: @Sendable (Int) -> Bool = { $0 % period >= period - dropped }
            let line = Self.choose(count: count, workers: workers, droppedBefore: isDropped)
            let left = (0..<count).filter { !isDropped($0) }
            let groups = stride(from: 0, to: left.count, by: 4).map { Array(left[$0..<min($0 + 4, left.count)]) }
            #expect(line.groups.filter { !$0.isEmpty } == groups)
            #expect(line.through == groups.compactMap { $0.last })
            #expect(line.order == Array(0..<count))
            #expect(line.done == Array(0..<count))
            #expect(line.problem == nil)
        }
    }

    /// Tens that go together, but four at most.
    @Test(.timeLimit(.minutes(20)), arguments: [1, 2, 8]) func neighboursMayBeFewerThanTheMost(_ workers: Int) {
        let line = Self.choose(
            count: 47, workers: workers, droppedBefore: { (20..<38).contains($0) },
            isNeighbour: { $0.index / 10 == $1.index / 10 })
        #expect(
            line.groups.filter { !$0.isEmpty } == [
                [0, 1, 2, 3], [4, 5, 6, 7], [8, 9], [10, 11, 12, 13], [14, 15, 16, 17], [18, 19], [38, 39],
                [40, 41, 42, 43], [44, 45, 46],
            ])
        #expect(line.through == [3, 7, 9, 13, 17, 19, 39, 43, 46])
        #expect(line.order == Array(0..<47) && line.done == Array(0..<47))
    }

    /// However many frames without pixels lie between two neighbours, the others are not kept waiting, nor pile up.
    @Test(.timeLimit(.minutes(20)), arguments: [1, 2, 8]) func aLongRunOfDroppedFramesStopsNothing(_ workers: Int) {
        let line = Self.choose(count: 3000, workers: workers, droppedBefore: { $0 % 1000 != 0 })
        #expect(line.through == [2000])
        #expect(line.done.count == 3000)
        let all = Self.choose(count: 3000, workers: workers, droppedBefore: { _ in false })
        #expect(all.most <= 2 * workers + 2 + 4 + 3)
    }

    @Test(.timeLimit(.minutes(20)), arguments: [1, 2, 8]) func aFailureBehindAChoiceIsTheLowest(_ workers: Int) {
        for round in 0..<20 {
            let failing = [51, 55, 59 + 4 * round]
            let line = Self.choose(
                count: 400, workers: workers, droppedBefore: { _ in false }, failing: { failing.contains($0) })
            #expect(line.problem?.place.frame == 51)
            #expect(line.done.prefix { $0 < 51 }.count == 51)
            #expect(!line.done.contains(51))
        }
    }
}
