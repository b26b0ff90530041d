/// The camera of a depth sensor that is separate from the colour camera, as on the Structure sensor.
///
/// A capture without one has depth that is aligned with its pictures: the same view at another resolution.
public struct DepthCamera: Hashable, Sendable {
    /// For the depth map's own size.
    public var intrinsics: CameraIntrinsics
    /// Takes points from the depth camera to the colour camera, both looking down −Z with +Y up; metres.
    public var colorFromDepth: Pose

    public init(intrinsics: CameraIntrinsics, colorFromDepth: Pose = .identity) {
        self.intrinsics = intrinsics
        self.colorFromDepth = colorFromDepth
    }
}

extension Capture {
    /// The view of a frame's depth map: its camera and pose, from the frame's own, which are the colour camera's. The
    /// intrinsics may be for another size than the map's; ``Unprojection`` scales them.
    public func depthView(camera: CameraIntrinsics, pose: Pose) -> CameraView {
        guard let depthCamera else { return CameraView(camera: camera, pose: pose) }
        return CameraView(camera: depthCamera.intrinsics, pose: pose * depthCamera.colorFromDepth)
    }

    /// The points of a frame's depth map, with the colours of its picture if there is one.
    /// - Parameter view: the frame's own, which is the colour camera's.
    /// - Returns: the points, and whether the picture has the colour of each; nil where it has them all, or there is none.
    package func points(
        of depth: DepthMap, every: Int = 1, seenBy view: CameraView, centre: PixelCentre, picture: RGBImage?,
        withNormals: Bool = false
    ) -> (points: PointCloud, isPainted: [Bool]?) {
        let depthView = depthView(camera: view.camera, pose: view.pose)
        let unprojection = Unprojection(
            camera: depthView.camera, pose: depthView.pose, width: depth.width, height: depth.height, centre: centre)
        let isAligned = depthCamera == nil
        var points = unprojection.points(
            of: depth, every: every, picture: isAligned ? picture : nil, withNormals: withNormals)
        let isPainted = isAligned ? nil : picture.map { points.paint(from: $0, seenBy: view) }
        return (points, isPainted)
    }
}
