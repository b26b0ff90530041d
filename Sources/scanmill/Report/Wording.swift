import ScanModel
import ScanPipeline
import ScanStages

/// Numbers and messages as the report writes them.
enum Wording {
    /// A narrow no-break space, as in 611 204 and 83 %.
    static let thin = "\u{202F}"

    /// With thousands apart.
    static func grouped(_ count: Int) -> String {
        count.groupedText(separator: thin, minus: "−")
    }

    /// A share between 0 and 1. One that is not quite none or all never looks as if it were.
    static func percent(_ share: Double) -> String {
        guard share.isFinite else { return "–" }
        let percent = share * 100
        if percent >= 99.5 && percent < 100 { return "> 99\(thin)%" }
        if percent > 0 && percent < 0.5 { return "< 1\(thin)%" }
        return "\(Int(max(-1e9, min(1e9, percent)).rounded()))\(thin)%"
    }

    /// Three significant digits, and no more than three decimals.
    static func measure(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "–" }
        let size = abs(value)
        if size >= 100 || size == 0 { return grouped(Int(value.rounded())) }
        if size < 0.0005 { return value < 0 ? "> −0.001" : "< 0.001" }
        let digits = size >= 10 ? 1 : size >= 1 ? 2 : 3
        let text = size.fixedText(decimals: digits)
        return value < 0 ? "−" + text : text
    }

    static func time(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return "–" }
        if seconds < 0.0995 { return "\(Int((seconds * 1000).rounded()))\(thin)ms" }
        if seconds < 9.95 { return "\(seconds.fixedText(decimals: 1))\(thin)s" }
        if seconds < 119.5 { return "\(Int(seconds.rounded()))\(thin)s" }
        let minutes = Int((seconds / 60).rounded())
        if minutes < 120 { return "\(minutes)\(thin)min" }
        return "\(minutes / 60)\(thin)h \(minutes % 60)\(thin)min"
    }

    static func size(_ bytes: Int64) -> String { Console.size(bytes).replacing(" ", with: thin) }

    /// `1 capture`, `12 captures`.
    static func count(_ number: Int, _ noun: String) -> String { "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")" }

    private static let smallNumbers = [
        "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    ]

    /// Small numbers as words, as in running text.
    static func word(_ number: Int) -> String {
        smallNumbers.indices.contains(number) ? smallNumbers[number] : grouped(number)
    }

    /// What ends a sentence: nothing behind one that has an end, or behind a command, with which it would be copied.
    static func fullStop(behind text: String) -> String {
        text.last.map { ".!?…".contains($0) } == true || text.endsInCommand ? "" : "."
    }

    /// With a capital letter, unless it begins with a name, such as a stage's.
    static func capitalised(_ text: String) -> String {
        let word = text.prefix { $0 != " " }
        if word.contains("-") || word.contains(".") || word.contains("/") { return text }
        // Some stages' names are words: they are names in `decompress needs …` and `turn: …`, not in `turn it round`.
        let isSubject = word.hasSuffix(":") || text.dropFirst(word.count).hasPrefix(" needs ")
        let name = word.prefix { $0 != ":" && $0 != "[" }
        if isSubject, StageLibrary.builtIn.names.contains(where: { $0 == name }) { return text }
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
