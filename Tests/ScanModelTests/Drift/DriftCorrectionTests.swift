import ScanModel
import Testing

@Suite struct DriftCorrectionTests {
    private static let up = Vector3(0, 1, 0)
    private static let camera = TurningCamera(frameCount: 120, laps: 2.5)

    /// How far the corrected poses are off at most: metres, and degrees.
    private static func error(
        of camera: TurningCamera = camera, up: Vector3? = up, spoil: (Int, Pose) -> Pose,
        see: ((Int, Pose) -> DepthMap)? = nil, leavingOut isLeftOut: (Int) -> Bool = { _ in false }
    ) -> (metres: Double, degrees: Double)? {
        var drift = PathDrift(frameCount: camera.frameCount)
        camera.frames(spoil: spoil, see: see) { index, depth, view in
            if !isLeftOut(index) { drift.add(index: index, depth: depth, view: view) }
        }
        let truths = (0..<camera.frameCount).map(camera.pose)
        let declared = truths.enumerated().map { spoil($0, $1) }
        guard let correction = DriftCorrection(of: drift, poses: declared, up: up) else { return nil }
        var (metres, degrees) = (0.0, 0.0)
        for (truth, pose) in zip(truths, correction.poses) {
            guard let pose else { return nil }
            let motion = truth.inverse * pose
            metres = max(metres, motion.position.length)
            degrees = max(degrees, Quaternion(motion.rotation.nearestRotation).rotationVector.length * 180 / .pi)
        }
        return (metres, degrees)
    }

    /// Off by up to half a metre and fifteen degrees at the end, and by more along the way the further it goes.
    private static func wander(_ index: Int, _ pose: Pose) -> Pose {
        let share = Double(index) / Double(camera.frameCount)
        let turn = Matrix3.rotation(aboutY: -15 * .pi / 180 * share)
        return Pose(rotation: turn, position: Vector3(0.3, 0.2, -0.35) * share) * pose
    }

    @Test func aPathThatWandersOffIsBentBack() throws {
        let error = try #require(Self.error(spoil: Self.wander))
        #expect(error.metres < 0.06 && error.degrees < 1.5, "\(error)")
    }

    /// Every third frame alone takes part: the others move by what lies between.
    @Test func framesInBetween() throws {
        let error = try #require(Self.error(spoil: Self.wander, leavingOut: { $0 % 3 != 0 }))
        #expect(error.metres < 0.06 && error.degrees < 2, "\(error)")
    }

    /// Where tracking was lost for a moment: the frames on either side are as good as ever, whether they are compared or lie
    /// between such.
    @Test func aJump() throws {
        let error = try #require(
            Self.error(
                of: TurningCamera(frameCount: 480, laps: 2.5),
                spoil: { index, pose in
                    if index < 241 { return pose }
                    return Pose(rotation: .rotation(aboutY: 0.2), position: Vector3(0.3, 0, -0.1)) * pose
                }))
        #expect(error.metres < 0.03 && error.degrees < 1, "\(error)")
    }

    /// A frame that sees what is not there, as if it stood a quarter of a metre aside, does not bend the path.
    @Test func whatWasMovedCountsForLittle() throws {
        let error = try #require(
            Self.error(
                spoil: Self.wander,
                see: { index, pose in
                    var pose = pose
                    if [70, 95].contains(index) { pose.position = pose.position + Vector3(-0.2, 0, 0.15) }
                    return Self.camera.depth(from: pose)
                }))
        #expect(error.metres < 0.1 && error.degrees < 2, "\(error)")
    }

    /// A phone feels gravity: a path that seems to tilt is turned about the vertical only, unless nobody says what is up.
    @Test func tiltIsBelievedOnlyWhereUpIsUnknown() throws {
        let tilt = { (index: Int, pose: Pose) in
            let angle = 0.1 * Double(index) / Double(Self.camera.frameCount)
            return Pose(rotation: Quaternion(rotationVector: Vector3(angle, 0, 0)).matrix, position: .zero) * pose
        }
        let unknown = try #require(Self.error(up: nil, spoil: tilt))
        #expect(unknown.degrees < 1, "\(unknown)")
        // What drifts besides is taken out, and the tilt stays.
        let both = try #require(
            Self.error(spoil: { tilt($0, Self.wander($0, $1)) }), "a path that tilts and wanders off")
        #expect(both.degrees > 2 && both.metres < 0.2, "\(both)")
    }

    @Test func whereNothingIsSeenAgain() {
        var drift = PathDrift(frameCount: 10)
        let camera = TurningCamera(frameCount: 10, laps: 0.5)
        camera.frames(spoil: { $1 }) { drift.add(index: $0, depth: $1, view: $2) }
        #expect(drift.revisits.isEmpty && drift.typicalWorst == nil)
        #expect(DriftCorrection(of: drift, poses: [], up: Self.up) == nil)
    }
}
