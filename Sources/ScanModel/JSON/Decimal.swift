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
    /// Three ways, all exact but for one rounding: both factors are doubles (W. D. Clinger, "How to Read Floating Point
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

extension Decimal {
    /// Parses a sign, digits with or without a point, and an exponent. Nil for anything else.
    fileprivate static func parse(_ text: UnsafeBufferPointer<UInt8>) -> (isNegative: Bool, magnitude: Decimal)? {
        var decimal = Decimal()
        var place = 0
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative || text.first == UInt8(ascii: "+") { place += 1 }
        let start = place
        var point: Int?
        while place < text.count {
            let digit = text[place] &- UInt8(ascii: "0")
            if digit <= 9 {
                decimal.append(digit)
            } else if text[place] == UInt8(ascii: "."), point == nil {
                point = place
            } else {
                break
            }
            place += 1
        }
        guard place > start, place > start + 1 || point == nil else { return nil }
        if let point { decimal.exponent = point + 1 - place }
        if place == text.count { return (isNegative, decimal) }
        guard text[place] | 0x20 == UInt8(ascii: "e"), text.count - place <= 6,
            let exponent = Int(String(decoding: text[(place + 1)...], as: UTF8.self))
        else { return nil }
        decimal.exponent += exponent
        return (isNegative, decimal)
    }
}

extension Float {
    /// The float nearest to a number's text, ties to even: the same as `Float(String(decoding:as:))`, at a fraction of
    /// its cost for up to 19 digits.
    package init?(text: UnsafeBufferPointer<UInt8>) {
        if let (isNegative, magnitude) = Decimal.parse(text), let double = magnitude.double,
            double == 0 || double >= Double(Float.leastNormalMagnitude),
            // Rounding twice goes wrong only if the first rounding ends exactly between two floats.
            double.bitPattern & 0x1FFF_FFFF != 0x1000_0000
        {
            self = Float(isNegative ? -double : double)
        } else {
            self.init(String(decoding: text, as: UTF8.self))
        }
    }
}
