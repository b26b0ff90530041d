import ScanModel
import ScanPipeline
import Testing

/// Steps whose work goes unused: warnings, not mistakes.
@Suite struct WasteCheckTests {
    private static let usual = OrderCheckTests.usual

    private static func check(
        _ names: [String], of mocks: [Mock] = usual
    ) -> (mistakes: [String], warnings: [String]) {
        OrderCheckTests.check(names, of: mocks)
    }

    @Test func workThatNothingUses() {
        #expect(
            Self.check(["read", "decompress", "unproject", "write-ply", "unproject"]).warnings == [
                "4: `unproject[2]` works on points, which no stage below it uses; take it out, or move it above `write-ply`"
            ])
        #expect(
            Self.check(["read", "decompress"]).warnings == [
                "1: `decompress` works on confidence, depth and previous-depth, which no stage below it uses;"
                    + " take it out, or add a writer below it"
            ])
    }

    /// A cloud that a stage has made goes before the points of frames.
    @Test func pointsBesideACloudThatIsTaken() throws {
        let export = Uses.Role(anyOf: [[.cloud, .points]])
        let mocks: [Mock] = [
            .reader(), .decompress, .unproject, .fold("spread", .init(makes: [.cloud])),
            .fold("export", export, claims: ["a.ply"]), .fold("export-again", export, claims: ["b.ply"]),
        ]
        let vain = Self.check(["read", "decompress", "unproject", "spread", "export"], of: mocks)
        #expect(vain.mistakes == [])
        let first = try #require(vain.warnings.last)
        #expect(
            first.hasPrefix("2: `unproject` works on points, which no stage below it uses; take it out"), "\(first)")
        let both = ["read", "decompress", "unproject", "export", "spread", "export-again"]
        let used = Self.check(both, of: mocks)
        #expect(used.mistakes == [] && used.warnings == [])
    }

    /// A writer that takes what a reader may have brought along does not miss the stage that was forgotten.
    @Test func theStageBetweenThatWasForgotten() {
        let mocks: [Mock] = [
            .reader("read", [.recordedDepth, .recordedConfidence, .pose, .cloud]), .decompress, .unproject,
            .fold("write-ply", .init(anyOf: [[.cloud, .points]]), claims: ["a.ply"]),
        ]
        #expect(
            Self.check(["read", "decompress", "write-ply"], of: mocks).warnings == [
                "1: `decompress` works on confidence, depth and previous-depth, which no stage below it uses; take it out,"
                    + " or put `unproject` below it, which makes from it what `write-ply` writes"
            ])
        #expect(Self.check(["read", "decompress", "unproject", "write-ply"], of: mocks).warnings == [])
    }

    /// Two of them, and for a stage that is no writer.
    @Test func twoStagesBetweenThatWereForgotten() {
        let draw = Mock.frame("draw", .init()).finishing(.init(needs: [.cloud]))
        let mocks: [Mock] = [
            .reader("read", [.recordedDepth, .recordedConfidence, .pose, .cloud]), .decompress, .unproject, .sum, draw,
        ]
        #expect(
            Self.check(["read", "decompress", "draw"], of: mocks).warnings.first
                == "1: `decompress` works on confidence, depth and previous-depth, which no stage below it uses; take it out,"
                + " or put `unproject` and `sum` below it, which make from it what `draw` works on")
    }

    /// What a stage makes anew is not what the stages above have made of it.
    @Test func workThatAStageBelowUndoes() {
        #expect(
            Self.check(["read", "decompress", "mask", "decompress", "unproject", "write-ply"]).warnings == [
                "1: `decompress[1]` works on confidence, depth and previous-depth, which below it only `mask` uses, in"
                    + " vain; take it out with `mask`",
                "2: `mask` works on depth, which `decompress[2]` below it makes again; take one of them out, or move"
                    + " `mask` below `decompress[2]`",
            ])
        let cull = Mock.frame("cull", .init(changes: [.points]))
        #expect(
            Self.check(["read", "decompress", "unproject", "cull", "unproject", "write-ply"], of: Self.usual + [cull])
                .warnings.last
                == "3: `cull` works on points, which `unproject[2]` below it makes again; take one of them out, or move"
                + " `cull` below `unproject[2]`")
    }

    /// Points of single frames are made again by poses that a stage below them has corrected.
    @Test func posesThatAreCorrectedBelowThePoints() throws {
        let unproject = Mock.frame("unproject", .init(needs: [.depth, .pose], makes: [.points]))
        let correct = Mock.finish("correct", .init(changes: [.pose]))
        let mocks: [Mock] = [
            .reader(), .decompress, unproject, correct, .sum, .fold("write", .init(needs: [.cloud]), claims: ["a.ply"]),
        ]
        #expect(
            Self.check(["read", "decompress", "unproject", "correct", "sum", "write"], of: mocks).warnings == [])
        // What was gathered of them is not.
        let late = Self.check(["read", "decompress", "unproject", "sum", "correct", "write"], of: mocks).warnings
        #expect(try #require(late.first).hasPrefix("2: `unproject` above it has made") || late.count == 2, "\(late)")
        // Nor is what has nothing to do with poses.
        let mask = Self.check(["read", "decompress", "correct", "write"], of: mocks + [.mask])
        #expect(mask.mistakes.count == 1)
    }

    /// What a stage makes, and one below it takes away before anybody has looked at it.
    @Test func workThatAStageBelowRemoves() {
        let scatter = Mock.finish("scatter", .init(makes: [.cloud]))
        let unproject = Mock.frame("unproject", .init(needs: [.depth], makes: [.points], removes: [.cloud]))
        let merge = Mock.fold("merge", .init(prefers: [[.cloud, .points]], makes: [.cloud]))
        let mocks: [Mock] = [
            .reader(), .decompress, scatter, unproject, merge,
            .fold("write", .init(anyOf: [[.cloud, .points]]), claims: ["a.ply"]),
        ]
        let vain = "works on cloud, which `unproject` below it removes; take it out, or move it below `unproject`"
        #expect(
            Self.check(["read", "scatter", "decompress", "unproject", "merge", "write"], of: mocks).warnings
                == ["1: `scatter` \(vain)"])
        #expect(
            Self.check(["read", "decompress", "merge", "unproject", "write"], of: mocks).warnings.first?.hasSuffix(vain)
                != false)
    }

    /// A stage that is useless itself is nobody for whom others work.
    @Test func workThatOnlyUselessStagesUse() {
        #expect(
            Self.check(["read", "decompress", "unproject", "sum"]).warnings == [
                "1: `decompress` works on confidence, depth and previous-depth, which below it only `unproject` uses,"
                    + " in vain; take it out with `unproject` and `sum`, or add a writer below it",
                "2: `unproject` works on points, which below it only `sum` uses, in vain; take it out with `sum`, or add a"
                    + " writer below it",
                "3: `sum` works on cloud, which no stage below it uses; take it out, or add a writer below it",
            ])
    }

    @Test func workThatComesTooLate() {
        #expect(
            Self.check(["read", "decompress", "unproject", "mask", "mask", "write-ply"]).warnings == [
                "3: `mask[1]` works on depth, which below it only `mask[2]` uses, in vain; take it out, or move it above"
                    + " `unproject`",
                "4: `mask[2]` works on depth, which no stage below it uses; take it out, or move it above `unproject`",
            ])
        // Above a stage that only looks, it would be just as useless.
        let look = Mock.frame("look", .init(needs: [.depth]))
        #expect(
            Self.check(["read", "decompress", "unproject", "look", "mask", "write-ply"], of: Self.usual + [look])
                .warnings
                == ["4: `mask` works on depth, which no stage below it uses; take it out, or move it above `unproject`"]
        )
    }

    @Test func droppersAndWritersAreNeverUseless() {
        let drop = Mock.frame("drop", .init(makes: [.sharpness], drops: true))
        let end = Mock("end", Uses(claims: ["{id}.txt"]))
        #expect(Self.check(["read", "drop", "every", "end"], of: Self.usual + [drop, end]).warnings.isEmpty)
    }

    @Test func aPipelineThatLeavesNothing() {
        let nothing = "no stage writes or measures anything, so a result would be nothing but a receipt"
        #expect(Self.check(["read", "every"]).warnings == ["1: \(nothing); add a writer below `every`"])
        #expect(Self.check(["read"]).warnings == ["0: \(nothing); add a writer below `read`"])
        let look = Mock.frame("look", .init(needs: [.pose]))
        #expect(Self.check(["read", "look", "every"], of: Self.usual + [look]).warnings.isEmpty)
    }

    @Test func measurementsAreNeverUseless() {
        var measure = Mock.frame("measure", .init(makes: [.sharpness]))
        #expect(Self.check(["read", "measure"], of: Self.usual + [measure]).warnings.count == 1)
        measure.uses.isMeasurement = true
        #expect(Self.check(["read", "measure"], of: Self.usual + [measure]).warnings.isEmpty)
    }
}
