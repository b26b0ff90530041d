import ScanModel

/// Depth as a picture: of 16-bit numbers in whatever file format, told apart by content, or of metres as OpenEXR.
public enum DepthPicture {
    /// A frame's depth, whose numbers mean what `encoding` says: floats of metres are OpenEXR, others as
    /// ``decode(_:limits:)`` reads them.
    /// - Throws: when the file is damaged, or holds no such depth.
    static func recorded(
        _ bytes: [UInt8], as encoding: DepthEncoding, limits: PictureLimits
    ) throws(Problem) -> RecordedDepth {
        if encoding == .float32Metres { return try OpenEXR.decodeDepth(bytes, limits: limits) }
        let image = try decode(bytes, limits: limits)
        return RecordedDepth(
            width: image.width, height: image.height, encoding: encoding,
            bytes: image.pixels.withUnsafeBytes { Array($0) })
    }

    /// - Throws: when the file is damaged, or holds no 16-bit depth: a drawing of depth has lost its metres.
    public static func decode(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> Gray16Image {
        if NPY.isNPY(bytes) { return try NPY.decodeGray16(bytes, limits: limits) }
        if PGM.isPGM(bytes) { return try PGM.decodeGray16(bytes, limits: limits) }
        return try PNG.decodeGray16(bytes, limits: limits)
    }

    /// The size from a file's beginning.
    public static func size(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> PixelSize {
        if NPY.isNPY(bytes) { return try NPY.size(bytes, limits: limits) }
        let header = PGM.isPGM(bytes) ? try PGM.header(bytes, limits: limits) : try PNG.header(bytes, limits: limits)
        return header.size
    }
}
