import ScanModel

/// The last number of each line of a text: a file that was cut off inside a line ends in a number that has fewer digits
/// than its writer gives to the others, and is wrong.
struct LastNumbers {
    /// Characters after the decimal point → how many numbers have that many.
    private var counts: [Int: Int] = [:]

    /// - Parameter field: the last of a line; ignored where it is not a number.
    mutating func add(_ field: some StringProtocol) {
        if let places = Self.places(field) { counts[places, default: 0] += 1 }
    }

    /// Whether a number lacks digits that the others have: any, where a writer gives the same number of places to all;
    /// half of them, where it writes no more than it needs, since hardly any number is that short by itself. What a
    /// longer one has lost matters little. A writer that omits the point in whole numbers does so on other lines too.
    func areCut(by field: some StringProtocol) -> Bool {
        let lines = counts.values.reduce(0, +)
        guard let places = Self.places(field), lines >= Self.enough else { return false }
        // With many lines it also tells that none of them has a whole number.
        if places == 0 && counts[0] == nil && lines >= Self.many { return true }
        let usual = median
        return usual >= Self.enough
            && (counts.count == 1 ? places < usual : places == 0 ? counts[0] == nil : 2 * places <= usual)
    }

    /// Fewer lines, or fewer places, tell nothing.
    private static let enough = 3
    private static let many = 10

    private var median: Int {
        let half = counts.values.reduce(0, +) / 2
        var seen = 0
        for (places, count) in counts.sorted(by: { $0.key < $1.key }) {
            seen += count
            if seen > half { return places }
        }
        return 0
    }

    /// Nil where the field is not a number, or is one with an exponent, which may have any number of digits.
    private static func places(_ field: some StringProtocol) -> Int? {
        guard field.utf8.allSatisfy("0123456789+-.".utf8.contains) else { return nil }
        return field.utf8.firstIndex(of: UInt8(ascii: ".")).map { field.utf8[$0...].count - 1 } ?? 0
    }

    /// What to do about a file that was cut off, or only looks so.
    static let wayToMend = "copy the file again, or end its last line if it is whole"

    static func cut(_ number: some StringProtocol) -> Problem {
        Problem(
            .input,
            "the last line has no end, and its number “\(number.prefix(40))” fewer digits than the others: the file was cut off",
            fix: wayToMend)
    }
}
