import Glibc
import ScanModel
import Synchronization

/// How long a stage, or what comes before and after all stages, worked on a capture.
public struct StageTime: Sendable, Hashable, Codable {
    /// The stage's label, or ``StageClock/digests`` or ``StageClock/publish``.
    public var label: String
    /// Summed over workers, so that with several of them the sum of all is more than the capture's own time.
    public var seconds: Double

    public init(label: String, seconds: Double) {
        self.label = label
        self.seconds = seconds
    }
}

/// Adds up how long each stage of a pipeline works. Two clock reads and one addition per frame and stage: some tenths
/// of a microsecond.
public final class StageClock: Sendable {
    /// Taking the digests of the input's files.
    public static let digests = "digests"
    /// Writing the receipt and giving the result its name.
    public static let publish = "publish"

    /// Each sum has its own place in memory: an array cannot hold atomics.
    private final class Sum: Sendable {
        let nanoseconds = Atomic<Int64>(0)
    }

    private let labels: [String]
    private let sums: [Sum]

    init(_ steps: [Pipeline.Step]) {
        labels = steps.map(\.label) + [Self.digests, Self.publish]
        sums = labels.map { _ in Sum() }
    }

    /// The sums so far, in the order of the stages.
    public var times: [StageTime] {
        zip(labels, sums).map { StageTime(label: $0, seconds: Double($1.nanoseconds.load(ordering: .relaxed)) / 1e9) }
    }

    /// Runs something and adds its time to that of a step, by its number.
    func measure<Value>(_ step: Int, _ body: () throws(Problem) -> Value) throws(Problem) -> Value {
        let start = Self.now()
        defer { sums[step].nanoseconds.add(Self.now() - start, ordering: .relaxed) }
        return try body()
    }

    func measureDigests<Value>(_ body: () throws(Problem) -> Value) throws(Problem) -> Value {
        try measure(labels.count - 2, body)
    }

    func measurePublish<Value>(_ body: () throws(Problem) -> Value) throws(Problem) -> Value {
        try measure(labels.count - 1, body)
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
