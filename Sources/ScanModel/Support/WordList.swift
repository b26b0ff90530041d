extension [String] {
    /// As in a sentence: `a`, `a and b`, `a, b and c`.
    package var listed: String {
        guard count > 1, let last else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }

    /// The first few of many: `a, b and 3 more`.
    package func listed(most: Int) -> String { Array(prefix(most)).listed(of: count) }

    /// The same of the first few alone, which need not be made of all.
    package func listed(of count: Int) -> String {
        joined(separator: ", ") + (count > self.count ? " and \(count - self.count) more" : "")
    }
}

extension BinaryInteger {
    /// With a noun whose plural ends in s: `1 frame`, `3 frames`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }

    /// With a plural that ends in s, or does so before what belongs to it: `1 line in a.csv`, `3 lines in a.csv`.
    package func counted(plural: String) -> String {
        if self != 1 { return "\(self) \(plural)" }
        let ends = [" in ", " of "].compactMap { plural.firstRange(of: $0)?.lowerBound }
        let end = ends.min() ?? plural.endIndex
        return "1 \(plural[..<end].dropLast())\(plural[end...])"
    }

    /// The verb after or before a count: `there is`, `there are`.
    package var isOrAre: String { self == 1 ? "is" : "are" }

    /// With a verb too: `1 frame is`, `3 frames are`.
    package func counted(_ noun: String, _ verbOfOne: String, _ verbOfMany: String) -> String {
        "\(counted(noun)) \(self == 1 ? verbOfOne : verbOfMany)"
    }

    /// As a part of several: `1 of 3 frames is`, `2 of 3 frames are`.
    package func counted(
        of all: some BinaryInteger, _ noun: String, _ verbOfOne: String, _ verbOfMany: String
    ) -> String {
        "\(self) of \(all.counted(noun)) \(self == 1 ? verbOfOne : verbOfMany)"
    }
}
