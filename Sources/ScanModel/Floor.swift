/// The dominant horizontal plane below the cameras.
public struct Floor: Hashable, Sendable {
    /// Along the world's up, metres.
    public var height: Double
    /// Of the plane that fits its points best, away from the world's up; degrees.
    public var tilt: Double
    /// Square metres that its points cover, in cells of ``cellSize``.
    public var area: Double
    public var pointCount: Int

    /// Edge of a cell, metres.
    public static let cellSize = 0.05
    /// Thickness of the layers in which it is looked for, metres.
    public static let layer = 0.02

    /// Finds it: the layer of three bins of 2 cm whose points cover most cells of the ground below the cameras. Cells
    /// rather than points, because what is near the camera has more of those.
    /// - Parameters:
    ///   - up: of unit length.
    ///   - below: only points lower than this, along `up`.
    /// - Returns: nil when no layer covers `minArea` square metres.
    public static func find(in cloud: PointCloud, up: Vector3, below: Double, minArea: Double) -> Floor? {
        let (right, forward) = ground(up)
        var layers: [Int: Set<Cell>] = [:]
        let points = (0..<cloud.count).lazy.map { cloud[$0] }
        for p in points {
            let height = up.dot(p)
            guard height < below, abs(height) < 1e6, p.length < 1e6 else { continue }
            let cell = Cell(
                x: Int32((right.dot(p) / cellSize).rounded(.down)), y: Int32((forward.dot(p) / cellSize).rounded(.down))
            )
            layers[Int((height / layer).rounded(.down)), default: []].insert(cell)
        }
        var best: (layer: Int, count: Int)?
        // In order, so that of two equal layers the lower one is taken.
        for number in layers.keys.sorted() {
            let cells = [number - 1, number, number + 1].reduce(into: Set<Cell>()) { $0.formUnion(layers[$1] ?? []) }
            if cells.count > best?.count ?? 0 { best = (number, cells.count) }
        }
        guard let best, Double(best.count) * cellSize * cellSize >= minArea else { return nil }
        let (from, to) = (Double(best.layer - 1) * layer, Double(best.layer + 2) * layer)
        var fit = PlaneFit()
        for p in points {
            let height = up.dot(p)
            if height >= from, height < to { fit.add(right.dot(p), forward.dot(p), height) }
        }
        return Floor(
            height: fit.mean, tilt: fit.tilt * 180 / .pi, area: Double(best.count) * cellSize * cellSize,
            pointCount: fit.count)
    }

    private struct Cell: Hashable {
        var x: Int32
        var y: Int32
    }

    /// Two directions at right angles to `up` and to each other.
    package static func ground(_ up: Vector3) -> (right: Vector3, forward: Vector3) {
        let seed = abs(up.x) < 0.9 ? Vector3(1, 0, 0) : Vector3(0, 0, 1)
        let right = (seed - up * up.dot(seed)).normalized
        return (right, up.cross(right))
    }
}

/// A least-squares plane height = a·x + b·y + c.
private struct PlaneFit {
    var count = 0
    private var sum = (x: 0.0, y: 0.0, h: 0.0, xx: 0.0, xy: 0.0, yy: 0.0, xh: 0.0, yh: 0.0)

    mutating func add(_ x: Double, _ y: Double, _ h: Double) {
        count += 1
        sum.x += x
        sum.y += y
        sum.h += h
        sum.xx += x * x
        sum.xy += x * y
        sum.yy += y * y
        sum.xh += x * h
        sum.yh += y * h
    }

    /// The height at the middle of the points.
    var mean: Double { sum.h / Double(count) }

    /// Of the plane's normal against up, radians; 0 where the points lie on a line.
    var tilt: Double {
        let n = Double(count)
        let (xx, xy, yy) = (sum.xx - sum.x * sum.x / n, sum.xy - sum.x * sum.y / n, sum.yy - sum.y * sum.y / n)
        let (xh, yh) = (sum.xh - sum.x * sum.h / n, sum.yh - sum.y * sum.h / n)
        let d = xx * yy - xy * xy
        guard d > 1e-9 * xx * yy else { return 0 }
        let (a, b) = ((xh * yy - yh * xy) / d, (yh * xx - xh * xy) / d)
        return Vector3(-a, -b, 1).angle(to: Vector3(0, 0, 1))
    }
}
