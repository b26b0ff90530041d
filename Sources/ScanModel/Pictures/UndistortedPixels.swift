/// All take what the recorded camera saw, at any size, and return what ``camera`` sees at the same size: colours and
/// brightness interpolated between the four nearest pixels, depth as well where these see one surface, everything else
/// from the nearest one.
extension Undistortion {
    public func picture(_ picture: RGBImage) -> RGBImage {
        RGBImage(
            width: picture.width, height: picture.height,
            pixels: interpolated(picture.pixels, of: picture.size, channels: 3))
    }

    public func luma(_ luma: LumaImage) -> LumaImage {
        LumaImage(
            width: luma.width, height: luma.height, pixels: interpolated(luma.pixels, of: luma.size, channels: 1))
    }

    public func mask(_ mask: LumaImage) -> LumaImage {
        LumaImage(width: mask.width, height: mask.height, pixels: nearest(mask.pixels, of: mask.size, pixelBytes: 1))
    }

    /// z-depth is the distance along the optical axis, which stays the same. Across the picture of a plane 1/z is linear,
    /// so that is interpolated: with the nearest pixel's depth, half a pixel away, surfaces would become rough. Where one
    /// of the four pixels has no depth, or they are too far apart to be of one surface, the nearest one's is taken, so
    /// that nothing floats between surfaces.
    /// - Parameter depth: aligned with the picture, at any size.
    /// - Returns: floats if half floats were recorded, whose steps of a millimetre would be taken a second time.
    public func depth(_ depth: RecordedDepth) -> RecordedDepth {
        var copy = depth
        switch depth.encoding {
        case .float16Metres:
            copy.encoding = .float32Metres
            copy.bytes = interpolated(
                depth, inverse: { (half: UInt16) in Self.inverse(Float(Float16(bitPattern: half))) },
                number: { inverse, nearest in
                    (inverse > 0 ? 1 / inverse : Float(Float16(bitPattern: nearest))).bitPattern
                })
        case .float32Metres:
            copy.bytes = interpolated(
                depth, inverse: { (bits: UInt32) in Self.inverse(Float(bitPattern: bits)) },
                number: { inverse, nearest in inverse > 0 ? (1 / inverse).bitPattern : nearest })
        case .uint16(_, let mask, let invalid):
            copy.bytes = interpolated(
                depth,
                inverse: { (number: UInt16) in
                    number == invalid || number & mask == 0 ? 0 : 1 / Float(number & mask)
                },
                number: { inverse, nearest in
                    guard inverse > 0 else { return nearest }
                    // Not above the largest of the four.
                    let units = UInt16(1 / inverse + 0.5)
                    // Bits that are no depth stay the nearest one's.
                    let number = nearest & ~mask | units
                    return number & mask == units && number != invalid ? number : nearest
                })
        }
        return copy
    }

    /// 1/z; 0 of what is no depth, as unpacking has it: also what is farther than a half float can say.
    @inline(__always)
    private static func inverse(_ metres: Float) -> Float {
        let inverse = 1 / metres
        return inverse >= 1 / 65_504 && inverse < .infinity ? inverse : 0
    }

    public func confidence(_ map: ConfidenceMap) -> ConfidenceMap {
        ConfidenceMap(
            width: map.width, height: map.height, values: nearest(map.values, of: map.size, pixelBytes: 1),
            range: map.range)
    }

    /// Colours or brightness, interpolated between the four nearest pixels.
    @inline(__always)
    private func interpolated(_ pixels: [UInt8], of size: PixelSize, channels: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: pixels.count) { output, count in
            pixels.withUnsafeBufferPointer { input in
                guard let target = output.baseAddress, let source = input.baseAddress else { return }
                let neighbours = Neighbours(size, channels: channels)
                Places(self, of: size).eachRow { row, xs, ys in
                    neighbours.blend(source, xs, ys, into: target + row &* neighbours.rowBytes, channels: channels)
                }
            }
            count = pixels.count
        }
    }

    /// Depth, interpolated where the four nearest pixels see one surface.
    /// - Parameters:
    ///   - inverse: 1/z of a recorded number, in any unit; 0 of one that is no depth.
    ///   - number: what is written for 1/z, or where that is 0, for the number of the nearest pixel.
    @inline(__always)
    private func interpolated<Recorded: FixedWidthInteger & BitwiseCopyable, New: FixedWidthInteger>(
        _ depth: RecordedDepth, inverse: (Recorded) -> Float, number: (Float, Recorded) -> New
    ) -> [UInt8] {
        let size = depth.size
        let count = size.width * size.height
        precondition(depth.bytes.count == count * MemoryLayout<Recorded>.size)
        return depth.bytes.withUnsafeBytes { bytes in
            @inline(__always) func recorded(_ pixel: Int) -> Recorded {
                Recorded(
                    littleEndian: bytes.loadUnaligned(
                        fromByteOffset: pixel &* MemoryLayout<Recorded>.size, as: Recorded.self))
            }
            let inverses = [Float](unsafeUninitializedCapacity: count) { output, written in
                for pixel in 0..<count { output.initializeElement(at: pixel, to: inverse(recorded(pixel))) }
                written = count
            }
            let byteCount = count * MemoryLayout<New>.size
            return [UInt8](unsafeUninitializedCapacity: byteCount) { output, written in
                let target = UnsafeMutableRawBufferPointer(output)
                let neighbours = Neighbours(size, channels: 1)
                inverses.withUnsafeBufferPointer { inverses in
                    guard let source = inverses.baseAddress else { return }
                    Places(self, of: size).eachRow { row, xs, ys in
                        for column in 0..<size.width {
                            let (x, y) = (Places.nearest(xs[column]), Places.nearest(ys[column]))
                            let found = number(
                                neighbours.ofOneSurface(source, xs[column], ys[column]),
                                recorded(y &* size.width &+ x))
                            target.storeBytes(
                                of: found.littleEndian,
                                toByteOffset: (row &* size.width &+ column) &* MemoryLayout<New>.size, as: New.self)
                        }
                    }
                }
                written = byteCount
            }
        }
    }

    private func nearest(_ pixels: [UInt8], of size: PixelSize, pixelBytes: Int) -> [UInt8] {
        precondition(pixels.count == size.width * size.height * pixelBytes)
        return [UInt8](unsafeUninitializedCapacity: pixels.count) { output, count in
            pixels.withUnsafeBufferPointer { input in
                guard let base = output.baseAddress, let source = input.baseAddress else { return }
                Places(self, of: size).eachRow { row, xs, ys in
                    var target = base + row &* size.width &* pixelBytes
                    for column in 0..<size.width {
                        let (x, y) = (Places.nearest(xs[column]), Places.nearest(ys[column]))
                        let pixel = source + (y &* size.width &+ x) &* pixelBytes
                        for byte in 0..<pixelBytes { target[byte] = pixel[byte] }
                        target += pixelBytes
                    }
                }
            }
            count = pixels.count
        }
    }
}

/// The four pixels around a place in a picture.
private struct Neighbours {
    let rowBytes: Int
    private let width: Int
    /// The last column and row that still have a neighbour after them.
    private let lastLeft: Int32
    private let lastTop: Int32
    /// How many bytes farther on the other neighbours lie; 0 if there is only one row or column.
    private let across: Int
    private let down: Int

    init(_ size: PixelSize, channels: Int) {
        width = size.width
        rowBytes = size.width * channels
        (lastLeft, lastTop) = (Int32(max(0, size.width - 2)), Int32(max(0, size.height - 2)))
        (across, down) = (size.width > 1 ? channels : 0, size.height > 1 ? rowBytes : 0)
    }

    /// 1/z at a place; 0 where one of the four has none, or they are of several surfaces.
    @inline(__always)
    func ofOneSurface(_ inverses: UnsafePointer<Float>, _ x: Int32, _ y: Int32) -> Float {
        let bits = Places.bits
        let (left, top) = (min(x >> bits, lastLeft), min(y >> bits, lastTop))
        let upper = inverses + (Int(top) &* rowBytes &+ Int(left))
        let lower = upper + down
        let (a, b, c, d) = (upper[0], upper[across], lower[0], lower[across])
        let (least, most) = (min(min(a, b), min(c, d)), max(max(a, b), max(c, d)))
        guard least > 0, most <= least * (1 + DepthNormals.jump) else { return 0 }
        let right = Float(x &- left << bits) / Float(Places.one)
        let below = Float(y &- top << bits) / Float(Places.one)
        let (over, under) = (a + (b - a) * right, c + (d - c) * right)
        return over + (under - over) * below
    }

    /// Fills a row: each pixel with what lies at its place in `source`.
    @inline(__always)
    func blend(
        _ source: UnsafePointer<UInt8>, _ xs: UnsafePointer<Int32>, _ ys: UnsafePointer<Int32>,
        into target: UnsafeMutablePointer<UInt8>, channels: Int
    ) {
        var target = target
        let bits = Places.bits
        let one = Places.one
        let half: UInt32 = one * one / 2
        for column in 0..<width {
            let (left, top) = (min(xs[column] >> bits, lastLeft), min(ys[column] >> bits, lastTop))
            let right = UInt32(bitPattern: xs[column] &- left << bits)
            let below = UInt32(bitPattern: ys[column] &- top << bits)
            let upper = source + (Int(top) &* rowBytes &+ Int(left) &* channels)
            let lower = upper + down
            let weights = (
                (one &- right) &* (one &- below), right &* (one &- below), (one &- right) &* below, right &* below
            )
            func mix(_ channel: Int) -> UInt8 {
                let sum =
                    UInt32(upper[channel]) &* weights.0 &+ UInt32(upper[channel &+ across]) &* weights.1
                    &+ UInt32(lower[channel]) &* weights.2 &+ UInt32(lower[channel &+ across]) &* weights.3
                return UInt8(truncatingIfNeeded: (sum &+ half) / (one &* one))
            }
            target[0] = mix(0)
            if channels == 3 { (target[1], target[2]) = (mix(1), mix(2)) }
            target += channels
        }
    }
}

/// Where the pixels of a new picture were recorded, row by row.
///
/// Apart from two products, what a lens does to a direction depends only on its distance from the axis, so the costly
/// part is looked up: around each of ``steps`` it is a straight line to within a millionth.
private struct Places {
    /// Places are given in 64ths of a pixel; OpenCV's remap makes do with 32nds.
    static let bits: Int32 = 6
    static let one: UInt32 = 1 << bits

    /// The pixel that is nearest to a place.
    @inline(__always)
    static func nearest(_ place: Int32) -> Int { Int((place &+ Int32(one / 2)) >> bits) }

    private let size: PixelSize
    private let old: CameraIntrinsics
    private let new: CameraIntrinsics
    private let lens: LensDistortion
    /// ``LensDistortion/factors(_:)`` at each step of r², and how fast they grow there. `sideways` is stored squared,
    /// the only way it is used.
    private let outward: [SIMD2<Float>]
    /// Empty if it is 1 everywhere, or not needed.
    private let sideways: [SIMD2<Float>]
    private let stepsPerSquare: Float

    private static let steps = 4096

    /// - Parameter size: of the map, at any size.
    init(_ undistortion: Undistortion, of size: PixelSize) {
        self.size = size
        old = undistortion.recorded.intrinsics.resized(to: size).counted(from: .centre)
        new = undistortion.camera.resized(to: size).counted(from: .centre)
        let lens = undistortion.recorded.lens
        self.lens = lens
        // Rows end with pixels that make their number a multiple of four.
        let x = max(abs(new.cx), abs(Double(size.width + 2) - new.cx)) / new.fx
        let y = max(abs(new.cy), abs(Double(size.height - 1) - new.cy)) / new.fy
        let step = max((x * x + y * y) * 1.000_01, 1e-12) / Double(Self.steps)
        stepsPerSquare = Float(1 / step)
        // Neighbours share the places half-way between them.
        let halves = (0...2 * Self.steps + 3).map { lens.factors(Double($0) * step / 2) }
        outward = Self.lines(through: halves.map(\.outward))
        let isPlain = lens.projection == .perspective && !lens.isRadialFirst && lens.prism == .zero
        sideways = isPlain || !lens.bendsSideways ? [] : Self.lines(through: halves.map { $0.sideways * $0.sideways })
    }

    /// Every second value, and by how much the values grow from half a step before it to half a step after it.
    private static func lines(through halves: [Double]) -> [SIMD2<Float>] {
        stride(from: 0, to: halves.count - 1, by: 2).map { place in
            let slope = place == 0 ? 2 * (halves[1] - halves[0]) : halves[place + 1] - halves[place - 1]
            return SIMD2(Float(halves[place]), Float(slope))
        }
    }

    /// Calls `body` with each row: x and y of each of its pixels in 64ths of a recorded pixel, from the centre of the
    /// top-left one, within the picture.
    @inline(__always)
    func eachRow(_ body: (Int, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Void) {
        let quarters = (size.width + 3) / 4
        let directions = (0..<quarters).map { quarter in
            SIMD4<Float>((0..<4).map { Float((Double(4 * quarter + $0) - new.cx) / new.fx) })
        }
        withUnsafeTemporaryAllocation(of: SIMD4<Int32>.self, capacity: 2 * quarters) { places in
            guard let xs = places.baseAddress else { return }
            let ys = xs + quarters
            for row in 0..<size.height {
                find(row, directions, xs, ys)
                xs.withMemoryRebound(to: Int32.self, capacity: 4 * quarters) { xs in
                    ys.withMemoryRebound(to: Int32.self, capacity: 4 * quarters) { ys in body(row, xs, ys) }
                }
            }
        }
    }

    /// - Parameter directions: x of a row's pixels, at distance 1 in front of the new camera.
    private func find(
        _ row: Int, _ directions: [SIMD4<Float>], _ xs: UnsafeMutablePointer<SIMD4<Int32>>,
        _ ys: UnsafeMutablePointer<SIMD4<Int32>>
    ) {
        let parts = Float(Self.one)
        let (right, bottom) = (Float(size.width - 1) * parts, Float(size.height - 1) * parts)
        let (fx, fy) = (Float(old.fx) * parts, Float(old.fy) * parts)
        let (cx, cy) = (Float(old.cx) * parts, Float(old.cy) * parts)
        let (p1, p2) = (Float(lens.tangential.x), Float(lens.tangential.y))
        let prism = SIMD4<Float>(lens.prism)
        let y = Float((Double(row) - new.cy) / new.fy)
        let y2 = y * y
        outward.withUnsafeBufferPointer { outward in
            sideways.withUnsafeBufferPointer { sideways in
                directions.withUnsafeBufferPointer { directions in
                    for quarter in 0..<directions.count {
                        let x = directions[quarter]
                        let x2 = x * x
                        let r2 = x2 + y2
                        let step = r2 * stepsPerSquare
                        // Nothing is looked up beyond the table, whatever the numbers.
                        let number = Self.rounded(step)
                        let whole = number.replacing(with: Int32(Self.steps), where: number .> Int32(Self.steps))
                        let rest = step - SIMD4<Float>(whole)
                        let q = Self.value(of: outward, at: whole, rest)
                        let xy = x * (2 * y)
                        var u = p1 * xy + p2 * (r2 + 2 * x2)
                        var v = p1 * (r2 + 2 * y2) + p2 * xy
                        if !sideways.isEmpty {
                            let square = Self.value(of: sideways, at: whole, rest)
                            let t2 = square * r2
                            u = square * u + t2 * (prism.x + t2 * prism.y)
                            v = square * v + t2 * (prism.z + t2 * prism.w)
                        }
                        xs[quarter] = Self.rounded(Self.within(fx * (x * q + u) + cx, right))
                        ys[quarter] = Self.rounded(Self.within(fy * (y * q + v) + cy, bottom))
                    }
                }
            }
        }
    }

    /// - Parameter rest: how far beyond the steps, in steps.
    @inline(__always)
    private static func value(
        of lines: UnsafeBufferPointer<SIMD2<Float>>, at steps: SIMD4<Int32>, _ rest: SIMD4<Float>
    ) -> SIMD4<Float> {
        let (a, b) = (lines[Int(steps[0])], lines[Int(steps[1])])
        let (c, d) = (lines[Int(steps[2])], lines[Int(steps[3])])
        return SIMD4(a.x, b.x, c.x, d.x) + rest * SIMD4(a.y, b.y, c.y, d.y)
    }

    @inline(__always)
    private static func within(_ values: SIMD4<Float>, _ most: Float) -> SIMD4<Float> {
        // NaN is not within either.
        values.replacing(with: 0, where: .!(values .>= 0)).replacing(with: most, where: values .> most)
    }

    /// - Parameter values: from 0 to 2²², so that with 2²³ added the last bit of a float stands for 1. A plain
    ///   conversion costs several times as much, because it checks whether every number fits.
    @inline(__always)
    private static func rounded(_ values: SIMD4<Float>) -> SIMD4<Int32> {
        let raised = values + 0x1p23
        return unsafeBitCast(raised, to: SIMD4<Int32>.self) & 0x3f_ffff
    }
}
