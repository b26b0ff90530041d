/// The directions in which the surface of a depth map faces.
///
/// On a plane n · p = d, with p = z · ray(u, v), the inverse of depth is linear in the pixel's coordinates: 1/z =
/// n · ray(u, v) / d. So the normal follows from the slopes of 1/z, which are those of the best fit to neighbouring pixels
/// (least squares on the inverse of range, as in H. Badino et al., Fast and Accurate Computation of Surface Normals from
/// Range Images, ICRA 2011). The neighbours are a grid of 5 × 5 pixels around each, ``step`` apart; those that are nearer
/// or farther by more than 3 % belong to another surface and are left out.
package struct DepthNormals {
    /// Pixels between neighbours: 2 for a map of 256 × 192, whichever way it lies, so that the grid covers about the same
    /// angle at every size.
    let step: Int
    private let width: Int
    private let height: Int
    /// Rows and columns around the map that hold no depth, so that the grid never leaves the buffers.
    private let border: Int
    /// The map's width, whole blocks of it, and a border on each side.
    private let rowLength: Int
    /// Metres, with a border; 0 where there is none.
    private let depth: [Float]
    /// Of each of `depth`'s: 1/z; 0 where there is none.
    private let inverse: [Float]

    /// Steps from the middle of the grid to its edge.
    private static let reach = 2
    /// How much nearer or farther neighbours on the same surface may be, as a share of a pixel's depth.
    static let jump: Float = 0.03
    /// Fewer than these pixels, itself included, are an edge or a speck.
    private static let fewest: Float = 6
    /// Pixels of a row that are summed up at once. A constant, so that the compiler can tell the sums apart.
    private static let block = 64

    package init(_ map: DepthMap) {
        step = max(1, (max(map.width, map.height) + 64) / 128)
        let (width, height, border) = (map.width, map.height, Self.reach * step)
        let rowLength = (width + Self.block - 1) / Self.block * Self.block + 2 * border
        (self.width, self.height, self.border, self.rowLength) = (width, height, border, rowLength)
        let count = rowLength * (height + 2 * border)
        depth = [Float](unsafeUninitializedCapacity: count) { out, written in
            out.initialize(repeating: 0)
            map.metres.withUnsafeBufferPointer { metres in
                for v in 0..<height {
                    for u in 0..<width { out[(v + border) * rowLength + border + u] = metres[v * width + u] }
                }
            }
            written = count
        }
        inverse = [Float](unsafeUninitializedCapacity: count) { [depth] out, written in
            // Never 0 where there is depth: each point has its normal, however far away it is.
            for i in 0..<count { out[i] = depth[i] > 0 ? max(1 / depth[i], .leastNormalMagnitude) : 0 }
            written = count
        }
    }

    /// Sums over the neighbours of each pixel of a row, in steps along the row (i) and down the columns (j).
    private enum Sum: Int, CaseIterable {
        case count, i, j, ii, ij, jj
        /// Of what 1/z is more than the pixel's own.
        case w, iw, jw
    }

    /// The normals of the map's n-th rows and columns where there is depth, row by row: x, y, z of each in turn, of length
    /// 1, facing the camera, in the world; 0, 0, 0 where a pixel has too few neighbours.
    /// - Parameters:
    ///   - camera: of the map's size.
    ///   - rotation: from the camera, which looks down −Z with +Y up, to the world.
    package func normals(every: Int = 1, camera: CameraIntrinsics, rotation: Matrix3) -> [Float] {
        let capacity = ((width + every - 1) / every) * ((height + every - 1) / every)
        let facing = Facing(camera, rotation, step: step)
        return [Float](unsafeUninitializedCapacity: 3 * capacity) { out, written in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: Sum.allCases.count * Self.block) { sums in
                guard var target = out.baseAddress, let sums = sums.baseAddress else { return }
                let begin = target
                for v in stride(from: 0, to: height, by: every) {
                    for start in stride(from: 0, to: width, by: Self.block) {
                        let place = (v + border) * rowLength + border + start
                        add(blockAt: place, to: sums)
                        inverse.withUnsafeBufferPointer { inverse in
                            var i = (start + every - 1) / every * every - start
                            while i < Self.block {
                                let w = inverse[place &+ i]
                                if w > 0 {
                                    let normal = facing.normal(Float(start &+ i), Float(v), inverse: w, sums + i)
                                    (target[0], target[1], target[2]) = normal
                                    target += 3
                                }
                                i &+= every
                            }
                        }
                    }
                }
                written = target - begin
            }
        }
    }

    /// - Parameters:
    ///   - place: of the block's first pixel.
    ///   - sums: ``Sum``s of the block, one after another.
    private func add(blockAt place: Int, to sums: UnsafeMutablePointer<Float>) {
        sums.initialize(repeating: 0, count: Sum.allCases.count * Self.block)
        depth.withUnsafeBufferPointer { depth in
            inverse.withUnsafeBufferPointer { inverse in
                guard let depth = depth.baseAddress, let inverse = inverse.baseAddress else { return }
                for j in -Self.reach...Self.reach {
                    let other = place + j * step * rowLength
                    Self.add(
                        (depth + place, inverse + place), (depth + other, inverse + other), j: Float(j), step, sums)
                }
            }
        }
    }

    /// Adds what the five neighbours of each pixel in one other row have. A loop without branches over plain pointers, of
    /// which the compiler makes vector instructions.
    private static func add(
        _ own: (depth: UnsafePointer<Float>, inverse: UnsafePointer<Float>),
        _ other: (depth: UnsafePointer<Float>, inverse: UnsafePointer<Float>),
        j: Float, _ step: Int, _ sums: UnsafeMutablePointer<Float>
    ) {
        var u = 0
        while u < block {
            let (z, w) = (own.depth[u], own.inverse[u])
            let limit = jump * z
            @inline(__always) func neighbour(_ i: Int) -> (count: Float, w: Float) {
                let at = u &+ i &* step
                let (isNear, more) = (abs(other.depth[at] - z) <= limit, other.inverse[at] - w)
                return (isNear ? 1 : 0, isNear ? more : 0)
            }
            let (a, b, c, d, e) = (neighbour(-2), neighbour(-1), neighbour(0), neighbour(1), neighbour(2))
            let count = a.count + b.count + c.count + d.count + e.count
            let alongI = 2 * (e.count - a.count) + d.count - b.count
            let more = a.w + b.w + c.w + d.w + e.w
            sums[u] += count
            sums[u &+ block] += alongI
            sums[u &+ 2 &* block] += j * count
            sums[u &+ 3 &* block] += 4 * (a.count + e.count) + b.count + d.count
            sums[u &+ 4 &* block] += j * alongI
            sums[u &+ 5 &* block] += j * j * count
            sums[u &+ 6 &* block] += more
            sums[u &+ 7 &* block] += 2 * (e.w - a.w) + d.w - b.w
            sums[u &+ 8 &* block] += j * more
            u &+= 1
        }
    }

    /// Makes normals of sums.
    private struct Facing {
        let (fx, fy, cx, cy): (Float, Float, Float, Float)
        /// The camera's axes in the world.
        let right, up, back: (x: Float, y: Float, z: Float)
        /// One pixel, in steps.
        let pixel: Float

        init(_ camera: CameraIntrinsics, _ rotation: Matrix3, step: Int) {
            (fx, fy, cx, cy) = (Float(camera.fx), Float(camera.fy), Float(camera.cx), Float(camera.cy))
            func axis(_ v: Vector3) -> (Float, Float, Float) { (Float(v.x), Float(v.y), Float(v.z)) }
            let (a, b, c) = rotation.columns
            (right, up, back) = (axis(a), axis(b), axis(c))
            pixel = 1 / Float(step)
        }

        /// - Parameters:
        ///   - inverse: 1/z of the pixel.
        ///   - sums: the pixel's first; the others follow, each a block later.
        @inline(__always)
        func normal(
            _ u: Float, _ v: Float, inverse: Float, _ sums: UnsafePointer<Float>
        ) -> (Float, Float, Float) {
            @inline(__always) func sum(_ which: Sum) -> Float { sums[which.rawValue &* DepthNormals.block] }
            let (n, i, j, w) = (sum(.count), sum(.i), sum(.j), sum(.w))
            // Whole numbers below 2²⁴, so that this is exact, and 0 for neighbours on a line.
            let (ii, ij, jj) = (n * sum(.ii) - i * i, n * sum(.ij) - i * j, n * sum(.jj) - j * j)
            let determinant = ii * jj - ij * ij
            guard n >= DepthNormals.fewest, determinant > 0 else { return (0, 0, 0) }
            let (iw, jw) = (n * sum(.iw) - i * w, n * sum(.jw) - j * w)
            // 1/z grows by these from pixel to pixel.
            let perPixel = pixel / determinant
            let (alongRow, downColumn) = ((jj * iw - ij * jw) * perPixel, (ii * jw - ij * iw) * perPixel)
            // In the camera's axes.
            let (x, y) = (-alongRow * fx, downColumn * fy)
            let z = inverse - alongRow * (u - cx) - downColumn * (v - cy)
            let world = (
                x: right.x * x + up.x * y + back.x * z, y: right.y * x + up.y * y + back.y * z,
                z: right.z * x + up.z * y + back.z * z
            )
            // Measured in the world: recorded rotations are rounded, and stretch what they turn by up to 1e-4.
            let length = (world.x * world.x + world.y * world.y + world.z * world.z).squareRoot()
            guard length > 0 else { return (0, 0, 0) }
            let scale = 1 / length
            return (world.x * scale, world.y * scale, world.z * scale)
        }
    }
}
