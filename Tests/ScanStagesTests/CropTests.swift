import ScanModel
import TestSupport
import Testing

@Suite struct CropTests {
    /// Points at 1 m steps, through a grid that leaves each by itself.
    private func kept(_ options: String, _ points: [[Float]], positions: [Vector3] = [.zero]) throws -> [[Float]] {
        var items = positions.map { MemoryCapture.Item(pose: Pose(rotation: .identity, position: $0)) }
        items[0].points = PointCloud(positions: Array(points.joined()))
        let run = try StageRun("- voxel-downsample: {size: 0.001}\n- crop: \(options)", on: MemoryCapture(items))
        let cloud = try #require(run.capture.cloud)
        return (0..<cloud.count).map { i in (0..<3).map { cloud.positions[3 * i + $0] } }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
    }

    @Test func cutsByHeight() throws {
        let points: [[Float]] = (-3...3).map { [0, Float($0), 0] }
        #expect(try kept("{above: -1, below: 2}", points).map { $0[1] } == [-1, 0, 1, 2])
        #expect(try kept("{above: 1.5}", points).map { $0[1] } == [2, 3])
        #expect(try kept("{below: -2}", points).map { $0[1] } == [-3, -2])
    }

    @Test func cutsByDistanceOnTheGround() throws {
        let points: [[Float]] = [[0, 9, 0], [3, 0, 4], [3, 5, 4.01], [-5, 0, 0]]
        #expect(try kept("{around: 5, centre: origin}", points) == [[-5, 0, 0], [0, 9, 0], [3, 0, 4]])
        // The cameras' middle is at (−1, 0, 0).
        let cameras = [Vector3(-3, 1, 0), Vector3(1, -1, 0)]
        #expect(try kept("{around: 4}", points, positions: cameras) == [[-5, 0, 0], [0, 9, 0]])
    }

    /// A camera of a frame that was dropped has no part in the middle.
    @Test func theMiddleIsThatOfTheFramesThatAreLeft() throws {
        var items = [Vector3.zero, Vector3(100, 0, 0)].map {
            MemoryCapture.Item(pose: Pose(rotation: .identity, position: $0))
        }
        items[0].points = PointCloud(positions: [1, 0, 0, 50, 0, 0])
        let run = try StageRun(
            "- select-frames: {exclude: [1]}\n- voxel-downsample: {size: 0.001}\n- crop: {around: 4}",
            on: MemoryCapture(items))
        #expect(run.capture.cloud?.positions == [1, 0, 0])
    }

    @Test func heightsStartAtTheFloorThatWasFound() throws {
        var points: [[Float]] = []
        for x in 0..<60 { for z in 0..<60 { points.append([Float(x) * 0.02, -1.2, Float(z) * 0.02]) } }
        points += [[0, -0.9, 0], [0, -0.5, 0]]
        var items = [MemoryCapture.Item(pose: .identity)]
        items[0].points = PointCloud(positions: Array(points.joined()))
        let stages = "- voxel-downsample: {size: 0.001}\n- find-floor\n"
        let run = try StageRun(stages + "- crop: {above: 0.2, below: 0.5}", on: MemoryCapture(items))
        #expect(run.capture.cloud?.count == 1)
        let world = try StageRun(stages + "- crop: {above: -0.6, from: origin}", on: MemoryCapture(items))
        #expect(world.capture.cloud?.count == 1)
    }

    @Test func optionsThatLeaveNothingAreRefused() {
        #expect(
            StageRun.mistakes(in: "- crop: {above: 2, below: 1}").contains(
                "`above: 2.0` and `below: 1.0` leave nothing"))
        #expect(StageRun.mistakes(in: "- crop").contains("crop has nothing to do"))
    }
}
