import ScanModel
import ScanPipeline
import Testing

@Suite struct CaptureCheckTests {
    private static func steps(_ names: [String], of mocks: [Mock] = OrderCheckTests.usual) throws -> [Pipeline.Step] {
        try Pipeline.of(names.map { name in try #require(mocks.first { $0.name == name }) }).steps
    }

    @Test func someNeedsAriseFromWhatElseIsThere() throws {
        let careful = Mock.frame("careful", .init(conditions: [.init(.depth, when: .recordedDepth)]))
        let reader = Mock.reader("give", [.recordedDepth, .depth])
        let steps = try Self.steps(["give", "careful"], of: [reader, careful])
        var capture = Capture.mock(3)
        capture.channels = [.frames, .color]
        #expect(CaptureCheck.firstLack(of: capture, in: steps) == nil)
        capture.channels.insert(.recordedDepth)
        #expect(
            CaptureCheck.firstLack(of: capture, in: steps)?.summary == "careful needs depth, and this capture has none")
    }

    @Test func everythingThatACaptureLacksForAStageIsNamed() throws {
        let demanding = Mock.frame("demanding", .init(needs: [.pose, .color, .timestamp], anyOf: [[.cloud, .points]]))
        let reader = Mock.reader("give", [.pose, .color, .timestamp, .points])
        let steps = try Self.steps(["give", "demanding"], of: [reader, demanding])
        var capture = Capture.mock(3)
        capture.channels = [.frames, .color]
        capture.absences = [.timestamp: "nobody looked at a clock"]
        let lack = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        #expect(lack.summary == "demanding needs pose, timestamp, cloud or points, and this capture has none")
        #expect(lack.notes == ["nobody looked at a clock"])
    }

    /// What the machine cannot give is no lack of the capture, however a stage asks for it.
    @Test func whatTheMachineCannotGive() throws {
        let needs = Mock.frame("needs", .init(needs: [.color]))
        let either = Mock.frame("either", .init(anyOf: [[.luma, .color]]))
        var capture = Capture.mock(3)
        capture.channels = [.frames]
        let obstacle = Problem(.environment, "ffmpeg was not found")
        capture.absences = [.color: Absence("nothing decodes it", obstacle: obstacle)]
        for stage in [needs, either] {
            let lack = CaptureCheck.firstLack(
                of: capture, in: try Self.steps(["read", stage.name], of: OrderCheckTests.usual + [stage]))
            #expect(lack?.summary == "ffmpeg was not found" && lack?.fault == .environment, "\(stage.name)")
        }
    }

    @Test func whatACaptureLacks() throws {
        let steps = try Self.steps(["read", "decompress", "mask", "unproject", "write-ply"])
        var capture = Capture.mock(3)
        capture.channels = [.frames, .recordedDepth]
        #expect(CaptureCheck.firstLack(of: capture, in: steps) == nil)

        capture.channels = [.frames]
        capture.absences = [.recordedDepth: "scan.depth.zlib is missing"]
        let lack = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        #expect(
            lack.message() == """
                error: decompress needs recorded-depth, and this capture has none
                  --> stage decompress
                   = scan.depth.zlib is missing
                   = fix: use a pipeline without decompress for captures like this one, or see  scanmill inspect
                """)
        #expect(lack.fault == .input && lack.isOfPipeline && lack.isUnsuited)
        // What was only not copied is no reason to want less.
        capture.absences[.recordedDepth]?.remedy = "copy scan.depth.zlib too"
        let loss = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        #expect(loss.fix == "copy scan.depth.zlib too" && !loss.isOfPipeline && !loss.isUnsuited)
    }

    /// A better copy alone would only lead to the other lack.
    @Test func whatNoCopyMendsComesFirst() throws {
        let near = Mock.frame("near", .init(needs: [.color], makes: [.luma]))
        let far = Mock.frame("far", .init(needs: [.luma, .pose]))
        let steps = try Self.steps(["give", "near", "far"], of: [.reader("give", [.color, .pose]), near, far])
        var capture = Capture.mock(3)
        capture.channels = [.frames]
        capture.absences = [.color: Absence("images/ is missing", remedy: "copy images/ too")]
        let lack = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        #expect(lack.summary == "far needs pose, and this capture has none" && lack.isOfPipeline)
        #expect(lack.notes == ["besides, near needs color, and this capture has none: copy images/ too"])
        // What only follows from it is no other lack.
        capture.channels.insert(.pose)
        #expect(CaptureCheck.firstLack(of: capture, in: steps)?.fix == "copy images/ too")
    }

    /// One way to the device is enough for all of it.
    @Test func allThatAnotherCopyHasIsNamed() throws {
        let reader = Mock.reader("give", [.color, .luma, .recordedDepth, .pose])
        let demanding = [("near", Channel.color), ("same", .luma), ("far", .recordedDepth), ("last", .pose)]
            .map { name, channel in Mock.frame(name, .init(needs: [channel])) }
        var capture = Capture.mock(3)
        capture.channels = [.frames, .pose]
        let pictures = Absence("images/ is missing", remedy: "copy images/ too")
        capture.absences = [
            .color: pictures, .luma: pictures, .recordedDepth: Absence("depth/ is missing", remedy: "copy depth/ too"),
        ]
        let steps = try Self.steps(["give", "near", "same", "far", "last"], of: [reader] + demanding)
        let lack = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        let besides = "besides, far needs recorded-depth, and this capture has none: copy depth/ too"
        #expect(lack.fix == "copy images/ too" && lack.besides == ["copy depth/ too"] && !lack.isOfPipeline)
        #expect(lack.notes == ["images/ is missing", besides])
        // With another pipeline, they would still be missing.
        capture.channels.remove(.pose)
        let worst = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        #expect(worst.summary == "last needs pose, and this capture has none" && worst.isOfPipeline)
        #expect(!worst.isUnsuited)
        #expect(worst.besides == ["copy images/ too", "copy depth/ too"])
        #expect(worst.notes == ["besides, near needs color, and this capture has none: copy images/ too", besides])
    }

    /// Depth that is missing takes with it what is made of it, and not what is made of another file that is missing.
    @Test func whatIsMadeOfTwoMissingFilesLacksBoth() throws {
        let unpack = Mock.frame(
            "unpack",
            .init(
                needs: [.recordedDepth], makes: [.depth],
                derives: [(made: .confidence, from: .recordedConfidence)]))
        let stages = [
            Mock.reader("give", [.recordedDepth, .recordedConfidence]), unpack,
            .frame("cut", .init(needs: [.depth])), .frame("mask", .init(needs: [.confidence])),
        ]
        let steps = try Self.steps(["give", "unpack", "cut", "mask"], of: stages)
        var capture = Capture.mock(3)
        capture.channels = [.frames]
        capture.absences = [
            .recordedDepth: Absence("depth/ is missing", remedy: "copy depth/ too"),
            .recordedConfidence: Absence("conf/ is missing", remedy: "copy conf/ too"),
        ]
        let lack = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        #expect(lack.fix == "copy depth/ too" && lack.besides == ["copy conf/ too"], "\(lack)")
        // Where the app records none, it is no matter of the copy.
        capture.absences[.recordedConfidence] = Absence("the app records none")
        #expect(CaptureCheck.firstLack(of: capture, in: steps)?.besides == [])
    }

    /// It may ask for what the pipeline has already.
    @Test func aSettingComesBeforeAnAdvice() throws {
        let demanding = Mock.frame("demanding", .init(needs: [.pose]))
            .doing(without: .pose, by: "centre", set: "origin", not: "cameras")
        let steps = try Self.steps(["give", "demanding"], of: [.reader("give", [.pose]), demanding])
        var capture = Capture.mock(3)
        capture.channels = [.frames]
        capture.absences = [.pose: Absence("points have no cameras", advice: "begin with another reader")]
        #expect(
            CaptureCheck.firstLack(of: capture, in: steps)?.fix
                == "do without `centre: cameras` with  --set demanding.centre=origin")
    }

    @Test func aGroupsAdviceIsFoundInWhateverOrderItIsNamed() throws {
        var odd = Mock.frame("odd", .init(anyOf: [[.cloud, .points]])).adapting { options, uses in
            if options.flag("plain", "Without points.", default: false) { uses.frame.anyOf = [] }
        }
        odd.uses.instead = [[.points, .cloud]: [.option("plain", set: "true", not: "false")]]
        let steps = try Self.steps(["give", "odd"], of: [.reader("give", [.points]), odd])
        var capture = Capture.mock(3)
        capture.channels = [.frames]
        #expect(
            CaptureCheck.firstLack(of: capture, in: steps)?.fix
                == "do without `plain: false` with  --set odd.plain=true")
    }

    /// A lens that nobody undoes is no loss either.
    @Test func aLensThatIsNotUndoneLacksAStage() throws {
        let demanding = Mock.frame("demanding", .init(needs: [.intrinsics]))
        let steps = try Self.steps(["give", "demanding"], of: [Mock.reader("give", [.intrinsics]), demanding])
        var capture = Capture.mock(3)
        capture.channels = [.frames, .lens]
        capture.absences = [.intrinsics: Absence("the lens distorts", remedy: "undistort the pictures")]
        let lack = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        #expect(lack.fix == "undistort the pictures" && lack.isOfPipeline && !lack.isUnsuited)
    }

    /// Each is a matter of its own: mended one by one, every night would end at the next.
    @Test func allNeedsAreMendedAtOnce() throws {
        let demanding = Mock.frame("demanding", .init(needs: [.intrinsics, .timestamp]))
        let stages = [Mock.reader("give", [.intrinsics, .timestamp]), demanding]
        let steps = try Self.steps(["give", "demanding"], of: stages)
        var capture = Capture.mock(3)
        capture.channels = [.frames, .lens]
        capture.absences = [
            .intrinsics: Absence("the lens distorts", remedy: "undistort the pictures"),
            .timestamp: Absence("models have no times", advice: "give the frame rate"),
        ]
        let lack = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        #expect(lack.allFixes == "undistort the pictures; give the frame rate")
        #expect(lack.notes == ["the lens distorts", "besides, models have no times: give the frame rate"])
        // One cause of two lacks is named once.
        capture.channels = [.frames]
        capture.absences[.timestamp] = capture.absences[.intrinsics]
        let one = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        #expect(one.allFixes == "undistort the pictures" && one.notes == ["the lens distorts"])
    }

    /// Where an option makes the need, the option is what to change.
    @Test func aNeedThatAnOptionMakes() throws {
        var masker = Mock.frame("masker", .init(needs: [.color, .box, .depth])).adapting { options, uses in
            let masks = options.text("masks", "Which.", default: "depth")
            let isFar = options.flag("far", "Far ones too.", default: true)
            if masks == "none" { uses.frame.needs = [.color] + (isFar ? [.depth] : []) }
        }
        let noMasks = Uses.Instead.option("masks", set: "none", not: "depth")
        masker.uses.instead = [[.box]: [noMasks], [.depth]: [.option("far", set: "false", not: "true"), noMasks]]
        let steps = try Self.steps(["give", "masker"], of: [.reader("give", [.color, .box, .depth]), masker])
        var capture = Capture.mock(3)
        capture.channels = [.frames, .color]
        #expect(
            CaptureCheck.firstLack(of: capture, in: steps)?.fix
                == "do without `masks: depth` and `far: true` with  --set masker.masks=none --set masker.far=false")
        capture.channels = [.frames, .color, .depth]
        #expect(
            CaptureCheck.firstLack(of: capture, in: steps)?.fix
                == "do without `masks: depth` with  --set masker.masks=none")
        // Set for the first alone, the second would fail.
        let reader = Mock.reader("give", [.color, .box, .depth])
        let both = try Self.steps(["give", "masker", "masker"], of: [reader, masker])
        #expect(
            CaptureCheck.firstLack(of: capture, in: both)?.fix
                == "do without `masks: depth` with  --set 'masker[1].masks=none' --set 'masker[2].masks=none'")
        // No option does without pictures.
        capture.channels = [.frames, .depth]
        #expect(CaptureCheck.firstLack(of: capture, in: steps)?.fix?.hasPrefix("use a pipeline without masker") == true)
    }

    /// One that drops by the box where there is one, and one that goes by confidence where it is recorded.
    private static let lenient = [
        Mock.frame("view", .init(needs: [.box])).doing(without: .box, by: "if-missing", set: "pass", not: "fail"),
        Mock.frame("trust", .init(needs: [.confidence]))
            .doing(without: .confidence, by: "if-missing", set: "pass", not: "fail"),
    ]

    private static func lack(_ names: [String], with more: [Mock], _ channels: Set<Channel>) throws -> Problem {
        var reader = Mock.reader("give", [.box, .confidence, .recordedDepth, .pose, .timestamp])
        reader.uses.instead = [[.timestamp]: [.words("give the frame rate")]]
        var capture = Capture.mock(3)
        capture.channels = channels
        let steps = try Self.steps(["give"] + names, of: [reader] + lenient + more)
        return try #require(CaptureCheck.firstLack(of: capture, in: steps))
    }

    /// Set for what the first lacks, the capture would fail for the second.
    @Test func aSettingThatOnlyLeadsToADeadEndIsNotProposed() throws {
        let unpack = Mock.frame("unpack", .init(needs: [.recordedDepth]))
        let depthless = try Self.lack(["view", "unpack"], with: [unpack], [.frames])
        #expect(depthless.summary == "unpack needs recorded-depth, and this capture has none")
        #expect(depthless.notes == [] && depthless.besides == [] && depthless.isUnsuited)
        // It lacks the same, and has no option.
        let cull = Mock.frame("cull", .init(needs: [.box]))
        let boxless = try Self.lack(["view", "cull"], with: [cull], [.frames])
        #expect(boxless.summary == "cull needs box, and this capture has none")
        #expect(boxless.fix == "use a pipeline without cull for captures like this one, or see  scanmill inspect")
    }

    /// One after the other, each would be met on another night.
    @Test func allThatHasToBeSetIsNamedTogether() throws {
        let both = try Self.lack(["trust", "view"], with: [], [.frames])
        #expect(both.summary == "trust needs confidence, and this capture has none" && both.isUnsuited)
        #expect(both.notes == ["besides, view needs box, and this capture has none"] && both.besides == [])
        #expect(
            both.fix == "do without `if-missing: fail` with  --set trust.if-missing=pass --set view.if-missing=pass")
        // What the reader can be told is no setting of the stage's.
        let clock = Mock.frame("clock", .init(needs: [.timestamp]))
        let timeless = try Self.lack(["view", "clock"], with: [clock], [.frames])
        #expect(timeless.fix == "do without `if-missing: fail` with  --set view.if-missing=pass")
        #expect(timeless.besides == ["give the frame rate"] && timeless.isUnsuited)
    }

    /// With another value, the option may need something else.
    @Test func aSettingIsTriedBeforeItIsProposed() throws {
        var scatter = Mock.frame("scatter").adapting { options, uses in
            let isInBox = options.text("within", "Where.", default: "box") == "box"
            uses.frame.needs = isInBox ? [.box] : [.pose]
        }
        scatter.uses.instead = [[.box]: [.option("within", set: "cameras", not: "box")]]
        let posed = try Self.lack(["scatter"], with: [scatter], [.frames, .pose])
        #expect(posed.fix == "do without `within: box` with  --set scatter.within=cameras")
        let plain = try Self.lack(["scatter"], with: [scatter], [.frames])
        #expect(plain.summary == "scatter needs box, and this capture has none")
        #expect(plain.fix == "use a pipeline without scatter for captures like this one, or see  scanmill inspect")
        // What only shows with the first setting is set too.
        scatter.uses.instead[[.pose]] = [.option("at", set: "origin", not: "poses")]
        scatter = scatter.adapting { options, uses in
            let isInBox = options.text("within", "Where.", default: "box") == "box"
            let goesByPoses = options.text("at", "By what.", default: "poses") == "poses"
            uses.frame.needs = isInBox ? [.box] : goesByPoses ? [.pose] : []
        }
        let chain = try Self.lack(["scatter"], with: [scatter], [.frames])
        let settings = "--set scatter.within=cameras --set scatter.at=origin"
        #expect(chain.fix == "do without `within: box` and `at: poses` with  \(settings)")
    }

    /// A channel that is derived is missing because of what it would have been derived from.
    @Test func whatALackComesFrom() throws {
        let confident = Mock.frame("confident", .init(needs: [.confidence], changes: [.depth]))
        let steps = try Self.steps(
            ["read", "decompress", "confident", "unproject", "write-ply"], of: OrderCheckTests.usual + [confident])
        var capture = Capture.mock(3)
        capture.channels = [.frames, .recordedDepth]
        capture.absences = [.recordedConfidence: "this recorder has no confidence"]
        let lack = try #require(CaptureCheck.firstLack(of: capture, in: steps))
        #expect(lack.summary == "confident needs confidence, and this capture has none")
        #expect(lack.notes == ["this recorder has no confidence"])
        capture.channels.insert(.recordedConfidence)
        #expect(CaptureCheck.firstLack(of: capture, in: steps) == nil)
    }

    /// Whether it was made is seen in the run, and said by the stage that needs it.
    @Test func whatMayBeMadeIsLeftToTheRun() throws {
        let perhaps = Mock.frame("perhaps", .init(mayMake: [.box]))
        let boxed = Mock.frame("boxed", .init(anyOf: [[.box, .cloud]]))
        let capture = Capture.mock(3)
        let steps = try Self.steps(["read", "perhaps", "boxed"], of: OrderCheckTests.usual + [perhaps, boxed])
        #expect(CaptureCheck.firstLack(of: capture, in: steps) == nil)
        // A reader has already done what it could.
        let bare = try Self.steps(["read", "boxed"], of: OrderCheckTests.usual + [perhaps, boxed])
        #expect(
            CaptureCheck.firstLack(of: capture, in: bare)?.summary
                == "boxed needs box or cloud, and this capture has none")
    }

    @Test func theFirstOfAGroupThatIsThereCounts() throws {
        let cull = Mock.frame("cull", .init(wants: [.points], changes: [.points]))
            .finishing(.init(anyOf: [[.cloud, .points]], wants: [.cloud], changes: [.cloud]))
        let mocks = OrderCheckTests.usual + [cull]
        let withCloud = CaptureCheck.decide(
            try Self.steps(["read", "decompress", "unproject", "sum", "cull", "write-ply"], of: mocks),
            for: [.frames, .recordedDepth])
        #expect(withCloud[4].uses.reads == [.cloud])
        #expect(withCloud[4].uses.frame.changes.isEmpty)
        let withPoints = CaptureCheck.decide(
            try Self.steps(["read", "decompress", "unproject", "cull", "write-ply"], of: mocks),
            for: [.frames, .recordedDepth])
        #expect(withPoints[3].uses.reads == [.points])
        #expect(withPoints[3].uses.finish.changes.isEmpty)
        #expect(withPoints[3].uses.frame.changes == [.points])
    }

    @Test func preferredChannelsNeedNotBeThere() throws {
        let writer = Mock.fold("writer", .init(prefers: [[.cloud, .points]]), claims: ["a"])
        let mocks = OrderCheckTests.usual + [writer]
        let none = CaptureCheck.decide(try Self.steps(["read", "writer"], of: mocks), for: [.frames])
        #expect(none[1].uses.reads.isEmpty)
        let points = CaptureCheck.decide(
            try Self.steps(["read", "decompress", "unproject", "writer"], of: mocks), for: [.frames, .recordedDepth])
        #expect(points[3].uses.reads == [.points])
    }

    /// What one group gives up another may have chosen.
    @Test func groupsThatOverlap() throws {
        let picky = Mock.frame("picky", .init(anyOf: [[.color, .luma], [.luma, .depth]]))
        let steps = try Self.steps(
            ["read", "decompress", "picky"],
            of: [.reader("read", [.color, .luma, .recordedDepth]), .decompress, picky])
        #expect(CaptureCheck.decide(steps, for: [.frames, .color, .luma])[2].uses.reads == [.color, .luma])
        #expect(CaptureCheck.decide(steps, for: [.frames, .color, .recordedDepth])[2].uses.reads == [.color, .depth])
        #expect(CaptureCheck.decide(steps, for: [.frames, .luma])[2].uses.reads == [.luma])
    }

    @Test func aGroupMayChooseWhatTheStageItselfMakes() throws {
        let own = Mock.fold("own", .init(needs: [.points], makes: [.cloud])).finishing(.init(anyOf: [[.cloud, .box]]))
        let steps = try Self.steps(["read", "decompress", "unproject", "own"], of: OrderCheckTests.usual + [own])
        #expect(CaptureCheck.decide(steps, for: [.frames, .recordedDepth, .box])[3].uses.finish.reads == [.cloud])
    }
}
