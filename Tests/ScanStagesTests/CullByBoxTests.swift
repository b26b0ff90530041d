import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct CullByBoxTests {
    /// Two metres a side about the origin.
    private let cube = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))

    /// The points that stay, of those on the y axis at these heights.
    private func heights(_ heights: [Float], _ options: String, in box: OrientedBox) throws -> [Float] {
        try kept(heights.map { [0, $0, 0] }, options, in: box).map { $0[1] }
    }

    private func kept(_ points: [[Float]], _ options: String, in box: OrientedBox) throws -> [[Float]] {
        var capture = MemoryCapture([.init(points: Array(points.joined()))])
        capture.box = box
        let run = try StageRun("- cull-by-box: \(options)", on: capture)
        let positions = try #require(run.frames.first?.points?.positions)
        return stride(from: 0, to: positions.count, by: 3).map { Array(positions[$0..<$0 + 3]) }
    }

    @Test func facesBelongToTheBox() throws {
        let above = Float(1).nextUp
        let points: [[Float]] = [
            [1, 1, 1], [-1, -1, -1], [1, 0, 0], [above, 0, 0], [0, above, 0], [0, 0, above], [-above, 0, 0],
            [0, -above, 0],
            [0, 0, -above], [0, 0, 0],
        ]
        #expect(try kept(points, "{}", in: cube) == [[1, 1, 1], [-1, -1, -1], [1, 0, 0], [0, 0, 0]])
        #expect(
            try kept(points, "{keep: outside}", in: cube) == [
                [above, 0, 0], [0, above, 0], [0, 0, above], [-above, 0, 0], [0, -above, 0], [0, 0, -above],
            ])
    }

    @Test func theBoxIsTheTurnedOneNotTheOneAroundItsCorners() throws {
        // A square of side 2 turned by 45°: its corners are √2 from the centre on the axes, its faces 1 away diagonally.
        var box = cube
        box.worldFromBox = .rotation(aboutY: .pi / 4)
        let points: [[Float]] = [
            [1.41, 0, 0], [0, 0, -1.41], [0.7, 0, 0.7], [0.75, 0, 0.75], [1.2, 0, 1.2], [1.42, 0, 0],
        ]
        #expect(try kept(points, "{}", in: box) == [[1.41, 0, 0], [0, 0, -1.41], [0.7, 0, 0.7]])
        // Turned by 30° about y, the box's own +x is (cos 30°, 0, −sin 30°).
        box = OrientedBox(
            center: Vector3(10, 0, 0), worldFromBox: .rotation(aboutY: .pi / 6), halfSize: Vector3(3, 1, 0.1))
        let (c, s) = (Float(0.8660254), Float(0.5))
        #expect(try kept([[10 + 2.9 * c, 0, -2.9 * s], [10 + 2.9 * c, 0, 2.9 * s]], "{}", in: box).count == 1)
        #expect(try kept([[10 + 2.9 * c, 0, -2.9 * s]], "{}", in: box).count == 1)
    }

    @Test func marginGrowsEveryFaceAndBottomMovesOne() throws {
        let heights: [Float] = [-1.75, -1.5, -1.25, -1, -0.75, -0.5, 0.75, 1, 1.25, 1.5]
        #expect(try self.heights(heights, "{}", in: cube) == [-1, -0.75, -0.5, 0.75, 1])
        #expect(try self.heights(heights, "{margin: 0.25}", in: cube) == [-1.25, -1, -0.75, -0.5, 0.75, 1, 1.25])
        #expect(try self.heights(heights, "{margin: -0.25}", in: cube) == [-0.75, -0.5, 0.75])
        #expect(try self.heights(heights, "{bottom: 0.5}", in: cube) == [-1.5, -1.25, -1, -0.75, -0.5, 0.75, 1])
        #expect(try self.heights(heights, "{bottom: -0.5}", in: cube) == [-0.5, 0.75, 1])
        #expect(
            try self.heights(heights, "{margin: 0.25, bottom: 0.25}", in: cube) == [
                -1.5, -1.25, -1, -0.75, -0.5, 0.75, 1, 1.25,
            ])
        // The other faces move with the margin alone.
        let sides: [[Float]] = [[1.25, 0, 0], [-1.25, 0, 0], [0, 0, 1.25], [0, 0, -1.25], [1.26, 0, 0]]
        #expect(try kept(sides, "{margin: 0.25, bottom: 5}", in: cube).count == 4)
        #expect(try kept(sides, "{bottom: 5, if-empty: warn}", in: cube).isEmpty)
        // Shrunk beyond nothing, it holds nothing.
        #expect(try kept([[0, 0, 0]], "{margin: -1.5, if-empty: warn}", in: cube).isEmpty)
    }

    @Test func aClampedFloorCutsTheBoxAndMovesWithBottomAlone() throws {
        var box = cube
        box.floor = -0.5
        let heights: [Float] = [-1, -0.875, -0.75, -0.625, -0.5, -0.375, -0.25, 0, 0.25, 1, 1.25]
        #expect(try self.heights(heights, "{}", in: box) == [-0.5, -0.375, -0.25, 0, 0.25, 1])
        #expect(try self.heights(heights, "{margin: 0.25}", in: box) == [-0.5, -0.375, -0.25, 0, 0.25, 1, 1.25])
        #expect(
            try self.heights(heights, "{bottom: 0.25}", in: box) == [-0.75, -0.625, -0.5, -0.375, -0.25, 0, 0.25, 1])
        #expect(try self.heights(heights, "{bottom: -0.25}", in: box) == [-0.25, 0, 0.25, 1])
        // The bottom face below the floor must not cut before the floor does, however far it is moved or shrunk.
        #expect(try self.heights([-2.5, -2, -1], "{bottom: 2}", in: box) == [-2.5, -2, -1])
        #expect(try self.heights(heights, "{margin: -0.75}", in: box) == [-0.5, -0.375, -0.25, 0, 0.25])
        #expect(
            try self.heights(heights, "{margin: -0.75, bottom: 0.125}", in: box) == [
                -0.625, -0.5, -0.375, -0.25, 0, 0.25,
            ])
    }

    @Test func coloursGoWithTheirPoints() throws {
        var capture = MemoryCapture([.init(points: [0, 0, 0, 5, 0, 0, 0, 1, 0], colors: [1, 2, 3, 4, 5, 6, 7, 8, 9])])
        capture.box = cube
        let run = try StageRun("- cull-by-box", on: capture)
        #expect(run.frames.first?.points == PointCloud(positions: [0, 0, 0, 0, 1, 0], colors: [1, 2, 3, 7, 8, 9]))
        #expect(run.count("cull-by-box", "points-in") == 3)
        #expect(run.count("cull-by-box", "points-out") == 2)
    }

    @Test func belowVoxelDownsampleTheCloudIsCulled() throws {
        // One centroid inside, though its points are not; one outside, though one of its points is inside.
        var capture = MemoryCapture([
            .init(points: [0.5, 1.5, 0, 0.5, 0.25, 0]), .init(points: [1.5, 0, 0, 0.875, 0, 0, 1.75, 0, 0]),
        ])
        capture.box = cube
        let run = try StageRun(
            "- voxel-downsample: {size: 2}\n- cull-by-box: {if-empty: warn}", on: capture, probing: [.cloud])
        // (0.5 + 0.5 + 1.5 + 0.875 + 1.75) / 5 and (1.5 + 0.25) / 5.
        let centroid = try #require(run.capture.cloud?.positions)
        #expect(run.count("cull-by-box", "points-in") == 1)
        #expect(centroid.isEmpty)
        #expect(run.warnings.last == "cull-by-box: no point of the capture lies in the box, so nothing is left")
        let outside = try StageRun(
            "- voxel-downsample: {size: 2}\n- cull-by-box: {keep: outside}", on: capture, probing: [.cloud])
        #expect(outside.capture.cloud?.positions == [Float(5.125 / 5), Float(1.75 / 5), 0])
    }

    // MARK: - Depth

    /// Depth of 4 × 3 pixels seen from 3 m above the cube's centre, straight down: each pixel is 1 m wide at 2 m.
    private func lookingDown(_ metres: [Float]) -> MemoryCapture {
        var item = MemoryCapture.Item(depth: metres, height: 3)
        item.pose = Pose(
            rotation: Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0)), position: Vector3(0, 3, 0))
        var capture = MemoryCapture([item])
        capture.box = cube
        return capture
    }

    @Test func depthZeroesThePixelsOfRemovedPoints() throws {
        // With whole coordinates, pixel (u, v) at depth 2 is seen at x = u − 2, z = v − 1.5, y = 1: on the top face.
        let metres: [Float] = [2, 2, 0, 2, 2, 2, 2, 2, 2, 2, 1.9, 4.5]
        let inside: [Float] = [0, 0, 0, 0, 0, 2, 2, 2, 0, 2, 0, 0]
        let run = try StageRun("- cull-by-box: {depth: true}", on: lookingDown(metres), probing: [.depth])
        #expect(run.frames.first?.depth?.metres == inside)
        #expect(run.count("cull-by-box", "pixels-in") == 11)
        #expect(run.count("cull-by-box", "pixels-out") == 4)
        let outside = try StageRun(
            "- cull-by-box: {depth: true, keep: outside}", on: lookingDown(metres), probing: [.depth])
        #expect(outside.frames.first?.depth?.metres == zip(metres, inside).map { $0 - $1 })
    }

    /// A depth sensor a metre above the camera, which looks where the camera looks: the same map begins a metre higher.
    @Test func depthOfASensorOfItsOwnIsCulledWhereItsPointsAre() throws {
        let metres: [Float] = [2, 3, 0, 2, 2, 3, 2, 2, 2, 2, 3, 4.5]
        var capture = lookingDown(metres)
        capture.depthCamera = DepthCamera(
            intrinsics: CameraIntrinsics(fx: 2, fy: 2, cx: 2, cy: 1.5, width: 4, height: 3, pixelOrigin: .corner),
            colorFromDepth: Pose(rotation: .identity, position: Vector3(0, 0, 1)))
        let run = try StageRun("- cull-by-box: {depth: true, pixel-centre: half}", on: capture, probing: [.depth])
        // At depth 3 pixels are seen at y = 1 and at x = 1.5 · (u − 1.5), z = 1.5 · (v − 1): in the cube are the middle ones.
        #expect(run.frames.first?.depth?.metres == [0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0])
    }

    @Test(arguments: ["integer", "half"])
    func depthAndPointsAreCulledAlike(centre: String) throws {
        var dice = SplitMix(seed: 7)
        let metres = (0..<12).map { _ in Float.random(in: 0.5..<4, using: &dice) }
        var capture = lookingDown(metres)
        capture.box = OrientedBox(center: .zero, worldFromBox: .rotation(aboutY: 0.3), halfSize: Vector3(1.2, 2, 0.9))
        let stages = "- unproject: {pixel-centre: \(centre)}\n- cull-by-box: {depth: true, pixel-centre: \(centre)}"
        let run = try StageRun(stages, on: capture)
        let frame = try #require(run.frames.first)
        let left = try #require(frame.points?.count)
        #expect(left > 0 && left < 12)
        #expect(frame.depth?.validCount == left)
        // What is left of the depth gives the same points again.
        var again = capture
        again.items[0].depth = frame.depth
        #expect(try StageRun("- unproject: {pixel-centre: \(centre)}", on: again).frames.first?.points == frame.points)
    }

    /// What a later pass replays is the cull as it was, not one with the box that has been fitted meanwhile.
    @Test func depthIsCulledByTheBoxThatWasThereWhenItsTurnCame() throws {
        var capture = lookingDown([2, 2, 0, 2, 2, 2, 2, 2, 2, 2, 1.9, 4.5])
        // From here on the cloud is what the frame brings: a few points, about which a small box fits.
        var positions: [Float] = []
        for number in 0..<300 {
            for step in [number % 10, number / 10 % 10, number / 100] { positions.append(Float(step) / 50) }
        }
        capture.items[0].points = PointCloud(positions: positions)
        let stages = "- cull-by-box: {depth: true}\n- voxel-downsample: {size: 0.001}\n- fit-box"
        let before = try StageRun("- cull-by-box: {depth: true}", on: capture, probing: [.depth])
        // The frames are walked once more, since the last stage reads the box frame by frame.
        let behind = try StageRun(stages + "\n- cull-by-box: {depth: false}", on: capture, probing: [.depth, .points])
        let depth = try #require(before.frames.first?.depth)
        #expect(depth.validCount == 4)
        #expect(behind.frames.first?.depth == depth)
        #expect(behind.capture.box != capture.box)
    }

    @Test func withDepthTheCloudIsCulledOnceWhereThereIsOne() throws {
        var capture = lookingDown(Array(repeating: 2, count: 12))
        capture.items[0].points = PointCloud(positions: [0, 0, 0, 5, 5, 5])
        let stages = "- voxel-downsample: {size: 1}\n- cull-by-box: {depth: true}"
        let run = try StageRun(stages, on: capture, probing: [.depth, .cloud])
        #expect(run.capture.cloud?.positions == [0, 0, 0])
        #expect(run.count("cull-by-box", "points-in") == 2)
        #expect(run.count("cull-by-box", "points-out") == 1)
        #expect(run.count("cull-by-box", "pixels-in") == 12)
    }

    // MARK: - Boxes from files

    private let small = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(0.5, 0.5, 0.5))
    private let points: [Float] = [0.25, 0, 0, 0.75, 0, 0]

    @Test func aFileBesideTheCapturesOwnComesFirst() throws {
        let folder = try TemporaryFolder()
        try folder.write(try BoundingBoxJSON.text(cube), to: "table.json")
        var capture = MemoryCapture([.init(points: points)])
        let stage = "- cull-by-box: {box: table.json}"
        let beside = try StageRun(stage, on: capture, pipelineFolder: folder.path)
        #expect(beside.frames.first?.points?.count == 2)
        // One that no reader lists, and one that it does.
        capture.unlisted["table.json"] = try BoundingBoxJSON.text(small)
        let own = try StageRun(stage, on: capture, pipelineFolder: folder.path)
        #expect(own.frames.first?.points?.count == 1)
        capture.files = capture.unlisted
        #expect(try StageRun(stage, on: capture, pipelineFolder: folder.path).frames.first?.points?.count == 1)
        // The file that was used stands among the receipt's inputs.
        let input = own.receipt["inputs"]?.array?.first { $0["path"]?.string == "table.json" }
        #expect(input?["bytes"]?.integer == Int64(capture.files["table.json"]?.count ?? 0))
    }

    @Test func eachCaptureHasItsOwnFile() throws {
        let folder = try TemporaryFolder()
        try folder.write(try BoundingBoxJSON.text(small), to: "boxes/memory.json")
        try folder.write(try BoundingBoxJSON.text(cube), to: "boxes/other.json")
        let stage = "- cull-by-box: {box: \"boxes/{id}.json\"}"
        let run = try StageRun(stage, on: MemoryCapture([.init(points: points)]), pipelineFolder: folder.path)
        #expect(run.frames.first?.points?.count == 1)
        #expect(run.capture.box?.halfSize == small.halfSize)
        #expect(
            StageRun.mistakes(in: "- cull-by-box: {box: \"boxes/{name}.json\"}") == [
                "`box` has braces that stand for nothing"
            ])
        // Messages name the file that was read.
        try folder.write("{", to: "boxes/memory.json")
        let problem = problem {
            _ = try StageRun(stage, on: MemoryCapture([.init(points: points)]), pipelineFolder: folder.path)
        }
        #expect(problem?.place.file == "\(folder.path)/boxes/memory.json")
    }

    /// What masks and later stages take for the capture's box is the one that was given; but not one that was cut out.
    @Test func aFileBecomesTheCapturesBox() throws {
        var capture = MemoryCapture([.init(points: points)])
        capture.box = cube
        capture.unlisted["small.json"] = try BoundingBoxJSON.text(small)
        let inside = try StageRun("- cull-by-box: {box: small.json}", on: capture)
        #expect(inside.capture.box?.halfSize == small.halfSize)
        #expect(
            inside.receipt["notes"]?.array?.compactMap(\.string) == [
                "cull-by-box: the capture's own box was replaced by that of small.json"
            ])
        let outside = try StageRun("- cull-by-box: {box: small.json, keep: outside}", on: capture)
        #expect(outside.capture.box?.halfSize == cube.halfSize)
        #expect(outside.frames.first?.points?.count == 1)
    }

    @Test func masksSeeTheBoxOfAFile() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].pose = Pose(rotation: .identity, position: Vector3(0, 0, 3))
        capture.items[0].depth = DepthMap(width: 4, height: 3, metres: Array(repeating: 3, count: 12))
        capture.unlisted["small.json"] = try BoundingBoxJSON.text(small)
        let stages =
            "- unproject: {color: false}\n- cull-by-box: {box: small.json, if-empty: warn}\n"
            + "- write-transforms: {masks: silhouette}"
        // Without a box of its own, which today's stages below would miss.
        let run = try StageRun(stages, on: capture)
        let mask = try PNG.decodeGray8(try run.bytes("nerf/masks/000000.png"))
        // 8 × 6 pixels, f = 4: the front face, half a metre to either side at 2.5 m, covers 0.8 pixels about the middle.
        #expect(mask.pixels.count { $0 == 255 } > 0 && mask.pixels.count { $0 == 255 } <= 4)
    }

    @Test func aFileInACaptureOnDisk() throws {
        let folder = try TemporaryFolder()
        var files = try MultiScanSample().files()
        files["shelf.json"] = try BoundingBoxJSON.text(
            OrientedBox(center: Vector3(0, 0, -50), worldFromBox: .identity, halfSize: small.halfSize))
        let path = try folder.write(files, under: "scan")
        let run = try StageRun(
            "- read\n- decompress\n- unproject\n- cull-by-box: {box: shelf.json, if-empty: warn}", reading: path)
        #expect(run.frames.map { $0.points?.count } == [0, 0, 0, 0])
        #expect(run.receipt["inputs"]?.array?.contains { $0["path"]?.string == "shelf.json" } == true)
    }

    /// A box that was left behind at another place, or poses that are wrong: nothing that follows is worth having.
    @Test func aBoxWithNothingInItFailsTheCapture() throws {
        var capture = MemoryCapture([.init(points: [0, 0, 0, 1, 1, 1]), .init(points: [0.5, 0, 0])])
        capture.box = OrientedBox(center: Vector3(10, 0, 0), worldFromBox: .identity, halfSize: Vector3(1, 1, 0.25))
        let problem = problem { _ = try StageRun("- cull-by-box", on: capture) }
        #expect(problem?.fault == .input && problem?.summary == "no point of the capture lies in the box")
        #expect(
            problem?.notes.prefix(2) == [
                "the box measures 2, 2, 0.5 and has its middle at 10, 0, 0", "3 points were looked at",
            ])
        #expect(
            problem?.fix
                == "look at the box and the poses with  scanmill inspect , or accept an empty result with  --set "
                + "cull-by-box.if-empty=warn")
        #expect(try StageRun("- cull-by-box: {keep: outside}", on: capture).count("cull-by-box", "points-out") == 3)
    }

    /// It is no fault of the box that no point came to it, and the result is as empty.
    @Test func nothingToCullFailsTheCaptureToo() throws {
        var capture = MemoryCapture([.init(points: [])])
        capture.box = cube
        let empty = problem { _ = try StageRun("- cull-by-box", on: capture) }
        #expect(empty?.fault == .input && empty?.summary == "the stages above left no point of the capture")
        #expect(
            empty?.fix
                == "loosen the masks and crops above cull-by-box, or accept an empty result with  --set "
                + "cull-by-box.if-empty=warn"
        )
        #expect(empty?.notes == [])
        #expect(
            try StageRun("- cull-by-box: {if-empty: warn}", on: capture).warnings
                == ["cull-by-box: the stages above left no point of the capture, so nothing is left"])
        let dark = problem {
            _ = try StageRun("- cull-by-box: {depth: true}", on: lookingDown(Array(repeating: 0, count: 12)))
        }
        #expect(dark?.summary == "the stages above left no depth pixel of the capture")
    }

    @Test func aMissingFileIsNamed() throws {
        let problem = problem {
            _ = try StageRun("- cull-by-box: {box: nowhere.json}", on: MemoryCapture([.init(points: points)]))
        }
        #expect(problem?.summary == "cannot read the file that the option names")
        #expect(problem?.place.file == "nowhere.json")
        #expect(problem?.place.stage == "cull-by-box")
    }

    @Test func aDamagedFileFailsTheCaptureNotItsFrames() throws {
        var capture = MemoryCapture([.init(points: points), .init(points: points)])
        capture.files["box.json"] = Array(#"{"center": {"x": 0, "y": 0}}"#.utf8)
        let problem = problem { _ = try StageRun("- cull-by-box: {box: box.json}", on: capture) }
        #expect(problem?.summary == "“center.z” is missing; expected a number")
        #expect(problem?.place.file == "box.json")
        #expect(problem?.place.frame == nil)
        #expect(problem?.place.stage == "cull-by-box")
        #expect(problem?.fault == .input && problem?.isOfPipeline == true)
        #expect(problem?.fix == "correct the file, or name another with  --set cull-by-box.box=FILE")
    }

    @Test func whatIsOddAboutABoxFromAFileIsSaid() throws {
        var capture = MemoryCapture([.init(points: points)])
        var clamped = cube
        clamped.floor = 5
        capture.files["box.json"] = try BoundingBoxJSON.text(clamped)
        let run = try StageRun("- cull-by-box: {box: box.json, if-empty: warn}", on: capture)
        #expect(run.frames.first?.points?.count == 0)
        #expect(run.warnings.contains("cull-by-box: the box has no volume, so nothing is inside it"))
    }

    /// It would cut nothing away.
    @Test func aBoxInMillimetresIsSuspected() throws {
        var capture = MemoryCapture([.init(points: points)])
        var large = cube
        large.halfSize = Vector3(400, 300, 450)
        capture.files["box.json"] = try BoundingBoxJSON.text(large)
        let run = try StageRun("- cull-by-box: {box: box.json}", on: capture)
        #expect(run.warnings == ["cull-by-box: the box of box.json is 900 m long: its numbers are taken as metres"])
        capture.isMetric = false
        #expect(
            try StageRun("- cull-by-box: {box: box.json}", on: capture).warnings == [
                "cull-by-box: the world's unit is unknown: the box of box.json is in metres"
            ])
    }

    @Test func aCaptureWithoutABoxIsNamed() throws {
        let problem = problem { _ = try StageRun("- cull-by-box", on: MemoryCapture([.init(points: points)])) }
        #expect(problem?.summary == "cull-by-box needs box, and this capture has none")
        #expect(
            problem?.fix
                == "use the ready-made object-no-box (for what stands on the floor) or object-on-table (on a table), "
                + "or give a box in a file, with  --set cull-by-box.box=FILE")
    }

    /// Those for objects need to know which way is up.
    @Test func aCaptureWithoutBoxAndUpIsToldBoth() throws {
        var capture = MemoryCapture([.init(points: points)])
        capture.worldUp = nil
        let problem = problem { _ = try StageRun("- cull-by-box", on: capture) }
        #expect(
            problem?.fix
                == "use the ready-made object-no-box (for what stands on the floor) or object-on-table (on a table), "
                + "and say which way is up, such as  --set read.up=z  or use the ready-made room-nerf, or give a box "
                + "in a file, with  --set cull-by-box.box=FILE")
        // What a format advises comes first.
        capture.absences[.box] = Absence("points have none", advice: "draw one")
        let advised = TestSupport.problem { _ = try StageRun("- cull-by-box", on: capture) }
        #expect(advised?.fix == "draw one")
    }

    /// Such a file's box stands along y.
    @Test func theBoxOfAFileIsTurnedToAWorldWithZUp() throws {
        let box = OrientedBox(
            center: Vector3(1, 2, 3), worldFromBox: .identity, halfSize: Vector3(0.5, 0.25, 0.125))
        // (x, y, z) is (x, −z, y) there.
        let points: [Float] = [1, -3, 2, 1, 2, 3, 1.4, -3.1, 2.2, 1.4, -3.2, 2]
        var capture = MemoryCapture([.init(points: points)])
        capture.worldUp = Vector3(0, 0, 1)
        let folder = try TemporaryFolder()
        try folder.write(try BoundingBoxJSON.text(box), to: "box.json")
        let run = try StageRun("- cull-by-box: {box: box.json}", on: capture, pipelineFolder: folder.path)
        #expect(run.frames.first?.points?.positions == [1, -3, 2, 1.4, -3.1, 2.2])
        #expect((try #require(run.capture.box).center - Vector3(1, -3, 2)).length < 1e-6)
    }

    /// The floor that cuts such a box off along y does so along z there, and no margin moves it.
    @Test func theFloorOfAFilesBoxIsTurnedToo() throws {
        let box = OrientedBox(
            center: Vector3(1, 2, 3), worldFromBox: .identity, halfSize: Vector3(0.5, 0.25, 0.125), floor: 1.9)
        let folder = try TemporaryFolder()
        try folder.write(try BoundingBoxJSON.text(box), to: "box.json")
        for (options, expected) in [
            ("", [1.91, 2.24]), (", margin: 0.04", [1.91, 2.24, 2.28]), (", bottom: 0.04", [1.87, 1.89, 1.91, 2.24]),
        ] as [(String, [Float])] {
            var capture = MemoryCapture([.init(points: [1.8, 1.87, 1.89, 1.91, 2.24, 2.28].flatMap { [1, -3, $0] })])
            capture.worldUp = Vector3(0, 0, 1)
            let run = try StageRun(
                "- cull-by-box: {box: box.json\(options)}", on: capture, pipelineFolder: folder.path)
            let positions = try #require(run.frames.first?.points?.positions)
            #expect(stride(from: 2, to: positions.count, by: 3).map { positions[$0] } == expected)
            // The capture's box from then on is what is left of it.
            let found = try #require(run.capture.box)
            #expect(abs(found.center.z - 2.075) < 1e-6 && abs(found.halfSize.y - 0.175) < 1e-6)
        }
    }

    /// The margin of a later stage does not move that floor either, nor is it lost in what is written.
    @Test func theTurnedFloorStaysWhereItIs() throws {
        let box = OrientedBox(
            center: Vector3(1, 2, 3), worldFromBox: .identity, halfSize: Vector3(0.5, 0.25, 0.125), floor: 1.9)
        let folder = try TemporaryFolder()
        try folder.write(try BoundingBoxJSON.text(box), to: "box.json")
        var capture = try MemoryCapture.posed(3)
        capture.worldUp = Vector3(0, 0, 1)
        capture.items[0].points = PointCloud(positions: [1.87, 1.89, 1.91, 2.24, 2.28].flatMap { [1, -3, $0] })
        let run = try StageRun(
            "- cull-by-box: {box: box.json, margin: 0.1, bottom: 0.1}\n- cull-by-box: {margin: 0.04}\n- write-staging",
            on: capture, pipelineFolder: folder.path)
        #expect(run.frames.first?.points?.positions == [1, -3, 1.91, 1, -3, 2.24, 1, -3, 2.28])
        let back = try #require(try StageRun("- read", reading: run.path).capture.box)
        #expect(abs((back.floor ?? 0) - 1.9) < 1e-6)
        let (found, given) = (back.cutByItsFloor, box.cutByItsFloor)
        #expect((found.center - given.center).length < 1e-6 && (found.halfSize - given.halfSize).length < 1e-6)
    }

    /// It is the margin's fault, not the box's.
    @Test(arguments: [("margin: -0.5", "margin"), ("bottom: -3", "bottom"), ("margin: -0.2, bottom: -2", "bottom")])
    func aMarginThatLeavesNothingOfTheBox(options: String, culprit: String) throws {
        var capture = MemoryCapture([.init(points: [0, 0, 0])])
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 0.25))
        let problem = problem { _ = try StageRun("- cull-by-box: {\(options)}", on: capture) }
        #expect(problem?.fault == .input && problem?.isOfPipeline == true)
        #expect(problem?.summary.contains("`\(culprit): ") == true)
        #expect(problem?.summary.contains(" nothing of the box") == true)
        #expect(problem?.notes.first == "half of its shortest side is 0.25 m")
        #expect(problem?.fix?.contains("--set cull-by-box.\(culprit)=0") == true)
    }

    @Test func marginsInAWorldOfUnknownUnitAreSaid() throws {
        var capture = MemoryCapture([.init(points: [0, 0, 0])])
        capture.box = cube
        capture.isMetric = false
        let run = try StageRun("- cull-by-box: {margin: 0.5}", on: capture)
        #expect(run.warnings == ["cull-by-box: the world's unit is unknown: 0.5 m may be anything"])
        let lower = try StageRun("- cull-by-box: {bottom: 0.25}", on: capture)
        #expect(lower.warnings == ["cull-by-box: the world's unit is unknown: 0.25 m may be anything"])
        #expect(try StageRun("- cull-by-box", on: capture).warnings == [])
    }

    /// Points and pixels are tested at the same places, or one of them is not where the other is.
    @Test func depthIsCulledAtTheSamePlacesAsPoints() throws {
        let scene =
            "- synthesize: {frames: 4, picture-width: 64, picture-height: 48, depth-width: 64, depth-height: 48}\n"
        func counts(_ unproject: String, _ cull: String) throws -> (points: Int?, pixels: Int?) {
            let run = try StageRun(
                scene + "- decompress\n- unproject\(unproject)\n- cull-by-box: {depth: true\(cull)}",
                reading: "nowhere/room")
            return (run.count("cull-by-box", "points-out"), run.count("cull-by-box", "pixels-out"))
        }
        for option in ["", ": {pixel-centre: half}", ": {pixel-centre: integer}"] {
            let (points, pixels) = try counts(option, "")
            #expect(points == pixels && points ?? 0 > 100, "\(option)")
        }
        let mixed = try counts(": {pixel-centre: half}", ", pixel-centre: integer")
        #expect(mixed.points != mixed.pixels)
    }
}
