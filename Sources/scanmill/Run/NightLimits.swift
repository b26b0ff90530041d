import FoundationEssentials
import ScanPipeline

/// What ends a night before all of its captures have begun.
struct NightLimits: Sendable {
    let stop: StopSignal
    /// When it becomes too late to begin a capture, seconds since 1970.
    let deadline: Int?
    let minFree: Int64?
    let output: String

    /// Why no further capture may begin; nil while captures may.
    var reached: LeftReason? {
        if let reason = stop.reason { return LeftReason(reason) }
        if let deadline, Int(Date().timeIntervalSince1970) >= deadline {
            return LeftReason("it was too late to begin (--until)", forWantOf: .time)
        }
        if let minFree, let free = FreeSpace.bytes(at: output), free < minFree {
            let text = "only \(Console.size(free)) were free (--min-free \(Console.size(minFree)))"
            return LeftReason(text, forWantOf: .space)
        }
        return nil
    }
}
