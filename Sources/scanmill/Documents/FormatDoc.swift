import ScanFormats
import ScanModel
import ScanPipeline

/// The tables of formats, from the formats' own declarations.
enum FormatDoc {
    /// What people call the channels of a capture, in the order of the table's columns.
    private static let columns: [(title: String, channels: Set<Channel>)] = [
        ("pictures", [.color]), ("poses", [.pose]), ("intrinsics", [.intrinsics]), ("time", [.timestamp]),
        ("depth", [.recordedDepth]), ("confidence", [.recordedConfidence]), ("box", [.box]), ("motion", [.motion]),
        ("points", [.cloud, .points]), ("masks, train/test splits", [.mask, .split]),
    ]

    private static var cards: [FormatCard] { CaptureFormats.all.map { $0.card } }

    /// Markdown.
    static var page: String {
        var page = """
            # Formats

            What `read` takes, and what it yields. A format is recognised by content, not by name; `scanmill inspect`
            says which one it took, and why. Archives (`.zip`) are read in place.

            ## Reading

            | format | what it is | \(columns.map(\.title).joined(separator: " | ")) | passed over |
            | --- | --- | \(columns.map { _ in "---" }.joined(separator: " | ")) | --- |

            """
        for card in cards {
            let marks = columns.map { !$0.channels.isDisjoint(with: card.reads) ? "●" : "" }.joined(separator: " | ")
            page += "| `\(card.name)` | \(MarkdownText.cell(card.summary)) | \(marks) | \(list(card.passesOver)) |\n"
        }
        page += """

            ## Writing

            A round trip (a capture written and read again) gives the same frames, camera centres, rotations, intrinsics
            and depth, to the format's own precision, except for what is named here. Depth as 16-bit pictures in
            millimetres, which most of these have, ends at 65.535 m.

            | format | written by | what it cannot hold |
            | --- | --- | --- |

            """
        for card in cards {
            guard let writer = card.writer else { continue }
            page += "| `\(card.name)` | `\(writer)` | \(list(card.writingLoses)) |\n"
        }
        return page
    }

    /// All of them for the terminal.
    static var text: String {
        let width = cards.map(\.name.count).max() ?? 0
        let indent = String(repeating: " ", count: width + 2)
        return cards.map { card in
            "\(card.name.padded(to: width + 2))\(card.summary)\n"
                + uses(of: card).map { indent + $0 }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// One of them for the terminal, with what is lost of it.
    static func text(_ card: FormatCard) -> String {
        var lines = [card.name, card.summary] + uses(of: card)
        if !card.passesOver.isEmpty { lines.append("passes over " + card.passesOver.joined(separator: "; ")) }
        if !card.writingLoses.isEmpty { lines.append("cannot hold " + card.writingLoses.joined(separator: "; ")) }
        return lines.joined(separator: "\n  ")
    }

    /// All of them, or one, for programs.
    static var json: JSONValue { .array(cards.map(json)) }

    static func json(_ card: FormatCard) -> JSONValue {
        .object([
            "name": .string(card.name), "summary": .string(card.summary), "reads": .of(card.reads.map(\.name)),
            "passes-over": .of(card.passesOver), "writer": .of(card.writer), "cannot-hold": .of(card.writingLoses),
            "revision": .of(card.revision),
        ])
    }

    /// What is read of a format, and what writes it.
    private static func uses(of card: FormatCard) -> [String] {
        let reads = columns.filter { !$0.channels.isDisjoint(with: card.reads) }.map(\.title)
        let what = reads.isEmpty ? "reads nothing" : "reads \(reads.joined(separator: ", "))"
        return [what] + (card.writer.map { ["written by \($0)"] } ?? [])
    }

    private static func list(_ items: [String]) -> String {
        items.isEmpty ? "–" : items.map(MarkdownText.cell).joined(separator: "; ")
    }
}
