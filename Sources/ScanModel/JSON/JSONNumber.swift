/// A number of JSON text.
public enum JSONNumber: Hashable, Sendable {
    /// Written without fraction or exponent, and small enough.
    case integer(Int64)
    case double(Double)

    public var double: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        }
    }

    /// The value as a whole number, if it is one; 3.0 counts.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value)
        }
    }
}

extension JSONScanner {
    /// The longest number that is read. A double never needs more than 767 digits to be told from its neighbours.
    static let numberLimit = 4096

    /// The next value, which has to be a number. Doubles are correctly rounded; a whole number that does not fit Int64
    /// becomes a double, and so does `-0`, which keeps its sign.
    public mutating func number() throws(Problem) -> JSONNumber {
        try expect(.number)
        let start = position
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }

        var decimal = Decimal()
        let firstDigit = position
        digits(into: &decimal)
        guard position > firstDigit else { throw invalid(notADigit(), at: start) }
        if bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
            throw invalid("a number may not start with 0", at: start)
        }
        var isWhole = true
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            let point = position
            digits(into: &decimal)
            guard position > point else { throw invalid("expected a digit after the decimal point") }
            decimal.exponent -= position - point
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            decimal.exponent += try exponent()
        }
        if isWhole, let value = decimal.int64(isNegative: isNegative) { return .integer(value) }
        if let magnitude = decimal.double { return .double(isNegative ? -magnitude : magnitude) }
        return .double(try slowDouble(start..<position))
    }

    private mutating func digits(into decimal: inout Decimal) {
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            if digit > 9 { return }
            decimal.append(digit)
            position += 1
        }
    }

    private mutating func exponent() throws(Problem) -> Int {
        var isNegative = false
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
            isNegative = bytes[position] == UInt8(ascii: "-")
            position += 1
        }
        let start = position
        var value = 0
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            if digit > 9 { break }
            // Already far beyond any double; more digits would change nothing, but could overflow.
            if value < 100_000 { value = value * 10 + Int(digit) }
            position += 1
        }
        guard position > start else { throw invalid("expected a digit in the exponent") }
        return isNegative ? -value : value
    }

    private func notADigit() -> String {
        let rest = String(decoding: bytes[position...].prefix(8), as: UTF8.self).lowercased()
        return rest.hasPrefix("inf")
            ? "-Infinity is not a number in JSON (Python's json writes it unless told allow_nan=False)"
            : "expected a digit after “-”"
    }

    /// The standard library's correctly rounded conversion, for what the fast exact paths do not cover.
    private func slowDouble(_ range: Range<Int>) throws(Problem) -> Double {
        guard range.count <= Self.numberLimit else {
            throw invalid("a number of more than \(Self.numberLimit) characters", at: range.lowerBound)
        }
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard let value = Double(text), value.isFinite else {
            throw problem("the number \(text.prefix(40)) is too large for a double", at: range.lowerBound)
        }
        return value
    }
}
