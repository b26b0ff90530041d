/// Numbers as messages, receipts and pages show them: rounded to the digits that mean something.
extension Double {
    /// The nearest number with so many decimals; halves go away from zero.
    package func rounded(decimals: Int) -> Double {
        let scale = Double(powerOfTen(decimals))
        return (self * scale).rounded() / scale
    }

    /// With at most three decimals, and none for a whole number: `5`, `0.333`.
    package var shortText: String {
        let rounded = rounded(decimals: 3)
        return Int(exactly: rounded).map { String($0) } ?? rounded.description
    }

    /// With exactly so many decimals, rounded; never "-0".
    package func fixedText(decimals: Int) -> String {
        let scale = powerOfTen(decimals)
        guard let scaled = Int(exactly: (self * Double(scale)).rounded()) else { return description }
        let sign = scaled < 0 ? "-" : ""
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt(scale))
        if decimals == 0 { return sign + String(whole) }
        let digits = String(fraction)
        return "\(sign)\(whole)." + String(repeating: "0", count: decimals - digits.count) + digits
    }
}

private func powerOfTen(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { power, _ in power * 10 } }

extension Int {
    /// With a separator between thousands: `1,234,567`.
    package func groupedText(separator: String = ",", minus: String = "-") -> String {
        let digits = Array(String(magnitude))
        let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[Swift.max(0, $0 - 3)..<$0]) }
        return (self < 0 ? minus : "") + groups.reversed().joined(separator: separator)
    }
}
