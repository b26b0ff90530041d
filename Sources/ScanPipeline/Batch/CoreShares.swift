/// How cores are shared out: over captures first, and over frames inside one when there are more cores than captures.
public struct CoreShares: Sendable, Hashable {
    /// How many captures run at once.
    public let sideBySide: Int
    private let cores: Int

    /// - Parameters:
    ///   - memory: for all captures together, bytes; nil if there is no limit.
    ///   - perCapture: what each may take of it, bytes.
    ///   - most: how many captures can run at once, whatever the cores and the memory are.
    public init(cores: Int, captures: Int, memory: Int64? = nil, perCapture: Int64 = 1, most: Int = .max) {
        self.cores = cores
        let fitting = memory.map { Int(clamping: $0 / max(1, perCapture)) } ?? .max
        sideBySide = max(1, min(cores, captures, most, fitting))
    }

    /// The threads of the next capture to begin: the free cores go to the captures that can begin now, any remainder to
    /// the first ones.
    /// - Parameters:
    ///   - taken: the threads of each capture that runs.
    ///   - waiting: how many captures have not begun, this one among them.
    package func next(taken: some Collection<Int>, waiting: Int) -> Int {
        let free = max(1, cores - taken.reduce(0, +))
        let beginning = max(1, min(sideBySide - taken.count, waiting))
        return (free - 1) / beginning + 1
    }
}
