import ScanModel
import TestSupport
import Testing

@Suite struct FilterMotionTests {
    /// A camera that goes along x by these ways, a tenth of a second each, and exposes for 50 ms.
    private func walk(_ ways: [Double], _ change: (Int, inout MemoryCapture.Item) -> Void = { _, _ in })
        -> MemoryCapture
    { .walk(ways, exposure: 50_000_000, change) }

    private func run(_ options: String, _ capture: MemoryCapture) throws -> StageRun {
        try StageRun("- filter-motion: {\(options)}", on: capture)
    }

    @Test func framesThatWereTooFastAreDropped() throws {
        let run = try run("speed: 0.25", walk([0.01, 0.02, 0.03, 0.1, 0.02]))
        #expect(run.kept == [0, 1, 2, 5])
        #expect(
            run.drops == [
                "3 filter-motion: the camera moved at 0.3 m/s, over 0.25",
                "4 filter-motion: the camera moved at 1 m/s, over 0.25",
            ])
        #expect(try self.run("speed: 2", walk([0.01, 0.1])).drops.isEmpty)
    }

    /// Faster than a jump, and yet no jump: the camera was swung.
    @Test func theFastestFramesAreDroppedToo() throws {
        let run = try run("speed: 1", walk([0.01, 0.4, 0.5, 0.6, 0.01]))
        #expect(run.kept == [0, 1, 5])
        #expect(run.drops.first == "2 filter-motion: the camera moved at 4 m/s, over 1")
    }

    @Test func aSpeedJustOverTheLimitIsSeenToBe() throws {
        let run = try run("speed: 0.36", walk([0.01, 0.03603, 0.01]))
        #expect(run.drops == ["2 filter-motion: the camera moved at 0.3603 m/s, over 0.36"])
    }

    @Test func turningTooFast() throws {
        let capture = walk([0.01, 0.01, 0.01]) { number, item in
            item.pose?.rotation = .rotation(aboutY: Double([0, 1, 11, 12][number]) * .pi / 180)
        }
        let run = try run("turning: 90", capture)
        #expect(run.drops == ["2 filter-motion: the camera turned by 100°/s, over 90"])
    }

    @Test func thinningDoesNotChangeWhichAreTooFast() throws {
        let ways = [0.01, 0.05, 0.01, 0.05, 0.05, 0.01]
        let all = try run("speed: 0.3", walk(ways))
        #expect(all.kept == [0, 1, 3, 6])
        let thinned = try StageRun(
            "- select-frames: {exclude: [1, 4]}\n- filter-motion: {speed: 0.3}", on: walk(ways))
        #expect(thinned.kept == [0, 3, 6])
    }

    /// A recorder that was started anew counts from 0: no frame behind that is known to be near the jump.
    @Test func aClockThatGoesBackEndsTheWhile() throws {
        let capture = walk([0.01, 0.5, 0.01, 0.01, 0.01, 0.01]) { number, item in
            if number >= 4 { item.timestamp = item.timestamp.map { $0 - 3_600_000_000_000 } }
        }
        #expect(try run("after-jump: 0.2", capture).kept == [0, 1, 4, 5, 6])
    }

    @Test func framesAfterAJumpAreDroppedForAWhile() throws {
        let capture = walk([0.01, 0.5, 0.01, 0.01, 0.01, 0.01])
        let run = try run("after-jump: 0.2", capture)
        #expect(run.kept == [0, 1, 5, 6])
        #expect(run.drops.first == "2 filter-motion: it is 0 s after a jump of 0.5 m and 0° to frame 2")
        #expect(run.drops.last == "4 filter-motion: it is 0.2 s after a jump of 0.5 m and 0° to frame 2")
        #expect(try self.run("after-jump: 0", capture).kept == [0, 1, 3, 4, 5, 6])
        #expect(try self.run("after-jump: 0.2, jump-speed: 6", capture).kept.count == 7)
        // A frame whose pose alone is wrong goes alone.
        #expect(try self.run("after-jump: 0", walk([0.01, 0.5, -0.5, 0.01])).kept == [0, 1, 3, 4])
        // The latest jump counts.
        #expect(try self.run("after-jump: 0.1", walk([0.5, 0.5, 0.01, 0.01])).kept == [0, 4])
    }

    /// Three in a row are fast movement, behind which tracking has nothing to settle.
    @Test func nothingIsDroppedBehindFastMovement() throws {
        #expect(try run("after-jump: 0.2", walk([0.01, 0.5, 0.5, 0.5, 0.01, 0.01])).drops.isEmpty)
        let both = walk([0.01, 0.5, 0.5, 0.5, 0.01, 0.01, 0.5, 0.01])
        #expect(try run("after-jump: 0", both).kept == [0, 1, 2, 3, 4, 5, 6, 8])
    }

    @Test func aTurnMayBeAJumpToo() throws {
        // 45° in a tenth of a second are 450°/s.
        let capture = walk([0.01, 0.01, 0.01]) { number, item in
            if number >= 2 { item.pose?.rotation = .rotation(aboutY: .pi / 4) }
        }
        let run = try run("after-jump: 0", capture)
        #expect(run.drops == ["2 filter-motion: it is 0 s after a jump of 0.01 m and 45° to frame 2"])
        #expect(try self.run("after-jump: 0, jump-turning: 449", capture).kept == [0, 1, 3])
        #expect(try self.run("after-jump: 0, jump-turning: 451", capture).drops.isEmpty)
    }

    @Test func jumpToADroppedFrameCountsAllTheSame() throws {
        let run = try StageRun(
            "- select-frames: {exclude: [2]}\n- filter-motion: {after-jump: 0.1}", on: walk([0.01, 0.5, 0.01, 0.01]))
        #expect(run.kept == [0, 1, 4])
    }

    @Test func predictedBlurIsTakenFromTheStageThatPredictsIt() throws {
        let run = try StageRun(
            "- predict-blur: {distance: 2}\n- filter-motion: {blur: 0.15}", on: walk([0.1, 0.1, 0.3]))
        #expect(
            run.drops == [
                "2 filter-motion: its predicted blur is 0.2 px, over 0.15",
                "3 filter-motion: its predicted blur is 0.3 px, over 0.15",
            ])
        #expect(
            StageRun.mistakes(in: "- filter-motion: {blur: 3}").first
                == "`filter-motion` needs predicted-blur, which no stage before it makes")
    }

    @Test func oneRuleAtLeast() {
        #expect(
            StageRun.mistakes(in: "- filter-motion") == [
                "one of `speed`, `turning`, `blur`, `after-jump` is needed"
            ])
        // What is given and cannot be read is not missing, too.
        for value in ["-1", "fast"] { #expect(StageRun.mistakes(in: "- filter-motion: {speed: \(value)}").count == 1) }
        #expect(StageRun.mistakes(in: "- filter-motion: {speed: 1, turning: 90, after-jump: 1}").isEmpty)
    }

    @Test func speedsInAnUnknownUnitDropNothing() throws {
        var capture = walk([0.1, 0.9])
        capture.isMetric = false
        let run = try run("speed: 0.25, after-jump: 1", capture)
        #expect(run.drops.isEmpty && run.warnings.count == 1)
    }

    @Test func framesWithoutATimeOrPoseStay() throws {
        let capture = walk([0.1, 0.1, 0.1]) { number, item in
            if number == 1 { item.timestamp = nil }
            if number == 2 { item.pose = nil }
        }
        #expect(try run("speed: 5, turning: 5, after-jump: 1", capture).kept == [0, 1, 2, 3])
    }
}
