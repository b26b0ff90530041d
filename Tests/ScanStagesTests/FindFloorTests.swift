import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct FindFloorTests {
    private static let room =
        "- synthesize: {frames: 40, rate: 4, picture-width: 64, picture-height: 48, depth-width: 128, depth-height: 96}\n"
        + "- decompress\n- unproject: {pixel-centre: half}\n- voxel-downsample\n"

    /// The room's floor is at y = −1.4 m; the table above it is smaller.
    @Test func findsTheFloorOfTheRoom() throws {
        let run = try StageRun(Self.room + "- find-floor", reading: "nowhere/room", workers: 2)
        let floor = try #require(run.capture.floor)
        #expect(abs(floor.height + 1.4) < 0.003)
        #expect(floor.tilt < 0.1)
        // 4 × 3 m, of which the camera does not see all.
        #expect((8...12.5).contains(floor.area))
        #expect(run.counts("find-floor")["height"]?.double == floor.height)
    }

    @Test func saysWhenThereIsNone() throws {
        let run = try StageRun(Self.room + "- find-floor: {min-area: 50}", reading: "nowhere/room")
        #expect(run.capture.floor == nil)
        #expect(run.counts("find-floor")["found"]?.bool == false)
        let problem = #expect(throws: Problem.self) {
            _ = try StageRun(
                Self.room + "- find-floor: {min-area: 50}\n- crop: {above: 0, from: floor}", reading: "nowhere/room")
        }
        #expect(problem?.summary == "no floor was found to count heights from")
        // Both have worked in one pass.
        let why = "warned before: find-floor: no floor was found: nothing horizontal"
        #expect(problem?.notes.contains { $0.hasPrefix(why) } == true, "\(problem?.notes ?? [])")
    }

    /// What an earlier stage found is then no floor for those below.
    @Test func aSecondSearchThatFindsNoneLeavesNone() throws {
        let stages = Self.room + "- find-floor\n- find-floor: {min-area: 50}"
        #expect(try StageRun(stages, reading: "nowhere/room").capture.floor == nil)
    }

    /// A table that is larger than the floor, 29 cm below the lower of two cameras.
    @Test func clearanceLeavesOutWhatIsNearTheCameras() throws {
        var positions: [Float] = []
        for a in 0..<60 {
            for b in 0..<60 {
                let (x, z) = (Float(a) * 0.04, Float(b) * 0.04)
                positions += [x, 0.71, z]
                if a < 30 { positions += [x, 0.01, z] }
            }
        }
        var items = [MemoryCapture.Item(points: positions), MemoryCapture.Item(points: [])]
        for (number, height) in [1.0, 3].enumerated() {
            items[number].pose = Pose(rotation: .identity, position: Vector3(0, height, 0))
        }
        let capture = MemoryCapture(items)
        for (options, height) in [("", 0.71), (": {clearance: 0.28}", 0.71), (": {clearance: 0.3}", 0.01)] {
            let run = try StageRun("- voxel-downsample: {size: 0.001}\n- find-floor\(options)", on: capture)
            let floor = try #require(run.capture.floor)
            #expect(abs(floor.height - height) < 1e-5, "\(options)")
        }
        let none = try StageRun("- voxel-downsample: {size: 0.001}\n- find-floor: {clearance: 1.5}", on: capture)
        #expect(none.capture.floor == nil)
        #expect(
            none.warnings == [
                "find-floor: no floor was found: nothing horizontal of 0.25 m² lies 1.5 m and more below the cameras"
            ])
    }

    /// The phone is laid down at the end, or one pose is wrong.
    @Test(arguments: [0.02, -5.0]) func aFewCamerasBelowItDoNotHideIt(height: Double) throws {
        var positions: [Float] = []
        for a in 0..<60 {
            for b in 0..<60 { positions += [Float(a) * 0.04, 0.01, Float(b) * 0.04] }
            // Below the floor, as where a window mirrors it; large enough for one.
            positions += (0..<30).flatMap { [Float(a) * 0.02, -6, Float($0) * 0.04] }
        }
        var items = (0..<20).map { MemoryCapture.Item(points: $0 == 0 ? positions : []) }
        for number in items.indices {
            let y = number < 18 ? 1.5 : height
            items[number].pose = Pose(rotation: .identity, position: Vector3(0, y, 0))
        }
        let run = try StageRun("- voxel-downsample: {size: 0.001}\n- find-floor", on: MemoryCapture(items))
        #expect(abs(try #require(run.capture.floor).height - 0.01) < 1e-5)
    }

    @Test func heightsCountFromIt() throws {
        let crop = { (zero: String) in
            try StageRun(Self.room + "- find-floor\n- crop: {above: 0.05, from: \(zero)}", reading: "nowhere/room")
        }
        let (floor, auto) = (try crop("floor"), try crop("auto"))
        #expect(try #require(floor.counts("crop")["points-out"]?.integer) > 1000)
        #expect(floor.capture.cloud == auto.capture.cloud)
        let lowest = try #require(floor.capture.floor?.height) + 0.05
        let cloud = try #require(floor.capture.cloud)
        #expect(
            stride(from: 1, to: cloud.positions.count, by: 3).allSatisfy {
                Double(cloud.positions[$0]) >= lowest - 1e-6
            })
    }

    /// A slab that is tilted by 3°, a dense thing above it, and a layer above the camera that is larger still.
    @Test func tellsTheTilt() throws {
        var positions: [Float] = []
        for x in 0..<200 {
            for z in 0..<200 {
                let (x, z) = (Float(x) * 0.01, Float(z) * 0.01)
                positions += [x, -1 + x * Float(0.0125), z]
                positions += [x * 3, 2, z * 3]
            }
        }
        for n in 0..<60_000 { positions += [0.5 + Float(n % 10) * 0.001, -0.5, 0.5] }
        let floor = try #require(
            Floor.find(in: PointCloud(positions: positions), up: Vector3(0, 1, 0), below: 0.5, minArea: 0.25))
        #expect((-1.01 ... -0.96).contains(floor.height))
        #expect(abs(floor.tilt - 0.716) < 0.05)
    }

    /// 4 × 2 m that rise by 5 cm a metre. The layers that find it, 6 cm thick, cut a strip of 1.2 m across the slope,
    /// anywhere on it; the height is that of the plane in the middle.
    @Test func theHeightOfASlope() throws {
        var positions: [Float] = []
        for a in 0..<200 {
            for b in 0..<100 { positions += [Float(a) * 0.02, -1 + Float(a) * 0.001, Float(b) * 0.02] }
        }
        let floor = try #require(
            Floor.find(in: PointCloud(positions: positions), up: Vector3(0, 1, 0), below: 0, minArea: 0.25))
        #expect(abs(floor.height - (-1 + 0.05 * 1.99)) < 1e-5 && floor.pointCount == 20_000)
        #expect(abs(floor.tilt - atan(0.05) * 180 / .pi) < 1e-3)
        #expect((2.3...2.7).contains(floor.area))
    }

    /// Walls stand on it, and a level layer cuts it short: neither may make it look level.
    @Test(arguments: [0.0, 1, 2, 3, 5]) func theTiltOfARoom(_ degrees: Double) throws {
        let (c, s) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
        let turn = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, c, -s), Vector3(0, s, c))
        var positions: [Float] = []
        func add(_ x: Double, _ y: Double, _ z: Double) {
            positions += (turn * Vector3(x, y, z)).components.map { Float($0) }
        }
        for a in 0..<160 {
            for b in 0..<160 {
                let (a, b) = (Double(a) * 0.025 - 2, Double(b) * 0.025 - 2)
                add(a, -1.4, b)
                for wall in [-2.0, 2] {
                    add(wall, a + 0.6, b)
                    add(a, b + 0.6, wall)
                }
            }
        }
        let floor = try #require(
            Floor.find(in: PointCloud(positions: positions), up: Vector3(0, 1, 0), below: -0.1, minArea: 0.25))
        #expect(abs(floor.tilt - degrees) < 0.1)
        #expect(abs(floor.height + 1.4) < 0.06)
    }

    /// Its points scatter by 5 cm, so that hardly any cell is flat: then all of them count.
    @Test func aNoisyFloorIsFittedByAllItsPoints() throws {
        var positions: [Float] = []
        for a in 0..<40 {
            for b in 0..<40 {
                // The layer in the middle alone has all cells.
                let few: [Float] = [0.006, 0.03, 0.054, 0.054]
                let heights: [Float] = b == 0 && a < 4 ? [few[a]] : [0.006, 0.054]
                for height in heights { positions += [Float(a) * 0.05 + 0.025, height, Float(b) * 0.05 + 0.025] }
            }
        }
        let floor = try #require(
            Floor.find(in: PointCloud(positions: positions), up: Vector3(0, 1, 0), below: 1, minArea: 1))
        #expect(abs(floor.height - 0.03) < 1e-3 && floor.pointCount == 3196)
    }

    /// Points a little above the limit, in the floor's own layers, are none of it.
    @Test func onlyWhatLiesBelowTheCamerasCounts() throws {
        let positions = (0..<10_000).flatMap { n -> [Float] in
            let height: Float = n % 2 == 0 ? -0.01 : 0.01
            return [Float(n % 100) * 0.02, height, Float(n / 100) * 0.02]
        }
        let floor = try #require(
            Floor.find(in: PointCloud(positions: positions), up: Vector3(0, 1, 0), below: 0, minArea: 1))
        #expect(abs(floor.height + 0.01) < 1e-6 && floor.pointCount == 5000)
    }

    @Test func withoutAnUpwardDirectionNothingIsHorizontal() throws {
        var capture = MemoryCapture([.init(points: [0, 0, 0, 1, 0, 0])])
        capture.worldUp = nil
        let problem = problem { _ = try StageRun("- voxel-downsample: {size: 0.001}\n- find-floor", on: capture) }
        #expect(problem?.summary == "the capture does not say which way is up, so no plane is known to be horizontal")
        #expect(problem?.fault == .input && problem?.place.stage == "find-floor")
        #expect(
            problem?.fix
                == "say which way is up, such as  --set read.up=z  or use a pipeline that needs no floor, such as the "
                + "ready-made room-nerf"
        )
    }

    @Test func upNeedNotBeY() throws {
        let positions = (0..<10_000).flatMap { n -> [Float] in [Float(n % 100) * 0.02, Float(n / 100) * 0.02, -0.75] }
        let floor = Floor.find(
            in: PointCloud(positions: positions), up: Vector3(0, 0, 1), below: 0, minArea: 1)
        #expect(abs((floor?.height ?? 0) + 0.75) < 1e-6)
    }
}
