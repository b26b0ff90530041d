import ScanModel

/// What a camera sees of the room: the surface and the exact z-depth at every pixel's centre (u + ½, v + ½).
package struct SyntheticView: Sendable {
    /// One ray per pixel: from `origin` along columns[u] + rows[v]. In the camera's own axes that is (x, y, −1), so the
    /// distance along the ray is z-depth.
    struct Rays {
        var origin: Vector3
        var columns: [Vector3]
        var rows: [Vector3]

        init(_ camera: CameraIntrinsics, _ pose: Pose) {
            let k = camera.counted(from: .corner)
            let (right, up, back) = pose.rotation.columns
            origin = pose.position
            columns = (0..<k.width).map { right * ((Double($0) + 0.5 - k.cx) / k.fx) - back }
            rows = (0..<k.height).map { up * (-(Double($0) + 0.5 - k.cy) / k.fy) }
        }

        /// The same rays in a box's own axes, from its centre.
        func seen(from box: OrientedBox) -> Rays {
            let boxFromWorld = box.worldFromBox.transposed
            var rays = self
            rays.origin = boxFromWorld * (origin - box.center)
            rays.columns = columns.map { boxFromWorld * $0 }
            rays.rows = rows.map { boxFromWorld * $0 }
            return rays
        }
    }

    package let width: Int
    package let height: Int
    /// Metres, row-major, top-left first.
    package private(set) var depth: [Double]
    /// The number of the surface, as ``SyntheticRoom`` counts them.
    package private(set) var surface: [UInt8]
    let rays: Rays
    let boxes: [OrientedBox]

    /// - Parameter camera: for the size of the picture to be rendered.
    package init(of room: SyntheticRoom, camera: CameraIntrinsics, pose: Pose) {
        width = camera.width
        height = camera.height
        rays = Rays(camera, pose)
        boxes = room.boxes
        depth = Array(repeating: .infinity, count: width * height)
        surface = Array(repeating: 0, count: width * height)
        traceWalls(room.walls)
        for (number, box) in boxes.enumerated().dropFirst() {
            let (columns, rows) = box.bounds(in: camera, pose)
            if !columns.isEmpty, !rows.isEmpty { trace(box, number, columns: columns, rows: rows) }
        }
    }

    private mutating func traceWalls(_ walls: OrientedBox) {
        let rays = rays.seen(from: walls)
        let near = SyntheticRoom.Nearness(rays.origin, in: walls.halfSize)
        let width = width
        rays.columns.withUnsafeBufferPointer { columns in
            depth.withUnsafeMutableBufferPointer { depth in
                surface.withUnsafeMutableBufferPointer { surface in
                    for (v, row) in rays.rows.enumerated() {
                        for u in 0..<width {
                            let column = columns[u]
                            let (dx, dy, dz) = (column.x + row.x, column.y + row.y, column.z + row.z)
                            let met = SyntheticRoom.leave(near, dx, dy, dz)
                            depth[v &* width &+ u] = met.depth
                            surface[v &* width &+ u] = UInt8(truncatingIfNeeded: met.face)
                        }
                    }
                }
            }
        }
    }

    private mutating func trace(_ box: OrientedBox, _ number: Int, columns range: Range<Int>, rows: Range<Int>) {
        let rays = rays.seen(from: box)
        let (o, h) = (rays.origin, box.halfSize)
        let (width, first) = (width, 6 * number)
        rays.columns.withUnsafeBufferPointer { columns in
            depth.withUnsafeMutableBufferPointer { depth in
                surface.withUnsafeMutableBufferPointer { surface in
                    for v in rows {
                        let row = rays.rows[v]
                        for u in range {
                            let column = columns[u]
                            let (dx, dy, dz) = (column.x + row.x, column.y + row.y, column.z + row.z)
                            let met = SyntheticRoom.enter(o.x, o.y, o.z, dx, dy, dz, h.x, h.y, h.z)
                            let pixel = v &* width &+ u
                            if met.depth < depth[pixel] {
                                depth[pixel] = met.depth
                                surface[pixel] = UInt8(truncatingIfNeeded: first &+ met.face)
                            }
                        }
                    }
                }
            }
        }
    }
}
