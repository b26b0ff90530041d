import ScanFormats
import ScanModel
import ScanPipeline

/// Opens a capture.
public struct Read: CaptureStage {
    public static let card = StageCard(
        name: "read",
        summary: "Open a capture: its frames, poses, intrinsics, and whatever pictures, depth and box it has.",
        details: """
            The format is recognised by content, not by name. When two recordings in different formats lie side by side,
            one of them is read and a warning names both. Nothing is decoded here: pixels stay on disk or in their
            stream until a stage needs them.

            **Streams of different lengths.** `mismatch: auto` uses as many frames as the shortest stream has, as long
            as the difference is at most 3 frames or 1 % of the longest; beyond that it fails and names all counts.
            `shortest` accepts any difference, `fail` none. Frames that only some streams have count as dropped by
            `read`. If there are more pictures than poses or cameras, a warning says so: the missing ones are assumed to
            be at the end, and if they are not, poses are wrong. Where each frame has numbered files of its own
            (ScanNet's exports, 7-Scenes), numbers missing between others cause a warning only while they are few: if
            many are missing, the frames were selected. 3D Scanner App never skips a number, so there each missing one
            causes a warning.

            **Streams that end early.** `truncated: fail` fails the capture; `keep-whole` keeps the whole frames of a
            file that was cut off and drops the rest, naming them, unless less than the share `min-whole` of all frames
            remains. A stream with wrong bytes in it, or whose length is not a whole number of frames, fails either way,
            since it is unknown from which frame on it is wrong; and so does a COLMAP model whose images or cameras are
            cut off. In a video that was cut off, frames count as whole up to the first missing one; the file is not
            copied: `write-staging` writes the pictures, or a new video with `rgb: mp4`. Of an mp4 with its index at the
            end, as phones write it, nothing can be read once that is missing, whatever `truncated` says. In other lists
            of poses or cameras that are not JSON, a last line without a line ending causes a warning; if its last
            number has fewer digits than those of the other lines (at most half as many, where their numbers differ in
            length), the line counts as cut off, and frames that lost their pose with it are bad.

            **Bad frames** are those with an unusable pose or camera line, with a picture that is cut off or that a
            stage cannot decode, with a missing picture that a dataset, a model or a file beside it refers to, or whose
            pose is lost because a dataset's description of held-out frames (`transforms_val.json`) is damaged.
            `on-bad-frame: drop` drops them, naming each, and runs the capture again without them if a stage had
            gathered them already, as long as they are no more than the share `bad-frame-limit` of the source's frames;
            `fail` fails the capture. Where depth or confidence comes as one picture per frame, frames without one stay,
            with a warning; more than 3 of them count towards the limit as soon as a stage wants what they lack. Where a
            list names the pictures (TUM's depth.txt, a dataset's transforms.json), only frames for which it names one
            count: the others are not meant to have any. In ARKitScenes, whose depth is matched by time, none count. 3D
            Scanner App keeps a picture only for some frames, by a rule of its own: the frames without one are left out
            where a stage uses pictures, and the limit applies to the others; a frame whose picture should exist by that
            rule, but does not, is bad. Frames that an app or a reconstruction left out are not bad, such as those
            without a pose close enough in time, and those of NeRFCapture's projects, which often list pictures that
            they do not have; more of them than the limit cause a warning. If none of the depth or confidence pictures
            can be read, the capture counts as having none, and says why.

            **Pictures** are JPEG or PNG, grey or in colour, with 8 or 16 bits; CMYK, HEIC and WebP are not supported.
            They are used as stored: an EXIF orientation is reported, not applied. A capture whose pictures stand
            upright while its depth lies on its side, or the other way round, fails: one of them was turned after the
            recording, or its width and height are swapped.

            **Single files.** A `.sens` file is a capture by itself, and so is a folder that holds just one. A video is one
            too, as a phone takes it, where it is named as INPUT; folders are searched for videos where `--format video`
            or `format: video` asks for them, and those in a recording's folder are parts of it. Its frames have the
            times at which they are shown, and no poses; they are turned as the video says that it is to be shown, but
            never mirrored: what is computed from a mirrored picture is a mirrored world. Of a video of 8 bits, colours
            are those that OpenCV decodes: on average one level of 255 darker than exact ones.

            **Point clouds.** With `format: ply` a PLY file given as INPUT is a capture of points, whose frames are
            slices of 65,536 points: `cull-by-box`, `voxel-downsample` and `write-ply` work on it without ever holding
            all of it in memory. Coordinates are taken to be metres. A file that was cut off fails, whatever `truncated`
            says.

            **Archives.** A capture may be a ZIP archive of its files, or of a folder with them, whatever else lies
            beside that folder; an archive with several captures is refused. It is read in place; only a video, a
            `.sens` file or ScanNet's raw streams, if compressed in it, are unpacked into a temporary file (under
            `TMPDIR`, else `/var/tmp`) while the capture runs. An archive that exceeds the `max-archive-` limits is
            refused before anything is unpacked.

            **Video** is anything that ffmpeg decodes, in a file named as the app names it. It is decoded frame by frame
            as recorded, without filling gaps and, unless the video is the whole capture, without rotation. Its
            presentation times are compared with the camera lines' timestamps, and each frame that is off by more than
            half a frame is named. If the video lacks pictures for some camera lines, no more than `mismatch` allows,
            the others are paired with theirs by these times, provided that all fit.

            **Times.** Where frames, depth and poses are matched by their times (TUM's sequences within 20 ms,
            ARKitScenes' poses within 5 ms), the nearest are paired first and each is used once. `time-match` in the
            receipt tells how many have a partner, how many have none, and the largest difference within a pair.

            Exported ScanNet scenes, 7-Scenes, COLMAP models and training datasets do not say when a frame was taken, so
            formats that need times, such as the staging format, cannot be written. `rate: 30` gives their frames times:
            frame n counts as taken n / 30 seconds after the first, whatever number its file has. A capture with times
            of its own keeps them.

            **Up.** ScanNet's scans, 7-Scenes, TUM's sequences, Record3D, COLMAP models, PLY clouds and most datasets do
            not say which way is up. `up: z` says it for them, since stages that find a floor, measure heights or turn
            the world for a format need it: z then points up in the capture's world, as its files have it before any
            transform of a dataset's tools. A capture that itself says which way is up keeps that, with a warning if
            `up` differs.

            **Poses** that are not what the format says can be read as what they are: `cv-axes` where the cameras have
            the other axes (OpenCV's for OpenGL's, or the other way round), `inverse` where they are world-to-camera
            with OpenGL's axes, `inverse-cv-axes` where they are world-to-camera with OpenCV's, and
            `transposed-rotation` or `transposed-rotation-cv-axes` where rows were taken for columns, in files with
            OpenGL's axes or OpenCV's. `check-geometry` finds out which of them it is.

            **Scale.** `scale: 0.001` multiplies all positions, of cameras, points, the box, and the cameras' offsets on
            their rig: for a recording in millimetres, or a COLMAP model of which one length is known. The world then
            counts as metres. Where depth is in metres, `check-geometry` says which number to give.

            **Limits.** Anything larger than `max-frames`, `max-line` and `max-picture-pixels` allow is refused by name
            before memory is allocated for it. A longer line or a larger picture costs its frame; larger depth pictures
            cost the depth; more points than `max-points` cost the cloud that a model or a dataset brings along; more
            frames, a larger video or a larger map in a stream cost the capture.
            """,
        example: "- read: {truncated: keep-whole}", revision: 3)

    let format: Format
    let rules: ReadRules
    let corrections: CaptureCorrections

    /// The formats as an option takes them.
    public struct Format: RawRepresentable, CaseIterable, Sendable {
        public let rawValue: String
        public static let auto = Format(name: "auto")
        public static let allCases = [auto] + CaptureFormats.all.map { Format(name: $0.name) }

        public init?(rawValue: String) {
            guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = known
        }

        private init(name: String) { rawValue = name }
    }

    public init(_ options: inout OptionReader) {
        var rules = ReadRules()
        format = options.choice("format", "The capture's format; `auto` looks at its content.", default: .auto)
        rules.mismatch = options.choice(
            "mismatch", "What to do with streams of different lengths.", default: rules.mismatch)
        rules.truncated = options.choice(
            "truncated", "What to do with a stream that ends early.", default: rules.truncated)
        rules.minWhole = options.number(
            "min-whole", "The share of whole frames below which `keep-whole` fails the capture.",
            default: rules.minWhole,
            in: 0...1)
        rules.onBadFrame = options.choice(
            "on-bad-frame", "What to do with a frame whose own data is bad.", default: rules.onBadFrame)
        rules.badFrameLimit = options.number(
            "bad-frame-limit", "The share of bad frames above which the capture fails.", default: rules.badFrameLimit,
            in: 0...1)
        corrections = CaptureCorrections(&options)
        rules.maxFrames = options.integer(
            "max-frames", "The most frames that a capture may have.", default: rules.maxFrames,
            in: 1...ReadRules.mostFrames)
        rules.maxLine = options.integer(
            "max-line", "The longest camera line.", default: rules.maxLine, in: 1000...100_000_000, unit: "bytes")
        rules.maxPicturePixels = options.integer(
            "max-picture-pixels", "The largest picture and the largest depth map.", default: rules.maxPicturePixels,
            in: 1...ReadRules.mostPicturePixels, unit: "pixels")
        rules.maxPoints = options.integer(
            "max-points", "The most points that a model may have.", default: rules.maxPoints,
            in: 1...ReadRules.mostPoints)
        rules.archive.entryCount = options.integer(
            "max-archive-entries", "The most entries that an archive may have.", default: rules.archive.entryCount,
            in: 1...Int.max
        )
        rules.archive.byteCount = Int64(
            options.integer(
                "max-archive-bytes", "The most bytes that an archive may hold, unpacked.",
                default: Int(rules.archive.byteCount), in: 1...Int.max, unit: "bytes"))
        rules.archive.ratio = Int64(
            options.integer(
                "max-archive-ratio", "The most unpacked bytes for each byte of the archive, above 16 MiB.",
                default: Int(rules.archive.ratio), in: 1...Int.max))
        self.rules = rules
    }

    /// What archives may hold.
    package var archiveLimits: ArchiveLimits { rules.archive }

    public var uses: Uses {
        // What only one format has, such as the points of a PLY file, counts only if that format is named: otherwise
        // the order check could not say that `unproject` is missing.
        let own = CaptureFormats.format(named: format.rawValue)?.card.reads ?? []
        let usual: [Channel] = [
            .pose, .intrinsics, .lens, .timestamp, .color, .luma, .video, .recordedDepth, .recordedConfidence, .box,
            .motion, .cloud, .exposure, .mask, .split,
        ]
        return Uses(
            finish: .init(makes: [.frames], mayMake: usual + own.filter { !usual.contains($0) }),
            instead: (corrections.rate == nil ? [[.timestamp]: [.words(Self.wayToTimes)]] : [:]).merging(
                own.contains(.points) ? [:] : [[.points]: [.words(Self.wayToPoints)]]
            ) { $1 })
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        let tree = try CaptureFormats.tree(at: context.input.path, limits: rules.archive)
        var opened: Capture
        let recognition: Recognition?
        (opened, recognition) = try openInspectingAll(of: tree, context)
        opened.id = capture.id
        opened.onBadFrame = rules.onBadFrame
        opened.badFrameLimit = rules.badFrameLimit
        opened.channels.insert(.frames)
        try requireGoodFrames(of: opened)
        warnOfCaptures(within: tree, recognition, besides: opened, context)
        warnOfLeftOut(opened, context)
        capture = opened
    }

    /// Opens the capture in the tree, whose folders are listed once.
    /// - Throws: also if the machine could not inspect a part of it, which must not pass for missing.
    private func openInspectingAll(
        of tree: any CaptureTree, _ context: StageContext
    ) throws(Problem) -> (Capture, Recognition?) {
        let opened: (Capture, Recognition?)
        do throws(Problem) {
            opened = try CaptureFormats.listingOnce(tree) { (tree) throws(Problem) in try open(tree, context) }
        } catch { throw tree.trouble ?? error }
        if let trouble = tree.trouble { throw trouble }
        return opened
    }

    private func requireGoodFrames(of capture: Capture) throws(Problem) {
        guard rules.onBadFrame == .fail, let bad = capture.frames.first(where: { $0.drop?.isBad == true }) else {
            return
        }
        throw .badFrame(bad.index, bad.drop?.reason ?? "bad frame")
    }

    private func warnOfCaptures(
        within tree: any CaptureTree, _ recognition: Recognition?, besides capture: Capture, _ context: StageContext
    ) {
        let inner = CaptureSearch.innerCaptures(of: tree, recognition).filter { folder in
            !capture.files.contains { $0.path.lies(below: folder) }
        }
        guard !inner.isEmpty else { return }
        context.warn(
            "more captures lie in the folder of this one, and are not read: \(inner.listed(most: 8)); move them beside it, or "
                + "name them")
    }

    /// An app or a reconstruction leaves out frames now and then, which is no damage. If it is many, half of the
    /// capture may not have arrived.
    private func warnOfLeftOut(_ capture: Capture, _ context: StageContext) {
        let reasons = capture.frames.compactMap { $0.drop.flatMap { $0.isBad ? nil : $0.reason } }
        // A share, as in ``Capture/excessOfBadFrames(using:readBy:)``.
        guard Double(reasons.count) / Double(capture.frames.count) > rules.badFrameLimit else { return }
        // Some name their frame's own file.
        let kinds = Dictionary(grouping: reasons, by: \.withoutNumbers)
        guard let kind = kinds.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) })?.value else { return }
        let others = reasons.count - kind.count
        context.warn(
            "\(reasons.count.counted(of: capture.frames.count, "frame", "is", "are")) left out: \(kind[0])"
                + (kind.contains { $0 != kind[0] } ? ", and the like" : "")
                + (others > 0 ? " (\(kind.count) of them), or for other reasons (\(others))" : ""))
    }

    private static let wayToTimes = "give the frame rate, such as  --set read.rate=30"

    private static let wayToPoints = "begin with `read: {format: ply}` where INPUT is a PLY cloud"

    /// - Returns: the capture and, unless the format was named, what it was recognised by.
    private func open(_ tree: any CaptureTree, _ context: StageContext) throws(Problem) -> (Capture, Recognition?) {
        // Without what such links lead to, a capture would give a poorer result, which would replace the good one of
        // the night before.
        if let loss = tree.losses.first { throw loss }
        if let named = CaptureFormats.format(named: format.rawValue) {
            try CaptureFormats.requireUnpackable(tree)
            try CaptureFormats.requireOne(in: tree)
            do throws(Problem) { return (try open(tree, as: named, context), nil) } catch {
                throw Self.blaming(error, on: named, insteadOf: tree)
            }
        }
        let (recognised, recognition) = try CaptureFormats.format(of: tree)
        var capture = try open(tree, as: recognised, context)
        capture.findings["recognised-by"] = .string(recognition.reason)
        capture.noteOtherRecordings(in: tree)
        return (capture, recognition)
    }

    /// A problem with a capture that was read as another format than it looks like.
    private static func blaming(
        _ problem: Problem, on named: any CaptureFormat.Type, insteadOf tree: any CaptureTree
    ) -> Problem {
        guard problem.fault == .input, let found = CaptureFormats.recognise(tree), found.format != named.name else {
            return problem
        }
        var blame = problem.noting("it was read as \(named.name), as `format` says, but it looks like \(found.format)")
        blame.fix = "take `format` out of `read`, or set  --set \(Drop.reader).format=\(found.format)"
        return blame
    }

    private func open(
        _ tree: any CaptureTree, as known: any CaptureFormat.Type, _ context: StageContext
    ) throws(Problem) -> Capture {
        var rules = rules
        rules.resources = context.capture.resources
        var capture: Capture
        do throws(Problem) { capture = try known.open(tree, rules: rules) } catch { throw error.traced(in: tree) }
        // What is doubted of the numbers goes by what they are.
        corrections.apply(to: &capture, context)
        capture.noteDoubts(in: tree)
        return capture
    }
}
