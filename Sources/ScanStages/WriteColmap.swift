import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a COLMAP model.
public struct WriteColmap: ParcelStage {
    public static let card = StageCard(
        name: "write-colmap",
        summary: "Write a COLMAP model with its pictures, for trainers that start from one.",
        details: """
            Writes `colmap/sparse/0` as text and as binary, and the pictures to `colmap/images`. Poses are
            world-to-camera (R, t) with x right, y down, z into the scene; the rotation is the nearest true one, and the
            camera's centre stays exact, with t = −R · C. Frames with the same intrinsics share a PINHOLE camera, unless
            `cameras: each` gives every frame its own, as COLMAP's `feature_extractor` does: its database must have the
            model's cameras when points are triangulated. The principal point is counted from the corner of the top-left
            pixel, as COLMAP does.

            The cloud becomes `points3D` with empty tracks, so that Gaussian-splatting trainers start from LiDAR points.
            The world is not turned.

            What goes with the pictures is laid out for nerfstudio's loader of COLMAP models: masks in `colmap/masks`
            (`--masks-path masks`), depth in `colmap/depths` (`--depths-path depths`), both named like the pictures, and
            the lists `train_list.txt`, `val_list.txt` and `test_list.txt`. Their options and contents are those of
            `write-transforms`; below `downscale`, `masks_2` and `depths_2` are beside `images_2`.

            `inverse-depth: true` is for the trainer of Gaussian Splatting's authors, `train.py -d inverse-depths`: inverse
            depth in metres⁻¹ as 16-bit PNGs, and `depth_params.json` beside the model. The trainer takes each pixel of a
            picture's depth as true. So a pixel without depth gets that of the nearest one that has it, counted in steps
            up, down, left and right; a picture without depth for half of its pixels is marked as one to pass over, and
            counts as `inverse-depths-unused`; and where `mask-as` cuts a picture out, there is nothing at any depth.
            Nothing can be nearer than 12.5 cm.
            """,
        example: "- write-colmap", revision: 8)

    private enum Cameras: String, CaseIterable { case shared, each }

    let dataset: DatasetOutput
    private let inverseDepth: InverseDepthOutput
    private let cameras: Cameras

    private static let folder = "colmap"

    public init(_ options: inout OptionReader) {
        dataset = DatasetOutput(&options)
        inverseDepth = InverseDepthOutput(&options)
        cameras = options.choice(
            "cameras", "Whether frames with the same intrinsics share a camera, or each frame has its own.",
            default: .shared)
    }

    public var uses: Uses {
        let needs = dataset.needs
        return Uses(
            frame: .init(needs: needs + inverseDepth.needs.filter { !needs.contains($0) }, wants: dataset.wants),
            fold: .init(prefers: [[.cloud, .points]]), claims: ["\(Self.folder)/"],
            instead: dataset.instead.merging([[.depth]: inverseDepth.instead], uniquingKeysWith: +))
    }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Picture {
        _ = (try frame.facts.requiredPose, try frame.facts.requiredIntrinsics)
        let written = try dataset.write(&frame, in: Self.folder, context)
        let stem = FrameName.padded(frame.index)
        var learnsDepth = false
        if inverseDepth.isOn {
            let path = "\(Self.folder)/inverse-depths/\(stem).png"
            learnsDepth = try inverseDepth.write(&frame, to: path, cutBy: written.cut, context)
        }
        return Picture(
            name: written.picture.lastPart, stem: stem, split: frame.split, learnsDepth: learnsDepth)
    }

    /// A frame's picture, as the lists of the model's pictures have it.
    public struct Picture: Sendable {
        /// In the model.
        let name: String
        /// Its name without the ending.
        let stem: String
        let split: DatasetSplit?
        /// Whether its inverse depth is good enough to learn from.
        let learnsDepth: Bool
    }

    public struct Fold {
        fileprivate var model: COLMAPModel
        fileprivate var pictures: [Picture] = []
        fileprivate var points: PointFiles
    }

    /// `points3D` in both forms.
    fileprivate struct PointFiles {
        let text: OutputFile
        let binary: OutputFile
        let writer: COLMAPPointWriter

        init(_ output: OutputFolder, in folder: String) throws(Problem) {
            text = try output.create("\(folder)/points3D.txt")
            binary = try output.create("\(folder)/points3D.bin")
            writer = try COLMAPPointWriter(text: text, binary: binary)
        }

        func close() throws(Problem) {
            try binary.patch(writer.countBytes, at: 0)
            try text.close()
            try binary.close()
        }
    }

    private static let modelFolder = "\(folder)/sparse/0"

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        try dataset.begin(context)
        return Fold(
            model: COLMAPModel(sharesCameras: cameras == .shared),
            points: try PointFiles(context.output, in: Self.modelFolder))
    }

    public func fold(
        _ picture: Picture, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        fold.model.add(
            picture.name, pose: try frame.facts.requiredPose, intrinsics: try frame.facts.requiredIntrinsics)
        fold.pictures.append(picture)
        // Where a cloud is written, the frames' points still hold what stages have cut away from it.
        if context.reads.contains(.points), let points = frame.points { try fold.points.writer.add(points) }
    }

    private func writeLists(_ recorded: [Picture], _ context: StageContext) throws(Problem) {
        guard let splits = dataset.splits(of: recorded.map(\.split), context) else { return }
        let pictures = zip(recorded, splits).map { (name: $0.name, split: $1) }
        for (file, split) in COLMAPModel.splitLists {
            let names = DatasetSplit.names(for: split, of: pictures)
            try context.output.write(names.map { $0 + "\n" }.joined(), to: "\(Self.folder)/\(file)")
        }
    }

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        if context.reads.contains(.cloud), let cloud = capture.cloud { try fold.points.writer.add(cloud) }
        try fold.points.close()
        let model = fold.model
        for (name, write) in [
            ("cameras.txt", model.writeCameras(text:)), ("images.txt", model.writeImages(text:)),
            ("cameras.bin", model.writeCameras(binary:)), ("images.bin", model.writeImages(binary:)),
        ] {
            let file = try context.output.create("\(Self.modelFolder)/\(name)")
            try write(file)
            try file.close()
        }
        dataset.end(of: model.images.count, context)
        if inverseDepth.isOn {
            try context.output.write(
                InverseDepth.parameters(of: fold.pictures.map { ($0.stem, $0.learnsDepth) }),
                to: "\(Self.modelFolder)/depth_params.json")
            inverseDepth.end(of: model.images.count, context)
        }
        try writeLists(fold.pictures, context)
        context.count("images", model.images.count)
        context.count("cameras", model.cameras.count)
        let points = fold.points.writer.count
        context.count("points", Int(points))
        if points == 0 {
            let words =
                "the model holds no points: nerfstudio starts from random ones with --load-3D-points False, gsplat's "
                + "example with --init_type random --no-normalize-world-space, and Gaussian Splatting's own train.py "
                + "needs some"
            // Without a cloud this follows from the pipeline or the app; an empty cloud is this capture's fault.
            if context.available.isDisjoint(with: [.cloud, .points]) {
                let hasDepth = capture.channels.contains(.recordedDepth)
                let stages = hasDepth ? "`decompress` and `unproject`" : "`scatter-points`"
                context.note("\(words): put \(stages) above this stage")
            } else {
                context.warn("\(words); the stages above have left none")
            }
        }
        context.warnUnlessMetric(capture, "the model may not be in metres")
    }
}
