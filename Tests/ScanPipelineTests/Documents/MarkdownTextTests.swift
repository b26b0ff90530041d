import ScanPipeline
import Testing

@Suite struct MarkdownTextTests {
    @Test(arguments: [
        ("Write <id>.zip.", "Write \\<id>.zip."), ("Write `<id>.zip`.", "Write `<id>.zip`."),
        ("a < b, `c < d`, e < f", "a \\< b, `c < d`, e \\< f"), ("```\n<a>\n```\n<b>", "```\n<a>\n```\n\\<b>"),
        ("", ""), ("`", "`"),
    ])
    func whatWouldBeTakenForHTML(_ text: String, _ page: String) { #expect(MarkdownText.prose(text) == page) }

    @Test func aCellHoldsNoBar() { #expect(MarkdownText.cell("<a>|b") == "\\<a>\\|b") }
}
