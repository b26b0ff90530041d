import ScanFormats
import ScanModel
import TestSupport
import Testing

/// What `cull-by-box` fails a capture for, but for a box that holds nothing.
@Suite struct CullByBoxRefusalTests {
    private let cube = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))

    @Test func everythingLiesInTheBoxThatIsCutOut() throws {
        var capture = MemoryCapture([.init(points: [0, 0, 0, 0.5, 0, 0]), .init(points: [0, 0.5, 0])])
        capture.box = cube
        let problem = problem { _ = try StageRun("- cull-by-box: {keep: outside}", on: capture) }
        #expect(problem?.fault == .input && problem?.summary == "every point lies in the box")
        #expect(
            problem?.notes.prefix(2) == [
                "the box measures 2, 2, 2 and has its middle at 0, 0, 0", "3 points were looked at",
            ])
        #expect(problem?.fix?.hasSuffix("--set cull-by-box.if-empty=warn") == true)
        let run = try StageRun("- cull-by-box: {keep: outside, if-empty: warn}", on: capture)
        #expect(run.warnings == ["cull-by-box: every point lies in the box, so nothing is left"])
        #expect(run.count("cull-by-box", "points-in") == 3 && run.count("cull-by-box", "points-out") == 0)
    }

    /// There is no box around no point. Whoever goes on with nothing goes on without one.
    @Test func noBoxIsFittedToNothing() throws {
        let capture = MemoryCapture([.init(points: [])])
        let problem = problem { _ = try StageRun("- voxel-downsample\n- cull-by-box: {box: cloud}", on: capture) }
        #expect(problem?.summary == "the stages above left no point of the capture")
        #expect(problem?.fix?.hasSuffix("--set cull-by-box.if-empty=warn") == true)
        let run = try StageRun("- voxel-downsample\n- cull-by-box: {box: cloud, if-empty: warn}", on: capture)
        #expect(run.warnings.contains("cull-by-box: the stages above left no point of the capture, so nothing is left"))
        #expect(run.capture.cloud?.count == 0 && run.capture.box == nil)
        #expect(run.count("cull-by-box", "points-in") == 0 && run.count("cull-by-box", "points-out") == 0)
    }

    /// Nor are masks made of the box that the capture brought along.
    @Test func masksOfABoxThatWasNotFitted() throws {
        let stages = """
            - synthesize: {frames: 3, picture-width: 64, picture-height: 48, depth-width: 64, depth-height: 48}
            - decompress
            - mask-range: {near: 50, far: 60}
            - unproject
            - voxel-downsample
            - cull-by-box: {box: cloud, if-empty: warn}

            """
        let masks = problem {
            _ = try StageRun(stages + "- write-transforms: {masks: silhouette}", reading: "nowhere/a")
        }
        #expect(masks?.summary == "there is no box for masks: cull-by-box had no point to fit a box to")
        #expect(masks?.fix?.hasSuffix("--set write-transforms.mask-if-missing=pass") == true)
        let again = "- cull-by-box: {if-empty: warn}"
        let second = problem { _ = try StageRun(stages + again, reading: "nowhere/a") }
        #expect(second?.summary == "cull-by-box[1] had no point to fit a box to")
        let run = try StageRun(
            stages + "- write-transforms: {masks: silhouette, mask-if-missing: pass}", reading: "nowhere/a")
        #expect(!run.files.contains { $0.contains("masks") })
    }

    /// Nor is anything of a mesh in it.
    @Test func noBoxLeavesNothingOfAMesh() throws {
        let wall = MemoryCapture((0..<2).map { _ in .init(depth: (0..<48).map { _ in 1 }, height: 6) })
        let run = try StageRun(
            """
            - fuse-depth: {voxel: 0.1, min-piece: 0}
            - sample-mesh: {spacing: 100}
            - cull-by-box: {box: cloud, if-empty: warn}
            - write-mesh
            """, on: wall)
        #expect(run.files == [] && run.capture.mesh?.triangleCount == 0)
        #expect(run.count("cull-by-box", "triangles-in") ?? 0 > 0 && run.count("cull-by-box", "triangles-out") == 0)
        #expect(
            run.warnings.last == "write-mesh: no file is written: cull-by-box had no point to fit a box to",
            "\(run.warnings)")
    }

    /// It is told when the capture is opened, before a bad picture is.
    @Test func marginsThatLeaveNothingAreToldEarly() throws {
        var item = MemoryCapture.Item(points: [0, 0, 0])
        item.file = "0.png"
        var capture = MemoryCapture([item])
        capture.files["0.png"] = [0]
        capture.files["box.json"] = try BoundingBoxJSON.text(cube)
        capture.onBadFrame = .fail
        capture.box = cube
        for box in ["capture", "box.json"] {
            let stages = "- downscale: {factors: [2]}\n- cull-by-box: {margin: -10, box: \(box)}"
            let problem = problem { _ = try StageRun(stages, on: capture) }
            #expect(problem?.summary == "`margin: -10` leaves nothing of the box", "\(box)")
        }
    }

    /// Its margins are those of the box that a stage above makes.
    @Test(arguments: ["cloud", "box.json"]) func marginsThatLeaveNothingOfABoxThatIsReplaced(_ box: String) throws {
        // Twenty-seven points a metre apart, of which the recorded box holds the middle one.
        var positions: [Float] = []
        for n in 0..<27 {
            let (column, row, layer) = (n % 3, n / 3 % 3, n / 9)
            positions += [Float(column - 1), Float(row - 1), Float(layer - 1)]
        }
        var capture = MemoryCapture([.init(points: positions)])
        capture.files["box.json"] = try BoundingBoxJSON.text(cube)
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(0.1, 0.1, 0.1))
        let stages = "- voxel-downsample: {size: 0.001}\n- cull-by-box: {box: \(box)}\n- cull-by-box: {margin: -0.9}"
        let run = try StageRun(stages, on: capture, probing: [.cloud])
        #expect(run.capture.cloud?.positions == [0, 0, 0])
    }

    /// Above `unproject` there is nothing to cull yet, which only shows where the reader gives no cloud of its own.
    @Test func whereThereAreNoPointsTheFixTellsWhatMakesThem() throws {
        var capture = MemoryCapture([.init()])
        capture.box = cube
        let problem = problem { _ = try StageRun("- cull-by-box", on: capture) }
        #expect(problem?.summary == "cull-by-box needs cloud or points, and this capture has none")
        #expect(problem?.fix == "make points of the depth above it, with `decompress` and `unproject`")
    }

    /// Ten points are the fewest that a box is fitted to.
    @Test func aBoxIsNotFittedToAFewPoints() throws {
        func run(_ count: Int) throws -> StageRun {
            var positions: [Float] = []
            for n in 0..<count {
                let (column, row, layer) = (n % 3, n / 3 % 3, n / 9)
                positions += [Float(column), Float(row), Float(layer)]
            }
            return try StageRun(
                "- voxel-downsample: {size: 0.001}\n- cull-by-box: {box: cloud, margin: 0.1}",
                on: MemoryCapture([.init(points: positions)]))
        }
        #expect(try run(10).capture.box != nil)
        let (nine, one) = (problem { _ = try run(9) }, problem { _ = try run(1) })
        #expect(nine?.fault == .input)
        #expect(nine?.summary == "the cloud has only 9 points, too few for a box")
        #expect(nine?.fix == "let the stages above leave more of it")
        #expect(one?.summary == "the cloud has only 1 point, too few for a box")
    }

    @Test func aBoxIsNotFittedWhereNothingIsUpright() throws {
        var positions: [Float] = []
        for n in 0..<12 { positions += [Float(n % 3), Float(n / 3 % 2), Float(n / 6)] }
        var capture = MemoryCapture([.init(points: positions)])
        capture.worldUp = nil
        let stages = "- voxel-downsample: {size: 0.001}\n- cull-by-box: {box: cloud, margin: 0.1}"
        let problem = problem { _ = try StageRun(stages, on: capture) }
        #expect(problem?.summary == "the capture does not say which way is up, so no box is known to be upright")
        #expect(problem?.fault == .input && problem?.place.stage == "cull-by-box")
        #expect(
            problem?.fix == "say which way is up, such as  --set read.up=z  or give cull-by-box a boundingbox.json")
    }
}
