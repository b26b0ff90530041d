import ScanModel
import ScanPipeline
import Testing

@Suite struct PassPlanTests {
    /// The passes of a list of stages: `steps (replayed) < what the source gives`.
    private static func passes(
        _ mocks: [Mock], deciding channels: Set<Channel>? = nil, holding mostHeld: Int = 0
    ) throws -> [String] {
        var steps = try Pipeline.of(mocks).steps
        if let channels { steps = CaptureCheck.decide(steps, for: channels) }
        var passes: [String] = []
        var next = 0
        while next < steps.count {
            let plan = PassPlan.next(from: next, of: steps) { index in
                ((steps[index].stage as? any NeighbourStage)?.mostNeighbours(among: [])).map { $0 <= mostHeld } ?? false
            }
            func names(_ indices: some Sequence<Int>) -> String {
                indices.map { steps[$0].label }.joined(separator: " ")
            }
            var text = names(plan.steps)
            if !plan.replayed.isEmpty { text += " (\(names(plan.replayed)))" }
            text +=
                plan.walksFrames ? " < " + plan.sourceChannels.map(\.name).sorted().joined(separator: " ") : " no walk"
            passes.append(text)
            try #require(plan.steps.lowerBound == next && plan.steps.upperBound > next)
            next = plan.steps.upperBound
        }
        return passes
    }

    private static let read = Mock.reader("read", [.recordedDepth, .recordedConfidence, .color, .luma, .pose, .box])
    private static let ply = Mock.writer("write-ply", to: "a.ply")
    private static let json = Mock.writer("write-json", to: "a.json")
    private static let transforms = Mock.frame("write-transforms", .init(needs: [.color, .pose]), claims: ["nerf/"])
        .folding().finishing()
    private static let blur = Mock.frame("blur", .init(needs: [.color], makes: [.sharpness])).finishing(
        .init(drops: true))
    private static let sharp = Mock.frame("sharp", .init(needs: [.color], makes: [.sharpness], drops: true))
    private static let maskConfidence = Mock.frame("mask-confidence", .init(needs: [.confidence], changes: [.depth]))
    private static let maskJumps = Mock.frame("mask-jumps", .init(wants: [.previousDepth], changes: [.depth]))

    // MARK: - Where passes end

    @Test func theReaderIsAPassOfItsOwn() throws {
        #expect(try Self.passes([Self.read]) == ["read no walk"])
        #expect(
            try Self.passes([Self.read, .decompress, .unproject, Self.ply]) == [
                "read no walk", "decompress unproject write-ply < recorded-depth",
            ])
    }

    @Test func threeWritersAreOnePass() throws {
        #expect(
            try Self.passes([Self.read, .decompress, .unproject, Self.ply, Self.json, Self.transforms]) == [
                "read no walk", "decompress unproject write-ply write-json write-transforms < color recorded-depth",
            ])
    }

    /// Depth and confidence that were unpacked above a turn are those of the pictures as they were.
    @Test func aFinishThatChangesPixelsOutdatesWhatWasMadeOfThem() throws {
        let turn = Mock.frame("turn", .init()).finishing(
            .init(wants: [.recordedDepth, .recordedConfidence], changes: [.recordedDepth, .recordedConfidence]))
        let writeDepth = Mock.writer("write-depth", to: "depth.bin", reading: [.depth])
        let writePoses = Mock.writer("write-poses", to: "poses.txt", reading: [.pose])
        #expect(
            try Self.passes([Self.read, .decompress, turn, writeDepth]) == [
                "read no walk", "decompress turn < recorded-depth", "write-depth (decompress) < recorded-depth",
            ])
        // What is made of what was made is, too.
        #expect(
            try Self.passes([Self.read, .decompress, .unproject, turn, Self.ply]).last
                == "write-ply (decompress unproject) < recorded-depth")
        // In a later pass it would be made again, from the pixels as they were when that begins.
        #expect(
            try Self.passes([Self.read, .decompress, Self.blur, turn, writeDepth]).suffix(2).first?.hasPrefix("turn")
                == true)
        // What has nothing to do with them goes on.
        #expect(try Self.passes([Self.read, .decompress, turn, writePoses]).count == 2)
    }

    /// Whoever asks for them below, and whatever stands in between.
    @Test func aChangeOfPosesOutdatesPoints() throws {
        let unproject = Mock.frame("unproject", .init(needs: [.depth, .pose], makes: [.points]))
        let drift = Mock.fold("drift", .init(needs: [.depth], changes: [.pose]))
        let align = Mock.finish("align", .init(changes: [.pose]))
        for change in [drift, align] {
            #expect(
                try Self.passes([Self.read, .decompress, unproject, change, Self.ply]) == [
                    "read no walk", "decompress unproject \(change.name) < recorded-depth",
                    "write-ply (decompress unproject) < recorded-depth",
                ])
            // What was gathered of them stays, and depth is of no pose.
            let cloudWriter = Mock.finish("write-cloud", .init(needs: [.cloud]), claims: ["c"])
            #expect(try Self.passes([Self.read, .decompress, unproject, .sum, change, cloudWriter]).count == 2)
            let writeDepth = Mock.writer("write-depth", to: "depth.bin", reading: [.depth])
            #expect(try Self.passes([Self.read, .decompress, unproject, change, writeDepth]).count == 2)
        }
        // Intrinsics follow the size of the pictures, and no point moves.
        let read = Mock.reader("read", [.recordedDepth, .intrinsics])
        let project = Mock.frame("project", .init(needs: [.depth, .intrinsics], makes: [.points]))
        let shrink = Mock.finish("shrink", .init(changes: [.intrinsics]))
        #expect(try Self.passes([read, .decompress, project, shrink, Self.ply]).count == 2)
    }

    @Test func aFinishThatDropsEndsThePass() throws {
        #expect(
            try Self.passes([Self.read, .every(2), Self.blur, .decompress, .unproject, Self.ply]) == [
                "read no walk", "every no walk", "blur < color", "decompress unproject write-ply < recorded-depth",
            ])
    }

    @Test func aFrameThatDropsDoesNot() throws {
        #expect(
            try Self.passes([Self.read, Self.sharp, .decompress, .unproject, Self.ply]) == [
                "read no walk", "sharp decompress unproject write-ply < color recorded-depth",
            ])
    }

    /// Whoever asks which frames there are, before the first of them, has to know which ones are left.
    @Test func aFrameThatDropsDoesForWhoeverCountsFrames() throws {
        let names = Mock.frame("names", .init(needs: [.frames, .color]))
        #expect(
            try Self.passes([Self.read, Self.sharp, names]) == ["read no walk", "sharp < color", "names < color"])
        #expect(try Self.passes([Self.read, names, Self.sharp]) == ["read no walk", "names sharp < color"])
    }

    /// What a capture's own choice has made needless is not made again for it.
    @Test func whoHasACloudAsksForNoPoints() throws {
        let merge = Mock.frame("merge", .init(needs: [.points])).folding(
            .init(anyOf: [[.cloud, .points]], makes: [.cloud]))
        let list = [Self.read, .decompress, .unproject, merge, Self.blur, merge]
        #expect(
            try Self.passes(list, deciding: [.frames, .recordedDepth, .color, .pose, .intrinsics]) == [
                "read no walk", "decompress unproject merge[1] blur < color recorded-depth", "merge[2] < ",
            ])
    }

    @Test func fewNeighboursWaitForEachOtherInTheMidstOfAPass() throws {
        let window = Self.blur.choosing(among: 5)
        let list = [Self.read, window, .decompress, .unproject, Self.ply]
        let apart = ["read no walk", "window < color", "decompress unproject write-ply < recorded-depth"]
        let names = { (passes: [String]) in passes.map { $0.replacing("blur", with: "window") } }
        #expect(names(try Self.passes(list, holding: 4)) == apart)
        #expect(
            names(try Self.passes(list, holding: 5)) == [
                "read no walk", "window decompress unproject write-ply < color recorded-depth",
            ])
        // What has still to look at all frames goes before.
        let measure = Mock.finish("measure", .init(needs: [.frames]))
        #expect(
            names(try Self.passes([Self.read, measure, window, .decompress, .unproject, Self.ply], holding: 5)) == [
                "read no walk", "measure no walk", "window decompress unproject write-ply < color recorded-depth",
            ])
        // And so does what gathers frames, or looks at the capture as a whole, whatever it says that it needs.
        #expect(
            names(try Self.passes([Self.read, .decompress, .unproject, Self.ply, window, Self.json], holding: 5)) == [
                "read no walk", "decompress unproject write-ply < recorded-depth",
                "window write-json (decompress unproject) < color recorded-depth",
            ])
        // Who wants to know before its first frame which ones will be left comes behind.
        let sheet = Mock.fold("sheet", .init(wants: [.color]), claims: ["sheet.jpg"])
        var informed = sheet
        informed.uses.frame.needs = [.frames]
        #expect(
            names(try Self.passes([Self.read, window, sheet], holding: 5)) == ["read no walk", "window sheet < color"])
        #expect(
            names(try Self.passes([Self.read, window, informed], holding: 5)) == [
                "read no walk", "window < color", "sheet < color",
            ])
    }

    @Test func aFinishThatMakesWhatALaterFrameReadsEndsThePass() throws {
        let fitBox = Mock.finish("fit-box", .init(makes: [.box]))
        let cull = Mock.frame("cull", .init(needs: [.box], changes: [.points]))
        #expect(
            try Self.passes([Self.read, .decompress, .unproject, fitBox, cull, Self.ply]) == [
                "read no walk", "decompress unproject fit-box < recorded-depth",
                "cull write-ply (decompress unproject) < recorded-depth",
            ])
    }

    @Test func whatOnlyALaterFinishReadsDoesNot() throws {
        let cloudWriter = Mock.finish("write-cloud", .init(needs: [.cloud]), claims: ["c"])
        #expect(
            try Self.passes([Self.read, .decompress, .unproject, .sum, cloudWriter, Self.transforms]) == [
                "read no walk", "decompress unproject sum write-cloud write-transforms < color recorded-depth",
            ])
    }

    /// The end of a writer's fold sees the cloud that the end of a fold above it made.
    @Test func whatOnlyTheEndOfALaterFoldReadsDoesNot() throws {
        let cloudWriter = Mock.fold("write-cloud", .init(anyOf: [[.cloud, .points]]), claims: ["c"])
        let trim = Mock.finish("trim", .init(changes: [.cloud]))
        #expect(
            try Self.passes(
                [Self.read, .decompress, .unproject, .sum, trim, cloudWriter, Self.transforms],
                deciding: [.frames, .recordedDepth]) == [
                    "read no walk", "decompress unproject sum trim write-cloud write-transforms < color recorded-depth",
                ])
        var list = Mock.fold("show-list", .init(needs: [.frames]), claims: ["list"])
        list.bindsFrames = false
        #expect(try Self.passes([Self.read, list, Self.sharp]) == ["read no walk", "show-list < ", "sharp < color"])
    }

    @Test func aFoldThatMakesWhatALaterFrameReadsEndsThePass() throws {
        let paint = Mock.frame("paint", .init(needs: [.cloud, .color]))
        #expect(
            try Self.passes([Self.read, .decompress, .unproject, .sum, paint]) == [
                "read no walk", "decompress unproject sum < recorded-depth", "paint < color",
            ])
    }

    /// A finish that only changes a channel is no different from one that makes it.
    @Test func aFinishThatChangesWhatALaterFrameReadsEndsThePass() throws {
        let align = Mock.finish("align", .init(changes: [.pose]))
        let tidy = Mock.finish("tidy", .init(changes: [.cloud]))
        let paint = Mock.frame("paint", .init(needs: [.cloud, .color]))
        #expect(
            try Self.passes([Self.read, align, Self.transforms]) == [
                "read no walk", "align no walk", "write-transforms < color",
            ])
        #expect(
            try Self.passes([Self.read, .decompress, .unproject, .sum, .every(2), tidy, paint]).suffix(2) == [
                "tidy no walk", "paint < color",
            ])
    }

    /// A finish runs behind the pass; a stage below it that drops frames or changes facts must not be in that pass.
    @Test func aFinishSeesTheFramesAsTheyWereInItsPlace() throws {
        let list = Mock.finish("write-list", .init(needs: [.frames], wants: [.pose]), claims: ["list"])
        let turn = Mock.frame("turn", .init(changes: [.pose]))
        #expect(
            try Self.passes([Self.read, list, Self.sharp]) == ["read no walk", "write-list no walk", "sharp < color"])
        #expect(try Self.passes([Self.read, list, turn]) == ["read no walk", "write-list no walk", "turn < "])
        #expect(
            try Self.passes([Self.read, list, .decompress, .unproject, Self.ply]) == [
                "read no walk", "write-list decompress unproject write-ply < recorded-depth",
            ])
    }

    @Test func withoutFrameRolesThereIsNoWalk() throws {
        let info = Mock.finish("info", .init(needs: [.frames]))
        #expect(
            try Self.passes([Self.read, info, .every(2), info]) == [
                "read no walk", "info[1] every no walk", "info[2] no walk",
            ])
    }

    // MARK: - Replays

    /// Never unmasked depth where a mask stood before.
    @Test func aReplayIncludesEveryMask() throws {
        #expect(
            try Self.passes([
                Self.read, .decompress, .mask, Self.maskConfidence, .unproject, .sum, .every(2), .mask, .unproject,
                Self.ply,
            ])
                == [
                    "read no walk",
                    "decompress mask[1] mask-confidence unproject[1] sum every < recorded-confidence recorded-depth",
                    "mask[2] unproject[2] write-ply (decompress mask[1] mask-confidence) < recorded-confidence recorded-depth",
                ])
    }

    @Test func aReplayLeavesOutWhatIsNotNeeded() throws {
        let depthWriter = Mock.writer("write-depth", to: "d", reading: [.depth])
        #expect(
            try Self.passes([Self.read, Self.sharp, .decompress, .mask, .unproject, .every(2), depthWriter]) == [
                "read no walk", "sharp decompress mask unproject every < color recorded-depth",
                "write-depth (decompress mask) < recorded-depth",
            ])
        #expect(
            try Self.passes([Self.read, .decompress, .mask, .every(2), Self.transforms]).last
                == "write-transforms < color")
    }

    /// What changed a channel after the one that made it anew does not count.
    @Test func aReplayBeginsWithTheLastMaker() throws {
        let fill = Mock.frame("fill", .init(needs: [.color], makes: [.depth]))
        let depthWriter = Mock.writer("write-depth", to: "d", reading: [.depth])
        #expect(
            try Self.passes([Self.read, .decompress, .mask, fill, .every(2), depthWriter]).last
                == "write-depth (fill) < color")
    }

    @Test func foldsAreNotReplayed() throws {
        #expect(
            try Self.passes([Self.read, .decompress, .unproject, .sum, .every(2), Self.ply]).last
                == "write-ply (decompress unproject) < recorded-depth")
    }

    @Test func whatAStageMakesForItsOwnFoldIsNotAskedForBefore() throws {
        let own = Mock.frame("own", .init(needs: [.color], makes: [.points])).folding(.init(needs: [.points]))
        #expect(
            try Self.passes([Self.read, .decompress, .unproject, .every(2), own]).last == "own < color")
    }

    // MARK: - The source

    @Test func theFrameBeforeReachesTheSource() throws {
        #expect(
            try Self.passes([Self.read, .decompress, .mask, Self.maskJumps, .unproject, Self.ply]).last
                == "decompress mask mask-jumps unproject write-ply < previous-depth recorded-depth")
        #expect(
            try Self.passes([Self.read, .decompress, Self.maskJumps, .every(2), .unproject, Self.ply]).last
                == "unproject write-ply (decompress mask-jumps) < previous-depth recorded-depth")
    }

    @Test func aStreamFromWhichNothingWantedIsDerivedStaysClosed() throws {
        #expect(
            try Self.passes([Self.read, .decompress, Self.maskConfidence, .unproject, Self.ply]).last
                == "decompress mask-confidence unproject write-ply < recorded-confidence recorded-depth")
        #expect(try Self.passes([Self.read, .decompress, .unproject, Self.ply]).last?.contains("confidence") == false)
    }

    @Test func factsAreNotAskedOfTheSource() throws {
        let pick = Mock.frame("pick", .init(needs: [.pose, .box], drops: true))
        #expect(try Self.passes([Self.read, pick]).last == "pick < ")
    }

    @Test func choicesAreDecidedFirst() throws {
        let blur = Mock.frame("any-blur", .init(anyOf: [[.luma, .color]], drops: true))
        #expect(try Self.passes([Self.read, blur], deciding: [.frames, .luma, .color]).last == "any-blur < luma")
        #expect(try Self.passes([Self.read, blur], deciding: [.frames, .color]).last == "any-blur < color")
    }
}
