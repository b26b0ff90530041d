import ScanModel

/// How much of a damaged file is good, as far as its problem says: in frames where it names them, else in bytes.
struct Readable: Sendable {
    /// Of 1.
    var share: Double
    var headline: Finding.Headline
    var caption: String

    init?(_ problem: Problem) {
        let file = problem.place.file ?? "the file"
        let text = problem.notes.joined(separator: "\n")
        if let inside = text.firstMatch(of: #/inside frame (\d+)/#).flatMap({ Int($0.1) }),
            let count = text.firstMatch(of: #/(\d+) frames/#).flatMap({ Int($0.1) }), inside < count
        {
            share = Double(inside) / Double(count)
            headline = Finding.Headline(
                label: "whole frames", value: Double(inside), words: Wording.grouped(inside),
                expected: "of \(Wording.grouped(count))")
            caption = "\(file): \(Wording.count(count - inside, "frame")) missing at the end"
            return
        }
        // Where the damage is at the very end, nothing comes after it that could be shown.
        guard let byte = problem.place.byte, let count = problem.place.byteCount, byte < count, byte >= 0 else {
            return nil
        }
        share = Double(byte) / Double(count)
        headline = Finding.Headline(
            label: "readable", value: share, words: Wording.percent(share), expected: "of \(Wording.size(count))")
        caption = "\(file): what can be read of \(Wording.size(count))"
    }
}
