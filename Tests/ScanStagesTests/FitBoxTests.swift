import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct FitBoxTests {
    /// A slab of 2 × 0.5 × 1 m turned by so many degrees, with a few strays far away.
    @Test(arguments: [0.0, 30, 60, 100]) func boxIsFittedToTheCloud(_ degrees: Double) throws {
        var positions: [Float] = []
        let turn = Matrix3.rotation(aboutY: degrees * .pi / 180)
        for x in 0...40 {
            for y in 0...10 {
                for z in 0...20 {
                    let q = Vector3(Double(x) * 0.05 - 1, Double(y) * 0.05 - 0.25, Double(z) * 0.05 - 0.5)
                    let p = turn * q + Vector3(5, 1, -3)
                    positions += [Float(p.x), Float(p.y), Float(p.z)]
                }
            }
        }
        let strays: [Float] = [50, 50, 50, -50, -50, -50, 5, 30, -3]
        let capture = MemoryCapture([.init(points: positions + strays)])
        let fitted = try StageRun("- voxel-downsample: {size: 0.001}\n- fit-box", on: capture, probing: [.cloud])
        let box = try #require(fitted.capture.box)
        #expect((box.center - Vector3(5, 1, -3)).length < 0.01)
        let sides = box.halfSize.components.sorted()
        for (side, expected) in zip(sides, [0.25, 0.5, 1.0]) { #expect(abs(side - expected) < 0.02) }
        // Its own y is up, and it is a true rotation.
        #expect(box.worldFromBox.columns.1 == Vector3(0, 1, 0))
        #expect(box.worldFromBox.orthonormalityError < 1e-12 && box.worldFromBox.determinant > 0)
        #expect(fitted.counts("fit-box")["box-center"]?.doubles == box.center.components)
        #expect(fitted.counts("fit-box")["box-size"]?.doubles == (box.halfSize * 2).components)
        // Nothing is taken away but by a stage below.
        #expect(fitted.capture.cloud?.count == (positions.count + strays.count) / 3)
        let culled = try StageRun(
            "- voxel-downsample: {size: 0.001}\n- fit-box\n- cull-by-box: {margin: 0.01}", on: capture)
        #expect(culled.count("cull-by-box", "points-out") == positions.count / 3)
        #expect(culled.capture.box == box && culled.counts("fit-box") == fitted.counts("fit-box"))
    }

    @Test func theBoxStandsOnTheFloorAndServesLaterStages() throws {
        let stages =
            "- synthesize: {frames: 20, rate: 2, picture-width: 64, picture-height: 48, depth-width: 64, "
            + "depth-height: 48, box: false}\n- decompress\n- unproject: {pixel-centre: half}\n- voxel-downsample\n- find-floor\n"
            + "- crop: {above: 0.05, below: 1.2, around: 1}\n- fit-box\n- cull-by-box\n"
            + "- write-transforms: {masks: silhouette}"
        let run = try StageRun(stages, reading: "nowhere/room", workers: 2)
        let box = try #require(run.capture.box)
        // The room's floor.
        #expect(abs(box.center.y - box.halfSize.y + 1.4) < 0.005)
        #expect(run.files.filter { $0.hasPrefix("nerf/masks/") }.count == 20)
    }

    /// Twenty-seven points a metre apart.
    private var grid: [Float] {
        (0..<27).flatMap { n in [n % 3, n / 3 % 3, n / 9].map { Float($0 - 1) } }
    }

    @Test func aRecordedBoxIsReplacedWithAWarning() throws {
        var capture = MemoryCapture([.init(points: grid)])
        let stages = "- voxel-downsample: {size: 0.001}\n- fit-box"
        #expect(try StageRun(stages, on: capture).warnings == [])
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(0.1, 0.1, 0.1))
        let run = try StageRun(stages, on: capture)
        #expect(run.warnings == ["fit-box: the capture's own box was replaced by one around the cloud"])
        #expect(run.capture.box?.halfSize == Vector3(1, 1, 1))
    }

    /// The frames go by once more, so that depth is culled by a box which is known only when all are through.
    @Test func depthIsCulledByTheFittedBox() throws {
        // Seen from the middle of the grid: all but the first pixel show what is 2 m off.
        var item = MemoryCapture.Item(depth: [9] + Array(repeating: 2, count: 11), height: 3)
        item.points = PointCloud(positions: grid)
        var capture = MemoryCapture([item])
        capture.box = OrientedBox(center: Vector3(0, 0, 50), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        let stages = "- voxel-downsample: {size: 0.001}\n- fit-box\n- cull-by-box: {depth: true, margin: 2}"
        let run = try StageRun(stages, on: capture, probing: [.depth])
        #expect(run.frames.first?.depth?.metres == [0] + Array(repeating: 2, count: 11))
        #expect(run.count("cull-by-box", "pixels-out") == 11 && run.count("cull-by-box", "points-out") == 27)
    }

    /// A block of points, and cameras half round it that look at its middle or at another place.
    private func filmed(_ target: (Int) -> Vector3) throws -> StageRun {
        var items = (0..<12).map { number in
            let place = Vector3(0, 1, 0) + Matrix3.rotation(aboutY: Double(number) / 11 * .pi) * Vector3(0, 0, 1.5)
            return MemoryCapture.Item(pose: .camera(at: place, lookingAt: target(number)))
        }
        var positions: [Float] = []
        for n in 0..<1000 { positions += [Float(n % 10), Float(n / 10 % 10), Float(n / 100)].map { 0.02 * $0 - 0.09 } }
        items[0].points = PointCloud(positions: positions)
        return try StageRun("- voxel-downsample: {size: 0.001}\n- fit-box", on: MemoryCapture(items))
    }

    @Test func camerasThatLookPastTheBoxAreAWarning() throws {
        #expect(try filmed { _ in .zero }.warnings.isEmpty)
        // A hand that trembles misses most of the time, but the object is where it is aimed.
        let sway = [Vector3(0.3, 0, 0.1), Vector3(-0.2, 0.3, 0), Vector3(0, -0.3, 0.25), Vector3(0, 0.2, -0.3)]
        #expect(try filmed { sway[$0 % 4] }.warnings.isEmpty)
        // Half a metre above the box, whose top is at 0.09 m.
        #expect(
            try filmed { _ in Vector3(0, 0.59, 0) }.warnings == [
                "fit-box: 12 of 12 cameras look past the box that was fitted to the cloud, towards a place 0.5 m from "
                    + "it: the box may hold something other than what was filmed; look at what `crop` above leaves, "
                    + "and at its `centre`"
            ])
    }

    // MARK: - No box

    /// There is no box around no point. Whoever goes on goes on without one.
    @Test func noBoxIsFittedToNothing() throws {
        var capture = MemoryCapture([.init(points: [])])
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        let problem = problem { _ = try StageRun("- voxel-downsample\n- fit-box", on: capture) }
        #expect(problem?.summary == "the stages above left no point of the capture")
        #expect(
            problem?.fix
                == "loosen the masks and crops above fit-box, or go on without a box with  --set fit-box.if-empty=warn")
        let run = try StageRun("- voxel-downsample\n- fit-box: {if-empty: warn}\n- write-ply", on: capture)
        // Who comes below an empty cloud need not say so again.
        #expect(
            run.warnings == ["fit-box: the stages above left no point of the capture, so there is no box"],
            "\(run.warnings)")
        #expect(run.capture.cloud?.count == 0 && run.capture.box == nil)
    }

    private static let emptied = """
        - synthesize: {frames: 3, picture-width: 64, picture-height: 48, depth-width: 64, depth-height: 48}
        - decompress
        - mask-range: {near: 50, far: 60}
        - unproject
        - voxel-downsample
        - fit-box: {if-empty: warn}

        """

    /// Nor are masks made of the box that the capture brought along.
    @Test func masksOfABoxThatWasNotFitted() throws {
        let masks = problem {
            _ = try StageRun(Self.emptied + "- write-transforms: {masks: silhouette}", reading: "nowhere/a")
        }
        #expect(masks?.summary == "there is no box for masks: fit-box had no point to fit a box to")
        #expect(masks?.fix?.hasSuffix("--set write-transforms.mask-if-missing=pass") == true)
        let run = try StageRun(
            Self.emptied + "- write-transforms: {masks: silhouette, mask-if-missing: pass}", reading: "nowhere/a")
        #expect(!run.files.contains { $0.contains("masks") })
    }

    /// Nor is anything culled by it.
    @Test func nothingLiesInABoxThatWasNotFitted() throws {
        let cull = problem { _ = try StageRun(Self.emptied + "- cull-by-box", reading: "nowhere/a") }
        #expect(cull?.summary == "fit-box had no point to fit a box to" && cull?.isOfPipeline == true)
        #expect(cull?.fix == "accept an empty result with  --set cull-by-box.if-empty=warn")
        let run = try StageRun(Self.emptied + "- cull-by-box: {if-empty: warn}", reading: "nowhere/a")
        #expect(run.capture.cloud?.count == 0 && run.capture.box == nil)
        #expect(run.count("cull-by-box", "points-in") == 0 && run.count("cull-by-box", "points-out") == 0)
    }

    /// Nor is anything of a mesh in it.
    @Test func noBoxLeavesNothingOfAMesh() throws {
        let wall = MemoryCapture((0..<2).map { _ in .init(depth: (0..<48).map { _ in 1 }, height: 6) })
        func run(_ cull: String) throws -> StageRun {
            try StageRun(
                """
                - fuse-depth: {voxel: 0.1, min-piece: 0}
                - sample-mesh: {spacing: 100}
                - fit-box: {if-empty: warn}
                - cull-by-box: {\(cull)if-empty: warn}
                - write-mesh
                """, on: wall)
        }
        let inside = try run("")
        #expect(inside.files == [] && inside.capture.mesh?.triangleCount == 0)
        let found = try #require(inside.count("cull-by-box", "triangles-in"))
        #expect(found > 0 && inside.count("cull-by-box", "triangles-out") == 0)
        #expect(inside.warnings.contains("fit-box: the stages above left no point of the capture, so there is no box"))
        #expect(
            inside.warnings.last == "write-mesh: no file is written: cull-by-box left nothing of it",
            "\(inside.warnings)")
        #expect(try run("keep: outside, ").count("cull-by-box", "triangles-out") == found)
    }

    /// Ten points are the fewest that a box is fitted to.
    @Test func aBoxIsNotFittedToAFewPoints() throws {
        func run(_ count: Int) throws -> StageRun {
            try StageRun(
                "- voxel-downsample: {size: 0.001}\n- fit-box",
                on: MemoryCapture([.init(points: Array(grid.prefix(3 * count)))]))
        }
        #expect(try run(10).capture.box != nil)
        let (nine, one) = (problem { _ = try run(9) }, problem { _ = try run(1) })
        #expect(nine?.fault == .input)
        #expect(nine?.summary == "the cloud has only 9 points, too few for a box")
        #expect(nine?.fix == "let the stages above leave more of it")
        #expect(one?.summary == "the cloud has only 1 point, too few for a box")
    }

    @Test func aBoxIsNotFittedWhereNothingIsUpright() throws {
        var capture = MemoryCapture([.init(points: grid)])
        capture.worldUp = nil
        let problem = problem { _ = try StageRun("- voxel-downsample: {size: 0.001}\n- fit-box", on: capture) }
        #expect(problem?.summary == "the capture does not say which way is up, so no box is known to be upright")
        #expect(problem?.fault == .input && problem?.place.stage == "fit-box")
        #expect(
            problem?.fix
                == "say which way is up, such as  --set read.up=z  or cull with a box in a file instead: "
                + "`cull-by-box: {box: FILE}`")
    }

    // MARK: - Before anything runs

    /// A cull fits no box.
    @Test(arguments: [("", "fit-box"), (", if-empty: warn", "fit-box: {if-empty: warn}")])
    func aCullThatIsAskedToFitABoxNamesTheStage(_ options: String, _ stage: String) {
        let stages = "- read\n- decompress\n- unproject\n- voxel-downsample\n"
        #expect(
            PipelineRun.mistakes(stages + "- cull-by-box: {box: cloud, margin: 0.02\(options)}\n- write-ply") == [
                "`box` is `cloud`, and a box is fitted to the cloud by a stage of its own; put  - \(stage)  above it, and "
                    + "take `box` out"
            ])
    }

    @Test func aCullWhereNothingHasABoxNamesTheStage() throws {
        let stages = "- synthesize: {box: false}\n- decompress\n- unproject\n- voxel-downsample\n"
        let mistakes = PipelineRun.mistakes(stages + "- cull-by-box\n- write-ply")
        let said = "`cull-by-box` needs box, which no stage before it makes; put `fit-box` above it, or use a pipeline"
        #expect(mistakes.count == 1 && mistakes.first?.hasPrefix(said) == true, "\(mistakes)")
        #expect(PipelineRun.mistakes(stages + "- fit-box\n- cull-by-box\n- write-ply") == [])
    }

    /// Where captures may have a box of their own, nobody is told to put another in its place.
    @Test func aRecordedBoxIsEnough() throws {
        let text =
            "stages:\n- read\n- decompress\n- unproject\n- voxel-downsample\n- cull-by-box\n- write-ply\n"
            + "- write-transforms: {masks: silhouette}\n"
        #expect(try Pipeline.load(text: text, path: "p.yaml", library: .builtIn).warnings.map(\.summary) == [])
    }
}
