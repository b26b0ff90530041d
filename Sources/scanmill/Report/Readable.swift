import ScanModel

/// How much of a damaged file is good, as far as its problem says: in frames where it names them, else in bytes.
struct Readable: Sendable {
    /// Of 1.
    var share: Double
    var headline: Finding.Headline
    var caption: String

    init?(_ problem: Problem) {
        let file = problem.place.file ?? "the file"
        // Of some files the summary says it, with how many frames there should be; of others a note, which names that
        // number behind.
        let text = ([problem.summary] + problem.notes).joined(separator: "\n")
        if let place = text.firstMatch(of: #/inside frame (\d+)(?: of (\d+))?/#), let inside = Int(place.1),
            let count = (place.2 ?? text.firstMatch(of: #/(\d+) frames/#)?.1).flatMap({ Int($0) }), inside < count
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
