import Glibc

extension OrientedBox {
    /// The upright box with the smallest ground area around a cloud.
    ///
    /// For each of 180 directions on the ground, half a degree apart, takes the extents that leave out `trim` of the
    /// points at either end; the direction with the smallest area wins. So strays that depth sensors scatter behind
    /// edges do not count.
    /// - Parameters:
    ///   - up: of unit length; the box's own +y.
    ///   - trim: the share of points left out at each end of each axis.
    /// - Returns: nil for fewer than 10 points that are finite.
    public init?(around cloud: PointCloud, up: Vector3, trim: Double) {
        let (right, forward) = Floor.ground(up)
        var ground: [(x: Double, y: Double)] = []
        var heights: [Double] = []
        ground.reserveCapacity(cloud.count)
        heights.reserveCapacity(cloud.count)
        for p in (0..<cloud.count).lazy.map({ cloud[$0] }) where p.isFinite {
            ground.append((right.dot(p), forward.dot(p)))
            heights.append(up.dot(p))
        }
        guard ground.count >= 10 else { return nil }
        // A few thousand points are enough for the direction; the extents are those of all points.
        let step = max(1, ground.count / 5000)
        let some = stride(from: 0, to: ground.count, by: step).map { ground[$0] }
        var best = (angle: 0.0, area: Double.infinity)
        for half in 0..<180 {
            let angle = Double(half) * .pi / 360
            let (c, s) = (cos(angle), sin(angle))
            let a = Self.extent(some.map { c * $0.x + s * $0.y }, trim)
            let b = Self.extent(some.map { c * $0.y - s * $0.x }, trim)
            let area = (a.upperBound - a.lowerBound) * (b.upperBound - b.lowerBound)
            if area < best.area { best = (angle, area) }
        }
        let (c, s) = (cos(best.angle), sin(best.angle))
        let x = Self.extent(ground.map { c * $0.x + s * $0.y }, trim)
        let y = Self.extent(ground.map { c * $0.y - s * $0.x }, trim)
        let h = Self.extent(heights, trim)
        // x × y = z: with up for y, the third axis is right × up.
        let axisX = right * c + forward * s
        let axisY = forward * c - right * s
        let middle = { (range: ClosedRange<Double>) in (range.lowerBound + range.upperBound) / 2 }
        let half = { (range: ClosedRange<Double>) in (range.upperBound - range.lowerBound) / 2 }
        self.init(
            center: axisX * middle(x) + axisY * middle(y) + up * middle(h),
            worldFromBox: Matrix3(columns: axisX, up, axisX.cross(up)),
            halfSize: Vector3(half(x), half(h), half(y)))
    }

    private static func extent(_ values: [Double], _ trim: Double) -> ClosedRange<Double> {
        Distribution(values)?.range(without: trim) ?? 0...0
    }
}
