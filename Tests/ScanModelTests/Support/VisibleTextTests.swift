import ScanModel
import Testing

@Suite struct VisibleTextTests {
    /// Scalars that move a terminal's cursor, end its lines or turn the direction of text.
    static let steering: [Unicode.Scalar] = [
        "\u{0}", "\u{7}", "\u{1b}", "\u{7f}", "\u{85}", "\u{9b}", "\u{61c}", "\u{200e}", "\u{200f}", "\u{2028}",
        "\u{2029}", "\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}",
    ]

    @Test(arguments: steering) func whatSteersIsWrittenOut(_ scalar: Unicode.Scalar) throws {
        let text = "a\(scalar)gpj.é\u{200d}×"
        let digits = String(scalar.value, radix: 16)
        #expect(text.withControlsShown() == "a\\u{\(digits)}gpj.é\u{200d}×")
        #expect(Array(text.withControlsShown(besides: String(scalar)).utf8) == Array(text.utf8))

        let value = JSONValue.object([text: .of(["é", text])])
        for isPretty in [true, false] {
            let json = JSONWriter.visibleText(value, pretty: isPretty)
            #expect(try JSONValue.parse(json, file: "a") == value)
            let shown = String(decoding: json, as: UTF8.self).unicodeScalars
            #expect(!shown.contains { $0.steersText && $0 != "\n" })
        }
    }

    @Test func namesThatLookLikeOthersAreQuoted() {
        let names = [
            ("a b", "a b"), (" a", "\" a\""), ("a\u{a0}", "\"a\u{a0}\""), ("", "\"\""), ("a\nb", #""a\nb""#),
            ("é", "é"),
        ]
        for (name, shown) in names { #expect(name.distinctly == shown) }
    }

    @Test func everythingElseStays() {
        for text in ["", "plain", "Köln ×2", "مسح", "סריקה", "👩‍🔧", "\u{a0}\u{200b}"] {
            #expect(Array(text.withControlsShown().utf8) == Array(text.utf8))
            let value = JSONValue.string(text)
            #expect(JSONWriter.visibleText(value) == JSONWriter.text(value))
        }
    }
}
