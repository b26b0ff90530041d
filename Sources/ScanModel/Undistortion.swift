/// Makes the pictures of a pinhole camera of those seen through a lens that distorts.
///
/// The new camera keeps the size and the principal point; both focal lengths are multiplied by one number, the smallest
/// with which every new pixel was seen, so that nothing is blank and as little as possible is cut away. Colours are
/// interpolated between the four nearest pixels; depth, confidence and masks, which have nothing in between, are the
/// nearest one.
public struct Undistortion: Hashable, Sendable {
    /// Of the pictures as recorded.
    public let recorded: CalibratedCamera
    /// Of the new ones.
    public let camera: CameraIntrinsics

    /// How far focal lengths may shrink: with half of it, a picture's middle has half the resolution that was recorded. What
    /// a fisheye sees beyond that is cut away.
    static let leastScale = 0.5
    /// Beyond, so little of the picture is left that the numbers can hardly be a lens's.
    static let mostScale = 4.0

    /// - Throws: when the lens cannot be undone over enough of the picture: its numbers are wrong.
    public init(_ recorded: CalibratedCamera) throws(Problem) {
        self.recorded = recorded
        let size = recorded.intrinsics.size
        let old = recorded.intrinsics.counted(from: .corner)
        let fits = { (scale: Double) in
            Self.border(of: size).allSatisfy { u, v in
                let (x, y) = ((u - old.cx) / (old.fx * scale), (v - old.cy) / (old.fy * scale))
                return Self.sees(x, y, recorded.lens, old)
            }
        }
        guard fits(Self.mostScale) else {
            throw Problem(
                .input, "the lens cannot be undone (\(recorded.lens))",
                notes: ["directions that are apart would be seen at one place of the picture, or outside of it"],
                fix: "calibrate the camera again")
        }
        var (no, yes) = (Self.leastScale, Self.mostScale)
        if recorded.lens.isStraight {
            yes = 1
        } else if fits(no) {
            yes = no
        } else {
            while yes - no > 1e-9 {
                let middle = (no + yes) / 2
                if fits(middle) { yes = middle } else { no = middle }
            }
        }
        var new = recorded.intrinsics
        new.fx *= yes
        new.fy *= yes
        camera = new
    }

    /// What the focal lengths were multiplied by.
    public var scale: Double { camera.fx / recorded.intrinsics.fx }

    /// The centres of pixels along a picture's border, from the corner; some of them stand for the others.
    private static func border(of size: PixelSize) -> [(u: Double, v: Double)] {
        let steps = 32
        let (right, bottom) = (Double(size.width) - 0.5, Double(size.height) - 0.5)
        return (0...steps).flatMap { step -> [(u: Double, v: Double)] in
            let part = Double(step) / Double(steps)
            let (u, v) = (0.5 + part * (right - 0.5), 0.5 + part * (bottom - 0.5))
            return [(u, 0.5), (u, bottom), (0.5, v), (right, v)]
        }
    }

    /// Whether a direction is seen within the picture, and nothing between it and the optical axis farther out than it.
    private static func sees(_ x: Double, _ y: Double, _ lens: LensDistortion, _ camera: CameraIntrinsics) -> Bool {
        let steps = 8
        var (last, seen) = (0.0, (x: 0.0, y: 0.0))
        for step in 1...steps {
            let part = Double(step) / Double(steps)
            seen = lens.distorted(part * x, part * y)
            let distance = seen.x * seen.x + seen.y * seen.y
            guard distance > last else { return x == 0 && y == 0 }
            last = distance
        }
        let (u, v) = (camera.fx * seen.x + camera.cx, camera.fy * seen.y + camera.cy)
        return u >= 0 && v >= 0 && u <= Double(camera.width) && v <= Double(camera.height)
    }
}

extension Undistortion {
    /// - Parameter picture: of the recorded camera's size.
    public func picture(_ picture: RGBImage) -> RGBImage {
        RGBImage(
            width: picture.width, height: picture.height,
            pixels: interpolated(picture.pixels, of: picture.size, channels: 3))
    }

    /// Brightness, which is interpolated like colours.
    public func luma(_ luma: LumaImage) -> LumaImage {
        LumaImage(
            width: luma.width, height: luma.height, pixels: interpolated(luma.pixels, of: luma.size, channels: 1))
    }

    public func mask(_ mask: LumaImage) -> LumaImage {
        LumaImage(width: mask.width, height: mask.height, pixels: nearest(mask.pixels, of: mask.size, pixelBytes: 1))
    }

    /// z-depth is the distance along the optical axis, which stays, so no value changes.
    /// - Parameter depth: aligned with the picture, at any size.
    public func depth(_ depth: RecordedDepth) -> RecordedDepth {
        RecordedDepth(
            width: depth.width, height: depth.height, encoding: depth.encoding,
            bytes: nearest(depth.bytes, of: depth.size, pixelBytes: depth.encoding.bytesPerPixel))
    }

    public func confidence(_ map: ConfidenceMap) -> ConfidenceMap {
        ConfidenceMap(
            width: map.width, height: map.height, values: nearest(map.values, of: map.size, pixelBytes: 1),
            range: map.range)
    }

    /// Calls `body` with each row of the new picture, and where each of its pixels was recorded: x and y from the centre of
    /// the top-left pixel, within the picture.
    @inline(__always)
    private func eachRow(
        of size: PixelSize, _ body: (Int, UnsafePointer<Float>, UnsafePointer<Float>) -> Void
    ) {
        let old = recorded.intrinsics.resized(width: size.width, height: size.height).counted(from: .centre)
        let new = camera.resized(width: size.width, height: size.height).counted(from: .centre)
        let lens = recorded.lens
        let (right, bottom) = (Float(size.width - 1), Float(size.height - 1))
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * size.width) { places in
            guard let xs = places.baseAddress else { return }
            let ys = xs + size.width
            for row in 0..<size.height {
                let y = (Double(row) - new.cy) / new.fy
                for column in 0..<size.width {
                    let seen = lens.distorted((Double(column) - new.cx) / new.fx, y)
                    xs[column] = min(max(Float(old.fx * seen.x + old.cx), 0), right)
                    ys[column] = min(max(Float(old.fy * seen.y + old.cy), 0), bottom)
                }
                body(row, xs, ys)
            }
        }
    }

    @inline(__always)
    private func interpolated(_ pixels: [UInt8], of size: PixelSize, channels: Int) -> [UInt8] {
        let rowBytes = size.width * channels
        return [UInt8](unsafeUninitializedCapacity: pixels.count) { output, count in
            pixels.withUnsafeBufferPointer { input in
                guard var target = output.baseAddress, let source = input.baseAddress else { return }
                eachRow(of: size) { _, xs, ys in
                    for column in 0..<size.width {
                        let (left, top) = (Int(xs[column]), Int(ys[column]))
                        // In 256ths: finer steps cannot be told apart in 8 bits.
                        let right = UInt32((xs[column] - Float(left)) * 256 + 0.5)
                        let below = UInt32((ys[column] - Float(top)) * 256 + 0.5)
                        let across = left + 1 < size.width ? channels : 0
                        let down = top + 1 < size.height ? rowBytes : 0
                        let corner = source + (top &* rowBytes &+ left &* channels)
                        for channel in 0..<channels {
                            let pixel = corner + channel
                            let upper = UInt32(pixel[0]) &* (256 &- right) &+ UInt32(pixel[across]) &* right
                            let lower =
                                UInt32(pixel[down]) &* (256 &- right) &+ UInt32(pixel[down &+ across]) &* right
                            let sum = upper &* (256 &- below) &+ lower &* below
                            target[channel] = UInt8(truncatingIfNeeded: (sum &+ 1 << 15) >> 16)
                        }
                        target += channels
                    }
                }
            }
            count = pixels.count
        }
    }

    private func nearest(_ pixels: [UInt8], of size: PixelSize, pixelBytes: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: pixels.count) { output, count in
            pixels.withUnsafeBufferPointer { input in
                guard var target = output.baseAddress, let source = input.baseAddress else { return }
                eachRow(of: size) { _, xs, ys in
                    for column in 0..<size.width {
                        let (x, y) = (Int(xs[column] + 0.5), Int(ys[column] + 0.5))
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
