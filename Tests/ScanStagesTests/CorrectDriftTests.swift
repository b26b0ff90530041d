import ScanModel
import ScanStages
import TestSupport
import Testing

/// Round a table, again and again, with poses that wander off.
@Suite struct CorrectDriftTests {
    private static let sound = Result {
        try StageRun(
            "- synthesize: {frames: 100, rate: 4, lap: 10, picture-width: 128, picture-height: 96, depth-width: 128, "
                + "depth-height: 96}\n- decompress", reading: "nowhere/round-and-round", workers: 2
        ).frames
    }

    private static func capture(
        frames count: Int = 100, _ spoil: (Int, Pose) -> Pose
    ) throws -> MemoryCapture {
        var capture = MemoryCapture(
            try sound.get().prefix(count).map { frame in
                var item = MemoryCapture.Item(frame)
                item.pose = item.pose.map { spoil(frame.index, $0) }
                return item
            })
        capture.worldUp = Vector3(0, 1, 0)
        return capture
    }

    private static func wander(_ index: Int, _ pose: Pose) -> Pose {
        let share = Double(index) / 100
        let turn = Matrix3.rotation(aboutY: 6 * .pi / 180 * share)
        return Pose(rotation: turn, position: Vector3(0.15, -0.2, 0.1) * share) * pose
    }

    @Test func whatIsSeenAgainLiesWhereItWas() throws {
        let run = try StageRun(
            "- correct-drift\n- check-geometry", on: try Self.capture(Self.wander), workers: 2)
        #expect(run.warnings == [])
        let counts = run.counts("correct-drift")
        #expect(try #require(counts["seen-again"]?.integer) > 20)
        #expect(try #require(counts["drift"]?["metres"]?.double) > 0.05)
        let apart = try #require(counts["surfaces-apart"])
        let (before, after) = (
            try #require(apart["before"]?.double), try #require(apart["after"]?.double)
        )
        #expect(before > 0.02 && after < 0.004, "\(apart)")
        #expect(try #require(counts["moved-most"]?.double) > 0.15)
        #expect(try #require(counts["turned-most-degrees"]?.double) > 3)
        // The stage below sees the corrected poses.
        let left = run.counts("check-geometry")
        #expect(left["verdict"]?.string == "pass")
        #expect(try #require(left["drift"]?["metres"]?.double) < 0.015, "\(left)")
        for (frame, truth) in zip(run.frames, try Self.sound.get()) {
            let pose = try #require(frame.pose)
            let motion = try #require(truth.pose).inverse * pose
            #expect(motion.position.length < 0.03, "frame \(frame.index)")
            #expect(Quaternion(motion.rotation.nearestRotation).rotationVector.length < 0.02, "frame \(frame.index)")
        }
        #expect(run.frames.first?.pose == Self.wander(0, try #require(try Self.sound.get()[0].pose)))
    }

    /// What has nothing to correct keeps every bit of its poses.
    @Test(arguments: [
        (100, 0.02, "% of their distance apart, less than `min-apart`"), (20, 1, "hardly anything is seen again"),
    ]) func posesThatStay(frames: Int, share: Double, note: String) throws {
        let slight = { (index: Int, pose: Pose) in Self.wander(Int(Double(index) * share), pose) }
        let capture = try Self.capture(frames: frames, slight)
        let run = try StageRun("- correct-drift", on: capture)
        #expect(run.warnings == [])
        #expect(run.receipt["notes"]?.array?.contains { $0.string?.contains(note) == true } == true, "\(run.receipt)")
        #expect(run.counts("correct-drift")["surfaces-apart"] == nil)
        for (frame, truth) in zip(run.frames, try Self.sound.get()) {
            #expect(frame.pose == slight(frame.index, try #require(truth.pose)))
        }
    }

    /// Points that were made above are made again, whether or not a stage in between ends the pass, and counted once.
    @Test(arguments: ["", "- filter-motion: {speed: 20}\n"]) func pointsAreOfTheCorrectedPoses(_ between: String) throws
    {
        let capture = try Self.capture(Self.wander)
        func run(_ stages: String) throws -> StageRun {
            try StageRun("\(stages)\(between)- voxel-downsample", on: capture, workers: 2, probing: [])
        }
        let early = try run("- correct-drift\n- unproject\n")
        let late = try run("- unproject\n- correct-drift\n")
        #expect(early.count("correct-drift", "seen-again") ?? 0 > 20)
        #expect(late.capture.cloud?.positions == early.capture.cloud?.positions)
        #expect(late.capture.cloud?.count ?? 0 > 0)
        #expect(late.count("unproject", "points") == early.count("unproject", "points"))
    }

    @Test func theLeastIsAnOption() throws {
        let run = try StageRun("- correct-drift: {min-apart: 30}\n- check-geometry", on: try Self.capture(Self.wander))
        #expect(run.warnings.count == 1 && run.warnings[0].contains("; a second `correct-drift` below the first, or a"))
        #expect(run.frames[99].pose == Self.wander(99, try #require(try Self.sound.get()[99].pose)))
    }
}
