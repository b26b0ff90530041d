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
        ("stages:\n  -read\n  - write-ply: {file: a}\n", "2:3", "read"),
        ("stages:\n  - read: {up: y}\n\n  -write-ply # last\n", "4:3", "write-ply # last"),
    ]) func aDashWithoutASpace(_ text: String, _ place: String, _ entry: String) {
        #expect(Self.messages(text) == ["\(place) a space is missing after the dash; write  - \(entry)"])
    }

    /// YAML takes them for one text, up to the first colon.
    @Test func dashesWithoutSpaces() {
        let said = "a space is missing after the dash; write  - "
        let wanted = ["2:3 \(said)read", "3:3 \(said)decompress", "4:3 \(said)write-frames: {step: 2}"]
        #expect(Self.messages("stages:\n  -read\n  -decompress\n  -write-frames: {step: 2}\n") == wanted)
        #expect(Self.messages("stages:\n-read\n-write-ply\n") == ["2:1 \(said)read", "3:1 \(said)write-ply"])
        // The rest of the file is looked at.
        let file = PipelineFile.parse("stages:\n  -read\n  – thin: {size: 1}\n  - end\nnam: x\n", path: "p.yaml")
        #expect(file.file.entries.map(\.stage) == ["read", "thin", "end"])
        #expect(file.file.entries.dropFirst().first?.options["size"]?.content == .scalar("1"))
        #expect(file.problems.compactMap(\.place.line).sorted() == [2, 3, 5])
        #expect(file.problems.first { $0.place.line == 3 }?.excerpt == "  – thin: {size: 1}")
    }

    @Test(arguments: ["–", "—", "\u{2212}", "*", "_", "--", "•"]) func aDashThatIsNone(_ dash: String) {
        let said = "`\(dash)` is not the dash of a list; write  - "
        #expect(Self.messages("stages:\n  - read\n  \(dash) write-ply\n") == ["3:3 \(said)write-ply"])
        let both = ["2:3 \(said)read", "3:3 \(said)write-ply"]
        #expect(Self.messages("stages:\n  \(dash) read\n  \(dash) write-ply\n") == both)
        #expect(Self.messages("stages:\n  \(dash) read\n  - write-ply: {file: a}\n") == ["2:3 \(said)read"])
        let options = "stages:\n  - read\n  \(dash) unproject: {every: 2}\n  - write-ply\n"
        #expect(Self.messages(options) == ["3:3 \(said)unproject: {every: 2}"])
    }

    /// What looks like a slip and is text.
    @Test func aTextMayGoOnWithADash() {
        #expect(Self.messages("description: a\n  -b\nstages: [read]\n") == [])
        #expect(Self.messages("stages:\n  - read\n  - x: {near: -5, path: -a}\n") == [])
        #expect(Self.messages("stages:\n  - x: {\"every:8\": 1, a:b: 2}\n") == [])
        #expect(Self.messages("stages:\n  - read\ndescription: a\n  -b\n  c\n") == [])
        #expect(Self.messages("stages:\n  - x:\n      file: >\n        -a\n        b\n  - y: {a: [1,\n  b]}\n") == [])
        #expect(Self.messages("stages:\n  - x: {file: \"a\n  b\"}\n  - y:\n      a: b\n       c\n") == [])
    }

    @Test(arguments: [
        ("stages:\n  - read\n    decompress\n  - write-ply\n", "3:5"),
        ("stages:\n  - read\n  decompress\n  - write-ply: {file: a}\n", "3:3"),
        ("stages:\n  - read: {up: y}\n    decompress\n  - write-ply\n", "3:5"),
        ("stages:\n- read\ndecompress\n- write-ply\n", "3:1"),
    ]) func aDashThatIsMissing(_ text: String, _ place: String) {
        #expect(Self.messages(text) == ["\(place) the dash before `decompress` is missing; write  - decompress"])
        let entries = PipelineFile.parse(text, path: "p.yaml").file.entries
        #expect(entries.map(\.stage) == ["read", "decompress", "write-ply"])
    }

    /// The text is the stage's name.
    @Test(arguments: [">", "|", ">-", "|-", ">+", "|+", "|2-"]) func aTextBelowItsDash(_ sign: String) {
        let (file, problems) = PipelineFile.parse("stages:\n  - \(sign)\n    read\n  - end\n", path: "p.yaml")
        #expect(!problems.contains { $0.summary.contains("dash") }, "\(problems)")
        #expect(file.entries.count == 2 && file.entries.first?.stage.hasPrefix("read") == true)
    }

    @Test func aListOfManyLines() {
        let items = (0..<20_000).map { String($0) }
        let inBrackets = "  - x: {include: [\n" + items.map { "    \($0),\n" }.joined() + "    ]}\n"
        let behindDashes = "  - x:\n      include:\n" + items.map { "        - \($0)\n" }.joined()
        for stage in [inBrackets, behindDashes] {
            let (file, problems) = PipelineFile.parse("stages:\n  - read\n\(stage)  end\n", path: "p.yaml")
            #expect(problems.map(\.summary) == ["the dash before `end` is missing"])
            #expect(file.entries.map(\.stage) == ["read", "x", "end"])
            let isWhole = file.entries.dropFirst().first?.options["include"]?.content == .list(items)
            #expect(isWhole)
        }
    }

    @Test(arguments: ["  thin: {size: 1}", "    thin: {size: 1}"])
    func aStageWithOptionsWithoutItsDash(_ line: String) {
        let column = line.prefix { $0 == " " }.count + 1
        #expect(
            Self.messages("stages:\n  - read\n\(line)\n  - end\n") == [
                "3:\(column) the dash before `thin` is missing; write  - thin: {size: 1}"
            ])
    }

    @Test(arguments: ["    read", "  read", "  read: {up: y}"]) func theFirstStageWithoutItsDash(_ line: String) {
        let (file, problems) = PipelineFile.parse("stages:\n\(line)\n  - thin: {size: 1}\n", path: "p.yaml")
        let entry = line.drop { $0 == " " }
        #expect(problems.map(\.summary) == ["the dash before `read` is missing"])
        #expect(problems.first?.place.line == 2 && problems.first?.fix == "write  - \(entry)")
        #expect(file.entries.map(\.stage) == ["read", "thin"])
    }

    @Test func aStageWithoutTheColonAboveItsOptions() {
        let said = "3:5 the colon after `thin` is missing; write  - thin:"
        #expect(Self.messages("stages:\n  - read\n  - thin\n      size: 1\n  - end\n") == [said])
        #expect(Self.messages("stages:\n  - read\n  - thin\n    size: 1\n    by: [1, 2]\n  - end\n") == [said])
    }

    @Test(arguments: [
        ("name: x\nstages\n  - read\n  - thin: {size: 1}\n", "2:1", "stages:"),
        ("stages # Mine.\n- read\n", "1:1", "stages:"), ("stages [read]\n", "1:1", "stages: [read]"),
    ]) func theKeyWithoutItsColon(_ text: String, _ place: String, _ key: String) {
        #expect(Self.messages(text) == ["\(place) the colon after `stages` is missing; write  \(key)"])
        #expect(PipelineFile.parse(text, path: "p.yaml").file.entries.first?.stage == "read")
    }

    /// As web pages have them.
    @Test(arguments: [
        ("  -\u{A0}thin: {size: 1}\n", "3:4"), ("  - thin:\u{A0}{size: 1}\n", "3:10"),
        ("  - thin: {size:\u{A0}1}\n", "3:17"), ("\u{A0} - thin: {size: 1}\n", "3:1"),
        ("  - thin: {size: 1}\u{A0}\n", "3:20"), ("  - thin: {size: 1,\u{A0}}\u{A0}\n", "3:20"),
    ]) func aSpaceThatIsNone(_ line: String, _ place: String) {
        let (file, problems) = PipelineFile.parse("stages:\n  - read\n\(line)  - end\n", path: "p.yaml")
        #expect(problems.map { "\($0.place.line ?? 0):\($0.place.column ?? 0)" } == [place])
        #expect(problems.first?.summary.contains("no-break space, U+00A0,") == true, "\(problems)")
        #expect(file.entries.map(\.stage) == ["read", "thin", "end"])
        #expect(file.entries.dropFirst().first?.options["size"]?.content == .scalar("1"))
        // Within a text, in quotes, and in comments it is a letter like others.
        let text = "name: a\u{A0}b\nstages:\n  - x: {a: 1\u{A0}m, b: \"\u{A0}\"} # \u{A0}\n"
        #expect(Self.messages(text) == [])
        let many = String(repeating: "\u{A0}", count: 20_000)
        #expect(Self.messages("stages:\n  - x: {a: 1\(many)m}\n") == [])
        #expect(Self.messages("stages:\n  - x: {a: 1\(many)}\n").count == 1)
    }

    @Test func curlyQuotationMarks() {
        let (file, problems) = PipelineFile.parse(
            "name: “x”\nstages:\n  - “read”\n  - x: {“a”: ‘b c’, d: it’s}\n", path: "p.yaml")
        #expect(problems.map(\.fix) == ["write  \"read\"", "write  \"a\""])
        #expect(problems.map(\.place.line) == [3, 4] && problems.map(\.place.column) == [5, 9])
        #expect(file.entries.map(\.stage) == ["read", "x"])
        let options = file.entries.last?.options
        #expect(options?["a"]?.content == .scalar("b c") && options?["d"]?.content == .scalar("it’s"))
    }

    @Test(arguments: [
        ("stages:\n  - thin: {size: 1},\n  - end\n", "2:20 a comma ends no line of a list; take it away"),
        ("stages:\n  - thin: {{size: 1}}\n", "2:12 an option's name is a text; take one pair of the braces away"),
    ]) func signsTooMany(_ text: String, _ message: String) {
        #expect(Self.messages(text) == [message])
    }

    @Test func aListThatBeginsInTheKeysLine() {
        let messages = Self.messages("stages: - read\n")
        let fix = "; put each item on a line of its own after a dash, or all of them in brackets"
        #expect(messages.count == 1 && messages.first?.hasSuffix(fix) == true, "\(messages)")
    }

    @Test func bracketsInBracketsWithoutEnd() {
        let messages = Self.messages("stages: " + String(repeating: "[", count: 2000))
        #expect(messages.count == 1 && messages.first?.contains("nested too deep here; ") == true, "\(messages)")
    }

    @Test func aColonWithoutASpace() {
        let said = "a space is missing after the colon; "
        #expect(
            Self.messages("stages:\n  - split: {test-every:8, seed: 1, by:time}\n") == [
                "2:13 \(said)write  test-every: 8", "2:36 \(said)write  by: time",
            ])
        #expect(Self.messages("stages:\n  - split:\n      test-every:8\n") == ["3:7 \(said)write  test-every: 8"])
        let list = Self.messages("stages:\n  - downscale: {factors:[1, 2]}\n")
        #expect(list == ["2:24 \(said)put a space there"])
    }

    private static let alike = "indent all dashes alike"

    @Test(arguments: [
        ("  - read\n   - unproject\n  - write-ply\n", "3:4", 4, 3), ("  - read\n - unproject\n", "3:2", 2, 3),
        ("  - read\n  - unproject\n- thin\n- write-ply\n", "4:1", 1, 3),
        ("- read\n - unproject\n- write-ply\n", "3:2", 2, 1),
        ("  - read\n    - thin\n\n    - write-ply # last\n", "3:5", 5, 3),
        ("  - read\n    - thin: {size: 1}\n", "3:5", 5, 3),
        ("  - thin: {size: 1}\n   - write-ply\n", "3:4", 4, 3),
        ("  - thin:\n      size: 1\n    # So many.\n   - write-ply\n", "5:4", 4, 3),
    ]) func aDashThatIsIndentedOtherwise(_ list: String, _ place: String, _ column: Int, _ first: Int) {
        let said = "\(place) this dash stands in column \(column), and the first one in column \(first); "
        #expect(Self.messages("stages:\n" + list) == [said + Self.alike])
    }

    /// YAML takes them for one text, and what they are is known all the same.
    @Test func stagesBehindDashesThatAreIndentedOtherwise() {
        let file = PipelineFile.parse("stages:\n  - read\n   - thin\n   - write-ply\n  - end\n", path: "p.yaml").file
        #expect(file.entries.map(\.stage) == ["read", "thin", "write-ply", "end"])
        #expect(file.entries.map(\.line) == [2, 3, 4, 5] && file.entries.map(\.column) == [5, 6, 6, 5])
        #expect(file.entries.allSatisfy { !$0.isBroken })
    }

    @Test(arguments: [
        ("      near: 1\n     far: 2\n", 6), ("      near: 1\n       far: 2\n", 8), ("      near: 1\n   far: 2\n", 4),
        ("      factors: [1, 2]\n     far: 2\n", 6),
    ]) func anOptionThatIsIndentedOtherwise(_ options: String, _ column: Int) {
        let said = "4:\(column) this option stands in column \(column), and the one above it in column 7; "
        let messages = Self.messages("stages:\n  - thin:\n\(options)  - write-ply\n")
        #expect(messages == [said + "indent all options of a stage alike"])
    }

    @Test func anOptionLeftOfItsStage() {
        let said = "3:4 this option stands in column 4, and its stage's name in column 5; "
        let messages = Self.messages("stages:\n  - thin:\n   size: 1\n  - write-ply\n")
        #expect(messages == [said + "indent options farther than their stage's name"])
    }

    @Test(arguments: [
        ("name: x\n stages:\n  - read\n", "2:2", "stages"), (" name: x\nstages:\n  - read\n", "1:2", "name"),
        ("# Mine.\n stages:\n  - read\nname: x\n", "2:2", "stages"),
        ("stages:\n  - read\n  - thin\n name: x\n", "4:2", "name"),
    ]) func aKeyThatIsIndented(_ text: String, _ place: String, _ key: String) {
        let said = "\(place) `\(key)` is indented, and a pipeline's own keys are not; take away the spaces before it"
        #expect(Self.messages(text) == [said])
    }

    /// Lists and mappings in options may be indented as anybody likes.
    @Test func indentationThatIsRight() {
        let text = "stages:\n - read\n - select:\n     include:\n     - a\n     - b\n     by: time\n - write-ply\n"
        #expect(Self.messages(text) == [])
        // The mistake is another one.
        let colon = Self.messages("stages:\n - read\n - select:\n     include:\n      - a: b: c\n - write-ply\n")
        #expect(colon.count == 1 && colon.first?.contains("in braces") == true, "\(colon)")
        let list = Self.messages("stages:\n - read\n - select:\n     include:\n      - a\n     - b\n - write-ply\n")
        #expect(list.count == 1 && list.first?.contains("dashes") == false, "\(list)")
    }

    @Test(arguments: [
        ("stages:\n  - thin: {size: 1}}\n  - write-ply\n", "2:20", "{", "}"),
        ("stages: [read, thin]]\n", "1:21", "[", "]"),
    ]) func aBracketTooMany(_ text: String, _ place: String, _ opening: String, _ closing: String) {
        #expect(Self.messages(text) == ["\(place) no `\(opening)` belongs to this `\(closing)`; take it away"])
    }

    @Test func aBracketTooManyWithinAnother() {
        let messages = Self.messages("stages:\n  - downscale: {factors: [1, 2]]}\n  - write-ply\n")
        #expect(messages == ["2:32 no `[` belongs to this `]`; take it away, or open it before the first item"])
    }

    @Test(arguments: [
        ("stages:\n  - read\n  - unproject: {every: 2\n  - write-ply\n", "3:16", "{", "}"),
        ("stages:\n  - unproject: {every: 2\n  - thin: {size: 1}\n  - write-ply\n", "2:16", "{", "}"),
        ("stages: [read, {unproject: {every: 2}]\nname: x\n", "1:16", "{", "}"),
        ("stages: [read, write-ply\nname: x\n", "1:9", "[", "]"), ("stages: [read", "1:9", "[", "]"),
        ("stages: [read\n", "1:9", "[", "]"),
    ]) func aBracketThatIsNotClosed(_ text: String, _ place: String, _ opening: String, _ closing: String) {
        let said = "\(place) the `\(opening)` is not closed; put  \(closing)  after the last item"
        #expect(Self.messages(text) == [said])
    }

    @Test func aQuotationMarkThatIsNotClosed() {
        #expect(
            Self.messages("stages:\n  - write-ply: {title: \"x}\n  - read\n") == [
                "2:24 the `\"` is not closed; put another  \"  after the text"
            ])
        #expect(
            Self.messages("name: 'x\nstages: [read]\n") == [
                "1:7 the `'` is not closed; put another  '  after the text"
            ])
        // The quotation mark of the next line ends the text.
        #expect(
            Self.messages("stages:\n  - write-ply: {title: \"x}\n  - split: {by: \"time\"}\n") == [
                "2:16 a `\"` in this line is not closed; put another  \"  after the text"
            ])
    }

    @Test(arguments: ["{exclude: lists/{id}.txt}", "{exclude: out/{id}}", "\n      exclude: {id}.txt"])
    func bracesInATextWithoutQuotes(_ options: String) {
        let messages = Self.messages("stages:\n  - read\n  - select: \(options)\n")
        let fix = "; put text that holds braces in quotes, as in \"lists/{id}.txt\""
        #expect(messages.count == 1 && messages.first?.hasSuffix(fix) == true, "\(messages)")
    }

    /// Where it may be either, YAML's own words stay, with a way out.
    @Test(arguments: [
        "stages: [read,\n  unproject: {every: 2}\n  write-ply]\n", "stages:\n  - unproject: {every: 2 color: no}\n",
        "stages:\n  - x: {file: \"{id}.txt\" color: no}\n",
    ]) func aCommaThatIsMissing(_ text: String) {
        let messages = Self.messages(text)
        let fix = "; put commas between the items, and a bracket after the last"
        #expect(messages.count == 1 && messages.first?.hasSuffix(fix) == true, "\(messages)")
    }
}
