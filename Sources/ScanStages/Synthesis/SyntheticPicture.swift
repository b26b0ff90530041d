import ScanModel

extension SyntheticView {
    /// The picture: each surface in its own colour, with a pattern that is fixed to it.
    ///
    /// Tiles of 16 cm, flecks of 2 cm and a grain of 5 mm, lighter and darker at random. So there is detail at every
    /// distance, no place looks like another, and a point has the same colour in all pictures.
    package func picture(seed: UInt64) -> RGBImage {
        let paints = boxes.enumerated().flatMap { number, box in
            (0..<6).map { Paint(box, face: $0, number: number, origin: rays.origin, seed: seed) }
        }
        let (width, height) = (width, height)
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 3) { buffer, count in
            surface.withUnsafeBufferPointer { surface in
                depth.withUnsafeBufferPointer { depth in
                    for v in 0..<height {
                        // Neighbours mostly show the same surface, so a run of them is painted at a time.
                        var run = v * width
                        while run < (v + 1) * width {
                            var end = run + 1
                            while end < (v + 1) * width && surface[end] == surface[run] { end += 1 }
                            paints[Int(surface[run])].paint(run..<end, row: v, width, rays, depth, buffer)
                            run = end
                        }
                    }
                }
            }
            count = width * height * 3
        }
        return RGBImage(width: width, height: height, pixels: pixels)
    }

    /// How a surface is painted.
    private struct Paint {
        private static let grainsPerMetre = 200.0
        private let tone: (red: Int32, green: Int32, blue: Int32)
        private let key: UInt32
        /// Two directions in the surface, scaled to grains, and where the camera is along them. The constant in `start`
        /// keeps all grain numbers positive.
        private let across: Vector3
        private let up: Vector3
        private let start: (across: Double, up: Double)

        init(_ box: OrientedBox, face: Int, number: Int, origin: Vector3, seed: UInt64) {
            let (x, y, z) = box.worldFromBox.columns
            let axes = [(z, y), (x, z), (x, y)][face / 2]
            across = axes.0 * Self.grainsPerMetre
            up = axes.1 * Self.grainsPerMetre
            let camera = origin - box.center
            start = (camera.dot(across) + 4096, camera.dot(up) + 4096)
            var random = SplitMix64(seed: seed &* 0x1_0001 &+ UInt64(6 * number + face))
            key = UInt32(truncatingIfNeeded: random.next())
            tone = Self.tone(box: number, face: face)
        }

        /// West, east, floor, ceiling, north, south.
        private static let walls: [(Int32, Int32, Int32)] = [
            (150, 168, 150), (170, 160, 140), (112, 104, 98), (188, 188, 184), (146, 158, 178), (172, 150, 156),
        ]

        /// Pale walls, a brown table, a red object; each face a little different.
        private static func tone(box: Int, face: Int) -> (Int32, Int32, Int32) {
            let step = Int32(face) * 7
            return switch box {
            case 0: walls[face]
            case 1...5: (118 + step, 84 + step, 58 + step)
            default: (176 - step, 66 + step, 62)
            }
        }

        /// Paints a run of pixels of one row, each with the colour of the point where its ray ends.
        func paint(
            _ pixels: Range<Int>, row v: Int, _ width: Int, _ rays: Rays, _ depth: UnsafeBufferPointer<Double>,
            _ out: UnsafeMutableBufferPointer<UInt8>
        ) {
            let (across, up, start, key) = (across, up, start, key)
            let (rowAcross, rowUp) = (rays.rows[v].dot(across), rays.rows[v].dot(up))
            rays.columns.withUnsafeBufferPointer { columns in
                var target = 3 &* pixels.lowerBound
                for pixel in pixels {
                    let column = columns[pixel &- v &* width]
                    let z = depth[pixel]
                    let a = column.x * across.x + column.y * across.y + column.z * across.z + rowAcross
                    let b = column.x * up.x + column.y * up.y + column.z * up.z + rowUp
                    let (i, j) = (Self.whole(start.across + z * a), Self.whole(start.up + z * b))
                    let tile = Self.mixed(i >> 5, j >> 5, key)
                    let fleck = Self.mixed(i >> 2, j >> 2, ~key)
                    let grain = Self.mixed(i, j, key &+ 1)
                    let light = Self.signed(tile, 63) + Self.signed(grain, 15)
                    out[target] = Self.level(tone.red + light + Self.signed(fleck, 15))
                    out[target &+ 1] = Self.level(tone.green + light + Self.signed(fleck >> 8, 15))
                    out[target &+ 2] = Self.level(tone.blue + light + Self.signed(fleck >> 16, 15))
                    target &+= 3
                }
            }
        }

        /// The nearest whole number of 0..<2³²: added to 2⁵², a number's fraction is rounded away.
        @inline(__always)
        private static func whole(_ value: Double) -> UInt32 {
            UInt32(truncatingIfNeeded: (value + 0x1p52).bitPattern)
        }

        /// The bits under the mask, centred on 0.
        @inline(__always)
        private static func signed(_ bits: UInt32, _ mask: UInt32) -> Int32 {
            Int32(truncatingIfNeeded: bits & mask) &- Int32(truncatingIfNeeded: mask >> 1)
        }

        @inline(__always)
        private static func level(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, value))) }

        /// A random number for a cell: Chris Wellons' `lowbias32` of the cell's numbers.
        @inline(__always)
        private static func mixed(_ i: UInt32, _ j: UInt32, _ key: UInt32) -> UInt32 {
            var x = (i &* 0x9E37_79B1) ^ (j &* 0x85EB_CA77) ^ key
            x = (x ^ (x >> 16)) &* 0x7FEB_352D
            x = (x ^ (x >> 15)) &* 0x846C_A68B
            return x ^ (x >> 16)
        }
    }
}
