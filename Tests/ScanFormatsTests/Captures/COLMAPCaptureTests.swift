import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Models written by hand and by Python's `struct`.
@Suite struct COLMAPCaptureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func text(_ text: String, _ file: String) throws { try folder.write(Array(text.utf8), to: "m/\(file)") }

    private func picture(_ file: String, _ width: Int = 8, _ height: Int = 6) throws {
        let pixels = [UInt8](repeating: 9, count: width * height * 3)
        try folder.write(
            try PNG.encodeRGB(RGBImage(width: width, height: height, pixels: pixels)), to: "m/\(file)")
    }

    private func open(_ rules: ReadRules = ReadRules()) throws -> Capture {
        let tree = try CaptureFormats.tree(at: "\(folder.path)/m")
        #expect(CaptureFormats.recognise(tree)?.format == "colmap")
        return try COLMAPCapture.open(tree, rules: rules)
    }

    private func refusal(_ rules: ReadRules = ReadRules()) throws -> Problem? {
        let tree = try CaptureFormats.tree(at: "\(folder.path)/m")
        return problem { () throws(Problem) in _ = try COLMAPCapture.open(tree, rules: rules) }
    }

    private static let cameras = "# Cameras\n1 PINHOLE 8 6 9.5 9 4 3\n7 SIMPLE_RADIAL 16 12 20 8 6 0\n"

    @Test func textModelsAreRead() throws {
        try text(Self.cameras, "sparse/0/cameras.txt")
        // Observations, an empty line of observations, CR LF, a name with spaces, two of them side by side.
        try text(
            "# Images\n2 1 0 0 0 -1 -2 -3 1 b  2 .png\n1.5 2.5 -1 3 4 9\r\n1 1 0 0 0 0 0 0 7 a1.png\n\n",
            "sparse/0/images.txt")
        try text("# Points\n5 1 2 3 10 20 30 0.5 1 0 2 0\n9 4 5 6 0 0 255 1\n", "sparse/0/points3D.txt")
        try picture("images/b  2 .png")
        try picture("images/a1.png", 16, 12)
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["images/a1.png", "images/b  2 .png"])
        #expect(capture.frames[1].pose?.position == Vector3(1, 2, 3))
        // With OpenCV's axes the identity; with ours y and z point the other way.
        #expect(capture.frames[1].pose?.rotation.columns.1 == Vector3(0, -1, 0))
        #expect(
            capture.frames[0].intrinsics
                == CameraIntrinsics(fx: 20, fy: 20, cx: 8, cy: 6, width: 16, height: 12, pixelOrigin: .corner))
        #expect(capture.cloud == PointCloud(positions: [1, 2, 3, 4, 5, 6], colors: [10, 20, 30, 0, 0, 255]))
        #expect(!capture.isMetric && capture.worldUp == nil)
        #expect(capture.colorSize == nil)
        let inspection = try CaptureInspection.inspect("\(folder.path)/m")
        let points = inspection.streams.first { $0.file == "sparse/0/points3D.txt" }
        #expect(points?.content == "points" && points?.frameCount == 2)
        #expect(!inspection.missing.contains { $0.what == "points" })
    }

    /// As after a copy from macOS.
    @Test func aFolderInOtherUnicodeCharactersIsFound() throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 K\u{FC}che/a.png\n\n", "images.txt")
        try picture("images/k/a.png")
        #expect(rename("\(folder.path)/m/images/k", "\(folder.path)/m/images/Ku\u{308}che") == 0)
        let file = try #require(try open().frames[0].pictureFile)
        #expect(Array(file.utf8) == Array("images/Ku\u{308}che/a.png".utf8))
    }

    /// A quarter turn about y, worked out by hand: cam_from_world has R = [0 0 1; 0 1 0; −1 0 0], and the centre is
    /// −Rᵀt.
    @Test func aTurnedCameraStandsWhereItStood() throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "cameras.txt")
        let half = 0.5.squareRoot()
        try text("1 \(half) 0 \(half) 0 1 2 3 1 a.png\n\n", "images.txt")
        try picture("images/a.png")
        let pose = try #require(try open().frames[0].pose)
        #expect((pose.position - Vector3(3, -2, -1)).length < 1e-12)
        // It looks along the third row of R, which is −x of the world; its right is z, and its up is −y, since the
        // camera's own y points down.
        #expect((pose.apply(Vector3(0, 0, -1)) - Vector3(2, -2, -1)).length < 1e-12)
        #expect((pose.rotation.columns.0 - Vector3(0, 0, 1)).length < 1e-12)
        #expect((pose.rotation.columns.1 - Vector3(0, -1, 0)).length < 1e-12)
    }

    /// Of folders that did not come along.
    @Test func onePictureOfTwoImagesIsWarnedOf() throws {
        try text(Self.cameras, "sparse/0/cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a/0.png\n\n2 1 0 0 0 1 0 0 1 b/0.png\n\n", "sparse/0/images.txt")
        try text("", "sparse/0/points3D.txt")
        try picture("images/0.png")
        #expect(
            try open().warnings.contains(
                "images/0.png is the picture of 2 images of the model, a/0.png and b/0.png among them: their own pictures may be missing"
            ))
        for name in ["a", "b"] { try picture("images/\(name)/0.png") }
        #expect(try !open().warnings.contains { $0.contains("images of the model") })
    }

    @Test func binaryModelsAreRead() throws {
        let script = """
            import os, struct, sys
            d = sys.argv[1] + '/m/sparse/0'
            os.makedirs(d)
            open(d + '/cameras.bin', 'wb').write(struct.pack('<QIiQQ4d', 1, 3, 1, 8, 6, 9.5, 9, 4, 3))
            image = lambda i, n, obs: struct.pack('<I7dI', i, 1, 0, 0, 0, -i, 0, 0, 3) + n + b'\\0' + struct.pack('<Q', obs) + struct.pack('<ddQ', 1, 2, 2**64 - 1) * obs
            open(d + '/images.bin', 'wb').write(struct.pack('<Q', 2) + image(2, b'cam/10.png', 3) + image(1, b'cam/9.png', 0))
            open(d + '/points3D.bin', 'wb').write(struct.pack('<QQ3d3BdQ', 1, 4, 1, 2, 3, 7, 8, 9, 0.5, 2) + struct.pack('<IIII', 1, 0, 2, 0))
            """
        #expect(try runPython(script, [folder.path]).status == 0)
        try picture("images/9.png")
        try picture("images/10.png")
        let capture = try open()
        // Names carry a folder that is not there, and 9 comes before 10.
        #expect(capture.frames.map(\.pictureFile) == ["images/9.png", "images/10.png"])
        #expect(capture.frames.map { $0.pose?.position.x } == [1, 2])
        #expect(capture.cloud == PointCloud(positions: [1, 2, 3], colors: [7, 8, 9]))
        #expect(capture.colorSize == PixelSize(8, 6))
        #expect(capture.variant == "binary")
        // Points in the other form are better than none, but not those of another model.
        try FileManager.default.removeItem(atPath: folder.url("m/sparse/0/points3D.bin").path)
        #expect(try open().remedies[.cloud] == "copy sparse/0/points3D.bin too")
        try text("5 4 5 6 10 20 30 0.5\n", "sparse/0/points3D.txt")
        let mixed = try open()
        #expect(mixed.cloud == PointCloud(positions: [4, 5, 6], colors: [10, 20, 30]))
        #expect(mixed.files.contains { $0.path == "sparse/0/points3D.txt" })
        try text(Self.cameras, "sparse/0/cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n", "sparse/0/images.txt")
        #expect(try open().remedies[.cloud] == "copy sparse/0/points3D.bin too")
    }

    @Test func lensesThatNothingUndoesAreRefusedWithAReason() throws {
        try text("4 EQUIRECTANGULAR 8 6 8 6\n", "cameras.txt")
        try text("1 1 0 0 0 0 0 0 4 a.png\n\n", "images.txt")
        let problem = try refusal()
        #expect(problem?.summary == "no pinhole picture shows what a camera of the model EQUIRECTANGULAR sees")
        #expect(problem?.fix?.contains("make pinhole pictures") == true)
        #expect(problem?.place.file == "cameras.txt")
        try text("4 OPENCV 8 6 9 9 4 3 0 0 0 0\n", "cameras.txt")
        #expect(try refusal() == nil)
    }

    /// Models keep cameras whose images were all left out.
    @Test func aLensThatTookNoPictureMayBeAny() throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n99 EQUIRECTANGULAR 8 6 8 6\n", "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n", "images.txt")
        try picture("images/a.png")
        #expect(try open().frames.map { $0.intrinsics?.fx } == [9.5])
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 0 0 0 99 b.png\n\n", "images.txt")
        #expect(try refusal()?.notes == ["it is camera 99"])
    }

    /// As RealityScan writes single cameras.
    @Test(arguments: [
        ("-nan(ind) -nan(ind) -nan(ind) -nan(ind)", "the intrinsics are not finite"),
        ("0 9 4 3", "the focal length is 0.0 × 9.0"),
    ]) func aCameraThatIsNoneCostsItsImagesAlone(_ numbers: String, _ defect: String) throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n3 PINHOLE 8 6 \(numbers)\n", "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 0 0 0 3 b.png\n\n", "images.txt")
        for name in ["a", "b"] { try picture("images/\(name).png") }
        let capture = try open()
        #expect(capture.frames.map { $0.intrinsics?.fx } == [9.5, nil])
        #expect(capture.frames[1].drop?.reason == "camera 3 cannot be used: \(defect) (cameras.txt)")
        #expect(capture.frames[1].drop?.isBad == true && capture.channels.contains(.intrinsics))
        // A model with no other camera is as bad as its frames.
        try text("2 1 0 0 0 0 0 0 3 b.png\n\n", "images.txt")
        let excess = try open().excessOfBadFrames()
        #expect(excess?.summary == "1 of 1 frame is bad (100 %)")
        #expect(excess?.fix == "correct cameras.txt, or copy it again")
    }

    @Test func aLensThatIsNoneCostsItsImagesAlone() throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n3 SIMPLE_RADIAL 8 6 9 4 3 nan\n", "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 0 0 0 3 b.png\n\n", "images.txt")
        for name in ["a", "b"] { try picture("images/\(name).png") }
        #expect(
            try open().frames[1].drop?.reason
                == "camera 3 cannot be used: a number of the lens's distortion is not finite (cameras.txt)")
    }

    /// The two forms of one model, whose cameras are the same, although what is not a number differs from itself.
    @Test func bothFormsOfAModelWithACameraThatIsNone() throws {
        let script = """
            import os, struct, sys
            d = sys.argv[1] + '/m/'
            os.makedirs(d)
            camera = lambda i, f: struct.pack('<IiQQ4d', i, 1, 8, 6, f, 9, 4, 3)
            open(d + 'cameras.bin', 'wb').write(struct.pack('<Q', 2) + camera(1, 9.5) + camera(3, float('nan')))
            image = lambda i, n, c: struct.pack('<I7dI', i, 1, 0, 0, 0, 0, 0, 0, c) + n + b'\\0' + struct.pack('<Q', 0)
            open(d + 'images.bin', 'wb').write(struct.pack('<Q', 2) + image(1, b'a.png', 1) + image(2, b'b.png', 3))
            """
        #expect(try runPython(script, [folder.path]).status == 0)
        try text("1 PINHOLE 8 6 9.5 9 4 3\n3 PINHOLE 8 6 -nan(ind) 9 4 3\n", "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 0 0 0 3 b.png\n\n", "images.txt")
        for name in ["a", "b"] { try picture("images/\(name).png") }
        let capture = try open()
        #expect(capture.variant == "binary" && capture.warnings == [])
        #expect(
            capture.frames[1].drop?.reason == "camera 3 cannot be used: the intrinsics are not finite (cameras.bin)")
    }

    /// A model that was made on Windows; and a partial copy, of which the last picture alone is there.
    @Test(arguments: ["cam\\", "cam//", ""]) func pathsThatAreSpeltOtherwise(_ folder: String) throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "cameras.txt")
        let images = (1...3).map { "\($0) 1 0 0 0 0 0 0 1 \(folder)\($0).png\n\n" }
        try text(images.joined(), "images.txt")
        try picture("images/\(folder.isEmpty ? "" : "cam/")3.png")
        let capture = try open()
        #expect(capture.keptFrames.map(\.pictureFile) == ["images/\(folder.isEmpty ? "" : "cam/")3.png"])
        #expect(capture.frames.filter { $0.drop?.reason.contains("is not there") == true }.count == 2)
    }

    @Test func singlePicturesOfAnotherSizeAreNamed() throws {
        try text("1 PINHOLE 200 150 90 90 100 75\n", "cameras.txt")
        try text((0..<4).map { "\($0 + 1) 1 0 0 0 0 0 0 1 \($0).png\n\n" }.joined(), "images.txt")
        for (number, width) in [200, 201, 200, 200].enumerated() { try picture("images/\(number).png", width, 150) }
        let one = try open()
        #expect(one.frames.map { $0.intrinsics?.width } == [200, 201, 200, 200])
        #expect(
            one.warnings == [
                "1 of 4 pictures is 201×150, and the intrinsics are for 200×150: its intrinsics were scaled (frame 1)"
            ])
        try picture("images/2.png", 201, 150)
        let two = "2 of 4 pictures are 201×150, and the intrinsics are for 200×150: their intrinsics were scaled"
        #expect(try open().warnings == ["\(two) (frames 1 to 2)"])
        for number in [0, 3] { try picture("images/\(number).png", 201, 150) }
        #expect(
            try open().warnings == [
                "the pictures are 201×150, and the intrinsics for 200×150; the intrinsics were scaled"
            ])
    }

    @Test func aFolderInPlaceOfAPictureIsNamed() throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "cameras.txt")
        try text((0..<2).map { "\($0 + 1) 1 0 0 0 0 0 0 1 \($0).png\n\n" }.joined(), "images.txt")
        try picture("images/0.png")
        try text("x", "images/1.png/x")
        let drop = try open().frames[1].drop
        #expect(drop?.reason == "its picture images/1.png is a folder")
        #expect(drop?.fix == "put the file images/1.png in its place" && drop?.isBad == true)
    }

    @Test func framesWithoutPictureOrCameraAreNamed() throws {
        try text(Self.cameras, "cameras.txt")
        try text(
            (1...4).map { "\($0) 1 0 0 0 0 0 0 \($0 == 3 ? 5 : 1) \($0).png\n\n" }.joined()
                + "9 nan 0 0 0 0 0 0 1 5.png\n\n10 1 0 -7 0 0 0 0 1 6.png\n\n",
            "images.txt")
        for n in [1, 3, 6] { try picture("images/\(n).png") }
        try picture("images/4.png", 9, 9)
        let capture = try open()
        let reasons = capture.frames.map { $0.drop?.reason ?? "" }
        #expect(reasons[0].isEmpty)
        #expect(reasons[1] == "its picture 2.png is not there")
        #expect(reasons[2].contains("the model has no camera 5"))
        #expect(reasons[3].contains("the picture is 9×9, and its intrinsics are for 8×6"))
        #expect(reasons[4].contains("not finite"))
        #expect(reasons[5].hasPrefix("the quaternion is no rotation (its length is 7.07"))
    }

    /// COLMAP's reader takes the directions alone.
    @Test func quaternionsThatAreAllLonger() throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "cameras.txt")
        try text((1...3).map { "\($0) 2 0 0 0 0 0 \($0) 1 \($0).png\n\n" }.joined(), "images.txt")
        for n in 1...3 { try picture("images/\(n).png") }
        let capture = try open()
        #expect(capture.frames.map { $0.pose?.position.z } == [-1, -2, -3])
    }

    @Test func damagedModelsAreNamedByPlace() throws {
        try text("1 PINHOLE 8 6 9.5 9 4\n", "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n", "images.txt")
        #expect(try refusal()?.summary == "PINHOLE has 4 parameters, and 3 are there")
        try text(Self.cameras, "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\nrubbish\n", "images.txt")
        let problem = try refusal()
        #expect(problem?.place.line == 3 && problem?.place.file == "images.txt")
    }

    /// Cameras and pictures are as they were; who needs the points is told.
    @Test func damagedPointsLeaveTheRest() throws {
        try text(Self.cameras, "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n", "images.txt")
        try text("5 1 2 rubbish 10 20 30 0.5\n", "points3D.txt")
        try picture("images/a.png")
        let capture = try open()
        #expect(capture.keptFrames.count == 1 && capture.cloud == nil && !capture.channels.contains(.cloud))
        #expect(capture.absences[.cloud]?.reason.hasPrefix("the points cannot be read: ") == true)
        // Nothing is lost any more where it cannot even be opened.
        #expect(capture.files.first { $0.path == "points3D.txt" }?.stake == .nothing)
        #expect(capture.absences[.cloud]?.reason.contains("points3D.txt:1") == true)
        #expect(capture.remedies[.cloud] == "copy points3D.txt again")
        // COLMAP writes an empty one where there are no points: a model without it is an incomplete copy.
        try FileManager.default.removeItem(atPath: folder.url("m/points3D.txt").path)
        let bare = try open()
        #expect(bare.keptFrames.count == 1 && bare.absences[.cloud]?.reason == "points3D.txt is missing")
        #expect(bare.remedies[.cloud] == "copy points3D.txt too")
        try text("", "points3D.txt")
        #expect(try open().remedies == [:])
        let missing = try CaptureInspection.inspect("\(folder.path)/m").missing
        #expect(missing.first { $0.what == "points" }?.reason == "points3D.txt holds no points")
    }

    /// Without the lines of observations every second image would be taken for one.
    @Test func imagesWithoutObservationLinesAreRefused() throws {
        try text(Self.cameras, "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n2 1 0 0 0 0 0 0 1 b.png\n", "images.txt")
        #expect(try refusal()?.place.line == 2)
        #expect(try refusal()?.summary.hasPrefix("expected the observations") == true)
        #expect(try refusal()?.fix?.hasSuffix("after each with  sed -i '/^#/!G' images.txt") == true)
        // Where some are there, a line is damaged or lost, and more empty ones do not help.
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 0 0 0 1 b.png\n3 1 0 0 0 0 0 0 1 c.png\n", "images.txt")
        let lost = try #require(try refusal())
        #expect(lost.place.line == 4 && lost.fix?.contains("sed") != true)
        try text("1 1 0 0 0 0 0 0 1 a.png\n2 1 0 0 0 0 0 0 1 b c d.png\n", "images.txt")
        #expect(try refusal()?.place.line == 2)
    }

    /// Counts that no file of this size can hold cost neither memory nor time.
    @Test func absurdCountsAreRefused() throws {
        try folder.write([UInt8](repeating: 0xFF, count: 64), to: "m/cameras.bin")
        try folder.write([UInt8](repeating: 0xFF, count: 64), to: "m/images.bin")
        #expect(try refusal()?.fault == .input)
        try text(Self.cameras, "cameras.txt")
        try FileManager.default.removeItem(atPath: "\(folder.path)/m/cameras.bin")
        try FileManager.default.removeItem(atPath: "\(folder.path)/m/images.bin")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 0 0 0 1 b.png\n\n", "images.txt")
        var rules = ReadRules()
        rules.maxFrames = 1
        let refused = try refusal(rules)
        #expect(refused?.summary == "the model has more than 1 images" && refused?.place.file == "images.txt")
    }

    @Test func picturesOutsideTheCaptureAreRefused() throws {
        try text(Self.cameras, "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 0 0 0 1 ../secret.png\n\n", "images.txt")
        try picture("images/a.png")
        try folder.write([1], to: "secret.png")
        let capture = try open()
        #expect(capture.frames.contains { $0.drop?.reason.contains("leads out of the capture") == true })
    }

    /// Reconstructions leave out what they cannot place.
    @Test func picturesThatAreNotInTheModelAreCounted() throws {
        try text(Self.cameras, "sparse/0/cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a1.png\n\n2 1 0 0 0 0 0 0 1 a2.png\n\n", "sparse/0/images.txt")
        for name in ["a1", "a2"] { try picture("images/\(name).png") }
        #expect(try open().warnings == [])
        for name in ["a3", "a4", "a5"] { try picture("images/\(name).png") }
        let capture = try open()
        #expect(capture.warnings == ["3 pictures were left out, the first images/a3.png: each is not in the model"])
        #expect(capture.frames.count == 2)
    }

    @Test func textThatWasCutOff() throws {
        let cameras = (1...4).map { "\($0) PINHOLE 8 6 9.5 9 4 2.98765\($0)\n" }.joined()
        // Cameras of another model end in another parameter, whose digits tell nothing.
        try text("# Cameras\n\(cameras)5 SIMPLE_PINHOLE 8 6 9.5 4 2.9", "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n", "images.txt")
        try picture("images/a.png")
        #expect(
            try open().warnings.first?.hasPrefix("the last line of cameras.txt, line 6, has no end, as if the file")
                == true)
        try text("# Cameras\n\(cameras)5 PINHOLE 8 6 9.5 9 4 2.9", "cameras.txt")
        #expect(throws: Problem.self) { try open() }
        // So it is with the other files.
        try text("# Cameras\n1 PINHOLE 8 6 9.5 9 4 2", "cameras.txt")
        try text("# Images\n1 1 0 0 0 0 0 0 1 a.png", "images.txt")
        try text("# Points\n5 1 2 3 10 20 30 0.5", "points3D.txt")
        let warnings = try open().warnings
        #expect(
            ["cameras", "images", "points3D"].allSatisfy { file in
                warnings.contains { $0.hasPrefix("the last line of \(file).txt, line 2, has no end") }
            }, "\(warnings)")
        try text("# Cameras\n1 PINHOLE 8 6 9.5 9 4 3\n", "cameras.txt")
        try text("# Images\n1 1 0 0 0 0 0 0 1 a.png\n\n", "images.txt")
        try text("# Points\n5 1 2 3 10 20 30 0.5\n", "points3D.txt")
        #expect(try open().warnings == [])
    }

    /// COLMAP's way to call them, and nerfstudio's.
    @Test func masksAreCalledAfterThePictures() throws {
        try text(Self.cameras, "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 0 0 0 1 b.png\n\n", "images.txt")
        for file in ["images/a.png", "images/b.png", "masks/a.png.png", "masks/b.png"] { try picture(file) }
        let masks = try open().files.filter { $0.channels == [.mask] }.map(\.path)
        #expect(Set(masks) == ["masks/a.png.png", "masks/b.png"])
    }

    /// Pictures may lie without the folders that their names have, and so may masks.
    @Test func masksWithoutTheFoldersOfTheNames() throws {
        try text(Self.cameras, "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 cam/a.png\n\n2 1 0 0 0 0 0 0 1 cam/b.png\n\n", "images.txt")
        for file in ["images/a.png", "images/b.png", "masks/a.png.png", "masks/b.png"] { try picture(file) }
        let capture = try open()
        let masks = capture.files.filter { $0.channels == [.mask] }.map(\.path)
        #expect(masks == ["masks/a.png.png", "masks/b.png"] && capture.warnings == [])
    }

    @Test func masksOfOtherNamesAreSaidToBeUnused() throws {
        try text(Self.cameras, "cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n", "images.txt")
        for file in ["images/a.png", "masks/mask_a.png"] { try picture(file) }
        let capture = try open()
        #expect(!capture.channels.contains(.mask))
        #expect(
            capture.warnings == [
                "the pictures in masks/ are not used, since none is called after an image of the model: the mask of a.jpg "
                    + "is a.jpg.png or a.png"
            ])
    }

    @Test func otherModelsAreNamed() throws {
        let image = { (id: Int) in "\(id) 1 0 0 0 0 0 0 1 \(id).png\n\n" }
        for (folder, count) in [("0", 1), ("1", 3), ("2", 2), ("old", 9)] {
            try text("1 PINHOLE 8 6 9.5 9 4 3\n", "sparse/\(folder)/cameras.txt")
            // The largest one lacks the line of the last image's observations.
            let images: String = (1...count).map(image).joined()
            try text(String(images.dropLast(folder == "1" ? 1 : 0)), "sparse/\(folder)/images.txt")
        }
        try picture("images/1.png")
        let warnings = try open().warnings
        #expect(
            warnings == [
                "sparse/1/ holds a model of 3 images, and sparse/0/, which was read, one of 1: to take the larger one, move sparse/0/ elsewhere and call the other one 0"
            ])
        try text((1...3).map(image).joined(), "sparse/0/images.txt")
        for id in 2...3 { try picture("images/\(id).png") }
        #expect(try open().warnings == [])
    }

    /// Beside pictures, where COLMAP's programs put models too. What was undistorted has pictures of its own.
    @Test(arguments: [
        ("sparse/1", "images"), ("sparse/geo", "images"), ("dense/sparse", "dense/images"),
        ("dense/0/sparse", "dense/0/images"), ("dense/2/sparse", "dense/2/images"),
    ]) func theOnlyModelIsReadWhereItLies(_ place: String, _ pictures: String) throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "\(place)/cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n", "\(place)/images.txt")
        try picture("images/a.png", 16, 12)
        try picture("\(pictures)/a.png")
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["\(pictures)/a.png"] && capture.frames[0].pose != nil)
        try FileManager.default.removeItem(atPath: "\(folder.path)/m/\(pictures)/a.png")
        #expect(try open().remedies[.color] == "copy the folder \(pictures)/ too")
    }

    /// Where `images/` did not come along, smaller copies do, and what programs for Gaussian splatting call `input/`.
    @Test func picturesInAFolderOfAnotherName() throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "sparse/0/cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 0 0 0 1 b.png\n\n", "sparse/0/images.txt")
        for name in ["a", "b"] { try picture("images_2/\(name).png", 4, 3) }
        let small = try open()
        #expect(small.frames.map(\.pictureFile) == ["images_2/a.png", "images_2/b.png"])
        #expect(small.frames[0].intrinsics?.fx == 4.75)
        for name in ["a", "b"] { try picture("input/\(name).png") }
        let whole = try open()
        #expect(whole.frames.map(\.pictureFile) == ["input/a.png", "input/b.png"] && whole.warnings == [])
        try text("", "distorted/database.db")
        let doubts = try open().warnings
        #expect(doubts.count == 1 && doubts[0].hasPrefix("the pictures of input/ were taken, since there are none"))
        // One of its own counts for more than all of those.
        try picture("images/b.png")
        #expect(try open().frames.map(\.pictureFile) == [nil, "images/b.png"])
    }

    /// As where COLMAP was given the capture's own folder as that of the pictures.
    @Test(arguments: ["cam1/", "cam1/left/", ""]) func namesRelativeToTheCapturesTop(_ place: String) throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "sparse/0/cameras.txt")
        try text(
            "1 1 0 0 0 0 0 0 1 \(place)0.png\n\n2 1 0 0 0 1 0 0 1 \(place)1.png\n\n", "sparse/0/images.txt")
        try text("", "sparse/0/points3D.txt")
        let (pictures, masks) = (
            ["\(place)0.png", "\(place)1.png"], ["masks/\(place)0.png", "masks/\(place)1.png.png"]
        )
        for file in pictures + masks { try picture(file) }
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == pictures)
        #expect(capture.keptFrames.count == 2 && capture.channels.contains(.color) && capture.warnings == [])
        #expect(capture.files.filter { $0.channels == [.mask] }.map(\.path) == masks)
        // Its own neighbours are counted.
        try picture("\(place)2.png")
        #expect(try open().warnings == ["the picture \(place)2.png is not in the model, and was left out"])
        // Those in images/ count for more.
        for file in pictures { try picture("images/\(file)") }
        #expect(try open().frames.map(\.pictureFile) == pictures.map { "images/\($0)" })
    }

    @Test func picturesThatLieElsewhereAreNamed() throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "sparse/0/cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a/0.png\n\n2 1 0 0 0 0 0 0 1 b/0.png\n\n", "sparse/0/images.txt")
        for name in ["a", "b"] {
            try picture("mask/\(name)/0.png")
            try picture("photos/\(name)/0.png")
        }
        let capture = try open()
        #expect(
            capture.absences[.color]?.reason
                == "the model lists 2 pictures, and none is there; pictures of their names lie in photos/a/")
        #expect(capture.remedies[.color] == "rename photos/ to images/")
    }

    /// A file that was set aside is not said to be missing, too.
    @Test func inspectionOfADamagedModelNamesTheDamageAlone() throws {
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "sparse/0/cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n2 1 0 0 0 0 0 0 1 b.png\n", "sparse/0/images.txt")
        try picture("images/a.png")
        let errors = try CaptureInspection.inspect("\(folder.path)/m").errors.map(\.problem)
        #expect(errors.map(\.place.file) == ["sparse/0/images.txt"], "\(errors)")
    }

    /// None of them is chosen for anybody, unless it has the number of the first.
    @Test func severalModelsWithoutAFirstOneAreNamed() throws {
        for place in ["sparse/1", "sparse/2"] {
            try text("1 PINHOLE 8 6 9.5 9 4 3\n", "\(place)/cameras.txt")
            try text("1 1 0 0 0 0 0 0 1 a.png\n\n", "\(place)/images.txt")
        }
        try picture("images/a.png")
        let tree = try CaptureFormats.tree(at: "\(folder.path)/m")
        #expect(CaptureFormats.recognise(tree)?.reason == "sparse/1 and sparse/2 hold a model each")
        let problem = try refusal()
        #expect(problem?.summary == "there are 2 COLMAP models, and none of them is called 0")
        #expect(problem?.notes == ["they are sparse/1, sparse/2"])
        #expect(problem?.fix?.hasSuffix("or call that one 0; for the pictures alone  --set read.format=frames") == true)
    }

    @Test func twoFormsOfAModelThatDiffer() throws {
        let script = """
            import os, struct, sys
            d = sys.argv[1] + '/m/sparse/0'
            open(d + '/cameras.bin', 'wb').write(struct.pack('<QIiQQ4d', 1, 1, 1, 8, 6, 9.5, 9, 4, 3))
            open(d + '/images.bin', 'wb').write(struct.pack('<QI7dI', 1, 1, 1, 0, 0, 0, 0, 0, 0, 1) + b'a.png\\0' + struct.pack('<Q', 0))
            """
        try text("1 PINHOLE 8 6 9.5 9 4 3\n", "sparse/0/cameras.txt")
        try text("1 1 0 0 0 0 0 0 1 a.png\n\n", "sparse/0/images.txt")
        try picture("images/a.png")
        #expect(try runPython(script, [folder.path]).status == 0)
        #expect(try open().warnings == [])
        for (file, line) in [("cameras", "1 PINHOLE 8 6 9.5 9 4 3.5"), ("images", "1 1 0 0 0 0 0 1 1 a.png\n")] {
            let before = try folder.bytes("m/sparse/0/\(file).txt")
            try text("\(line)\n", "sparse/0/\(file).txt")
            let capture = try open()
            #expect(capture.variant == "binary")
            #expect(
                capture.warnings == [
                    "sparse/0/cameras.bin and sparse/0/images.bin were read, as COLMAP reads them, and sparse/0/cameras.txt and sparse/0/images.txt, which differ from them, were not; if these are newer, move the others elsewhere"
                ], "\(file)")
            try folder.write(before, to: "m/sparse/0/\(file).txt")
        }
    }
}
