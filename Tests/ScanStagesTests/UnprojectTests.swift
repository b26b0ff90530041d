import ScanFormats
import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct UnprojectTests {
    /// However many frames it is said of.
    @Test func placesFarFromTheOriginAreToldOnce() throws {
        var capture = MemoryCapture((0..<4).map { _ in .init(depth: [1, 1]) })
        for index in capture.items.indices {
            capture.items[index].pose = Pose(rotation: .identity, position: Vector3(6e5 + 1e3 * Double(index), 0, 0))
        }
        #expect(
            try StageRun("- unproject", on: capture).warnings == [
                "unproject: the points lie more than 524 km from the origin, where coordinates are held in steps of 63 mm: "
                    + "move the origin of the world near them first"
            ])
    }

    /// Depth of 4 × 3 pixels for pictures of 8 × 6: fx = fy = 2, cx = 2, cy = 1.5 of the depth map.
    private func item(_ pixels: [Int: Float]) -> MemoryCapture.Item {
        .init(depth: (0..<12).map { pixels[$0] ?? 0 }, height: 3)
    }

    private func points(_ item: MemoryCapture.Item, _ options: String = "{color: false}") throws -> PointCloud? {
        try StageRun("- unproject: \(options)", on: MemoryCapture([item])).frames.first?.points
    }

    @Test func wholeAndHalfCoordinates() throws {
        // Pixel (0, 0) at 2 m and pixel (3, 2) at 4 m.
        let item = item([0: 2, 11: 4])
        // ((0 − 2)/2 · 2, −(0 − 1.5)/2 · 2, −2) and ((3 − 2)/2 · 4, −(2 − 1.5)/2 · 4, −4).
        #expect(try points(item)?.positions == [-2, 1.5, -2, 2, -1, -4])
        #expect(try points(item, "{pixel-centre: integer}")?.positions == [-2, 1.5, -2, 2, -1, -4])
        // Half a pixel further on: ((½ − 2)/2 · 2, −(½ − 1.5)/2 · 2, −2) and ((3½ − 2)/2 · 4, −(2½ − 1.5)/2 · 4, −4).
        #expect(try points(item, "{pixel-centre: half}")?.positions == [-1.5, 1, -2, 3, -2, -4])
    }

    /// A dataset brings points along; those of its depth are what was asked for.
    @Test func thePointsReplaceACloudThatWasThere() throws {
        let scene =
            "- synthesize: {frames: 2, picture-width: 32, picture-height: 24, depth-width: 16, depth-height: 12}\n"
        let dataset = try StageRun(
            scene + "- decompress\n- unproject: {every: 4}\n- write-transforms: {depth: true}", reading: "nowhere/a")
        let run = try StageRun(
            "- read\n- decompress\n- unproject: {every: 2}\n- write-ply\n- write-colmap\n- write-transforms",
            reading: "\(dataset.path)/nerf")
        let points = try #require(run.count("unproject", "points"))
        #expect(points > dataset.count("unproject", "points") ?? 0)
        for stage in ["write-ply", "write-colmap", "write-transforms"] {
            #expect(run.count(stage, "points") == points, "\(stage)")
        }
        #expect(
            run.receipt["notes"]?.array?.compactMap(\.string).contains(
                "unproject: the points take the place of the cloud that was there before") == true)
        #expect(
            PipelineRun.mistakes("- read\n- decompress\n- unproject\n- render-cloud").first
                == "`render-cloud` needs cloud, which no stage before it makes; put `voxel-downsample` above it, or make "
                + "a cloud of the depth above it, with `unproject` and `voxel-downsample`, or with `sample-mesh` of a mesh, or of "
                + "a PLY file's points, with `voxel-downsample` alone")
    }

    /// A room's walls, floor and ceiling face along the axes, and inwards; in a dataset they are turned like its points, and
    /// read back as they were.
    @Test func normalsGoFromDepthToFiles() throws {
        let scene =
            "- synthesize: {frames: 6, picture-width: 64, picture-height: 48, depth-width: 128, depth-height: 96}\n"
        let stages = scene + "- decompress\n- unproject: {normals: true}\n- voxel-downsample: {size: 0.05}\n"
        let run = try StageRun(stages + "- write-ply\n- write-transforms", reading: "nowhere/a")
        let without = try #require(run.count("unproject", "points-without-normal"))
        #expect(without < (run.count("unproject", "points") ?? 0) / 100)
        let cloud = try #require(run.capture.cloud)
        let normals = try #require(cloud.normals)
        let along = stride(from: 0, to: normals.count, by: 3).count { at in
            normals[at..<at + 3].contains { abs($0) > 0.99 }
        }
        // The others are edges, and the object that stands in the box.
        #expect(along > cloud.count * 3 / 4, "\(along) of \(cloud.count)")
        var file = try PLYReader(MemorySource(try run.bytes("a.ply"), name: "a.ply"))
        #expect(try file.next(1 << 20) == cloud)
        let back = try StageRun("- read", reading: "\(run.path)/nerf")
        #expect(back.capture.cloud?.positions == cloud.positions)
        #expect(back.capture.cloud?.normals == normals)
        var turned = try PLYReader(MemorySource(try run.bytes("nerf/points.ply"), name: "points.ply"))
        #expect(try turned.next(1 << 20)?.normals == WorldTurn.yUpToZUp.apply(cloud).normals)
        let plain = try StageRun(scene + "- decompress\n- unproject", reading: "nowhere/a")
        #expect(plain.count("unproject", "points-without-normal") == nil)
    }

    @Test func aCameraCountedFromThePixelsCentre() throws {
        var item = item([0: 2, 11: 4])
        // The same camera, said from half a pixel further on.
        item.intrinsics = CameraIntrinsics(fx: 4, fy: 4, cx: 3.5, cy: 2.5, width: 8, height: 6, pixelOrigin: .centre)
        let exact = try points(item, "{pixel-centre: half}")?.positions
        #expect(exact == [-1.5, 1, -2, 3, -2, -4])
        // MultiScan's server scales the numbers as they stand: 1.75 and 1.25.
        let asRecorded = try points(item, "{pixel-centre: integer}")?.positions
        #expect(asRecorded == [-1.75, 1.25, -2, 2.5, -1.5, -4])
    }

    @Test func thePoseTurnsAndMoves() throws {
        var item = item([0: 2])
        // A quarter turn about y, exactly: (x, y, z) → (z, y, −x); then (10, 20, 30) further.
        item.pose = Pose(
            rotation: Matrix3(rows: Vector3(0, 0, 1), Vector3(0, 1, 0), Vector3(-1, 0, 0)),
            position: Vector3(10, 20, 30))
        #expect(try points(item)?.positions == [10 - 2, 20 + 1.5, 30 + 2])
    }

    /// A depth sensor a quarter of a metre to the right of the colour camera and turned by 90° about its own y,
    /// exactly: (x, y, z) → (z, y, −x).
    @Test func aDepthSensorOfItsOwnSeesFromItsPlace() throws {
        var capture = MemoryCapture([item([0: 2])])
        let turn = Matrix3(rows: Vector3(0, 0, 1), Vector3(0, 1, 0), Vector3(-1, 0, 0))
        capture.depthCamera = DepthCamera(
            intrinsics: CameraIntrinsics(fx: 1, fy: 2, cx: 1, cy: 0.5, width: 4, height: 3, pixelOrigin: .corner),
            colorFromDepth: Pose(rotation: turn, position: Vector3(0.25, 0, 0)))
        capture.items[0].pose = Pose(rotation: turn, position: Vector3(10, 20, 30))
        let run = try StageRun("- unproject: {pixel-centre: half, color: false}", on: capture)
        // (½ − 1)/1 · 2, −(½ − ½)/2 · 2, −2 in the sensor's axes; from there to (−1.75, 0, 1) and to the world.
        #expect(run.frames[0].points?.positions == [10 + 1, 20, 30 + 1.75])
    }

    @Test func pointsComeRowByRowAndOnlyWhereThereIsDepth() throws {
        let item = item([1: 1, 2: 1, 4: 1, 11: 1])
        let cloud = try #require(try points(item))
        // (u − 2)/2 and −(v − 1.5)/2 of (1, 0), (2, 0), (0, 1), (3, 2).
        #expect(cloud.positions == [-0.5, 0.75, -1, 0, 0.75, -1, -1, 0.25, -1, 0.5, -0.25, -1])
        let run = try StageRun("- unproject", on: MemoryCapture([item, self.item([:])]))
        #expect(run.count("unproject", "points") == 4)
        #expect(run.frames.map { $0.points?.count } == [4, 0])
        #expect(run.frames.first?.points?.colors == nil)
    }

    @Test func everyNthRowAndColumn() throws {
        let item = MemoryCapture.Item(depth: Array(repeating: 1, count: 12), height: 3)
        // Columns 0 and 2 of rows 0 and 2.
        #expect(try points(item, "{every: 2}")?.positions == [-1, 0.75, -1, 0, 0.75, -1, -1, -0.25, -1, 0, -0.25, -1])
        #expect(try points(item, "{every: 3}")?.positions == [-1, 0.75, -1, 0.5, 0.75, -1])
        #expect(try points(item, "{every: 1000}")?.positions == [-1, 0.75, -1])
    }

    @Test func theColourOfADepthPixelIsThatInTheMiddleOfIt() throws {
        // A picture of 10 × 7: columns floor((u + ½) · 2.5) = 1, 3, 6, 8 and rows floor((v + ½) · 7/3) = 1, 3, 5.
        var item = MemoryCapture.Item(depth: Array(repeating: 1, count: 12), height: 3)
        item.pixels = RGBImage(
            width: 10, height: 7, pixels: (0..<70).flatMap { [UInt8($0 % 10), UInt8($0 / 10), UInt8(200)] })
        item.depth?.metres[5] = 0
        let run = try StageRun("- unproject", on: MemoryCapture([item]))
        var expected: [[UInt8]] = [1, 3, 5].flatMap { row in [1, 3, 6, 8].map { column in [column, row, 200] } }
        expected.remove(at: 5)
        #expect(run.frames.first?.points?.colors == Array(expected.joined()))
        // Every second row and column keeps its own colours.
        let thinned = try StageRun("- unproject: {every: 2}", on: MemoryCapture([item]))
        #expect(thinned.frames.first?.points?.colors == [1, 1, 200, 6, 1, 200, 1, 5, 200, 6, 5, 200])
        #expect(try points(item)?.colors == nil)
        // A picture smaller than the depth map: 2 × 1.
        item.pixels = RGBImage(width: 2, height: 1, pixels: [9, 9, 9, 8, 8, 8])
        item.depth?.metres[5] = 1
        let row: [UInt8] = [9, 9, 9, 9, 9, 9, 8, 8, 8, 8, 8, 8]
        let small = try StageRun("- unproject", on: MemoryCapture([item]))
        #expect(small.frames.first?.points?.colors == row + row + row)
    }

    @Test func framesThatLackSomethingAreDroppedByName() throws {
        var items = (0..<4).map { _ in item([0: 1]) }
        items[1].pose = nil
        items[2].intrinsics = nil
        items[3].depth = nil
        let run = try StageRun("- unproject", on: MemoryCapture(items))
        #expect(
            run.drops == [
                "1 unproject: the frame has no pose", "2 unproject: the frame has no intrinsics",
                "3 unproject: the frame has no depth",
            ])
    }

    @Test func aPictureOfAnotherSizeThanTheOthersIsDroppedByName() throws {
        var capture = MemoryCapture([item([0: 1]), item([0: 1])])
        capture.items[0].file = "0.png"
        capture.items[1].file = "1.png"
        capture.files["0.png"] = try pngOf(width: 8, height: 6)
        capture.files["1.png"] = try pngOf(width: 6, height: 8)
        capture.colorSize = PixelSize(8, 6)
        let run = try StageRun("- unproject", on: capture)
        #expect(run.drops == ["1 unproject: the picture is 6×8, and the capture's pictures are 8×6 (1.png)"])
    }

    @Test func coarsePointsAreSaid() throws {
        var item = MemoryCapture.Item(depth: [1])
        item.pose = Pose(rotation: .identity, position: Vector3(500_000, 5_400_000, 0))
        let run = try StageRun("- unproject", on: MemoryCapture([item]))
        #expect(run.warnings.count == 1 && run.warnings[0].contains("steps of 500 mm"), "\(run.warnings)")
    }
}
