import Foundation
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
        var drift = PathDrift(frames: 0..<camera.frameCount)
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

    /// Behind a long time in which the phone lay still, ordinary steps are no jumps.
    @Test func aPhoneThatLayStill() throws {
        let camera = TurningCamera(frameCount: 240, laps: 2.5)
        let still = 300
        var drift = PathDrift(frames: 0..<still + camera.frameCount)
        func wander(_ index: Int, _ pose: Pose) -> Pose {
            let share = Double(index) / Double(camera.frameCount)
            return Pose(rotation: .rotation(aboutY: -0.25 * share), position: Vector3(0.3, 0.2, -0.35) * share) * pose
        }
        camera.frames(spoil: wander) { drift.add(index: still + $0, depth: $1, view: $2) }
        let first = camera.pose(0)
        let trembling = (0..<still).map {
            Pose(rotation: first.rotation, position: first.position + Vector3(1e-4 * Double($0 % 3), 0, 0))
        }
        let path = (0..<camera.frameCount).map { wander($0, camera.pose($0)) }
        let corrected = try #require(DriftCorrection(of: drift, poses: trembling + path, up: Self.up)).poses
        let changes = zip(trembling + path, corrected).map { ($1 ?? $0) * $0.inverse }
        for (index, change) in zip(changes, changes.dropFirst()).enumerated() {
            let step = change.0.inverse * change.1
            #expect(step.position.length < 0.02, "\(index)")
        }
    }

    /// Every third frame alone takes part: the others move by what lies between.
    @Test func framesInBetween() throws {
        let error = try #require(Self.error(spoil: Self.wander, leavingOut: { $0 % 3 != 0 }))
        #expect(error.metres < 0.06 && error.degrees < 2, "\(error)")
    }

    private static let jump = Pose(rotation: .rotation(aboutY: 0.2), position: Vector3(0.3, 0, -0.1))

    /// Where tracking was lost for a moment: the frames on either side are as good as ever, whether they are compared or lie
    /// between such, and whether much is seen again or little.
    @Test(arguments: [(480, 2.5), (240, 1.25)]) func aJump(frameCount: Int, laps: Double) throws {
        let error = try #require(
            Self.error(
                of: TurningCamera(frameCount: frameCount, laps: laps),
                spoil: { index, pose in
                    index <= frameCount / 2 ? pose : Self.jump * pose
                }))
        #expect(error.metres < 0.03 && error.degrees < 1, "\(error)")
    }

    /// Frames that see what is not there, as if they stood a quarter of a metre aside, do not bend the path.
    @Test func whatWasMovedCountsForLittle() throws {
        let error = try #require(
            Self.error(
                spoil: Self.wander,
                see: { index, pose in
                    var pose = pose
                    if [62, 70, 75, 80, 95, 100, 105, 110].contains(index) {
                        pose.position = pose.position + Vector3(-0.2, 0, 0.15)
                    }
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
        var drift = PathDrift(frames: 0..<10)
        let camera = TurningCamera(frameCount: 10, laps: 0.5)
        camera.frames(spoil: { $1 }) { drift.add(index: $0, depth: $1, view: $2) }
        #expect(drift.revisits.isEmpty && drift.typicalWorst == nil)
        #expect(DriftCorrection(of: drift, poses: [], up: Self.up) == nil)
    }

    /// The same path in a world with other axes, far from its origin, or in another unit is bent back the same way.
    @Test(arguments: [
        (Vector3(0.7, -1.9, 0.4), Vector3(4e5, 5.5e6, 120), 1.0), (.zero, .zero, 1000), (.zero, .zero, 0.01),
    ])
    func whateverTheWorldIs(turn: Vector3, origin: Vector3, unit: Double) throws {
        func moved(_ pose: Pose, by world: Pose, _ unit: Double) -> Pose {
            world * Pose(rotation: pose.rotation, position: pose.position * unit)
        }
        func corrected(in world: Pose, _ unit: Double) throws -> (PathDrift, DriftCorrection) {
            var drift = PathDrift(frames: 0..<Self.camera.frameCount)
            var poses: [Pose?] = []
            Self.camera.frames(spoil: { moved(Self.wander($0, $1), by: world, unit) }) { index, depth, view in
                var depth = depth
                depth.metres = depth.metres.map { $0 * Float(unit) }
                drift.add(index: index, depth: depth, view: view)
                poses.append(view.pose)
            }
            return (drift, try #require(DriftCorrection(of: drift, poses: poses, up: world.rotation * Self.up)))
        }
        let world = Pose(rotation: Quaternion(rotationVector: turn).matrix, position: origin)
        let (drift, correction) = try corrected(in: .identity, 1)
        let (otherDrift, other) = try corrected(in: world, unit)
        #expect(abs(otherDrift.surfacesApart - drift.surfacesApart) < 1e-5)
        let (worst, otherWorst) = (try #require(drift.typicalWorst), try #require(otherDrift.typicalWorst))
        #expect(otherWorst.frames == worst.frames)
        #expect(abs(otherWorst.share - worst.share) < 1e-5 && abs(otherWorst.angle - worst.angle) < 1e-5)
        let (apart, otherApart) = (correction.surfacesApart, other.surfacesApart)
        // By the same measure as what is found.
        let found = drift.revisits.reduce(0) { $0 + $1.apart } / Double(drift.revisits.count)
        #expect(abs(apart.before / found - 1) < 0.02, "\(apart) \(found)")
        #expect(abs(otherApart.before / unit - apart.before) < 1e-5)
        #expect(abs(otherApart.after / unit - apart.after) < 1e-5)
        for (pose, otherPose) in zip(correction.poses, other.poses) {
            let motion = moved(try #require(pose), by: world, unit).inverse * (try #require(otherPose))
            #expect(motion.position.length < 1e-4 * unit && motion.rotation.rotationVector.length < 1e-4)
        }
    }

    /// Of the frames that are not compared, those at which the camera stands still move as the one does where it stands,
    /// those in between in proportion to the way, where tracking jumped all at once, and those without a pose get none.
    @Test(arguments: [nil, 240, 302]) func framesThatAreNotCompared(jump: Int?) throws {
        let camera = TurningCamera(frameCount: 480)
        // One frame of four is compared. The one behind it is at the same place, the one before it too, and at first all.
        func place(_ index: Int) -> Int { index < 8 ? 0 : [index, index - 1, index, index + 1][index % 4] }
        func isBehindJump(_ index: Int) -> Bool { jump.map { index >= $0 } ?? false }
        let truths = (0..<480).map { camera.pose(place($0)) }
        let recorded = truths.enumerated().map { index, pose in
            let pose = Self.wander(place(index) / 8, pose)
            return isBehindJump(index) ? Self.jump * pose : pose
        }
        var drift = PathDrift(frames: 0..<480)
        for index in stride(from: 0, to: 480, by: 4) {
            let view = CameraView(camera: TurningCamera.camera, pose: recorded[index])
            drift.add(index: index, depth: camera.depth(from: truths[index]), view: view)
        }
        let without = [9, 202, 333, 479]
        let poses = recorded.enumerated().map { without.contains($0) ? nil : $1 }
        let corrected = try #require(DriftCorrection(of: drift, poses: poses, up: Self.up)).poses
        #expect(corrected.indices.filter { corrected[$0] == nil } == without)
        let motions = zip(corrected, recorded).map { pose, recorded in pose.map { $0 * recorded.inverse } }
        func turn(_ from: Int, _ to: Int) -> Vector3? {
            guard let from = motions[from], let to = motions[to] else { return nil }
            return (from.inverse * to).rotation.rotationVector
        }
        for index in stride(from: 8, to: 476, by: 4) {
            for (still, next) in [(index, index + 1), (index + 3, index + 4)] {
                guard isBehindJump(still) == isBehindJump(next), let before = corrected[still],
                    let behind = corrected[next]
                else { continue }
                let motion = before.inverse * behind
                #expect(motion.position.length < 1e-9 && motion.rotation.rotationVector.length < 1e-9, "\(still)")
            }
            guard let part = turn(index, index + 2), let whole = turn(index, index + 4) else { continue }
            let share = part.dot(whole) / whole.dot(whole)
            if isBehindJump(index) == isBehindJump(index + 4) {
                #expect((0.4...0.6).contains(share), "\(index)")
            } else {
                #expect(abs(share - (isBehindJump(index + 2) ? 1 : 0)) < 1e-9, "\(index)")
            }
        }
        for (truth, pose) in zip(truths, corrected) {
            if let pose { #expect((truth.inverse * pose).position.length < 0.1) }
        }
    }

    /// Where each frame sees something else, no path brings together what they see.
    @Test func whatNoPathExplains() {
        let error = Self.error(
            spoil: { $1 },
            see: { index, pose in
                var depth = Self.camera.depth(from: pose)
                for pixel in depth.metres.indices {
                    let place = Double(pixel % depth.width) / 20 + 2.4 * Double(index)
                    depth.metres[pixel] *= Float(1 + 0.04 * sin(place))
                }
                return depth
            })
        #expect(error == nil)
    }
}
