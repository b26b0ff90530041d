import ScanModel
import ScanPipeline

/// Turns depth pixels into points in the world.
public struct Unproject: FrameStage {
    public static let card = StageCard(
        name: "unproject",
        summary: "Turn each depth pixel into a point in the world, with its colour where there are pictures.",
        details: """
            Depth is z-depth: the distance along the optical axis. With K scaled from the picture to the depth map,
            K_depth = diag(w_d / w_c, h_d / h_c, 1) · K, a pixel (u, v) of depth z becomes R · ((u − cx) / fx · z, −(v −
            cy) / fy · z, −z) + t.

            `pixel-centre: integer` takes u and v as whole numbers and cx and cy as recorded, which is MultiScan's rule;
            `half` takes the middle of each pixel, from wherever the format counts principal points: that is exact. For
            MultiScan's captures the two differ by 0.43 depth pixels, some 5 mm at 2 m; for depth of the pictures' size
            they differ by half a pixel where principal points are counted from the corner (COLMAP), and are the same
            where they are counted from the first pixel's centre (ARKit, OpenCV). Use `half` unless you compare with
            MultiScan's server.

            The colour of depth pixel u is that of the picture at floor((u + ½) · w_c / w_d).

            A depth sensor with a camera of its own (ScanNet) uses that camera's intrinsics and pose, and a point's
            colour is that of the picture's pixel on which it falls; grey 128 outside the picture. What is hidden from
            the colour camera, such as the wall behind a chair's edge, may take the colour of what hides it.

            With `normals: true` each point knows in which direction the surface faces there, towards the camera:
            Poisson reconstruction and other tools that make a mesh of points need that. The normal is that of the plane
            that fits 1 / depth of 5 × 5 neighbouring pixels best, two pixels apart in a map of 256 × 192 (of a plane, 1
            / depth is linear across the picture); neighbours that are nearer or farther by more than 3 % belong to
            another surface. A point with fewer than five such neighbours, such as a speck or a surface that is seen at
            a grazing angle of less than 10° to 17°, has the normal 0, 0, 0, which stands for an unknown one.
            `voxel-downsample` takes the mean direction, which evens out the sensor's noise, and `write-ply` writes nx,
            ny, nz.

            The points replace any earlier cloud, such as the one that a dataset brings along.
            """,
        example: "- unproject: {every: 2}", revision: 4)

    let every: Int
    let centre: PixelCentre
    let isColored: Bool
    let hasNormals: Bool

    public init(_ options: inout OptionReader) {
        every = options.integer("every", "Use each n-th row and column of the depth map.", default: 1, in: 1...1024)
        centre = options.choice("pixel-centre", "Where a depth pixel's coordinates are taken.", default: .integer)
        isColored = options.flag("color", "Give points their colour when the capture has pictures.", default: true)
        hasNormals = options.flag("normals", "Give points the direction in which their surface faces.", default: false)
    }

    public var uses: Uses {
        Uses(
            frame: .init(
                needs: [.depth, .pose, .intrinsics], wants: isColored ? [.color] : [], makes: [.points],
                removes: [.cloud]))
    }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        let depth = try frame.requiredDepth
        let pose = try frame.facts.requiredPose
        let camera = try frame.facts.requiredIntrinsics
        let picture = isColored && context.available.contains(.color) ? try frame.loadRGB(context) : nil
        let view = CameraView(camera: camera, pose: pose)
        let (points, _) = context.capture.points(
            of: depth, every: every, seenBy: view, centre: centre, picture: picture, withNormals: hasNormals)
        context.count("points", points.count)
        if let count = points.unknownNormalCount { context.count("points-without-normal", count) }
        if let doubt = PointCloud.coarseness(at: pose.position) { context.warn(doubt) }
        if context.available.contains(.cloud) {
            context.note("the points take the place of the cloud that was there before")
        }
        frame.points = points
    }
}
