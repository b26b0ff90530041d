import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct PipelineFileTests {
    private static func parse(_ text: String) -> (file: PipelineFile, problems: [Problem]) {
        PipelineFile.parse(text, path: "p.yaml")
    }

    private static func messages(_ text: String) -> [String] { parse(text).problems.map(\.compilerStyle) }

    private static func place(_ line: Int?, _ column: Int?) -> [Int?] { [line, column] }

    // MARK: - What it reads

    @Test func readsNamesOptionsAndPlaces() throws {
        let (file, problems) = Self.parse(
            """
            # A comment.
            name: object-nerf
            description: One object.
            stages:
              - read
              - filter-blur: {window: 5, gray: luma}
              - mask-range:
                  near: 0.1
                  far: "5"
              - select-frames: {include: [3, 17-20]}
              - decompress:
              - unproject: {}
              - "write-ply": ~
            """)
        #expect(problems.isEmpty)
        #expect(file.name == "object-nerf")
        #expect(file.summary == "One object.")
        #expect(
            file.entries.map(\.stage) == [
                "read", "filter-blur", "mask-range", "select-frames", "decompress", "unproject", "write-ply",
            ])
        #expect(file.entries.map(\.line) == [5, 6, 7, 10, 11, 12, 13])
        #expect(file.entries.map(\.column) == [5, 5, 5, 5, 5, 5, 5])
        try #require(file.entries.count == 7)
        #expect(file.entries[1].options["window"] == OptionValue(.scalar("5"), line: 6, column: 19))
        #expect(file.entries[1].options["gray"] == OptionValue(.scalar("luma"), line: 6, column: 30))
        #expect(file.entries[2].options["near"] == OptionValue(.scalar("0.1"), line: 8, column: 7))
        #expect(file.entries[2].options["far"] == OptionValue(.scalar("5"), line: 9, column: 7))
        #expect(file.entries[3].options["include"]?.content == .list(["3", "17-20"]))
        #expect(file.entries[4...].allSatisfy { $0.options.isEmpty })
    }

    @Test(arguments: [
        "filter-blur {window: 3}", "filter-blur:{window: 3}", "filter-blur {window: 3, keep: 0.5}",
        "filter-blur  {}",
    ])
    func aStageThatIsNotToldFromItsOptions(_ entry: String) throws {
        let problems = Self.parse("stages:\n  - read\n  - \(entry)\n").problems
        let options = entry[try #require(entry.firstIndex(of: "{"))...]
        #expect(problems.count == 1 && problems.first?.place.line == 3)
        #expect(problems.first?.fix == "write  - filter-blur: \(options)")
    }

    @Test(arguments: ["stages:\n  - filter-blur: window: 3\n", "description: x: y\nstages: [read]\n"])
    func aColonTooMany(_ text: String) {
        let problem = Self.parse(text).problems.first
        #expect(problem?.summary == "this is not YAML: mapping values are not allowed in this context")
        #expect(problem?.fix?.contains("in braces") == true && problem?.fix?.contains("in quotes") == true)
    }

    @Test func nameComesFromTheFileOtherwise() {
        #expect(PipelineFile.parse("stages: [read]", path: "a/b/object-nerf.v2.yaml").file.name == "object-nerf.v2")
        #expect(PipelineFile.parse("stages: [read]", path: "nightly").file.name == "nightly")
        #expect(PipelineFile.parse("stages: [read]", path: ".hidden").file.name == ".hidden")
    }

    @Test func placesCountCharactersNotBytes() throws {
        let (file, problems) = Self.parse("name: Stühle 椅子 🪑\nstages:\n  - {\"ü椅🪑\": {größe: 1, far: 2}}\n")
        #expect(problems.isEmpty)
        let entry = try #require(file.entries.first)
        #expect(Self.place(entry.line, entry.column) == [3, 6])
        #expect(Self.place(entry.options["größe"]?.line, entry.options["größe"]?.column) == [3, 14])
        #expect(Self.place(entry.options["far"]?.line, entry.options["far"]?.column) == [3, 24])
    }

    @Test(arguments: ["\r\n", "\r", "\n"]) func everyLineEndGivesTheSame(_ end: String) {
        let lines = ["name: x", "stages:", "  - read", "  - mask-range: {far: 5}", "", "descripton: y", ""]
        let (file, problems) = Self.parse(lines.joined(separator: end))
        #expect(file.entries.map(\.line) == [3, 4])
        #expect(file.entries.map(\.column) == [5, 5])
        #expect(
            problems.map(\.compilerStyle) == [
                """
                p.yaml:6:1: error: unknown key `descripton`
                  descripton: y
                  ^
                  fix: did you mean `description`?
                """
            ])
    }

    @Test func aByteOrderMarkIsNoColumn() {
        let (file, problems) = Self.parse("\u{FEFF}stags: [read]\nstages: [read]\n")
        #expect(file.entries.map(\.stage) == ["read"])
        #expect(
            problems.map(\.compilerStyle) == [
                "p.yaml:1:1: error: unknown key `stags`\n  stags: [read]\n  ^\n  fix: did you mean `stages`?"
            ])
    }

    @Test func anchorsAndAliases() {
        let (file, problems) = Self.parse(
            """
            stages:
              - read
              - mask-range: &near {near: 0.1}
              - mask-range: *near
              - &blur filter-blur
              - *blur
            """)
        #expect(problems.isEmpty)
        #expect(file.entries.map(\.stage) == ["read", "mask-range", "mask-range", "filter-blur", "filter-blur"])
        #expect(file.entries[2].options == file.entries[1].options)
    }

    /// A tenth of them would keep Yams busy for hours.
    @Test(.timeLimit(.minutes(20))) func aliasesOfAliases() {
        var text = "stages: [read]\na0: &a0 [1, 2]\n"
        for level in 1...12 {
            text += "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", "))]\n"
        }
        let (_, problems) = Self.parse(text + "? *a12\n: 1\n")
        #expect(problems.map(\.summary) == ["the file has 121 aliases (`*name`), and at most 32 are read"])
        let pairs = (1...20).map { "b\($0): &b\($0) [*b\($0 - 1), *b\($0 - 1)]\n" }.joined()
        #expect(!Self.parse("stages: [read]\nb0: &b0 [1, 2]\n\(pairs)? *b20\n: 1\n").problems.isEmpty)
        // Asterisks that are none.
        let (file, others) = Self.parse(
            "# \(String(repeating: "* ", count: 100))\nstages: [read] # \(String(repeating: "*", count: 99))")
        #expect(others.isEmpty && file.entries.count == 1)
        // Words that are stressed.
        let stressed = "# \(String(repeating: "*w1* ", count: 40))\nstages: [read]\n"
        #expect(Self.parse(stressed).problems.isEmpty)
    }

    @Test func asManyAliasesAsAreRead() {
        func problems(_ count: Int) -> [String] {
            let stages = ["&a read"] + Array(repeating: "*a", count: count)
            return Self.parse("stages: [\(stages.joined(separator: ", "))]\n").problems.map(\.summary)
        }
        #expect(problems(32) == [])
        #expect(problems(33) == ["the file has 33 aliases (`*name`), and at most 32 are read"])
    }

    @Test func valuesThatNoOptionTakes() throws {
        let (file, problems) = Self.parse(
            "stages:\n  - x: {a: {b: 1}, c: [1, [2]], d: [{e: 1}], f: , g: null, h: \"null\", i: []}\n")
        #expect(problems.isEmpty)
        let options = try #require(file.entries.first).options
        #expect(options["a"]?.content == .other("mapping"))
        #expect(options["c"]?.content == .other("nested list"))
        #expect(options["d"]?.content == .other("nested list"))
        #expect(options["f"]?.content == .scalar(""))
        #expect(options["g"]?.content == .scalar(""))
        #expect(options["h"]?.content == .scalar("null"))
        #expect(options["i"]?.content == .list([]))
    }

    // MARK: - Mistakes in the layout

    @Test func nothingThere() {
        for text in ["", "\n\n", "# only a comment\n"] {
            #expect(Self.messages(text) == ["p.yaml: error: the file is empty\n  fix: begin with  stages: [read, …]"])
        }
    }

    @Test func noMapping() {
        #expect(
            Self.messages("- read\n- unproject\n") == [
                """
                p.yaml:1:1: error: a pipeline is a mapping with the key `stages`
                  - read
                  ^
                  fix: put  stages:  above the list, on a line of its own
                """
            ])
        #expect(
            Self.messages("read") == [
                """
                p.yaml:1:1: error: a pipeline is a mapping with the key `stages`
                  read
                  ^
                  fix: begin with  stages: [read, …]
                """
            ])
    }

    @Test func stagesMissing() {
        #expect(
            Self.messages("name: x\n") == [
                "p.yaml:1:1: error: the key `stages` is missing\n  name: x\n  ^\n  fix: add  stages: [read, …]"
            ])
    }

    @Test(arguments: ["read", "{read: {}}", "3"]) func stagesNoList(_ value: String) {
        #expect(
            Self.messages("stages: \(value)\n") == [
                """
                p.yaml:1:9: error: `stages` is a list
                  stages: \(value)
                          ^
                  fix: put each stage on its own line after a dash
                """
            ])
    }

    @Test func stagesWithNothing() {
        #expect(Self.parse("stages:\n").problems.map(\.summary) == ["`stages` is a list"])
        #expect(
            Self.messages("stages: []\n") == [
                "p.yaml:1:9: error: `stages` is empty\n  stages: []\n          ^\n  fix: begin with a stage that reads: [read, …]"
            ])
    }

    @Test func entriesThatAreNoStages() {
        let (file, problems) = Self.parse(
            """
            stages:
              - read
              - mask-range: {far: 5}
                near: 0.1
              - [read]
              -
              - {}
              - mask-range: [far, 5]
              - mask-range: far
              - ? {a: 1}
                : 2
              - mask-jumps: {? [a] : 1, max: 2}
            """)
        #expect(
            problems.map { "\($0.place.line ?? 0):\($0.place.column ?? 0) \($0.summary)" } == [
                "3:5 a list entry holds one stage, and this one has 2 keys",
                "5:5 a stage is a name, or a name with options",
                "6:4 a stage is a name, or a name with options",
                "7:5 a stage is a name, or a name with options",
                "10:5 a stage is a name, or a name with options",
                "12:20 an option's name is a text",
            ])
        // What these mean is up to the stage's options.
        #expect(file.entries.map { $0.stray?.texts ?? [] }[5...6] == [["far", "5"], ["far"]])
        #expect(file.entries.map(\.isBroken) == [false, true, true, true, true, false, false, true, true])
    }

    @Test func keysThatAreNotKnown() {
        #expect(
            Self.parse("stage: [read]\nversion: 1\n? [a]\n: 1\nstages: [read]\n").problems.map {
                "\($0.place.line ?? 0):\($0.place.column ?? 0) \($0.summary); \($0.fix ?? "")"
            } == [
                "1:1 unknown key `stage`; did you mean `stages`?",
                "2:1 unknown key `version`; a pipeline has name, description and stages",
                "3:3 a key is a text; a pipeline has name, description and stages",
            ])
    }

    @Test func namesAndDescriptionsAreTexts() {
        let (file, problems) = Self.parse("name: [a]\ndescription:\nstages: [read]\n")
        #expect(problems.map(\.summary) == ["`name` is a text", "`description` is a text"])
        #expect(file.name == "p")
        #expect(file.summary == nil)
    }

    // MARK: - What is not YAML

    /// YAML stops at the first of them.
    @Test func duplicateKeysHideNothing() {
        let (file, problems) = Self.parse(
            """
            name: a
            description: [x]
            stages:
              - mask-range: {near: 1, far: 2, "near": 3}
              - crop: {above: 1}
                crop: {below: 2}
            nam: b
            name: c
            """)
        #expect(problems.compactMap(\.place.line).sorted() == [1, 2, 4, 5, 7])
        let repeated = problems.filter { $0.fix == "keep one of them" }
        #expect(repeated.map { Self.place($0.place.line, $0.place.column) } == [[4, 18], [5, 5], [1, 1]])
        #expect(repeated.first?.excerpt == #"  - mask-range: {near: 1, far: 2, "near": 3}"#)
        // The last of them counts.
        #expect(file.name == "c" && file.entries.map(\.stage) == ["mask-range", "crop"])
        #expect(file.entries.first?.options["near"]?.content == .scalar("3"))
        #expect(file.entries.last?.options.keys.sorted() == ["below"])
        // Keys that are numbers, as nothing in a pipeline is called.
        let numbers = Self.parse("1: a\n1: b\nstages: [read]\nnam: c\n").problems
        #expect(numbers.compactMap(\.place.line).sorted() == [1, 2, 4])
        // YAML reads the file again for each, so that there is an end to it.
        let many = Self.parse("stages: [read]\n" + String(repeating: "name: a\n", count: 40))
        #expect(many.problems.count == 17)
        // Windows' line ends.
        let lines = Self.parse("name: a\r\nname: b\r\nstages: [read]\r\nnam: c\r\n").problems
        #expect(lines.compactMap(\.place.line).sorted() == [1, 4])
    }

    @Test func duplicateKeys() {
        #expect(
            Self.messages("stages:\n  - mask-range: {near: 1, far: 2, near: 3}\n") == [
                """
                p.yaml:2:18: error: the key `near` occurs here more than once
                    - mask-range: {near: 1, far: 2, near: 3}
                                   ^
                  fix: keep one of them
                """
            ])
        #expect(Self.parse("stages: [read]\nname: a\nstages: [read]\n").problems.map(\.place.line) == [1])
    }

    @Test func tabs() {
        #expect(
            Self.messages("stages:\n\t- read\n") == [
                """
                p.yaml:2:1: error: this is not YAML: found character that cannot start any token
                  \t- read
                  ^
                  note: while scanning for the next token in line 2
                  fix: YAML is indented with spaces, not with tabs
                """
            ])
    }

    /// The caret stands below its column also when tabs and combined characters stand before it.
    @Test func caretsFollowTabsAndCombinedCharacters() {
        #expect(
            Self.messages("stages: [e\u{301}\t, {a: {}, b: {}}]\n") == [
                "p.yaml:1:15: error: a list entry holds one stage, and this one has 2 keys\n"
                    + "  stages: [e\u{301}\t, {a: {}, b: {}}]\n"
                    + "            \t  ^\n"
                    + "  fix: begin each stage with its own dash, and indent its options below it"
            ])
    }

    @Test func brokenSyntax() {
        #expect(Self.parse("stages:\n  - read\n - x\n").problems.map(\.place.line) == [3])
        #expect(Self.parse("a: *nothing\n").problems.map(\.summary) == ["this is not YAML: found undefined alias"])
        let second = Self.parse("stages: [read]\n---\nstages: [read]\n").problems
        #expect(second.map(\.summary) == ["a second document begins here, and a pipeline file holds one"])
        #expect(second.first?.fix == "put each pipeline into a file of its own, or take the  ---  away")
        #expect(second.first?.place.line == 2 && second.first?.excerpt == "---", "\(second)")
        #expect(Self.parse("stages: \"unclosed\n").problems.count == 1)
        #expect(Self.parse("%BAD\n---\na: 1\n").problems.count == 1)
    }

    @Test func controlCharacters() {
        #expect(
            Self.messages("stages:\n  - re\u{7}ad\n") == [
                "p.yaml:2:1: error: this is not text: control characters are not allowed\n    - re\\u{7}ad\n  ^"
            ])
        #expect(Self.parse("stages: [\u{0}]").problems.count == 1)
    }

    @Test func deepNesting() {
        for depth in [200, 5_000, 200_000] {
            let text = "stages: " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(Self.parse(text).problems.count == 1)
            let block =
                "stages:\n" + (0..<min(depth, 3_000)).map { String(repeating: " ", count: $0) + "- \n" }.joined()
            #expect(!Self.parse(block).problems.isEmpty)
        }
    }

    @Test func aMegabyte() {
        let comment = "# " + String(repeating: "x", count: 1 << 20) + "\nstages: [read, [oops]]\n"
        #expect(Self.parse(comment).problems.map(\.place.line) == [2])
        let many = "stages:\n" + String(repeating: "  - mask-range: {near: 0.1}\n", count: 40_000)
        let (file, problems) = Self.parse(many)
        #expect(problems.isEmpty)
        #expect(file.entries.count == 40_000)
        #expect(file.entries.last?.line == 40_001)
    }

    @Test func aLineThatNoTerminalShowsIsNotShown() {
        let problems = Self.parse("stages: [\(String(repeating: "read, ", count: 1000)) [oops]]").problems
        #expect(problems.map(\.excerpt) == [nil])
        #expect(problems.map(\.place.column) == [6011])
    }

    // MARK: - Bytes

    @Test func bytesThatAreUTF8() throws {
        #expect(try PipelineFile.text(of: Array("größe: 1".utf8), path: "p.yaml") == "größe: 1")
        #expect(try PipelineFile.text(of: [], path: "p.yaml") == "")
    }

    @Test(
        arguments: [
            (Array("a: 1\nb: ".utf8) + [0xff] + Array("\n".utf8), 2, 8), ([0xff, 0xfe, 0x73, 0x00], 1, 0),
            (Array("gr".utf8) + [0xf6, 0xdf] + Array("e\n".utf8), 1, 2), (Array("a\n\n\u{fc}".utf8).dropLast(), 3, 3),
            (Array("\u{fffd}".utf8) + [0xc0], 1, 3),
        ] as [([UInt8], Int, Int64)]) func bytesThatAreNot(_ bytes: [UInt8], _ line: Int, _ byte: Int64) throws
    {
        let problem = try #require(problem { _ = try PipelineFile.text(of: bytes, path: "p.yaml") })
        #expect(problem.summary == "this is not UTF-8 text")
        #expect(problem.fault == .usage)
        #expect(problem.place.line == line)
        #expect(problem.place.byte == byte)
        #expect(problem.place.byteCount == Int64(bytes.count))
        #expect(problem.fix == "save the file as UTF-8")
    }

    // MARK: - Values of --set

    @Test(arguments: [
        ("5", OptionValue.Content.scalar("5")), ("", .scalar("")), ("[1, 2]", .list(["1", "2"])), ("[]", .list([])),
        ("[3, 17-20]", .list(["3", "17-20"])), ("[1, [2]]", .other("nested list")), ("[1", .scalar("[1")),
        ("a: b", .scalar("a: b")), ("#1", .scalar("#1")), ("a #b", .scalar("a #b")), ("~", .scalar("~")),
        ("*a", .scalar("*a")),
        ("{a: 1}", .scalar("{a: 1}")), ("C:\\x", .scalar("C:\\x")), ("'q'", .scalar("'q'")), ("- x", .scalar("- x")),
    ]) func valuesFromTheCommandLine(_ text: String, _ content: OptionValue.Content) {
        #expect(PipelineFile.value(text).content == content)
    }
}
