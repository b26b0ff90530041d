import ScanFormats
import ScanModel
import ScanPipeline

/// Unpacks depth and confidence.
public struct Decompress: FrameStage {
    public static let card = StageCard(
        name: "decompress",
        summary: "Unpack the recorded depth to metres, and confidence beside it.",
        details: """
            Takes half floats in metres or 16-bit integers in millimetres, from raw deflate streams (or zlib streams,
            which re-packing makes of them), or from depth pictures. Nothing is unpacked to disk. NaN, infinite and
            negative values are counted and set to 0, which means "no value", and so are numbers of NumPy arrays that do
            not fit into 16 bits. Confidence stays as recorded, and is read only where a stage below looks at it.

            Raw deflate has no checksum: the stream's length is checked against the frames, and a stream that ends early
            fails the capture unless `read` says `truncated: keep-whole`. A frame is bad if more than a tenth of it is
            negative or infinite: that is what wrong bytes look like.

            Some apps leave out the depth picture of a frame now and then. Such a frame stays, with every depth pixel 0,
            and counts as `frames-without-depth`.
            """,
        example: "- decompress", revision: 4)

    public init(_ options: inout OptionReader) {}

    public var uses: Uses {
        Uses(
            frame: .init(
                needs: [.recordedDepth], makes: [.depth],
                derives: [(.confidence, from: .recordedConfidence), (.previousDepth, from: .recordedDepth)]),
            instead: [
                [.recordedDepth]: [
                    .words("use a pipeline for captures without depth, such as the ready pictures-only.yaml")
                ]
            ])
    }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        guard let recorded = frame.recordedDepth else { return try makeEmpty(&frame, context) }
        let (depth, repaired) = try DepthCodec.decode(recorded)
        for (name, count) in [
            ("nan", repaired.nan), ("infinite", repaired.infinite), ("negative", repaired.negative),
            ("beyond-16-bits", repaired.beyond),
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
        context.count("frames", 1)
        frame.depth = depth
        frame.confidence = frame.recordedConfidence
        if context.wanted.contains(.previousDepth), let before = frame.recordedDepthBefore {
            // A damaged previous frame is no reason to lose this one, nor is it anything to compare with.
            if let (map, repaired) = try? DepthCodec.decode(before),
                DepthCodec.damage(repaired, of: map.metres.count) == nil
            {
                frame.previousDepth = map
            }
        }
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

    private func makeEmpty(_ frame: inout Frame, _ context: StageContext) throws(Problem) {
        guard let size = context.capture.depthSize else { throw Problem(.input, "the frame has no recorded depth") }
        context.count("frames-without-depth", 1)
        let count = size.width * size.height
        frame.depth = DepthMap(width: size.width, height: size.height, metres: Array(repeating: 0, count: count))
        frame.confidence = frame.recordedConfidence
    }
}
