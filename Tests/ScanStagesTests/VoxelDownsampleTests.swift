import ScanModel
import TestSupport
import Testing

@Suite struct VoxelDownsampleTests {
    private func cloud(_ frames: [MemoryCapture.Item], size: Double) throws -> PointCloud? {
        let run = try StageRun("- voxel-downsample: {size: \(size)}", on: MemoryCapture(frames), probing: [.cloud])
        #expect(run.count("voxel-downsample", "voxels") == run.capture.cloud?.count)
        return run.capture.cloud
    }

    @Test func aPointOnAFaceBelongsToTheCubeAboveIt() throws {
        let below = Float(0.5).nextDown
        let cloud = try cloud([.init(points: [0.5, 0, 0, below, 0, 0, 0, 0, 0, 0.75, 0, 0])], size: 0.5)
        // Cube 1 holds 0.5 and 0.75, cube 0 the others; cubes stay in the order in which they were met.
        #expect(cloud?.positions == [0.625, 0, 0, below / 2, 0, 0])
    }

    @Test func cubesBelowTheOriginReachDownwards() throws {
        // floor(−0.1 / 0.5) = −1, floor(−0.5 / 0.5) = −1, floor(−0.51 / 0.5) = −2.
        let cloud = try cloud(
            [.init(points: [-0.125, -0.125, -0.125, -0.5, -0.5, -0.5, -0.75, -0.125, -0.125, 0, 0, 0])], size: 0.5)
        #expect(cloud?.positions == [-0.3125, -0.3125, -0.3125, -0.75, -0.125, -0.125, 0, 0, 0])
    }

    @Test func theFaceIsWhereTheQuotientSaysNotTheProduct() throws {
        // 49 / 49 is 1, and 49 · (1/49) is a little less than 1 in double precision.
        #expect(49 * (1.0 / 49) < 1)
        #expect(try cloud([.init(points: [49, 0, 0, 48, 0, 0])], size: 49)?.positions == [49, 0, 0, 48, 0, 0])
    }

    @Test func coloursAreMeansRoundedToTheNearest() throws {
        // Means 1.5, 1/3, 250; halves go up.
        let cloud = try cloud(
            [
                .init(points: [0, 0, 0, 0.25, 0, 0], colors: [1, 0, 250, 2, 0, 250]),
                .init(points: [5, 0, 0, 5, 0, 0, 5, 0, 0], colors: [0, 0, 255, 0, 1, 255, 1, 1, 255]),
            ], size: 1)
        #expect(cloud == PointCloud(positions: [0.125, 0, 0, 5, 0, 0], colors: [2, 0, 250, 0, 1, 255]))
        #expect(try self.cloud([.init(points: [0, 0, 0])], size: 1)?.colors == nil)
    }

    @Test func pointsOfSeveralFramesMeetInOneCube() throws {
        let run = try StageRun(
            "- voxel-downsample: {size: 2}",
            on: MemoryCapture([
                .init(points: [0, 0, 0]), .init(points: [1, 0, 0, 3, 0, 0]), .init(points: []),
                .init(points: [0.5, 0, 0]),
            ]),
            probing: [.cloud])
        #expect(run.capture.cloud?.positions == [0.5, 0, 0, 3, 0, 0])
        #expect(run.count("voxel-downsample", "points") == 4)
        #expect(run.count("voxel-downsample", "voxels") == 2)
    }

    @Test func pointsTooFarOutAreCountedAndSaid() throws {
        let run = try StageRun(
            "- voxel-downsample: {size: 0.001}",
            on: MemoryCapture([.init(points: [2000, 0, 0, 1, 1, 1, 0, -.infinity, 0])]),
            probing: [.cloud])
        #expect(run.capture.cloud?.count == 1)
        #expect(
            run.warnings == [
                "voxel-downsample: 2 points lie more than a million voxels from the origin and were left out"
            ])
        let one = try StageRun(
            "- voxel-downsample: {size: 0.001}", on: MemoryCapture([.init(points: [2000, 0, 0, 1, 1, 1])]))
        #expect(
            one.warnings == [
                "voxel-downsample: 1 point lies more than a million voxels from the origin and was left out"
            ])
    }

    /// A world whose origin is at the other end of the country: an empty cloud is no result.
    @Test func noPointsThatAreNearEnough() throws {
        let far = try #require(
            problem {
                _ = try StageRun("- voxel-downsample: {size: 0.001}", on: MemoryCapture([.init(points: [2000, 0, 0])]))
            })
        #expect(far.fault == .input && far.summary == "the only point lies more than a million voxels from the origin")
        #expect(far.fix?.hasPrefix("they lie far from the cameras too: ") == true)
        var astray = MemoryCapture([.init(points: [2000, 0, 0])])
        astray.items[0].pose = Pose(rotation: .identity, position: Vector3(2000, 1, 0))
        let there = problem { _ = try StageRun("- voxel-downsample: {size: 0.001}", on: astray) }
        #expect(there?.fix?.hasPrefix("move the origin of the world near the scene") == true)
        // Where there were none before, that is for others to say.
        let none = try StageRun("- voxel-downsample", on: MemoryCapture([.init(points: [])]), probing: [.cloud])
        #expect(none.capture.cloud?.count == 0)
    }

    /// Of the points of a mesh only as long as no others have taken their place.
    @Test func whosePointsAreMerged() {
        let mesh = "- read\n- decompress\n- fuse-depth\n- sample-mesh\n"
        #expect(PipelineRun.mistakes(mesh + "- voxel-downsample\n- write-ply") == [])
        #expect(PipelineRun.mistakes(mesh + "- unproject\n- voxel-downsample\n- write-ply") == [])
        let unproject = "- read\n- decompress\n- unproject\n- fuse-depth\n- sample-mesh\n"
        #expect(PipelineRun.mistakes(unproject + "- voxel-downsample\n- write-ply") == [])
    }

    @Test func theBytesAreTheSameForAnyNumberOfWorkers() throws {
        var dice = SplitMix(seed: 20)
        let frames = (0..<40).map { _ in
            MemoryCapture.Item(
                points: (0..<900).map { _ in Float.random(in: -1...1, using: &dice) },
                colors: (0..<900).map { _ in UInt8.random(in: .min ... .max, using: &dice) })
        }
        let results = try [1, 2, 8].map { workers in
            let run = try StageRun(
                "- voxel-downsample: {size: 0.13}\n- write-ply", on: MemoryCapture(frames), workers: workers)
            return [try run.bytes("memory.ply"), try run.bytes("receipt.json")]
        }
        #expect(results[0][0].count > 15 * 2000)
        #expect(results[1] == results[0])
        #expect(results[2] == results[0])
    }

    @Test func theSumsAreThoseOfPlainArithmetic() throws {
        var dice = SplitMix(seed: 21)
        let points = (0..<3000).map { _ in Float.random(in: -2...2, using: &dice) }
        let cloud = try #require(try cloud([.init(points: points)], size: 0.5))
        var cubes: [[Int]: [SIMD3<Double>]] = [:]
        for i in stride(from: 0, to: points.count, by: 3) {
            let p = SIMD3(Double(points[i]), Double(points[i + 1]), Double(points[i + 2]))
            cubes[[p.x, p.y, p.z].map { Int(($0 * 2).rounded(.down)) }, default: []].append(p)
        }
        #expect(cloud.count == cubes.count)
        for i in 0..<cloud.count {
            let found = SIMD3(cloud.positions[3 * i], cloud.positions[3 * i + 1], cloud.positions[3 * i + 2])
            let cube = [found.x, found.y, found.z].map { Int(($0 * 2).rounded(.down)) }
            let members = try #require(cubes[cube])
            let mean = members.reduce(SIMD3(repeating: 0.0), +) / Double(members.count)
            #expect(
                abs(Double(found.x) - mean.x) + abs(Double(found.y) - mean.y) + abs(Double(found.z) - mean.z) < 1e-6)
        }
    }

    /// A fine cloud and a coarse one of the same pipeline: what was cut off in between stays cut off.
    @Test func aSecondOneMergesWhatTheFirstHasLeft() throws {
        let capture = MemoryCapture([
            .init(points: [0, 0, 0, 0.1, 0, 0, 0.1, 0, 0, 3, 0, 0]), .init(points: [0.6, 0, 0]),
        ])
        let run = try StageRun(
            "- voxel-downsample: {size: 0.05}\n- crop: {around: 1, centre: origin}\n- voxel-downsample: {size: 0.5}",
            on: capture, probing: [.cloud])
        // Each point of the first cloud counts as one, whatever it was made of.
        #expect(run.capture.cloud?.positions == [0.05, 0, 0, 0.6, 0, 0])
        #expect(run.count("voxel-downsample[2]", "points") == 3)
        #expect(run.count("voxel-downsample[2]", "voxels") == 2)
    }

    /// Points of a voxel count together, whichever frames they come from.
    @Test func voxelsWithTooFewPointsAreLeftOut() throws {
        let capture = MemoryCapture([
            .init(points: [0, 0, 0, 3, 0, 0, 5, 0, 0]), .init(points: [0.5, 0, 0, 5, 0, 0]), .init(points: [5, 0, 0]),
        ])
        func cloud(_ minPoints: Int) throws -> StageRun {
            try StageRun("- voxel-downsample: {size: 1, min-points: \(minPoints)}", on: capture, probing: [.cloud])
        }
        let pairs = try cloud(2)
        #expect(pairs.capture.cloud?.positions == [0.25, 0, 0, 5, 0, 0])
        #expect(pairs.count("voxel-downsample", "voxels") == 2)
        #expect(pairs.count("voxel-downsample", "sparse-voxels") == 1)
        #expect(pairs.warnings == [])
        let none = try #require(problem { _ = try cloud(4) })
        #expect(none.fault == .input)
        #expect(none.summary == "none of 3 voxels has 4 points: nothing would be left of the cloud")
        let one = problem {
            _ = try StageRun("- voxel-downsample: {size: 100, min-points: 9}", on: capture, probing: [.cloud])
        }
        #expect(one?.summary == "the only voxel has fewer than 9 points: nothing would be left of the cloud")
        #expect(try cloud(1).count("voxel-downsample", "sparse-voxels") == nil)
    }

    /// As somebody means it who thinks in centimetres.
    @Test func voxelsAsLargeAsARoomAreSaid() throws {
        var capture = MemoryCapture([.init(points: [0, 0, 0])])
        let run = try StageRun("- voxel-downsample: {size: 5}", on: capture)
        let words = "voxel-downsample: voxels of 5 m leave nothing of what was recorded: `size` is in metres"
        #expect(run.warnings == [words])
        #expect(try StageRun("- voxel-downsample: {size: 1}", on: capture).warnings == [])
        capture.isMetric = false
        #expect(
            try StageRun("- voxel-downsample: {size: 5}", on: capture).warnings == [
                "voxel-downsample: the world's unit is unknown: a voxel of 5 m may be anything"
            ])
    }

    /// What the first one has merged is one point each: none of them has company in a cube of the same size.
    @Test func belowAnotherOneThePointsOfItsCloudAreCounted() throws {
        let capture = MemoryCapture([.init(points: [0, 0, 0, 0.1, 0, 0, 0.6, 0, 0, 3, 0, 0, 3.1, 0, 0, 3.2, 0, 0])])
        let run = try StageRun(
            "- voxel-downsample: {size: 0.5}\n- voxel-downsample: {size: 1, min-points: 2}", on: capture,
            probing: [.cloud])
        #expect(run.capture.cloud?.count == 1)
        #expect(run.count("voxel-downsample[2]", "sparse-voxels") == 1)
    }
}
