import ScanFormats
import ScanModel
import ScanPipeline

/// One frame of a MultiScan stream, compressed: a block of the stream.
struct StagingBlock: Sendable {
    var bytes: [UInt8]
    var size: PixelSize

    /// On recorded depth zlib's level 4 makes streams 2 % longer than level 6 in two fifths of its time; 3 and 5 are
    /// worse trade-offs, and so are ISA-L's levels, whose streams are a quarter longer.
    private static let level = 4

    init(_ content: [UInt8], size: PixelSize) throws(Problem) {
        bytes = try DeflateBlock.compress(content, level: Self.level)
        self.size = size
    }
}

/// A frame's depth as a MultiScan stream holds it: half floats in metres, or the low 13 of 16 bits in millimetres where
/// it was recorded in millimetres.
struct StagingDepth: Sendable {
    /// Nil if there is no value: zeros mean the same in either unit.
    var unit: ScanMetadata.DepthUnit?
    var block: StagingBlock
    /// Pixels whose depth the stream cannot hold; they are 0 in it.
    var tooFarCount = 0
    /// Whether a stage has changed the recorded depth.
    var isMasked = false

    /// The depth of a frame as earlier stages have left it, as the colour camera sees it.
    static func masked(_ frame: Frame, _ context: StageContext) throws(Problem) -> StagingDepth {
        let map = try frame.requiredDepth
        let recorded = frame.recordedDepth
        let unit = recorded == nil && map.validCount == 0 ? nil : unit(of: recorded)
        let (bytes, tooFarCount) = try DepthCodec.encode(frame.aligned(map, context), as: (unit ?? .metres).encoding)
        // Mostly the bytes are the recorded ones. If they are not, the recorded ones may still mean the same: NaN and 0
        // both stand for "no value".
        var isMasked = false
        if let recorded, recorded.bytes != bytes { isMasked = try DepthCodec.decode(recorded).map != map }
        let block = try StagingBlock(bytes, size: map.size)
        return StagingDepth(unit: unit, block: block, tooFarCount: tooFarCount, isMasked: isMasked)
    }

    /// The depth of a frame as recorded: its own bytes, if a MultiScan stream may hold them.
    static func recorded(_ frame: Frame, _ context: StageContext) throws(Problem) -> StagingDepth {
        guard let recorded = frame.recordedDepth else {
            guard let size = context.capture.depthSize else {
                throw Problem(.input, "the frame has no recorded depth")
            }
            context.count("frames-without-depth", 1)
            let zeros = [UInt8](repeating: 0, count: 2 * size.width * size.height)
            return StagingDepth(unit: nil, block: try StagingBlock(zeros, size: size))
        }
        let unit = unit(of: recorded)
        let size = recorded.size
        if recorded.encoding == unit.encoding && context.capture.depthCamera == nil {
            return StagingDepth(unit: unit, block: try StagingBlock(recorded.bytes, size: size))
        }
        let map = frame.aligned(try DepthCodec.decode(recorded).map, context)
        let (bytes, tooFarCount) = try DepthCodec.encode(map, as: unit.encoding)
        return StagingDepth(unit: unit, block: try StagingBlock(bytes, size: size), tooFarCount: tooFarCount)
    }

    /// The same in the unit of the stream, which has one for all frames.
    func converted(to other: ScanMetadata.DepthUnit) throws(Problem) -> StagingDepth {
        guard let unit, unit != other else { return self }
        let size = block.size
        let recorded = RecordedDepth(
            width: size.width, height: size.height, encoding: unit.encoding,
            bytes: try Inflate.bytes(
                block.bytes + DeflateBlock.end, limit: size.width * size.height * unit.encoding.bytesPerPixel))
        let (bytes, beyond) = try DepthCodec.encode(try DepthCodec.decode(recorded).map, as: other.encoding)
        return StagingDepth(
            unit: other, block: try StagingBlock(bytes, size: size), tooFarCount: tooFarCount + beyond,
            isMasked: isMasked)
    }

    private static func unit(of recorded: RecordedDepth?) -> ScanMetadata.DepthUnit {
        if case .uint16(unitsPerMetre: 1000, _, _)? = recorded?.encoding { .millimetres } else { .metres }
    }
}
