import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a nerfstudio dataset.
public struct WriteTransforms: ParcelStage {
    public static let card = StageCard(
        name: "write-transforms",
        summary: "Write a NeRF dataset: nerf/transforms.json with its pictures, points, and perhaps depth and masks.",
        details: """
            The layout is nerfstudio's, in `nerf/`. Focal lengths, principal point and size are given for every frame.
            They are at the top level too, where some loaders look for them, if they are the same for all frames; a
            phone's autofocus changes them, and nerfstudio would use the top-level ones for all. The principal point is
            counted from the corner of the top-left pixel. Names are padded with zeros, because the loader sorts them as
            text.

            Pictures are copied byte for byte, except for greyscale and palette PNGs: loaders want red, green and blue.
            Frames of a video become JPEG (quality 95, 4:4:4) or PNG.

            With `z-up` the world is turned from y-up to z-up, (x, −z, y); `applied_transform` always says what was
            done, and `orientation_override: none` keeps a trainer from tilting the world again; it is left out if z is
            not known to be up, so that the trainer may find up itself. The points, if a stage above makes any, are
            written to `points.ply` in the same coordinates; grey 128 where they have no colour.

            `depth` writes 16-bit PNGs in millimetres at the depth map's size, or with `depth-size: picture` enlarged to
            the picture's, 0 for "no value" and beyond 65.535 m; a frame without depth gets zeros and is counted. Depth
            of a sensor with a camera of its own is reprojected into the colour camera's view.

            `masks` are 8-bit, 0 = ignore: `recorded` are the capture's own, if it has any, and a frame without one gets
            a mask that ignores nothing and is counted; `silhouette` is 255 where the pixel's ray meets the box in front
            of the camera, `depth` where the pixel's depth point lies in the box, with the `pixel-centre` of the nearest
            `unproject` above, or else `half`. These two use the capture's box as it is: if `cull-by-box` above has a
            `margin` or a `bottom`, give them as `mask-margin` and `mask-bottom` too, or points will lie where a mask
            says ignore, and the table that `bottom` takes away will be learned. A capture without a box fails, or goes
            on without masks with `mask-if-missing: pass`.

            **`mask-as`** cuts the pictures out instead of writing files with masks. With `alpha` they become PNGs with
            an alpha channel: what is ignored is transparent, and black for readers that leave alpha out. With `black`
            they become PNGs without one, for trainers whose background is black and which take alpha for something
            else; before any other background, black is learned as black surface. Cut out with `masks: depth`: a
            silhouette leaves in what is seen behind the object.

            `test-every: 8` puts every 8th frame into the test and validation lists and all others into the training
            list. Without it, frames stay in the lists of the dataset that they come from; if it has only one of the
            validation and test lists, that one serves as both. Below `downscale`, `images_2` and so on are beside
            `images`, and `transforms_2.json` has scaled intrinsics.

            **`dialect: instant-ngp`** writes `ngp/`. Depth is enlarged to the picture's size by nearest neighbour,
            since instant-ngp refuses other sizes, with `integer_depth_scale: 0.001`. Masks are
            `dynamic_mask_<name>.png` beside the pictures, with the opposite meaning: 255 = ignore. Below `measure-blur`
            or `filter-blur` each frame has its `sharpness`, unless it is the only one in its file. The first frame's
            camera is at the top level. `scale` and `offset` put the box (or else the cloud without its outermost
            hundredth, or else the cameras) into the unit cube; `aabb_scale` is the smallest power of two that takes in
            the cameras, the box and the cloud without its outermost thousandth (at each end of each axis, as the
            hundredth). Since instant-ngp trains on every frame of every JSON file in a folder, `test-every` puts the
            frames that it holds out into `test/transforms.json`, for `--test_transforms`, and smaller pictures have
            `downscaled_2/transforms.json`.
            """,
        example: "- write-transforms: {masks: silhouette, test-every: 8}", revision: 15)

    let dialect: TransformsJSON.Dialect
    let isZUp: Bool
    let dataset: DatasetOutput

    /// Every path of the dataset begins here.
    private var folder: String { dialect == .nerfstudio ? "nerf" : "ngp" }

    public init(_ options: inout OptionReader) {
        dialect = options.choice("dialect", "Whose loader is to read it.", default: .nerfstudio)
        isZUp = options.flag("z-up", "Turn a y-up world so that z is up.", default: true)
        dataset = DatasetOutput(&options, for: dialect)
        if dataset.cutOut == .black {
            options.warn(
                "mask-as",
                "trainers that read this dataset have other backgrounds than black, and learn `mask-as: black` as black "
                    + "surface", fix: "set  mask-as: alpha")
        }
    }

    public var uses: Uses {
        let isNGP = dialect == .instantNGP
        return Uses(
            frame: .init(needs: dataset.needs, wants: dataset.wants + (isNGP ? [.sharpness] : [])),
            fold: .init(wants: isNGP ? [.box] : [], prefers: [[.cloud, .points]]), claims: ["\(folder)/"],
            instead: dataset.instead)
    }

    // MARK: - Each frame, in parallel

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> TransformsJSON.Entry {
        let pose = try frame.facts.requiredPose
        let camera = try frame.facts.requiredIntrinsics.counted(from: .corner)
        let files = try dataset.write(&frame, in: folder, context)
        var entry = TransformsJSON.Entry(picture: files.picture, camera: camera, pose: worldTurn(context).apply(pose))
        (entry.depth, entry.mask) = (files.depth, files.mask)
        (entry.sharpness, entry.split) = (frame.sharpness, frame.split)
        return entry
    }

    // MARK: - In frame order

    /// The entries so far, and the points where they come frame by frame.
    public struct Fold {
        fileprivate var entries: [TransformsJSON.Entry] = []
        fileprivate var points: PointFile?
        /// The factors of smaller copies that any frame has.
        fileprivate var factors: Set<Int> = []
        /// For instant-ngp alone.
        fileprivate var scene: NGPScene?
    }

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        try dataset.begin(context)
        var fold = Fold()
        if dialect == .instantNGP { fold.scene = NGPScene() }
        if context.reads.contains(.points) {
            fold.points = try PointFile(
                context, path: "\(folder)/points.ply", turn: worldTurn(context), colorless: .grey)
        }
        return fold
    }

    public func fold(
        _ entry: TransformsJSON.Entry, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        fold.entries.append(entry)
        fold.factors.formUnion(frame.downscaled.map(\.factor))
        // Where a cloud is written, the frames' points still hold what stages have cut away from it.
        if fold.points != nil, let points = frame.points {
            try fold.points?.add(points)
            fold.scene?.add(points, about: 200)
        }
    }

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        dataset.end(of: fold.entries.count, context)
        let hasPoints = try finishPoints(&fold, capture, context)
        let turn = worldTurn(context)
        if isZUp { context.warnUnlessUp(capture, "so its world was not turned") }
        context.warnUnlessMetric(capture, "the dataset may not be in metres")
        context.count("frames", fold.entries.count)
        var json = TransformsJSON(dialect)
        json.entries = fold.entries
        json.appliedTransform = turn.rows
        json.pointFile = hasPoints ? "points.ply" : nil
        let splits = dataset.splits(of: json.entries.map(\.split), context)
        for number in json.entries.indices { json.entries[number].split = splits?[number] }
        json.isZUp = capture.worldUp.map { (turn.rotation * $0 - Vector3(0, 0, 1)).length < 1e-6 } == true
        if let scene = fold.scene {
            json.up = capture.worldUp.map { turn.rotation * $0 }
            json.depthUnit = dataset.writesDepth ? 0.001 : nil
            json.volume = scene.volume(cameras: json.entries.map(\.pose.position), box: capture.box, turn, context)
        }
        try writeFiles(json, fold.factors.sorted(), context)
    }

    /// - Returns: whether there is a file of points.
    private func finishPoints(_ fold: inout Fold, _ capture: Capture, _ context: StageContext) throws(Problem) -> Bool {
        let count: Int
        if let file = fold.points {
            try file.close()
            count = file.count
        } else if let cloud = capture.cloud, context.reads.contains(.cloud) {
            try PointFile.write(
                cloud, context, path: "\(folder)/points.ply", turn: worldTurn(context), colorless: .grey)
            fold.scene?.add(cloud, about: 100_000)
            count = cloud.count
        } else {
            return false
        }
        context.count("points", count)
        Self.warning(points: count).map(context.warn)
        return true
    }

    private func writeFiles(_ json: TransformsJSON, _ factors: [Int], _ context: StageContext) throws(Problem) {
        switch dialect {
        case .nerfstudio:
            try write(json, to: "transforms.json", context)
            for factor in factors { try write(json.downscaled(by: factor), to: "transforms_\(factor).json", context) }
        case .instantNGP:
            let (trained, held) = json.parts
            try writePart(trained, in: "", factors, context)
            if json.isSplit { try writePart(held.movedDown(), in: "test/", factors, context) }
        }
    }

    /// With a folder for each size: instant-ngp takes all JSON files of a folder for parts of one dataset.
    private func writePart(
        _ json: TransformsJSON, in part: String, _ factors: [Int], _ context: StageContext
    ) throws(Problem) {
        try write(json, to: "\(part)transforms.json", context)
        for factor in factors {
            let small = json.downscaled(by: factor).movedDown()
            try write(small, to: "\(part)downscaled_\(factor)/transforms.json", context)
        }
    }

    private func write(_ json: TransformsJSON, to path: String, _ context: StageContext) throws(Problem) {
        try context.output.write(json.bytes, to: "\(folder)/\(path)")
    }

    package static func warning(points: Int) -> String? {
        if points == 0 { return "points.ply holds no points: the stages above left none" }
        guard points > 1_000_000 else { return nil }
        return "points.ply holds \(points) points, and trainers start slowly with more than a million; "
            + "put voxel-downsample above, or raise its size"
    }

    private func worldTurn(_ context: StageContext) -> WorldTurn {
        isZUp ? .zUp(context.capture) : .none
    }
}
