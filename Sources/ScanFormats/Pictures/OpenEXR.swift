internal import CScanMill
import ScanModel

/// Depth in metres as OpenEXR pictures hold it: one channel of floats, or, of several, the one called R. A picture
/// whose data window is not its display window is refused: cameras are for the whole view.
///
/// Source: the OpenEXR project, "OpenEXR File Layout"; its own library reads them. What cannot be decoded in full is a
/// problem with fault `input`, whose place has no file; callers add it.
public enum OpenEXR {
    /// Whether a file begins as an OpenEXR picture does, whatever it is called.
    private static func isEXR(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x76, 0x2F, 0x31, 0x01]) }

    /// Columns and rows.
    /// - Throws: also when the picture is larger than `limits` allow.
    public static func size(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> PixelSize {
        var (width, height) = (UInt32(), UInt32())
        var code: Int32 = 0
        let message = messageOf { message in
            code = sm_exr_size(bytes, bytes.count, &width, &height, message)
            return code
        }
        if let message { throw problem(code, message, bytes) }
        let size = PixelSize(Int(width), Int(height))
        try limits.check(PictureHeader(width: size.width, height: size.height, channels: 1, bitDepth: 32))
        return size
    }

    /// Decodes depth: 32-bit floats of metres, as recorded. Half floats become floats.
    public static func decodeDepth(
        _ bytes: [UInt8], limits: PictureLimits = .standard
    ) throws(Problem) -> RecordedDepth {
        let size = try size(bytes, limits: limits)
        let (count, width) = (size.width * size.height, MemoryLayout<Float>.size)
        var (code, message): (Int32, String?) = (0, nil)
        // An array's storage is aligned for floats.
        let pixels = [UInt8](unsafeUninitializedCapacity: count * width) { buffer, initialized in
            let floats = UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: Float.self)
            message = messageOf { message in
                code = sm_exr_decode(bytes, bytes.count, floats, count, message)
                return code
            }
            initialized = message == nil ? count * width : 0
        }
        if let message { throw problem(code, message, bytes) }
        return RecordedDepth(width: size.width, height: size.height, encoding: .float32Metres, bytes: pixels)
    }

    private static func problem(_ code: Int32, _ message: String, _ bytes: [UInt8]) -> Problem {
        if !isEXR(bytes) {
            return Problem(
                .input, bytes.isEmpty ? "the OpenEXR picture is empty" : "not an OpenEXR picture",
                fix: PictureDamage.wayToMend + " from the device")
        }
        if code == SM_EXR_OTHER {
            return Problem(
                .input, "no depth that can be read: \(message)",
                fix: "export the depth again, as OpenEXR with one channel of floats, of the whole view")
        }
        return Problem(
            .input, "OpenEXR picture damaged", notes: ["OpenEXR's reader says: \(message)"],
            fix: PictureDamage.wayToMend + " from the device")
    }
}
