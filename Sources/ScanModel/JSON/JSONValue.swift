/// A JSON value whose objects keep the order of their keys, so that unknown content passes through unchanged.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A whole number that fits Int64, written without fraction or exponent.
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// A whole number; 3.0 counts as one.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The numbers of an array that holds nothing else.
    public var doubles: [Double]? {
        guard let array else { return nil }
        let values = array.compactMap(\.double)
        return values.count == array.count ? values : nil
    }

    public static func of(_ value: Int) -> JSONValue { .integer(Int64(value)) }
    public static func of(_ values: [Double]) -> JSONValue { .array(values.map { .number($0) }) }
    public static func of(_ values: [Int]) -> JSONValue { .array(values.map { .integer(Int64($0)) }) }
    public static func of(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
}

/// A value that may be missing, as a member of an object has it: nil leaves the member out.
extension JSONValue? {
    public static func of(_ value: Int?) -> JSONValue? { value.map { .of($0) } }
    public static func of(_ value: Int64?) -> JSONValue? { value.map { .integer($0) } }
    public static func of(_ value: Double?) -> JSONValue? { value.map { .number($0) } }
    public static func of(_ value: String?) -> JSONValue? { value.map { .string($0) } }
    public static func of(_ value: JSONObject?) -> JSONValue? { value.map { .object($0) } }
}

/// The members of a JSON object, in order. A key that occurs twice keeps its first place and its last value. Keys are
/// compared by bytes: precomposed and decomposed é are two keys (RFC 8259, 8.3), although `String` calls them equal.
public struct JSONObject: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    public private(set) var members: [(key: String, value: JSONValue)] = []
    /// The index of each key's member, once there are more than ``searchedCount``: most objects are small and many.
    private var positions: [[UInt8]: Int] = [:]

    /// Up to so many members, a linear search is as fast as a table.
    private static let searchedCount = 12

    public init() {}

    /// A member whose value is nil is left out.
    public init(dictionaryLiteral elements: (String, JSONValue?)...) {
        for (key, value) in elements { self[key] = value }
    }

    /// The values of a dictionary, in the order of their names.
    package init<Value>(_ values: [String: Value], _ json: (Value) -> JSONValue) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { self[key] = json(value) }
    }

    /// Setting nil removes the member.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let index?, let value?): members[index].value = value
            case (nil, let value?):
                members.append((key, value))
                if !positions.isEmpty { positions[Array(key.utf8)] = members.count - 1 } else { indexLongOnes() }
            case (let index?, nil):
                members.remove(at: index)
                positions = [:]
                indexLongOnes()
            case (nil, nil): break
            }
        }
    }

    /// Adds the members of another object. Keys that are there already keep their places, and get its values.
    public mutating func merge(_ other: JSONObject) {
        for (key, value) in other.members { self[key] = value }
    }

    private func position(of key: String) -> Int? {
        positions.isEmpty ? members.firstIndex { $0.key.utf8.elementsEqual(key.utf8) } : positions[Array(key.utf8)]
    }

    private mutating func indexLongOnes() {
        guard members.count > Self.searchedCount else { return }
        for (i, member) in members.enumerated() { positions[Array(member.key.utf8)] = i }
    }

    public var keys: [String] { members.map(\.key) }

    public static func == (a: JSONObject, b: JSONObject) -> Bool {
        a.members.count == b.members.count
            && zip(a.members, b.members).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value }
    }
}
