import Glibc

/// Where pixel coordinates start: what (0, 0) means for a principal point.
public enum PixelOrigin: String, Hashable, Sendable, CaseIterable {
    /// The top-left corner of the top-left pixel, whose centre is (0.5, 0.5): COLMAP, nerfstudio.
    case corner
    /// The centre of the top-left pixel: OpenCV, Open3D, ARKit.
    case centre

    /// What ARKit's cameras count from. Sources: ARCamera.h, on `intrinsics`, “The origin is at the center of the
    /// upper-left pixel”; and the `projectionMatrix` of recordings, whose third column is 1 − 2 · (cx + ½) / width to the
    /// last digit. What Apple documents for another class, `AVCameraCalibrationData`, is the corner.
    public static let arKit = PixelOrigin.centre
}

/// A pinhole camera. `fx`, `fy`, `cx`, `cy` are pixels of a picture of `width` × `height`.
///
/// A point (x right, y down, z into the scene) is seen at u = fx·x/z + cx, v = fy·y/z + cy.
public struct CameraIntrinsics: PixelSized, Hashable, Sendable {
    public var fx: Double
    public var fy: Double
    public var cx: Double
    public var cy: Double
    public var width: Int
    public var height: Int
    public var pixelOrigin: PixelOrigin

    public init(
        fx: Double, fy: Double, cx: Double, cy: Double, width: Int, height: Int, pixelOrigin: PixelOrigin
    ) {
        self.fx = fx
        self.fy = fy
        self.cx = cx
        self.cy = cy
        self.width = width
        self.height = height
        self.pixelOrigin = pixelOrigin
    }

    /// The same camera with its principal point counted from `origin`.
    public func counted(from origin: PixelOrigin) -> CameraIntrinsics {
        guard origin != pixelOrigin else { return self }
        var copy = self
        let shift = origin == .corner ? 0.5 : -0.5
        copy.cx += shift
        copy.cy += shift
        copy.pixelOrigin = origin
        return copy
    }

    /// The same view at another size: K' = diag(w'/w, h'/h, 1)·K for a corner origin; for a centre origin
    /// c' = s·(c + ½) − ½, which is the same with the origin half a pixel further on.
    public func resized(to size: PixelSize) -> CameraIntrinsics {
        let sx = Double(size.width) / Double(width)
        let sy = Double(size.height) / Double(height)
        var k = counted(from: .corner)
        k.fx *= sx
        k.cx *= sx
        k.fy *= sy
        k.cy *= sy
        (k.width, k.height) = (size.width, size.height)
        return k.counted(from: pixelOrigin)
    }

    /// The point that is seen at a pixel, in the coordinates of the camera's own pixel origin, at a depth along the optical
    /// axis: metres in the camera's axes, x right, y up, z towards the viewer. ``CameraView/project(_:)`` is the inverse.
    package func point(u: Double, v: Double, depth: Double) -> Vector3 {
        Vector3((u - cx) / fx * depth, (cy - v) / fy * depth, -depth)
    }

    /// Why no picture can have this camera, or nil.
    public var defect: String? {
        guard fx.isFinite, fy.isFinite, cx.isFinite, cy.isFinite else { return "the intrinsics are not finite" }
        // Wide limits, within which every point of a depth pixel stays finite in single precision.
        guard min(fx, fy) >= 1e-3, max(fx, fy) <= 1e9 else { return "the focal length is \(fx) × \(fy)" }
        guard max(abs(cx), abs(cy)) <= 1e9 else { return "the principal point is \(cx), \(cy)" }
        return nil
    }

    /// The angles from the left edge of the picture to its right one, and from top to bottom, with the principal point in
    /// the middle: degrees.
    package var fieldsOfView: (across: Double, down: Double) {
        (Self.fieldOfView(across: width, focalLength: fx), Self.fieldOfView(across: height, focalLength: fy))
    }

    /// The same of one side, which is so many pixels long as the focal length is given in.
    package static func fieldOfView(across side: Int, focalLength: Double) -> Double {
        2 * atan(0.5 * Double(side) / focalLength) * 180 / .pi
    }

    /// What the lenses of phones see: degrees.
    package static let viewsOfPhones = 2.0...150.0

    /// Whether a phone's lens may have this focal length.
    package var isOfPhone: Bool {
        let (across, down) = fieldsOfView
        return Self.viewsOfPhones.contains(across) && Self.viewsOfPhones.contains(down)
    }

    /// How far off the axis the farthest edge of the picture is seen: degrees.
    package var widestAngle: Double {
        let across = max(abs(cx), abs(Double(width) - cx)) / fx
        let down = max(abs(cy), abs(Double(height) - cy)) / fy
        return atan(max(across, down)) * 180 / .pi
    }

    /// The camera matrix K of (u, v, 1) ~ K · (x, y, z), one row after the other.
    package var matrixRows: [[Double]] { [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] }

    /// The nine numbers of the camera matrix row by row.
    package var rowMajor: [Double] { matrixRows.flatMap(\.self) }

    /// The nine numbers of the camera matrix column by column, as ARKit's `simd_float3x3` lies in memory.
    package var columnMajor: [Double] { [fx, 0, 0, 0, fy, 0, cx, cy, 1] }

    /// Why nine numbers are no camera matrix row by row, or nil: most often they are one column by column.
    public static func layoutDefect(rowMajor k: [Double]) -> String? {
        precondition(k.count == 9)
        return isMatrix(k[0], zeros: k[1], k[3], k[6], k[7], one: k[8])
            ? nil : "the intrinsics are not fx 0 cx, 0 fy cy, 0 0 1 (row by row)"
    }

    /// The same for nine numbers column by column.
    public static func layoutDefect(columnMajor k: [Double]) -> String? {
        precondition(k.count == 9)
        return isMatrix(k[0], zeros: k[1], k[2], k[3], k[5], one: k[8])
            ? nil : "the intrinsics are not fx 0 0, 0 fy 0, cx cy 1 (column by column)"
    }

    private static func isMatrix(_ focal: Double, zeros: Double..., one: Double) -> Bool {
        let slack = 1e-6 * max(1, abs(focal))
        return zeros.allSatisfy { abs($0) <= slack } && abs(one - 1) <= 1e-3
    }
}
