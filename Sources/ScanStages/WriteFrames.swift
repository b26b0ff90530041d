import ScanFormats
import ScanModel
import ScanPipeline

/// Writes colour and depth as numbered pictures.
public struct WriteFrames: ParcelStage {
    public enum DepthPictures: String, CaseIterable, Sendable { case png16, colors, none }
    public enum ConfidencePictures: String, CaseIterable, Sendable { case colors, none }

    public static let card = StageCard(
        name: "write-frames",
        summary: "Write frames as numbered pictures: outputs/color, and outputs/depth in millimetres.",
        details: """
            The layout is MultiScan's: `outputs/color/0.jpg`, `outputs/depth/0.png`, numbers without leading zeros. Unlike
            MultiScan's server, which numbers the two in different ways, both pictures of a frame have the same number.

            `step` writes every n-th of the frames that reach this stage, beginning with the first. `number: kept`
            numbers the written frames from 0 and puts their source numbers into the receipt; `source` uses each frame's
            number in the capture.

            Pictures are copied byte for byte; frames of a video become JPEG (4:4:4) or PNG.

            **Depth** is written as 16-bit PNGs of whole millimetres at the depth map's size, 0 for "no value" and
            beyond 65.535 m. Depth of a sensor with a camera of its own is reprojected into the colour camera's view, so
            that it fits the pictures beside it.

            `rounding: nearest` rounds to the nearest millimetre. `multiscan` computes as MultiScan's server does: the
            product with 1000 in half precision, which has steps of up to 32 mm, with its fraction cut off; so the
            pictures equal the server's. MultiScan's own depth in millimetres (`depth_unit`: `mm`) is exact with either.

            `depth: colors` writes `outputs/depth-colors/0.png` instead, to look at: dark red at `near`, then yellow,
            green and blue, dark blue at `far`, black for "no value". The scale is linear in depth and the same in every
            picture; the colours are Turbo's (A. Mikhailov's polynomial, 2019), from its end to shortly before its dark
            beginning. For both kinds of depth pictures, use the stage twice. `confidence: colors` writes
            `outputs/confidence-colors/0.png`: the lowest value of the recorder's range is dark violet, the highest
            yellow, and medium on iOS teal (Viridis). Frames without confidence get none, and are counted.
            """,
        example: "- write-frames: {step: 10, color: jpeg}", revision: 5)

    let step: Int
    let depth: DepthPictures
    let confidence: ConfidencePictures
    let colors: DepthColors
    let color: PictureOutput?
    let rounding: DepthCodec.Rounding
    let number: FrameNumbering

    private static let folder = "outputs"

    public init(_ options: inout OptionReader) {
        step = options.integer(
            "step", "Write every n-th of the frames that reach this stage.", default: 1, in: 1...1_000_000)
        depth = options.choice(
            "depth", "Write depth as 16-bit PNGs in millimetres, or as colours to look at.", default: .png16)
        color = PictureOutput.optional(&options, default: .copy)
        rounding = options.choice("rounding", "How metres become whole millimetres.", default: .nearest)
        number = FrameNumbering(&options, default: .kept)
        confidence = options.choice("confidence", "Write confidence as colours to look at.", default: .none)
        colors = DepthColors(&options, areUsed: depth == .colors, "with `depth: colors`")
        options.warn("rounding", unless: depth == .png16, "with `depth: png16`")
        if color == nil && depth == .none && confidence == .none {
            options.fail("depth", "with `color: none` and `depth: none` nothing is written", "write one of them")
        }
    }

    public var uses: Uses {
        let parts: [(isWritten: Bool, channel: Channel, folder: String)] = [
            (color != nil, .color, "color"), (depth != .none, .depth, depthFolder),
            (confidence != .none, .confidence, "confidence-colors"),
        ]
        let written = parts.filter(\.isWritten)
        return Uses(
            frame: .init(needs: written.map(\.channel), wants: depth == .none ? [] : [.intrinsics]),
            claims: written.map { "\(Self.folder)/\($0.folder)/" },
            instead: color == nil
                ? [:]
                : [
                    [.depth]: [.option("depth", set: "none", not: depth.rawValue)],
                    [.confidence]: [.option("confidence", set: "none", not: confidence.rawValue)],
                ])
    }

    private var depthFolder: String { depth == .colors ? "depth-colors" : "depth" }

    // MARK: - Each frame, in parallel

    /// A frame's files, not yet named.
    public struct Pictures: Sendable {
        var color: PreparedPicture?
        var depth: [UInt8]?
        var confidence: [UInt8]?
    }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Pictures? {
        if depth != .none { _ = try frame.requiredDepth }
        if step == 1 { return try pictures(of: &frame, context) }
        // Whether the frame is written is known only when its turn comes, too late to drop it for a picture that will
        // not decode.
        if let color, color.encoding != .copy { _ = try frame.loadRGB(context) }
        return nil
    }

    private func pictures(of frame: inout Frame, _ context: StageContext) throws(Problem) -> Pictures {
        var pictures = Pictures()
        pictures.color = try color?.prepare(&frame, context)
        let map = depth == .none ? nil : frame.alignedDepth(context)
        if depth == .png16, let map {
            let image = context.millimetres(of: map, rounding: rounding(for: context.capture))
            pictures.depth = try PNG.encodeGray16(image)
        }
        if depth == .colors, let map { pictures.depth = try PNG.encodeRGB(colors.picture(of: map)) }
        if confidence == .colors {
            if let map = frame.confidence {
                pictures.confidence = try PNG.encodeRGB(map.coloredPicture)
            } else {
                context.count("frames-without-confidence", 1)
            }
        }
        return pictures
    }

    /// MultiScan multiplies metres only: millimetres of a recording are written as they are.
    private func rounding(for capture: Capture) -> DepthCodec.Rounding {
        capture.metadata?["depth_unit"]?.string == "mm" ? .nearest : rounding
    }

    // MARK: - In frame order

    public struct Fold {
        /// Frames that have come by.
        fileprivate var seen = 0
        /// Source numbers of those that were written.
        fileprivate var written: [Int] = []
    }

    public func begin(_ context: StageContext) -> Fold { Fold() }

    public func fold(
        _ prepared: Pictures?, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        defer { fold.seen += 1 }
        guard fold.seen % step == 0 else { return }
        let pictures = if let prepared { prepared } else { try self.pictures(of: &frame, context) }
        let number = number.number(of: frame, after: fold.written.count)
        try pictures.color?.write(to: "\(Self.folder)/color/\(number)", context)
        if let depth = pictures.depth {
            try context.output.write(depth, for: &frame, to: "\(Self.folder)/\(depthFolder)/\(number).png")
        }
        if let confidence = pictures.confidence {
            try context.output.write(confidence, to: "\(Self.folder)/confidence-colors/\(number).png")
        }
        fold.written.append(frame.index)
    }

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) {
        context.count("frames", fold.written.count)
        number.record(fold.written, context)
        switch depth {
        case .png16: context.warnUnlessMetric(capture, "depth is not in millimetres")
        case .colors: context.warnUnlessMetric(capture, "`near` and `far` may not be in metres")
        case .none: break
        }
    }
}
