import Foundation
import ScanFormats
import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct WriteTransformsTests {
    private func transforms(_ run: StageRun) throws -> JSONValue {
        try JSONValue.parse(try run.bytes("nerf/transforms.json"), file: "transforms.json")
    }

    private func frames(_ run: StageRun) throws -> [JSONValue] { try transforms(run)["frames"]?.array ?? [] }

    // MARK: - The layout

    /// The option that wants a box is what to change, not the pipeline.
    @Test func masksNeedABox() throws {
        let polycam = SharedData.checkout.appendingPathComponent("samples/polycam").path
        let problem = try PipelineRun.problem("- read\n- write-transforms: {masks: silhouette}", on: polycam)
        #expect(problem?.summary == "write-transforms needs box, and this capture has none")
        #expect(
            problem?.fix == "do without `mask-if-missing: fail` with  --set write-transforms.mask-if-missing=pass")
    }

    /// One pipeline for captures with a box and without.
    @Test(arguments: ["silhouette", "depth"]) func captureWithoutABoxGoesOnWithoutMasks(_ masks: String) throws {
        let polycam = SharedData.checkout.appendingPathComponent("samples/polycam").path
        let stages = "- read\n- decompress\n- write-transforms: {masks: \(masks), mask-if-missing: pass}"
        let without = try StageRun(stages, reading: polycam)
        #expect(without.warnings.isEmpty)
        let notes = without.receipt["notes"]?.array?.compactMap(\.string) ?? []
        #expect(notes.contains("write-transforms: the capture has no box, so no masks were written"))
        #expect(try frames(without).allSatisfy { $0["mask_path"] == nil && $0["file_path"] != nil })
        #expect(!without.files.contains { $0.contains("mask") })
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        let with = try StageRun(stages, reading: desk)
        let needing = try StageRun("- read\n- decompress\n- write-transforms: {masks: \(masks)}", reading: desk)
        #expect(with.files == needing.files && with.files.contains { $0.contains("masks/") })
        let mask = try #require(with.files.first { $0.contains("masks/") })
        #expect(try with.bytes(mask) == needing.bytes(mask))
    }

    /// A trainer that is told to leave the world as it is must not be handed one that lies on its side.
    @Test func whereUpIsUnknownATrainerMayFindIt() throws {
        var capture = try MemoryCapture.posed(1)
        capture.worldUp = nil
        let run = try StageRun("- write-transforms", on: capture)
        let json = try JSONValue.parse(try run.bytes("nerf/transforms.json"), file: "transforms.json")
        #expect(json["orientation_override"] == nil && json["applied_transform"] != nil)
        // nerfstudio takes z for up: a world whose y is, is left to it too.
        let yUp = try transforms(StageRun("- write-transforms: {z-up: false}", on: try MemoryCapture.posed(1)))
        #expect(yUp["orientation_override"] == nil)
    }

    @Test func theDatasetAsPythonReadsIt() throws {
        let capture = try MemoryCapture.posed(3)
        let run = try StageRun("- write-transforms", on: capture, workers: 2)
        #expect(
            run.files == [
                "nerf/images/000000.png", "nerf/images/000001.png", "nerf/images/000002.png", "nerf/transforms.json",
            ])
        let checked = try PythonReaders.run(
            """
            folder, poses = sys.argv[1] + '/nerf', json.loads(sys.argv[2])
            data = json.load(open(folder + '/transforms.json'))
            assert list(data) == ['camera_model', 'orientation_override', 'applied_transform', 'frames'], list(data)
            assert data['camera_model'] == 'OPENCV' and data['orientation_override'] == 'none'
            applied = data['applied_transform']
            assert applied == [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0]], applied
            worst = 0
            for number, (frame, pose) in enumerate(zip(data['frames'], poses, strict=True)):
                assert list(frame) == ['file_path', 'fl_x', 'fl_y', 'cx', 'cy', 'w', 'h', 'transform_matrix'], list(frame)
                assert frame['file_path'] == 'images/%06d.png' % number
                assert os.path.exists(folder + '/' + frame['file_path'])
                assert [frame[k] for k in ['fl_x', 'fl_y', 'cx', 'cy', 'w', 'h']] == [4 + number / 4, 4, 4, 3, 8, 6]
                saved = [[sum(applied[r][k] * pose[k][c] for k in range(3)) for c in range(4)] for r in range(3)] + [[0, 0, 0, 1]]
                worst = max([worst] + [abs(a - b) for x, y in zip(saved, frame['transform_matrix'], strict=True)
                                       for a, b in zip(x, y, strict=True)])
            print(json.dumps(worst))
            """, [run.path, capture.poses])
        #expect(checked.double ?? 1 < 1e-15)
        #expect(run.count("write-transforms", "frames") == 3)
    }

    /// Loaders that look for one camera at the top find it there; nerfstudio would take it for all frames.
    @Test func aCameraThatAllFramesShareStandsAtTheTop() throws {
        var capture = try MemoryCapture.posed(3)
        let camera = try #require(capture.items[0].intrinsics)
        for index in capture.items.indices { capture.items[index].intrinsics = camera }
        let keys = ["fl_x", "fl_y", "cx", "cy", "w", "h"]
        let shared = try transforms(StageRun("- write-transforms", on: capture))
        #expect(keys.map { shared[$0]?.double } == [4, 4, 4, 3, 8, 6])
        #expect(keys.map { shared["frames"]?.array?[2][$0]?.double } == [4, 4, 4, 3, 8, 6])
        let own = try transforms(StageRun("- write-transforms", on: try MemoryCapture.posed(3)))
        #expect(keys.allSatisfy { own[$0] == nil })
    }

    @Test func theWorldIsTurnedByAQuarterAboutX() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].pose = Pose(rotation: .identity, position: Vector3(1, 2, 3))
        // (x, y, z) → (x, −z, y), the axes of the camera too.
        let turned = try frames(try StageRun("- write-transforms", on: capture))[0]["transform_matrix"]?.array?.map(
            \.doubles)
        #expect(turned == [[1, 0, 0, 1], [0, 0, -1, -3], [0, 1, 0, 2], [0, 0, 0, 1]])

        let plain = try StageRun("- write-transforms: {z-up: false}", on: capture)
        #expect(try frames(plain)[0]["transform_matrix"]?.array?[0].doubles == [1, 0, 0, 1])
        let identity: [[Double]] = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
        #expect(try transforms(plain)["applied_transform"]?.array?.map(\.doubles) == identity)
        #expect(plain.warnings.isEmpty)

        capture.worldUp = nil
        let unknown = try StageRun("- write-transforms", on: capture)
        #expect(try transforms(unknown)["applied_transform"]?.array?.map(\.doubles) == identity)
        #expect(
            unknown.warnings == [
                "write-transforms: the capture does not say which way is up, so its world was not turned; say it, such as  "
                    + "--set read.up=z"
            ])
        capture.worldUp = Vector3(0, 0, 1)
        let already = try StageRun("- write-transforms", on: capture)
        #expect(try transforms(already)["applied_transform"]?.array?.map(\.doubles) == identity)
        #expect(already.warnings.isEmpty)
    }

    @Test func thePrincipalPointIsCountedFromTheCorner() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].intrinsics = CameraIntrinsics(
            fx: 4, fy: 4, cx: 3.5, cy: 2.5, width: 8, height: 6, pixelOrigin: .centre)
        let frame = try frames(try StageRun("- write-transforms", on: capture))[0]
        #expect(frame["cx"]?.double == 4)
        #expect(frame["cy"]?.double == 3)
    }

    @Test func namesAreThoseOfTheSourceFrames() throws {
        let run = try StageRun(
            "- select-frames: {include: [1, 11]}\n- write-transforms", on: try MemoryCapture.posed(12))
        #expect(try frames(run).map { $0["file_path"]?.string } == ["images/000001.png", "images/000011.png"])
    }

    @Test func anUnknownUnitIsSaid() throws {
        var capture = try MemoryCapture.posed(1)
        capture.isMetric = false
        let run = try StageRun("- write-transforms", on: capture)
        #expect(run.warnings == ["write-transforms: the world's unit is unknown: the dataset may not be in metres"])
    }

    @Test func masksOfABoxThatIsGrown() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].pose = Pose(rotation: .identity, position: box.center + Vector3(0, 0, 2.5))
        func mask(_ options: String, of box: OrientedBox) throws -> [UInt8] {
            capture.box = box
            let run = try StageRun("- write-transforms: {masks: silhouette\(options)}", on: capture)
            return try PNG.decodeGray8(try run.bytes("nerf/masks/000000.png")).pixels
        }
        let grown = try mask(", mask-margin: 0.5", of: box)
        #expect(try grown == mask("", of: box.grown(by: 0.5, bottom: 0)))
        let plain = try mask("", of: box).count { $0 == 255 }
        #expect(plain > 0 && plain < grown.count { $0 == 255 }, "\(plain)")
        #expect(
            StageRun.mistakes(in: "- write-transforms: {mask-margin: 0.5}") == [
                "`mask-margin` goes with `masks: silhouette` and `masks: depth`"
            ])
    }

    /// Moved as `cull-by-box` moves it.
    @Test(arguments: ["silhouette", "depth"]) func masksOfABoxWithAnotherBottom(_ masks: String) throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].pose = Pose(rotation: .identity, position: box.center + Vector3(0, 0, 2.5))
        func mask(_ options: String, of box: OrientedBox) throws -> [UInt8] {
            capture.box = box
            let run = try StageRun("- write-transforms: {masks: \(masks)\(options)}", on: capture)
            return try PNG.decodeGray8(try run.bytes("nerf/masks/000000.png")).pixels
        }
        for bottom in [-0.5, 0.7] {
            let moved = try mask(", mask-bottom: \(bottom)", of: box)
            #expect(try moved == mask("", of: box.grown(by: 0, bottom: bottom)))
            #expect(try moved != mask("", of: box))
        }
    }

    @Test func theBytesAreTheSameForAnyNumberOfWorkers() throws {
        var capture = try MemoryCapture.posed(20)
        capture.box = box
        let stages = "- unproject\n- write-transforms: {depth: true, masks: silhouette, test-every: 4}"
        let receipts = try [1, 2, 8].map { try StageRun(stages, on: capture, workers: $0).bytes("receipt.json") }
        #expect(receipts[1] == receipts[0])
        #expect(receipts[2] == receipts[0])
    }

    // MARK: - Splits

    @Test func everyNthFrameIsHeldOut() throws {
        let run = try StageRun(
            "- select-frames: {exclude: [1]}\n- write-transforms: {test-every: 3}", on: try MemoryCapture.posed(9))
        let data = try transforms(run)
        let lists = ["train_filenames", "val_filenames", "test_filenames"].map {
            data[$0]?.array?.compactMap(\.string) ?? []
        }
        // Of the frames that are left, 0, 2, 3, …, each third: 0, 4, 7.
        #expect(lists[2] == ["images/000000.png", "images/000004.png", "images/000007.png"])
        #expect(lists[1] == lists[2])
        let all = try frames(run).compactMap { $0["file_path"]?.string }
        #expect((lists[0] + lists[2]).sorted() == all)
        #expect(Set(lists[0]).isDisjoint(with: lists[2]))
        #expect(
            StageRun.mistakes(in: "- write-transforms: {test-every: 1}") == [
                "`test-every: 1` leaves no frame for training"
            ])
        let single = try StageRun("- write-transforms: {test-every: 3}", on: try MemoryCapture.posed(1))
        #expect(single.warnings == ["write-transforms: `test-every` leaves no frame for training"])
    }

    // MARK: - Pictures

    @Test func picturesAreCopiedByteForByteAlsoWhenAStageAboveDecodedThem() throws {
        let capture = try MemoryCapture.posed(2)
        for stages in ["- write-transforms", "- unproject\n- filter-blur: {at-least: 0}\n- write-transforms"] {
            let run = try StageRun(stages, on: capture)
            for number in 0..<2 {
                #expect(try run.bytes("nerf/images/00000\(number).png") == capture.files["color/\(number).png"])
            }
        }
    }

    @Test func framesOfAVideoBecomeJPEGOrPNG() throws {
        var capture = try MemoryCapture.posed(1)
        let pixels = RGBImage(width: 8, height: 6, pixels: (0..<144).map { UInt8(100 + $0 / 3) })
        capture.items[0].file = nil
        capture.items[0].pixels = pixels
        let jpeg = try StageRun("- write-transforms", on: capture)
        #expect(try frames(jpeg)[0]["file_path"]?.string == "images/000000.jpg")
        let decoded = try JPEG.decodeRGB(try jpeg.bytes("nerf/images/000000.jpg"))
        #expect(zip(decoded.pixels, pixels.pixels).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
        #expect(try jpeg.bytes("nerf/images/000000.jpg") == JPEG.encode(pixels, quality: 95, subsampling: .s444))
        let png = try StageRun("- write-transforms: {color: png}", on: capture)
        #expect(try PNG.decodeRGB(try png.bytes("nerf/images/000000.png")) == pixels)
    }

    @Test func picturesCanBeEncodedAgain() throws {
        let capture = try MemoryCapture.posed(1)
        let run = try StageRun("- write-transforms: {color: jpeg, quality: 40}", on: capture)
        let picture = try PNG.decodeRGB(capture.files["color/0.png"] ?? [])
        #expect(try run.bytes("nerf/images/000000.jpg") == JPEG.encode(picture, quality: 40, subsampling: .s444))
    }

    // MARK: - Points

    @Test func pointsAreWrittenInTheSavedWorldAndGreyWithoutColour() throws {
        var capture = try MemoryCapture.posed(2)
        capture.items[0].points = PointCloud(positions: [1, 2, 3, -4, 5, -6])
        capture.items[1].points = PointCloud(positions: [0.5, 0, 0])
        let script = "print(json.dumps(read_ply(sys.argv[1] + '/nerf/points.ply')['points']))"
        let run = try StageRun("- write-transforms", on: capture)
        #expect(try transforms(run)["ply_file_path"]?.string == "points.ply")
        #expect(
            try PythonReaders.run(script, [run.path]).array?.map(\.doubles) == [
                [1, -3, 2, 128, 128, 128], [-4, 6, 5, 128, 128, 128], [0.5, 0, 0, 128, 128, 128],
            ])
        #expect(run.count("write-transforms", "points") == 3)
        capture.items[0].points?.colors = [1, 2, 3, 4, 5, 6]
        capture.items[1].points?.colors = [7, 8, 9]
        let cloud = try StageRun("- voxel-downsample: {size: 100}\n- write-transforms: {z-up: false}", on: capture)
        // Cubes of 100 m part the points only by their signs.
        #expect(
            try PythonReaders.run(script, [cloud.path]).array?.map(\.doubles) == [
                [0.75, 1, 1.5, 4, 5, 6], [-4, 5, -6, 4, 5, 6],
            ])
        #expect(cloud.count("write-transforms", "points") == 2)
    }

    @Test func manyPointsAreWarnedAbout() {
        #expect(WriteTransforms.warning(points: 1_000_000) == nil)
        #expect(
            WriteTransforms.warning(points: 1_000_001)
                == "points.ply holds 1000001 points, and trainers start slowly with more than a million; "
                + "put voxel-downsample above, or raise its size")
    }

    // MARK: - Depth

    /// As LichtFeld Studio wants it beside a COLMAP model.
    @Test func depthIsEnlargedToThePictures() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].depth?.metres = (0..<12).map { Float($0) / 4 }
        let run = try StageRun(
            "- downscale: {factors: [2]}\n- write-colmap: {depth: true, depth-size: picture}", on: capture)
        let depth = try PNG.decodeGray16(try run.bytes("colmap/depths/000000.png"))
        #expect(depth.size == PixelSize(8, 6))
        let enlarged = (0..<48).map { pixel in
            let (row, column) = (pixel / 8, pixel % 8)
            return UInt16(250 * (row / 2 * 4 + column / 2))
        }
        #expect(depth.pixels == enlarged)
        let small = try PNG.decodeGray16(try run.bytes("colmap/depths_2/000000.png"))
        #expect(small == Gray16Image(width: 4, height: 3, pixels: (0..<12).map { UInt16(250 * $0) }))
    }

    @Test func depthIsWholeMillimetresAtTheDepthMapsSize() throws {
        var capture = try MemoryCapture.posed(2)
        capture.items[0].depth?.metres = [0, 0.0004, 0.0006, 1, 1.2344, 1.2346, 10, 65.535, 65.536, 1000, 0.5, 2.5]
        capture.items[1].depth = nil
        let run = try StageRun("- write-transforms: {depth: true}", on: capture)
        let expected: [UInt16] = [0, 0, 1, 1000, 1234, 1235, 10000, 65535, 0, 0, 500, 2500]
        #expect(
            try PNG.decodeGray16(try run.bytes("nerf/depths/000000.png"))
                == Gray16Image(width: 4, height: 3, pixels: expected))
        let script = "print(json.dumps([read_png(sys.argv[1] + '/nerf/depths/00000%d.png' % n) for n in range(2)]))"
        let pictures = try #require(try PythonReaders.run(script, [run.path]).array)
        for (picture, values) in zip(pictures, [expected, Array(repeating: 0, count: 12)]) {
            #expect(
                [picture["width"], picture["height"], picture["bits"], picture["channels"]].map { $0?.integer } == [
                    4, 3, 16, 1,
                ])
            #expect(picture["rows"]?.array?.flatMap { $0.doubles ?? [] } == values.map { Double($0) })
        }
        #expect(try frames(run).map { $0["depth_file_path"]?.string } == ["depths/000000.png", "depths/000001.png"])
        #expect(run.count("write-transforms", "depth-pixels-too-far") == 2)
        #expect(run.count("write-transforms", "frames-without-depth") == 1)
    }

    // MARK: - Masks

    private let box = OrientedBox(
        center: Vector3(0.2, 0.1, 0.4), worldFromBox: .rotation(aboutY: 0.5), halfSize: Vector3(0.7, 0.4, 0.5))

    @Test(arguments: [nil, -0.1] as [Double?])
    func silhouettesAreWhatPythonsRaysMeet(floor: Double?) throws {
        var capture = try MemoryCapture.posed(4)
        for index in capture.items.indices {
            // Around the box and above it, looking at it or a little past it.
            let angle = 0.7 * Double(index) - 1
            capture.items[index].pose = Pose(
                rotation: .rotation(aboutY: angle + 0.1),
                position: box.center + Vector3(2.2 * sin(angle), 0.2 * Double(index), 2.2 * cos(angle)))
            capture.items[index].intrinsics = CameraIntrinsics(
                fx: 18, fy: 19, cx: 11.5, cy: 10, width: 24, height: 18, pixelOrigin: .corner)
            capture.files["color/\(index).png"] = try pngOf(width: 24, height: 18)
        }
        capture.colorSize = PixelSize(24, 18)
        capture.box = box
        capture.box?.floor = floor
        let run = try StageRun("- write-transforms: {masks: silhouette}", on: capture)
        #expect(try frames(run).map { $0["mask_path"]?.string }.prefix(2) == ["masks/000000.png", "masks/000001.png"])
        // Another way than the code's: the ray is walked in small steps through the box's own definition.
        let result = try PythonReaders.run(
            """
            folder, poses, floor = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
            c, s, center, half = math.cos(0.5), math.sin(0.5), (0.2, 0.1, 0.4), (0.7, 0.4, 0.5)
            def depth(p):  # how far inside the box, below 0 outside
                d = [p[i] - center[i] for i in range(3)]
                q = (c * d[0] - s * d[2], d[1], s * d[0] + c * d[2])
                inside = min(half[i] - abs(q[i]) for i in range(3))
                return inside if floor is None else min(inside, p[1] - floor)
            white = black = wrong = 0
            for number, pose in enumerate(poses):
                mask = read_png(folder + '/nerf/masks/%06d.png' % number)
                assert (mask['width'], mask['height'], mask['bits'], mask['channels']) == (24, 18, 8, 1)
                for v in range(18):
                    for u in range(24):
                        ray = ((u + 0.5 - 11.5) / 18, -(v + 0.5 - 10) / 19, -1)
                        ray = [sum(pose[r][k] * ray[k] for k in range(3)) for r in range(3)]
                        best = max(depth([pose[r][3] + 0.02 * n * ray[r] for r in range(3)]) for n in range(40, 180))
                        value = mask['rows'][v][u]
                        assert value in (0, 255)
                        white, black = white + (value == 255), black + (value == 0)
                        # Rays that only graze the box may be decided either way by steps of 2 cm.
                        if best > 0.02 and value == 0 or best < -0.02 and value == 255: wrong += 1
            print(json.dumps([white, black, wrong]))
            """, [run.path, capture.poses, floor.map { "\($0)" } ?? "null"])
        let counts = try #require(result.doubles)
        #expect(counts[0] > 150 && counts[1] > 150)
        #expect(counts[2] == 0)
    }

    /// The floor of a box from a file is not left behind when the box is turned and then grown.
    @Test func masksGrowOverNoFloorWhicheverWayIsUp() throws {
        var clamped = box
        clamped.floor = 0
        let folder = try TemporaryFolder()
        try folder.write(try BoundingBoxJSON.text(clamped), to: "box.json")
        func masks(_ turn: WorldTurn, margin: Double) throws -> [[UInt8]] {
            var capture = try MemoryCapture.posed(4)
            capture.worldUp = turn.rotation * Vector3(0, 1, 0)
            for index in capture.items.indices {
                let angle = 0.7 * Double(index) - 1
                let pose = Pose(
                    rotation: .rotation(aboutY: angle + 0.1),
                    position: box.center + Vector3(2.2 * sin(angle), 0.2 * Double(index), 2.2 * cos(angle)))
                capture.items[index].pose = turn.apply(pose)
                let middle = turn.rotation * box.center
                capture.items[index].points = PointCloud(positions: middle.components.map { Float($0) })
            }
            let run = try StageRun(
                "- cull-by-box: {box: box.json}\n- write-transforms: {masks: silhouette, mask-margin: \(margin)}",
                on: capture, pipelineFolder: folder.path)
            return try (0..<4).map { try run.bytes("nerf/masks/00000\($0).png") }
        }
        #expect(try masks(.yUpToZUp, margin: 0.5) == masks(.none, margin: 0.5))
        #expect(try masks(.yUpToZUp, margin: 0.5) != masks(.yUpToZUp, margin: 0))
    }

    @Test func depthMasksAreWhereThePointsLieInTheBox() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].pose = .identity
        capture.items[0].intrinsics = MemoryCapture.camera
        // Pixel (u, v) of 4 × 3 at 2 m: x = (u + ½ − 2)/2 · 2 = −1.5, −0.5, 0.5, 1.5 and y = −(v + ½ − 1.5) = 1, 0, −1.
        capture.box = OrientedBox(
            center: Vector3(0.5, 0.5, -2), worldFromBox: .identity, halfSize: Vector3(1, 0.5, 0.1))
        capture.items[0].depth?.metres[1] = 0
        capture.items[0].depth?.metres[6] = 3
        let run = try StageRun("- write-transforms: {masks: depth}", on: capture)
        // Inside are columns 1 to 3 of rows 0 and 1, but for the two pixels without such a depth. 8 × 6: each one twice.
        let small: [[UInt8]] = [[0, 0, 255, 255], [0, 255, 0, 255], [0, 0, 0, 0]]
        func large(_ rows: [[UInt8]]) -> LumaImage {
            let pixels = rows.flatMap { row in [row, row] }.flatMap { row in row.flatMap { [$0, $0] } }
            return LumaImage(width: 8, height: 6, pixels: pixels)
        }
        func mask(_ run: StageRun) throws -> LumaImage {
            try PNG.decodeGray8(try run.bytes("nerf/masks/000000.png"))
        }
        #expect(try mask(run) == large(small))
        #expect(try frames(run)[0]["mask_path"]?.string == "masks/000000.png")

        // No point of the dataset lies where its mask says ignore: with `integer` x = u − 2 and y = −(v − 1.5).
        for (option, rows) in [("half", small), ("integer", [[0, 0, 0, 0], [0, 0, 0, 255], [0, 0, 0, 0]])] {
            let stages = "- unproject: {pixel-centre: \(option)}\n- cull-by-box\n- write-transforms: {masks: depth}"
            let run = try StageRun(stages, on: capture)
            #expect(try mask(run) == large(rows), "\(option)")
            #expect(run.count("write-transforms", "points") == rows.joined().count { $0 == 255 })
        }

        // Wherever the principal point is counted from.
        capture.items[0].intrinsics = MemoryCapture.camera.counted(from: .centre)
        for option in ["half", "integer"] {
            let stages = "- unproject: {pixel-centre: \(option)}\n- cull-by-box\n- write-transforms: {masks: depth}"
            let run = try StageRun(stages, on: capture)
            let mask = try mask(run)
            if option == "half" { #expect(mask == large(small)) }
            // Each depth pixel is four of the picture's.
            let points = try #require(run.count("write-transforms", "points"))
            #expect(4 * points == mask.pixels.count { $0 == 255 }, "\(option)")
        }
    }

    /// Trainers take depth pictures and masks for the pictures' own view.
    @Test func depthOfACameraOfItsOwnFitsThePictures() throws {
        var capture = try MemoryCapture.depthBeside()
        capture.items[0].pose = .identity
        capture.box = OrientedBox(
            center: Vector3(0, 0, -3), worldFromBox: .identity, halfSize: Vector3(9, 9, 0.1))
        let run = try StageRun("- decompress\n- write-transforms: {depth: true, masks: depth}", on: capture)
        // A column to the left; nothing is seen in the last one.
        let depth = try PNG.decodeGray16(try run.bytes("nerf/depths/000000.png"))
        #expect(depth.pixels == [2000, 3000, 4000, 0, 2000, 3000, 4000, 0, 2000, 3000, 4000, 0])
        let mask = try PNG.decodeGray8(try run.bytes("nerf/masks/000000.png"))
        #expect(mask.pixels == Array(repeatElement([0, 0, 255, 255, 0, 0, 0, 0], count: 6).joined()))
    }

    @Test func aFrameThatTurnsOutBadLeavesNoFiles() throws {
        var capture = try MemoryCapture.posed(3)
        capture.box = box
        capture.items[1].depth = nil
        capture.items[2].pose = nil
        let run = try StageRun("- write-transforms: {masks: depth}", on: capture)
        #expect(
            run.drops == [
                "1 write-transforms: the frame has no depth",
                "2 write-transforms: the frame has no pose",
            ])
        #expect(run.files == ["nerf/images/000000.png", "nerf/masks/000000.png", "nerf/transforms.json"])
        #expect(try frames(run).count == 1)
    }
}
