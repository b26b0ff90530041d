import ScanModel

/// A frame's camera, and how good its picture is.
struct Viewpoint {
    var frame: Int
    var pose: Pose
    /// Lower than any score if there is none.
    var sharpness: Double

    init(_ facts: FrameFacts, _ pose: Pose) {
        frame = facts.index
        self.pose = pose
        sharpness = facts.sharpness ?? -1
    }
}

/// Viewpoints divided into neighbourhoods, and the ones that stay.
struct Neighbourhoods {
    let views: [Viewpoint]
    private let distance: Double
    private let angle: Double
    /// For each viewpoint, its neighbourhood; for each of those, the viewpoint that stands for it.
    private var membership: [Int] = []
    private var best: [Int] = []
    /// The viewpoints that stay, by their place in ``views``.
    private(set) var kept: Set<Int> = []

    /// - Parameter angle: radians.
    init(of views: [Viewpoint], distance: Double, angle: Double) {
        self.views = views
        self.distance = distance
        self.angle = angle
        // The neighbourhoods, by where their founders stand.
        var founders: [Int] = []
        var grid: [Cell: [Int]] = [:]
        for place in views.indices {
            Heartbeat.beat()
            let cell = Cell(of: views[place].pose.position, side: distance)
            var nearest: (neighbourhood: Int, apart: Double)?
            for neighbourhood in cell.around.compactMap({ grid[$0] }).joined() {
                let apart = apart(place, founders[neighbourhood], atMost: nearest?.apart ?? 1)
                // The older of two that are equally near.
                if apart <= 1, (apart, neighbourhood) < (nearest?.apart ?? .infinity, nearest?.neighbourhood ?? 0) {
                    nearest = (neighbourhood, apart)
                }
            }
            if let nearest {
                membership.append(nearest.neighbourhood)
                if views[place].sharpness > views[best[nearest.neighbourhood]].sharpness {
                    best[nearest.neighbourhood] = place
                }
            } else {
                membership.append(founders.count)
                grid[cell, default: []].append(founders.count)
                founders.append(place)
                best.append(place)
            }
        }
        kept = Set(best)
    }

    /// The viewpoint that stands for another one's neighbourhood.
    func best(of place: Int) -> Int { best[membership[place]] }

    /// How far two viewpoints are apart: 1 where they stop being neighbours, by distance or by angle.
    /// - Parameter limit: beyond this, the answer only has to be larger than it.
    private func apart(_ a: Int, _ b: Int, atMost limit: Double = .infinity) -> Double {
        let way = (views[a].pose.position - views[b].pose.position).length / distance
        // Most pairs are told apart by their positions, which cost less.
        if way > limit { return way }
        let turn = Quaternion(views[a].pose.rotation.transposed * views[b].pose.rotation).rotationVector.length
        return max(way, turn / angle)
    }

    /// Keeps more of some viewpoints: each time the one farthest from all that are kept, or the sharper of equals.
    /// - Returns: how many were taken.
    mutating func takeBack(_ count: Int, of candidates: [Int]) -> Int {
        var left = candidates.filter { !kept.contains($0) }
        var gaps = left.map { place in
            Heartbeat.beat()
            return kept.reduce(.infinity) { min($0, apart(place, $1, atMost: $0)) }
        }
        var taken = 0
        while taken < count, !left.isEmpty {
            let next = left.indices.max { a, b in
                (gaps[a], views[left[a]].sharpness, left[b]) < (gaps[b], views[left[b]].sharpness, left[a])
            }
            guard let next else { break }
            let place = left.remove(at: next)
            gaps.remove(at: next)
            kept.insert(place)
            taken += 1
            Heartbeat.beat()
            for other in left.indices { gaps[other] = min(gaps[other], apart(left[other], place, atMost: gaps[other])) }
        }
        return taken
    }
}

/// A cube of space. Positions no farther apart than its side are in the same cube or in neighbouring ones.
private struct Cell: Hashable {
    private var index: SIMD3<Int>

    init(of position: Vector3, side: Double) {
        // A little larger, so that rounding never puts a cube between two that are only just neighbours. Beyond the
        // clamp, which keeps a distant position from trapping, positions share cubes.
        let cubes = position * (1 / (side * 1.001))
        func floor(_ value: Double) -> Int { Int(min(max(value.rounded(.down), -0x1p60), 0x1p60)) }
        index = SIMD3(floor(cubes.x), floor(cubes.y), floor(cubes.z))
    }

    private init(_ index: SIMD3<Int>) { self.index = index }

    /// This one and the 26 that touch it.
    var around: [Cell] {
        let steps = -1...1
        return steps.flatMap { x in steps.flatMap { y in steps.map { z in Cell(index &+ SIMD3(x, y, z)) } } }
    }
}
