import ScanModel

/// How much of a damaged file is good, as far as its problem says: in frames where it names them, else in bytes.
struct Readable: Sendable {
    var good: Double
    var all: Double
    var label: String
    var words: String
    var expected: String
    var caption: String

    var share: Double { all > 0 ? good / all : 0 }

    init?(_ problem: Problem) {
        let file = problem.place.file ?? "the file"
        let text = problem.notes.joined(separator: "\n")
        if let inside = text.firstMatch(of: #/inside frame (\d+)/#).flatMap({ Int($0.1) }),
            let count = text.firstMatch(of: #/(\d+) frames/#).flatMap({ Int($0.1) }), inside < count
        {
            (good, all) = (Double(inside), Double(count))
            label = "whole frames"
            words = Wording.grouped(inside)
            expected = "of \(Wording.grouped(count))"
            caption = "\(file): \(Wording.count(count - inside, "frame")) missing at the end"
            return
        }
        // Where the damage is at the very end, nothing comes after it that could be shown.
        guard let byte = problem.place.byte, let count = problem.place.byteCount, byte < count, byte >= 0 else {
            return nil
        }
        (good, all) = (Double(byte), Double(count))
        label = "readable"
        words = Wording.percent(good / all)
        expected = "of \(Wording.size(count))"
        caption = "\(file): what can be read of \(Wording.size(count))"
    }
}
