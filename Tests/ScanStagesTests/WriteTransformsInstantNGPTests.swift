import ScanFormats
import ScanModel
import TestSupport
import Testing

/// `write-transforms: {dialect: instant-ngp}`, by what instant-ngp's loader does with it.
@Suite struct WriteTransformsInstantNGPTests {
    private static let scene =
        "- synthesize: {frames: 6, rate: 1, picture-width: 32, picture-height: 24, depth-width: 16, depth-height: 12}\n"
        + "- filter-blur: {keep: 1}\n- decompress\n"

    private func json(_ run: StageRun) throws -> JSONValue {
        try JSONValue.parse(try run.bytes("ngp/transforms.json"), file: "transforms.json")
    }

    @Test func depthHasThePicturesSize() throws {
        let run = try StageRun(
            Self.scene + "- write-transforms: {dialect: instant-ngp, depth: true}", reading: "nowhere/a", workers: 2)
        let json = try json(run)
        #expect(json["integer_depth_scale"]?.double == 0.001)
        #expect(json["enable_depth_loading"]?.bool == true)
        #expect(json["camera_model"] == nil)
        let frame = try #require(json["frames"]?.array?[2])
        #expect(frame["depth_path"]?.string == "depths/000002.png")
        #expect(frame["depth_file_path"] == nil)
        let picture = try PNG.decodeGray16(try run.bytes("ngp/depths/000002.png"))
        #expect((picture.width, picture.height) == (32, 24))
        let depth = try #require(run.frames[2].depth)
        for v in 0..<24 {
            for u in 0..<32 {
                let metres = Double(depth.metres[v / 2 * 16 + u / 2])
                #expect(abs(Double(picture.pixels[v * 32 + u]) - metres * 1000) <= 0.5)
            }
        }
        #expect(frame["sharpness"]?.double == run.frames[2].sharpness && run.frames[2].sharpness != nil)
    }

    /// The cube is filled by what is in the box, however much of the box its floor cuts off.
    @Test func theCubeIsThatOfTheBoxAboveItsFloor() throws {
        var capture = try MemoryCapture.posed(2)
        let box = OrientedBox(center: Vector3(0, 1, 0), worldFromBox: .identity, halfSize: Vector3(0.5, 0.25, 0.5))
        capture.box = box
        let whole = try json(StageRun("- write-transforms: {dialect: instant-ngp}", on: capture))
        capture.box?.floor = 0.75
        capture.box?.center.y -= 2
        capture.box?.halfSize.y += 2
        let cut = try json(StageRun("- write-transforms: {dialect: instant-ngp}", on: capture))
        for key in ["scale", "offset", "aabb_scale"] { #expect(cut[key] == whole[key] && whole[key] != nil, "\(key)") }
    }

    /// It falls back on the camera at the top, and other loaders of such files know no other.
    @Test func theFirstFramesCameraStandsAtTheTop() throws {
        let run = try StageRun("- write-transforms: {dialect: instant-ngp}", on: try MemoryCapture.posed(2))
        let json = try json(run)
        let frames = try #require(json["frames"]?.array)
        #expect(json["fl_x"]?.double == 4 && frames.map { $0["fl_x"]?.double } == [4, 4.25])
        #expect(json["w"]?.integer == 8 && json["h"]?.integer == 6)
    }

    /// instant-ngp compares a frame's sharpness with the mean of its neighbours', and divides by how many there are.
    @Test func itPassesOverNoFrameForItsSharpness() throws {
        let scores = [0, 2.5]
        var capture = try MemoryCapture.posed(2)
        for index in 0..<2 { capture.items[index].sharpness = scores[index] }
        let both = try json(StageRun("- write-transforms: {dialect: instant-ngp}", on: capture))
        #expect(both["frames"]?.array?.map { $0["sharpness"]?.double } == [1e-6, 2.5])
        let alone = try json(
            StageRun("- select-frames: {include: 1}\n- write-transforms: {dialect: instant-ngp}", on: capture))
        #expect(alone["frames"]?.array?.count == 1 && alone["frames"]?.array?[0]["sharpness"] == nil)
    }

    /// Of the recorded map, not of the one that was enlarged before.
    @Test func smallerDepthIsTheNearestToo() throws {
        let run = try StageRun(
            Self.scene + "- downscale: {factors: [2, 3]}\n- write-transforms: {dialect: instant-ngp, depth: true}",
            reading: "nowhere/a")
        let depth = try #require(run.frames[2].depth)
        for factor in [2, 3] {
            let picture = try PNG.decodeGray16(try run.bytes("ngp/depths_\(factor)/000002.png"))
            let size = PixelSize(32 / factor, 24 / factor)
            #expect(picture.size == size)
            let expected = depth.nearest(to: size).metres
            for (pixel, metres) in zip(picture.pixels, expected) {
                #expect(abs(Double(pixel) - Double(metres) * 1000) <= 0.5)
            }
        }
    }

    /// It knows no lists of frames: what stands in a file, or in any file beside it, is trained on.
    @Test func whatIsHeldOutHasAFileOfItsOwn() throws {
        let run = try StageRun(
            Self.scene + "- downscale: {factors: [2]}\n"
                + "- write-transforms: {dialect: instant-ngp, depth: true, test-every: 3}", reading: "nowhere/a")
        let whole = try StageRun(
            Self.scene + "- write-transforms: {dialect: instant-ngp, depth: true}", reading: "nowhere/a")
        for (file, numbers, up) in [
            ("transforms.json", [1, 2, 4, 5], ""), ("test/transforms.json", [0, 3], "../"),
            ("downscaled_2/transforms.json", [1, 2, 4, 5], "../"),
            ("test/downscaled_2/transforms.json", [0, 3], "../../"),
        ] {
            let json = try JSONValue.parse(try run.bytes("ngp/\(file)"), file: file)
            let images = file.contains("_2") ? "images_2" : "images"
            let frames = try #require(json["frames"]?.array)
            #expect(
                frames.map { $0["file_path"]?.string }
                    == numbers.map { "\(up)\(images)/00000\($0).jpg" }, "\(file)")
            for frame in frames {
                for key in ["file_path", "depth_path"] {
                    let path = try #require(frame[key]?.string)
                    #expect(run.files.contains("ngp/\(path.dropFirst(up.count))"), "\(path)")
                }
            }
            // One cube for both.
            for key in ["scale", "offset", "aabb_scale", "up", "integer_depth_scale"] {
                #expect(json[key] == (try self.json(whole))[key] && json[key] != nil, "\(key)")
            }
            #expect(json["test_filenames"] == nil)
        }
    }

    @Test func eachFileFindsThePoints() throws {
        var capture = try MemoryCapture.posed(2)
        for index in capture.items.indices { capture.items[index].points = PointCloud(positions: [1, 2, 3]) }
        let run = try StageRun("- write-transforms: {dialect: instant-ngp, test-every: 2}", on: capture)
        for (file, points) in [("transforms.json", "points.ply"), ("test/transforms.json", "../points.ply")] {
            let json = try JSONValue.parse(try run.bytes("ngp/\(file)"), file: file)
            #expect(json["ply_file_path"]?.string == points, "\(file)")
        }
        #expect(run.files.contains("ngp/points.ply"))
    }

    /// The other way round than nerfstudio's, and beside the picture.
    @Test func masksSayWhatToIgnore() throws {
        let run = try StageRun(
            Self.scene + "- write-transforms: {masks: silhouette}\n"
                + "- write-transforms: {dialect: instant-ngp, masks: silhouette}", reading: "nowhere/a")
        let kept = try PNG.decodeGray8(try run.bytes("nerf/masks/000003.png"))
        let ignored = try PNG.decodeGray8(try run.bytes("ngp/images/dynamic_mask_000003.png"))
        #expect(ignored.pixels == kept.pixels.map { 255 - $0 })
        #expect(Set(kept.pixels) == [0, 255])
        #expect(try json(run)["frames"]?.array?[3]["mask_path"] == nil)
    }

    /// p = position · scale + offset: the box fills the unit cube, and the cameras lie in the cube of `aabb_scale`.
    @Test(arguments: [true, false]) func theBoxFillsTheUnitCube(isZUp: Bool) throws {
        let run = try StageRun(
            Self.scene + "- unproject\n- voxel-downsample\n- write-transforms: {dialect: instant-ngp, z-up: \(isZUp)}",
            reading: "nowhere/a")
        let json = try json(run)
        let scale = try #require(json["scale"]?.double)
        let offset = try #require(json["offset"]?.doubles)
        let aabb = try #require(json["aabb_scale"]?.integer)
        #expect(json["up"]?.doubles == (isZUp ? [0, 0, 1] : [0, 1, 0]))
        #expect([1, 2, 4, 8, 16, 32, 64, 128].contains(aabb))
        let corners = try #require(run.capture.box).corners.map { isZUp ? [$0.x, -$0.z, $0.y] : $0.components }
        let inCube = corners.map { corner in (0..<3).map { corner[$0] * scale + offset[$0] } }
        let longest = (0..<3).map { axis in
            (inCube.map { $0[axis] }.max() ?? 0) - (inCube.map { $0[axis] }.min() ?? 0)
        }.max()
        #expect(abs((longest ?? 0) - 1) < 1e-12)
        #expect(inCube.joined().allSatisfy { $0 > -1e-12 && $0 < 1 + 1e-12 })
        for frame in json["frames"]?.array ?? [] {
            let rows = (frame["transform_matrix"]?.array ?? []).compactMap(\.doubles)
            for axis in 0..<3 {
                #expect(abs(rows[axis][3] * scale + offset[axis] - 0.5) <= Double(aabb) / 2)
            }
        }
    }

    /// Half of its edge reaches as far as what lies farthest out; there is none larger than 128.
    @Test(arguments: [
        (0.2, 1), (0.5, 1), (0.500_000_000_000_000_2, 1), (0.51, 2), (1, 2), (1.01, 4), (2, 4), (2.01, 8), (100, 128),
    ])
    func theLargeCubeHoldsEverything(_ reach: Double, _ expected: Int) throws {
        let unit = [Vector3(-0.5, -0.5, -0.5), Vector3(0.5, 0.5, 0.5)]
        let volume = try #require(TransformsJSON.Volume(focus: unit, everything: [Vector3(0, -reach, 0)]))
        #expect(volume.scale == 1 && volume.offset == Vector3(0.5, 0.5, 0.5))
        #expect(volume.aabbScale == expected)
        #expect(volume.leavesOut == (reach > 64))
    }

    /// A few points far away do not fill the small cube, but are in the large one.
    @Test func theLargeCubeHoldsWhatLiesFarOut() throws {
        var capture = try MemoryCapture.posed(2)
        let near = (0..<199).flatMap { (number: Int) -> [Float] in [Float(number) / 198, 0, 0] }
        for index in 0..<2 { capture.items[index].points = PointCloud(positions: near + [40, 0, 0]) }
        let json = try json(StageRun("- write-transforms: {dialect: instant-ngp}", on: capture))
        let scale = try #require(json["scale"]?.double)
        #expect(scale > 1 && scale < 1.1)
        #expect(json["aabb_scale"]?.integer == 128)
    }

    /// The cube can be 128 times as large as what fills it, 64 times to each side of its middle.
    @Test(arguments: [(40.0, false), (100.0, true)])
    func whatTheLargestCubeDoesNotHoldIsSaid(_ distance: Double, _ isSaid: Bool) throws {
        var capture = try MemoryCapture.posed(2)
        let near = (0..<200).flatMap { (number: Int) -> [Float] in [Float(number) / 199, 0, 0] }
        capture.items[0].points = PointCloud(positions: near)
        capture.items[1].points = PointCloud(positions: near)
        capture.items[1].pose?.position.x = distance
        let run = try StageRun("- write-transforms: {dialect: instant-ngp}", on: capture)
        let warning =
            "write-transforms: the scene is more than 128 times as large as what is to fill instant-ngp's cube, and "
            + "`aabb_scale` goes no further: cameras or points lie outside of it"
        #expect(run.warnings.contains(warning) == isSaid, "\(run.warnings)")
        #expect(try json(run)["aabb_scale"]?.integer == 128)
    }

    @Test func withoutBoxAndCloudTheCamerasTell() throws {
        let run = try StageRun(
            "- synthesize: {frames: 6, rate: 1, picture-width: 32, picture-height: 24, depth: none, confidence: none, box: false}\n"
                + "- write-transforms: {dialect: instant-ngp}", reading: "nowhere/a")
        let json = try json(run)
        #expect(json["scale"]?.double ?? 0 > 0)
        #expect(json["aabb_scale"]?.integer == 1)
        #expect(json["ply_file_path"] == nil)
    }
}
