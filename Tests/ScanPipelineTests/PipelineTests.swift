import ScanModel
import ScanPipeline
import Testing

@Suite struct PipelineTests {
    enum Gray: String, CaseIterable { case bt601, luma }

    /// Stages with options, after the real ones.
    static let library = StageLibrary([
        .reader().taking { options in
            _ = options.number("bad-frame-limit", "The limit.", default: 0.05, in: 0...1)
        },
        Mock.finish("select-frames", .init(needs: [.frames], drops: true)).taking { options in
            _ = options.frames("exclude", "Those to drop.")
        },
        Mock.frame("filter-blur", .init(needs: [.color], makes: [.sharpness]))
            .finishing(.init(drops: true)).taking { options in
                options.exactlyOne(of: ["window", "at-least"])
                _ = options.integer("window", "One of so many.", in: 1...1000)
                _ = options.number("at-least", "The least score.", in: 0...Double.greatestFiniteMagnitude)
                _ = options.choice("gray", "Which grey.", default: Gray.bt601)
            },
        .decompress,
        Mock.frame("mask-range", .init(changes: [.depth])).taking { options in
            let near = options.number("near", "The nearest.", default: 0.1, in: 0...1000, unit: "m")
            let far = options.number("far", "The farthest.", default: 10, in: 0...1000, unit: "m")
            if far < near { options.fail("far", "`far` is nearer than `near`", "swap them") }
        },
        .unproject,
        Mock.fold("write-ply", .init(needs: [.points]), claims: ["{id}.ply"]).taking { options in
            _ = options.text("title", "A comment.")
            _ = options.integers("levels", "The levels.", default: [1], in: 1...8)
        },
    ])

    static func load(_ text: String, _ settings: [String] = []) throws -> Pipeline {
        try Pipeline.load(text: text, path: "p.yaml", settings: settings, library: library)
    }

    static func messages(_ text: String, _ settings: [String] = []) throws -> [String] {
        do {
            _ = try load(text, settings)
            return []
        } catch let mistakes as PipelineMistakes { return mistakes.problems.map(\.compilerStyle) }
    }

    static let good = """
        name: good
        stages:
          - read
          - select-frames: {exclude: [0]}
          - filter-blur: {window: 5}
          - decompress
          - mask-range: {near: 0.5}
          - mask-range: {far: 4}
          - unproject
          - write-ply
        """

    @Test func buildsStepsWithEveryOptionDecided() throws {
        let pipeline = try Self.load(Self.good)
        #expect(pipeline.name == "good")
        #expect(
            pipeline.steps.map(\.label) == [
                "read", "select-frames", "filter-blur", "decompress", "mask-range[1]", "mask-range[2]", "unproject",
                "write-ply",
            ])
        #expect(pipeline.steps.map(\.name)[4...5] == ["mask-range", "mask-range"])
        #expect(pipeline.warnings.isEmpty)
        let text = String(decoding: JSONWriter.text(pipeline.resolved, pretty: false), as: UTF8.self)
        #expect(
            text == """
                {"name":"good","stages":[{"name":"read","options":{"bad-frame-limit":0.05}},\
                {"name":"select-frames","options":{"exclude":["0"]}},\
                {"name":"filter-blur","options":{"window":5,"gray":"bt601"}},{"name":"decompress","options":{}},\
                {"name":"mask-range","options":{"near":0.5,"far":10}},{"name":"mask-range","options":{"near":0.1,"far":4}},\
                {"name":"unproject","options":{}},{"name":"write-ply","options":{"levels":[1]}}]}
                """)
    }

    // MARK: - Mistakes

    @Test func fiveMistakesAtOnce() throws {
        let text = """
            name: broken
            descripton: Five mistakes.
            stages:
              - read
              - unproject
              - decompres
              - mask-range: {near: 0.1, faar: 5}
              - mask-range:
                  near: 4
                  far: 2000
              - write-ply
            """
        #expect(
            try Self.messages(text).joined(separator: "\n") == """
                p.yaml:2:1: error: unknown key `descripton`
                  descripton: Five mistakes.
                  ^
                  fix: did you mean `description`?
                p.yaml:5:5: error: `unproject` needs depth, which no stage before it makes
                    - unproject
                      ^
                  fix: put `decompress` above it
                p.yaml:6:5: error: there is no stage `decompres`
                    - decompres
                      ^
                  fix: did you mean `decompress`?
                p.yaml:7:29: error: `mask-range` has no option `faar`
                    - mask-range: {near: 0.1, faar: 5}
                                              ^
                  fix: did you mean `far`?
                p.yaml:10:7: error: mask-range[2]: `far` is 2000, which is not between 0 and 1000 m
                        far: 2000
                        ^
                """)
    }

    /// The file's line shows nothing of it.
    @Test func mistakesThatASettingMade() throws {
        let messages = try Self.messages("stages:\n  - read\n  - unproject\n", ["read.bad-frame-limit=0.5"])
        #expect(messages.count == 1 && !messages[0].contains("--set"))
        let late = try Self.messages("stages:\n  - mask-range\n", ["mask-range.far=3"])
        #expect(late.contains { $0.contains("note: it stands there with  --set mask-range.far=3") }, "\(late)")
    }

    @Test func decimalsWithAComma() throws {
        let messages = try Self.messages("stages: [read, {mask-range: {near: 0,1}}]")
        #expect(messages.contains { $0.contains("has no option `1`") && $0.contains("with a point, as in 0.5") })
    }

    /// Below an entry that is not understood, what is missing may come from that entry: nothing is said about it.
    @Test func nothingIsGuessedBelowAMistake() throws {
        #expect(try Self.messages("stages: [read, decompres, unproject, write-ply]").count == 1)
        #expect(try Self.messages("stages: [reed, decompress, unproject, write-ply]").count == 1)
        #expect(try Self.messages("stages: [read, {decompress: {}, a: 1}, unproject, write-ply]").count == 1)
        #expect(try Self.messages("stages: [read, decompress: {a: 1}, unproject, write-ply]").count == 1)
        #expect(try Self.messages("stages: [read, unproject, decompres, write-ply]").count == 2)
    }

    /// What is misspelt, or has a wrong option, is taken for what it seems to be.
    @Test func mistakesHideNoOrderBelowThem() throws {
        for entry in ["decompres", "decompress: {a: 1}", "decompress: 5", "decompres: 5"] {
            let mistakes = try Self.messages("stages:\n  - read\n  - \(entry)\n  - write-ply\n  - unproject\n  - {}\n")
            #expect(mistakes.contains { $0.hasPrefix("p.yaml:4:5: error: `write-ply` needs ") }, "\(mistakes)")
            #expect(mistakes.allSatisfy { !$0.contains("needs depth") }, "\(mistakes)")
        }
        #expect(try Self.messages("stages: [read, poisson, write-ply]").count == 1)
    }

    /// A wrong option is not why a stage stands in the wrong place, unless it is the option that makes the need.
    @Test func mistakesInOptionsHideNoWrongPlace() throws {
        let own = try Self.messages("stages: [read, {unproject: {a: 1}}, write-ply]")
        #expect(own.count == 2 && own[0].contains("`unproject` needs depth"), "\(own)")
        let look = Mock.frame("look", .init(needs: [.color])).adapting { options, uses in
            if options.text("at", "What.", default: "color") == "depth" { uses.frame.needs = [.depth] }
        }
        let library = StageLibrary([.reader(), .decompress, look])
        func count(_ options: String) -> Int {
            do throws(PipelineMistakes) {
                _ = try Pipeline.load(text: "stages: [read, {look: {\(options)}}]", path: "p.yaml", library: library)
                return 0
            } catch { return error.problems.count }
        }
        #expect(count("at: depth") == 1 && count("at: depth, a: 1") == 1 && count("a: 1") == 1)
        // What two stages write may be another mistake than their names.
        let file = "write-ply, {write-ply: {title: [a]}}"
        #expect(try Self.messages("stages: [read, decompress, unproject, \(file)]").count == 1)
    }

    /// Signs that newcomers put between a stage, an option and its value.
    @Test(arguments: [
        ("mask-range{far: 5}", "write  - mask-range: {far: 5}"),
        ("mask-range(far: 5)", "write  - mask-range: {far: 5}"),
        ("mask-range(near: 1, far: 5)", "write  - mask-range: {near: 1, far: 5}"),
        ("mask-range far: 5", "write  - mask-range: {far: 5}"), ("mask-range.far: 5", "write  - mask-range: {far: 5}"),
        ("mask-range --far 5", "write  - mask-range: {far: 5}"), ("mask-range far=5", "write  - mask-range: {far: 5}"),
        ("mask-range: far=5", "write  - mask-range: {far: 5}"), ("mask-range: far", "write  - mask-range: {far: …}"),
        ("mask-range: far=.5", "write  - mask-range: {far: .5}"), ("name: decompress", "write  - decompress"),
        // Nobody can tell which of the two.
        ("mask-range: 5", "write  - mask-range: {option: value}; its options are near, far"),
        ("mask-range: near 1 far 5", "write  - mask-range: {option: value}; its options are near, far"),
        ("mask-range: [far, 5]", "write  - mask-range: {option: value}; its options are near, far"),
        ("decompress: 5", "write  - decompress  alone: it takes none"),
        ("mask-range: {far=5}", "write  {far: 5}"), ("mask-range: {far-limit: 5}", "did you mean `far`?"),
        ("filter-blur: {window: 3, luma}", "write  gray: luma"),
        ("far: 5", "`far` is an option of `mask-range`"),
        ("luma", "`luma` is a value of `gray`, an option of `filter-blur`"),
    ]) func optionsInAnotherForm(_ entry: String, _ fix: String) throws {
        let messages = try Self.messages("stages:\n  - read\n  - decompress\n  - \(entry)\n")
        #expect(messages.count == 1 && messages[0].hasSuffix("\n  fix: \(fix)"), "\(messages)")
    }

    @Test func unknownStages() throws {
        #expect(
            try Self.messages("stages: [read, poisson]") == [
                "p.yaml:1:16: error: there is no stage `poisson`\n  stages: [read, poisson]\n                 ^\n  fix: `scanmill stages` lists them"
            ])
    }

    @Test func optionsOfAStageWithoutAny() throws {
        #expect(
            try Self.messages("stages: [read, {decompress: {level: 3}}]") == [
                """
                p.yaml:1:30: error: `decompress` has no option `level`
                  stages: [read, {decompress: {level: 3}}]
                                               ^
                  fix: it takes none
                """
            ])
    }

    @Test func unknownOptionsNameTheKnownOnes() throws {
        let mistakes = try Self.messages("stages: [read, decompress, {mask-range: {minimum: 3}}]")
        #expect(mistakes.map { $0.split(separator: "\n").last } == ["  fix: its options are near, far"])
    }

    @Test func mistakesThatConcernSeveralOptions() throws {
        #expect(
            try Self.messages("stages:\n  - read\n  - filter-blur: {gray: luma}\n") == [
                """
                p.yaml:3:5: error: filter-blur: one of `window`, `at-least` is needed
                    - filter-blur: {gray: luma}
                      ^
                  fix: give the one you mean; `scanmill stages` with the stage's name explains them
                """
            ])
        // What is lacking may be what was misspelt.
        let misspelt = try Self.messages("stages:\n  - read\n  - filter-blur: {windwo: 3}\n")
        #expect(misspelt.count == 1 && misspelt[0].contains("`filter-blur` has no option `windwo`"), "\(misspelt)")
        #expect(
            try Self.messages("stages:\n  - read\n  - decompress\n  - mask-range: {near: 5, far: 1}\n") == [
                """
                p.yaml:4:27: error: mask-range: `far` is nearer than `near`
                    - mask-range: {near: 5, far: 1}
                                            ^
                  fix: swap them
                """
            ])
    }

    @Test func mistakesComeInTheOrderOfTheFile() throws {
        let text = "stages:\n  - read: {z: 1, a: 2}\n  - {nope: {}}\n  - decompress: {b: 1}\n"
        let lines = try Self.messages(text).map { $0.prefix { $0 != " " } }
        #expect(lines == ["p.yaml:2:12:", "p.yaml:2:18:", "p.yaml:3:6:", "p.yaml:4:18:"])
    }

    @Test func manyStagesAreCheckedInNoTime() throws {
        let text =
            "stages:\n  - read\n  - decompress\n" + String(repeating: "  - mask-range\n", count: 20_000)
            + "  - unproject\n"
        let pipeline = try Self.load(text + "  - write-ply\n")
        #expect(pipeline.steps.count == 20_004)
        #expect(pipeline.steps[20_001].label == "mask-range[20000]")
    }

    // MARK: - --set

    @Test func settingsByNameAndByLabel() throws {
        let pipeline = try Self.load(
            Self.good,
            [
                "mask-range[2].far=3", "filter-blur.window=7", "select-frames.exclude=[3, 17-20]",
                "write-ply.levels=[1,2]",
                "write-ply.title=a: b, #1", "filter-blur.window=8",
            ])
        let options = Dictionary(uniqueKeysWithValues: pipeline.steps.map { ($0.label, $0.options) })
        #expect(options["mask-range[2]"]?["far"] == .integer(3))
        #expect(options["mask-range[1]"]?["far"] == .integer(10))
        #expect(options["filter-blur"]?["window"] == .integer(8))
        #expect(options["select-frames"]?["exclude"] == .of(["3", "17-20"]))
        #expect(options["write-ply"]?["levels"] == .of([1, 2]))
        #expect(options["write-ply"]?["title"] == .string("a: b, #1"))
    }

    @Test func settingsThatMeetNothing() throws {
        #expect(
            try Self.messages(Self.good, ["mask-range.far=3"]) == [
                """
                error: `mask-range` occurs here 2 times
                  note: asked for by  --set mask-range.far=3
                  fix: say which: mask-range[1] or mask-range[2]
                """
            ])
        #expect(
            try Self.messages(Self.good, ["mask-rnge[2].far=3"]) == [
                """
                error: this pipeline has no stage `mask-rnge[2]`
                  note: asked for by  --set mask-rnge[2].far=3
                  fix: did you mean `mask-range[2]`?
                """
            ])
        #expect(
            try Self.messages("stages: [read, decompress]", ["voxel.size=1"]) == [
                """
                error: this pipeline has no stage `voxel`
                  note: asked for by  --set voxel.size=1
                  fix: its stages are read, decompress
                """
            ])
        #expect(
            try Self.messages("stages: [read, decompress]", ["mask-range.far=3"]) == [
                """
                error: this pipeline has no stage `mask-range`
                  note: asked for by  --set mask-range.far=3
                  fix: `--set` adds no stage: put  - mask-range: {far: 3}  into a copy of the file
                """
            ])
        let neither = try Self.messages("stages: [read, decompress]", ["mask-range.fra=3"])
        let end = "fix: `mask-range` has no option `fra` either; its options are near, far"
        #expect(neither.first?.hasSuffix(end) == true, "\(neither)")
    }

    /// What is shown is YAML with the value that was given.
    @Test(arguments: [
        ("[2, 5]", "[2, 5]"), ("2-5,7", "\"2-5,7\""), ("my: box.json", "\"my: box.json\""), ("~", "\"~\""),
        ("a #b", "\"a #b\""),
    ])
    func aSettingOfAStageThatIsNotThereCanBePasted(value: String, written: String) throws {
        let messages = try Self.messages("stages: [read, decompress]", ["mask-range.far=\(value)"])
        let message = try #require(messages.first)
        #expect(message.contains("put  - mask-range: {far: \(written)}  into a copy"), "\(message)")
    }

    /// Of an option that takes a list, the line passes too.
    @Test func aListForAStageThatIsNotThereCanBePasted() throws {
        let messages = try Self.messages("stages: [read, decompress]", ["select-frames.exclude=2-5,7"])
        let message = try #require(messages.first)
        #expect(message.contains("put  - select-frames: {exclude: [2-5,7]}  into a copy"), "\(message)")
    }

    /// The file's line does not hold the value, so it is not shown.
    @Test func settingsThatAreWrongNameTheCommandLine() throws {
        #expect(
            try Self.messages(Self.good, ["mask-range[2].far=fife", "write-ply.tilte=x", "read.bad-frame-limit="]) == [
                """
                error: read: `bad-frame-limit` has no value
                  note: asked for by  --set read.bad-frame-limit=
                  fix: give a number, or leave the setting out
                """,
                """
                error: mask-range[2]: `far` takes a number, not `fife`
                  note: asked for by  --set mask-range[2].far=fife
                  fix: write the number alone; its unit is m, for example  far: 10
                """,
                """
                error: `write-ply` has no option `tilte`
                  note: asked for by  --set write-ply.tilte=x
                  fix: did you mean `title`?
                """,
            ])
    }
}
