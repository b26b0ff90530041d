/// Turns pictures seen through a lens that distorts into those of a pinhole camera.
///
/// Unless another camera is asked for, the new one keeps the size and the principal point; both focal lengths are
/// multiplied by one number, the smallest with which every new pixel was seen, so that nothing is blank and as little as
/// possible is cut away. Colours are interpolated between the four nearest pixels, and so is depth where these see one
/// surface; confidence and masks, which must not be mixed, come from the nearest one.
public struct Undistortion: Hashable, Sendable {
    /// Of the pictures as recorded.
    public let recorded: CalibratedCamera
    /// Of the new ones.
    public let camera: CameraIntrinsics

    /// New focal lengths, as multiples of the recorded ones. At half, a picture's middle has half the recorded resolution:
    /// what a fisheye sees beyond that is cut away. Beyond four, so little of the picture is left that the numbers can
    /// hardly be a real lens's.
    static let scaleLimits = 0.5...4.0
    /// How long a step away from the axis must at least appear, as a share of its length in a pinhole camera. A fisheye
    /// squeezes what is 82° off its axis that much.
    static let leastGrowth = 0.02
    /// As far as single precision can hold places in 64ths of a pixel; JPEG goes no further either.
    static let longestSide = 65_535

    /// For a pinhole camera: there is nothing to undo.
    public init(straight camera: CameraIntrinsics) { self.init(CalibratedCamera(camera), to: camera) }

    /// To a camera of any focal length and principal point; what it sees beyond the recorded picture repeats its border.
    public init(_ recorded: CalibratedCamera, to camera: CameraIntrinsics) {
        self.recorded = recorded
        self.camera = camera
    }

    /// - Throws: when the lens cannot be undone over enough of the picture, so that its numbers must be wrong; when its axis
    ///   does not meet the picture; when the picture is longer than 65,535 pixels.
    public init(of recorded: CalibratedCamera) throws(Problem) {
        var new = recorded.intrinsics
        if !recorded.lens.isStraight {
            let scale = try Self.leastScale(of: new, seenBy: recorded)
            new.fx *= scale
            new.fy *= scale
        }
        self.init(recorded, to: new)
    }

    /// What the focal lengths of a camera must be multiplied by, at least, so that all it sees was recorded, and that they
    /// are half of the recorded ones.
    /// - Parameter camera: for pictures of the recorded size.
    /// - Throws: as ``init(of:)``.
    public static func leastScale(
        of camera: CameraIntrinsics, seenBy recorded: CalibratedCamera
    ) throws(Problem) -> Double {
        let size = recorded.intrinsics.size
        let (new, old) = (camera.counted(from: .corner), recorded.intrinsics.counted(from: .corner))
        guard max(size.width, size.height) <= Self.longestSide else {
            throw Problem(
                .input, "a picture of \(size) cannot be undistorted; the most is \(Self.longestSide) on a side")
        }
        guard (0...Double(size.width)).contains(old.cx), (0...Double(size.height)).contains(old.cy) else {
            throw Problem(
                .input,
                "the principal point \(old.cx.shortText), \(old.cy.shortText) lies outside of the picture, which is "
                    + "\(size), so it cannot be undistorted",
                fix: Self.wayToMend)
        }
        let border = Self.border(of: size)
        let fits = { (scale: Double) in
            border.allSatisfy { u, v in
                let (x, y) = ((u - new.cx) / (new.fx * scale), (v - new.cy) / (new.fy * scale))
                return Self.sees(x, y, recorded.lens, old)
            }
        }
        // A camera that is asked for may have other focal lengths than the recorded one.
        let ratio = max(old.fx / new.fx, old.fy / new.fy)
        var (no, yes) = (Self.scaleLimits.lowerBound * ratio, Self.scaleLimits.upperBound * ratio)
        guard fits(yes) else {
            if recorded.lens.isStraight {
                throw Problem(
                    .input,
                    "the principal point \(old.cx.shortText), \(old.cy.shortText) is so far from the new one, "
                        + "\(new.cx.shortText), \(new.cy.shortText), that next to nothing of the picture would be left",
                    fix: Self.wayToMend)
            }
            throw Problem(
                .input,
                "the lens (\(recorded.lens)) would fold the picture, or show next to nothing in it, so its distortion "
                    + "cannot be undone",
                fix: "calibrate the camera again")
        }
        if fits(no) { yes = no }
        // Of absurd focal lengths the ratio is so large that no two numbers near it are as close as that.
        while yes - no > max(1e-9, yes.ulp) {
            let middle = (no + yes) / 2
            if fits(middle) { yes = middle } else { no = middle }
        }
        return yes
    }

    private static let wayToMend =
        "check whether the intrinsics are for pictures of another size, or for pictures that were cropped"

    /// Whether pictures stay as they are.
    public var changesNothing: Bool {
        recorded.lens.isStraight && camera.counted(from: .corner) == recorded.intrinsics.counted(from: .corner)
    }

    /// What the focal length along rows was multiplied by.
    public var scale: Double { camera.fx / recorded.intrinsics.fx }

    /// How much of the recorded picture's area the new one shows.
    public var shareLeft: Double {
        let (old, new) = (recorded.intrinsics.counted(from: .corner), camera.counted(from: .corner))
        let seen = Self.border(of: recorded.intrinsics.size).map { u, v in
            let place = recorded.lens.distorted((u - new.cx) / new.fx, (v - new.cy) / new.fy)
            return (x: old.fx * place.x, y: old.fy * place.y)
        }
        // The area of a polygon, by its corners in their order.
        let twice = zip(seen, seen.dropFirst() + seen.prefix(1)).reduce(0.0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y }
        return abs(twice) / 2 / Double(old.width * old.height)
    }

    /// The centres of some of the pixels along a picture's border, from the corner, once around.
    private static func border(of size: PixelSize) -> [(u: Double, v: Double)] {
        let (right, bottom) = (Double(size.width) - 0.5, Double(size.height) - 0.5)
        let parts = (0..<32).map { Double($0) / 32 }
        let across = parts.map { 0.5 + $0 * (right - 0.5) }
        let down = parts.map { 0.5 + $0 * (bottom - 0.5) }
        // Each side ends where the next one begins.
        let upper = across.map { (u: $0, v: 0.5) } + down.map { (u: right, v: $0) }
        return upper + across.map { (u: right + 0.5 - $0, v: bottom) } + down.map { (u: 0.5, v: bottom + 0.5 - $0) }
    }

    /// Whether a direction is seen within the picture, and everything between it and the optical axis is seen nearer
    /// the axis. A ray must not be squeezed to nothing at its end, where pictures fold: a little beyond, it is still
    /// seen farther out.
    private static func sees(_ x: Double, _ y: Double, _ lens: LensDistortion, _ camera: CameraIntrinsics) -> Bool {
        let seen = lens.distorted(x, y)
        let (u, v) = (camera.fx * seen.x + camera.cx, camera.fy * seen.y + camera.cy)
        guard u >= 0, v >= 0, u <= Double(camera.width), v <= Double(camera.height) else { return false }
        let length = (x * x + y * y).squareRoot()
        // Neither the axis nor a pinhole's picture is folded.
        if length == 0 || lens.isStraight { return true }
        func distance(_ part: Double) -> Double {
            let seen = lens.distorted(part * x, part * y)
            return (seen.x * seen.x + seen.y * seen.y).squareRoot()
        }
        let steps = 16
        var last = 0.0
        for step in 1...steps {
            let next = distance(Double(step) / Double(steps))
            guard next > last else { return false }
            last = next
        }
        return distance(1.001) - last > Self.leastGrowth * 0.001 * length
    }
}
