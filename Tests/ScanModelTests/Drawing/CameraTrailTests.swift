import ScanModel
import Testing

@Suite struct CameraTrailTests {
    private static func frames(_ places: [Double?], seconds: [Double?]) -> [FrameFacts] {
        zip(places, seconds).enumerated().map { index, frame in
            var facts = FrameFacts(index: index)
            facts.pose = frame.0.map { Pose(rotation: .identity, position: Vector3($0, 0, 0)) }
            facts.timestamp = frame.1.map { Int64($0 * 1e9) + 77_000_000_000 }
            return facts
        }
    }

    @Test func timeGoesFromTheFirstToTheLast() {
        let trail = CameraTrail(Self.frames([0, 1, 2, 3], seconds: [0, 1, 3, 4]), by: .time)
        #expect(trail.stations.map(\.shade) == [0, 0.25, 0.75, 1])
        #expect(trail.limits == 0...4 && trail.measure == .time)
    }

    @Test func speedIsThatOfTheStepThatLeadsToAPlace() {
        // 2, 1 and 4 m/s; of four values the last twentieth begins with the highest.
        let trail = CameraTrail(Self.frames([0, 2, 3, 5], seconds: [0, 1, 2, 2.5]), by: .speed)
        #expect(trail.stations.map(\.shade) == [0.5, 0.5, 0.25, 1])
        #expect(trail.limits == 0...4)
    }

    /// Red on the picture of a slow capture would be what is red on that of a fast one.
    @Test(arguments: [
        (1.0, 8.0, [0.125, 0.125, 0.0625, 0.25]), (1, 2, [0.5, 0.5, 0.25, 1]), (2, 3, [0.5, 0.5, 0.25, 1]),
    ])
    func slowCapturesAreNotRed(factor: Double, tooFast: Double, shades: [Double]) {
        // 1, 0.5 and 2 m/s, and what is so many times as fast.
        let places: [Double?] = [0, 1, 1.5, 2.5].map { $0 * factor }
        let trail = CameraTrail(Self.frames(places, seconds: [0, 1, 2, 2.5]), by: .speed, tooFast: tooFast)
        #expect(trail.stations.map(\.shade) == shades && trail.limits == 0...max(tooFast, 2 * factor))
    }

    /// On a curve, the way past the frames that were left out is longer than the straight one.
    @Test func framesThatWereLeftOutSlowNobodyDown() {
        var frames = Self.frames([0, 1, 0, 1, 0], seconds: [0, 1, 2, 3, 4])
        for index in [1, 3] { frames[index].drop = Drop(stage: "select-every", reason: "not wanted") }
        let trail = CameraTrail(frames, by: .speed)
        #expect(trail.stations.map(\.pose.position.x) == [0, 0, 0])
        #expect(trail.limits == 0...1 && trail.stations.allSatisfy { $0.shade == 1 })
    }

    @Test func aJumpDoesNotMakeTheRestLookSlow() {
        var places: [Double?] = (0..<100).map(Double.init)
        for i in 50..<100 { places[i] = places[i].map { $0 + 1000 } }
        let trail = CameraTrail(Self.frames(places, seconds: (0..<100).map(Double.init)), by: .speed)
        #expect(trail.limits == 0...1 && trail.stations.allSatisfy { $0.shade == 1 })
    }

    @Test func withoutTimesFramesAreCounted() {
        for seconds in [[nil, nil, nil], [0, nil, 2], [0, 2, 1]] as [[Double?]] {
            let trail = CameraTrail(Self.frames([0, 5, 6], seconds: seconds), by: .speed)
            #expect(trail.stations.map(\.shade) == [0, 0.5, 1])
            #expect(trail.limits == 0...2 && trail.measure == .number)
        }
    }

    @Test func framesWithoutAPoseArePassedOver() {
        let trail = CameraTrail(Self.frames([nil, 1, nil, 3], seconds: [0, 1, nil, 3]), by: .time)
        #expect(trail.stations.map(\.pose.position.x) == [1, 3])
        #expect(trail.limits == 0...2)
        #expect(CameraTrail([], by: .speed).stations.isEmpty)
        #expect(CameraTrail(Self.frames([4], seconds: [1]), by: .speed).stations.map(\.shade) == [0])
    }

    @Test func stepsWithoutTimeHaveTheSpeedBefore() {
        let trail = CameraTrail(Self.frames([0, 1, 9, 10], seconds: [0, 1, 1, 2]), by: .speed)
        #expect(trail.stations.map(\.shade) == [1, 1, 1, 1] && trail.limits == 0...1)
    }
}
