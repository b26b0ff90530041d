extension TriangleMesh {
    /// How many points ``points(spacing:)`` has, but for rounding.
    /// - Parameter spacing: metres.
    public func pointCount(spacing: Double) -> Double { area / (spacing * spacing) }

    /// Points spread evenly over the surface, one for each square of `spacing` along each side, with the colours and the
    /// normals that lie between those of the triangles' corners. The same mesh always gets the same points.
    ///
    /// Places within a triangle follow the R₂ sequence, so that those of a large one keep their distance from each other.
    /// What a triangle lacks for its next point, or has too much, the following one has.
    ///
    /// Source: M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018; the halves of a parallelogram:
    /// G. Turk, "Generating random points in triangles", Graphics Gems, 1990.
    /// - Parameter spacing: metres.
    public func points(spacing: Double) -> PointCloud {
        precondition(spacing > 0)
        var cloud = PointCloud(of: vertices.properties)
        cloud.reserveCapacity(Int(pointCount(spacing: spacing)) + 1)
        var place = QuasirandomPlace()
        var owed = 0.5
        for triangle in 0..<triangleCount {
            owed += area(of: triangle) / (spacing * spacing)
            while owed >= 1 {
                owed -= 1
                add(triangle, place.next(), to: &cloud)
            }
            if triangle.isMultiple(of: 4096) { Heartbeat.beat() }
        }
        return cloud
    }

    /// - Parameter place: the shares of the triangle's second and third corner, which add up to 1 at most.
    private func add(_ triangle: Int, _ place: (Double, Double), to cloud: inout PointCloud) {
        let (a, b, c) = corners(of: triangle)
        func mean(_ value: (Int) -> Vector3) -> Vector3 {
            value(a) * (1 - place.0 - place.1) + value(b) * place.0 + value(c) * place.1
        }
        let position = mean { vertices[$0] }
        for axis in [position.x, position.y, position.z] { cloud.positions.append(Float(axis)) }
        if vertices.colors != nil {
            let color = mean { vertices.color(of: $0) ?? .zero }
            for channel in [color.x, color.y, color.z] { cloud.colors?.append(UInt8(channel.rounded())) }
        }
        if vertices.normals != nil {
            let sum = mean { vertices.normal(of: $0) ?? .zero }
            let normal = sum.length > 0 ? sum.normalized : sum
            for axis in [normal.x, normal.y, normal.z] { cloud.normals?.append(Float(axis)) }
        }
    }
}

/// Places in the lower left half of the unit square that keep their distance from each other.
private struct QuasirandomPlace {
    private var x = 0.5
    private var y = 0.5
    /// 1/g and 1/g², g being the positive solution of g³ = g + 1.
    private static let step = (x: 0.7548776662466927, y: 0.5698402909980532)

    mutating func next() -> (Double, Double) {
        (x, y) = (x + Self.step.x, y + Self.step.y)
        (x, y) = (x - x.rounded(.down), y - y.rounded(.down))
        return x + y <= 1 ? (x, y) : (1 - x, 1 - y)
    }
}
