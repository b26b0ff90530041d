/// Reads JSON text (RFC 8259) value by value, without building a tree of it.
///
/// A caller asks for what it expects next; anything else there is a ``Problem`` with its line, column and byte:
///
///     try scanner.beginObject()
///     while let key = try scanner.nextKey() {
///         switch key {
///         case "timestamp": time = try scanner.number()
///         default: try scanner.skip()
///         }
///     }
///     try scanner.end()
///
/// The scanner is strict where RFC 8259 is: no comments, no trailing commas, no `NaN`, valid UTF-8 throughout, no lone
/// surrogates, nothing after the last value. A byte order mark at the start is skipped. Values may be nested
/// ``depthLimit`` deep.
public struct JSONScanner {
    public static let depthLimit = 64

    /// What kind of value comes next.
    public enum Kind: String, Sendable {
        case object = "an object"
        case array = "a list"
        case string = "text"
        case number = "a number"
        case bool = "true or false"
        case null = "null"
    }

    let bytes: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte to be read.
    public internal(set) var position = 0
    private let file: String?
    private let firstLine: Int
    private let firstByte: Int64
    private var depth = 0
    /// Whether nothing has been read from the innermost object or list yet, so that no comma is due.
    private var isFirst = true

    /// Whether `NaN`, `Infinity` and `-Infinity`, as Python's json writes them, are read as strings of that name: then
    /// a list that holds one can be read, and a caller who wants a number there reports what it found. Otherwise they
    /// are not JSON.
    package var keepsNonNumbers = false

    /// - Parameters:
    ///   - bytes: must outlive the scanner.
    ///   - file: the name for messages.
    ///   - line: the file's line, from 1, in which the text starts.
    ///   - byte: where in the file the text starts.
    public init(_ bytes: UnsafeBufferPointer<UInt8>, file: String? = nil, line: Int = 1, byte: Int64 = 0) {
        self.bytes = bytes
        self.file = file
        firstLine = line
        firstByte = byte
        if bytes.starts(with: ByteOrderMark.bytes) { position = ByteOrderMark.bytes.count }
    }

    /// The kind of the value that comes next; ``position`` is then its first byte.
    public mutating func kind() throws(Problem) -> Kind {
        skipSpace()
        guard position < bytes.count else { throw invalid("the text ends where a value is expected") }
        if nonNumber != nil { return .string }
        switch bytes[position] {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"):
            // `null` and Python's `nan` start alike.
            if stands("nan") { throw invalid(unexpectedText()) }
            return .null
        default: throw invalid(unexpectedText())
        }
    }

    // MARK: Objects and lists

    public mutating func beginObject() throws(Problem) { try begin(.object) }

    /// The next key of the innermost object; nil at its end.
    public mutating func nextKey() throws(Problem) -> String? {
        guard try advance(to: UInt8(ascii: "}"), "“,” or “}”") else { return nil }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            throw invalid("expected a key in double quotes, found \(found())")
        }
        let key = try string()
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
            throw invalid("expected “:” after the key, found \(found())")
        }
        position += 1
        return key
    }

    public mutating func beginArray() throws(Problem) { try begin(.array) }

    /// Whether the innermost list has another element; the element has to be read before the next call.
    public mutating func nextElement() throws(Problem) -> Bool {
        try advance(to: UInt8(ascii: "]"), "“,” or “]”")
    }

    private mutating func begin(_ wanted: Kind) throws(Problem) {
        try expect(wanted)
        depth += 1
        if depth > Self.depthLimit { throw invalid("values are nested more than \(Self.depthLimit) deep") }
        position += 1
        isFirst = true
    }

    /// Steps over the comma that is due; false, and one level up, at the closing bracket.
    private mutating func advance(to closing: UInt8, _ expected: String) throws(Problem) -> Bool {
        skipSpace()
        guard position < bytes.count else { throw invalid("the text ends where \(expected) is expected") }
        if bytes[position] == closing {
            position += 1
            depth -= 1
            isFirst = false
            return false
        }
        if !isFirst {
            guard bytes[position] == UInt8(ascii: ",") else { throw invalid("expected \(expected), found \(found())") }
            let comma = position
            position += 1
            skipSpace()
            if position < bytes.count, bytes[position] == closing {
                throw invalid("no comma may stand before the closing “\(Unicode.Scalar(closing))”", at: comma)
            }
        }
        isFirst = false
        return true
    }

    // MARK: Plain values

    public mutating func bool() throws(Problem) -> Bool {
        try expect(.bool)
        let value = bytes[position] == UInt8(ascii: "t")
        try word(value ? "true" : "false")
        return value
    }

    public mutating func null() throws(Problem) {
        try expect(.null)
        try word("null")
    }

    /// Reads the next value, whatever it is, and checks it as if it were wanted.
    public mutating func skip() throws(Problem) {
        switch try kind() {
        case .object:
            try beginObject()
            while try nextKey() != nil { try skip() }
        case .array:
            try beginArray()
            while try nextElement() { try skip() }
        case .string: _ = try string()
        case .number: _ = try number()
        case .bool: _ = try bool()
        case .null: try null()
        }
    }

    /// Nothing but white space may follow.
    public mutating func end() throws(Problem) {
        skipSpace()
        if position < bytes.count { throw invalid("expected the end of the text, found \(found())") }
    }

    mutating func expect(_ wanted: Kind) throws(Problem) {
        let next = try kind()
        if next != wanted { throw problem("expected \(wanted.rawValue), found \(next.rawValue)") }
    }

    /// The word at ``position`` in place of a number, if such words are kept.
    var nonNumber: StaticString? {
        guard keepsNonNumbers else { return nil }
        let word: StaticString
        switch bytes[position] {
        case UInt8(ascii: "N"): word = "NaN"
        case UInt8(ascii: "I"): word = "Infinity"
        case UInt8(ascii: "-"): word = "-Infinity"
        default: return nil
        }
        return stands(word) ? word : nil
    }

    private mutating func word(_ text: StaticString) throws(Problem) {
        guard stands(text) else { throw invalid(unexpectedText()) }
        position += text.utf8CodeUnitCount
    }

    private func stands(_ text: StaticString) -> Bool {
        guard bytes.count - position >= text.utf8CodeUnitCount else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
    }

    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// The bytes of a value as they were written.
    public func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    // MARK: Problems

    /// A problem of fault `input` at ``position``, or at another byte of the text.
    public func problem(_ summary: String, at offset: Int? = nil) -> Problem {
        let offset = offset ?? position
        var line = firstLine
        var lineStart = bytes.starts(with: ByteOrderMark.bytes) ? ByteOrderMark.bytes.count : 0
        for i in lineStart..<max(offset, lineStart) where bytes[i] == UInt8(ascii: "\n") {
            line += 1
            lineStart = i + 1
        }
        // Columns count characters, so the bytes that continue a UTF-8 sequence do not count.
        let column = 1 + (lineStart..<max(offset, lineStart)).count { bytes[$0] & 0xC0 != 0x80 }
        return Problem(.input, summary).at(file: file, line: line, column: column, byte: firstByte + Int64(offset))
    }

    func invalid(_ what: String, at offset: Int? = nil) -> Problem { problem("invalid JSON: \(what)", at: offset) }

    /// What is at ``position``, for a message.
    private func found() -> String {
        guard position < bytes.count else { return "the end of the text" }
        // Some readers take them, instant-ngp's for example.
        if stands("//") || stands("/*") { return "a comment, which JSON does not have: take it out" }
        let byte = bytes[position]
        let length = utf8Length(at: position)
        if byte < 0x20 || byte == 0x7F || length == 0 {
            return "the byte 0x\(String(byte, radix: 16, uppercase: true))"
        }
        return "“\(String(decoding: bytes[position..<position + length], as: UTF8.self))”"
    }

    /// What to say about text that starts no value.
    private func unexpectedText() -> String {
        if position == 0, bytes.count > 1, bytes[0] == 0 || bytes[1] == 0 || bytes[0] >= 0xFE {
            return "the text is not UTF-8 (it looks like UTF-16 or UTF-32)"
        }
        let word = String(decoding: bytes[position...].prefix(20).prefix(while: \.isASCIILetter), as: UTF8.self)
        switch word {
        case "": return "expected a value, found \(found())"
        case "NaN", "nan", "NAN", "Infinity", "inf", "Inf", "INF":
            return "\(word) is not a number in JSON (Python's json writes it unless told allow_nan=False)"
        default: return "expected a value, found “\(word)”"
        }
    }
}
