import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct ScanNetFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let depth: [UInt16] = [0, 1000, 2000, 65535, 500, 501, 502, 503, 1, 2, 3, 4]
    private static let lost = "-inf -inf -inf -inf\n-inf -inf -inf -inf\n-inf -inf -inf -inf\n-inf -inf -inf -inf\n"
    private static let color = "9 0 3.5 0\n0 9.5 2.5 0\n0 0 1 0\n0 0 0 1\n"

    /// A quarter turn about z, at (number, 2, 3).
    private static func pose(_ number: Int) -> String { "0 -1 0 \(number)\n1 0 0 2\n0 0 1 3\n0 0 0 1\n" }

    private static func png(_ width: Int = 8, _ height: Int = 6) throws(Problem) -> [UInt8] {
        try PNG.encodeRGB(
            RGBImage(width: width, height: height, pixels: Array(repeating: 9, count: width * height * 3)))
    }

    private static func depthPNG(_ pixels: [UInt16] = depth) throws(Problem) -> [UInt8] {
        try PNG.encodeGray16(Gray16Image(width: 4, height: 3, pixels: pixels))
    }

    /// As the Python exporter writes it, with a number left out.
    private func extracted(_ numbers: [Int] = [0, 2, 10, 9]) throws(Problem) -> [String: [UInt8]] {
        var files = [
            "intrinsic/intrinsic_color.txt": Array(Self.color.utf8),
            "intrinsic/extrinsic_color.txt": Array("1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1".utf8),
            "intrinsic/intrinsic_depth.txt": Array("4.5 0 1.5 0 0 4.75 1 0 0 0 1 0 0 0 0 1".utf8),
        ]
        for number in numbers {
            files["color/\(number).png"] = try Self.png()
            files["depth/\(number).png"] = try Self.depthPNG()
            files["pose/\(number).txt"] = Array(Self.pose(number).utf8)
        }
        return files
    }

    private func flat() throws(Problem) -> [String: [UInt8]] {
        let info = """
            m_versionNumber = 4
            m_sensorName = StructureSensor (calibrated)
            m_colorWidth = 8
            m_colorHeight = 6
            m_depthWidth = 4
            m_depthHeight = 3
            m_depthShift = 2000
            m_calibrationColorIntrinsic = 9 0 3.5 0 0 9.5 2.5 0 0 0 1 0 0 0 0 1 \n\
            m_calibrationColorExtrinsic = 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 \n\
            m_calibrationDepthIntrinsic = 5 0 1.5 0 0 4.75 1 0 0 0 1 0 0 0 0 1 \n\
            m_calibrationDepthExtrinsic = 1 0 0 0.25 0 1 0 0 0 0 1 0 0 0 0 1 \n\
            m_frames.size = 2
            """
        var files = ["_info.txt": Array(info.utf8)]
        for number in 0..<2 {
            files["frame-00000\(number).color.png"] = try Self.png()
            files["frame-00000\(number).depth.pgm"] =
                Array("P5\n4 3\n65535\n".utf8) + Self.depth.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            files["frame-00000\(number).pose.txt"] = Array(Self.pose(number).utf8)
        }
        return files
    }

    private func open(_ files: [String: [UInt8]], rules: ReadRules = ReadRules()) throws -> Capture {
        try? FileManager.default.removeItem(atPath: folder.path + "/scan")
        let tree = try CaptureFormats.tree(at: try folder.write(files, under: "scan"))
        #expect(CaptureFormats.recognise(tree)?.format == "scannet")
        return try ScanNetFolder.open(tree, rules: rules)
    }

    private func depth(_ capture: Capture, _ index: Int) throws(Problem) -> RecordedDepth? {
        var frame = Frame(capture.frames[index])
        try capture.source.prepare(&frame, for: [.recordedDepth])
        return frame.recordedDepth
    }

    // MARK: - Sound folders

    /// The description counts the frames.
    @Test func framesThatDidNotArrive() throws {
        var files = try flat()
        let info = String(decoding: try #require(files["_info.txt"]), as: UTF8.self)
        #expect(try open(files).warnings.isEmpty)
        files["_info.txt"] = Array(info.replacingOccurrences(of: "size = 2", with: "size = 40").utf8)
        let warning = "_info.txt counts 40 frames, and there are files of 2: the others did not arrive"
        #expect(try open(files).warnings == [warning])
        // Nothing else depends on that number.
        files["_info.txt"] = Array(info.replacingOccurrences(of: "size = 2", with: "size = many").utf8)
        #expect(try open(files).warnings.isEmpty)
    }

    /// Pictures taken out of a video count from 1.
    @Test func picturesThatAreNumberedUnlikeThePosesAreSaid() throws {
        var files = try extracted(Array(0..<6))
        for number in (0..<6).reversed() {
            files["color/\(number + 1).png"] = files.removeValue(forKey: "color/\(number).png")
        }
        let path = try folder.write(files, under: "shifted")
        let capture = try ScanNetFolder.open(CaptureFolder(path: path), rules: ReadRules())
        #expect(
            capture.warnings.contains(
                "the pictures are numbered from 1 to 6, and the poses from 0 to 5: if that is the same frames counted from 0 "
                    + "and from 1, every pose is one frame off; number them alike"))
    }

    @Test func whatThePythonExporterWrites() throws {
        let capture = try open(try extracted())
        #expect(capture.id == "scan" && capture.variant == "extracted")
        #expect(capture.channels == [.color, .pose, .intrinsics, .recordedDepth])
        #expect(capture.frames.map(\.pictureFile) == [0, 2, 9, 10].map { "color/\($0).png" })
        #expect(capture.frames.map { $0.pose?.position.x } == [0, 2, 9, 10])
        #expect(capture.frames[0].pose?.apply(Vector3(0, 0, -1)) == Vector3(0, 2, 4))
        #expect(
            capture.frames[3].intrinsics
                == CameraIntrinsics(fx: 9, fy: 9.5, cx: 3.5, cy: 2.5, width: 8, height: 6, pixelOrigin: .centre))
        #expect(capture.depthCamera == nil && capture.worldUp == nil && capture.isMetric)
        #expect(try depth(capture, 2)?.bytes == ByteText.words(Self.depth))
        #expect(capture.warnings.isEmpty && capture.files.count == 15)
    }

    /// Names that are times, or carry a version: their first number alone tells no frame from another.
    @Test(arguments: [
        ["1700000000.9", "1700000000.95", "1700000001.05"], ["img_v2.9", "img_v2.10", "img_v2.11"],
        ["7.a", "7.b", "8"],
    ]) func namesWithDots(_ stems: [String]) throws {
        var files = try extracted([])
        for (number, stem) in stems.enumerated() {
            files["color/\(stem).png"] = try Self.png()
            files["depth/\(stem).png"] = try Self.depthPNG([UInt16(number)] + Self.depth.dropFirst())
            files["pose/\(stem).txt"] = Array(Self.pose(number).utf8)
        }
        let capture = try open(files)
        #expect(capture.frames.map(\.pictureFile) == stems.map { "color/\($0).png" })
        #expect(capture.frames.map { $0.pose?.position.x } == [0, 1, 2])
        #expect(try (0..<3).map { try depth(capture, $0)?.bytes.first } == [0, 1, 2])
        #expect(capture.warnings == [])
    }

    /// One file too many costs no other frame, whatever the names of the parts look like.
    @Test func aSecondPictureOfOneNumber() throws {
        var files = try extracted()
        files["color/000002.png"] = files.removeValue(forKey: "color/2.png")
        files["color/9_blurred.png"] = try Self.png()
        let capture = try open(files)
        #expect(capture.frames.map { $0.drop?.reason } == [nil, nil, nil, "it has no pose", nil])
        #expect(
            capture.frames.map(\.pictureFile)
                == ["0", "000002", "9", "9_blurred", "10"].map { "color/\($0).png" })
    }

    @Test func filesThatNoFrameHasAreNamed() throws {
        var files = try extracted()
        for name in ["cover", "back"] { files["color/\(name).png"] = try Self.png() }
        files["color/2.jpg"] = try Self.png()
        let capture = try open(files)
        #expect(capture.frames.map(\.pictureFile) == ["color/0.png", "color/2.jpg", "color/9.png", "color/10.png"])
        #expect(
            capture.warnings == [
                "2 files have no number in their names, and were left out, the first color/back.png",
                "color/2.png was left out: color/2.jpg is of the same frame",
            ])
    }

    @Test func twoOfOneNumberThatNothingTellsApart() throws {
        var files = try extracted([])
        for (number, name) in ["5.a", "5.b"].enumerated() {
            files["color/left_\(name).png"] = try Self.png()
            files["pose/pose_\(name).txt"] = Array(Self.pose(number).utf8)
        }
        let problem = problem { _ = try open(files) }
        #expect(problem?.summary == "two files have the same number")
        #expect(problem?.notes.first?.hasPrefix("color/left_5.a.png and color/left_5.b.png") == true)
    }

    @Test func whatTheCppToolWrites() throws {
        let capture = try open(try flat())
        #expect(capture.variant == "C++ tool" && capture.device == "StructureSensor (calibrated)")
        #expect(capture.channels == [.color, .pose, .intrinsics, .recordedDepth])
        let recorded = try #require(try depth(capture, 1))
        #expect(recorded.bytes == ByteText.words(Self.depth))
        #expect(recorded.encoding == .uint16(unitsPerMetre: 2000))
        let camera = try #require(capture.depthCamera)
        #expect(camera.intrinsics.fx == 5 && camera.colorFromDepth.position == Vector3(0.25, 0, 0))
    }

    @Test func aDepthSensorThatIsMountedOnItsSide() throws {
        var files = try extracted()
        for number in [0, 2, 9, 10] { files["color/\(number).png"] = try Self.png(6, 8) }
        files["intrinsic/intrinsic_color.txt"] = Array("9 0 2.5 0 0 9.5 3.5 0 0 0 1 0 0 0 0 1".utf8)
        let refusal = "depth of 4×3 does not fit pictures of 6×8"
        #expect(problem { _ = try open(files) }?.summary == refusal)
        files["intrinsic/extrinsic_depth.txt"] = Array("0 -1 0 0 1 0 0 0 0 0 1 0 0 0 0 1".utf8)
        #expect(try open(files).depthCamera?.intrinsics.fx == 4.5)
        // Without its own matrix depth would be taken for the pictures' view.
        files["intrinsic/intrinsic_depth.txt"] = nil
        let failure = problem { _ = try open(files) }
        #expect(failure?.summary == refusal && failure?.fix == "copy the depth camera's matrix too")
    }

    @Test func matricesAtTheTop() throws {
        var files = try extracted()
        files["intrinsics_color.txt"] = files.removeValue(forKey: "intrinsic/intrinsic_color.txt")
        files["intrinsics_depth.txt"] = files.removeValue(forKey: "intrinsic/intrinsic_depth.txt")
        #expect(try open(files).channels.contains(.intrinsics))
    }

    /// As Windows' editors save a text.
    @Test func byteOrderMarksArePassedOver() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        func marked(_ files: [String: [UInt8]]) -> [String: [UInt8]] {
            files.reduce(into: [:]) { $0[$1.key] = ($1.key.hasSuffix(".txt") ? mark : []) + $1.value }
        }
        #expect(try open(marked(try extracted())).frames == open(try extracted()).frames)
        // The first key counts, too.
        var files = try flat()
        files["_info.txt"] = Array("m_sensorName = first\nm_depthShift = 2000\n".utf8)
        let capture = try open(marked(files))
        #expect(capture.device == "first" && capture.keptFrames.count == 2)
    }

    @Test func picturesThatWereResizedWithoutAWord() throws {
        var files = try extracted()
        files["intrinsic/intrinsic_color.txt"] = Array("1170 0 647.5 0 0 1170 483.5 0 0 0 1 0 0 0 0 1".utf8)
        let capture = try open(files)
        let camera = try #require(capture.frames[0].intrinsics)
        #expect(abs(camera.fx - 1170.0 * 8 / 1296) < 1e-12 && abs(camera.cx - 3.5) < 1e-12 && camera.width == 8)
        #expect(
            capture.warnings == ["the pictures are 8×6, and the intrinsics for 1296×968; the intrinsics were scaled"])
    }

    @Test func depthThatWasResizedWithoutAWord() throws {
        var files = try extracted()
        files["intrinsic/intrinsic_depth.txt"] = Array("577 0 319.5 0 0 577 239.5 0 0 0 1 0 0 0 0 1".utf8)
        let capture = try open(files)
        let (camera, size) = (try #require(capture.depthCamera).intrinsics, try #require(capture.depthSize))
        #expect(camera.width == size.width)
        #expect(abs(camera.fx - 577.0 * Double(size.width) / 640) < 1e-12)
        #expect(abs(camera.cx - (Double(size.width) / 2 - 0.5)) < 1e-12)
        #expect(
            capture.warnings == [
                "the depth pictures are \(size), and the intrinsics for 640×480; the intrinsics were scaled"
            ])
    }

    /// The two cameras see nearly the same, and nothing else would tell.
    @Test func depthWithoutItsMatrixIsSaid() throws {
        var files = try extracted()
        files["intrinsic/intrinsic_depth.txt"] = nil
        let lack = "intrinsic/intrinsic_depth.txt is missing"
        #expect(try open(files).warnings == ["\(lack): depth was taken for the colour pictures' view"])
        for number in [0, 2, 9, 10] { files["depth/\(number).png"] = nil }
        #expect(try open(files).warnings == [])
    }

    /// Exporters write both matrices whatever they export.
    @Test func aFolderThatWasNotExportedIsNotLost() throws {
        for (channel, folder) in [(Channel.color, "color"), (.recordedDepth, "depth")] {
            let files = try extracted().filter { !$0.key.hasPrefix("\(folder)/") }
            let absence = try open(files).absences[channel]
            #expect(absence?.advice == "export \(folder)/ too, or copy it if it was there" && absence?.remedy == nil)
        }
    }

    /// A lens whose axis is far off the middle: the size that the description gives counts.
    @Test func aStatedSizeIsBelievedOfALensThatIsOffCentre() throws {
        var files = try flat()
        let info = String(decoding: try #require(files["_info.txt"]), as: UTF8.self)
            .replacing("m_colorWidth = 8", with: "m_colorWidth = 16")
            .replacing("m_colorHeight = 6", with: "m_colorHeight = 12")
            .replacing("9 0 3.5 0 0 9.5 2.5", with: "18 0 9 0 0 19 5.5")
        files["_info.txt"] = Array(info.utf8)
        let capture = try open(files)
        let camera = try #require(capture.frames[0].intrinsics).counted(from: .corner)
        #expect(camera.fx == 9 && camera.fy == 9.5 && camera.cx == 4.75 && camera.cy == 3)
        #expect(
            capture.warnings == ["the pictures are 8×6, and the intrinsics for 16×12; the intrinsics were scaled"])
        // Even where the axis lies nearer to the middle of the pictures that are there.
        files["_info.txt"] = Array(info.replacing("18 0 9 0 0 19 5.5", with: "18 0 4.5 0 0 19 2.5").utf8)
        let other = try #require(try open(files).frames[0].intrinsics).counted(from: .corner)
        #expect(other.fx == 9 && other.cx == 2.5 && other.cy == 1.5)
    }

    /// The middle of 1296 pixels is still inside 960, and not near enough to their middle.
    @Test func picturesThatWereMadeALittleSmaller() throws {
        var files = try extracted()
        files["intrinsic/intrinsic_color.txt"] = Array("1170 0 647.5 0 0 1170 483.5 0 0 0 1 0 0 0 0 1".utf8)
        let picture = try Self.png(960, 720)
        for name in files.keys where name.hasPrefix("color/") { files[name] = picture }
        let capture = try open(files)
        let camera = try #require(capture.frames[0].intrinsics)
        #expect(abs(camera.fx - 1170.0 * 960 / 1296) < 1e-9 && abs(camera.cx - 479.5) < 1e-9)
        #expect(capture.warnings.contains { $0.hasSuffix("for 1296×968; the intrinsics were scaled") })
    }

    /// Of another shape than the recorder's: nobody can tell what was done to them.
    @Test func picturesThatWereCropped() throws {
        var files = try extracted()
        files["intrinsic/intrinsic_color.txt"] = Array("1170 0 647.5 0 0 1170 483.5 0 0 0 1 0 0 0 0 1".utf8)
        let picture = try Self.png(648, 364)
        for name in files.keys where name.hasPrefix("color/") { files[name] = picture }
        var capture = try open(files)
        let camera = try #require(capture.frames[0].intrinsics)
        #expect(camera.fx == 1170 && camera.cx == 647.5 && camera.width == 648)
        capture.noteDoubts(in: MemoryTree([:]))
        #expect(capture.warnings.contains { $0.hasPrefix("the principal point (647.5, 483.5) is far from the middle") })
    }

    @Test func theAlignmentIsNotedAndNotApplied() throws {
        var files = try extracted()
        files["scan.txt"] = Array("axisAlignment = 0 1 0 4 -1 0 0 5 0 0 1 6 0 0 0 1 \n".utf8)
        let capture = try open(files)
        #expect(
            capture.findings["axis-alignment"] == .of([0, 1, 0, 4, -1, 0, 0, 5, 0, 0, 1, 6, 0, 0, 0, 1] as [Double]))
        #expect(capture.frames[0].pose?.position == Vector3(0, 2, 3))
    }

    @Test func anAlignmentThatCannotBeRead() throws {
        var files = try extracted()
        files["scan.txt"] = Array("axisAlignment = 0 1 0 4 -1 0 0 5 0 0 1 6 0 0\n".utf8)
        let capture = try open(files)
        #expect(capture.findings["axis-alignment"] == nil && capture.files.contains { $0.path == "scan.txt" })
        let warning = try #require(capture.warnings.first)
        #expect(warning.hasPrefix("the world's alignment cannot be read, and is not in the receipt: `axisAlignment`: "))
        #expect(warning.hasSuffix("(scan.txt)"))
    }

    // MARK: - Frames that are not whole

    @Test func posesThatCannotBeUsed() throws {
        var files = try extracted(Array(0..<9))
        files["pose/1.txt"] = Array(Self.lost.utf8)
        files["pose/2.txt"] = Array(Self.pose(2).replacing("0 -1 0", with: "-nan nan 1.#QNAN").utf8)
        files["pose/3.txt"] = Array("0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0".utf8)
        files["pose/4.txt"] = Array("1 0 0".utf8)
        files["pose/5.txt"] = Array(Self.pose(5).replacing("1 0 0 2", with: "one 0 0 2").utf8)
        files["pose/6.txt"] = Array("1 0 0 0 0 1 0 0 0 0 -1 0 0 0 0 1".utf8)
        // Column by column, its camera would stand at the origin.
        files["pose/7.txt"] = Array("0 1 0 0 -1 0 0 0 0 0 1 0 7 2 3 1".utf8)
        let capture = try open(files)
        #expect(capture.frames.map { $0.drop?.isBad } == [nil, false, false, false, true, true, true, true, nil])
        #expect(capture.frames[1].drop?.reason == "tracking was lost")
        #expect(capture.frames[4].drop?.reason == "expected 16 numbers, found 3 (pose/4.txt)")
        #expect(capture.frames[5].drop?.reason == "expected a number, found “one” (pose/5.txt)")
        #expect(capture.frames[7].drop?.reason == "the last row of the matrix is not 0 0 0 1 (it is read row by row)")
    }

    @Test func whatOnlySomeFoldersHave() throws {
        var files = try extracted(Array(0..<6))
        files["pose/1.txt"] = nil
        files["color/2.png"] = nil
        files["depth/3.png"] = nil
        let capture = try open(files)
        #expect(
            capture.frames.map { $0.drop?.reason } == [nil, "it has no pose", "it has no picture", nil, nil, nil])
        #expect(capture.frames.allSatisfy { $0.drop?.isBad != true })
        #expect(try depth(capture, 3) == nil)
        for number in 1..<6 { files["color/\(number).png"] = nil }
        let failure = problem { _ = try open(files) }
        #expect(failure?.notes.first == "pictures: 1, depth pictures: 5, poses: 5")
    }

    @Test func damagedDepthCostsItsFrame() throws {
        var files = try extracted()
        files["depth/0.png"] = Array(try Self.depthPNG().dropLast(20))
        files["depth/2.png"] = try Self.png(4, 3)
        files["depth/9.png"] = try PNG.encodeGray16(Gray16Image(width: 3, height: 4, pixels: Self.depth))
        let capture = try open(files)
        #expect(capture.depthSize == PixelSize(4, 3))
        for index in 0..<3 {
            let failure = problem { _ = try depth(capture, index) }
            #expect(failure?.fault == .input && failure?.place.file?.hasPrefix("depth/") == true)
        }
        #expect(try depth(capture, 3) != nil)
    }

    @Test func aScanThatWasNeverTracked() throws {
        var files = try extracted()
        for number in [0, 2, 9, 10] { files["pose/\(number).txt"] = Array(Self.lost.utf8) }
        let capture = try open(files)
        #expect(capture.keptFrames.count == 4 && !capture.channels.contains(.pose))
    }

    /// As small as depth, they are often kept with its matrix alone.
    @Test func picturesOfTheDepthsSizeTakeItsMatrix() throws {
        var files = try extracted()
        files["intrinsic/intrinsic_color.txt"] = nil
        let large = try open(files)
        #expect(large.absences[.intrinsics]?.reason == "there is no matrix of the colour camera")
        #expect(large.absences[.intrinsics]?.remedy == "copy intrinsic/intrinsic_color.txt too")
        for number in [0, 2, 9, 10] { files["color/\(number).png"] = try Self.png(4, 3) }
        let small = try open(files)
        #expect(
            small.frames[0].intrinsics
                == CameraIntrinsics(fx: 4.5, fy: 4.75, cx: 1.5, cy: 1, width: 4, height: 3, pixelOrigin: .centre))
        #expect(small.depthCamera == nil && small.channels.contains(.intrinsics))
        #expect(
            small.warnings == [
                "there is no matrix of the colour camera; the pictures have the depth's size, so the depth camera's was taken"
            ])
        // Without depth nothing tells what its matrix is worth.
        for number in [0, 2, 9, 10] { files["depth/\(number).png"] = nil }
        #expect(
            try open(files).absences[.intrinsics]?.remedy
                == "copy intrinsic/intrinsic_color.txt too; if the pictures were resized to the depth's field of view, "
                + "copy intrinsic/intrinsic_depth.txt to intrinsic/intrinsic_color.txt")
    }

    @Test func depthAloneUsesItsOwnCamera() throws {
        var files = try extracted().filter { !$0.key.hasPrefix("color/") }
        let capture = try open(files)
        #expect(capture.absences[.color]?.reason == "there are no pictures")
        #expect(capture.frames[0].intrinsics?.fx == 4.5 && capture.depthCamera == nil)
        // Its own place too: a quarter of a metre to the right, which is up in this pose.
        files["intrinsic/extrinsic_depth.txt"] = Array("1 0 0 0.25 0 1 0 0 0 0 1 0 0 0 0 1".utf8)
        let displaced = try open(files)
        #expect(displaced.frames[0].pose?.position == Vector3(0, 2.25, 3) && displaced.depthCamera == nil)
        files["intrinsic/intrinsic_depth.txt"] = nil
        let blind = try open(files)
        #expect(blind.absences[.intrinsics]?.reason == "there are no pictures, and no matrix of the depth camera")
    }

    // MARK: - Hostile folders

    @Test func whatIsRefused() throws {
        for (file, text) in [
            ("intrinsic/intrinsic_color.txt", "1 2 3"), ("intrinsic/intrinsic_depth.txt", "x"),
            ("intrinsic/extrinsic_depth.txt", "2 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"),
        ] {
            var files = try extracted()
            files[file] = Array(text.utf8)
            let problem = problem { _ = try open(files) }
            #expect(problem?.fault == .input && problem?.place.file == file, "\(file)")
        }
        for (key, value) in [
            ("m_depthShift = 2000", "m_depthShift = 0"), ("m_depthShift = 2000", "m_depthShift = inf"),
            ("m_colorWidth = 8", "m_colorWidth = 99999999999999999999"),
        ] {
            var files = try flat()
            files["_info.txt"] = files["_info.txt"].map {
                Array(String(decoding: $0, as: UTF8.self).replacing(key, with: value).utf8)
            }
            #expect(problem { _ = try open(files) }?.place.file == "_info.txt", "\(value)")
        }
        var rules = ReadRules()
        rules.maxFrames = 3
        #expect(problem { _ = try open(try extracted(), rules: rules) }?.summary == "there are more than 3 frames")
    }

    @Test func otherFoldersAreNotTheirs() throws {
        // Pictures and poses, but no matrix.
        let bare = try extracted().filter { !$0.key.hasPrefix("intrinsic/") }
        let tree = CaptureFolder(path: try folder.write(bare, under: "bare"))
        #expect(CaptureFormats.recognise(tree)?.format == "frames")
        let plain = try PictureFolderCapture.open(tree, rules: ReadRules())
        #expect(
            plain.absences[.pose]?.reason == "pose/ is not read: intrinsic/, which makes it a ScanNet scan, is missing")
        #expect(plain.remedies == [.pose: "copy intrinsic/ too", .recordedDepth: "copy intrinsic/ too"])
        #expect(plain.absences[.recordedDepth]?.reason == "depth/ is not read: intrinsic/ is missing")
        #expect(plain.absences[.box]?.reason == "a plain folder of pictures has none")
        // One matrix under a name of somebody's own, and a file that holds something else.
        try folder.write(Array("9 0 3.5 0 9.5 2.5 0 0 1".utf8), to: "bare/camera_intrinsics.txt")
        #expect(
            try PictureFolderCapture.open(tree, rules: ReadRules()).absences[.pose]?.remedy == "copy intrinsic/ too")
        try folder.write(Array(Self.color.utf8), to: "bare/intrinsics.txt")
        let named = try PictureFolderCapture.open(tree, rules: ReadRules())
        let fix =
            "copy intrinsic/ too, or, if intrinsics.txt is the colour camera's matrix, call it intrinsic_color.txt"
        #expect(named.remedies == [.pose: fix, .recordedDepth: fix])
        // A matrix, but nothing to be seen.
        let blind = try extracted().filter { $0.key.hasPrefix("intrinsic/") || $0.key.hasPrefix("pose/") }
        let rest = CaptureFolder(path: try folder.write(blind, under: "blind"))
        #expect(
            CaptureFormats.recognise(rest)?.reason
                == "intrinsic/intrinsic_color.txt stands beside pose/, and the pictures are missing")
    }
}
