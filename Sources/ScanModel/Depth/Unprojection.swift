/// Where the coordinates of a depth pixel (u, v) are taken.
public enum PixelCentre: String, Hashable, Sendable, CaseIterable {
    /// At integer coordinates, as MultiScan's server does: u − cx with cx = s·cx_colour, the number as it was recorded.
    /// That is exact only for a map of the picture's size whose principal point counts from the first pixel's centre.
    case integer
    /// In the middle of the pixel, wherever the principal point counts from: exact.
    case half

    /// The camera of a depth map whose pixel (u, v) lies at the whole numbers u and v.
    /// - Parameters:
    ///   - camera: of the map, for pictures of any size.
    ///   - size: the map's.
    func camera(_ camera: CameraIntrinsics, of size: PixelSize) -> CameraIntrinsics {
        switch self {
        case .integer:
            var k = camera
            k.pixelOrigin = .corner
            k = k.resized(to: size)
            k.pixelOrigin = .centre
            return k
        case .half: return camera.resized(to: size).counted(from: .centre)
        }
    }
}

/// Turns depth pixels into points in the world.
///
/// With z the depth along the optical axis and K the camera scaled to the depth map,
/// p = R · ((u − cx)/fx · z, −(v − cy)/fy · z, −z) + t, in a camera that looks down −Z with +Y up. That is linear in z,
/// so a row of pixels costs one product and one sum per coordinate: p = (column[u] + row[v]) · z + t.
public struct Unprojection: Sendable {
    private let width: Int
    private let height: Int
    /// x, y, z of R · ((u − cx)/fx, 0, −1), one table each.
    private let columnX: [Float]
    private let columnY: [Float]
    private let columnZ: [Float]
    /// R · (0, −(v − cy)/fy, 0) = −(v − cy)/fy · R's second column.
    private let rowFactor: [Float]
    private let rowAxis: (x: Float, y: Float, z: Float)
    private let position: (x: Float, y: Float, z: Float)
    /// Of the depth map.
    private let camera: CameraIntrinsics
    private let rotation: Matrix3

    /// - Parameters:
    ///   - camera: of the depth map, for pictures of any size; it is scaled to the map's.
    ///   - pose: `worldFromCamera`; its rotation is taken as it was recorded.
    public init(camera: CameraIntrinsics, pose: Pose, width: Int, height: Int, centre: PixelCentre) {
        self.width = width
        self.height = height
        let k = centre.camera(camera, of: PixelSize(width, height))
        (self.camera, rotation) = (k, pose.rotation)
        let (right, up, back) = pose.rotation.columns
        let columns = (0..<width).map { right * ((Double($0) - k.cx) / k.fx) - back }
        columnX = columns.map { Float($0.x) }
        columnY = columns.map { Float($0.y) }
        columnZ = columns.map { Float($0.z) }
        rowFactor = (0..<height).map { Float(-(Double($0) - k.cy) / k.fy) }
        rowAxis = (Float(up.x), Float(up.y), Float(up.z))
        position = (Float(pose.position.x), Float(pose.position.y), Float(pose.position.z))
    }

    /// The points of all pixels with depth, row by row from the top-left; with `every` = n, of each n-th row and column.
    ///
    /// - Parameters:
    ///   - picture: the colour picture of the same view, of any size: the colour of depth pixel u is the picture's at
    ///     floor((u + ½) · w_colour / w_depth).
    ///   - withNormals: whether points get the directions in which the depth map's surface faces, towards the camera.
    public func points(
        of depth: DepthMap, every: Int = 1, picture: RGBImage? = nil, withNormals: Bool = false
    ) -> PointCloud {
        precondition(depth.width == width && depth.height == height && every > 0)
        let capacity = ((width + every - 1) / every) * ((height + every - 1) / every)
        var colors: [UInt8]?
        if let picture {
            colors = [UInt8](unsafeUninitializedCapacity: capacity * 3) { buffer, count in
                count = gatherColors(depth, picture, every, buffer)
            }
        }
        let positions = [Float](unsafeUninitializedCapacity: capacity * 3) { buffer, count in
            count = gatherPositions(depth, every, buffer)
        }
        let normals =
            withNormals ? DepthNormals(depth).normals(every: every, camera: camera, rotation: rotation) : nil
        return PointCloud(positions: positions, colors: colors, normals: normals)
    }

    private func gatherPositions(_ depth: DepthMap, _ every: Int, _ out: UnsafeMutableBufferPointer<Float>) -> Int {
        guard var target = out.baseAddress else { return 0 }
        let start = target
        let (tx, ty, tz) = position
        depth.metres.withUnsafeBufferPointer { metres in
            columnX.withUnsafeBufferPointer { columnX in
                columnY.withUnsafeBufferPointer { columnY in
                    columnZ.withUnsafeBufferPointer { columnZ in
                        var v = 0
                        while v < height {
                            let factor = rowFactor[v]
                            let (rx, ry, rz) = (factor * rowAxis.x, factor * rowAxis.y, factor * rowAxis.z)
                            let row = v &* width
                            var u = 0
                            while u < width {
                                let z = metres[row &+ u]
                                // Always written, but counted only when there is depth: no branch to mispredict.
                                // The buffer has room for every pixel, so the write past the last point is safe too.
                                target[0] = (columnX[u] + rx) * z + tx
                                target[1] = (columnY[u] + ry) * z + ty
                                target[2] = (columnZ[u] + rz) * z + tz
                                target += z > 0 ? 3 : 0
                                u &+= every
                            }
                            v &+= every
                        }
                    }
                }
            }
        }
        return target - start
    }

    private func gatherColors(
        _ depth: DepthMap, _ picture: RGBImage, _ every: Int, _ out: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        // Where each depth column's colour begins in a row of the picture.
        let columns = NearestPixel.sources(of: picture.width, for: width).map { 3 * $0 }
        let rows = NearestPixel.sources(of: picture.height, for: height)
        guard var target = out.baseAddress else { return 0 }
        let start = target
        depth.metres.withUnsafeBufferPointer { metres in
            picture.pixels.withUnsafeBufferPointer { pixels in
                columns.withUnsafeBufferPointer { columns in
                    var v = 0
                    while v < height {
                        let base = rows[v] &* picture.width &* 3
                        let row = v &* width
                        var u = 0
                        while u < width {
                            let at = base &+ columns[u]
                            target[0] = pixels[at]
                            target[1] = pixels[at &+ 1]
                            target[2] = pixels[at &+ 2]
                            target += metres[row &+ u] > 0 ? 3 : 0
                            u &+= every
                        }
                        v &+= every
                    }
                }
            }
        }
        return target - start
    }
}

extension DepthMap {
    /// The pixels from which points of ``Unprojection/points(of:every:picture:withNormals:)`` come: with `every` = 1, the n-th
    /// point belongs to the n-th pixel with depth.
    /// - Parameter points: their numbers, ascending.
    public func pixels(ofPoints points: [Int32]) -> [Int] {
        var pixel = -1
        var point: Int32 = -1
        return points.map { number in
            while point < number {
                pixel += 1
                if metres[pixel] > 0 { point += 1 }
            }
            return pixel
        }
    }
}
