import ScanModel

/// Masks of what lies in a box: 255 where it does, 0 elsewhere, at the colour picture's size.
package enum BoxMask {
    /// 255 where the ray through the pixel's centre meets the box in front of the camera.
    ///
    /// The slab test: in the box's own axes the ray o + t·d is inside |q| ≤ h for t between the largest of the near and
    /// the smallest of the far crossings. A clamped floor is one more half-space.
    package static func silhouette(of box: OrientedBox, camera: CameraIntrinsics, pose: Pose) -> LumaImage {
        let k = camera.counted(from: .corner)
        let boxFromWorld = box.worldFromBox.transposed
        let origin = boxFromWorld * (pose.position - box.center)
        let boxFromCamera = boxFromWorld * pose.rotation
        let half = box.halfSize.components
        let o = origin.components
        // The floor is a plane of the world: y = floor.
        let up = pose.rotation.rows.1
        var pixels = [UInt8](repeating: 0, count: k.width * k.height)
        for v in 0..<k.height {
            for u in 0..<k.width {
                let ray = Vector3((Double(u) + 0.5 - k.cx) / k.fx, -(Double(v) + 0.5 - k.cy) / k.fy, -1)
                let d = (boxFromCamera * ray).components
                var near = 0.0
                var far = Double.infinity
                for axis in 0..<3 {
                    if d[axis] == 0 {
                        if abs(o[axis]) > half[axis] { far = -1 }
                        continue
                    }
                    let a = (-half[axis] - o[axis]) / d[axis]
                    let b = (half[axis] - o[axis]) / d[axis]
                    near = max(near, min(a, b))
                    far = min(far, max(a, b))
                }
                if let floor = box.floor {
                    let rise = up.dot(ray)
                    let t = (floor - pose.position.y) / rise
                    if rise > 0 {
                        near = max(near, t)
                    } else if rise < 0 {
                        far = min(far, t)
                    } else if pose.position.y < floor {
                        far = -1
                    }
                }
                if near <= far { pixels[v * k.width + u] = 255 }
            }
        }
        return LumaImage(width: k.width, height: k.height, pixels: pixels)
    }

    /// 255 where the depth pixel's point lies in the box, enlarged to the colour picture's size by nearest.
    package static func depth(_ depth: DepthMap, in box: OrientedBox, camera: CameraIntrinsics, pose: Pose) -> LumaImage
    {
        let points = Unprojection(
            camera: camera, pose: pose, width: depth.width, height: depth.height, centre: .half
        ).points(of: depth)
        var small = [UInt8](repeating: 0, count: depth.metres.count)
        for pixel in depth.pixels(ofPoints: box.selection(points, keepInside: true)) { small[pixel] = 255 }
        return LumaImage(width: depth.width, height: depth.height, pixels: small)
            .nearest(width: camera.width, height: camera.height)
    }
}
