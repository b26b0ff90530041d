import ScanModel
import ScanPipeline

/// The steps of a camera's path that no hand makes, by what they mean for the frames that were kept.
struct PathJumps: Sendable {
    struct Jump: Sendable {
        /// To which it leads.
        var frame: Int
        /// Or units of the capture's own.
        var metres: Double
        /// Nil where the receipt does not say.
        var degrees: Double?
    }

    /// How many were measured, whatever was dropped.
    let count: Int
    /// To single frames: the path is back with the next one, so that no other frame's pose is wrong.
    private(set) var strays: [Jump] = []
    /// To where the path goes on: what was seen before and after does not fit together.
    private(set) var breaks: [Jump] = []
    /// Those that the receipt only counts, about which nothing else is known.
    private let unlisted: Int
    var breakCount: Int { breaks.count + unlisted }

    /// - Parameter json: what `measure-motion` counted.
    init(_ json: JSONValue) {
        let listed = json["jumps"]?.array ?? []
        count = json["jump-count"]?.asCount ?? listed.count
        unlisted = max(0, count - listed.count)
        for jump in listed {
            guard let frame = jump["frame"]?.asCount, let metres = jump["metres"]?.boundedNumber else { continue }
            if jump["back"]?.bool != true {
                breaks.append(Jump(frame: frame, metres: metres, degrees: jump["degrees"]?.boundedNumber))
            } else if let there = breaks.popLast() {
                strays.append(there)
            }
        }
    }

    /// Leaves out what lies in dropped frames, or before the first or after the last frame that was kept.
    /// - Parameter source: how many frames were recorded.
    mutating func forget(_ dropped: Set<Int>, of source: Int) {
        if dropped.isEmpty { return }
        strays.removeAll { dropped.contains($0.frame) }
        let kept = (0..<source).lazy.filter { !dropped.contains($0) }
        guard let first = kept.first, let last = kept.last else { return }
        breaks.removeAll { $0.frame <= first || $0.frame > last }
    }

    /// Whether wrong poses of single frames, which have a finding of their own, are all that is in doubt.
    func explain(_ geometry: Measured.Geometry) -> Bool {
        let frames = Set(strays.map(\.frame))
        // Within 2 %, the others fit.
        return breakCount == 0 && !geometry.drifts && !geometry.misfits.isEmpty && geometry.error ?? 1 <= 0.02
            && geometry.misfits.allSatisfy { frames.contains($0.from) || frames.contains($0.to) }
    }
}
