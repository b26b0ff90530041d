import ScanModel

/// How much of a damaged file is good, as far as its problem says: in frames where these are counted, else in bytes.
struct Readable: Sendable {
    /// Of 1.
    var share: Double
    var headline: Finding.Headline
    var caption: String

    init?(_ problem: Problem) {
        let file = problem.place.file ?? "the file"
        if let cut = problem.cut, cut.whole >= 0, cut.whole < cut.count {
            share = Double(cut.whole) / Double(cut.count)
            headline = Finding.Headline(
                label: "whole frames", value: Double(cut.whole), words: Wording.grouped(cut.whole),
                expected: "of \(Wording.grouped(cut.count))")
            caption = "\(file): \(Wording.count(cut.count - cut.whole, "frame")) missing at the end"
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
