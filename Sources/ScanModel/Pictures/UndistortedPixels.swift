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
                RecordedPlaces(self, of: size).eachRow { row, xs, ys in
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
                    RecordedPlaces(self, of: size).eachRow { row, xs, ys in
                        for column in 0..<size.width {
                            let (x, y) = (RecordedPlaces.nearest(xs[column]), RecordedPlaces.nearest(ys[column]))
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
                RecordedPlaces(self, of: size).eachRow { row, xs, ys in
                    var target = base + row &* size.width &* pixelBytes
                    for column in 0..<size.width {
                        let (x, y) = (RecordedPlaces.nearest(xs[column]), RecordedPlaces.nearest(ys[column]))
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
        let bits = RecordedPlaces.bits
        let (left, top) = (min(x >> bits, lastLeft), min(y >> bits, lastTop))
        let upper = inverses + (Int(top) &* rowBytes &+ Int(left))
        let lower = upper + down
        let (a, b, c, d) = (upper[0], upper[across], lower[0], lower[across])
        let (least, most) = (min(min(a, b), min(c, d)), max(max(a, b), max(c, d)))
        guard least > 0, most <= least * (1 + DepthNormals.jump) else { return 0 }
        let right = Float(x &- left << bits) / Float(RecordedPlaces.one)
        let below = Float(y &- top << bits) / Float(RecordedPlaces.one)
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
        let bits = RecordedPlaces.bits
        let one = RecordedPlaces.one
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
