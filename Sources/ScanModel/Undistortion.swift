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
    /// As far as places in 64ths of a pixel can be reckoned in single precision; JPEG goes no further either.
    static let longestSide = 65_535

    /// - Throws: when the lens cannot be undone over enough of the picture, so that its numbers must be wrong; when the picture
    ///   is longer than 65,535 pixels.
    public init(_ recorded: CalibratedCamera) throws(Problem) {
        self.recorded = recorded
        let size = recorded.intrinsics.size
        guard max(size.width, size.height) <= Self.longestSide else {
            throw Problem(.input, "the lens distorts a picture of \(size); the most is \(Self.longestSide) on a side")
        }
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
