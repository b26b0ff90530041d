import ScanFormats
import ScanModel
import ScanPipeline

/// Unpacks depth and confidence.
public struct Decompress: FrameStage {
    public static let card = StageCard(
        name: "decompress",
        summary: "Unpack the recorded depth to metres, and confidence beside it.",
        details: """
            Takes half floats in metres or 16-bit integers in millimetres, from raw deflate streams (or the zlib streams
            that repacking turns them into), or from depth pictures. Nothing is unpacked to disk. NaN, infinite and
            negative values are counted and set to 0, which means "no value", and so are numbers of NumPy arrays that do
            not fit into 16 bits. In NumPy arrays, other programs write NaN, infinite and negative numbers for "no
            value": these count as missing, not as damage. Confidence stays as recorded, and is read only where a stage
            below looks at it.

            Raw deflate has no checksum: the stream's length is checked against the frames, and a stream that ends early
            fails the capture unless `read` says `truncated: keep-whole`. A frame is bad if more than a tenth of it is
            negative or infinite: that is what wrong bytes look like.

            Some apps leave out the depth picture of a frame now and then. Such a frame stays, with every depth pixel 0,
            and counts as `frames-without-depth`.

            **Depth that is not what its format says.** `scale: 5` multiplies it: millimetres in a sequence like TUM's,
            whose pictures should hold 5000 units a metre. `ray-length: true` takes it for the distance from the camera,
            as some renderers write it, and makes of it the distance along the optical axis. `check-geometry` finds out
            both. What `write-staging` copies as recorded stays as it is.
            """,
        example: "- decompress", revision: 4)

    let scale: Double
    let isRayLength: Bool

    public init(_ options: inout OptionReader) {
        scale = options.number(
            "scale", "What recorded depth is multiplied by, where it is in another unit than its format's.",
            default: 1, in: 1e-4...1e4)
        isRayLength = options.flag(
            "ray-length", "Take recorded depth for the distance from the camera, not along its axis.", default: false)
    }

    public var uses: Uses {
        Uses(
            frame: .init(
                needs: [.recordedDepth] + (isRayLength ? [.intrinsics] : []), makes: [.depth],
                derives: [(.confidence, from: .recordedConfidence), (.previousDepth, from: .recordedDepth)]),
            instead: [
                [.recordedDepth]: [
                    .words("use a pipeline for captures without depth, such as the ready-made pictures-only")
                ]
            ])
    }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        frame.depth =
            if let recorded = frame.recordedDepth { try unpack(recorded, of: frame, context) } else {
                try emptyDepth(context)
            }
        frame.confidence = frame.recordedConfidence
        unpackPrevious(&frame, context)
    }

    private func unpack(
        _ recorded: RecordedDepth, of frame: Frame, _ context: StageContext
    ) throws(Problem) -> DepthMap {
        let (depth, repaired) = try decode(recorded, of: frame, context)
        for (name, count) in [
            ("nan", repaired.nan), ("infinite", repaired.infinite), ("negative", repaired.negative),
            ("beyond-16-bits", repaired.beyond), ("missing", repaired.missing),
        ] where count > 0 {
            context.count("\(name)-pixels-made-0", count)
        }
        if let damage = DepthCodec.damage(repaired, of: depth.metres.count) { throw damage }
        warnOfUnit(depth, context)
        let beyond = DepthCodec.countBeyondMask(recorded)
        if beyond > 0 {
            context.count("pixels-with-more-than-13-bits", beyond)
            context.warn(
                "some depth has more than the 13 bits of Android's millimetres, whose upper bits hold confidence: they were cut "
                    + "off, so that what is farther than 8.191 m, if that is what they mean, is near now")
        }
        // Of what is beyond a room it makes no wall in the room.
        if let end = DepthCodec.cutOff(recorded).map({ $0 * scale }), end < Self.roomSize {
            context.count("frames-cut-off", 1)
            context.warn(
                "much of the depth is the largest number that its file can hold, \(end.shortText) m: what is farther was cut off "
                    + "there, and would become a wall; leave it out with `mask-range: {far: \((0.999 * end).shortText)}` below"
            )
        }
        context.count("frames", 1)
        return depth
    }

    /// Metres.
    private static let roomSize = 20.0

    /// A damaged previous frame is no reason to lose this one, nor is it anything to compare with.
    private func unpackPrevious(_ frame: inout Frame, _ context: StageContext) {
        guard context.wanted.contains(.previousDepth), let before = frame.recordedDepthBefore,
            let (map, repaired) = try? decode(before, of: frame, context),
            DepthCodec.damage(repaired, of: map.metres.count) == nil
        else { return }
        frame.previousDepth = map
    }

    /// - Parameter frame: the one whose camera counts; that of a frame before it differs too little to matter.
    private func decode(
        _ recorded: RecordedDepth, of frame: Frame, _ context: StageContext
    ) throws(Problem) -> (map: DepthMap, repaired: DepthCodec.Repaired) {
        var (map, repaired) = try DepthCodec.decode(scale == 1 ? recorded : recorded.multiplied(by: scale))
        if scale != 1, !recorded.encoding.hasUnits { map.multiply(by: Float(scale)) }
        if isRayLength {
            let camera = try frame.facts.requiredIntrinsics
            let view = context.capture.depthView(camera: camera, pose: .identity)
            map.convertRayLengths(seenBy: view.camera.resized(to: map.size))
        }
        return (map, repaired)
    }

    /// A look at some of the pixels: nothing that a phone scans is hundreds of metres away, or millimetres.
    private func warnOfUnit(_ depth: DepthMap, _ context: StageContext) {
        guard context.capture.isMetric else { return }
        let some = stride(from: 0, to: depth.metres.count, by: max(1, depth.metres.count / 256))
            .map { depth.metres[$0] }.filter { $0 > 0 }
        guard some.count >= 16, let median = some.middle,
            let cause = GeometryCheck.doubt(ofMedian: Double(median))?.cause
        else { return }
        context.warn("half of a frame's depth is too far or too near for a scan: \(cause)")
    }

    /// For a frame that was recorded without.
    private func emptyDepth(_ context: StageContext) throws(Problem) -> DepthMap {
        guard let size = context.capture.depthSize else { throw Problem(.input, "the frame has no recorded depth") }
        context.count("frames-without-depth", 1)
        return DepthMap(emptyOf: size)
    }
}
