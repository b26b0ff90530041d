import ScanModel

/// Values of options as a pipeline and the messages about it write them.
package enum OptionText {
    /// A whole number without decimals, unless it is so large that its digits say nothing.
    package static func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value), whole.magnitude < 1_000_000_000 {
            String(whole)
        } else {
            value.description
        }
    }

    /// The path that an option gives, for one capture: its id stands where `{id}` is.
    package static func path(_ path: String, ofCapture id: String) -> String { path.replacing(idMark, with: id) }

    /// Whether a path is another one for each capture.
    static func namesCapture(_ path: String) -> Bool { path.contains(idMark) }

    private static let idMark = "{id}"

    /// Whether a path has braces that stand for nothing.
    fileprivate static func hasStrayBraces(_ path: String) -> Bool {
        path.replacing(idMark, with: "").contains { "{}".contains($0) }
    }

    package static func list(_ values: [Int]) -> String { "[" + values.map(String.init).joined(separator: ", ") + "]" }

    package static func range(_ range: ClosedRange<Double>, unit: String?) -> String {
        let greatest = Double.greatestFiniteMagnitude
        return Self.range(
            range.lowerBound == -greatest ? nil : number(range.lowerBound),
            range.upperBound == greatest ? nil : number(range.upperBound), unit)
    }

    package static func range(_ range: ClosedRange<Int>, unit: String?) -> String {
        Self.range(
            range.lowerBound == .min ? nil : String(range.lowerBound),
            range.upperBound == .max ? nil : String(range.upperBound), unit)
    }

    private static func range(_ low: String?, _ high: String?, _ unit: String?) -> String {
        func measured(_ number: String) -> String {
            guard let unit else { return number }
            let isWord = unit.count > 2 && unit.hasSuffix("s") && unit.allSatisfy(\.isLetter)
            return isWord && number == "1" ? 1.counted(String(unit.dropLast())) : "\(number) \(unit)"
        }
        return switch (low, high) {
        case (let low?, let high?): "between \(low) and \(measured(high))"
        case (let low?, nil): "at least \(measured(low))"
        case (nil, let high?): "at most \(measured(high))"
        case (nil, nil): "finite"
        }
    }
}

extension OptionReader {
    /// Checks that a path that an option gives has nothing but `{id}` in braces.
    package mutating func checkBraces(_ name: String, in path: String) {
        if OptionText.hasStrayBraces(path) {
            fail(name, "`\(name)` has braces that stand for nothing", "`{id}` is the only name in braces")
        }
    }
}
