import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct PathDriftTests {
    private static let camera = TurningCamera()

    private static func verdict(
        spoil: (Int, Pose) -> Pose = { $1 }, see: ((Int, Pose) -> DepthMap)? = nil
    ) -> GeometryVerdict {
        var check = GeometryCheck(frames: 0..<camera.frameCount)
        camera.frames(spoil: spoil, see: see) { check.add(index: $0, depth: $1, view: $2) }
        return check.verdict(poses: (0..<camera.frameCount).map { spoil($0, camera.pose($0)) })
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
        let frames = drift.frames
        #expect(verdict.reason.contains("frame \(frames.lowerBound) saw is \(drift.offset.shortText(digits: 2)) m"))
        #expect(verdict.reason.hasSuffix(" off where frame \(frames.upperBound) sees it again"))
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
        #expect(verdict.reason.contains(" m and \(found.shortText(decimals: 1))° off where frame "))
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

    /// Surfaces that are further apart than noise has them, where bending the path lays them together.
    @Test(arguments: [3.0, -3.5]) func aSmallTurnThatAChangeOfThePosesMends(degrees: Double) throws {
        let verdict = Self.verdict(spoil: { index, pose in
            let share = Double(index) / Double(Self.camera.frameCount)
            return Pose(rotation: .rotation(aboutY: degrees * .pi / 180 * share), position: .zero) * pose
        })
        let drift = try #require(verdict.drift)
        #expect(drift.share < 0.04, "\(drift)")
        #expect(verdict.outcome == .warning)
        #expect(verdict.reason.contains("; the path drifts, which makes surfaces double"))
        #expect(verdict.reason.contains(#/ sees it again, and what is seen again is 1\.\d+ % of its distance apart$/#))
    }

    /// A sensor that errs by a few per cent, here more and there less, is no path that drifts.
    @Test(arguments: [(0.02, false), (0.02, true), (0.04, false)])
    func depthThatIsOffIsNoDrift(amount: Double, isFixed: Bool) throws {
        let verdict = Self.verdict(see: { index, pose in
            var depth = Self.camera.depth(from: pose)
            let phase = isFixed ? 0 : Double(index)
            for pixel in depth.metres.indices {
                let (u, v) = (Double(pixel % depth.width), Double(pixel / depth.width))
                depth.metres[pixel] *= Float(1 + amount * sin(u / 20 + 2.4 * phase) * cos(v / 16 - 1.7 * phase))
            }
            return depth
        })
        let drift = try #require(verdict.drift)
        #expect(drift.share > 0.02, "\(drift)")
        #expect(!verdict.reason.contains("drifts"))
        let reason = ", and no correction of the poses brings the two together: depth may be off, or things were moved"
        #expect(verdict.reason.hasSuffix(reason) == (drift.share > 0.04), "\(verdict.reason)")
    }

    /// Nothing tells where on a bare wall one is; what it does not tell is not made up.
    @Test func alongABareWall() throws {
        let hall = TurningCamera(room: Vector3(60, 60, 4))
        let away = Matrix3.rotation(aboutY: .pi / 2)
        var check = GeometryCheck(frames: 0..<12)
        var poses: [Pose] = []
        for index in 0..<12 {
            var pose = Pose(rotation: (4..<8).contains(index) ? away : .identity, position: .zero)
            let depth = hall.depth(from: pose)
            if index >= 8 { pose.position = Vector3(0.4, 0.2, 0) }
            check.add(index: index, depth: depth, view: CameraView(camera: TurningCamera.camera, pose: pose))
            poses.append(pose)
        }
        let verdict = check.verdict(poses: poses)
        #expect(verdict.revisitCount == 4)
        let drift = try #require(verdict.drift)
        #expect(drift.offset < 1e-3, "\(drift)")
    }

    /// A frame that never looked elsewhere has drifted from nothing, and what does not fit any more tells nothing either.
    @Test func whatIsNoPlaceSeenAgain() {
        var check = GeometryCheck(frames: 0..<20)
        let (pose, depth) = (Self.camera.pose(0), Self.camera.depth(from: Self.camera.pose(0)))
        for index in 0..<20 {
            check.add(index: index, depth: depth, view: CameraView(camera: TurningCamera.camera, pose: pose))
        }
        #expect(check.verdict(poses: Array(repeating: pose, count: 20)).revisitCount == 0)
        var generator = SplitMix(seed: 4)
        var drift = PathDrift(frames: 0..<Self.camera.frameCount)
        Self.camera.frames(spoil: { $1 }) { index, depth, view in
            var depth = depth
            if index >= Self.halfway {
                depth.metres = depth.metres.map { $0 * Float.random(in: 0.8..<1.2, using: &generator) }
            }
            drift.add(index: index, depth: depth, view: view)
        }
        #expect(drift.revisits.allSatisfy { $0.frames.upperBound < Self.halfway })
    }

    /// Of a long capture, 128 frames are compared, evenly spread.
    @Test func framesOfALongCapture() {
        let camera = TurningCamera(frameCount: 64)
        var drift = PathDrift(frames: 0..<320)
        for place in 0..<64 {
            let pose = camera.pose(place)
            let (depth, view) = (camera.depth(from: pose), CameraView(camera: TurningCamera.camera, pose: pose))
            for index in 5 * place..<5 * place + 5 { drift.add(index: index, depth: depth, view: view) }
        }
        let (due, seeingAgain) = ((0..<128).map { $0 * 320 / 128 }, drift.revisits.map(\.frames.upperBound))
        #expect(seeingAgain.count > 50 && seeingAgain == due.suffix(seeingAgain.count))
        #expect(drift.revisits.allSatisfy { due.contains($0.frames.lowerBound) })
    }

    /// Two may see what was moved; three tell.
    @Test(arguments: 1...3) func fewRevisits(count: Int) {
        var drift = PathDrift(frames: 0..<count + 2)
        for index in 0..<count + 2 {
            let pose = Self.camera.pose(index == 1 ? Self.camera.frameCount / 4 : 0)
            drift.add(
                index: index, depth: Self.camera.depth(from: pose),
                view: CameraView(camera: TurningCamera.camera, pose: pose))
        }
        #expect(drift.revisits.map(\.frames) == (2..<count + 2).map { 0...$0 })
        #expect((drift.typicalWorst == nil) == (count < 3))
    }

    /// What a tenth of the revisits exceed, and two at least, tells how far the path drifts.
    @Test(arguments: [(2, false), (3, true)]) func framesThatSeeWhatWasMoved(count: Int, tells: Bool) throws {
        let camera = TurningCamera(frameCount: 40, laps: 1.25)
        var drift = PathDrift(frames: 0..<camera.frameCount)
        camera.frames(
            spoil: { $1 },
            see: { index, pose in
                var pose = pose
                if (35..<35 + count).contains(index) { pose.position = pose.position + Vector3(-0.2, 0, 0.15) }
                return camera.depth(from: pose)
            }
        ) { drift.add(index: $0, depth: $1, view: $2) }
        #expect((5...15).contains(drift.revisits.count))
        let worst = try #require(drift.typicalWorst)
        #expect(tells ? worst.share > 0.04 : worst.share < 0.01, "\(worst)")
    }
}
