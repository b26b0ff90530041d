import ScanModel

/// A JSON value and its place in the file, so that whatever does not fit can be named: `streams[1].resolution`.
public struct JSONField: Sendable {
    /// Nil where there is no such key.
    public let value: JSONValue?
    /// `streams[1].resolution`; empty for the whole text.
    public let path: String
    public let file: String

    /// The whole text of a file.
    public init(_ value: JSONValue, file: String) { self.init(value, path: "", file: file) }

    /// A file's text.
    /// - Parameters:
    ///   - keepsNonNumbers: for lists of frames, where `NaN` spoils only one frame: it becomes a string of that name.
    ///   - warnings: gets a note on keys that an object holds twice; the last value counts.
    package init(
        parsing bytes: [UInt8], file: String, keepsNonNumbers: Bool = false, warnings: inout [String]
    ) throws(Problem) {
        var repeats: [String] = []
        self.init(
            try JSONValue.parse(bytes, file: file, repeatedKeys: &repeats, keepsNonNumbers: keepsNonNumbers), file: file
        )
        guard !repeats.isEmpty else { return }
        warnings.append("\(file) holds keys twice, of which the last counts: \(repeats.joined(separator: ", "))")
    }

    private init(_ value: JSONValue?, path: String, file: String) {
        self.value = value
        self.path = path
        self.file = file
    }

    /// The member of an object; one without a value where there is no such member or no object.
    public subscript(key: String) -> JSONField {
        JSONField(value?[key], path: path.isEmpty ? key : "\(path).\(key)", file: file)
    }

    /// Whether there is nothing to read: no such key, or null.
    public var isAbsent: Bool { value == nil || value == .null }

    /// What `read` makes of the field, or nil where it is absent.
    public func ifPresent<T>(_ read: (JSONField) throws(Problem) -> T) throws(Problem) -> T? {
        isAbsent ? nil : try read(self)
    }

    public func object() throws(Problem) -> JSONObject {
        guard let object = value?.object else { throw unlike("an object") }
        return object
    }

    public func elements() throws(Problem) -> [JSONField] {
        guard let array = value?.array else { throw unlike("a list") }
        return array.enumerated().map { JSONField($1, path: "\(path)[\($0)]", file: file) }
    }

    public func text() throws(Problem) -> String {
        guard let text = value?.string else { throw unlike("text") }
        return text
    }

    public func number() throws(Problem) -> Double {
        guard let number = value?.double else { throw unlike("a number") }
        return number
    }

    /// A number, or nil where the field is absent.
    func numberIfPresent() throws(Problem) -> Double? { isAbsent ? nil : try number() }

    /// Seconds, as nanoseconds.
    func time() throws(Problem) -> Int64 {
        guard let time = RecordedTime.nanoseconds(seconds: try number()) else { throw unlike("seconds") }
        return time
    }

    /// A whole number in `range`.
    public func whole(in range: ClosedRange<Int>) throws(Problem) -> Int {
        guard let whole = value?.integer, let number = Int(exactly: whole), range.contains(number) else {
            let top = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw unlike("a whole number from \(range.lowerBound)\(top)")
        }
        return number
    }

    /// A list of exactly `count` numbers.
    public func numbers(_ count: Int) throws(Problem) -> [Double] {
        guard let numbers = value?.doubles, numbers.count == count else { throw unlike("a list of \(count) numbers") }
        return numbers
    }

    /// Rows of exactly `count` numbers each, one after the other: a matrix, however many rows it has.
    public func rows(of count: Int) throws(Problem) -> [Double] {
        var numbers: [Double] = []
        for row in try elements() { numbers += try row.numbers(count) }
        return numbers
    }

    /// A pose, camera to world: rows of four numbers.
    /// - Parameter leavesLastRow: whether the row 0 0 0 1 may be left out.
    /// - Throws: fault `input` where it is not such a matrix, or is column-major.
    func pose(leavesLastRow: Bool = false) throws(Problem) -> Pose {
        let numbers = try rows(of: 4)
        guard numbers.count == 16 || leavesLastRow && numbers.count == 12 else {
            throw unlike(leavesLastRow ? "three or four rows of four numbers" : "four rows of four numbers")
        }
        let pose = Pose(rowMajor: numbers)
        if let defect = pose.defect ?? Pose.layoutDefect(rowMajor: numbers) {
            guard let length = pose.axisLength else { throw Problem(.input, defect) }
            throw Problem(
                .input,
                "the pose is not a rotation: its axes are \(length.shortText) long, as those of an object that was "
                    + "scaled in Blender",
                fix: "apply the scale there, or divide the first three columns of each matrix by that length")
        }
        return pose
    }

    /// A problem of fault `input` that names the field, what it is, and what was expected.
    public func unlike(_ expected: String) -> Problem {
        let name = path.isEmpty ? "the text" : "“\(path)”"
        let found = value.map { "is \($0.briefly)" } ?? "is missing"
        return Problem(.input, "\(name) \(found); expected \(expected)").at(file: file)
    }
}

extension Pose {
    /// The length of the axes where that alone keeps this from being a pose.
    fileprivate var axisLength: Double? {
        let (x, y, z) = rotation.columns
        let length = (x.length + y.length + z.length) / 3
        let unit = Pose(rotation: Matrix3(columns: x / length, y / length, z / length), position: position)
        return defect != nil && unit.defect == nil ? length : nil
    }
}

extension JSONValue {
    /// The value in a few words, for a message.
    fileprivate var briefly: String {
        switch self {
        case .object(let object): object.members.isEmpty ? "{}" : "an object"
        case .array(let items) where items.count > 6: "a list of \(items.count) values"
        case .string(let text) where text.count > 40: "“\(text.prefix(40))…”"
        case .array(let items): "[\(items.map(\.briefly).joined(separator: ", "))]"
        case .string(let text): "“\(text)”"
        default: String(decoding: JSONWriter.text(self, pretty: false), as: UTF8.self)
        }
    }
}
