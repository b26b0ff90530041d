import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// Which frames are dropped, what becomes of their files, and what it costs the capture.
@Suite struct DroppedFrameTests {
    @Test(arguments: [1, 8]) func theAccountAddsUp(_ workers: Int) throws {
        let sharp = Mock.frame("sharp", .init(drops: true)) { frame, context in
            if frame.index % 4 == 3 { frame.drop = Drop(stage: context.label, reason: "blurred") }
        }
        let read = Mock.reader(12) { $0.drop(5, stage: "read", reason: "no pose", isBad: false) }
        let run = try MockRun([read, sharp, .every(2), .decompress, .unproject, .ply], workers: workers)
        let frames = try run.account()
        #expect(frames.source == 12)
        #expect(frames.kept == 6)
        #expect(frames.by == ["read": 1, "sharp": 3, "every": 2])
        #expect(frames.kept + frames.by.values.reduce(0, +) == frames.source)
        #expect(
            frames.dropped == [
                "1 every not one of every 2", "3 sharp blurred", "5 read no pose", "7 sharp blurred",
                "9 every not one of every 2",
                "11 sharp blurred",
            ])
        #expect(try run.text("scan.ply") == "0 0 2 2 4 4 6 6 8 8 10 10")
        #expect(run.counts("decompress") == ["frames": .of(6)])
    }

    @Test(arguments: [1, 8]) func badFramesAreDroppedByName(_ workers: Int) throws {
        let run = try MockRun(
            [.reader(40), .bad([3, 17]), .decompress, .unproject, .ply], workers: workers)
        let frames = try run.account()
        #expect(frames.by == ["picky": 2])
        #expect(
            frames.dropped == [
                "3 picky the pose is no rotation (scan.jsonl:4)", "17 picky the pose is no rotation (scan.jsonl:18)",
            ])
        #expect(try !run.text("scan.ply").contains(" 17 "))
    }

    @Test(arguments: [1, 8]) func tooManyBadFramesFailTheCapture(_ workers: Int) throws {
        // Exactly 5 % is allowed.
        _ = try MockRun([.reader(40), .bad([1, 2]), .decompress, .unproject, .ply], workers: workers)
        let failure = try #require(
            problem {
                _ = try MockRun(
                    [.reader(40), .bad([9, 1, 2, 30]), .decompress, .unproject, .ply], workers: workers)
            })
        #expect(
            failure.message() == """
                error: 4 of 40 frames are bad (10 %)
                   = the limit is 5 %
                   = frame 1: the pose is no rotation (scan.jsonl:2)
                   = frame 2: the pose is no rotation (scan.jsonl:3)
                   = frame 9: the pose is no rotation (scan.jsonl:10)
                   = and 1 more
                   = fix: copy or record the capture again, or allow more with  --set read.bad-frame-limit=0.1
                """)
        #expect(failure.fault == .input)
    }

    /// Whoever found them bad knows it.
    @Test func theWayToMendBadFramesIsSaid() throws {
        let picky = Mock.frame("picky") { (frame, _) throws(Problem) in
            if frame.index < 4 { throw Problem(.input, "the pose is no rotation", fix: "copy the poses again") }
        }
        let failure = try #require(
            problem { _ = try MockRun([.reader(40), picky, .decompress, .unproject, .ply]) })
        #expect(failure.fix == "copy the poses again, or allow more with  --set read.bad-frame-limit=0.1")
    }

    @Test func badFramesOfTheReaderCount() throws {
        let read = Mock.reader(20) { capture in
            for index in 0..<2 { capture.drop(index, stage: "read", reason: "no pose", isBad: true) }
        }
        let failure = try #require(problem { _ = try MockRun([read, .decompress, .unproject, .ply]) })
        #expect(failure.summary == "2 of 20 frames are bad (10 %)")
    }

    @Test func theLimitThatIsProposedIsEnough() throws {
        let failure = try #require(
            problem { _ = try MockRun([.reader(30), .bad([1, 2, 3, 4]), .decompress, .unproject, .ply]) })
        let limit = try #require(failure.fix?.split(separator: "=").last.flatMap { Double($0) })
        #expect(limit == 0.14)
        _ = try MockRun([
            .reader(30) { $0.badFrameLimit = limit }, .bad([1, 2, 3, 4]), .decompress, .unproject, .ply,
        ])
        // With all of them bad no limit is.
        let all = try #require(
            problem { _ = try MockRun([.reader(30), .bad(Set(0..<30)), .decompress, .unproject, .ply]) })
        #expect(all.fix?.contains("bad-frame-limit") == false)
    }

    @Test(arguments: [1, 8]) func badFramesCanFailTheCapture(_ workers: Int) throws {
        let read = Mock.reader(40) { $0.onBadFrame = .fail }
        let failure = try #require(
            problem {
                _ = try MockRun([read, .bad([30, 7, 31]), .decompress, .unproject, .ply], workers: workers)
            })
        #expect(
            failure.message() == "error: the pose is no rotation\n  --> scan.jsonl:8, frame 7, stage picky")
    }

    @Test(arguments: [Problem.Fault.environment, .tool, .usage]) func otherFaultsFailTheCapture(_ fault: Problem.Fault)
        throws
    {
        let failure = try #require(
            problem {
                _ = try MockRun(
                    [.reader(40), .bad([7], fault: fault), .decompress, .unproject, .ply], workers: 8)
            })
        #expect(failure.fault == (fault == .usage ? .input : fault) && failure.isOfPipeline == (fault == .usage))
        #expect(failure.place.frame == 7)
        #expect(failure.place.stage == "picky")
    }

    /// The run begins again without them, and all files are those of a capture that never had them.
    @Test(arguments: [1, 8]) func badFramesThatAFoldHasTakenAreLeftOut(_ workers: Int) throws {
        let without = Mock.reader(40) { capture in
            for index in [4, 8] { capture.drop(index, stage: "read", reason: "left out") }
        }
        // In the pass of the fold, and in a later one.
        for between in [[], [Mock.every(2)]] {
            let run = try MockRun(
                [.reader(40), .decompress, .unproject, .sum] + between + [.bad([4, 8])], workers: workers)
            let drops = run.receipt.capture.frames.filter { $0.drop?.isBad == true }
            #expect(drops.map(\.index) == [4, 8])
            #expect(drops.allSatisfy { $0.drop?.stage == "picky" && $0.drop?.reason.contains("no rotation") == true })
            let expected = try MockRun([without, .decompress, .unproject, .sum] + between, workers: 1)
            #expect(run.counts("sum")?["depths"]?.array?.count == 38)
            #expect(run.counts("sum") == expected.counts("sum"))
        }
        // And what it has written so far is written anew.
        let written = try MockRun([.reader(40), .decompress, .unproject, .ply, .bad([4, 8])], workers: workers)
        let expected = try MockRun([without, .decompress, .unproject, .ply], workers: 1)
        #expect(written.receipt.files.count == 1 && written.receipt.files == expected.receipt.files)
        // The frames that were not kept are not looked at.
        let run = try MockRun(
            [.reader(40), .decompress, .unproject, .sum, .every(2), .bad([7])], workers: workers)
        #expect(!run.receipt.capture.frames.contains { $0.drop?.isBad == true })
    }

    /// What one attempt finds does not change what the next one may find.
    @Test func badFramesOfSeveralPassesAreLeftOut() throws {
        let run = try MockRun(
            [.reader(40), .decompress, .unproject, .sum, .bad([4]), .every(2), .bad([8], "pickier")], workers: 8)
        let drops = run.receipt.capture.frames.filter { $0.drop?.isBad == true }
        #expect(drops.map(\.index) == [4, 8] && drops.map(\.drop?.stage) == ["picky", "pickier"])
    }

    /// Whether a result is up to date is asked before any stage has seen a frame.
    @Test func theKeyIsThatOfTheCaptureAsItWasFound() throws {
        let (bad, sound) = (Mock.bad([7]), Mock.bad([]))
        let runs = try [bad, sound].map { try MockRun([.reader(40), .decompress, .unproject, .sum, $0]) }
        #expect(runs[0].receipt.key == runs[1].receipt.key)
    }

    @Test func tooManyBadFramesFailTheCaptureAlsoWhereAFoldHasTakenThem() throws {
        let failure = try #require(
            problem { _ = try MockRun([.reader(40), .decompress, .unproject, .sum, .bad(Set(0..<30))]) })
        #expect(failure.fault == .input && failure.summary.contains("30 of 40"))
        let all = problem { _ = try MockRun([.reader(40), .decompress, .unproject, .sum, .bad(Set(0..<40))]) }
        #expect(all?.summary == "40 of 40 frames are bad (100 %)")
    }

    /// A stage that takes the next frame for each that goes shows damage that lies side by side a frame at a time.
    @Test func attemptsComeToAnEnd() throws {
        let first = Mock.finish("first", .init(needs: [.frames], drops: true)) { capture, context in
            for frame in capture.keptFrames.dropFirst() {
                capture.drop(frame.index, stage: context.label, reason: "not the first")
            }
        }
        let read = Mock.reader(40) { $0.badFrameLimit = 1 }
        let stages = { (bad: Range<Int>) in [read, first, Mock.decompress, .unproject, .sum, .bad(Set(bad))] }
        let run = try MockRun(stages(0..<3))
        #expect(run.receipt.capture.keptFrames.map(\.index) == [3])
        #expect(
            run.receipt.warnings == [
                "3 frames turned out to be bad after stages had used what they hold: the capture was run again "
                    + "from the start without them; with `picky` above those stages that is not needed"
            ])
        let failure = try #require(problem { _ = try MockRun(stages(0..<39)) })
        #expect(failure.summary.hasPrefix("the capture was run 10 times, and each time more frames"))
        #expect(failure.fix == "put `picky` above the stages that choose and gather frames")
    }

    @Test func aBadFrameThatAFoldHasTakenFailsACaptureThatMayHaveNone() throws {
        let strict = Mock.reader(40) { $0.onBadFrame = .fail }
        let failure = try #require(problem { _ = try MockRun([strict, .decompress, .unproject, .sum, .bad([7])]) })
        #expect(failure.place.frame == 7 && failure.place.stage == "picky")
    }

    /// A fold that only shows frames to people does not bind them.
    @Test(arguments: [1, 8]) func aBadFrameThatAFoldHasOnlyShownIsDropped(_ workers: Int) throws {
        var shown = Mock.sum
        shown.bindsFrames = false
        let run = try MockRun(
            [.reader(40), .decompress, .unproject, shown, .bad([7])], workers: workers)
        #expect(run.receipt.capture.frames.filter(\.isDropped).map(\.index) == [7])
    }

    @Test func aProblemInAFoldFailsTheCapture() throws {
        let fold = Mock.fold("fold") { (frame, _, _) throws(Problem) in
            if frame.index >= 2 { throw Problem(.input, "too large") }
        }
        let failure = try #require(problem { _ = try MockRun([.reader(40), fold], workers: 8) })
        #expect(failure.message() == "error: too large\n  --> frame 2, stage fold")
    }

    @Test(arguments: [1, 8]) func filesOfABadFrameAreTakenBack(_ workers: Int) throws {
        let pictures = Mock.frame("write-pictures", .init(needs: [.depth]), claims: ["pictures/"]) {
            (frame, context) throws(Problem) in
            let path = "pictures/\(frame.index).txt"
            try context.output.write([UInt8(frame.index)], to: path)
            frame.files.append(path)
        }
        let later = Mock.frame("write-later", .init(needs: [.depth]), claims: ["later/"])
        // In the same pass, and in a later one.
        for between in [[], [Mock.every(1), later]] {
            let run = try MockRun(
                [.reader(40), .decompress, pictures] + between + [.bad([4, 9])], workers: workers)
            #expect(run.receipt.files.count == 38)
            #expect(!run.receipt.files.contains { $0.path == "pictures/9.txt" })
            #expect(throws: (any Error).self) { try run.text("pictures/9.txt") }
            #expect(try run.text("pictures/10.txt") == "\n")
        }
    }

    @Test func noFramesAtAll() throws {
        #expect(
            problem { _ = try MockRun([.reader(0), .decompress, .unproject, .ply]) }?.summary
                == "the capture holds no frames")
    }

    @Test func noFramesLeft() throws {
        let drop = Mock.frame("drop", .init(drops: true)) { frame, context in
            frame.drop = Drop(stage: context.label, reason: frame.index < 4 ? "too dark" : "too bright")
        }
        let read = Mock.reader(10) { $0.drop(0, stage: "read", reason: "no pose") }
        let failure = try #require(problem { _ = try MockRun([read, drop, .decompress, .unproject, .ply]) })
        #expect(
            failure.message() == """
                error: no frame is left of 10
                   = 6 × drop: too bright
                   = 3 × drop: too dark
                   = 1 × read: no pose
                   = fix: loosen `drop`, which dropped the last 9
                """)
        // The ends of the stages below, which would find something to say of nothing, are not reached.
        let finish = Mock.finish("finish", .init(needs: [.points])) { (_, _) throws(Problem) in
            throw Problem(.input, "the cloud holds no points")
        }
        let empty = problem { _ = try MockRun([read, drop, .decompress, .unproject, finish]) }
        #expect(empty?.summary == "no frame is left of 10")
        let bad = Mock.reader(2) { capture in
            for index in 0..<2 { capture.drop(index, stage: "read", reason: "no pose") }
        }
        let unread = problem { _ = try MockRun([bad, .decompress, .unproject, .ply]) }
        let look = "see what is wrong with it with  scanmill inspect "
        #expect(unread?.fix?.hasPrefix(look) == true && unread?.isOfPipeline == false)
        #expect(failure.isOfPipeline)
        // No limit of a stage drops frames whose data it cannot use.
        let lenient = Mock.reader(2) { $0.badFrameLimit = 1 }
        let unusable = problem { _ = try MockRun([lenient, .decompress, .bad([0, 1]), .unproject, .ply]) }
        #expect(unusable?.summary == "no frame is left of 2")
        #expect(unusable?.fix?.hasPrefix(look) == true && unusable?.isOfPipeline == false)
    }
}
