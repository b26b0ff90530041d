import ScanModel

extension SyntheticView {
    /// The z-depth as a recorder stores it: each value rounded once, to the nearest (half floats: ties to even).
    package func recordedDepth(_ encoding: DepthEncoding) -> RecordedDepth {
        let bytes: [UInt8] =
            switch encoding {
            case .float16Metres: Self.littleEndian(depth) { Float16($0).bitPattern }
            case .float32Metres: Self.littleEndian(depth) { Float($0).bitPattern }
            // Nothing in the room is farther away than the room is long, so no value comes near a mask's limit.
            case .uint16(let unitsPerMetre, _, _): Self.littleEndian(depth) { UInt16($0 * unitsPerMetre + 0.5) }
            }
        return RecordedDepth(width: width, height: height, encoding: encoding, bytes: bytes)
    }

    @inline(__always)
    private static func littleEndian<Bits: FixedWidthInteger>(
        _ depth: [Double], _ encode: (Double) -> Bits
    ) -> [UInt8] {
        let size = MemoryLayout<Bits>.size
        return [UInt8](unsafeUninitializedCapacity: depth.count * size) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            for i in 0..<depth.count {
                raw.storeBytes(of: encode(depth[i]).littleEndian, toByteOffset: i &* size, as: Bits.self)
            }
            count = depth.count * size
        }
    }

    /// How far a sensor would trust each pixel.
    ///
    /// Low (0) where depth jumps by more than 5 % to one of the four neighbours, or where the ray meets the surface at
    /// less than 6° (sine 0.1); medium (1) beside such a jump, or at less than 17° (sine 0.3); high (2) elsewhere.
    package func recordedConfidence(_ range: ClosedRange<Int>) -> ConfidenceMap {
        let span = range.upperBound - range.lowerBound
        // The middle of each third of the range: for 0...2 that is 0, 1, 2, for 0...255 it is 42, 127, 212.
        let values = (0...2).map { UInt8(range.lowerBound + (span == 2 ? $0 : (2 * $0 + 1) * span / 6)) }
        let jumps = depthJumps()
        let normals = self.normals()
        let (width, height) = (width, height)
        let map = [UInt8](unsafeUninitializedCapacity: width * height) { buffer, count in
            for v in 0..<height {
                let row = rays.rows[v]
                for u in 0..<width {
                    let pixel = v * width + u
                    let (column, normal) = (rays.columns[u], normals[Int(surface[pixel])])
                    let (dx, dy, dz) = (column.x + row.x, column.y + row.y, column.z + row.z)
                    let along = dx * normal.x + dy * normal.y + dz * normal.z
                    let squaredSine = along * along / (dx * dx + dy * dy + dz * dz)
                    var level = squaredSine < 0.01 ? 0 : squaredSine < 0.09 ? 1 : 2
                    if jumps[pixel] {
                        level = 0
                    } else if level == 2 {
                        let isBeside =
                            (u > 0 && jumps[pixel - 1]) || (u + 1 < width && jumps[pixel + 1])
                            || (v > 0 && jumps[pixel - width]) || (v + 1 < height && jumps[pixel + width])
                        if isBeside { level = 1 }
                    }
                    buffer[pixel] = values[level]
                }
            }
            count = width * height
        }
        return ConfidenceMap(width: width, height: height, values: map, range: range)
    }

    private func depthJumps() -> [Bool] {
        var jumps = [Bool](repeating: false, count: width * height)
        for v in 0..<height {
            for u in 0..<width {
                let pixel = v * width + u
                // To the right and down; both sides of a jump are marked.
                for neighbour in [u + 1 < width ? pixel + 1 : pixel, v + 1 < height ? pixel + width : pixel]
                where abs(depth[pixel] - depth[neighbour]) > 0.05 * min(depth[pixel], depth[neighbour]) {
                    jumps[pixel] = true
                    jumps[neighbour] = true
                }
            }
        }
        return jumps
    }

    /// The normal of each surface, by its number; of either sign.
    private func normals() -> [Vector3] {
        boxes.flatMap { box in
            let (x, y, z) = box.worldFromBox.columns
            return [x, x, y, y, z, z]
        }
    }
}
