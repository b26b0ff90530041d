import ScanModel
import ScanPipeline
import Testing

/// Slips with YAML's signs: the line at fault is named, not the one in which YAML notices.
@Suite struct PipelineFileSyntaxTests {
    private static func messages(_ text: String) -> [String] {
        PipelineFile.parse(text, path: "p.yaml").problems.map { problem in
            let place = "\(problem.place.line ?? 0):\(problem.place.column ?? 0)"
            return "\(place) \(problem.summary); \(problem.fix ?? "")"
        }
    }

    @Test(arguments: [
        ("stages:\n  - read\n  - unproject\n  -write-ply\n", "4:3", "write-ply"),
        ("stages:\n  - read\n  -write-ply\n  - unproject\n", "3:3", "write-ply"),
        ("stages:\n  - read\n  -unproject: {every: 2}\n  - write-ply\n", "3:3", "unproject: {every: 2}"),
        ("stages:\n  -read\n  -write-ply\n", "2:3", "read"), ("stages:\n-read\n-write-ply\n", "2:1", "read"),
    ]) func aDashWithoutASpace(_ text: String, _ place: String, _ entry: String) {
        #expect(Self.messages(text) == ["\(place) a space is missing behind the dash; write  - \(entry)"])
    }

    @Test(arguments: ["–", "—", "\u{2212}"]) func aDashThatIsNone(_ dash: String) {
        let said = "`\(dash)` is not the dash of a list; write  - "
        #expect(Self.messages("stages:\n  - read\n  \(dash) write-ply\n") == ["3:3 \(said)write-ply"])
        #expect(Self.messages("stages:\n  \(dash) read\n  \(dash) write-ply\n") == ["2:3 \(said)read"])
        let options = "stages:\n  - read\n  \(dash) unproject: {every: 2}\n  - write-ply\n"
        #expect(Self.messages(options) == ["3:3 \(said)unproject: {every: 2}"])
    }

    /// What looks like a slip and is text.
    @Test func aTextMayGoOnWithADash() {
        #expect(Self.messages("description: a\n  -b\nstages: [read]\n") == [])
        #expect(Self.messages("stages:\n  - read\n  - x: {near: -5, path: -a}\n") == [])
        #expect(Self.messages("stages:\n  - x: {\"every:8\": 1, a:b: 2}\n") == [])
    }

    @Test func aColonWithoutASpace() {
        let said = "a space is missing behind the colon; "
        #expect(
            Self.messages("stages:\n  - split: {test-every:8, seed: 1, by:time}\n") == [
                "2:13 \(said)write  test-every: 8", "2:36 \(said)write  by: time",
            ])
        #expect(Self.messages("stages:\n  - split:\n      test-every:8\n") == ["3:7 \(said)write  test-every: 8"])
        let list = Self.messages("stages:\n  - downscale: {factors:[1, 2]}\n")
        #expect(list == ["2:24 \(said)put a space there"])
    }

    @Test(arguments: [
        ("stages:\n  - read\n  - unproject: {every: 2\n  - write-ply\n", "3:16", "{", "}"),
        ("stages:\n  - unproject: {every: 2\n  - thin: {size: 1}\n  - write-ply\n", "2:16", "{", "}"),
        ("stages: [read, {unproject: {every: 2}]\nname: x\n", "1:16", "{", "}"),
        ("stages: [read, write-ply\nname: x\n", "1:9", "[", "]"), ("stages: [read", "1:9", "[", "]"),
        ("stages: [read\n", "1:9", "[", "]"),
    ]) func aBracketThatIsNotClosed(_ text: String, _ place: String, _ opening: String, _ closing: String) {
        let said = "\(place) the `\(opening)` is not closed; put  \(closing)  behind the last item"
        #expect(Self.messages(text) == [said])
    }

    @Test func aQuotationMarkThatIsNotClosed() {
        #expect(
            Self.messages("stages:\n  - write-ply: {title: \"x}\n  - read\n") == [
                "2:24 the `\"` is not closed; put another  \"  behind the text"
            ])
        #expect(
            Self.messages("name: 'x\nstages: [read]\n") == [
                "1:7 the `'` is not closed; put another  '  behind the text"
            ])
        // The quotation mark of the next line ends the text.
        #expect(
            Self.messages("stages:\n  - write-ply: {title: \"x}\n  - split: {by: \"time\"}\n") == [
                "2:16 a `\"` in this line is not closed; put another  \"  behind the text"
            ])
    }

    /// Where it may be either, YAML's own words stay, with a way out.
    @Test(arguments: [
        "stages: [read,\n  unproject: {every: 2}\n  write-ply]\n", "stages:\n  - unproject: {every: 2 color: no}\n",
    ]) func aCommaThatIsMissing(_ text: String) {
        let messages = Self.messages(text)
        let fix = "; put commas between the items, and a bracket behind the last"
        #expect(messages.count == 1 && messages.first?.hasSuffix(fix) == true, "\(messages)")
    }
}
