import ScanModel

/// NumPy's `.npy` files of one plane of numbers, such as depth in whole units.
///
/// Source: NumPy, "numpy.lib.format", versions 1 to 3.
enum NPY {
    private static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)

    static func isNPY(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    private struct Header {
        var type: String
        var size: PixelSize
        /// Where the numbers begin.
        var start: Int
        /// Whether they stand column by column, as NumPy saves a transposed array.
        var isColumnMajor: Bool

        /// Of the pixels row by row, the places of their numbers.
        var order: some RandomAccessCollection<Int> {
            let (width, height) = (size.width, size.height)
            return (0..<width * height).lazy.map { isColumnMajor ? $0 % width * height + $0 / width : $0 }
        }
    }

    /// The accepted number types, little-endian.
    private static let types = ["<u2", "<i4", "<f4", "<f8"]

    /// Rows and columns, from the file's beginning.
    static func size(_ bytes: [UInt8], limits: PictureLimits) throws(Problem) -> PixelSize {
        try header(bytes, limits).size
    }

    /// The numbers, rounded to 16-bit integers.
    /// - Returns: `replaced` counts those that stand for no value, and those beyond what 16 bits hold; they become 0.
    /// - Throws: when the file is damaged, or most of its numbers are beyond: they cannot be depth in whole units.
    static func decodeGray16(
        _ bytes: [UInt8], limits: PictureLimits
    ) throws(Problem) -> (image: Gray16Image, replaced: RecordedDepth.Replaced) {
        let header = try header(bytes, limits)
        var replaced = RecordedDepth.Replaced()
        func whole(_ value: Double) -> UInt16 {
            if let number = UInt16(exactly: value.rounded()) { return number }
            // Arrays use NaN, infinity or −1 for no value; only numbers that are too large suggest another unit.
            if value.isFinite && value > 0 { replaced.beyond += 1 } else { replaced.missing += 1 }
            return 0
        }
        let pixels = try numbers(of: bytes, header, whole)
        try requireDepth(
            replaced, of: pixels.count, atMost: "65,535", "whole units, such as millimetres,", "in millimetres")
        let image = Gray16Image(width: header.size.width, height: header.size.height, pixels: pixels)
        return (image, replaced)
    }

    /// The numbers in metres, not rounded, for units that are too long to be counted in whole ones.
    /// - Returns: `replaced` counts those that stand for no value, and those beyond what half floats hold; they become 0.
    /// - Throws: when the file is damaged, or most of its numbers are beyond: they cannot be depth in this unit.
    static func decodeMetres(
        _ bytes: [UInt8], unitsPerMetre: Double, limits: PictureLimits
    ) throws(Problem) -> RecordedDepth {
        let header = try header(bytes, limits)
        var replaced = RecordedDepth.Replaced()
        func metres(_ value: Double) -> Float {
            // As in whole units, NaN, infinity and −1 stand for no value.
            guard value.isFinite, value >= 0 else {
                replaced.missing += 1
                return 0
            }
            let metres = Float(value / unitsPerMetre)
            if metres <= 65_504 { return metres }
            replaced.beyond += 1
            return 0
        }
        let pixels = try numbers(of: bytes, header, metres)
        try requireDepth(
            replaced, of: pixels.count, atMost: "65,504 m", "the unit that the capture says,", "in that unit")
        var depth = RecordedDepth(
            width: header.size.width, height: header.size.height, encoding: .float32Metres,
            bytes: pixels.withUnsafeBytes { Array($0) })
        depth.replaced = replaced
        return depth
    }

    /// - Throws: when most numbers of an array are above the limit.
    private static func requireDepth(
        _ replaced: RecordedDepth.Replaced, of count: Int, atMost limit: String, _ held: String, _ wanted: String
    ) throws(Problem) {
        if 2 * replaced.beyond <= count { return }
        throw Problem(
            .input, "not a depth picture: \(replaced.beyond.counted(of: count, "number", "is", "are")) above \(limit)",
            notes: ["NumPy arrays of depth hold \(held) and 0 for no value"],
            fix: "export the depth \(wanted), or leave it out")
    }

    private static func numbers<Number>(
        of bytes: [UInt8], _ header: Header, _ convert: (Double) -> Number
    ) throws(Problem) -> [Number] {
        let content = bytes[header.start...]
        let order = header.order
        return switch header.type {
        case "<u2": try values(content, order) { (bits: UInt16) in convert(Double(bits)) }
        case "<i4": try values(content, order) { (bits: UInt32) in convert(Double(Int32(bitPattern: bits))) }
        case "<f4": try values(content, order) { (bits: UInt32) in convert(Double(Float(bitPattern: bits))) }
        default: try values(content, order) { (bits: UInt64) in convert(Double(bitPattern: bits)) }
        }
    }

    private static func values<Bits: FixedWidthInteger & UnsignedInteger, Number>(
        _ content: ArraySlice<UInt8>, _ order: some RandomAccessCollection<Int>, _ convert: (Bits) -> Number
    ) throws(Problem) -> [Number] {
        let size = MemoryLayout<Bits>.size
        guard content.count == order.count * size else {
            throw Problem(
                .input, "the NumPy array holds \(content.count.counted("byte")) instead of \(order.count * size)")
        }
        return content.withUnsafeBytes { raw in
            order.map { convert(Bits(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * size, as: Bits.self))) }
        }
    }

    private static func header(_ bytes: [UInt8], _ limits: PictureLimits) throws(Problem) -> Header {
        guard isNPY(bytes), bytes.count >= 12 else { throw Problem(.input, "NumPy array truncated") }
        let isLong = bytes[6] >= 2
        var cursor = LittleEndianCursor(bytes, at: 8)
        let length = isLong ? Int(cursor.integer(as: UInt32.self)) : Int(cursor.integer(as: UInt16.self))
        let start = cursor.position + length
        guard length <= 1 << 16, start <= bytes.count else { throw Problem(.input, "NumPy array truncated") }
        let text = String(decoding: bytes[cursor.position..<start], as: UTF8.self)
        guard let type = value(of: "descr", in: text)?.split(separator: "'").first,
            let order = value(of: "fortran_order", in: text), order.hasPrefix("True") || order.hasPrefix("False"),
            let shape = value(of: "shape", in: text), shape.hasPrefix("("), let end = shape.firstIndex(of: ")")
        else { throw Problem(.input, "the NumPy array is no plane of numbers") }
        let sides = shape[..<end].dropFirst().split(separator: ",").map {
            Int($0.filter { $0 != " " }) ?? 0
        }
        guard sides.count == 2, sides.allSatisfy({ $0 > 0 }) else {
            throw Problem(.input, "the NumPy array is no plane of numbers")
        }
        guard types.contains(String(type)) else {
            throw Problem(
                .input, "the NumPy array holds numbers of type \(type.prefix(10))",
                notes: ["depth is of type \(types.dropLast().joined(separator: ", ")) or \(types[types.count - 1])"],
                fix: "convert each array: np.save(path, np.load(path).astype('<f4'))")
        }
        try limits.check(PictureHeader(width: sides[1], height: sides[0], channels: 1, bitDepth: 16))
        return Header(
            type: String(type), size: PixelSize(sides[1], sides[0]), start: start,
            isColumnMajor: order.hasPrefix("True"))
    }

    /// What follows a key in the header's dictionary.
    private static func value(of key: String, in text: String) -> Substring? {
        guard let found = text.firstRange(of: "'\(key)'") else { return nil }
        return text[found.upperBound...].drop { $0 == ":" || $0 == " " }
    }
}
