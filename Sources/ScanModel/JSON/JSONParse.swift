extension JSONValue {
    /// Reads one JSON text.
    /// - Parameter file: the name for messages.
    /// - Throws: a problem of fault `input` with line, column and byte where the text is not JSON.
    public static func parse(_ bytes: [UInt8], file: String) throws(Problem) -> JSONValue {
        var repeatedKeys: [String] = []
        return try parse(bytes, file: file, repeatedKeys: &repeatedKeys)
    }

    /// Reads one JSON text and names the keys that an object holds twice, whose last value counts (the first ten such
    /// keys, as `“depth_unit” in line 12`).
    /// - Parameter keepsNonNumbers: whether Python's `NaN` and infinities, which are not JSON, become strings of that
    ///   name.
    public static func parse(
        _ bytes: [UInt8], file: String, repeatedKeys: inout [String], keepsNonNumbers: Bool = false
    ) throws(Problem) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Problem) -> JSONValue in
            var scanner = JSONScanner(buffer, file: file)
            scanner.keepsNonNumbers = keepsNonNumbers
            let value = try scanner.value(repeatedKeys: &repeatedKeys)
            try scanner.end()
            return value
        }
    }

    /// An outline of one JSON text, in little memory however long it is: only the first element of each list, and only
    /// the first ``outlineCount`` values. The text is checked to its end; `NaN` and infinities are accepted.
    /// - Parameter file: the name for messages.
    /// - Throws: a problem of fault `input` with line, column and byte where the text is not JSON.
    package static func outline(_ bytes: [UInt8], file: String) throws(Problem) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Problem) -> JSONValue in
            var scanner = JSONScanner(buffer, file: file)
            scanner.keepsNonNumbers = true
            var left = outlineCount
            let value = try scanner.outline(&left)
            try scanner.end()
            return value
        }
    }

    /// How many values an outline holds at most: many times what files usually hold apart from long lists.
    package static let outlineCount = 200_000
}

extension JSONScanner {
    /// - Parameter left: how many further values are kept.
    fileprivate mutating func outline(_ left: inout Int) throws(Problem) -> JSONValue {
        left -= 1
        switch try kind() {
        case .object:
            var object = JSONObject()
            try beginObject()
            while let key = try nextKey() {
                if left > 0 { object[key] = try outline(&left) } else { try skip() }
            }
            return .object(object)
        case .array:
            var items: [JSONValue] = []
            try beginArray()
            while try nextElement() {
                if left > 0, items.isEmpty { items.append(try outline(&left)) } else { try skip() }
            }
            return .array(items)
        case .string, .number, .bool, .null: return try value()
        }
    }

    /// Reads the next value, whatever it is, into a tree.
    public mutating func value() throws(Problem) -> JSONValue {
        var repeatedKeys: [String] = []
        return try value(repeatedKeys: &repeatedKeys)
    }

    fileprivate mutating func value(repeatedKeys: inout [String]) throws(Problem) -> JSONValue {
        switch try kind() {
        case .object:
            var object = JSONObject()
            try beginObject()
            while let key = try nextKey() {
                if repeatedKeys.count < 10, object[key] != nil {
                    repeatedKeys.append("“\(key)” in line \(problem("").place.line ?? 0)")
                }
                object[key] = try value(repeatedKeys: &repeatedKeys)
            }
            return .object(object)
        case .array:
            var items: [JSONValue] = []
            try beginArray()
            while try nextElement() { items.append(try value(repeatedKeys: &repeatedKeys)) }
            return .array(items)
        case .string: return .string(try string())
        case .number:
            switch try number() {
            case .integer(let value): return .integer(value)
            case .double(let value): return .number(value)
            }
        case .bool: return .bool(try bool())
        case .null:
            try null()
            return .null
        }
    }
}
