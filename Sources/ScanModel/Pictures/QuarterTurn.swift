/// Turns pictures, and what belongs to them, clockwise by quarter turns: W×H becomes H×W, and the left side becomes the
/// top.
///
/// Formulas: for coordinates from the top-left corner u' = H − v, v' = u; the camera's new axes in its old ones are the
/// columns (0, 1, 0), (−1, 0, 0), (0, 0, 1), with +Y up and −Z into the scene.
public enum QuarterTurn {
    /// 0 to 3.
    public static func normalized(_ turns: Int) -> Int { ((turns % 4) + 4) % 4 }

    /// The clockwise turns that bring the mean of `up` in the pictures to their top; 0 without poses.
    public static func upright(_ poses: [Pose], up: Vector3) -> Int {
        let mean = HeldUpright.mean(of: up, in: poses)
        if abs(mean.y) >= abs(mean.x) { return mean.y >= 0 ? 0 : 2 }
        return mean.x < 0 ? 1 : 3
    }

    public static func size(_ size: PixelSize, turns: Int) -> PixelSize {
        normalized(turns) % 2 == 0 ? size : PixelSize(size.height, size.width)
    }

    /// Turns a picture whose pixels have `pixelBytes` bytes each, 1 to 4, row-major, top-left first.
    static func picture(
        _ pixels: [UInt8], _ width: Int, _ height: Int, pixelBytes: Int, turns: Int
    ) -> (size: PixelSize, pixels: [UInt8]) {
        precondition(pixels.count == width * height * pixelBytes)
        let turns = normalized(turns)
        let new = size(PixelSize(width, height), turns: turns)
        if turns == 0 { return (new, pixels) }
        let turned = [UInt8](unsafeUninitializedCapacity: pixels.count) { output, count in
            pixels.withUnsafeBytes { input in
                let output = UnsafeMutableRawBufferPointer(output)
                switch pixelBytes {
                case 1: turn(input, width, height, turns, into: output, of: UInt8.self)
                case 2: turn(input, width, height, turns, into: output, of: UInt16.self)
                case 3: turn(input, width, height, turns, into: output, of: ThreeBytes.self)
                case 4: turn(input, width, height, turns, into: output, of: UInt32.self)
                default: preconditionFailure("no picture has pixels of \(pixelBytes) bytes")
                }
            }
            count = pixels.count
        }
        return (new, turned)
    }

    private struct ThreeBytes: BitwiseCopyable {
        var bytes: (UInt8, UInt8, UInt8)
    }

    /// A column of the old picture is a row of the new one, so one of the two is always walked across its cache lines.
    /// It is walked in squares, whose lines stay in the L1 cache until all of their pixels are used.
    private static let tile = 64

    @inline(__always)
    private static func turn<Pixel: BitwiseCopyable>(
        _ input: UnsafeRawBufferPointer, _ width: Int, _ height: Int, _ turns: Int,
        into output: UnsafeMutableRawBufferPointer, of pixel: Pixel.Type
    ) {
        guard let input = input.baseAddress, let output = output.baseAddress else { return }
        let stride = MemoryLayout<Pixel>.stride
        // Where the first pixel comes from, and the steps to the next row and column.
        let (start, rowStep, columnStep) =
            switch turns {
            case 1: ((height - 1) * width, 1, -width)
            case 2: (width * height - 1, -width, -1)
            default: (width - 1, -1, width)
            }
        let new = size(PixelSize(width, height), turns: turns)
        for top in Swift.stride(from: 0, to: new.height, by: tile) {
            for left in Swift.stride(from: 0, to: new.width, by: tile) {
                let end = min(left + tile, new.width)
                for y in top..<min(top + tile, new.height) {
                    var from = (start + y * rowStep + left * columnStep) * stride
                    var to = (y * new.width + left) * stride
                    for _ in left..<end {
                        output.storeBytes(
                            of: input.loadUnaligned(fromByteOffset: from, as: pixel), toByteOffset: to, as: pixel)
                        from &+= columnStep &* stride
                        to &+= stride
                    }
                }
            }
        }
    }
}

extension RGBImage {
    /// The picture turned clockwise by so many quarters.
    public func turned(quarterTurns: Int) -> RGBImage {
        let (size, pixels) = QuarterTurn.picture(pixels, width, height, pixelBytes: 3, turns: quarterTurns)
        return RGBImage(width: size.width, height: size.height, pixels: pixels)
    }
}

extension LumaImage {
    public func turned(quarterTurns: Int) -> LumaImage {
        let (size, pixels) = QuarterTurn.picture(pixels, width, height, pixelBytes: 1, turns: quarterTurns)
        return LumaImage(width: size.width, height: size.height, pixels: pixels)
    }
}

extension ConfidenceMap {
    public func turned(quarterTurns: Int) -> ConfidenceMap {
        let (size, values) = QuarterTurn.picture(values, width, height, pixelBytes: 1, turns: quarterTurns)
        return ConfidenceMap(width: size.width, height: size.height, values: values, range: range)
    }
}

extension RecordedDepth {
    /// z-depth is the distance along the optical axis, so turning changes no value.
    public func turned(quarterTurns: Int) -> RecordedDepth {
        let (size, bytes) = QuarterTurn.picture(
            bytes, width, height, pixelBytes: encoding.bytesPerPixel, turns: quarterTurns)
        var turned = RecordedDepth(width: size.width, height: size.height, encoding: encoding, bytes: bytes)
        turned.replaced = replaced
        return turned
    }
}

extension CameraIntrinsics {
    /// The camera of the turned picture: cx' = H − cy and cy' = cx from the corner, for each quarter.
    public func turned(quarterTurns: Int) -> CameraIntrinsics {
        var k = counted(from: .corner)
        for _ in 0..<QuarterTurn.normalized(quarterTurns) {
            k = CameraIntrinsics(
                fx: k.fy, fy: k.fx, cx: Double(k.height) - k.cy, cy: k.cx, width: k.height, height: k.width,
                pixelOrigin: .corner)
        }
        return k.counted(from: pixelOrigin)
    }
}

extension Pose {
    /// The pose of the camera whose picture is turned: it turns about its optical axis and stays where it is. Exact:
    /// columns only change places and signs.
    public func turned(quarterTurns: Int) -> Pose {
        let (x, y, z) = rotation.columns
        return switch QuarterTurn.normalized(quarterTurns) {
        case 1: Pose(rotation: Matrix3(columns: y, -x, z), position: position)
        case 2: Pose(rotation: Matrix3(columns: -x, -y, z), position: position)
        case 3: Pose(rotation: Matrix3(columns: -y, x, z), position: position)
        default: self
        }
    }
}
