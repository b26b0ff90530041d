import FoundationEssentials
import ScanPipeline

/// Why no further capture may begin.
struct Gate: Sendable {
    let stop: StopSignal
    let until: Int?
    let minFree: Int64?
    let output: String

    var reason: String? {
        if let reason = stop.reason { return reason }
        if let until, Int(Date().timeIntervalSince1970) >= until { return "it was too late to begin (--until)" }
        if let minFree, let free = FreeSpace.bytes(at: output), free < minFree {
            return "only \(Console.size(free)) were free (--min-free \(Console.size(minFree)))"
        }
        return nil
    }
}
