import ScanModel
import Testing

@Suite struct TrajectoryTests {
    private func frame(_ index: Int, _ seconds: Double?, _ position: Vector3, degrees: Double = 0) -> FrameFacts {
        var facts = FrameFacts(index: index)
        facts.timestamp = seconds.map { 1_000_000_000_000 + Int64(($0 * 1e9).rounded()) }
        facts.pose = Pose(rotation: .rotation(aboutY: degrees * .pi / 180), position: position)
        return facts
    }

    /// Along x by these ways, a tenth of a second each.
    private func walk(_ ways: [Double]) -> [FrameFacts] {
        var x = 0.0
        return [frame(0, 0, .zero)]
            + ways.enumerated().map { number, way in
                x += way
                return frame(number + 1, Double(number + 1) / 10, Vector3(x, 0, 0))
            }
    }

    private func isNear(_ a: Double?, _ b: Double) -> Bool { a.map { abs($0 - b) < 1e-9 } ?? false }

    @Test func stepsHaveAWayAnAngleAndATime() throws {
        let trajectory = Trajectory([
            frame(0, 0, .zero), frame(1, 0.5, Vector3(0.3, 0, 0.4), degrees: 20),
            frame(2, 0.75, Vector3(0.3, 0.1, 0.4), degrees: 350),
        ])
        #expect(trajectory.steps.map(\.to) == [1, 2])
        #expect(isNear(trajectory.length, 0.6))
        #expect(isNear(trajectory.steps[0].speed, 1))
        #expect(isNear(trajectory.steps[0].turning, 40))
        #expect(isNear(trajectory.steps[1].degrees, 30))
        #expect(isNear(trajectory.steps[1].turning, 120))
    }

    @Test func aFramesRateIsThatOfTheStepThatLeadsToIt() {
        let trajectory = Trajectory(walk([0.01, 0.02, 0.03]))
        // The first has that of the step behind it.
        for (frame, speed) in [0.1, 0.1, 0.2, 0.3].enumerated() {
            #expect(isNear(trajectory.rate(at: frame)?.speed, speed), "\(frame)")
        }
        #expect(trajectory.rate(at: 4) == nil && trajectory.rate(at: -1) == nil)
    }

    /// A pose that is wrong by itself makes two jumps; a camera that is swung, many.
    @Test func manyJumpsInARowAreMovement() {
        let glitch = Trajectory(walk([0.01, 2, -2, 0.01]))
        #expect(glitch.jumps.count == 2)
        #expect(glitch.rate(at: 2) == nil)
        let swing = Trajectory(walk([0.01, 0.4, 0.5, 0.6, 0.01]))
        #expect(swing.jumps.map(\.to) == [2, 3, 4])
        for (frame, speed) in [(1, 0.1), (2, 4), (3, 5), (4, 6), (5, 0.1)] {
            #expect(isNear(swing.rate(at: frame)?.speed, speed), "\(frame)")
        }
        #expect(isNear(swing.velocity(at: 3)?.linear.x, 5.5))
    }

    @Test func whatWasDroppedIsAStationAllTheSame() {
        var frames = walk([0.01, 0.02, 0.03])
        frames[1].drop = Drop(stage: "filter-blur", reason: "")
        #expect(isNear(Trajectory(frames).rate(at: 2)?.speed, 0.2))
    }

    @Test func framesWithoutAPoseAreSteppedOver() {
        var frames = walk([0.01, 0.02, 0.03])
        frames[2].pose = nil
        frames[0].pose = Pose(rotation: .identity, position: Vector3(.nan, 0, 0))
        let trajectory = Trajectory(frames)
        #expect(trajectory.stationCount == 2)
        #expect(trajectory.steps.map(\.from) == [1] && trajectory.steps.map(\.to) == [3])
        // 5 cm in a fifth of a second.
        #expect(isNear(trajectory.rate(at: 3)?.speed, 0.25))
        #expect(trajectory.rate(at: 2) == nil)
    }

    @Test func aClockThatStandsStillOrGoesBackTellsNoSpeed() {
        var frames = walk([0.01, 0.02, 0.03])
        frames[2].timestamp = frames[1].timestamp
        let trajectory = Trajectory(frames)
        #expect(trajectory.steps.map { $0.seconds != nil } == [true, false, true])
        // Frame 2 has that of the step behind it, 3 cm in two tenths.
        #expect(isNear(trajectory.rate(at: 2)?.speed, 0.15))
        frames[3].timestamp = nil
        #expect(Trajectory(frames).rate(at: 2) == nil)
        #expect(isNear(Trajectory(frames).length, 0.06))
    }

    @Test func timesFarApartDoNotOverflow() {
        #expect(Timestamp.seconds(from: .min, to: .max) > 1.8e10)
        #expect(Timestamp.seconds(from: 5, to: 1_000_000_005) == 1)
    }

    // MARK: - Jumps

    @Test func aStepThatNoHandMakesIsAJump() throws {
        let trajectory = Trajectory(walk([0.01, 0.02, 0.5, 0.03, 0.04]))
        let jump = try #require(trajectory.jumps.first)
        #expect(trajectory.jumps.count == 1)
        #expect(jump.to == 3 && isNear(jump.metres, 0.5))
        // It is no speed of anything: the frame it leads to has that of the step behind it.
        #expect(isNear(trajectory.rate(at: 3)?.speed, 0.3))
        #expect(isNear(trajectory.rate(at: 2)?.speed, 0.2))
        #expect(isNear(trajectory.rate(at: 4)?.speed, 0.3))
        #expect(isNear(trajectory.velocity(at: 2)?.linear.x, 0.2))
        // Nor is it a way that the camera went.
        #expect(isNear(trajectory.length, 0.1))
        // Several in a row are movement.
        #expect(isNear(Trajectory(walk([0.01, 0.5, 0.5, 0.5])).length, 1.51))
    }

    /// At any rate of frames: seldom pictures leave time for a way that is no way back.
    @Test(
        arguments: [
            ([0.01, 1, -1, 0.01], 1, true), ([0.01, 1, -0.6, 0.01], 1, true), ([0.01, 1, -0.3, 0.01], 1, false),
            ([0.01, 1, 1, 0.01], 1, false), ([0.01, 1, -1, 1, 0.01], 1, false), ([0.01, 1, 0.01, -1], 1, false),
            ([0.01, 8, -6.5, 0.01], 20, true), ([0.01, 12, -6.5, 0.01], 20, true), ([0.01, 1, -1.4, 0.01], 1, true),
            ([0.01, 3, -0.5, 0.01], 1, false), ([0.01, 3, -2.3, 0.01], 1, false), ([0.01, 0.7, -0.34, 0.01], 1, false),
        ] as [([Double], Double, Bool)])
    func aJumpThatUndoesTheOneBefore(_ ways: [Double], slower: Double, isBack: Bool) {
        let frames = walk(ways).map { facts in
            var facts = facts
            facts.timestamp = facts.timestamp.map { Int64(Double($0 - 1_000_000_000_000) * slower) }
            return facts
        }
        #expect(Trajectory(frames).steps.map { $0.jump == .back } == (0..<ways.count).map { isBack && $0 == 2 })
    }

    @Test func aTurnThatUndoesTheOneBefore() {
        var frames = walk([0.01, 0.01, 0.01, 0.01])
        frames[2].pose?.rotation = .rotation(aboutY: .pi / 3)
        #expect(Trajectory(frames).steps.map(\.jump) == [nil, .away, .back, nil])
        for index in 3...4 {
            frames[index].pose?.rotation = Quaternion(rotationVector: Vector3(.pi / 2, 0, 0)).matrix
        }
        #expect(Trajectory(frames).jumps.map(\.jump) == [.away, .away])
    }

    @Test func turningJumpsToo() {
        var frames = walk([0.01, 0.01, 0.01])
        for index in 2...3 { frames[index].pose?.rotation = .rotation(aboutY: .pi / 4) }
        // 45° in a tenth of a second are 450°/s.
        #expect(Trajectory(frames).jumps.map(\.to) == [2])
        #expect(Trajectory(frames, jumps: .init(turning: 500)).jumps.isEmpty)
    }

    @Test func limitsDecideWhatAJumpIs() {
        let frames = walk([0.01, 0.2, 0.01])
        #expect(Trajectory(frames).jumps.isEmpty)
        #expect(Trajectory(frames, jumps: .init(speed: 1.9)).jumps.map(\.to) == [2])
    }

    @Test func aTremblingClockMakesNoJump() {
        // 4 cm in a millisecond are 40 m/s.
        let frames = [frame(0, 0, .zero), frame(1, 0.001, Vector3(0.04, 0, 0)), frame(2, 0.1, Vector3(0.05, 0, 0))]
        #expect(Trajectory(frames).jumps.isEmpty)
    }

    /// From 5 cm and from 10° on a step may be a jump, however short the time it took.
    @Test(arguments: [(0.049, 0.0, false), (0.051, 0.0, true), (0.0, 9.9, false), (0.0, 10.1, true)])
    func lengthsFromWhichAStepMayBeAJump(metres: Double, degrees: Double, isJump: Bool) {
        let there = Vector3(metres, 0, 0)
        let frames = [
            frame(0, 0, .zero), frame(1, 0.001, there, degrees: degrees), frame(2, 0.1, there, degrees: degrees),
        ]
        #expect(Trajectory(frames).jumps.map(\.to) == (isJump ? [1] : []))
    }

    // MARK: - Velocity

    @Test func velocityIsInTheCamerasOwnAxes() throws {
        // Turned by a quarter about y the camera looks along −x of the world, and the world's +x is its back.
        let frames = (0...2).map { frame($0, Double($0) / 10, Vector3(Double($0) / 100, 0, 0), degrees: 90) }
        let velocity = try #require(Trajectory(frames).velocity(at: 1))
        #expect(isNear(velocity.linear.z, 0.1))
        #expect(abs(velocity.linear.x) < 1e-12 && abs(velocity.linear.y) < 1e-12)
    }

    @Test func velocityIsTheCentralDifference() throws {
        let frames = [
            frame(0, 0, .zero, degrees: 0), frame(1, 0.1, Vector3(0.01, 0, 0), degrees: 1),
            frame(2, 0.3, Vector3(0.05, 0, 0), degrees: 7),
        ]
        let trajectory = Trajectory(frames)
        let middle = try #require(trajectory.velocity(at: 1))
        #expect(isNear(middle.linear.length, 0.05 / 0.3))
        #expect(isNear(middle.angular.y, 7 * .pi / 180 / 0.3))
        // At the ends, the one step there is.
        #expect(isNear(trajectory.velocity(at: 0)?.linear.length, 0.1))
        #expect(isNear(trajectory.velocity(at: 2)?.linear.length, 0.2))
        #expect(trajectory.velocity(at: 3) == nil)
    }

    @Test func aLoneFrameHasNoSpeed() {
        let trajectory = Trajectory([frame(0, 0, .zero)])
        #expect(trajectory.rate(at: 0) == nil && trajectory.velocity(at: 0) == nil && trajectory.length == 0)
        #expect(Trajectory([]).stationCount == 0)
    }
}
