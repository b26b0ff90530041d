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
    public static let numberLimit = 4096

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
            // Far beyond any double already; more digits change nothing but could overflow.
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

    /// The standard library's correctly rounded conversion, for what the exact short ways do not cover.
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

/// mantissa · 10^exponent, as read from decimal digits.
struct Decimal {
    var mantissa: UInt64 = 0
    var exponent = 0
    /// False once there were more digits than the mantissa holds.
    var isExact = true

    mutating func append(_ digit: UInt8) {
        let (tenfold, overflow) = mantissa.multipliedReportingOverflow(by: 10)
        let (sum, carry) = tenfold.addingReportingOverflow(UInt64(digit))
        if overflow || carry { isExact = false } else { mantissa = sum }
    }

    /// The value when it is a whole number without exponent that fits; never for -0, whose sign would be lost.
    func int64(isNegative: Bool) -> Int64? {
        guard isExact, exponent == 0 else { return nil }
        if !isNegative { return Int64(exactly: mantissa) }
        if mantissa == 0 || mantissa > Int64.min.magnitude { return nil }
        return Int64(truncatingIfNeeded: 0 &- mantissa)
    }

    /// The nearest double, ties to even; nil where this would need more than 128 bits.
    ///
    /// Three ways, all exact up to one rounding: both factors are doubles (W. D. Clinger, "How to Read Floating Point
    /// Numbers Accurately", 1990); a product of 64 by 64 bits; a quotient of 128 by 64 bits. The last two are rounded by
    /// the conversion of a 64-bit integer whose lowest bit says whether anything was cut off.
    var double: Double? {
        guard isExact else { return nil }
        if mantissa == 0 { return 0 }
        let power = abs(exponent)
        if mantissa <= 1 << 53, power <= 22 {
            let scale = Double(Self.powersOfFive[power]) * Double(sign: .plus, exponent: power, significand: 1)
            return exponent < 0 ? Double(mantissa) / scale : Double(mantissa) * scale
        }
        guard power <= 27 else { return nil }
        let five = Self.powersOfFive[power]
        if exponent >= 0 {
            let (high, low) = mantissa.multipliedFullWidth(by: five)
            if high == 0 { return Double(sign: .plus, exponent: power, significand: Double(low)) }
            let shift = high.leadingZeroBitCount
            let top = high << shift | low >> (64 - shift)
            let sticky: UInt64 = low << shift == 0 ? 0 : 1
            return Double(sign: .plus, exponent: 64 - shift + power, significand: Double(top | sticky))
        }
        let up = mantissa.leadingZeroBitCount
        let fiveUp = five.leadingZeroBitCount
        let dividend = mantissa << up
        let (quotient, rest) = (five << fiveUp).dividingFullWidth((dividend >> 1, dividend << 63))
        let sticky: UInt64 = rest == 0 ? 0 : 1
        return Double(sign: .plus, exponent: fiveUp - up - 63 - power, significand: Double(quotient | sticky))
    }

    /// 5⁰ … 5²⁷, the powers that fit 64 bits.
    private static let powersOfFive = Array(sequence(first: UInt64(1)) { $0 * 5 }.prefix(28))
}
