import ScanFormats
import ScanPipeline

/// A name that is no format's, and which one was meant by it.
enum NamedFormat {
    /// “Did you mean …” for a format with nearly this name, or those that are described with it: `transforms` for
    /// `nerfstudio`.
    static func suggestion(for name: String, among cards: [FormatCard]) -> String? {
        if let near = Nearest.suggestion(name, among: cards.map(\.name)) { return near }
        let word = name.lowercased()
        // Nearly all of them are recorded with these.
        if ["iphone", "ipad"].contains(word) { return nil }
        // Each summary begins with what the format is called, up to a colon.
        let meant = cards.filter { card in
            card.summary.lowercased().prefix { $0 != ":" }.split { $0.isWhitespace || ",;".contains($0) }.contains {
                $0 == word && word.utf8.count > 2
            }
        }
        let words = meant.map { "`\($0.name)` (\($0.summary.prefix { $0 != ":" }))" }
        return words.isEmpty ? nil : "did you mean \(words.joined(separator: " or "))?"
    }
}
