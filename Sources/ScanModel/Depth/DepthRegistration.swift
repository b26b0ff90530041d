/// Depth of a sensor with a camera of its own, as the colour camera would have seen it.
public enum DepthRegistration {
    /// - Parameters:
    ///   - depth: in the depth camera's pixels.
    ///   - depthCamera: its camera.
    ///   - colorCamera: for the pictures, of any size; the result is for the same view at the depth map's size.
    /// - Returns: z-depth along the colour camera's axis, metres, 0 where nothing falls. If both cameras stand at one
    ///   place, each pixel takes the depth of the pixel that its ray meets; otherwise each depth pixel is carried over
    ///   to the pixels that it covers, at least to the one on which its point falls, and the nearest point wins.
    public static func align(
        _ depth: DepthMap, of depthCamera: DepthCamera, with colorCamera: CameraIntrinsics
    ) -> DepthMap {
        let from = depthCamera.intrinsics.resized(to: depth.size).counted(from: .corner)
        let to = colorCamera.resized(to: depth.size).counted(from: .corner)
        let metres =
            depthCamera.colorFromDepth == .identity
            ? gather(depth, from, to) : scatter(depth, from, to, depthCamera.colorFromDepth)
        return DepthMap(width: depth.width, height: depth.height, metres: metres)
    }

    private static func gather(_ depth: DepthMap, _ from: CameraIntrinsics, _ to: CameraIntrinsics) -> [Float] {
        let (width, height) = (depth.width, depth.height)
        // Absurd intrinsics may lead anywhere: only what falls into the map is converted to a whole number.
        let index = { (place: Double, count: Int) in place >= 0 && place < Double(count) ? Int(place) : -1 }
        let columns = (0..<width).map { u in index((Double(u) + 0.5 - to.cx) / to.fx * from.fx + from.cx, width) }
        var metres = [Float](repeating: 0, count: width * height)
        for v in 0..<height {
            let row = index((Double(v) + 0.5 - to.cy) / to.fy * from.fy + from.cy, height)
            guard row >= 0 else { continue }
            for u in 0..<width where columns[u] >= 0 {
                metres[v * width + u] = depth.metres[row * width + columns[u]]
            }
        }
        return metres
    }

    private static func scatter(
        _ depth: DepthMap, _ from: CameraIntrinsics, _ to: CameraIntrinsics, _ colorFromDepth: Pose
    ) -> [Float] {
        let (width, height) = (depth.width, depth.height)
        let (right, up, back) = colorFromDepth.rotation.columns
        let t = colorFromDepth.position
        // How much larger a pixel appears to the colour camera, at the same distance from both.
        let (wider, higher) = (to.fx / from.fx, to.fy / from.fy)
        // The point of a pixel lies at depth · (column + row) + t in the colour camera's axes.
        let columns = (0..<width).map { right * ((Double($0) + 0.5 - from.cx) / from.fx) - back }
        let rows = (0..<height).map { up * ((from.cy - (Double($0) + 0.5)) / from.fy) }
        return [Float](unsafeUninitializedCapacity: width * height) { metres, count in
            count = width * height
            metres.initialize(repeating: 0)
            depth.metres.withUnsafeBufferPointer { depth in
                columns.withUnsafeBufferPointer { columns in
                    for v in 0..<height {
                        let row = rows[v]
                        for u in 0..<width {
                            let z = Double(depth[v * width + u])
                            guard z > 0 else { continue }
                            let p = (columns[u] + row) * z + t
                            guard p.z < 0 else { continue }
                            let scale = -1 / p.z
                            let (x, y) = (to.cx + to.fx * p.x * scale, to.cy - to.fy * p.y * scale)
                            let covered = cover(x, wider * z * scale, of: width)
                            for line in cover(y, higher * z * scale, of: height) {
                                for at in covered.lowerBound + line * width..<covered.upperBound + line * width
                                where metres[at] == 0 || Float(-p.z) < metres[at] {
                                    metres[at] = Float(-p.z)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The largest pixel that is carried over as a whole, in pixels: the intrinsics may be absurd.
    private static let largestCover = 16.0
    /// More than rounding adds to a place or a size, in pixels.
    private static let rounding = 1e-9

    /// The pixels of a row or a column that a carried pixel covers: those whose middles lie in it. Where it is no
    /// larger than they are, the one in which its own middle lies.
    @inline(__always)
    private static func cover(_ middle: Double, _ size: Double, of count: Int) -> Range<Int> {
        // What rounding adds to equal sizes is no gap to be filled.
        guard size > 1 + rounding else {
            return middle >= 0 && middle < Double(count) ? Int(middle)..<Int(middle) + 1 : 0..<0
        }
        let half = min(size, largestCover) / 2
        // A middle on the edge between two carried pixels lies in both, since rounding could put it outside both.
        let (start, end) = ((middle - half - 0.5 - rounding).rounded(.up), (middle + half - 0.5).rounded(.up))
        guard end > 0, start < Double(count) else { return 0..<0 }
        return Int(max(0, start))..<Int(min(Double(count), end))
    }
}
