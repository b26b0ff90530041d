extension OrientedBox {
    /// The points inside the box, or those outside, in their order. Faces belong to the box.
    ///
    /// In single precision, as the points are: a point within 1e-6 m of a face, or within a ten-millionth of its
    /// distance from the origin where that is more, may fall on either side.
    public func filter(_ cloud: PointCloud, keepInside: Bool = true) -> PointCloud {
        let kept = selection(cloud, keepInside: keepInside)
        return PointCloud(
            positions: Self.pick(kept, cloud.positions), colors: cloud.colors.map { Self.pick(kept, $0) },
            normals: cloud.normals.map { Self.pick(kept, $0) })
    }

    /// The triangles whose corners all lie inside the box, or all outside, in their order.
    public func filter(_ mesh: TriangleMesh, keepInside: Bool = true) -> TriangleMesh {
        var isKept = [Bool](repeating: false, count: mesh.vertices.count)
        for number in selection(mesh.vertices, keepInside: keepInside) { isKept[Int(number)] = true }
        var mesh = mesh
        mesh.keepTriangles { isKept[$0] }
        return mesh
    }

    /// The indices of the points inside, or of those outside, ascending.
    public func selection(_ cloud: PointCloud, keepInside: Bool) -> [Int32] {
        let (ax, ay, az) = worldFromBox.columns
        let axis = [ax, ay, az].map { (Float($0.x), Float($0.y), Float($0.z)) }
        let (x0, x1, x2) = axis[0]
        let (y0, y1, y2) = axis[1]
        let (z0, z1, z2) = axis[2]
        let (cx, cy, cz) = (Float(center.x), Float(center.y), Float(center.z))
        let (hx, hy, hz) = (Float(halfSize.x), Float(halfSize.y), Float(halfSize.z))
        let lowest = floor.map { Float($0) } ?? -.infinity
        let count = cloud.count
        return [Int32](unsafeUninitializedCapacity: count + 1) { out, written in
            cloud.positions.withUnsafeBufferPointer { p in
                var kept = 0
                var i = 0
                while i < count {
                    out[kept] = Int32(truncatingIfNeeded: i)
                    let dx = p[3 &* i] - cx
                    let worldY = p[3 &* i &+ 1]
                    let dy = worldY - cy
                    let dz = p[3 &* i &+ 2] - cz
                    i &+= 1
                    // Neighbours mostly lie on the same side, so these branches are predicted well.
                    let isInside =
                        abs(dx * x0 + dy * x1 + dz * x2) <= hx && abs(dx * y0 + dy * y1 + dz * y2) <= hy
                        && abs(dx * z0 + dy * z1 + dz * z2) <= hz && worldY >= lowest
                    if isInside == keepInside { kept &+= 1 }
                }
                written = kept
            }
        }
    }

    private static func pick<Value>(_ chosen: [Int32], _ values: [Value]) -> [Value] {
        [Value](unsafeUninitializedCapacity: chosen.count * 3) { out, written in
            values.withUnsafeBufferPointer { values in
                var target = 0
                for number in chosen {
                    let at = 3 &* Int(number)
                    out[target] = values[at]
                    out[target &+ 1] = values[at &+ 1]
                    out[target &+ 2] = values[at &+ 2]
                    target &+= 3
                }
                written = target
            }
        }
    }
}
