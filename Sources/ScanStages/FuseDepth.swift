import ScanModel
import ScanPipeline

/// Makes one surface of the depth of all frames.
public struct FuseDepth: ParcelStage {
    public static let card = StageCard(
        name: "fuse-depth",
        summary: "Fuse the depth of all frames into one surface, as a mesh of triangles.",
        details: """
            This is TSDF fusion, as Open3D's and KinectFusion's: a grid of samples near the surface, each of which holds
            its mean signed distance to what the frames saw; marching cubes make the surface where it changes sign. For
            each frame, a sample's distance is the depth of its pixel minus its own depth, at most `truncation`; samples
            more than `truncation` behind the surface are not updated. The mean over the frames evens out the sensor's
            noise.

            `carve` leaves out what more frames looked through than saw, such as somebody who walked by, or points that
            hang in the air behind an edge. Carving works on blocks of 8 voxels. A frame looks through a block if it
            shows the block and one voxel around it whole, and every pixel there, but for one in sixteen that may have
            no depth, lies behind it. So no frame carves what is within a voxel of something that it shows. Depending on
            where the blocks lie, what is up to a block farther off may stay as well; `min-frames` helps where few
            frames saw it. What has no depth in most frames may be carved, such as a pane of glass, or a thin pole that
            the sensor misses from afar: `carve: false` keeps it. Where a pixel covers more than a block, for 256 × 192
            pixels beyond 34 m at voxels of 0.02 m, nothing is carved, and beyond 10 m what was seen there is no surface
            either: usually it is a number that means “nothing measured”. The receipt counts such pixels as
            `pixels-too-far` of all `pixels`, and there is a warning above 1 %. A frame whose intrinsics make it see
            more than 75° off its axis is bad.

            `voxel` decides how fine the surface is, and what it costs: halving it takes four times the memory and time.
            A room of 4 × 3 m at 0.02 m takes some 60 MB. The depth of a phone's LiDAR is good enough for 0.01 m close
            up, and for 0.02 m in rooms.

            `truncation` must be larger than the error of the depth: if it is too small, a wall that was recorded twice
            with a drift between becomes two (`correct-drift` above takes drift out of the poses); if it is too large,
            thin things vanish, since their two sides cancel out. The surface has an edge where the recording ends;
            holes are not closed.

            The mesh has the mean colours of the first 255 frames that saw each place, and normals. Mask the depth
            first: put `mask-confidence` and `mask-range` above. For a single object put `cull-by-box` or `crop` below;
            `cull-by-box: {depth: true, pixel-centre: half}` above is faster, but carves less, since nothing is known
            then of what was seen past the object. `write-mesh` writes it. The receipt counts `vertices` and
            `triangles`, has the `area` in m², and says how many pieces were left out as `small-pieces`, and in how many
            blocks surface was carved away as `carved-blocks`. Where the world's unit is unknown, `is-metric` is false.

            A capture of whose depth nothing is left fails here; `if-empty` of a `cull-by-box` above does not change
            that.

            The result does not depend on the number of workers: frames are added in order.

            Source: B. Curless, M. Levoy, “A volumetric method for building complex models from range images”, SIGGRAPH 1996.
            """,
        example: "- fuse-depth: {voxel: 0.01}",
        revision: 7)

    let layout: VolumeLayout
    let minFrames: Int
    let minPiece: Int
    let carves: Bool
    let isColored: Bool
    let centre: PixelCentre
    private let isMasked: Bool

    public init(_ options: inout OptionReader) {
        let voxel = options.number(
            "voxel", "Distance between two samples of the grid.", default: 0.02, in: 0.0001...100, usual: 0.001...0.5,
            unit: "m")
        let truncation = options.number(
            "truncation", "How far from a surface distances are told apart, in voxels.", default: 4, in: 2...32)
        layout = VolumeLayout(voxel: voxel, truncation: truncation * voxel)
        minFrames = options.integer(
            "min-frames", "Leave out surface that fewer frames than this have seen.", default: 2, in: 1...10_000)
        minPiece = options.integer(
            "min-piece", "Leave out separate pieces of fewer triangles than this.",
            default: 100, in: 0...1_000_000_000)
        carves = options.flag("carve", "Leave out what more frames looked through than saw.", default: true)
        isColored = options.flag("color", "Give the mesh colours when the capture has pictures.", default: true)
        centre = options.choice("pixel-centre", "Where a depth pixel's coordinates are taken.", default: .half)
        let isCut = options.value(of: "depth", above: CullByBox.self) == .bool(true)
        let masks: [any Stage.Type] = [MaskConfidence.self, MaskRange.self, MaskJumps.self]
        isMasked = isCut || masks.contains { options.isBelow($0) }
        let makers: [any Stage.Type] = [Unproject.self] + (isCut ? [CullByBox.self] : [])
        for stage in makers {
            guard let other = options.value(of: "pixel-centre", above: stage)?.string, other != centre.rawValue else {
                continue
            }
            options.warn(
                "pixel-centre",
                "`pixel-centre` is `\(centre.rawValue)`, and `\(other)` in the `\(stage.card.name)` above: the mesh "
                    + "lies half a depth pixel away from what that makes",
                fix: "set  pixel-centre: \(centre.rawValue)  there")
        }
        let cutters: [any Stage.Type] = [CullByBox.self, Crop.self]
        for stage in cutters where options.isBelow(stage) && !isCut {
            options.warn(
                nil, "the `\(stage.card.name)` above removes points but no depth, so the mesh shows everything",
                fix: "move it below for a mesh of what it leaves")
        }
    }

    public var uses: Uses {
        Uses(
            frame: .init(needs: [.depth, .pose, .intrinsics], wants: isColored ? [.color] : []),
            fold: .init(makes: [.mesh]))
    }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> VolumeFrame {
        let depth = try frame.requiredDepth
        let pose = try frame.facts.requiredPose
        let camera = try frame.facts.requiredIntrinsics
        let picture = isColored && context.available.contains(.color) ? try frame.loadRGB(context) : nil
        let view = context.capture.depthView(camera: camera, pose: pose)
        try Self.requirePinhole(view.camera)
        let (points, isPainted) = context.capture.points(
            of: depth, seenBy: CameraView(camera: camera, pose: pose), centre: centre, picture: picture)
        if let doubt = PointCloud.coarseness(at: view.pose.position) { context.warn(doubt) }
        let part = VolumeFrame(
            depth, points: points, isPainted: isPainted, view: view, centre: centre, carves: carves, in: layout)
        context.count("pixels", points.count)
        if part.beyondCount > 0 { context.count("pixels-too-far", part.beyondCount) }
        return part
    }

    /// The surface of a frame that saw to the side is larger than memory.
    private static func requirePinhole(_ camera: CameraIntrinsics) throws(Problem) {
        guard camera.widestAngle > widestAngle else { return }
        throw Problem(
            .input,
            "its depth would reach \(camera.widestAngle.shortText(digits: 3))° away from the camera's axis, beyond "
                + "any pinhole camera",
            fix: "see with  scanmill inspect  whether the intrinsics are right")
    }

    /// Degrees from the axis to the middle of the picture's farthest side. Beyond, neighbouring pixels lie so far apart
    /// that each opens blocks of its own, and a few dozen frames take gigabytes.
    private static let widestAngle = 75.0

    public func begin(_ context: StageContext) -> DistanceVolume {
        DistanceVolume(layout, hasColor: isColored && context.available.contains(.color))
    }

    public func fold(
        _ part: VolumeFrame, of frame: inout Frame, into volume: inout DistanceVolume, in context: StageContext
    ) {
        volume.add(part)
    }

    public func end(
        _ volume: consuming DistanceVolume, _ capture: inout Capture, in context: StageContext
    ) throws(Problem) {
        context.recordUnlessMetric(capture)
        context.warnUnlessMetric(capture, "a voxel of \(OptionText.number(layout.voxel)) m may be anything")
        var (mesh, carvedBlocks) = volume.surface(minFrames: minFrames)
        let found = mesh.triangleCount
        if carves { context.count("carved-blocks", carvedBlocks) }
        context.count("small-pieces", mesh.removePieces(smallerThan: minPiece))
        guard mesh.triangleCount > 0 else { throw nothingLeft(of: found, volume, context) }
        context.count("vertices", mesh.vertices.count)
        context.count("triangles", mesh.triangleCount)
        warnOfFar(context)
        context.record("area", .number(mesh.area))
        capture.mesh = mesh
        capture.channels.insert(.mesh)
    }

    /// Where much of the depth is that far away, it may be none.
    private func warnOfFar(_ context: StageContext) {
        let (all, far) = (context.counted("pixels"), context.counted("pixels-too-far"))
        guard Double(far) > 0.01 * Double(all) else { return }
        let percent = (100 * Double(far) / Double(all)).shortText(digits: 2)
        context.warn(
            "\(percent) % of \(all) depth pixels are so far away that one covers more than eight voxels, and became no "
                + "surface; see with  scanmill inspect  whether they mean \u{201C}nothing measured\u{201D}, or make the "
                + "voxels larger")
    }

    /// Whether something would be left without carving.
    private func isCarvedAway(_ volume: borrowing DistanceVolume) -> Bool {
        var uncarved = volume.surface(minFrames: minFrames, carving: false).mesh
        _ = uncarved.removePieces(smallerThan: minPiece)
        return uncarved.triangleCount > 0
    }

    /// - Parameter found: how many triangles there were before small pieces were left out.
    private func nothingLeft(of found: Int, _ volume: borrowing DistanceVolume, _ context: StageContext) -> Problem {
        func setting(_ option: String, _ value: Int) -> String {
            ShellWord.setting(context.label, "\(option)=\(value)")
        }
        if carves && isCarvedAway(volume) {
            return Problem(
                .input, "more frames looked through the surface than saw it, so it was carved away",
                notes: ["that happens when the poses do not fit the depth"]
                    + (found > 0 ? ["the pieces that are left have fewer than \(minPiece) triangles"] : []),
                fix: "put check-geometry above, or leave it uncarved with  "
                    + ShellWord.setting(context.label, "carve=false"))
        }
        if found > 0 {
            return Problem(
                .input, "all pieces of the surface have fewer than \(minPiece) triangles: nothing would be left of it",
                fix: "make the voxels smaller, or keep small pieces with  \(setting("min-piece", 0))")
        }
        if volume.blockCount == 0, context.counted("pixels-too-far") > 0 {
            return Problem(
                .input, "all depth is so far away that one pixel covers more than eight voxels",
                notes: ["a voxel is \(OptionText.number(layout.voxel)) m"],
                fix:
                    "see with  scanmill inspect  whether the depth's unit and the intrinsics are right, or make the voxels "
                    + "larger")
        }
        if volume.blockCount == 0 {
            return Problem(
                .input, "no pixel with depth is left, so there is no surface",
                fix: isMasked
                    ? "loosen the masks and boxes above \(context.label)"
                    : "see with  scanmill inspect  whether the recorded depth is empty")
        }
        if volume.frameCount < minFrames {
            return Problem(
                .input,
                "\(volume.frameCount.counted("frame")) with depth cannot show a surface that \(minFrames) have seen",
                fix: "keep more frames above \(context.label), or accept one with  \(setting("min-frames", 1))")
        }
        return Problem(
            .input, "no surface was seen by \(minFrames.counted("frame")) from the same side",
            notes: ["a voxel is \(OptionText.number(layout.voxel)) m"],
            fix: "see with measure-depth and check-geometry whether the depth's unit, the intrinsics and the poses are "
                + "right; voxels must be smaller than what was filmed"
                + (minFrames > 1 ? "; or accept one frame with  \(setting("min-frames", 1))" : ""))
    }
}
