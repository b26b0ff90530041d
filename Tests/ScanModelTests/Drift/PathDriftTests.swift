import ScanModel
import TestSupport
import Testing

@Suite struct PathDriftTests {
    private static let camera = TurningCamera()

    private static func verdict(
        spoil: (Int, Pose) -> Pose = { $1 }, see: ((Int, Pose) -> DepthMap)? = nil
    ) -> GeometryVerdict {
        var check = GeometryCheck(frameCount: camera.frameCount)
        camera.frames(spoil: spoil, see: see) { check.add(index: $0, depth: $1, view: $2) }
        return check.verdict()
    }

    private static let halfway = camera.frameCount / 2

    @Test func aPathThatDoesNotDrift() throws {
        let verdict = Self.verdict()
        #expect(verdict.revisitCount >= 30)
        let drift = try #require(verdict.drift)
        #expect(drift.offset < 0.02 && drift.angle < 0.002, "\(drift)")
        #expect(!verdict.reason.contains("drifts"))
    }

    /// The second lap is off by a known motion.
    @Test func aPathThatIsShiftedForItsSecondHalf() throws {
        let shift = Vector3(0.12, 0.05, -0.16)
        let verdict = Self.verdict(spoil: { index, pose in
            index < Self.halfway ? pose : Pose(rotation: pose.rotation, position: pose.position + shift)
        })
        let drift = try #require(verdict.drift)
        // As far as surfaces tell: some see little but a wall.
        #expect(drift.offset > 0.4 * shift.length && drift.offset < shift.length + 0.01, "\(drift)")
        #expect(drift.angle < 0.005)
        #expect(drift.frames.lowerBound < Self.halfway && drift.frames.upperBound >= Self.halfway)
        #expect(verdict.outcome == .warning)
        #expect(verdict.reason.contains("; the path drifts, which makes surfaces double: what frame "))
        #expect(verdict.reason.contains(" saw is \(drift.text(isMetric: true)) off where frame "))
        #expect(verdict.reason.hasSuffix(" sees it again"))
    }

    @Test(arguments: [-12.0, 8, 15]) func aPathThatIsTurnedForItsSecondHalf(degrees: Double) throws {
        let turn = Matrix3.rotation(aboutY: degrees * .pi / 180)
        let verdict = Self.verdict(spoil: { index, pose in
            index < Self.halfway ? pose : Pose(rotation: turn, position: .zero) * pose
        })
        let drift = try #require(verdict.drift)
        let found = drift.angle * 180 / .pi
        // As far as surfaces tell.
        #expect(found > 1 && found < abs(degrees) + 0.3, "\(drift)")
        #expect(verdict.outcome == .warning && verdict.reason.contains("drifts"))
    }

    /// What a sensor's noise would do as well is recorded, and is no reason for a warning.
    @Test func aLittleDriftIsTakenForNoise() throws {
        let verdict = Self.verdict(spoil: { index, pose in
            Pose(
                rotation: pose.rotation,
                position: pose.position + Vector3(0.05, 0, 0) * (Double(index) / Double(Self.camera.frameCount)))
        })
        let drift = try #require(verdict.drift)
        #expect((0.005...0.03).contains(drift.offset), "\(drift)")
        #expect(!verdict.reason.contains("drifts"))
    }

    /// Nothing tells where on a bare wall one is; what it does not tell is not made up.
    @Test func alongABareWall() throws {
        let hall = TurningCamera(room: Vector3(60, 60, 4))
        let away = Matrix3.rotation(aboutY: .pi / 2)
        var check = GeometryCheck(frameCount: 12)
        for index in 0..<12 {
            var pose = Pose(rotation: (4..<8).contains(index) ? away : .identity, position: .zero)
            let depth = hall.depth(from: pose)
            if index >= 8 { pose.position = Vector3(0.4, 0.2, 0) }
            check.add(index: index, depth: depth, view: CameraView(camera: TurningCamera.camera, pose: pose))
        }
        let verdict = check.verdict()
        #expect(verdict.revisitCount == 4)
        let drift = try #require(verdict.drift)
        #expect(drift.offset < 1e-3, "\(drift)")
    }

    /// A frame that never looked elsewhere has drifted from nothing, and what does not fit any more tells nothing either.
    @Test func whatIsNoPlaceSeenAgain() {
        var check = GeometryCheck(frameCount: 20)
        let (pose, depth) = (Self.camera.pose(0), Self.camera.depth(from: Self.camera.pose(0)))
        for index in 0..<20 {
            check.add(index: index, depth: depth, view: CameraView(camera: TurningCamera.camera, pose: pose))
        }
        #expect(check.verdict().revisitCount == 0)
        var generator = SplitMix(seed: 4)
        var drift = PathDrift(frameCount: Self.camera.frameCount)
        Self.camera.frames(spoil: { $1 }) { index, depth, view in
            var depth = depth
            if index >= Self.halfway {
                depth.metres = depth.metres.map { $0 * Float.random(in: 0.8..<1.2, using: &generator) }
            }
            drift.add(index: index, depth: depth, view: view)
        }
        #expect(drift.revisits.allSatisfy { $0.frames.upperBound < Self.halfway })
    }
}
