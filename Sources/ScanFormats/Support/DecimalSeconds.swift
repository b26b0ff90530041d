import ScanModel

/// Times as decimal seconds in text and file names, exact to the nanosecond: a double that holds today's date in
/// seconds has steps of 240 ns.
public enum DecimalSeconds {
    private static let limit = RecordedTime.limit

    /// The nanoseconds of a text such as `1305031102.175304`. Digits beyond the ninth decimal round; a number with an
    /// exponent is read as a double.
    /// - Returns: nil when the text is not such a number, or is 4e9 seconds or more.
    public static func nanoseconds(_ text: String) -> Int64? {
        var digits = text.utf8[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        var value: Int64 = 0
        var digitCount = 0
        // Digits after the point so far; nil before it.
        var places: Int?
        for byte in digits {
            if byte == UInt8(ascii: "."), places == nil {
                places = 0
                continue
            }
            guard byte.isASCIIDigit else { return fromDouble(text) }
            digitCount += 1
            let digit = Int64(byte - UInt8(ascii: "0"))
            if let count = places {
                places = count + 1
                if count == 9, digit >= 5 { value += 1 }
                if count >= 9 { continue }
            }
            guard value <= limit / 10 else { return nil }
            value = value * 10 + digit
        }
        guard digitCount > 0 else { return nil }
        for _ in min(places ?? 0, 9)..<9 {
            guard value <= limit / 10 else { return nil }
            value *= 10
        }
        guard value < limit else { return nil }
        return isNegative ? -value : value
    }

    private static func fromDouble(_ text: String) -> Int64? {
        guard text.utf8.allSatisfy("0123456789+-.eE".utf8.contains), let seconds = Double(text),
            abs(seconds) < Double(limit) / 1e9
        else { return nil }
        return Int64((seconds * 1e9).rounded())
    }

    /// - Parameter places: digits after the point, 1 to 9; the time is rounded to them.
    public static func text(_ nanoseconds: Int64, places: Int) -> String {
        let unit = power(9 - places)
        let units = (nanoseconds.magnitude + unit / 2) / unit
        let (whole, fraction) = units.quotientAndRemainder(dividingBy: power(places))
        let digits = String(fraction)
        let sign = nanoseconds < 0 && units > 0 ? "-" : ""
        return "\(sign)\(whole).\(String(repeating: "0", count: places - digits.count))\(digits)"
    }

    /// The time as ``text(_:places:)`` rounds it, nanoseconds.
    public static func rounded(_ nanoseconds: Int64, places: Int) -> Int64 {
        let unit = power(9 - places)
        let units = (nanoseconds.magnitude + unit / 2) / unit
        let value = Int64(clamping: units.multipliedReportingOverflow(by: unit).partialValue)
        return nanoseconds < 0 ? -value : value
    }

    /// The time in whole microseconds, rounded likewise.
    public static func microseconds(_ nanoseconds: Int64) -> Int64 { rounded(nanoseconds, places: 6) / 1000 }

    private static func power(_ exponent: Int) -> UInt64 { (0..<exponent).reduce(1) { value, _ in value * 10 } }
}
