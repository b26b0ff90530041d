import ScanModel

/// Pictures in formats that are not read, recognised by their first bytes: from a phone or a web site, whatever their
/// name.
enum ForeignPicture {
    /// The bytes that mark each format, and where in a file they are.
    private static let marks: [(format: String, start: Int, text: String)] =
        [
            ("WebP", 8, "WEBP"), ("GIF", 0, "GIF8"), ("TIFF", 0, "II*\0"), ("TIFF", 0, "MM\0*"), ("BMP", 0, "BM"),
            ("OpenEXR", 0, "v/1\u{1}"), ("JPEG XL", 4, "JXL "), ("JPEG 2000", 4, "jP  "),
            ("AVIF", 4, "ftypavif"), ("AVIF", 4, "ftypavis"),
        ] + ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"].map { ("HEIC", 4, "ftyp\($0)") }

    /// The usual extensions of such pictures.
    static let endings = ["webp", "heic", "tif", "tiff"]

    /// What is wrong with a file that begins like such a picture, or like one that did not arrive; nil for any other.
    /// - Parameter readable: the formats that are read instead.
    static func problem(_ bytes: [UInt8], readable: String = "JPEG or PNG") -> Problem? {
        if let cause = UnarrivedFile.problem(bytes) { return cause }
        let found = marks.first { bytes.dropFirst($0.start).starts(with: $0.text.utf8) }
        guard let format = found?.format else { return nil }
        return Problem(
            .input, "\(format) pictures are not read; convert them to \(readable)",
            fix: "convert the pictures to \(readable)")
    }
}
