import Dispatch
import ScanModel

/// Takes frames through a row of steps with several workers: parallel steps in any order, ordered steps in frame order.
///
/// A worker carries a frame from step to step until it comes to an ordered step where it is another frame's turn; there
/// it parks the frame and takes other work. At a choice among a few neighbours, it leaves the frame until the last of
/// them is there. A bounded number of frames is under way, so memory does not grow with the capture. What comes out
/// does not depend on the number of workers; of several failures, that of the lowest frame counts.
package final class FrameLine: @unchecked Sendable {
    /// What is done with each frame, or with a few neighbours.
    package enum Step: Sendable {
        /// Does something with each frame, in whatever order they come. A thrown problem fails the capture.
        case parallel(@Sendable (inout Frame) throws(Problem) -> Void)
        /// The same, with one frame after the other.
        case ordered(@Sendable (inout Frame) throws(Problem) -> Void)
        /// Holds a few frames in a row, of those that are not dropped, and drops some of them before any goes on.
        case choice(Choice)

        fileprivate var isOrdered: Bool { if case .parallel = self { false } else { true } }

        fileprivate func run(_ frame: inout Frame) throws(Problem) {
            switch self {
            case .parallel(let body), .ordered(let body): try body(&frame)
            case .choice: break
            }
        }

        /// How many frames it holds at most.
        fileprivate var mostHeld: Int { if case .choice(let choice) = self { choice.most } else { 0 } }
    }

    /// Which frames wait for each other, and what is done with them.
    package struct Choice: Sendable {
        /// How many wait for each other at most.
        package let most: Int
        /// Whether a frame belongs to the group that began with another one.
        package let isNeighbour: @Sendable (FrameFacts, FrameFacts) -> Bool
        package let choose: @Sendable (inout [Frame]) -> Void

        package init(
            most: Int, isNeighbour: @escaping @Sendable (FrameFacts, FrameFacts) -> Bool = { _, _ in true },
            choose: @escaping @Sendable (inout [Frame]) -> Void
        ) {
            self.most = most
            self.isNeighbour = isNeighbour
            self.choose = choose
        }
    }

    /// The neighbours that wait for the others.
    private struct Held {
        var frames: [(position: Int, frame: Frame)] = []
        /// How many of them there are to choose among, and the first of these.
        var keptCount = 0
        var first: FrameFacts?
    }

    private let count: Int
    private let steps: [Step]
    private let workers: Int
    private let window: Int
    private let begin: @Sendable (Int) -> Frame
    private let done: @Sendable (Int, Frame) -> Void

    // Everything below is touched under the lock only.
    private let lock = ConditionLock()
    /// Frames from this one on are not wanted: the end of the list, or the lowest failure.
    private var limit: Int
    private var failure: (position: Int, problem: Problem)?
    private var admitted = 0
    private var underWay = 0
    /// For each ordered step, whose turn it is.
    private var turns: [Int]
    private var parked: [[Int: Frame]]
    /// For each choice, the frames waiting there. They are not under way, but count as such for as long as they have
    /// pixels.
    private var held: [Held]
    private var ready: [(position: Int, step: Int, frame: Frame)] = []

    /// - Parameters:
    ///   - begin: gives the frame at a position; called in order.
    ///   - done: takes the frame at a position when it has been through all steps; called once for each, in any order,
    ///     by one worker at a time.
    package init(
        count: Int, steps: [Step], workers: Int, begin: @escaping @Sendable (Int) -> Frame,
        done: @escaping @Sendable (Int, Frame) -> Void
    ) {
        self.count = count
        self.steps = steps
        // More workers than frames have nothing to do.
        self.workers = max(1, min(workers, count, Self.mostWorkers))
        window = 2 * self.workers + 2 + steps.reduce(0) { $0 + $1.mostHeld }
        self.begin = begin
        self.done = done
        limit = count
        turns = Array(repeating: 0, count: steps.count)
        parked = Array(repeating: [:], count: steps.count)
        held = Array(repeating: Held(), count: steps.count)
    }

    /// More than any machine has cores, which is how many threads there are at most. The window grows with the number that
    /// is asked for.
    private static let mostWorkers = 1024

    package func run() throws(Problem) {
        if workers == 1 {
            for position in 0..<limit { try carryAlone(begin(position), at: position, from: 0) }
            return
        }
        DispatchQueue.concurrentPerform(iterations: workers) { _ in work() }
        if let failure { throw failure.problem }
    }

    private func carryAlone(_ frame: consuming Frame, at position: Int, from first: Int) throws(Problem) {
        for index in first..<steps.count {
            if case .choice(let choice) = steps[index] {
                var group = hold(frame, at: position, step: index, for: choice)
                group.reverse()
                // Taken out one by one, so that each has one owner when it goes on.
                while let position = group.last?.position {
                    try carryAlone(group.removeLast().frame, at: position, from: index + 1)
                }
                return
            }
            try steps[index].run(&frame)
        }
        done(position, frame)
    }

    private func work() {
        lock.lock()
        while true {
            if let (position, step, frame) = takeReady() {
                carry(frame, at: position, from: step)
            } else if admitted < limit && underWay + held.reduce(0, { $0 + $1.keptCount }) < window {
                let position = admitted
                admitted += 1
                underWay += 1
                carry(begin(position), at: position, from: 0)
            } else if underWay == 0 {
                lock.wakeAll()
                lock.unlock()
                return
            } else {
                lock.wait()
            }
        }
    }

    /// The frame nearest to the front, so that ordered steps are not kept waiting.
    private func takeReady() -> (position: Int, step: Int, frame: Frame)? {
        guard let best = ready.indices.min(by: { ready[$0].position < ready[$1].position }) else { return nil }
        ready.swapAt(best, ready.count - 1)
        return ready.removeLast()
    }

    /// Called with the lock held, and returns with it held. Takes the frame over: with a second owner, a stage that
    /// changes pixels in place would copy them.
    private func carry(_ frame: consuming Frame, at position: Int, from first: Int) {
        for index in first..<steps.count {
            let step = steps[index]
            if position >= limit { break }
            if step.isOrdered && turns[index] != position {
                parked[index][position] = frame
                return
            }
            if case .choice(let choice) = step {
                endTurn(of: index, at: position)
                let group = hold(frame, at: position, step: index, for: choice)
                underWay += group.count - 1
                ready += group.map { ($0.position, index + 1, $0.frame) }
                lock.wakeAll()
                return
            }
            lock.unlock()
            var problem: Problem?
            do throws(Problem) { try step.run(&frame) } catch { problem = error }
            lock.lock()
            if let problem { fail(problem, at: position) }
            if step.isOrdered { endTurn(of: index, at: position) }
        }
        underWay -= 1
        if position < limit { done(position, frame) }
        lock.wakeAll()
    }

    private func endTurn(of index: Int, at position: Int) {
        turns[index] = position + 1
        if let next = parked[index].removeValue(forKey: position + 1) {
            ready.append((position + 1, index, next))
            lock.wakeAll()
        }
    }

    /// Leaves a frame where it waits for its neighbours.
    /// - Returns: the frames that waited and now go on, after the choice: none while neighbours are missing.
    private func hold(
        _ frame: consuming Frame, at position: Int, step index: Int, for choice: Choice
    ) -> [(position: Int, frame: Frame)] {
        let facts = frame.facts
        // However many dropped frames lie between two neighbours, they wait without their pixels.
        if facts.isDropped { frame.releaseAll() }
        var going: [(position: Int, frame: Frame)] = []
        if !facts.isDropped {
            if let first = held[index].first, !choice.isNeighbour(facts, first) { going = letGo(step: index, choice) }
            held[index].keptCount += 1
            held[index].first = held[index].first ?? facts
        }
        held[index].frames.append((position, frame))
        let isLast = held[index].keptCount == choice.most || position == count - 1
        return isLast ? going + letGo(step: index, choice) : going
    }

    private func letGo(step index: Int, _ choice: Choice) -> [(position: Int, frame: Frame)] {
        let positions = held[index].frames.map(\.position)
        var frames = held[index].frames.map(\.frame)
        held[index] = Held()
        choice.choose(&frames)
        for number in frames.indices where frames[number].facts.isDropped { frames[number].releaseAll() }
        return Array(zip(positions, frames))
    }

    private func fail(_ problem: Problem, at position: Int) {
        if let failure, failure.position <= position { return }
        failure = (position, problem)
        limit = min(limit, position)
        // Whatever waits after the failure waits in vain.
        for index in parked.indices {
            let vain = parked[index].keys.filter { $0 >= limit }
            underWay -= vain.count
            for position in vain { parked[index].removeValue(forKey: position) }
        }
    }
}
