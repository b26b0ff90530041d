import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a MultiScan staging capture.
public struct WriteStaging: ParcelStage, DemandingStage {
    public enum Depth: String, CaseIterable, Sendable { case masked, source }
    public enum RGB: String, CaseIterable, Sendable { case auto, mp4, frames }

    /// What is warned of where the capture has no confidence.
    package static let noConfidence =
        "MultiScan's server decodes no depth without confidence, and the capture has none"

    public static let card = StageCard(
        name: "write-staging",
        summary: "Write MultiScan's staging format: the remaining frames, in streams of equal length.",
        details: """
            Writes `<id>.json`, `<id>.jsonl`, `<id>.depth.zlib`, `<id>.confidence.zlib`, the pictures, the motion files,
            `boundingbox.json` and `processed.txt`, each if the capture has it. Files are named after the capture's id,
            whatever they were called before. Frames are renumbered from 0; each camera line has, as `source_frame`, its
            frame's number in the capture that was read, even if that was itself written by this stage from another.
            ScanMill reads the result like the original: the same poses, intrinsics,
            timestamps, depth and confidence.

            **Camera lines** stay as recorded except for `source_frame`; timestamps never change. Below a stage that
            moves or changes cameras, such as `turn` and `undistort: {one-camera: true}`, the camera is written anew,
            other forms of the old one (`quaternion`) are left out, and the rest stays. Captures of other formats get
            lines in MultiScan's form: these need a pose, intrinsics and a timestamp that is not negative for every
            frame.

            **Depth** goes into one raw deflate stream without a header, which MultiScan's readers take as it is: half
            floats in metres, or the low 13 bits of 16 in millimetres where it was recorded in millimetres (up to 8.191
            m). `depth: masked` writes it as the stages above have left it, 0 where they removed it; `source` writes the
            recorded bytes and needs no `decompress`. Confidence is always as recorded. The format has no place for a
            depth sensor with a camera of its own: its depth is reprojected into the colour camera's view, even with
            `source`, which then warns that the bytes have changed.

            **Pictures.** `rgb: auto` keeps a video as a video and pictures as pictures. `mp4` encodes pictures as
            H.264. `frames` writes them to `color/000000.jpg`, …: copied, or as `color` says; those of a video, and of a
            synthetic capture, become JPEGs (`quality`, 4:4:4). A video with no frame missing is copied byte for byte.
            It is put into a new mp4 without encoding if its edit list hides the first frame, as Stray Scanner's does,
            or if only frames at its end are left out and no other frame refers to them. Otherwise it is encoded again,
            with the same size and colours; frames are shown at the times of their camera lines, or, with a warning, at
            other times where those do not ascend. ffmpeg runs with one thread and bit-exact, so that a rerun gives the
            same bytes.

            **Motion files** are copied whole, since their samples are found by time.

            **The world** has y up in MultiScan: one with z up is turned, (x, y, z) → (x, z, −y), poses and box alike,
            as a note and the receipt's `applied-transform` say; the points of `write-ply` stay as recorded. A world
            whose up is unknown is written as it is, with a warning. A box that is then turned about any axis but y,
            which `boundingbox.json` cannot express, is left out with a warning.

            **Metadata** keep all keys of the original. Streams are listed in the order colour, depth, confidence,
            camera lines, then the rest, because MultiScan's readers find them by position. `number_of_frames` and
            `number_of_files` describe what was written; `frequency` stays the recorder's.

            `processed.txt` tells MultiScan's server which of its steps it may skip: `convert` if a `write-frames` above has
            written a depth picture for every frame, `thumbnail` if a stage above has made `<id>_thumb.jpg` and `<id>_preview.mp4`.

            MultiScan compares depth with the previous frame and zeroes what differs by more than 5 cm. Where frames are
            missing or depth is masked, that would remove too much, so a note says to set its `delta_thresh` and
            `depth_delta` to 0. Another note tells when there is no mp4, since its server takes pictures from nothing
            else.
            """,
        example: "- write-staging: {rgb: mp4}", revision: 14)

    let depth: Depth
    let rgb: RGB
    let output: PictureOutput
    /// Whether pictures come to this stage in the size that they were recorded in.
    private let keepsSize: Bool

    public init(_ options: inout OptionReader) {
        depth = options.choice("depth", "Depth as the stages above left it, or as recorded.", default: .masked)
        rgb = options.choice("rgb", "Pictures as a video, as files, or as the capture has them.", default: .auto)
        output = PictureOutput(&options, default: .copy, areFiles: rgb != .mp4)
        if rgb == .mp4 { options.warnOfOddVideo() }
        keepsSize = !options.isBelow(Resize.self)
    }

    public func check(_ capture: Capture, _ label: String) throws(Problem) {
        // The capture's own video is copied.
        if rgb == .mp4, keepsSize, !capture.channels.contains(.video) { try capture.requireVideoSize() }
    }

    public var uses: Uses {
        // A video is used as a file where that is enough: nothing has to decode it.
        let either: [Channel] = [.video, .color]
        let files = ["json", "jsonl", "depth.zlib", "confidence.zlib", "mp4"] + MotionKind.allCases.map(\.rawValue)
        return Uses(
            frame: .init(
                needs: [.pose, .intrinsics, .timestamp] + (rgb == .frames ? [.color] : []),
                anyOf: rgb == .mp4 ? [either] : [],
                conditions: depth == .masked ? [.init(.depth, when: .recordedDepth)] : [],
                wants: [.recordedDepth, .recordedConfidence], prefers: rgb == .auto ? [either] : []),
            fold: .init(wants: [.box, .motion]),
            claims: files.map { "{id}.\($0)" } + ["color/", "boundingbox.json", "processed.txt"],
            // Frames that a stage above decodes to choose among them are encoded as they come.
            reuses: rgb == .frames ? [] : [.color],
            instead: [
                [.depth]: [.option("depth", set: "source", not: "masked")],
                rgb == .mp4 ? Set(either) : [.color]: [.option("rgb", set: "auto", not: rgb.rawValue)],
            ])
    }

    public func toolVersions(for capture: Capture) throws(Problem) -> [String: String] {
        if rgb != .frames && capture.channels.contains(.video) {
            // Without ffmpeg the video can still be copied, if no frame is missing.
            return (try? FFmpeg.find()) == nil ? [:] : try FFmpeg.toolVersions(for: capture)
        }
        return rgb == .mp4 ? try FFmpeg.toolVersions(for: capture) : [:]
    }

    private func pictureForm(_ context: StageContext) -> StagingPictures.Form {
        let used = context.reads.intersection(context.available)
        if used.contains(.video) { return .video }
        if !used.contains(.color) { return .none }
        return rgb == .mp4 ? .encoded : .files
    }

    // MARK: - Each frame, in parallel

    /// The parts of a frame that are ready when its turn comes.
    public struct Parcel: Sendable {
        var depth: StagingDepth?
        var confidence: StagingBlock?
        var confidenceRange: ClosedRange<Int>?
        var picture: StagingPictures.Part?
    }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Parcel {
        // Its camera line is made when its turn comes, too late to drop the frame as bad.
        if frame.line == nil {
            _ = (try frame.facts.requiredTimestamp, try frame.facts.requiredPose, try frame.facts.requiredIntrinsics)
        }
        var parcel = Parcel()
        if context.available.contains(depth == .masked ? .depth : .recordedDepth) {
            parcel.depth =
                depth == .masked ? try StagingDepth.masked(frame, context) : try StagingDepth.recorded(frame, context)
        }
        if context.available.contains(.recordedConfidence) {
            if let map = frame.recordedConfidence {
                parcel.confidence = try StagingBlock(map.values, size: map.size)
                parcel.confidenceRange = map.range
            } else if let size = context.capture.depthSize {
                // A stream cannot leave a frame out, so it gets the lowest confidence, which vouches for nothing.
                context.count("frames-without-confidence", 1)
                parcel.confidence = try StagingBlock(Array(repeating: 0, count: size.width * size.height), size: size)
            } else {
                throw Problem(.input, "the frame has no confidence")
            }
        }
        try checkSizes(parcel, context.capture)
        parcel.picture = try StagingPictures.part(of: &frame, for: pictureForm(context), as: output, context)
        return parcel
    }

    /// A stream has no place for a frame of another size. Confidence may differ from depth where recorded metadata say so.
    private func checkSizes(_ parcel: Parcel, _ capture: Capture) throws(Problem) {
        guard let size = capture.depthSize else { return }
        let isNew = !StagingContent.hasRecordedMetadata(capture)
        for (name, found) in [
            ("depth", parcel.depth?.block.size), ("confidence", isNew ? parcel.confidence?.size : nil),
        ] {
            guard let found, found != size else { continue }
            throw Problem(.input, "the frame's \(name) is \(found), and the capture's is \(size)")
        }
    }

    // MARK: - In frame order

    /// The files that grow with the frames.
    public struct Fold {
        fileprivate var content = StagingContent()
        fileprivate var lines: StagingLines
        fileprivate let lineFile: OutputFile
        fileprivate var depthFile: OutputFile?
        fileprivate var confidenceFile: OutputFile?
        fileprivate var pictures: StagingPictures
        /// Whether the depth picture that the server pairs with a camera line was written from another frame: some were
        /// dropped between the two writers.
        fileprivate var hasOthersPictures = false
    }

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        let id = context.capture.id
        return Fold(
            lines: try StagingLines(of: context.capture), lineFile: try context.output.create("\(id).jsonl"),
            pictures: StagingPictures(as: pictureForm(context), context))
    }

    public func fold(
        _ parcel: Parcel, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        try fold.content.requireSize(of: frame.intrinsics)
        let id = context.capture.id
        var facts = frame.facts
        let turn = WorldTurn.yUp(context.capture)
        if turn != .none { facts.pose = facts.pose.map { turn.apply($0) } }
        try fold.lineFile.write(try fold.lines.line(of: facts) + [UInt8(ascii: "\n")])
        if var depth = parcel.depth {
            let unit = fold.content.depthUnit ?? depth.unit
            if let unit { depth = try depth.converted(to: unit) }
            context.countTooFar(depth.tooFarCount)
            try Self.append(depth.block, to: &fold.depthFile, "\(id).depth.zlib", context)
            fold.content.depthSize = depth.block.size
            fold.content.depthUnit = unit
            if depth.isMasked { fold.content.maskedCount += 1 }
        }
        if let confidence = parcel.confidence {
            try Self.append(confidence, to: &fold.confidenceFile, "\(id).confidence.zlib", context)
            // Zeros that stand in for missing confidence are the lowest level of any range.
            fold.content.confidenceRange = parcel.confidenceRange ?? fold.content.confidenceRange ?? 0...2
        }
        try fold.pictures.append(parcel.picture, at: frame.timestamp ?? 0, to: &fold.content, context)
        let depthPicture = ProcessedSteps.depthPicture(of: fold.content.frames.count)
        if context.output.holds(depthPicture), !frame.files.contains(depthPicture) { fold.hasOthersPictures = true }
        fold.content.add(frame.facts)
    }

    private static func append(
        _ block: StagingBlock, to file: inout OutputFile?, _ path: String, _ context: StageContext
    ) throws(Problem) {
        if file == nil { file = try context.output.create(path) }
        try file?.write(block.bytes)
    }

    // MARK: - The end

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        let id = context.capture.id
        var content = fold.content
        try fold.lineFile.close()
        for file in [fold.depthFile, fold.confidenceFile].compactMap(\.self) {
            try file.write(DeflateBlock.end)
            try file.close()
        }
        try fold.pictures.finish(&content, capture, context)
        for motion in capture.motionFiles {
            try context.output.copy(motion.path, of: capture, to: "\(id).\(motion.kind.rawValue)")
            try noteDefects(of: motion, capture, context)
        }
        let turn = WorldTurn.yUp(capture)
        if let box = capture.box, context.available.contains(.box) {
            try writeBox(turn.apply(box), capture, context)
        }
        try context.output.write(JSONWriter.text(try content.metadata(of: capture)), to: "\(id).json")
        let processed = ProcessedSteps(
            id: id, frameCount: content.frames.count, files: Set(context.output.files.map(\.path)),
            hasOthersPictures: fold.hasOthersPictures)
        try context.output.write(processed.text, to: "processed.txt")
        context.count("frames", content.frames.count)
        context.count("frames-masked", content.maskedCount)
        context.record(turn)
        warn(content, turn, capture, context)
    }

    /// Writes the capture's own file if it still agrees with the capture, to which a stage may have given another box.
    private func writeBox(_ box: OrientedBox, _ capture: Capture, _ context: StageContext) throws(Problem) {
        let file = "boundingbox.json"
        if capture.files.contains(where: { $0.path == file }) {
            let bytes = try capture.source.bytes(of: file, limit: 16 << 20)
            if try BoundingBoxJSON(bytes, file: file).box == box { return try context.output.write(bytes, to: file) }
        }
        if let text = try context.boundingBox(box) { try context.output.write(text, to: file) }
    }

    /// Motion files are copied as they are; users of the result should know what is wrong with them.
    private func noteDefects(of motion: MotionFile, _ capture: Capture, _ context: StageContext) throws(Problem) {
        do throws(Problem) {
            let facts = try MotionStream.read(try capture.source.open(motion.path), kind: motion.kind)
            for defect in facts.warnings { context.warn("\(motion.path) was copied as it is, and \(defect)") }
        } catch {
            guard error.fault == .input else { throw error }
            context.warn("\(motion.path) was copied as it is, and cannot be read: \(error.oneLine)")
        }
    }

    /// Warnings are for this capture’s faults; what the pipeline does to every capture is only noted.
    private func warn(_ content: StagingContent, _ turn: WorldTurn, _ capture: Capture, _ context: StageContext) {
        context.warnUnlessMetric(capture, "the capture may not be in metres")
        if content.depthSize != nil && depth == .source && capture.depthCamera != nil {
            context.warn(
                "depth has a camera of its own, which MultiScan's format cannot hold: it was reprojected to the "
                    + "pictures' view, so `depth: source` did not keep its bytes")
        }
        if content.depthSize != nil && (content.hasGaps || content.maskedCount > 0) {
            context.note(
                "frames are missing in between or depth was masked, and MultiScan itself zeroes depth that differs "
                    + "from the frame before: set its `delta_thresh` and `depth_delta` to 0"
                    + (content.hasGaps ? ", and its `step`, by which it takes every tenth frame, to 1" : ""))
        }
        if content.depthSize != nil && !capture.channels.contains(.recordedConfidence) {
            context.warn(Self.noConfidence)
        }
        if turn != .none {
            let way =
                turn == .zUpToYUp ? "has z up and was turned by (x, y, z) → (x, z, −y)" : "was turned to have y up"
            context.note("the world \(way), because MultiScan's readers take y for up")
        }
        context.warnUnlessUp(capture, "and MultiScan's readers take y for it")
        switch pictureForm(context) {
        case .video, .encoded: break
        case .files where rgb == .auto && capture.video?.cut != nil:
            context.note(
                "MultiScan's server takes pictures from an mp4 only, and a video that was cut off is not copied: "
                    + "`rgb: mp4` writes a new one")
        case .files where rgb == .auto && capture.video != nil:
            context.note(
                "MultiScan's server takes pictures from an mp4 only, and a video's own file is not copied below a stage that "
                    + "changes pictures, even if it had nothing to change: leave that stage out, or set `rgb: mp4`")
        case .files: context.note("MultiScan's server takes pictures from an mp4 only; `rgb: mp4` writes it")
        case .none:
            context.warn("MultiScan's server wants \(context.capture.id).mp4, and the capture has no pictures")
        }
    }
}
