import ScanModel

/// The text at the start of a PLY file: what elements follow, and how their properties are stored.
///
/// G. Turk, "The PLY Polygon File Format", 1994. The motion files of MultiScan's iOS app begin with the same text, and
/// use 64-bit integers, which PLY itself does not have; both are read here.
public struct PLYHeader: Hashable, Sendable {
    public enum Format: String, Hashable, Sendable {
        case ascii
        case binaryLittleEndian = "binary_little_endian"
        case binaryBigEndian = "binary_big_endian"
    }

    /// A number type, in either of its spellings.
    public enum Scalar: Hashable, Sendable {
        case int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64

        init?(_ name: Substring) {
            switch name {
            case "char", "int8": self = .int8
            case "uchar", "uint8": self = .uint8
            case "short", "int16": self = .int16
            case "ushort", "uint16": self = .uint16
            case "int", "int32": self = .int32
            case "uint", "uint32": self = .uint32
            case "int64": self = .int64
            case "uint64": self = .uint64
            case "float", "float32": self = .float32
            case "double", "float64": self = .float64
            default: return nil
            }
        }

        public var byteCount: Int {
            switch self {
            case .int8, .uint8: 1
            case .int16, .uint16: 2
            case .int32, .uint32, .float32: 4
            case .int64, .uint64, .float64: 8
            }
        }
    }

    public struct Property: Hashable, Sendable {
        public var name: String
        public var type: Scalar
        /// The type of a list's length, for lists.
        public var countType: Scalar?
        /// Bytes from the start of a binary record, if no list comes before.
        public var offset: Int
    }

    public struct Element: Hashable, Sendable {
        public var name: String
        public var count: Int
        public var properties: [Property] = []
        /// The bytes of a binary record; meaningless when there are lists.
        public var byteCount = 0

        public var hasLists: Bool { properties.contains { $0.countType != nil } }

        public func index(of name: String) -> Int? { properties.firstIndex { $0.name == name } }
    }

    /// The most that a header may hold. Counts beyond this are damage, and products of count and size cannot overflow.
    static let countLimit = 1 << 40
    static let propertyLimit = 4096
    static let lineLimit = 4096
    static let byteLimit: Int64 = 1 << 20

    public var format: Format
    public var elements: [Element] = []
    /// Of the positions: metres, unless a comment of ``PLYWriter`` names another.
    public var unit = LengthUnit.metre
    /// The header's own length: where the data starts.
    public var byteCount: Int64 = 0

    /// Whether the file is a scene of Gaussian splats.
    var isSplats: Bool {
        Set(elements.flatMap(\.properties).map(\.name)).isSuperset(of: ["f_dc_0", "opacity"])
    }

    /// Reads a header, and leaves `lines` at the first byte of the data.
    init(_ lines: inout LineReader) throws(Problem) {
        let file = lines.rest.name
        guard let magic = try Self.nextWords(&lines), magic.words == ["ply"] else {
            throw Problem(.input, "the file is no PLY file: its first line is not “ply”").at(file: file, line: 1)
        }
        var format: Format?
        var propertyCount = 0
        while let (line, text, words) = try Self.nextWords(&lines) {
            if lines.rest.offset > Self.byteLimit { throw Self.problem("the header has no end", line, file) }
            switch words.first {
            case "format":
                guard words.count == 3, let known = Format(rawValue: String(words[1])) else {
                    throw Self.problem("the format “\(text.dropFirst(7))” is not known", line, file)
                }
                format = known
            case "comment" where words.count == 3 && words[1] == "unit":
                if let named = LengthUnit(rawValue: String(words[2])) { unit = named }
            case "comment", "obj_info": continue
            case "element":
                guard words.count == 3, let count = Int(words[2]), (0...Self.countLimit).contains(count) else {
                    throw Self.problem("expected “element NAME COUNT”, found “\(text)”", line, file)
                }
                elements.append(Element(name: String(words[1]), count: count))
            case "property":
                propertyCount += 1
                if propertyCount > Self.propertyLimit { throw Self.problem("too many properties", line, file) }
                guard let property = Property(words.dropFirst()), let last = elements.indices.last,
                    elements[last].index(of: property.name) == nil
                else { throw Self.problem("the property “\(text.dropFirst(9))” makes no sense here", line, file) }
                elements[last].append(property)
            case "end_header":
                guard let format else { throw Self.problem("the header names no format", line, file) }
                self.format = format
                byteCount = lines.rest.offset
                return
            default: throw Self.problem("a PLY header has no line “\(text.prefix(60))”", line, file)
            }
        }
        throw Problem(.input, "the PLY header has no “end_header”").at(
            file: file, byte: lines.rest.offset, of: lines.rest.byteCount)
    }

    private static func problem(_ summary: String, _ line: Int, _ file: String) -> Problem {
        Problem(.input, summary).at(file: file, line: line)
    }

    private static func nextWords(
        _ lines: inout LineReader
    ) throws(Problem) -> (line: Int, text: Substring, words: [Substring])? {
        guard let line = try lines.next() else { return nil }
        if line.byteCount > lineLimit {
            throw problem("a PLY header has no line that long", line.number, lines.rest.name)
        }
        let text = try lines.withBytes(of: line) { (bytes) throws(Problem) in String(decoding: bytes, as: UTF8.self) }
        return (line.number, text[...], text.split { $0 == " " || $0 == "\t" })
    }
}

extension PLYHeader.Property {
    /// `float x` or `list uchar int vertex_indices`.
    init?(_ words: ArraySlice<Substring>) {
        let words = Array(words)
        if words.count == 4, words[0] == "list", let countType = PLYHeader.Scalar(words[1]),
            let type = PLYHeader.Scalar(words[2])
        {
            self.init(name: String(words[3]), type: type, countType: countType, offset: 0)
        } else if words.count == 2, let type = PLYHeader.Scalar(words[0]) {
            self.init(name: String(words[1]), type: type, countType: nil, offset: 0)
        } else {
            return nil
        }
    }
}

extension PLYHeader.Element {
    mutating func append(_ property: PLYHeader.Property) {
        var property = property
        property.offset = byteCount
        byteCount += property.type.byteCount
        properties.append(property)
    }
}
