/// Strings of JSON text.
extension JSONScanner {
    /// The next value, which has to be a string, with its escapes resolved.
    public mutating func string() throws(Problem) -> String {
        try expect(.string)
        if let word = nonNumber {
            position += word.utf8CodeUnitCount
            return word.description
        }
        let quote = position
        position += 1
        let start = position
        // Nearly every string is plain ASCII without escapes and needs one look at each byte.
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                defer { position += 1 }
                return String(decoding: bytes[start..<position], as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { break }
            position += 1
        }
        var text = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text.append(contentsOf: String(try escape()).utf8)
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                throw invalid("a line break inside a string (is its closing quote missing?)")
            case 0..<0x20:
                throw invalid("the control character 0x\(String(byte, radix: 16)) inside a string has to be escaped")
            default:
                let length = utf8Length(at: position)
                if length == 0 {
                    throw invalid("the byte 0x\(String(byte, radix: 16, uppercase: true)) is not valid UTF-8")
                }
                text.append(contentsOf: bytes[position..<position + length])
                position += length
            }
        }
        throw invalid("the string is not closed", at: quote)
    }

    /// Reads `\n`, `\u00e9`, `\ud83d\ude00` and the like.
    private mutating func escape() throws(Problem) -> Unicode.Scalar {
        let start = position
        guard position + 1 < bytes.count else { throw invalid("the text ends inside an escape") }
        position += 2
        switch bytes[position - 1] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw invalid("a backslash may stand only before one of \" \\ / b f n r t u", at: start)
        }
        let first = try hexDigits(of: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Only surrogates are no scalars. A high one must be followed by a low one, which is read with it.
        let isPair =
            first < 0xDC00 && position + 1 < bytes.count && bytes[position] == UInt8(ascii: "\\")
            && bytes[position + 1] == UInt8(ascii: "u")
        if isPair {
            position += 2
            let second = try hexDigits(of: start)
            let value = 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)
            if second & 0xFC00 == 0xDC00, let scalar = Unicode.Scalar(value) { return scalar }
        }
        throw invalid("the escape is half of a surrogate pair", at: start)
    }

    private mutating func hexDigits(of escape: Int) throws(Problem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue,
                bytes[position] < 0x80
            else { throw invalid("“\\u” needs four hexadecimal digits", at: escape) }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    /// How many bytes the UTF-8 sequence at `offset` has, or 0 when it is not valid (RFC 3629, section 4).
    func utf8Length(at offset: Int) -> Int {
        let first = bytes[offset]
        if first < 0x80 { return 1 }
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { return 0 }
        return (2..<length).allSatisfy { bytes[offset + $0] & 0xC0 == 0x80 } ? length : 0
    }
}
