import ScanModel

/// The steps of a camera's path that no hand makes, by what they mean for the frames that were kept.
struct PathJumps: Sendable {
    struct Jump: Sendable {
        /// To which it leads.
        var frame: Int
        /// Or units of the capture's own.
        var metres: Double
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

    /// - Parameters:
    ///   - json: what `measure-motion` counted.
    ///   - track: where the camera was, seen from above, at some of the frames.
    init(_ json: JSONValue, track: [(frame: Int, a: Double, b: Double)]) {
        let listed = (json["jumps"]?.array ?? []).compactMap { jump -> Jump? in
            guard let frame = jump["frame"]?.count, let metres = jump["metres"]?.finite else { return nil }
            return Jump(frame: frame, metres: metres)
        }
        count = json["jump-count"]?.count ?? listed.count
        unlisted = max(0, count - listed.count)
        var rest = listed[...]
        while let first = rest.first {
            let row = rest.indices.prefix { rest[$0].frame == first.frame + $0 - rest.startIndex }.map { rest[$0] }
            rest = rest.dropFirst(row.count)
            if row.count == 2, Self.isBack(row[0], row[1], track) {
                strays.append(row[0])
            } else {
                breaks += row
            }
        }
    }

    /// Leaves out what lies in dropped frames, or before the first or behind the last frame that was kept.
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

    /// Shorter jumps there and back may be one quick movement.
    private static let shortestStray = 0.3

    /// Whether one jump undoes the one before: as long, and the path is about where it was.
    private static func isBack(_ there: Jump, _ back: Jump, _ track: [(frame: Int, a: Double, b: Double)]) -> Bool {
        let length = max(there.metres, back.metres)
        guard length >= shortestStray, abs(there.metres - back.metres) < 0.25 * length,
            let before = track.last(where: { $0.frame < there.frame }),
            let after = track.first(where: { $0.frame > there.frame })
        else { return false }
        return ((after.a - before.a) * (after.a - before.a) + (after.b - before.b) * (after.b - before.b))
            .squareRoot() < 0.5 * length
    }
}
