import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Projects as NeRFCapture and HMC's app write them; the pictures are made by Python's zlib.
@Suite struct NeRFCaptureProjectTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Portrait: the world's up is on the right of the picture as recorded.
    private static let upIsRight: [[Double]] = [[0, -1, 0, 0.5], [1, 0, 0, 1.5], [0, 0, 1, -2], [0, 0, 0, 1]]
    /// Upside down: it is on the left.
    private static let upIsLeft: [[Double]] = [[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]

    private func frame(
        _ path: String, _ time: Double = 1, matrix: [[Double]] = upIsRight, with more: [String: Any] = [:]
    ) -> [String: Any] {
        let frame: [String: Any] = [
            "file_path": path, "transform_matrix": matrix, "timestamp": time, "fl_x": 9.5, "fl_y": 9, "cx": 3.5,
            "cy": 2.5, "w": 8, "h": 6,
        ]
        return frame.merging(more) { $1 }
    }

    private func project(
        _ frames: [[String: Any]], in name: String = "project", with more: [String: Any] = [:]
    ) throws {
        let top: [String: Any] = [
            "w": 0, "h": 0, "fl_x": 1, "fl_y": 1, "cx": 320, "cy": 240, "depth_integer_scale": 1, "app": "kept",
            "frames": frames,
        ]
        let whole = top.merging(more) { $1 }
        try folder.write([UInt8](try JSONSerialization.data(withJSONObject: whole)), to: "\(name)/transforms.json")
    }

    /// A picture whose red is x, whose green is y.
    private func picture(_ name: String, _ width: Int = 8, _ height: Int = 6, in project: String = "project") throws {
        var pixels: [UInt8] = []
        for y in 0..<height { for x in 0..<width { pixels += [UInt8(x), UInt8(y), 0] } }
        let bytes = try PNG.encodeRGB(RGBImage(width: width, height: height, pixels: pixels))
        try folder.write(bytes, to: "\(project)/\(name)")
    }

    private func open(_ name: String = "project") throws -> Capture {
        let tree = try CaptureFormats.tree(at: "\(folder.path)/\(name)")
        #expect(CaptureFormats.recognise(tree)?.format == "nerfcapture")
        return try NeRFCaptureProject.open(tree, rules: ReadRules())
    }

    @Test func aLensThatSomebodyAddedIsWarnedOf() throws {
        try project([frame("images/0", with: ["k1": 0.1])])
        try picture("images/0.png")
        let capture = try open()
        #expect(capture.warnings.contains { $0.contains("says that the lens distorts (k1 0.1)") })
        #expect(capture.warnings.contains { $0.contains("with  --set read.format=transforms  the file is read") })
        #expect(capture.channels.contains(.intrinsics))
        let dataset = try TransformsDataset.open(CaptureFolder(path: "\(folder.path)/project"), rules: ReadRules())
        #expect(dataset.undistortions[0]?.recorded.lens.radial == [0.1, 0, 0, 0])
    }

    // MARK: - Sound projects

    @Test func framesAreInTheOrderOfTheirNumbers() throws {
        try project([frame("images/10", 3), frame("images/8", 1), frame("images/9", 2)])
        for n in [8, 9, 10] { try picture("images/\(n).png") }
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["images/8.png", "images/9.png", "images/10.png"])
        #expect(capture.frames.map(\.timestamp) == [1_000_000_000, 2_000_000_000, 3_000_000_000])
        #expect(capture.frameRate == 1)
        #expect(capture.frames.allSatisfy { !$0.isDropped })
        let first = capture.frames[0]
        // Its own intrinsics, not the placeholders at the top.
        #expect(
            first.intrinsics
                == CameraIntrinsics(fx: 9.5, fy: 9, cx: 3.5, cy: 2.5, width: 8, height: 6, pixelOrigin: .arKit))
        #expect(first.pose?.position == Vector3(0.5, 1.5, -2))
        #expect(first.pose?.apply(Vector3(1, 0, 0)) == Vector3(0.5, 2.5, -2))
        #expect(capture.worldUp == Vector3(0, 1, 0) && capture.isMetric)
        #expect(capture.colorSize == PixelSize(8, 6))
        #expect(capture.metadata?["app"]?.string == "kept")
        #expect(capture.metadata?["frames"] == nil)
        #expect(capture.files.map(\.path).first == "images/10.png")
    }

    @Test(arguments: ["project/", ""]) func isReadFromItsArchive(top: String) throws {
        try project([frame("images/0")])
        try picture("images/0.png")
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1] + '/packed.zip', 'w', 8) as z:
                for f in ['transforms.json', 'images/0.png']: z.write(f'{sys.argv[1]}/project/{f}', sys.argv[2] + f)
            """
        #expect(try runPython(script, [folder.path, top]).status == 0)
        let capture = try open("packed.zip")
        #expect(capture.id == "packed")
        #expect(capture.frames.map(\.pictureFile) == ["images/0.png"])
    }

    @Test func picturesAndEntriesNeedNotMatch() throws {
        try project([frame("images/1"), frame("images/2"), frame("images/4")])
        for n in [1, 3, 4] { try picture("images/\(n).png") }
        let capture = try open()
        #expect(
            capture.frames.map { $0.drop?.reason } == [
                nil, "its picture is not there", "images/3.png has no entry in transforms.json", nil,
            ])
        #expect(capture.frames.allSatisfy { $0.drop?.isBad != true })
        try folder.write("x", to: "project/images/2.png/x")
        #expect(try open().frames[1].drop?.reason == "its picture images/2.png is a folder")
    }

    @Test func severalEntriesForOnePictureAreNamed() throws {
        try project([frame("images/0"), frame("./images/0", 2), frame("images/1", 3)])
        for n in 0..<2 { try picture("images/\(n).png") }
        let capture = try open()
        #expect(capture.frames.count == 3)
        let warning = "transforms.json has 2 entries for the picture images/0.png: each became a frame"
        #expect(capture.warnings == [warning])
    }

    /// A fork of the app writes `0.confidence.png`.
    @Test func picturesBesideAFramesPictureAreNoFrames() throws {
        try project([frame("images/0", with: ["confidence_path": "images/0.confidence.png"])])
        for name in ["0", "0.depth", "0.confidence", "0.2", "1.confidence"] { try picture("images/\(name).png") }
        let capture = try open()
        #expect(
            capture.frames.map { $0.drop?.reason } == [
                nil, "images/0.2.png has no entry in transforms.json",
                "images/1.confidence.png has no entry in transforms.json",
            ])
        #expect(
            capture.absences[.recordedConfidence]?.reason
                == "confidence pictures are not read: the app itself writes none")
    }

    @Test func manyMissingPicturesDidNotArrive() throws {
        try project((1...9).map { frame("images/\($0)") })
        for n in 1...5 { try picture("images/\(n).png") }
        let capture = try open()
        let drops = capture.frames.compactMap(\.drop)
        #expect(drops.map(\.reason) == Array(repeating: "its picture is not there", count: 4))
        #expect(drops.allSatisfy { $0.isBad && $0.fix == "copy the folder images/ again" })
    }

    @Test func posesWithoutAnyPictureAreRead() throws {
        try project([frame("images/1"), frame("images/2")])
        let capture = try open()
        #expect(capture.frames.count == 2 && capture.frames.allSatisfy { !$0.isDropped })
        #expect(!capture.channels.contains(.color))
        #expect(capture.absences[.color]?.reason == "transforms.json lists 2 pictures, and none is there")
        #expect(capture.remedies == [.color: "copy the folder images/ too"])
        try project([frame("1"), frame("images/2")])
        #expect(try open().remedies == [.color: "copy the pictures too"])
        try project([frame("../images/1")])
        let apart = try open()
        #expect(
            apart.absences[.color]?.reason
                == "transforms.json lists a picture by a path that leads out of the capture and is not followed: ../images/1"
        )
        #expect(apart.remedies == [.color: "list pictures relative to transforms.json, and copy them too"])
    }

    @Test func intrinsicsFollowResizedPictures() throws {
        try project([frame("images/0")])
        try picture("images/0.png", 16, 12)
        let camera = try #require(try open().frames[0].intrinsics)
        #expect((camera.fx, camera.cx, camera.width, camera.height) == (19, 7.5, 16, 12))
    }

    // MARK: - Turned pictures

    /// The app turned them upright. As recorded, a pixel's red is its x again.
    @Test(arguments: [true, false]) func turnedPicturesArePutRight(isRight: Bool) throws {
        try project([frame("images/0", matrix: isRight ? Self.upIsRight : Self.upIsLeft)])
        // What was on the right (or left) as recorded is at the top of the file: x' = y (or 5 − y), y' = 7 − x (or x).
        var pixels: [UInt8] = []
        for v in 0..<8 {
            for u in 0..<6 { pixels += isRight ? [UInt8(7 - v), UInt8(u), 0] : [UInt8(v), UInt8(5 - u), 0] }
        }
        let upright = RGBImage(width: 6, height: 8, pixels: pixels)
        try folder.write(try PNG.encodeRGB(upright), to: "project/images/0.png")
        let capture = try open()
        #expect(!capture.frames[0].isDropped)
        #expect(capture.colorSize == PixelSize(8, 6))
        #expect(capture.findings["pictures-turned-back"]?.integer == 1)
        var loaded = Frame(capture.frames[0])
        try capture.source.prepare(&loaded, for: [.color])
        guard case .pixels(let picture)? = loaded.picture else {
            Issue.record("the picture was not decoded")
            return
        }
        #expect((picture.width, picture.height) == (8, 6))
        for y in 0..<6 {
            for x in 0..<8 {
                let pixel = picture.pixels[(y * 8 + x) * 3..<(y * 8 + x) * 3 + 2]
                #expect(Array(pixel) == [UInt8(x), UInt8(y)])
            }
        }
    }

    /// Only HMC's app turns pictures, and a project of it need not have a box: NeRFCapture fills in the top level.
    @Test(arguments: [true, false]) func aHalfTurnIsSuspected(isHMC: Bool) throws {
        let down: [[Double]] = [[-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        let top: [String: Any] = ["w": 8, "h": 6, "fl_x": 9.5, "fl_y": 9, "cx": 3.5, "cy": 2.5]
        try project([frame("images/0", matrix: down), frame("images/1", 2)], with: isHMC ? [:] : top)
        for n in [0, 1] { try picture("images/\(n).png") }
        let capture = try open()
        let isSuspected = capture.warnings.contains { $0.hasPrefix("the device was held upside down in 1 of 2 frames") }
        #expect(isSuspected == isHMC)
        #expect(capture.variant == (isHMC ? "HMC" : "NeRFCapture"))
    }

    @Test func aTurnThatNobodyCanTellIsNamed() throws {
        let down: [[Double]] = [[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]]
        try project([frame("images/0", matrix: down), frame("images/1", matrix: Self.upIsLeft)])
        for n in [0, 1] { try picture("images/\(n).png", 6, 8) }
        let drop = try #require(try open().frames[0].drop)
        #expect(drop.isBad && drop.reason.contains("it looked straight up or down"))
    }

    // MARK: - Bad and hostile projects

    @Test func badEntriesAreDroppedByName() throws {
        let entries: [(frame: [String: Any], reason: String)] = [
            (frame("images/0", matrix: [[1, 0, 0, 0]]), "frames[0].transform_matrix"),
            (
                frame("images/1", matrix: [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]]), "not a rotation"
            ),
            (frame("images/2", matrix: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]), "mirrored"),
            (frame("images/3", with: ["fl_x": 0]), "focal length"),
            (frame("images/4", with: ["w": -8]), "frames[4].w"),
            (frame("images/5", with: ["timestamp": 1e300]), "frames[5].timestamp"),
            (["transform_matrix": Self.upIsLeft], "file_path"),
            (frame("images/7", with: ["cx": "wide"]), "frames[7].cx"),
        ]
        try project(entries.map(\.frame) + [frame("images/9")])
        for n in 0..<10 { try picture("images/\(n).png") }
        let capture = try open()
        for entry in entries {
            #expect(
                capture.frames.contains { $0.drop?.isBad == true && $0.drop?.reason.contains(entry.reason) == true },
                "\(entry.reason): \(capture.frames.compactMap { $0.drop?.reason })")
        }
        #expect(capture.frames.count { !$0.isDropped } == 1)
    }

    @Test(arguments: [
        "../secret", "images/../../secret", "/etc/passwd", "..", "..\\secret", "images/link", "outside/secret",
    ])
    func pathsThatLeadOutAreNotRead(path: String) throws {
        try project([frame(path), frame("images/0")])
        try picture("images/0.png")
        try picture("secret.png", in: "elsewhere")
        try picture("secret.png", in: ".")
        let root = folder.path
        #expect(symlink("\(root)/elsewhere/secret.png", "\(root)/project/images/link.png") == 0)
        #expect(symlink("\(root)/elsewhere", "\(root)/project/outside") == 0)
        let capture = try open()
        let refused = try #require(
            capture.frames.first { $0.drop?.reason.contains("leads out of the capture") == true })
        #expect(refused.drop?.isBad == true)
        #expect(refused.pictureFile == nil)
    }

    @Test(arguments: ["https://example.org/0.png", "%2e%2e/secret", "file:///etc/passwd"])
    func pathsThatAreNoPathsAreNotFound(path: String) throws {
        try project([frame(path), frame("images/0")])
        try picture("images/0.png")
        try picture("secret.png", in: ".")
        let capture = try open()
        #expect(capture.frames.count { $0.pictureFile == nil && $0.isDropped } == 1)
    }

    @Test func drawnDepthIsRefused() throws {
        try project([frame("images/0", with: ["depth_path": "images/0.depth.png"])])
        try picture("images/0.png")
        try picture("images/0.depth.png")
        let capture = try open()
        #expect(!capture.channels.contains(.recordedDepth))
        #expect(
            capture.absences[.recordedDepth]?.reason.hasPrefix(
                "images/0.depth.png is a drawing of depth (3 channels of 8 bits)") == true)
        #expect(capture.frames.count == 1)
    }

    @Test func otherTransformsAreNotTheirs() throws {
        for (key, value) in [("camera_model", "OPENCV" as Any), ("applied_transform", [[1, 0, 0, 0]])] {
            let json: [String: Any] = [key: value, "depth_integer_scale": 1, "frames": [frame("images/0")]]
            try folder.write([UInt8](try JSONSerialization.data(withJSONObject: json)), to: "other/transforms.json")
            #expect(NeRFCaptureProject.recognise(CaptureFolder(path: "\(folder.path)/other")) == nil)
        }
        try folder.write("{\"frames\": [", to: "broken/transforms.json")
        #expect(NeRFCaptureProject.recognise(CaptureFolder(path: "\(folder.path)/broken")) == nil)
    }

    /// Datasets of other tools may have intrinsics in each frame and names without an extension, too.
    @Test func withoutTheAppsOwnKeyOnlyItsOtherKeysAreAllowed() throws {
        func format(_ top: [String: Any], _ frame: [String: Any]) throws -> String? {
            let json = top.merging(["frames": [frame]]) { $1 }
            try folder.write([UInt8](try JSONSerialization.data(withJSONObject: json)), to: "other/transforms.json")
            return CaptureFormats.recognise(CaptureFolder(path: "\(folder.path)/other"))?.format
        }
        #expect(try format(["w": 8, "h": 6], frame("images/0")) == "nerfcapture")
        let tops: [[String: Any]] = [
            ["aabb_scale": 4], ["ply_file_path": "p.ply"], ["k1": 0.1], ["train_filenames": ["images/0"]],
            ["depth_unit_scale_factor": 1],
        ]
        for top in tops { #expect(try format(top, frame("images/0")) == "transforms", "\(top)") }
        let members: [[String: Any]] = [["mask_path": "m.png"], ["depth_file_path": "d.png"], ["k1": 0.1]]
        for more in members { #expect(try format([:], frame("images/0", with: more)) == "transforms", "\(more)") }
        var square = frame("images/0")
        square["fl_y"] = nil
        #expect(try format([:], square) == "transforms")
    }

    // MARK: - Real projects

    @Test(.enabled(if: SharedData.isThere)) func realProjects() throws {
        let fox = try NeRFCaptureProject.open(CaptureFolder(path: SharedData.path("fox")), rules: ReadRules())
        let json = try JSONSerialization.jsonObject(with: Data(try SharedData.bytes("fox/transforms.json")))
        let frames = try #require((json as? [String: Any])?["frames"] as? [[String: Any]])
        #expect(fox.frames.count == frames.count)
        #expect(fox.box != nil)
        for facts in fox.frames where !facts.isDropped {
            let stem = try #require(facts.pictureFile?.split(separator: ".").first)
            let entry = try #require(frames.first { $0["file_path"] as? String == String(stem) })
            let matrix = try #require(entry["transform_matrix"] as? [[Double]])
            // Foundation's parser is off by some units in the last place.
            let differences = zip((facts.pose?.rowMajorRows ?? []).joined(), matrix.joined()).map { abs($0 - $1) }
            #expect(differences.count == 16 && differences.allSatisfy { $0 < 1e-14 })
        }
        let numbers = fox.frames.compactMap { $0.pictureFile }.compactMap {
            Int($0.drop { !$0.isNumber }.prefix { $0.isNumber })
        }
        #expect(numbers == numbers.sorted() && numbers.count == 13)
        let chair = try NeRFCaptureProject.open(CaptureFolder(path: SharedData.path("chair")), rules: ReadRules())
        #expect(chair.frames.count == 52 && chair.frames.allSatisfy { !$0.isDropped })
        let times = chair.frames.compactMap(\.timestamp)
        #expect(times == times.sorted() && times.count == 52)
    }

    /// As the same folder is read as a dataset.
    @Test func picturesOfTwoSizesAreAllUsed() throws {
        let half: [String: Any] = ["fl_x": 4.75, "fl_y": 4.5, "cx": 1.75, "cy": 1.25, "w": 4, "h": 3]
        try project((0..<8).map { frame("images/\($0)", Double($0), with: $0 % 2 == 1 ? half : [:]) })
        for n in 0..<8 { try picture("images/\(n).png", n % 2 == 1 ? 4 : 8, n % 2 == 1 ? 3 : 6) }
        let capture = try open()
        #expect(capture.colorSize == nil && capture.frames.allSatisfy { !$0.isDropped })
        #expect(capture.frames[1].intrinsics?.width == 4 && capture.frames[2].intrinsics?.width == 8)
    }

    @Test func aPathMayBeginWithADot() throws {
        try project([frame("./images/1"), frame("images/./2.png", 2)])
        for n in 1...3 { try picture("images/\(n).png") }
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["images/1.png", "images/2.png", nil])
        #expect(capture.dropReasons == [nil, nil, "images/3.png has no entry in transforms.json"])
    }
}
