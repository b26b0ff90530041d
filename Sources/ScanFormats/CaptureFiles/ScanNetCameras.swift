import ScanModel

/// The two cameras of a ScanNet recording. Matrices are 4×4, row-major, for cameras with x right, y down and z into the
/// scene; principal points count from the centre of the top-left pixel.
///
/// Source: ScanNet, SensReader/c++/src/sensorData.h, and BundleFusion, which aligns colour and depth with them.
package struct ScanNetCameras: Hashable, Sendable {
    package var color: CameraIntrinsics
    /// Nil where none is given: depth then has the colour camera's view.
    package var depth: CameraIntrinsics?
    package var rig = Rig()

    /// Where the cameras are mounted, with our axes. An extrinsic maps a camera's points to the frame that both cameras
    /// share; poses map that frame to the world.
    package struct Rig: Hashable, Sendable {
        package var rigFromColor = Pose.identity
        package var rigFromDepth = Pose.identity

        package var colorFromDepth: Pose { rigFromColor.inverse * rigFromDepth }
    }

    package static func intrinsics(_ m: [Double], _ size: PixelSize) -> CameraIntrinsics {
        CameraIntrinsics(
            fx: m[0], fy: m[5], cx: m[2], cy: m[6], width: size.width, height: size.height, pixelOrigin: .centre)
    }

    /// The same as a 4×4 matrix.
    package static func matrix(_ camera: CameraIntrinsics) -> [Double] {
        let k = camera.counted(from: .centre)
        return [k.fx, 0, k.cx, 0, 0, k.fy, k.cy, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    }

    /// An extrinsic with our axes on both sides. A matrix of zeros was never filled in and means the identity.
    /// - Parameters:
    ///   - camera: what messages call it.
    ///   - file: where the matrix is from.
    /// - Throws: when it is not a rigid motion.
    static func extrinsic(_ m: [Double], of camera: String, in file: String?) throws(Problem) -> Pose {
        if m.allSatisfy({ $0 == 0 }) { return .identity }
        let pose = turned(Pose(rowMajor: m))
        guard let defect = pose.defect else { return pose }
        throw Problem(
            .input, "the \(camera) camera's extrinsics cannot be used: \(defect)",
            fix: "correct them; the identity says that both cameras have one view"
        ).at(file: file)
    }

    /// A motion between two cameras, from our axes to theirs or back.
    package static func turned(_ pose: Pose) -> Pose {
        let (x, y, z) = pose.withCVAxes.rotation.rows
        let t = pose.position
        return Pose(rotation: Matrix3(rows: x, -y, -z), position: Vector3(t.x, -t.y, -t.z))
    }

    /// The depth camera; nil where it is the colour camera's view at another size.
    func depthCamera(_ size: PixelSize) -> DepthCamera? {
        guard let depth else { return nil }
        let same = color.resized(to: size)
        // Tolerances: a fiftieth of a pixel, and the rounding of an identity in single precision.
        let isSameView =
            abs(depth.fx / same.fx - 1) < 1e-4 && abs(depth.fy / same.fy - 1) < 1e-4 && abs(depth.cx - same.cx) < 0.02
            && abs(depth.cy - same.cy) < 0.02
        let colorFromDepth = rig.colorFromDepth
        let (a, b, c) = colorFromDepth.rotation.columns
        let turn = (a - Vector3(1, 0, 0)).length + (b - Vector3(0, 1, 0)).length + (c - Vector3(0, 0, 1)).length
        let isSamePlace = turn < 1e-5 && colorFromDepth.position.length < 1e-5
        if isSameView && isSamePlace { return nil }
        return DepthCamera(intrinsics: depth, colorFromDepth: isSamePlace ? .identity : colorFromDepth)
    }

    /// The depth camera's own view where it has one, else the colour camera's, at the depth map's size.
    package static func depthView(of camera: CameraIntrinsics, _ own: DepthCamera?, _ size: PixelSize)
        -> CameraIntrinsics
    {
        (own?.intrinsics ?? camera).resized(to: size).counted(from: .centre)
    }
}
