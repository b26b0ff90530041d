import ScanModel
import ScanPipeline
import Testing

@Suite struct OrderCheckTests {
    static let usual: [Mock] = [
        .reader(), .decompress, .mask, .unproject, .sum, .every(2), .writer("write-ply", to: "{id}.ply"),
    ]

    /// The mistakes of a list of stages, as `step: summary; fix`.
    private static func mistakes(_ names: [String], of mocks: [Mock] = usual) -> [String] {
        check(names, of: mocks).mistakes
    }

    static func check(_ names: [String], of mocks: [Mock] = usual) -> (mistakes: [String], warnings: [String]) {
        let entries = names.enumerated().map { PipelineFile.Entry(stage: $1, line: $0, column: 1) }
        let file = PipelineFile(path: "p.yaml", name: "p", entries: entries)
        func lines(_ problems: [Problem]) -> [String] {
            problems.map { "\($0.place.line ?? -1): \($0.summary)" + ($0.fix.map { "; \($0)" } ?? "") }
        }
        do throws(PipelineMistakes) {
            return ([], lines(try Pipeline.build(file, library: StageLibrary(mocks)).warnings))
        } catch { return (lines(error.problems), []) }
    }

    @Test func aPipelineInOrder() {
        let result = Self.check(["read", "every", "decompress", "mask", "unproject", "write-ply"])
        #expect(result.mistakes.isEmpty)
        #expect(result.warnings.isEmpty)
    }

    /// What a step works on, and another one takes away.
    @Test func aStepThatHasNothingToDo() {
        let lens = Channel("lens")
        let mend = Mock(
            "mend", Uses(finish: .init(wants: [lens], removes: [lens]), idleWithout: lens, isMeasurement: true))
        let turn = Mock("turn", Uses(finish: .init(removes: [lens]), isMeasurement: true))
        let reader = Mock("read", Uses(finish: .init(makes: [.frames], mayMake: [lens])))
        func mistakes(_ names: String...) -> [String] { Self.mistakes(names, of: [reader, mend, turn]) }
        #expect(mistakes("read", "mend", "turn") == [])
        #expect(
            mistakes("read", "turn", "mend") == [
                "2: `mend` has nothing to do: `turn` above it leaves no lens; move it above `turn`"
            ])
        #expect(
            mistakes("read", "mend", "turn", "mend").first?.contains("`mend[2]` has nothing to do") == true)
        #expect(
            Self.mistakes(["read", "mend"], of: [.reader(), mend]) == [
                "1: `mend` has nothing to do: no stage above it makes any lens; take it out"
            ])
    }

    /// Points would be made once more, of other pixels than those that were counted.
    @Test func pixelsThatChangeBelowWhatWasMadeOfThem() {
        let unproject = Mock.frame("unproject", .init(needs: [.depth, .pose], makes: [.points])) { _, _ in }
        let turn = Mock("turn", Uses(finish: .init(wants: [.recordedDepth], changes: [.recordedDepth])))
        var dataset = Mock.writer("dataset", to: "{id}.txt")
        dataset.uses.fold = .init(prefers: [[.cloud, .points]])
        let mocks: [Mock] = [
            .reader(), .decompress, .mask, unproject, .sum, turn, .writer("write-ply", to: "{id}.ply"), dataset,
        ]
        func warnings(_ names: String...) -> [String] {
            let result = Self.check(names, of: mocks)
            #expect(result.mistakes == [])
            return result.warnings.filter { $0.contains("changes the pixels") }
        }
        #expect(warnings("read", "turn", "decompress", "unproject", "write-ply") == [])
        #expect(warnings("read", "decompress", "mask", "turn", "unproject", "write-ply") == [])
        // What was gathered stays as it is.
        #expect(warnings("read", "decompress", "unproject", "sum", "turn", "dataset") == [])
        for writer in ["write-ply", "dataset"] {
            #expect(
                warnings("read", "decompress", "unproject", "turn", writer) == [
                    "3: `turn` changes the pixels from which `unproject` above it has made what stages below use: it "
                        + "is made again from the new pixels, but not counted again; move it above `unproject`"
                ])
        }
    }

    @Test func whatIsMissing() {
        #expect(
            Self.mistakes(["read", "unproject", "write-ply"]) == [
                "1: `unproject` needs depth, which no stage before it makes; put `decompress` above it"
            ])
        #expect(
            Self.mistakes(["read", "unproject", "decompress", "write-ply"]) == [
                "1: `unproject` needs depth, which no stage before it makes; move `decompress` above it"
            ])
    }

    /// One more of its kind would need the same.
    @Test func noStepMakesWhatItNeedsItself() {
        let merge = Mock.fold("merge", .init(needs: [.cloud], makes: [.cloud]))
        #expect(
            Self.mistakes(["read", "merge"], of: [.reader(), merge]) == [
                "1: `merge` needs cloud, which no stage before it makes"
            ])
    }

    /// A step that only fills in for captures without a channel makes nothing that is worth a measurement.
    @Test func whatFillsInIsNotMeasured() {
        let fill = Mock("fill", Uses(finish: .init(needs: [.frames], wants: [.cloud], makes: [.cloud])))
        let measure = Mock("measure", Uses(finish: .init(needs: [.cloud]), isMeasurement: true))
        let writer = Mock("write", Uses(finish: .init(needs: [.cloud]), claims: ["{id}.ply"]))
        let some = Mock.reader("some", [.cloud])
        let mocks = [some, .reader(), .decompress, .unproject, .sum, fill, measure, writer]
        let early = Self.check(["some", "measure", "fill", "write"], of: mocks)
        #expect(early.mistakes == [] && !early.warnings.contains { $0.contains("below `fill`") }, "\(early)")
        #expect(Self.mistakes(["read", "measure", "fill"], of: mocks).first?.hasSuffix("put `sum` above it") == true)
        // Writers take it.
        #expect(Self.mistakes(["read", "write", "fill"], of: mocks).first?.hasSuffix("move `fill` above it") == true)
    }

    @Test func oneMissingStageIsOneMistake() {
        #expect(Self.mistakes(["read", "mask", "mask", "unproject", "write-ply"]).count == 1)
        #expect(Self.mistakes(["read", "write-ply", "mask"]).count == 2)
    }

    @Test func whatNoStageMakes() {
        let odd = Mock.frame("odd", .init(needs: [Channel("aura")], anyOf: [[.box, .motion], [.cloud, .points]]))
        #expect(
            Self.mistakes(["read", "odd"], of: Self.usual + [odd]) == [
                "1: `odd` needs aura, which no stage before it makes",
                "1: `odd` needs cloud or points, which no stage before it makes; put `sum` above it",
            ])
    }

    @Test func whatIsChangedIsNeededUnlessItIsOptional() {
        let strict = Mock.frame("strict", .init(changes: [.confidence]))
        let lenient = Mock.frame(
            "lenient", .init(wants: [.points], prefers: [[.cloud, .depth]], changes: [.points, .cloud]))
        #expect(Self.mistakes(["read", "strict"], of: Self.usual + [strict]).count == 1)
        #expect(Self.mistakes(["read", "lenient"], of: Self.usual + [lenient]).isEmpty)
    }

    @Test func someNeedsAriseFromWhatElseIsThere() throws {
        var careful = Mock.frame("careful", .init(conditions: [.init(.depth, when: .recordedDepth)]))
        careful.uses.instead = [[.depth]: [.option("plain", set: "true", not: "false")]]
        let mocks = Self.usual + [careful]
        let mistake = "1: `careful` needs depth, which no stage before it makes"
        #expect(
            Self.mistakes(["read", "careful"], of: mocks)
                == ["\(mistake); put `decompress` above it, or set `plain: true`"])
        #expect(
            Self.mistakes(["read", "careful", "decompress"], of: mocks).first
                == "\(mistake); move `decompress` above it, or set `plain: true`")
        #expect(Self.mistakes(["read", "decompress", "careful"], of: mocks).isEmpty)
        // Each of the two would still need it alone.
        careful.uses.instead[[.depth]]?.append(.option("far", set: "false", not: "true"))
        #expect(
            Self.mistakes(["read", "careful"], of: Self.usual + [careful])
                == ["\(mistake); put `decompress` above it, or set `plain: true` and `far: false`"])
        // A reader that never has any gives no reason to ask.
        #expect(Self.mistakes(["paint", "careful"], of: mocks + [.reader("paint", [.color])]).isEmpty)
    }

    @Test func aGroupsAdviceIsFoundInWhateverOrderItIsNamed() {
        var odd = Mock.frame("odd", .init(anyOf: [[.cloud, .points]]))
        odd.uses.instead = [[.points, .cloud]: [.option("plain", set: "true", not: "false")]]
        #expect(
            Self.mistakes(["read", "odd"], of: Self.usual + [odd]) == [
                "1: `odd` needs cloud or points, which no stage before it makes; put `sum` above it, or set `plain: true`"
            ])
    }

    @Test func rolesSeeWhatTheRolesBeforeThemMake() {
        let own = Mock.frame("own", .init(needs: [.depth], makes: [.points])).folding(
            .init(needs: [.points], makes: [.cloud])
        )
        .finishing(.init(needs: [.cloud]))
        #expect(Self.mistakes(["read", "decompress", "own"], of: Self.usual + [own]).isEmpty)
        let wrong = Mock.frame("wrong", .init(needs: [.cloud])).folding(.init(makes: [.cloud]))
        #expect(Self.mistakes(["read", "wrong"], of: Self.usual + [wrong]).count == 1)
    }

    // MARK: - Readers

    @Test func theFirstStageReads() {
        #expect(
            Self.mistakes(["decompress", "unproject", "write-ply"]) == [
                "0: a pipeline begins with a stage that reads a capture, not with `decompress`; put `read` above it"
            ])
        #expect(
            Self.mistakes(["unproject"]) == [
                "0: a pipeline begins with a stage that reads a capture, not with `unproject`; put `read` above it",
                "0: `unproject` needs depth, which no stage before it makes; put `decompress` above it",
            ])
        #expect(Self.mistakes(["mask"], of: [.mask]).first?.hasSuffix("; put `read` above it") == true)
    }

    @Test func onlyTheFirstStageReads() {
        #expect(
            Self.mistakes(["read", "decompress", "read"]) == [
                "2: `read[2]` reads a capture, which only the first stage can do; take it out"
            ])
        #expect(
            Self.mistakes(["decompress", "read"]) == [
                "0: a pipeline begins with a stage that reads a capture, not with `decompress`; put `read` above it",
                "1: `read` reads a capture, which only the first stage can do; take it out",
            ])
    }

    // MARK: - Outputs

    @Test(arguments: [
        ("{id}.ply", "{id}.ply", true), ("nerf/", "nerf/", true), ("nerf/", "nerf/transforms.json", true),
        ("nerf/transforms.json", "nerf/", true), ("nerf", "nerf/", true), ("nerf/images/", "nerf/", true),
        ("nerf/", "nerf2/", false), ("nerf/", "nerf2", false), ("a.ply", "a.ply2", false),
        ("{id}.ply", "{id}.json", false),
    ]) func twoStagesThatWriteOnePath(_ a: String, _ b: String, _ clash: Bool) {
        let mocks: [Mock] = [
            .reader(), .decompress, .unproject, .writer("write-a", to: a), .writer("write-b", to: b),
        ]
        let mistakes = Self.mistakes(["read", "decompress", "unproject", "write-a", "write-b"], of: mocks)
        let text =
            "4: `write-b` and `write-a` both write \(b); keep one of them, or give one another name where it has an option for that"
        #expect(mistakes == (clash ? [text] : []))
    }

    @Test func oneStageMayClaimAFolderAndAFileInIt() {
        let both = Mock.fold("both", .init(needs: [.points]), claims: ["nerf/", "nerf/points.ply"])
        #expect(Self.mistakes(["read", "decompress", "unproject", "both"], of: Self.usual + [both]).isEmpty)
        #expect(
            Self.mistakes(["read", "decompress", "unproject", "both", "both"], of: Self.usual + [both]).map {
                $0.prefix(30)
            } == [
                "4: `both[2]` and `both[1]` bot"
            ])
    }

    /// What a receipt calls dropped shall not stand in the result.
    @Test func framesThatAreDroppedWhenAllIsWritten() {
        let drop = Mock.frame("drop", .init(makes: [.sharpness], drops: true))
        let mocks = Self.usual + [drop]
        let order = ["read", "decompress", "unproject"]
        #expect(
            Self.mistakes(order + ["write-ply", "drop"], of: mocks) == [
                "4: `drop` drops frames that `write-ply` above it has written already; move it above `write-ply`"
            ])
        #expect(Self.mistakes(order + ["drop", "write-ply"], of: mocks) == [])
        // Some want all frames of one kind, and few of another.
        let other = Mock.fold("other", .init(needs: [.points]), claims: ["other/"])
        #expect(Self.mistakes(order + ["write-ply", "drop", "other"], of: mocks + [other]) == [])
        #expect(Self.mistakes(order + ["drop"], of: mocks) == [])
        // A picture to look at is no result that the frames are written for.
        var thumbnail = Mock.fold("thumbnail", .init(needs: [.points]), claims: ["a.jpg"])
        thumbnail.bindsFrames = false
        #expect(
            Self.mistakes(order + ["write-ply", "drop", "thumbnail"], of: mocks + [thumbnail]) == [
                "4: `drop` drops frames that `write-ply` above it has written already; move it above `write-ply`"
            ])
        #expect(Self.mistakes(order + ["thumbnail", "drop"], of: mocks + [thumbnail]) == [])
    }

    /// Below what was made of all frames, only writers that still look at frames notice that some were dropped.
    @Test func framesThatAreDroppedWhenAllIsGathered() {
        let write = Mock.fold("write", .init(needs: [.cloud]), claims: ["a.ply"])
        let draw = Mock.fold("draw", .init(needs: [.cloud, .pose]), claims: ["a.jpg"])
        let mocks = Self.usual + [write, draw]
        let order = ["read", "decompress", "unproject"]
        let vain =
            "`every` drops frames that `sum` above it has used already, and no stage below it looks at frames: what is "
            + "written is made of all of them; move it above `sum`"
        #expect(Self.check(order + ["sum", "every", "write"], of: mocks).warnings == ["4: \(vain)"])
        #expect(Self.check(order + ["every", "sum", "write"], of: mocks).warnings == [])
        #expect(Self.check(order + ["sum", "every", "write", "draw"], of: mocks).warnings == [])
    }
}
