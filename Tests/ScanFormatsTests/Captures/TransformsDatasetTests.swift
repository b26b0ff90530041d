import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Datasets as nerfstudio's and instant-ngp's own tools write them.
@Suite struct TransformsDatasetTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func frame(_ path: String, x: Double = 0, with more: [String: Any] = [:]) -> [String: Any] {
        let frame: [String: Any] = [
            "file_path": path, "transform_matrix": [[1, 0, 0, x], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]],
        ]
        return frame.merging(more) { $1 }
    }

    func write(_ frames: [[String: Any]], _ top: [String: Any] = [:]) throws {
        let json = top.merging(["frames": frames]) { $1 }
        try folder.write([UInt8](try JSONSerialization.data(withJSONObject: json)), to: "d/transforms.json")
    }

    func picture(_ file: String, _ width: Int = 8, _ height: Int = 6) throws {
        let pixels = [UInt8](repeating: 9, count: width * height * 3)
        try folder.write(
            try PNG.encodeRGB(RGBImage(width: width, height: height, pixels: pixels)), to: "d/\(file)")
    }

    func open() throws -> Capture {
        let tree = try CaptureFormats.tree(at: "\(folder.path)/d")
        #expect(CaptureFormats.recognise(tree)?.format == "transforms")
        return try TransformsDataset.open(tree, rules: ReadRules())
    }

    /// One at (4, 5, 6), coloured (1, 2, 3).
    private func point() throws {
        let ply =
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
            + "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n4 5 6 1 2 3\n"
        try folder.write(Array(ply.utf8), to: "d/p.ply")
    }

    /// (x, y, z) → (x, −z, y).
    private static let yUpToZUp = [[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0]]

    static var lens: [String: Any] { ["fl_x": 9.5, "fl_y": 9, "cx": 4, "cy": 3, "w": 8, "h": 6] }

    /// macOS and clouds may write an ü as u and two dots. Strings compare by what they say, and files by their bytes.
    @Test func namesInOtherUnicodeCharactersAreFound() throws {
        let (listed, there) = ("K\u{FC}che", "Ku\u{308}che")
        try write((0..<3).map { frame("images/\(listed)/\(listed)_\($0).png") }, Self.lens)
        let images = "\(folder.path)/d/images"
        for number in 0..<2 {
            try picture("images/k/\(number).png")
            #expect(rename("\(images)/k/\(number).png", "\(images)/k/\(there)_\(number).png") == 0)
        }
        #expect(rename("\(images)/k", "\(images)/\(there)") == 0)
        let tree = try CaptureFormats.tree(at: "\(folder.path)/d")
        let once = try CaptureFormats.listingOnce(tree) { (tree) throws(Problem) in
            try TransformsDataset.open(tree, rules: ReadRules())
        }
        let names = (0..<2).map { Array("images/\(there)/\(there)_\($0).png".utf8) }
        for capture in [try open(), once] {
            #expect(capture.frames.compactMap { $0.pictureFile.map { Array($0.utf8) } } == names)
            // Nor does its folder count as missing.
            #expect(capture.dropReasons == [nil, nil, "its picture images/\(listed)/\(listed)_2.png is not there"])
            #expect(!capture.warnings.contains { $0.contains("left out") }, "\(capture.warnings)")
        }
    }

    /// Scores of another program, on pictures of perhaps another size, are not those of `measure-blur`.
    @Test func sharpnessIsPassedOver() throws {
        try picture("images/0.png")
        try write([frame("images/0.png", with: ["sharpness": 812.5])], Self.lens)
        #expect(try open().frames.map(\.sharpness) == [nil])
    }

    @Test func aLinkOfSuchANameLeadsOutAllTheSame() throws {
        try write([frame("images/K\u{FC}che.png")], Self.lens)
        try folder.write("x", to: "secret.png")
        try folder.write("x", to: "d/images/notes.txt")
        #expect(symlink("\(folder.path)/secret.png", "\(folder.path)/d/images/Ku\u{308}che.png") == 0)
        let reason = try open().absences[.color]
        #expect(reason?.contains("behind a link that leads out of the capture") == true, "\(reason ?? "")")
    }

    @Test func intrinsicsMayStandAtTheTop() throws {
        try write([frame("images/b_2.png", x: 1), frame("images/a_10.png", x: 2), frame("images/a_9.png")], Self.lens)
        for name in ["a_9", "a_10", "b_2"] { try picture("images/\(name).png") }
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["images/a_9.png", "images/a_10.png", "images/b_2.png"])
        #expect(
            capture.frames[1].intrinsics
                == CameraIntrinsics(fx: 9.5, fy: 9, cx: 4, cy: 3, width: 8, height: 6, pixelOrigin: .corner))
        #expect(capture.frames[1].pose?.position == Vector3(2, 2, 3))
        #expect(capture.variant == "nerfstudio")
        #expect(!capture.isMetric)
    }

    /// instant-ngp: a field of view in radians or degrees, no size, no centre, no extension.
    @Test(arguments: [
        ["camera_angle_x": 1.5707963267948966], ["x_fov": 90.0], ["camera_angle_y": 1.2870022175866858],
        ["y_fov": 73.73979529168804],
    ])
    func fieldsOfViewAreFocalLengths(_ lens: [String: Double]) throws {
        var top: [String: Any] = ["aabb_scale": 4]
        for (key, value) in lens { top[key] = value }
        try write([frame("./images/1")], top)
        try picture("images/1.png")
        let capture = try open()
        let camera = try #require(capture.frames[0].intrinsics)
        #expect(abs(camera.fx - 4) < 1e-12 && camera.fx == camera.fy)
        #expect((camera.cx, camera.cy, camera.width, camera.height) == (4, 3, 8, 6))
        #expect(capture.variant == "instant-ngp")
    }

    @Test func aFramesOwnIntrinsicsWin() throws {
        // What a frame leaves out of its focal lengths stands at the top.
        try write([frame("a.png", with: ["fl_x": 7.0])], Self.lens)
        #expect(try open().frames[0].intrinsics.map { [$0.fx, $0.fy] } == [7, 9])
        // 2 · atan(4 / 7): the frame's field of view goes before the focal length at the top.
        try write([frame("a.png", with: ["camera_angle_x": 1.0382922284930458])], Self.lens)
        #expect(abs((try open().frames[0].intrinsics?.fx ?? 0) - 7) < 1e-12)
        try write([frame("a.png", with: ["fl_x": 7.0, "fl_y": 7.5])], Self.lens)
        try picture("a.png")
        #expect(try open().frames[0].intrinsics?.fx == 7)
    }

    /// (x, y, z) → (x, −z, y) was applied: it is undone, for points as for cameras, and up is y again.
    @Test func appliedTransformIsUndone() throws {
        try write(
            [frame("a.png", x: 1)],
            Self.lens.merging(["applied_transform": Self.yUpToZUp, "ply_file_path": "p.ply"]) { $1 })
        try picture("a.png")
        try point()
        let capture = try open()
        #expect(capture.frames[0].pose?.position == Vector3(1, 3, -2))
        #expect(capture.cloud == PointCloud(positions: [4, 6, -5], colors: [1, 2, 3]))
        #expect(capture.worldUp == Vector3(0, 1, 0))
    }

    /// Positions that were scaled to fit a trainer's cube are in another unit than depth.
    @Test func appliedScaleIsUndone() throws {
        try write(
            [frame("a.png", x: 1)],
            Self.lens.merging(["applied_transform": Self.yUpToZUp, "applied_scale": 0.25, "ply_file_path": "p.ply"]) {
                $1
            })
        try picture("a.png")
        try point()
        let capture = try open()
        #expect(capture.frames[0].pose?.position == Vector3(4, 12, -8))
        #expect(capture.cloud?.positions == [16, 24, -20])
        try write([frame("a.png")], Self.lens.merging(["applied_scale": 0]) { $1 })
        #expect(throws: Problem.self) { try open() }
    }

    /// Positions of 10¹² m: the poses are sound as they are saved, and not as they were.
    @Test func aScaleThatCannotBeIsABadFrame() throws {
        try write([frame("a.png", x: 1)], Self.lens.merging(["applied_scale": 1e-12]) { $1 })
        try picture("a.png")
        let drop = try #require(try open().frames[0].drop)
        #expect(drop.isBad && drop.reason.hasPrefix("the camera is more than 10,000 km from the origin"))
    }

    /// A path means the same in a folder and in an archive.
    @Test func pointsBesideTheFile() throws {
        try write([frame("a.png")], Self.lens.merging(["ply_file_path": "./p.ply"]) { $1 })
        try picture("a.png")
        try point()
        let script = "import shutil, sys; shutil.make_archive(sys.argv[1] + '/d', 'zip', sys.argv[1] + '/d')"
        #expect(try runPython(script, [folder.path]).status == 0)
        for name in ["d", "d.zip"] {
            let tree = try CaptureFormats.tree(at: "\(folder.path)/\(name)")
            let capture = try TransformsDataset.open(tree, rules: ReadRules())
            #expect(capture.cloud?.positions == [4, 5, 6], "\(name)")
            #expect(capture.files.map(\.path).contains("p.ply"))
        }
        try write([frame("a.png")], Self.lens.merging(["ply_file_path": "../p.ply"]) { $1 })
        #expect(try open().absences[.cloud]?.hasPrefix("a path leads out of the capture") == true)
    }

    @Test func intrinsicsOfAnotherSizeAreScaledAndThatIsSaid() throws {
        try write([frame("a.png"), frame("b.png")], ["fl_x": 90, "fl_y": 90, "w": 400, "h": 302])
        for name in ["a", "b"] { try picture("\(name).png", 400, 300) }
        let capture = try open()
        #expect(capture.frames[0].intrinsics?.height == 300)
        #expect(
            capture.warnings == ["the pictures are 400×300, and the intrinsics for 400×302; the intrinsics were scaled"]
        )
    }

    /// nerfstudio takes z for up, so whoever tells it to leave the world as it is has seen to that.
    @Test func aWorldThatIsToBeLeftAsItIsHasZUp() throws {
        try picture("a.png")
        let turned = [[0.0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]
        for (top, up) in [
            (["orientation_override": "none"], Vector3(0, 0, 1)), (["orientation_override": "up"], nil), ([:], nil),
            (["orientation_override": "none", "applied_transform": turned], Vector3(1, 0, 0)),
        ] as [([String: Any], Vector3?)] {
            try write([frame("a.png")], Self.lens.merging(top) { $1 })
            #expect(try open().worldUp == up, "\(top)")
        }
    }

    /// As Python's json writes it: one frame's fault, and no other's.
    @Test(arguments: ["NaN", "Infinity", "-Infinity"]) func whatIsNoNumberCostsItsFrame(_ word: String) throws {
        for name in ["a", "b", "c"] { try picture("\(name).png") }
        try write([frame("a.png"), frame("b.png", x: 77), frame("c.png")], Self.lens)
        let text = String(decoding: try folder.bytes("d/transforms.json"), as: UTF8.self)
        try folder.write(Array(text.replacing("77", with: word).utf8), to: "d/transforms.json")
        let capture = try open()
        #expect(capture.keptFrames.map(\.pictureFile) == ["a.png", "c.png"])
        let reason = capture.frames.compactMap(\.drop).first?.reason ?? ""
        #expect(
            capture.frames.count == 3 && reason.contains("transform_matrix") && reason.contains("“\(word)”"),
            "\(reason)")
    }

    @Test func depthIsInItsOwnUnit() throws {
        let image = Gray16Image(width: 2, height: 1, pixels: [1000, 0])
        try folder.write(try PNG.encodeGray16(image), to: "d/depth/a.png")
        try picture("a.png")
        for (key, top, metres) in [
            ("depth_file_path", [:], Float(1)), ("depth_path", ["integer_depth_scale": 0.0002], Float(0.2)),
        ] as [(String, [String: Any], Float)] {
            try write([frame("a.png", with: [key: "depth/a.png"])], Self.lens.merging(top) { $1 })
            let capture = try open()
            #expect(capture.isMetric && capture.depthSize == PixelSize(2, 1))
            var frame = Frame(capture.frames[0])
            try capture.source.prepare(&frame, for: [.recordedDepth])
            let recorded = try #require(frame.recordedDepth)
            #expect(try DepthCodec.decode(recorded).map.metres == [metres, 0])
        }
    }

    /// What nerfstudio makes of a COLMAP model with --use-sfm-depth has depth in the model's own unit.
    @Test func depthOfACOLMAPModelIsInNoUnit() throws {
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/depth/a.png")
        try picture("a.png")
        try write([frame("a.png", with: ["depth_file_path": "depth/a.png", "colmap_im_id": 7])], Self.lens)
        let capture = try open()
        #expect(!capture.isMetric && capture.channels.contains(.recordedDepth))
        // 50 of a metric one would be no room.
        try depth("depth/a.png", 50_000)
        let doubts = try CaptureInspection.inspect("\(folder.path)/d").findings.map(\.problem.summary)
        #expect(!doubts.contains { $0.hasPrefix("half of the depth is beyond") })
    }

    /// instant-ngp passes depth over then: a unit that is made up would be a wrong scale.
    @Test(arguments: [-1, 0.0, 2000]) func depthWithoutAUnitIsLeftOut(_ unit: Double) throws {
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/depth/a.png")
        try picture("a.png")
        try write(
            [frame("a.png", with: ["depth_path": "depth/a.png"])],
            Self.lens.merging(["integer_depth_scale": unit]) { $1 })
        let capture = try open()
        #expect(!capture.isMetric && !capture.channels.contains(.recordedDepth))
        #expect(capture.warnings.contains { $0.hasPrefix("“integer_depth_scale” in transforms.json is no unit") })
        #expect(!capture.frames[0].isDropped)
    }

    /// As instant-ngp's script writes what NeRFCapture sends: names without an extension, and depth with a unit.
    @Test func aDatasetOfInstantNGPsScript() throws {
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/images/0.depth.png")
        try picture("images/0.png")
        let own: [String: Any] = [
            "fl_x": 9, "fl_y": 9, "cx": 4, "cy": 3, "w": 8, "h": 6, "depth_path": "images/0.depth.png",
        ]
        try write([frame("images/0", with: own)], ["integer_depth_scale": 1.0 / 1000])
        let capture = try open()
        #expect(capture.format == "transforms" && capture.channels.contains(.recordedDepth) && capture.isMetric)
    }

    /// What is no number in a frame costs that frame; at the top it may be everything.
    @Test(arguments: ["k1", "integer_depth_scale", "distortion_params"])
    func numbersOfAllFramesThatAreNone(_ key: String) throws {
        try write([frame("a.png")], Self.lens.merging([key: "a stand-in"]) { $1 })
        let text = String(decoding: try folder.bytes("d/transforms.json"), as: UTF8.self)
        try folder.write(
            text.replacing("\"a stand-in\"", with: key == "distortion_params" ? "[0, NaN]" : "NaN"),
            to: "d/transforms.json")
        let tree = try CaptureFormats.tree(at: "\(folder.path)/d")
        let problem = problem { () throws(Problem) in _ = try TransformsDataset.open(tree, rules: ReadRules()) }
        #expect(problem?.summary.contains("is “NaN”; expected a number") == true, "\(problem?.summary ?? "read")")
        #expect(problem?.summary.contains(key) == true)
    }

    /// As ScanNet++ has them: another list for testing. Sizes may differ from frame to frame.
    @Test func testFramesAreFramesToo() throws {
        try write([frame("a.png")], ["fl_x": 9.0, "test_frames": [frame("b.png")]])
        try picture("a.png")
        try picture("b.png", 6, 8)
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["a.png", "b.png"])
        #expect(capture.frames.map(\.split) == [.training, .heldOut])
        #expect(capture.frames.map { $0.intrinsics?.width } == [8, 6])
        #expect(capture.colorSize == nil)
    }

    @Test func oneDamagedDepthPictureCostsItsFrameAlone() throws {
        try write(["a", "b"].map { frame("\($0).png", with: ["depth_file_path": "depth/\($0).png"]) }, Self.lens)
        for name in ["a", "b"] { try picture("\(name).png") }
        try folder.write([1, 2, 3], to: "d/depth/a.png")
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/depth/b.png")
        let capture = try open()
        #expect(capture.depthSize == PixelSize(2, 1))
        #expect(capture.channels.contains(.recordedDepth))
    }

    /// Frames with a picture and a depth map each, 8×6.
    private func writeWithDepth(_ names: [String]) throws {
        try write(names.map { frame("\($0).png", with: ["depth_file_path": "depth/\($0).png"]) }, Self.lens)
        for name in names {
            try picture("\(name).png")
            try depth("depth/\(name).png", 1000)
        }
    }

    /// Two of the first three say which size is the usual one.
    @Test func aFirstDepthPictureOfAnotherSizeIsTheOddOne() throws {
        try writeWithDepth(["a", "b", "c"])
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/depth/a.png")
        #expect(try open().depthSize == PixelSize(8, 6))
    }

    /// As a portrait picture among landscape ones has it: nothing is damaged, and nothing to be copied again.
    @Test func depthOfAnotherSizeIsNoDamage() throws {
        try writeWithDepth(["a", "b", "c"])
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 1, height: 2, pixels: [1000, 0])), to: "d/depth/c.png")
        let capture = try open()
        let problem = #expect(throws: Problem.self) { _ = try capture.loaded([.recordedDepth]) }
        #expect(problem?.place.file == "depth/c.png")
        #expect(
            problem?.summary
                == "this depth map is 1×2, the usual one 8×6, and all depth maps of a capture must have one size")
        #expect(
            problem?.fix == "leave such frames out with select-frames, or leave out the stages that use depth")
    }

    /// Without pictures the file must tell the size: poses alone are still worth reading.
    @Test func withoutPicturesTheFileTellsTheSize() throws {
        var lens = Self.lens
        try write([frame("a.png")], lens)
        #expect(try open().frames[0].intrinsics?.width == 8)
        lens["h"] = nil
        try write([frame("a.png")], lens)
        let capture = try open()
        let reason = capture.frames[0].drop?.reason
        #expect(reason?.hasPrefix("its picture is not there, and nothing else says how large it is") == true)
        #expect(!capture.channels.contains(.color))
    }

    /// What a script wrote wrongly does not get better by copying it again.
    @Test(
        arguments: [
            (["w": 6, "h": 8], "correct transforms.json"), (["fl_x": "9.5"], "correct transforms.json"),
            (["transform_matrix": [1, 0, 0, 0]], "correct transforms.json"),
            (
                ["transform_matrix": [[1.1, 0, 0, 0], [0, 1.1, 0, 0], [0, 0, 1.1, 0], [0, 0, 0, 1]]],
                "apply the scale there, or divide the first three columns of each matrix by that length"
            ),
        ] as [([String: any Sendable], String)])
    func mistakesInTheTextAreToBeCorrected(_ mistake: [String: any Sendable], _ way: String) throws {
        try write((0..<3).map { frame("\($0).png", with: mistake) }, Self.lens)
        for number in 0..<3 { try picture("\(number).png") }
        let capture = try open()
        #expect(capture.excessOfBadFrames()?.fix == way, "\(capture.dropReasons)")
        let isScaled = mistake["transform_matrix"] is [[Double]]
        #expect((capture.dropReasons[0]?.contains("its axes are 1.1 long") == true) == isScaled)
    }

    /// Trainers take the first three rows as they stand.
    @Test func matricesThatWereDividedAreWarnedOf() throws {
        let matrix = [[0.5, 0, 0, 1], [0, 0.5, 0, 2], [0, 0, 0.5, 3], [0, 0, 0, 0.5]]
        try write([frame("a.png", with: ["transform_matrix": matrix]), frame("b.png")], Self.lens)
        for name in ["a.png", "b.png"] { try picture(name) }
        let capture = try open()
        #expect(capture.frames[0].pose?.position == Vector3(2, 4, 6))
        #expect(
            capture.warnings == [
                "1 of 2 frames has a transform_matrix that ends in 0.5 instead of 1: positions and axes were divided by "
                    + "that number, and nerfstudio and instant-ngp take them as they stand"
            ])
    }

    @Test func intrinsicsInAnObjectOfTheirOwnAreNamed() throws {
        try write([frame("a.png", with: ["camera": ["fl_x": 9.5, "fl_y": 9]])])
        try picture("a.png")
        let problem = #expect(throws: Problem.self) { try open() }
        #expect(problem?.fix == "move what “frames[0].camera” holds one level up, as fl_x, fl_y, cx and cy")
        #expect(problem?.notes.first?.hasPrefix("“frames[0].camera” has fl_x, which only counts") == true)
    }

    @Test(arguments: [
        ("images/0.png", "images_2", "rename images_2/ to images/"), ("images/0.png", "", "move them to images/"),
        ("data/phone/0.png", "phone", "move them to data/phone/"), ("0", "input", "move them out of input/"),
    ]) func picturesThatLieElsewhereAreNamed(_ listed: String, _ folder: String, _ way: String) throws {
        try write([frame(listed), frame(listed.replacing("0", with: "1"))], Self.lens)
        // What has the pictures' names need not be pictures.
        try picture("depth/0.png")
        #expect(try open().remedies[.color]?.hasPrefix("copy ") == true)
        try picture(folder.isEmpty ? "0.png" : "\(folder)/0.png")
        let capture = try open()
        let place = folder.isEmpty ? "at the capture's top" : "in \(folder)/"
        #expect(
            capture.absences[.color]
                == "transforms.json lists 2 pictures, and none is there; pictures of their names lie \(place)")
        #expect(capture.remedies[.color] == way)
    }

    @Test func whatTheFileListsAndIsNotThereIsNamed() throws {
        try write(
            [frame("images/a.png", with: ["depth_file_path": "depths/a.png"]), frame("images/b.png")],
            Self.lens.merging(["ply_file_path": "points.ply"]) { $1 })
        let capture = try open()
        #expect(capture.absences[.color] == "transforms.json lists 2 pictures, and none is there")
        #expect(capture.absences[.recordedDepth] == "transforms.json lists a depth picture, which is not there")
        #expect(
            capture.remedies == [
                .color: "copy the folder images/ too", .recordedDepth: "copy the folder depths/ too",
                .cloud: "copy the points too",
            ])
        for name in ["a", "b"] { try picture("images/\(name).png") }
        try write([frame("images/a.png"), frame("images/b.png")], Self.lens)
        let plain = try open()
        #expect(plain.absences[.recordedDepth] == "transforms.json names no depth pictures")
        #expect(plain.remedies.isEmpty)
    }

    @Test func badFramesAreNamed() throws {
        try write(
            [
                frame("a.png"), frame("b.png"), frame("../c.png"),
                frame("d.png", with: ["transform_matrix": [[1, 2], [3]]]),
                frame(
                    "e.png", with: ["transform_matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]]),
                // By columns.
                frame(
                    "f.png", with: ["transform_matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1]]]),
                frame(""),
            ], Self.lens)
        for name in ["a", "d", "e", "f"] { try picture("\(name).png") }
        let reasons = try open().frames.map { $0.drop?.reason ?? "" }
        #expect(reasons.filter(\.isEmpty).count == 1)
        #expect(reasons.contains("its picture b.png is not there"))
        #expect(reasons.contains { $0.contains("leads out of the capture") })
        #expect(reasons.contains { $0.contains("transform_matrix") })
        #expect(reasons.contains { $0.contains("mirrored") })
        #expect(reasons.contains("a path names no file: \"\" (transforms.json, frames[6])"), "\(reasons)")
        #expect(reasons.contains { $0.contains("the last row of the matrix is not 0 0 0 1") })
    }

    @Test func depthThatIsNotThereIsSaid() throws {
        let depth = { (n: Int) in ["depth_file_path": "depths/\(n).png"] }
        try write((0..<4).map { frame("images/\($0).png", with: $0 == 3 ? [:] : depth($0)) }, Self.lens)
        for n in 0..<4 { try picture("images/\(n).png") }
        let pixels = [UInt16](repeating: 1500, count: 12)
        try folder.write(try PNG.encodeGray16(Gray16Image(width: 4, height: 3, pixels: pixels)), to: "d/depths/1.png")
        let capture = try open()
        #expect(capture.gaps == [.recordedDepth: [0, 2]])
        #expect(
            capture.warnings == [
                "2 of 4 frames have no depth, though the capture lists it: frames 0, 2",
                "1 of 4 frames has no depth, and none is listed: frame 3",
            ])
        #expect(capture.depthSize == PixelSize(4, 3) && capture.files.count { $0.path.hasPrefix("depths/") } == 1)
    }

    /// Two passes, and the days of dates: whoever compares neighbours must not mix them.
    @Test func picturesStandInTheirFoldersOrder() throws {
        let names = [
            "images/pass1/2.png", "images/pass1/10.png", "images/pass2/1.png", "images/pass10/0.png",
            "images/x_20240501_235959.png", "images/x_20240502_000001.png", "images/y2_1.png",
        ]
        try write(names.reversed().map { frame($0) }, Self.lens)
        for name in names { try picture(name) }
        #expect(try open().frames.map(\.pictureFile) == names)
    }

    /// Masks and depth beside the pictures are no pictures that somebody forgot.
    @Test func picturesThatNoFrameListsAreCounted() throws {
        try write(
            [
                frame("./images/0", with: ["mask_path": "images/0_m.png", "depth_file_path": "images/0_d.png"]),
                frame("images/1.png", with: ["mask_path": ""]), frame("images/7.png"),
            ], Self.lens.merging(["train_filenames": [String]()]) { $1 })
        for name in ["0", "1", "0_m", "0_d", "dynamic_mask_0", "1.alpha", "1.mask"] {
            try picture("images/\(name).png")
        }
        #expect(try open().warnings.filter { $0.contains("entry") } == [])
        #expect(try open().frames.map(\.split) == [nil, nil, nil] && open().regrets[.split] == nil)
        try picture("images/98.png")
        #expect(
            try open().warnings.contains("the picture images/98.png has no entry in transforms.json, and was left out"))
        try picture("images/99.png")
        let capture = try open()
        #expect(
            capture.warnings.contains(
                "2 pictures were left out, the first images/98.png: each has no entry in transforms.json"))
        #expect(capture.findings["pictures-not-listed"]?.integer == 2 && capture.frames.count == 3)
    }

    // MARK: - Masks and lists

    /// Every number but 0 is to be used; of instant-ngp's masks beside the pictures every number but 0 is to be ignored.
    @Test func masksOfBothDialects() throws {
        try write(
            [
                frame("images/a.png", with: ["mask_path": "masks/a.png"]), frame("images/b.png"),
                frame("images/c.png", with: ["mask_path": ""]),
                frame("images/d.jpg", with: ["mask_path": "masks\\d.png"]),
                frame("images/e.png", with: ["mask_path": "masks/e.jpg"]),
            ], Self.lens)
        for name in ["a", "b", "c", "e"] { try picture("images/\(name).png") }
        let plain = RGBImage(width: 8, height: 6, pixels: Array(repeating: 9, count: 144))
        try folder.write(try JPEG.encode(plain), to: "d/images/d.jpg")
        let bits: [UInt8] = (0..<48).map { $0 < 8 ? 0 : $0 < 16 ? 1 : 255 }
        let mask = LumaImage(width: 8, height: 6, pixels: bits)
        try folder.write(try PNG.encodeGray8(mask), to: "d/masks/a.png")
        try folder.write(try PNG.encodeGray8(mask), to: "d/images/dynamic_mask_b.png")
        // Of 16 bits the lower eight count too, of colours each.
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 8, height: 6, pixels: bits.map { UInt16($0) })), to: "d/masks/d.png"
        )
        let red = RGBImage(width: 8, height: 6, pixels: bits.flatMap { [0, 0, $0] })
        try folder.write(try PNG.encodeRGB(red), to: "d/masks/e.jpg")
        let capture = try open()
        #expect(capture.channels.contains(.mask))
        #expect(capture.warnings.contains("1 of 5 frames has no mask: frame 2"))
        #expect(capture.regrets[.mask]?.hasPrefix("the masks of 4 frames are not used") == true)
        #expect(capture.files.filter { $0.channels == [.mask] }.count == 4)
        let used: [UInt8] = bits.map { $0 == 0 ? 0 : 255 }
        let masks = try capture.frames.map { facts throws -> [UInt8]? in
            var frame = Frame(facts)
            try capture.source.prepare(&frame, for: [.mask])
            return frame.mask?.pixels
        }
        #expect(masks == [used, used.map { 255 - $0 }, nil, used, used])
    }

    /// nerfstudio writes one mask for all pictures where it cuts a circle out of them.
    @Test func aFileOfSeveralFramesIsListedOnce() throws {
        try write((0..<3).map { frame("images/\($0 / 2).png", with: ["mask_path": "masks/mask.png"]) }, Self.lens)
        for name in ["images/0", "images/1", "masks/mask"] { try picture("\(name).png") }
        let capture = try open()
        #expect(capture.frames.count == 3 && capture.channels.contains(.mask))
        #expect(capture.files.map(\.path) == ["images/0.png", "images/1.png", "masks/mask.png", "transforms.json"])
        #expect(capture.files.map(\.stake) == [.frame(0), .frame(2), .frame(0), .capture])
        #expect(capture.files.map(\.channels) == [[.color], [.color], [.mask], []])
    }

    @Test func masksThatWereNotCopied() throws {
        try write((0..<5).map { frame("\($0).png", with: ["mask_path": "masks/\($0).png"]) }, Self.lens)
        for number in 0..<5 { try picture("\(number).png") }
        let none = try open()
        #expect(none.absences[.mask] == "transforms.json lists 5 mask pictures, and none is there")
        #expect(none.remedies[.mask] == "copy the folder masks/ too" && !none.channels.contains(.mask))
        try picture("masks/3.png")
        #expect(try open().gaps[.mask] == [0, 1, 2, 4])
    }

    @Test func theListsSayWhatAFrameIsFor() throws {
        try write(
            (0..<5).map { frame("images/\($0).png") },
            Self.lens.merging([
                "train_filenames": ["images/0.png", "./images/1.png"], "val_filenames": ["images\\2.png"],
                "test_filenames": ["images/2.png", "images/3.png", "images/9.png"],
            ]) { $1 })
        for number in 0..<5 { try picture("images/\(number).png") }
        let capture = try open()
        #expect(capture.frames.map(\.split) == [.training, .training, .heldOut, .test, []])
        #expect(capture.channels.contains(.split) && capture.regrets[.split] != nil)
        #expect(
            capture.warnings == [
                "test_filenames of transforms.json names 1 picture that no frame has, the first images/9"
            ])
    }

    /// Blender numbers pictures so, and its datasets leave the extension out.
    @Test func namesThatOnlyDifferBehindADot() throws {
        let names = (1...4).map { "images/render.000\($0)" }
        try write(
            names.map { frame($0) },
            Self.lens.merging(["train_filenames": Array(names[..<3]), "test_filenames": [names[3]]]) { $1 })
        for name in names { try picture("\(name).png") }
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == names.map { "\($0).png" })
        #expect(capture.frames.map(\.split) == [.training, .training, .training, .test])
        #expect(capture.warnings.isEmpty)
    }

    /// Names that a browser gave are frames' if the dataset lists them, and copies if it does not.
    @Test func picturesThatAreNamedLikeCopies() throws {
        let names = ["images/IMG.png", "images/IMG (1).png", "images/IMG (2).png"]
        try write(names.map { frame($0) }, Self.lens)
        for name in names { try picture(name) }
        func warnings() throws -> [String] {
            var capture = try open()
            #expect(capture.frames.count == 3)
            capture.noteDoubts(in: CaptureFolder(path: "\(folder.path)/d"))
            return capture.warnings
        }
        #expect(try warnings() == [])
        try picture("images/IMG (3).png")
        #expect(try warnings() == ["images/IMG (3).png looks like a second copy of a file, and was left out"])
    }

    /// ScanNet++ keeps its test pictures in a list of their own.
    @Test func aListOfTestFrames() throws {
        try write([frame("b.png")], Self.lens.merging(["test_frames": [frame("a.png")]]) { $1 })
        for name in ["a", "b"] { try picture("\(name).png") }
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["a.png", "b.png"])
        #expect(capture.frames.map(\.split) == [.heldOut, .training])
    }

    /// instant-ngp's frames that are held out, as `write-transforms` writes them.
    @Test func aDescriptionOfTestFrames() throws {
        let ngp = Self.lens.merging(["aabb_scale": 4, "integer_depth_scale": 0.001]) { $1 }
        try write([frame("images/0.png"), frame("images/2.png")], ngp)
        for number in 0..<3 { try picture("images/\(number).png") }
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 8, height: 6, pixels: Array(repeating: 2000, count: 48))),
            to: "d/depths/1.png")
        func writeHeld(_ frames: [[String: Any]], _ more: [String: Any] = [:]) throws {
            let json = ngp.merging(more.merging(["frames": frames]) { $1 }) { $1 }
            try folder.write([UInt8](try JSONSerialization.data(withJSONObject: json)), to: "d/test/transforms.json")
        }
        try writeHeld([
            frame("../images/1.png", x: 7, with: ["depth_path": "../depths/1.png"]), frame("../images/2.png"),
        ])
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["images/0.png", "images/1.png", "images/2.png"])
        #expect(capture.frames.map(\.split) == [.training, .heldOut, DatasetSplit.training.union(.heldOut)])
        #expect(capture.frames[1].pose?.position.x == 7 && capture.dropReasons == [nil, nil, nil])
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth != nil } == [false, true, false])
        let trained = "1 of 2 held-out frames is a training frame too, images/2.png: "
        #expect(capture.warnings.count == 2 && capture.warnings[0].hasPrefix(trained), "\(capture.warnings)")
        #expect(capture.warnings.last == "2 of 3 frames have no depth: frames 0, 2")
        #expect(capture.files.contains { $0.path == "test/transforms.json" })
        // In another unit than that of the frames that are trained on.
        let deep = frame("../images/1.png", with: ["depth_path": "../depths/1.png"])
        try writeHeld([deep], ["integer_depth_scale": 0.01])
        let other = try open()
        #expect(other.frames[1].split == .heldOut && !other.channels.contains(.recordedDepth))
        let unit = "the unit of depth in test/transforms.json differs from that in transforms.json"
        #expect(other.warnings == ["\(unit): the depth of 1 of its frames was left out"])
        try picture("masks/1.png")
        try writeHeld([frame("../images/1.png", with: ["mask_path": "../masks/1.png"])])
        #expect(try open().files.contains { $0.path == "masks/1.png" })
        // Another dataset that lies there.
        for (frames, more) in [
            ([frame("../images/1.png")], ["applied_transform": Self.yUpToZUp]), ([frame("images/1.png")], [:]),
            ([frame("../images/1.png")], ["from_na": true]),
        ] as [([[String: Any]], [String: Any])] {
            try writeHeld(frames, more)
            let other = try open()
            #expect(other.frames.count == 2 && other.frames.allSatisfy { $0.split == nil })
            #expect(other.warnings.contains { $0.hasPrefix("test/transforms.json is a dataset of its own") })
        }
        try folder.write("{", to: "d/test/transforms.json")
        #expect(try open().warnings.contains { $0.hasPrefix("held-out frames were left out") })
        // nerfstudio would not look there.
        try write([frame("images/0.png"), frame("images/2.png")], Self.lens)
        #expect(try open().frames.count == 2)
    }

    // MARK: - What leads elsewhere

    /// Those who want no depth have their frames all the same.
    @Test func depthThatLeadsOutOfTheCapture() throws {
        try write([frame("a.png", with: ["depth_file_path": "../depths/a.png"])], Self.lens)
        try picture("a.png")
        let capture = try open()
        #expect(capture.dropReasons == [nil] && !capture.channels.contains(.recordedDepth))
        #expect(capture.absences[.recordedDepth]?.contains("leads out of the capture") == true)
    }

    @Test func picturesBehindALinkThatLeadsOut() throws {
        try write([frame("images/a.png")], Self.lens)
        let pixels = [UInt8](repeating: 9, count: 144)
        try folder.write(try PNG.encodeRGB(RGBImage(width: 8, height: 6, pixels: pixels)), to: "elsewhere/a.png")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/d/images", withDestinationPath: "../elsewhere")
        #expect(
            try open().absences[.color]
                == "transforms.json lists a picture behind a link that leads out of the capture and is not followed: "
                + "images/a.png")
    }

    /// instant-ngp's and NeuS2's `nerf_matrix_to_ngp` but for the order of the world's axes: what comes of it is a camera
    /// with x right, y down, z forward.
    private func ngpColumns(_ rotation: Matrix3, fromNA: Bool, fromMitsuba: Bool) -> [Vector3] {
        var (x, y, z) = rotation.columns
        (y, z) = (y * -1, z * -1)
        if fromNA {
            (y, z) = (y * -1, z * -1)
        } else if fromMitsuba {
            (x, z) = (x * -1, z * -1)
        }
        return [x, y, z]
    }

    @Test(
        arguments: [
            (["from_na": true], true, false), (["from_na": 1], true, false), (["from_na": false], false, false),
            (["normal_mts_args": [1]], false, true), (["normal_mts_args": false], false, true),
            (["from_mitsuba": true], false, true), (["from_na": true, "normal_mts_args": [1]], true, true),
            (["aabb_scale": 1], false, false),
        ] as [([String: any Sendable], Bool, Bool)])
    func camerasWithOtherAxes(_ top: [String: any Sendable], _ fromNA: Bool, _ fromMitsuba: Bool) throws {
        let turned = [[0, 0, 1, 1], [1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 1]]
        let more: [String: Any] = top
        try write([frame("a.png", with: ["transform_matrix": turned])], Self.lens.merging(more) { $1 })
        try picture("a.png")
        let capture = try open()
        let pose = try #require(capture.frames[0].pose)
        let saved = Matrix3(rows: Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(0, 1, 0))
        let ours = [pose.rotation.columns.0, pose.rotation.columns.1 * -1, pose.rotation.columns.2 * -1]
        #expect(ours == ngpColumns(saved, fromNA: fromNA, fromMitsuba: fromMitsuba))
        #expect(pose.position == Vector3(1, 2, 3))
        let isNGP = fromNA || fromMitsuba || top["aabb_scale"] != nil
        #expect(capture.variant == (isNGP ? "instant-ngp" : "nerfstudio"))
    }

    /// instant-ngp sorts the frames by name and takes the first; who reads its dataset otherwise takes what was left out.
    @Test func framesBeyondTheLimitAreDropped() throws {
        for name in ["a_2", "a_9", "a_10"] { try picture("\(name).png") }
        let frames = [frame("a_10.png"), frame("a_9.png"), frame("a_2.png")]
        for (top, kept) in [
            (["aabb_scale": 4, "n_frames": 2], 2), (["aabb_scale": 4, "n_frames": 9], 3), (["n_frames": 2], 3),
            (["aabb_scale": 4, "n_frames": "2"], 3), (["aabb_scale": 4, "n_frames": -1], 3),
        ] as [([String: Any], Int)] {
            try write(frames, Self.lens.merging(top) { $1 })
            let capture = try open()
            #expect(capture.frames.map(\.pictureFile).prefix(2) == ["a_2.png", "a_9.png"])
            #expect(capture.keptFrames.count == kept, "\(top)")
            if kept == 3 { continue }
            #expect(
                capture.frames[2].drop?.reason
                    == "n_frames of transforms.json is 2, and instant-ngp takes so many frames, the first by name")
            #expect(capture.frames[2].drop?.isBad == false)
            #expect(capture.findings["frames-beyond-n_frames"]?.integer == 1)
        }
    }

    /// What instant-ngp and BAD-NeRF's kin have of a camera that moves while it exposes.
    @Test func theExposuresBeginningIsTaken() throws {
        func moving(_ path: String) -> [String: Any] {
            var moving = frame(path, x: 1)
            moving["transform_matrix_start"] = moving.removeValue(forKey: "transform_matrix")
            moving["transform_matrix_end"] = [[1, 0, 0, 9], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]
            return moving
        }
        try write([moving("a.png"), frame("b.png", x: 5)], Self.lens)
        for name in ["a", "b"] { try picture("\(name).png") }
        let capture = try open()
        #expect(capture.frames.map { $0.pose?.position.x } == [1, 5])
        #expect(
            capture.warnings == [
                "1 of 2 frames has no transform_matrix in transforms.json: transform_matrix_start was taken, and a rolling "
                    + "shutter or motion blur until transform_matrix_end is not modelled"
            ])
    }

    // MARK: - Depth's unit

    private func depth(_ file: String, _ first: UInt16) throws {
        let image = Gray16Image(width: 8, height: 6, pixels: Array(repeating: first, count: 48))
        try folder.write(try PNG.encodeGray16(image), to: "d/\(file)")
    }

    /// instant-ngp's unit leads to the saved world, which was scaled; nerfstudio's millimetres are those of the sensor.
    @Test(
        arguments: [
            (["integer_depth_scale": 0.001], 2.0), (["integer_depth_scale": 0.001, "applied_scale": 0.25], 8),
            (["aabb_scale": 4, "applied_scale": 0.25], 2), (["applied_scale": 0.25], 2),
            (["depth_unit_scale_factor": 0.01], 20), (["depth_unit_scale_factor": 0.01, "applied_scale": 0.25], 20),
            (["depth_unit_scale_factor": 0.01, "integer_depth_scale": 0.001], 2),
        ] as [([String: Double], Double)])
    func depthIsInMetresOfTheOriginalWorld(_ top: [String: Double], _ metres: Double) throws {
        let more: [String: Any] = top
        try write([frame("a.png", with: ["depth_file_path": "depths/a.png"])], Self.lens.merging(more) { $1 })
        try picture("a.png")
        try depth("depths/a.png", 2000)
        let capture = try open()
        #expect(capture.warnings == [])
        let recorded = try #require(try capture.loaded([.recordedDepth])[0].recordedDepth)
        #expect(recorded.first == Float(metres))
    }

    /// A NumPy array of one row.
    private func array(_ values: [Float], type: String = "<f4", _ file: String) throws {
        let head = "{'descr': '\(type)', 'fortran_order': False, 'shape': (1, \(values.count)), }\n"
        var bytes: [UInt8] = [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(head.utf8.count), 0] + Array(head.utf8)
        for value in values { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += Array($0) } }
        try folder.write(bytes, to: "d/\(file)")
    }

    /// Rounded to the file's unit, nothing would be left of them.
    @Test func arraysOfMetresAreNotRounded() throws {
        let named = frame("a.png", with: ["depth_file_path": "depths/a.npy"])
        try write([named], Self.lens.merging(["depth_unit_scale_factor": 1]) { $1 })
        try picture("a.png")
        try array([1.25, .nan, 3.5], "depths/a.npy")
        let capture = try open()
        let recorded = try #require(try capture.loaded([.recordedDepth])[0].recordedDepth)
        #expect(try DepthCodec.decode(recorded).map.metres == [1.25, 0, 3.5])
        try write([named], Self.lens.merging(["depth_unit_scale_factor": 0]) { $1 })
        let other = try open()
        #expect(!other.channels.contains(.recordedDepth))
        #expect(other.warnings.contains { $0.hasPrefix("“depth_unit_scale_factor” in transforms.json is no unit") })
    }

    @Test func arraysOfOtherNumbersAreToBeConverted() throws {
        try write([frame("a.png", with: ["depth_file_path": "depths/a.npy"])], Self.lens)
        try picture("a.png")
        try array([1000, 2000], type: ">f4", "depths/a.npy")
        let capture = try open()
        #expect(capture.absences[.recordedDepth]?.contains("numbers of type >f4") == true)
        #expect(
            capture.remedies[.recordedDepth] == "convert each array: np.save(path, np.load(path).astype('<f4'))")
    }

    @Test func depthOfInstantNGPWithoutAUnitIsSaid() throws {
        try write(
            [frame("a.png", with: ["depth_path": "depths/a.png"])], Self.lens.merging(["aabb_scale": 4]) { $1 })
        try picture("a.png")
        try depth("depths/a.png", 2000)
        let capture = try open()
        #expect(
            capture.warnings == [
                "transforms.json names depth by depth_path and has no integer_depth_scale: its numbers were taken for "
                    + "millimetres; instant-ngp itself passes such depth over"
            ])
        #expect(try capture.loaded([.recordedDepth])[0].recordedDepth?.first == 2)
    }

    /// Drawings of depth: no frame is bad for them, and none has depth.
    @Test func depthOf8BitsIsNoDepth() throws {
        try write(
            ["a", "b"].map { frame("\($0).png", with: ["depth_file_path": "depths/\($0).png"]) }, Self.lens)
        for name in ["a", "b"] {
            try picture("\(name).png")
            let gray = LumaImage(width: 8, height: 6, pixels: Array(repeating: 9, count: 48))
            try folder.write(try PNG.encodeGray8(gray), to: "d/depths/\(name).png")
        }
        try picture("depths/b.png")
        let capture = try open()
        #expect(!capture.channels.contains(.recordedDepth) && capture.dropReasons == [nil, nil])
        #expect(
            capture.absences[.recordedDepth]
                == "none of the depth pictures can be read: not a depth picture: it has 1 × 8 bits a pixel, not 1 × 16 "
                + "(depths/a.png)")
        #expect(capture.remedies[.recordedDepth] == "export the depth with 16 bits, or leave it out")
        // One that is sound, and the others are bad ones.
        try depth("depths/b.png", 2000)
        #expect(try open().channels.contains(.recordedDepth))
    }

    // MARK: - What is wrong with frames

    /// All poses scaled: that is what is wrong, and not that there is no depth.
    @Test func badFramesHaveTheirDepthAllTheSame() throws {
        let scaled = [[2.0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]]
        try write(
            [frame("a.png", with: ["depth_file_path": "depth/a.png", "transform_matrix": scaled])], Self.lens)
        try picture("a.png")
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/depth/a.png")
        let capture = try open()
        #expect(capture.frames[0].drop?.reason.hasPrefix("the pose is not a rotation") == true)
        #expect(capture.channels.contains(.recordedDepth) && capture.absences[.recordedDepth] == nil)
    }

    @Test func pathsThatLeadOutOfTheCapture() throws {
        for (start, name) in [("/home/me/room/", "images/a.png"), ("../", "images/a"), ("C:\\room\\", "images/a.png")] {
            let lost = frame(start + name, with: ["depth_file_path": "\(start)depths/a.png"])
            try write([lost], Self.lens)
            try picture("images/a.png")
            let capture = try open()
            let path = (start + name).replacingOccurrences(of: "\\", with: "/")
            #expect(
                capture.absences[.color]
                    == "transforms.json lists a picture by a path that leads out of the capture and is not followed: \(path)"
            )
            #expect(
                capture.remedies[.color] == "list pictures relative to transforms.json: \(name) instead of \(path)",
                "\(start)")
        }
        #expect(try open().remedies[.recordedDepth] == "list pictures relative to transforms.json, and copy them too")
    }

    @Test func picturesWithAnotherExtensionAreNamed() throws {
        try write([frame("images/a.png"), frame("images/b.png")], Self.lens)
        try picture("images/a.jpg")
        let capture = try open()
        #expect(
            capture.absences[.color]
                == "transforms.json lists 2 pictures, such as images/a.png, which is not there, and images/a.jpg is")
        #expect(
            capture.remedies[.color]
                == "let the names in transforms.json have the files' own extension, .jpg or .png")
        try picture("images/b.png")
        #expect(
            try open().dropReasons == ["its picture images/a.png is not there, and images/a.jpg is", nil])
    }

    @Test func camerasThatContradictEachOther() throws {
        try picture("a.png")
        for (own, words) in [
            (["fl_x": 9.45], nil), (["fl_x": 9.0], "says fl_x 9.5 at its top, and 9 in its frames"),
            (["fl_x": 95.0], "transforms.json says fl_x 9.5 at its top, and 95 in its frames"),
            (["w": 80.0], "says w 8 at its top, and 80"),
        ] as [([String: Double], String?)] {
            try write([frame("a.png", with: own)], Self.lens)
            let found = try open().warnings.filter { $0.contains("at its top") }
            #expect(found.count == (words == nil ? 0 : 1) && found.allSatisfy { $0.contains(words ?? "") }, "\(own)")
        }
    }

    @Test func severalEntriesForOnePictureAreNamed() throws {
        try write([frame("./a.png"), frame("a.png", x: 1), frame("b.png")], Self.lens)
        for name in ["a", "b"] { try picture("\(name).png") }
        let capture = try open()
        #expect(capture.frames.count == 3)
        #expect(capture.warnings == ["transforms.json has 2 entries for the picture a.png: each became a frame"])
    }

    // MARK: - Blender's descriptions

    private func write(_ pictures: [String], asPart part: String) throws {
        let json: [String: Any] = ["camera_angle_x": 0.7, "frames": pictures.map { frame("./\($0)") }]
        try folder.write([UInt8](try JSONSerialization.data(withJSONObject: json)), to: "d/transforms_\(part).json")
    }

    @Test func aDescriptionOfEachPart() throws {
        try write(["train/r_0", "train/r_1"], asPart: "train")
        try write(["val/r_0"], asPart: "val")
        try write(["test/r_0", "val/r_0", "train/r_1"], asPart: "test")
        for name in ["train/r_0", "train/r_1", "val/r_0", "test/r_0"] { try picture("\(name).png") }
        // What lies beside them: of what is tested, and a copy for the web.
        for name in ["test/r_0_depth_0001.png", "test/r_0_normal_0001.png", "train/r_1.jpg"] { try picture(name) }
        let capture = try open()
        #expect(
            capture.frames.map(\.pictureFile) == ["test/r_0.png", "train/r_0.png", "train/r_1.png", "val/r_0.png"])
        #expect(
            capture.frames.map(\.split) == [.test, .training, DatasetSplit.training.union(.test), .heldOut])
        #expect(capture.variant == "Blender" && capture.dropReasons == [nil, nil, nil, nil])
        let trained = "1 of 3 held-out frames is a training frame too, train/r_1.png: "
        #expect(capture.warnings.count == 1 && capture.warnings[0].hasPrefix(trained), "\(capture.warnings)")
        let read = capture.files.map(\.path)
        for part in ["train", "val", "test"] { #expect(read.contains("transforms_\(part).json")) }
        try folder.write("{", to: "d/transforms_val.json")
        let damaged = try open()
        #expect(damaged.frames.count == 4)
        #expect(damaged.warnings.count == 2)
        #expect(damaged.warnings.first?.hasPrefix("held-out frames were left out") == true)
    }

    /// instant-ngp's number is one of frames to train on.
    @Test func theLimitLeavesPartsThatAreHeldOutAlone() throws {
        for (part, pictures) in [("train", ["a", "b"]), ("val", ["v", "b"]), ("test", ["t"])] {
            let json: [String: Any] = [
                "camera_angle_x": 0.7, "aabb_scale": 4, "n_frames": 1, "frames": pictures.map { frame($0) },
            ]
            try folder.write(
                [UInt8](try JSONSerialization.data(withJSONObject: json)), to: "d/transforms_\(part).json")
            for name in pictures { try picture("\(name).png") }
        }
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["a.png", "b.png", "t.png", "v.png"])
        #expect(capture.frames.map(\.split) == [.training, .validation, .test, .validation])
        #expect(capture.dropReasons == [nil, nil, nil, nil])
    }

    /// As those had it who once copied one of the parts.
    @Test func partsBesideADescriptionOfTheWhole() throws {
        try write([frame("train/r_0.png")], Self.lens)
        try write(["val/r_0", "train/r_0"], asPart: "val")
        for name in ["train/r_0", "val/r_0"] { try picture("\(name).png") }
        let words =
            "not read: 1 frame of transforms_val.json, which transforms.json does not list; to have all parts read, "
        #expect(try open().warnings == [words + "rename transforms.json to transforms_train.json"])
        try write(["train/r_0"], asPart: "train")
        let capture = try open()
        #expect(capture.warnings == [words + "move transforms.json elsewhere"])
        #expect(capture.frames.count == 1 && capture.frames[0].split == nil)
    }

    /// Without the description of the frames to train on.
    @Test func descriptionsOfPartsAreNamed() throws {
        try folder.write("{}", to: "d/transforms_val.json")
        try picture("train/r_0.png")
        let way = "copy transforms_train.json too; to have transforms_val.json read alone, copy it to transforms.json"
        let tree = try CaptureFormats.tree(at: "\(folder.path)/d")
        let problem = problem { () throws(Problem) in _ = try CaptureFormats.format(of: tree) }
        #expect(problem?.fix == way)
        try picture("images/r_0.png")
        let pictures = try PictureFolderCapture.open(tree, rules: ReadRules())
        #expect(pictures.warnings.count == 1 && pictures.warnings[0].hasSuffix("; \(way)"), "\(pictures.warnings)")
    }
}
