import ScanModel
import TestSupport
import Testing

@Suite struct ScatterPointsTests {
    /// Two cameras 2 m apart: the middle is at (5, 1, 0), the farthest camera 1 m away.
    private var cameras: MemoryCapture {
        MemoryCapture(
            [Vector3(4, 1, 0), Vector3(6, 1, 0)].map { .init(pose: Pose(rotation: .identity, position: $0)) })
    }

    private func scattered(_ options: String, in capture: MemoryCapture) throws -> PointCloud {
        try #require(try StageRun("- scatter-points: \(options)", on: capture, probing: [.cloud]).capture.cloud)
    }

    /// The least, the mean and the greatest number along each axis.
    private func spread(_ cloud: PointCloud) -> [(least: Double, mean: Double, most: Double)] {
        (0..<3).map { axis in
            let numbers = (0..<cloud.count).map { Double(cloud.positions[3 * $0 + axis]) }
            return (numbers.min() ?? 0, numbers.reduce(0, +) / Double(cloud.count), numbers.max() ?? 0)
        }
    }

    /// Of n even numbers in −h…h the mean is off by h/√(3n) (one standard deviation), the ends by about 2h/n.
    @Test func aCubeAboutTheCameras() throws {
        let cloud = try scattered("{count: 20000}", in: cameras)
        #expect(cloud.count == 20_000)
        #expect(cloud.colors == [UInt8](repeating: 128, count: 60_000))
        for (found, middle) in zip(spread(cloud), [5.0, 1, 0]) {
            #expect(abs(found.least - (middle - 3)) < 0.01 && found.least >= middle - 3)
            #expect(abs(found.most - (middle + 3)) < 0.01 && found.most <= middle + 3)
            #expect(abs(found.mean - middle) < 0.06)
        }
        #expect(abs(spread(try scattered("{count: 20000, reach: 10}", in: cameras))[1].most - 11) < 0.03)
    }

    @Test func theBoxIsFilledAsItLies() throws {
        var capture = cameras
        let box = OrientedBox(
            center: Vector3(1, 2, 3), worldFromBox: .rotation(aboutY: 0.5), halfSize: Vector3(2, 0.5, 1), floor: 2)
        capture.box = box
        let cloud = try scattered("{count: 5000, within: box}", in: capture)
        let margin = OrientedBox(
            center: box.center, worldFromBox: box.worldFromBox, halfSize: box.halfSize + Vector3(1e-6, 1e-6, 1e-6))
        #expect((0..<cloud.count).allSatisfy { margin.contains(cloud[$0]) && cloud[$0].y >= 2 - 1e-6 })
        // Its longest edge, along the box's own x axis.
        let along = (0..<cloud.count).map { box.worldFromBox.columns.0.dot(cloud[$0] - box.center) }
        #expect(try #require(along.max()) > 1.98 && (try #require(along.min())) < -1.98)
    }

    @Test func theSeedDeterminesThePlaces() throws {
        let first = try scattered("{count: 100}", in: cameras)
        #expect(try scattered("{count: 100}", in: cameras) == first)
        #expect(try scattered("{count: 100, seed: 2}", in: cameras) != first)
    }

    @Test func pointsThatAreThereStay() throws {
        var capture = cameras
        capture.items[0].points = PointCloud(positions: [1, 2, 3])
        let run = try StageRun("- voxel-downsample\n- scatter-points", on: capture, probing: [.cloud])
        #expect(run.capture.cloud == PointCloud(positions: [1, 2, 3]))
        #expect(run.count("scatter-points", "points-there-already") == 1)
        #expect(run.count("scatter-points", "points-scattered") == nil)
        // Points of frames are none that a cloud may stand before.
        let hidden = problem { _ = try StageRun("- scatter-points", on: capture) }
        #expect(
            hidden?.fault == .input
                && hidden?.summary == "the frames have points of their own, which random ones would replace")
        // A cloud of which nothing is left stays empty, so that what emptied it is seen.
        let emptied = try StageRun(
            "- voxel-downsample\n- crop: {above: 9, if-empty: warn}\n- scatter-points: {count: 7}", on: capture,
            probing: [.cloud])
        #expect(emptied.capture.cloud?.count == 0)
        #expect(emptied.count("scatter-points", "points-scattered") == nil)
    }

    /// The cameras of frames that were dropped have no part in it.
    @Test func camerasThatAreLeft() throws {
        var capture = cameras
        capture.items.append(.init(pose: Pose(rotation: .identity, position: Vector3(500, 0, 0))))
        let run = try StageRun(
            "- select-frames: {exclude: [2]}\n- scatter-points: {count: 100}", on: capture, probing: [.cloud])
        #expect(spread(try #require(run.capture.cloud))[0].most <= 8)
    }

    @Test func camerasInOnePlaceAndMistakes() throws {
        var capture = cameras
        capture.items.removeLast()
        let oneCamera = problem { _ = try StageRun("- scatter-points", on: capture) }
        #expect(
            oneCamera?.fault == .input
                && oneCamera?.summary == "all cameras stand in one place, so it is unknown how far the scene reaches")
        #expect(oneCamera?.fix == "use a pipeline without scatter-points for captures like this one")
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        let boxed = problem { _ = try StageRun("- scatter-points", on: capture) }
        #expect(boxed?.fix == "fill the capture's box with  --set scatter-points.within=box")
        #expect(
            StageRun.mistakes(in: "- decompress\n- unproject\n- scatter-points") == [
                "`unproject` above gives every frame points of its own"
            ])
        let merged = "- decompress\n- unproject\n- voxel-downsample\n"
        #expect(StageRun.mistakes(in: merged + "- scatter-points").isEmpty)
        #expect(StageRun.mistakes(in: merged + "- unproject\n- scatter-points").count == 1)
    }

    /// Without cameras there is no cube about them either.
    @Test func whatACaptureWithoutABoxCanSet() throws {
        var capture = MemoryCapture([.init()])
        let stages = "- scatter-points: {within: box}\n- write-ply"
        let posed = try StageRun.refusal(stages, of: capture)
        #expect(posed?.fix == "do without `within: box` with  --set scatter-points.within=cameras")
        capture.items[0].pose = nil
        let plain = try StageRun.refusal(stages, of: capture)
        #expect(plain?.summary == "scatter-points needs box, and this capture has none")
        #expect(plain?.fix?.hasPrefix("use a pipeline without scatter-points for captures like this one") == true)
    }

    /// What the stage is for: a model without points that trainers can start from.
    @Test func aModelOfPicturesAloneHasPoints() throws {
        let run = try StageRun("- scatter-points: {count: 50}\n- write-colmap", on: try MemoryCapture.posed(3))
        #expect(run.count("write-colmap", "points") == 50)
        #expect(run.count("scatter-points", "points-scattered") == 50)
        let notes = run.receipt["notes"]?.array?.compactMap(\.string) ?? []
        #expect(
            notes.contains("scatter-points: the capture has no points: 50 random ones stand in for them"), "\(notes)")
        let lines = try run.text("colmap/sparse/0/points3D.txt").split(separator: "\n").filter { $0.first != "#" }
        #expect(lines.count == 50 && lines.allSatisfy { $0.contains(" 128 128 128 ") })
    }
}
