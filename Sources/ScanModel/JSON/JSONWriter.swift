/// Writes JSON text into a byte buffer, without Foundation: keys in the order given, numbers in the shortest form that
/// reads back to the same double, so that a rerun gives the same bytes on every machine.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private let pretty: Bool
    private var depth = 0
    private var needsComma = false
    private var isAfterKey = false

    /// - Parameter pretty: one member per line, indented by two spaces; short arrays of plain values stay on one line.
    public init(pretty: Bool = true) { self.pretty = pretty }

    public static func text(_ value: JSONValue, pretty: Bool = true) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.value(value)
        if pretty { writer.bytes.append(UInt8(ascii: "\n")) }
        return writer.bytes
    }

    /// Takes what was written so far, so that a long text can be streamed.
    public mutating func drain() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    public mutating func object(_ body: (inout JSONWriter) -> Void) { enclose("{", "}", body) }
    public mutating func array(_ body: (inout JSONWriter) -> Void) { enclose("[", "]", body) }

    public mutating func key(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        if pretty { bytes.append(UInt8(ascii: " ")) }
        needsComma = false
        isAfterKey = true
    }

    public mutating func member(_ name: String, _ value: JSONValue) {
        key(name)
        self.value(value)
    }

    public mutating func value(_ value: JSONValue) {
        switch value {
        case .array(let items) where items.allSatisfy(\.isScalar) && items.count <= 32:
            separate()
            bytes.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { append(pretty ? ", " : ",") }
                scalar(item)
            }
            bytes.append(UInt8(ascii: "]"))
            needsComma = true
        case .array(let items): array { writer in for item in items { writer.value(item) } }
        case .object(let object):
            self.object { writer in for (key, value) in object.members { writer.member(key, value) } }
        default:
            separate()
            scalar(value)
            needsComma = true
        }
    }

    private mutating func enclose(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: open))
        depth += 1
        needsComma = false
        let before = bytes.count
        body(&self)
        depth -= 1
        if bytes.count != before || needsComma { newline() }
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if isAfterKey {
            isAfterKey = false
            return
        }
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        if depth > 0 { newline() }
    }

    private mutating func newline() {
        guard pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    private mutating func scalar(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .integer(let value): append(String(value))
        case .number(let value): append(Self.number(value))
        case .string(let value): quote(value)
        case .array, .object: self.value(value)
        }
    }

    /// The shortest decimal that reads back to `value`; `null` for what is not finite, for which JSON has no word.
    public static func number(_ value: Double) -> String { value.isFinite ? value.description : "null" }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\r"): append("\\r")
            case UInt8(ascii: "\t"): append("\\t")
            case 0..<0x20:
                let hex = Array("0123456789abcdef".utf8)
                append("\\u00")
                bytes.append(hex[Int(byte >> 4)])
                bytes.append(hex[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONValue {
    fileprivate var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }
}
