import Glibc

/// Numbers as messages, receipts and pages show them: rounded to the digits that mean something.
extension Double {
    /// The nearest number with so many decimals; halves go away from zero.
    package func rounded(decimals: Int) -> Double {
        let scale = Double(powerOfTen(decimals))
        // What is too large for that has no decimals.
        return magnitude < 0x1p53 ? (self * scale).rounded() / scale : self
    }

    /// The nearest number with so many significant digits; halves go away from zero.
    package func rounded(digits: Int) -> Double {
        let places = decimals(showing: digits)
        // Whole powers of ten are exact; their inverses are not.
        let scale = pow(10, Double(abs(places)))
        // So near to 0 the power is too large for a number.
        if !scale.isFinite { return self }
        return places >= 0 ? (self * scale).rounded() / scale : (self / scale).rounded() * scale
    }

    /// How many decimals it takes to show so many significant digits; negative where they end before the point.
    private func decimals(showing digits: Int) -> Int {
        self == 0 || !isFinite ? 0 : digits - 1 - Int(log10(magnitude).rounded(.down))
    }

    /// With at most three decimals, and none for a whole number: `5`, `0.333`.
    package var shortText: String { shortText(decimals: 3) }

    /// The same with at most so many decimals.
    package func shortText(decimals: Int) -> String {
        let rounded = rounded(decimals: decimals)
        if let whole = Int(exactly: rounded) { return String(whole) }
        // Unlike a description, this is never in powers of ten.
        let text = rounded.isFinite && rounded.magnitude < 1e12 ? fixedText(decimals: decimals) : rounded.description
        return text.contains("e") ? text : String(text.dropLast { $0 == "0" })
    }

    /// The same with so many significant digits, or the whole number where that has more; never with more than six
    /// decimals.
    package func shortText(digits: Int) -> String { shortText(decimals: min(max(0, decimals(showing: digits)), 6)) }

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
