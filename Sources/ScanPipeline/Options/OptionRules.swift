import ScanModel

/// Checks that concern several options of a stage.
extension OptionReader {
    /// Warns where an option is given that has no effect in view of the others.
    /// - Parameter condition: what it takes, as in "`x` has an effect only …".
    public mutating func warn(_ name: String, unless hasEffect: Bool, _ condition: String) {
        // One reason is enough.
        guard isGiven(name), !hasEffect, !odd.contains(where: { $0.option == name }) else { return }
        warn(name, "`\(name)` has an effect only \(condition)", fix: "take it out")
    }

    /// Refuses an option that is not at its default and has no effect in view of another. It only warns where the other was
    /// set on the command line and this one stands in the file, which need not change for that.
    /// - Parameter condition: what it takes, as in "`x` goes …".
    public mutating func refuse(_ name: String, beside other: String, _ condition: String) {
        if isSet(other) && !isSet(name) {
            warn(name, unless: false, condition)
        } else {
            fail(name, "`\(name)` goes \(condition)", "take it out")
        }
    }

    /// Checks that exactly one of these options is given; of several, one set on the command line replaces those in the
    /// file. Called before they are declared.
    public mutating func exactlyOne(of names: [String]) {
        precondition(!specs.contains { names.contains($0.name) }, "options are declared behind the choice among them")
        let set = names.filter { isSet($0) }
        if set.count == 1 { for name in names where name != set[0] { given[name] = nil } }
        let present = names.filter { given[$0] != nil }
        let list = names.map { "`\($0)`" }.joined(separator: ", ")
        if present.isEmpty {
            fail(
                nil, "one of \(list) is needed",
                "give the one you mean; `scanmill stages` with the stage's name explains them")
        } else if present.count > 1 {
            let both = present.map { "`\($0)`" }.joined(separator: " and ")
            fail(present[1], "\(both) exclude each other", "keep one of them")
        }
    }

    /// Checks that of two numbers, declared before, the first is smaller, where both are given or have defaults.
    public mutating func require(_ low: String, below high: String, orEqual: Bool = false) {
        // What could not be read has been named already.
        if mistakes.contains(where: { $0.option == low || $0.option == high }) { return }
        guard let lower = resolved[low]?.double, let upper = resolved[high]?.double,
            lower > upper || (lower == upper && !orEqual)
        else { return }
        let (isLow, isHigh) = (given[low] != nil, given[high] != nil)
        func text(_ name: String, _ value: Double, _ isGiven: Bool) -> String {
            "`\(name)`, \(OptionText.number(value))\(isGiven ? "" : " where it is not given")"
        }
        let summary = "\(text(low, lower, isLow)), is not below \(text(high, upper, isHigh))"
        if isLow && isHigh && (lower > upper || isSet(low) != isSet(high)) {
            return refuse(low, above: high, blaming: high, summary)
        }
        let (most, least) = (bounds(of: high)?.upperBound ?? .infinity, bounds(of: low)?.lowerBound ?? -.infinity)
        let fix =
            if isLow {
                lower < most ? "set a larger `\(high)`\(isHigh ? "" : " too")" : "set a smaller `\(low)`"
            } else {
                upper > least ? "set a smaller `\(low)` too" : "set a larger `\(high)`"
            }
        fail(isHigh ? high : low, summary, fix)
    }

    /// Refuses two options that are given, of which the first should be the smaller one. Where one was set on the command
    /// line and the other stands in the file, which was sound, the fault is the former's.
    /// - Parameter blamed: the option at fault where both come from one place.
    public mutating func refuse(_ low: String, above high: String, blaming blamed: String, _ summary: String) {
        switch (isSet(low), isSet(high)) {
        case (true, false): fail(low, summary, "set a smaller `\(low)`, or a larger `\(high)` too")
        case (false, true): fail(high, summary, "set a larger `\(high)`, or a smaller `\(low)` too")
        default: fail(blamed, summary, "swap them")
        }
    }

    /// Whether an option was set on the command line.
    func isSet(_ name: String) -> Bool { given[name]?.setting != nil }

    private func bounds(of name: String) -> ClosedRange<Double>? {
        if case .number(let range)? = specs.first(where: { $0.name == name })?.kind { range } else { nil }
    }
}
