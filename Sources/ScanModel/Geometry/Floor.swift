/// The dominant horizontal plane below the cameras.
public struct Floor: Hashable, Sendable {
    /// Of the plane that fits its points best, in the middle of them; along the world's up, metres. Where the world is
    /// tilted that is where the scene was filmed, whereas the layers in which it was found lie anywhere along the slope.
    public var height: Double
    /// The angle between that plane's normal and the world's up; degrees.
    public var tilt: Double
    /// What the layers in which it was found cover, in cells of ``cellSize``: a level floor, or a strip of a tilted one;
    /// square metres.
    public var area: Double
    /// Near that plane, without those of walls.
    public var pointCount: Int

    /// Edge of a cell, metres.
    private static let cellSize = 0.05
    /// Thickness of the layers that are searched for it, metres.
    public static let layer = 0.02

    /// Finds the layer of three 2 cm bins whose points cover the most ground cells below the cameras. Cells rather than
    /// points, because surfaces near the camera have more points.
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
            layers[Int((height / layer).rounded(.down)), default: []].insert(Cell(right.dot(p), forward.dot(p)))
        }
        var best: (layer: Int, count: Int)?
        // In order, so that the lower of two equal layers is taken.
        for number in layers.keys.sorted() {
            let cells = [number - 1, number, number + 1].reduce(into: Set<Cell>()) { $0.formUnion(layers[$1] ?? []) }
            if cells.count > best?.count ?? 0 { best = (number, cells.count) }
        }
        guard let best, Double(best.count) * cellSize * cellSize >= minArea else { return nil }
        let (from, to) = (Double(best.layer - 1) * layer, Double(best.layer + 2) * layer)
        let axes = (right, forward, up)
        var fit = fit(cloud, axes, below: below) { _, _, height in height >= from && height < to }
        // The layer is level and cuts a slanted floor short; the points near the plane found so far show more of it.
        for _ in 0..<10 {
            let (plane, reach) = (fit, 1.5 * layer)
            let next = self.fit(cloud, axes, below: below) { abs($2 - plane.height($0, $1)) < reach }
            guard next.count > 2 else { break }
            fit = next
            if abs(next.tilt - plane.tilt) < 1e-4 { break }
        }
        return Floor(
            height: fit.mean, tilt: fit.tilt * 180 / .pi, area: Double(best.count) * cellSize * cellSize,
            pointCount: fit.count)
    }

    /// The plane of the wanted points. Walls cross every layer at right angles and would pull the plane level: cells
    /// whose points fill most of a layer's thickness are left out, unless most cells are like that.
    private static func fit(
        _ cloud: PointCloud, _ axes: (right: Vector3, forward: Vector3, up: Vector3), below: Double,
        where isWanted: (_ x: Double, _ y: Double, _ height: Double) -> Bool
    ) -> PlaneFit {
        var cells: [Cell: (fit: PlaneFit, heights: ClosedRange<Double>)] = [:]
        for index in 0..<cloud.count {
            let p = cloud[index]
            let (x, y, height) = (axes.right.dot(p), axes.forward.dot(p), axes.up.dot(p))
            guard height < below, p.length < 1e6, isWanted(x, y, height) else { continue }
            let cell = Cell(x, y)
            var (fit, heights) = cells[cell] ?? (PlaneFit(), height...height)
            fit.add(x, y, height)
            heights = min(heights.lowerBound, height)...max(heights.upperBound, height)
            cells[cell] = (fit, heights)
        }
        let flat = cells.filter { $0.value.heights.upperBound - $0.value.heights.lowerBound < 2 * layer }
        var whole = PlaneFit()
        // In order, since floating-point sums depend on it.
        for (_, value) in (2 * flat.count >= cells.count ? flat : cells).sorted(by: { $0.key < $1.key }) {
            whole.add(value.fit)
        }
        return whole
    }

    private struct Cell: Hashable, Comparable {
        private let x: Int32
        private let y: Int32

        /// The cell of a place on the ground, metres.
        init(_ x: Double, _ y: Double) {
            self.x = Int32((x / cellSize).rounded(.down))
            self.y = Int32((y / cellSize).rounded(.down))
        }

        static func < (a: Cell, b: Cell) -> Bool { (a.x, a.y) < (b.x, b.y) }
    }

    /// Two directions along the ground, of unit length: right × forward = up. For +y up they are +x and −z, for +z +x and +y.
    /// - Parameter up: of unit length.
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

    mutating func add(_ other: PlaneFit) {
        count += other.count
        sum.x += other.sum.x
        sum.y += other.sum.y
        sum.h += other.sum.h
        sum.xx += other.sum.xx
        sum.xy += other.sum.xy
        sum.yy += other.sum.yy
        sum.xh += other.sum.xh
        sum.yh += other.sum.yh
    }

    /// The height at the middle of the points.
    var mean: Double { sum.h / Double(count) }

    /// The height of the plane at a place.
    func height(_ x: Double, _ y: Double) -> Double {
        let (n, slope) = (Double(count), slope)
        return mean + slope.x * (x - sum.x / n) + slope.y * (y - sum.y / n)
    }

    /// The angle between the plane's normal and up, radians; 0 if the points lie on a line.
    var tilt: Double { Vector3(-slope.x, -slope.y, 1).angle(to: Vector3(0, 0, 1)) }

    private var slope: (x: Double, y: Double) {
        let n = Double(count)
        let (xx, xy, yy) = (sum.xx - sum.x * sum.x / n, sum.xy - sum.x * sum.y / n, sum.yy - sum.y * sum.y / n)
        let (xh, yh) = (sum.xh - sum.x * sum.h / n, sum.yh - sum.y * sum.h / n)
        let d = xx * yy - xy * xy
        guard d > 1e-9 * xx * yy else { return (0, 0) }
        return ((xh * yy - yh * xy) / d, (yh * xx - xh * xy) / d)
    }
}
