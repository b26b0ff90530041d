import ScanModel

/// Depth as a picture: 16-bit numbers in any of several file formats, told apart by content, or metres as OpenEXR.
public enum DepthPicture {
    /// A frame's depth, whose numbers mean what `encoding` says: floats of metres are OpenEXR, others NumPy, PGM or PNG;
    /// a NumPy array in a unit longer than a millimetre becomes floats of metres.
    /// - Throws: when the file is damaged, or holds no such depth: a visualisation of depth has lost its metres.
    package static func recorded(
        _ bytes: [UInt8], as encoding: DepthEncoding, limits: PictureLimits = .standard
    ) throws(Problem) -> RecordedDepth {
        if encoding == .float32Metres { return try OpenEXR.decodeDepth(bytes, limits: limits) }
        // Rounded to metres or centimetres, an array of floats would be worthless.
        if case .uint16(let unitsPerMetre, _, _) = encoding, unitsPerMetre < 1000, NPY.isNPY(bytes) {
            return try NPY.decodeMetres(bytes, unitsPerMetre: unitsPerMetre, limits: limits)
        }
        let (image, replaced) = try decode(bytes, limits)
        var depth = RecordedDepth(
            width: image.width, height: image.height, encoding: encoding,
            bytes: image.pixels.withUnsafeBytes { Array($0) })
        depth.replaced = replaced
        return depth
    }

    private static func decode(
        _ bytes: [UInt8], _ limits: PictureLimits
    ) throws(Problem) -> (image: Gray16Image, replaced: RecordedDepth.Replaced) {
        if NPY.isNPY(bytes) { return try NPY.decodeGray16(bytes, limits: limits) }
        let isPGM = PGM.isPGM(bytes)
        let image =
            isPGM ? try PGM.decodeGray16(bytes, limits: limits) : try PNG.decodeGray16(bytes, limits: limits)
        return (image, RecordedDepth.Replaced())
    }

    /// The size from a file's beginning.
    /// - Throws: when the beginning is damaged, or says that what follows is not 16-bit depth.
    public static func size(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> PixelSize {
        if NPY.isNPY(bytes) { return try NPY.size(bytes, limits: limits) }
        if PGM.isPGM(bytes) { return try PGM.depthHeader(bytes, limits: limits).size }
        return try PNG.depthHeader(bytes, limits: limits).size
    }
}
