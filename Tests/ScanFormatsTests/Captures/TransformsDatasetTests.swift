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
        let reason = try open().absences[.color]?.reason
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

    @Test func intrinsicsOfAnotherSizeAreScaledAndThatIsSaid() throws {
        try write([frame("a.png"), frame("b.png")], ["fl_x": 90, "fl_y": 90, "w": 400, "h": 302])
        for name in ["a", "b"] { try picture("\(name).png", 400, 300) }
        let capture = try open()
        #expect(capture.frames[0].intrinsics?.height == 300)
        #expect(
            capture.warnings == ["the pictures are 400×300, and the intrinsics for 400×302; the intrinsics were scaled"]
        )
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

    /// Such a size was taken for none, and the camera for one of the picture's size.
    @Test(arguments: [1e300, 9_223_372_036_854_775_807, -3]) func aSizeThatNoPictureHas(_ width: Double) throws {
        try picture("a.png")
        try picture("b.png")
        try write([frame("a.png"), frame("b.png", x: 1, with: ["w": width])], Self.lens)
        let reasons = try open().frames.map { $0.drop?.reason }
        #expect(reasons[0] == nil && reasons[1]?.contains("expected a number of pixels") == true, "\(reasons)")
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

    /// Without pictures the file must tell the size: poses alone are still worth reading.
    @Test func withoutPicturesTheFileTellsTheSize() throws {
        var lens = Self.lens
        try write([frame("a.png")], lens)
        #expect(try open().frames[0].intrinsics?.width == 8)
        lens["h"] = nil
        try write([frame("a.png")], lens)
        let capture = try open()
        let reason = capture.frames[0].drop?.reason
        #expect(reason?.hasPrefix("its picture is not there, and the file does not say how large it was") == true)
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
            capture.absences[.color]?.reason
                == "transforms.json lists 2 pictures, and none is there; pictures of their names lie \(place)")
        #expect(capture.remedies[.color] == way)
    }

    @Test func whatTheFileListsAndIsNotThereIsNamed() throws {
        try write(
            [frame("images/a.png", with: ["depth_file_path": "depths/a.png"]), frame("images/b.png")],
            Self.lens.merging(["ply_file_path": "points.ply"]) { $1 })
        let capture = try open()
        #expect(capture.absences[.color]?.reason == "transforms.json lists 2 pictures, and none is there")
        #expect(capture.absences[.recordedDepth]?.reason == "transforms.json lists a depth picture, which is not there")
        #expect(
            capture.remedies == [
                .color: "copy the folder images/ too", .recordedDepth: "copy the folder depths/ too",
                .cloud: "copy the points too",
            ])
        for name in ["a", "b"] { try picture("images/\(name).png") }
        try write([frame("images/a.png"), frame("images/b.png")], Self.lens)
        let plain = try open()
        #expect(plain.absences[.recordedDepth]?.reason == "transforms.json names no depth pictures")
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

    // MARK: - Masks

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
        #expect(none.absences[.mask]?.reason == "transforms.json lists 5 mask pictures, and none is there")
        #expect(none.remedies[.mask] == "copy the folder masks/ too" && !none.channels.contains(.mask))
        try picture("masks/3.png")
        #expect(try open().gaps[.mask] == [0, 1, 2, 4])
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

    @Test func picturesBehindALinkThatLeadsOut() throws {
        try write([frame("images/a.png")], Self.lens)
        let pixels = [UInt8](repeating: 9, count: 144)
        try folder.write(try PNG.encodeRGB(RGBImage(width: 8, height: 6, pixels: pixels)), to: "elsewhere/a.png")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/d/images", withDestinationPath: "../elsewhere")
        #expect(
            try open().absences[.color]?.reason
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

    // MARK: - What is wrong with frames

    @Test func pathsThatLeadOutOfTheCapture() throws {
        for (start, name) in [("/home/me/room/", "images/a.png"), ("../", "images/a"), ("C:\\room\\", "images/a.png")] {
            let lost = frame(start + name, with: ["depth_file_path": "\(start)depths/a.png"])
            try write([lost], Self.lens)
            try picture("images/a.png")
            let capture = try open()
            let path = (start + name).replacingOccurrences(of: "\\", with: "/")
            #expect(
                capture.absences[.color]?.reason
                    == "transforms.json lists a picture by a path that leads out of the capture and is not followed: \(path)"
            )
            #expect(
                capture.remedies[.color] == "list pictures relative to transforms.json: \(name) instead of \(path)",
                "\(start)")
        }
        #expect(try open().remedies[.recordedDepth] == "list pictures relative to transforms.json, and copy them too")
    }

    @Test func aFolderInPlaceOfAPictureIsNamed() throws {
        try write([frame("images/a.png"), frame("images/b")], Self.lens)
        try picture("images/a.png")
        try folder.write("x", to: "d/images/b.png/x")
        let drop = try open().frames[1].drop
        #expect(drop?.reason == "its picture images/b.png is a folder")
        #expect(drop?.fix == "put the file images/b.png in its place" && drop?.isBad == true)
    }

    @Test func picturesWithAnotherExtensionAreNamed() throws {
        try write([frame("images/a.png"), frame("images/b.png")], Self.lens)
        try picture("images/a.jpg")
        let capture = try open()
        #expect(
            capture.absences[.color]?.reason
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
}
