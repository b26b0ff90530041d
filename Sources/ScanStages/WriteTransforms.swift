import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a nerfstudio dataset.
public struct WriteTransforms: FrameStage, FoldStage {
    public enum Masks: String, CaseIterable, Sendable { case none, silhouette, depth }

    public static let card = StageCard(
        name: "write-transforms",
        summary: "Write a NeRF dataset: nerf/transforms.json with its pictures, points, and perhaps depth and masks.",
        details: """
            The layout is nerfstudio's. Focal lengths, principal point and size stand with every frame and never at the
            top, because a phone's autofocus changes them and nerfstudio would take the top ones for all. The principal
            point is counted from the corner of the top-left pixel. Names are padded with zeros, because the loader sorts
            them as text.

            Pictures are copied byte for byte; frames of a video become JPEG (quality 95, 4:4:4) or PNG. With `z-up` the
            world is turned from y-up to z-up, (x, −z, y); `applied_transform` always says what was done, and
            `orientation_override: none` keeps a trainer from tipping gravity again. The points, if a stage above makes
            any, are written in the same frame to `points.ply`; grey 128 where they have no colour.

            `depth` writes 16-bit PNGs in millimetres at the depth map's size, 0 for "no value" and beyond 65.535 m; a
            frame without depth gets zeros and is counted. `masks` are 8-bit, 0 = ignore: `silhouette` is 255 where the
            pixel's ray meets the box in front of the camera, `depth` where the pixel's depth point lies in the box.

            `test-every: 8` puts every 8th frame into the test and validation lists and all others into the training list.
            """,
        example: "- write-transforms: {masks: silhouette, test-every: 8}")

    let output: PictureOutput
    let isZUp: Bool
    let writesDepth: Bool
    let masks: Masks
    let testEvery: Int

    /// Every path of the dataset begins here.
    private static let folder = "nerf"

    public init(_ options: inout OptionReader) {
        output = PictureOutput(&options, default: .copy)
        isZUp = options.flag("z-up", "Turn a y-up world so that z is up.", default: true)
        writesDepth = options.flag("depth", "Write depth as 16-bit PNGs in millimetres.", default: false)
        masks = options.choice("masks", "Write masks of what lies in the box.", default: .none)
        testEvery = options.integer(
            "test-every", "Hold out every n-th frame for testing; 0 holds out none.", default: 0, in: 0...1_000_000)
        if testEvery == 1 { options.fail("test-every", "`test-every: 1` leaves no frame for training") }
    }

    public var uses: Uses {
        var needs: [Channel] = [.color, .pose, .intrinsics]
        if masks != .none { needs.append(.box) }
        if masks == .depth || writesDepth { needs.append(.depth) }
        return Uses(
            frame: .init(needs: needs), fold: .init(prefers: [[.cloud, .points]]), claims: ["\(Self.folder)/"])
    }

    // MARK: - Each frame, in parallel

    /// What `transforms.json` says of a frame.
    fileprivate struct Entry: Sendable {
        var picture: String
        var mask: String?
        var depth: String?
        var camera: CameraIntrinsics
        var pose: Pose
    }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        guard let pose = frame.pose, let intrinsics = frame.intrinsics else {
            throw Problem(.input, "the frame has no pose or no intrinsics")
        }
        let camera = intrinsics.counted(from: .corner)
        let name = FrameName.padded(frame.index)
        let picture = try output.write(&frame, to: "\(Self.folder)/images/\(name)", context)
        var entry = Entry(picture: Self.inside(picture), camera: camera, pose: pose)
        if writesDepth {
            entry.depth = "depths/\(name).png"
            try writeDepth(&frame, context, "depths/\(name).png")
        }
        if let mask = try mask(frame, camera, pose, context) {
            entry.mask = "masks/\(name).png"
            try context.output.write(try PNG.encodeGray8(mask), for: &frame, to: "\(Self.folder)/masks/\(name).png")
        }
        frame.parcels[context.label] = entry
    }

    private func writeDepth(_ frame: inout Frame, _ context: StageContext, _ path: String) throws(Problem) {
        let size = context.capture.depthSize ?? PixelSize(1, 1)
        let map =
            frame.alignedDepth(context)
            ?? DepthMap(
                width: size.width, height: size.height, metres: Array(repeating: 0, count: size.width * size.height))
        if frame.depth == nil { context.count("frames-without-depth", 1) }
        let (image, overflow) = DepthCodec.millimetres(map, rounding: .nearest)
        if overflow > 0 { context.count("depth-pixels-too-far", overflow) }
        let png = try PNG.encodeGray16(image)
        try context.output.write(png, for: &frame, to: "\(Self.folder)/\(path)")
    }

    private func mask(
        _ frame: Frame, _ camera: CameraIntrinsics, _ pose: Pose, _ context: StageContext
    ) throws(Problem) -> LumaImage? {
        guard masks != .none, let box = context.capture.box else { return nil }
        switch masks {
        case .none: return nil
        case .silhouette: return BoxMask.silhouette(of: box, camera: camera, pose: pose)
        case .depth:
            guard let depth = frame.alignedDepth(context) else { throw Problem(.input, "the frame has no depth") }
            return BoxMask.depth(depth, in: box, camera: camera, pose: pose)
        }
    }

    // MARK: - In frame order

    /// The entries so far, and the points where they come frame by frame.
    public struct Fold {
        fileprivate var entries: [Entry] = []
        fileprivate var points: PointFile?
    }

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        var fold = Fold()
        if context.reads.contains(.points) && context.available.contains(.points) {
            fold.points = try PointFile(
                context, path: "\(Self.folder)/points.ply", turn: worldTurn(context), colorless: .grey)
        }
        return fold
    }

    public func fold(_ frame: inout Frame, into fold: inout Fold, in context: StageContext) throws(Problem) {
        if let entry = frame.parcels.removeValue(forKey: context.label) as? Entry { fold.entries.append(entry) }
        if let points = frame.points { try fold.points?.add(points) }
    }

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        let turn = worldTurn(context)
        var points = fold.points?.count
        if let file = fold.points {
            try file.close()
        } else if let cloud = capture.cloud, context.reads.contains(.cloud) {
            try PointFile.write(
                cloud, context, path: "\(Self.folder)/points.ply", turn: turn, colorless: .grey)
            points = cloud.count
        }
        if let points {
            context.count("points", points)
            Self.warning(points: points).map(context.warn)
        }
        if isZUp && capture.worldUp == nil {
            context.warn("the capture does not say which way is up, so its world was not turned")
        }
        if !capture.isMetric { context.warn("the world's unit is unknown: the dataset is not in metres") }
        context.count("frames", fold.entries.count)
        let file = try context.output.create("\(Self.folder)/transforms.json")
        try file.write(transforms(fold.entries, turn, hasPoints: points != nil))
        try file.close()
    }

    package static func warning(points: Int) -> String? {
        if points == 0 { return "points.ply holds no points: the stages above left none" }
        guard points > 1_000_000 else { return nil }
        return "points.ply holds \(points) points, and trainers start slowly with more than a million; "
            + "put voxel-downsample above, or raise its size"
    }

    private func transforms(_ entries: [Entry], _ turn: WorldTurn, hasPoints: Bool) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("camera_model", .string("PINHOLE"))
            json.member("orientation_override", .string("none"))
            json.member("applied_transform", .array(turn.rows.map { .of($0) }))
            if hasPoints { json.member("ply_file_path", .string("points.ply")) }
            if testEvery > 0 {
                let isHeldOut = { (number: Int) in number % testEvery == 0 }
                let held = entries.indices.filter(isHeldOut).map { entries[$0].picture }
                let train = entries.indices.filter { !isHeldOut($0) }.map { entries[$0].picture }
                json.member("train_filenames", .of(train))
                json.member("val_filenames", .of(held))
                json.member("test_filenames", .of(held))
            }
            json.key("frames")
            json.array { json in for entry in entries { write(entry, turn, &json) } }
        }
        return json.drain() + [UInt8(ascii: "\n")]
    }

    private func write(_ entry: Entry, _ turn: WorldTurn, _ json: inout JSONWriter) {
        json.object { json in
            json.member("file_path", .string(entry.picture))
            if let depth = entry.depth { json.member("depth_file_path", .string(depth)) }
            if let mask = entry.mask { json.member("mask_path", .string(mask)) }
            for (key, value) in [
                ("fl_x", entry.camera.fx), ("fl_y", entry.camera.fy), ("cx", entry.camera.cx), ("cy", entry.camera.cy),
            ] { json.member(key, .number(value)) }
            json.member("w", .of(entry.camera.width))
            json.member("h", .of(entry.camera.height))
            json.member("transform_matrix", .array(turn.apply(entry.pose).rowMajorRows.map { .of($0) }))
        }
    }

    private func worldTurn(_ context: StageContext) -> WorldTurn {
        isZUp && context.capture.worldUp == Vector3(0, 1, 0) ? .yUpToZUp : .none
    }

    /// A path as `transforms.json` has it: relative to its own folder.
    private static func inside(_ path: String) -> String { String(path.dropFirst(folder.count + 1)) }
}
