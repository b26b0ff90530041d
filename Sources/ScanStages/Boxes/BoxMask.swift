import ScanModel

/// Masks of what lies in a box: 255 where it does, 0 elsewhere.
package enum BoxMask {
    /// At the picture's size, 255 where the ray through the pixel's centre meets the box in front of the camera.
    package static func silhouette(of box: OrientedBox, camera: CameraIntrinsics, pose: Pose) -> LumaImage {
        let k = camera.counted(from: .corner)
        let view = BoxView(of: box, camera: k, pose: pose)
        var pixels = [UInt8](repeating: 0, count: k.width * k.height)
        let (columns, rows) = box.bounds(in: k, pose)
        for v in rows {
            // A box is convex, so a row shows one stretch of it.
            guard let first = columns.first(where: { view.isBox(u: $0, v: v) }),
                let last = columns.reversed().first(where: { view.isBox(u: $0, v: v) })
            else { continue }
            for u in first...last { pixels[v * k.width + u] = 255 }
        }
        return LumaImage(width: k.width, height: k.height, pixels: pixels)
    }

    /// Which share of a picture's area the box covers, whatever stands in front of it: from 0 to 1, counted on a grid
    /// of at most ``sharePoints`` along the picture's longer side.
    static func share(of box: OrientedBox, camera: CameraIntrinsics, pose: Pose) -> Double {
        if box.isEmpty { return 0 }
        let longer = max(camera.width, camera.height)
        func side(_ length: Int) -> Int {
            longer <= sharePoints ? length : max(1, (length * sharePoints + longer / 2) / longer)
        }
        let size = PixelSize(side(camera.width), side(camera.height))
        let pixels = silhouette(of: box, camera: camera.resized(to: size), pose: pose).pixels
        return Double(pixels.count { $0 != 0 }) / Double(pixels.count)
    }

    static let sharePoints = 200

    /// 255 where the depth pixel's point lies in the box, at the depth map's size.
    package static func depth(
        _ depth: DepthMap, in box: OrientedBox, camera: CameraIntrinsics, pose: Pose, centre: PixelCentre
    ) -> LumaImage {
        let view = CameraView(camera: camera, pose: pose)
        var pixels = [UInt8](repeating: 0, count: depth.metres.count)
        for pixel in box.pixels(of: depth, seenBy: view, centre: centre, keepInside: true) { pixels[pixel] = 255 }
        return LumaImage(width: depth.width, height: depth.height, pixels: pixels)
    }
}

/// A box as a camera sees it.
private struct BoxView {
    /// Counted from the pixel's corner.
    private let camera: CameraIntrinsics
    private let position: Vector3
    private let boxFromCamera: Matrix3
    /// The camera in the box's own axes, from its centre.
    private let origin: Vector3
    private let half: Vector3
    /// The floor is a plane of the world: y = floor.
    private let floor: Double?
    private let up: Vector3

    init(of box: OrientedBox, camera: CameraIntrinsics, pose: Pose) {
        let boxFromWorld = box.worldFromBox.transposed
        self.camera = camera
        position = pose.position
        boxFromCamera = boxFromWorld * pose.rotation
        origin = boxFromWorld * (pose.position - box.center)
        half = box.halfSize
        floor = box.floor
        up = pose.rotation.rows.1
    }

    /// The slab test: in the box's own axes the ray o + t·d is inside |q| ≤ h for t between the largest of the near and
    /// the smallest of the far crossings. A clamped floor is one more half-space.
    func isBox(u: Int, v: Int) -> Bool {
        let ray = Vector3((Double(u) + 0.5 - camera.cx) / camera.fx, -(Double(v) + 0.5 - camera.cy) / camera.fy, -1)
        let direction = boxFromCamera * ray
        var near = 0.0
        var far = Double.infinity
        Self.cross(origin.x, direction.x, half.x, &near, &far)
        Self.cross(origin.y, direction.y, half.y, &near, &far)
        Self.cross(origin.z, direction.z, half.z, &near, &far)
        if let floor {
            let rise = up.dot(ray)
            let t = (floor - position.y) / rise
            if rise > 0 {
                near = max(near, t)
            } else if rise < 0 {
                far = min(far, t)
            } else if position.y < floor {
                far = -1
            }
        }
        return near <= far
    }

    private static func cross(
        _ origin: Double, _ direction: Double, _ half: Double, _ near: inout Double, _ far: inout Double
    ) {
        if direction == 0 {
            if abs(origin) > half { far = -1 }
            return
        }
        let a = (-half - origin) / direction
        let b = (half - origin) / direction
        near = max(near, min(a, b))
        far = min(far, max(a, b))
    }
}

extension OrientedBox {
    /// The pixels of a depth map whose points lie inside, or those whose points lie outside, ascending.
    func pixels(of depth: DepthMap, seenBy view: CameraView, centre: PixelCentre, keepInside: Bool) -> [Int] {
        let points = Unprojection(
            camera: view.camera, pose: view.pose, width: depth.width, height: depth.height, centre: centre
        ).points(of: depth)
        return depth.pixels(ofPoints: selection(points, keepInside: keepInside))
    }

    /// Columns and rows outside of which no pixel of a camera shows the box: the rectangle around the projected corners, a
    /// pixel wider for rounding; the whole picture where a corner is not in front of the camera.
    func bounds(in camera: CameraIntrinsics, _ pose: Pose) -> (columns: Range<Int>, rows: Range<Int>) {
        let camera = camera.counted(from: .corner)
        let cameraFromWorld = pose.inverse
        let corners = corners.map(cameraFromWorld.apply)
        guard corners.allSatisfy({ $0.z < 0 }) else { return (0..<camera.width, 0..<camera.height) }
        func range(_ places: [Double], _ count: Int) -> Range<Int> {
            func clamped(_ place: Double) -> Int { place > 0 ? place < Double(count) ? Int(place) : count : 0 }
            let first = clamped((places.min() ?? 0).rounded(.down) - 1)
            return first..<max(first, clamped((places.max() ?? 0).rounded(.up) + 1))
        }
        return (
            range(corners.map { camera.cx - camera.fx * $0.x / $0.z }, camera.width),
            range(corners.map { camera.cy + camera.fy * $0.y / $0.z }, camera.height)
        )
    }
}
