import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct SevenScenesSequenceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let depth: [UInt16] = [0, 1000, 2000, 65535, 500, 501, 502, 503, 1, 2, 3, 4]
    private static let pose = " 0\t -1  0\t 0.5\r\n 1 0 0 2e0\r\n 0 0 1 3\r\n 0 0 0 1\r\n"

    private func write(
        _ sequence: String = "seq-01", count: Int = 3, ending: String = "png", k: String? = nil,
        size: PixelSize = PixelSize(8, 6)
    ) throws {
        let bytes = [UInt8](repeating: 9, count: size.width * size.height * 3)
        let pixels = RGBImage(width: size.width, height: size.height, pixels: bytes)
        for number in 0..<count {
            let stem = "chess/\(sequence)/frame-00000\(number)"
            try folder.write(
                ending == "png" ? try PNG.encodeRGB(pixels) : try JPEG.encode(pixels), to: "\(stem).color.\(ending)")
            try folder.write(
                try PNG.encodeGray16(Gray16Image(width: 4, height: 3, pixels: Self.depth)), to: "\(stem).depth.png")
            try folder.write(Self.pose, to: "\(stem).pose.txt")
        }
        if let k { try folder.write(k, to: "chess/\(sequence)/camera-intrinsics.txt") }
    }

    private func open(_ sequence: String = "seq-01") throws -> Capture {
        let tree = try CaptureFormats.tree(at: "\(folder.path)/chess/\(sequence)")
        #expect(CaptureFormats.recognise(tree)?.format == "7-scenes")
        return try SevenScenesSequence.open(tree, rules: ReadRules())
    }

    @Test func everythingThatIsThere() throws {
        try write()
        let capture = try open()
        #expect(capture.id == "seq-01" && capture.channels == [.color, .pose, .intrinsics, .recordedDepth])
        #expect(capture.frames.count == 3 && capture.keptFrames.count == 3)
        // The Kinect's, for pictures of an eightieth of its size, and depth of a 160th.
        let camera = try #require(capture.frames[0].intrinsics)
        #expect(abs(camera.fx - 525.0 / 80) < 1e-12 && abs(camera.cx - (320.5 / 80 - 0.5)) < 1e-12)
        #expect(camera.pixelOrigin == .centre)
        let sensor = try #require(capture.depthCamera)
        #expect(abs(sensor.intrinsics.fx - 585.0 / 160) < 1e-12 && sensor.intrinsics.pixelOrigin == .centre)
        // Poses are the depth sensor's.
        let view = capture.depthView(camera: camera, pose: try #require(capture.frames[2].pose))
        #expect((view.pose.position - Vector3(0.5, 2, 3)).length < 1e-9)
        #expect((view.pose.apply(Vector3(0, 0, -1)) - Vector3(0.5, 2, 4)).length < 1e-6)
        #expect(capture.worldUp == nil)
        var frame = Frame(capture.frames[1])
        try capture.source.prepare(&frame, for: [.recordedDepth])
        let recorded = try #require(frame.recordedDepth)
        #expect(recorded.encoding == .uint16(unitsPerMetre: 1000, invalid: 65535))
        #expect(try DepthCodec.decode(recorded).map.metres.prefix(5) == [0, 1, 2, 0, 0.5])
    }

    /// The same point as seen by the sensor, and by the camera beside it: numpy's product of the published matrices.
    @Test func aPointOfTheDepthIsInThePicture() throws {
        try write(count: 1, size: PixelSize(640, 480))
        let capture = try open()
        let pose = try #require(capture.frames[0].pose)
        let color = CameraView(camera: try #require(capture.frames[0].intrinsics), pose: pose)
        let depth = capture.depthView(camera: color.camera, pose: pose)
        // 1.5 m ahead, 0.4 m to the right and 0.3 m down, as the sensor has it.
        let point = depth.pose.apply(Vector3(0.4, -0.3, -1.5))
        let (u, v, distance) = try #require(color.project(point))
        #expect(abs(u - 446.544819503) < 1e-6 && abs(v - 339.866820171) < 1e-6 && abs(distance - 1.507539498) < 1e-9)
    }

    /// Poses and depth alone are half of a copy.
    @Test func theOnesWithoutPictures() throws {
        try write()
        for number in 0..<3 {
            try FileManager.default.removeItem(at: folder.url("chess/seq-01/frame-00000\(number).color.png"))
        }
        let capture = try open()
        #expect(!capture.channels.contains(.color) && capture.channels.contains(.recordedDepth))
        // They are the depth sensor's own.
        #expect(capture.frames[2].pose?.position == Vector3(0.5, 2, 3) && capture.depthCamera == nil)
        #expect(abs((capture.frames[2].intrinsics?.fx ?? 0) - 585.0 / 160) < 1e-12)
        #expect(capture.remedies[.color] == "copy the pictures frame-….color.… too, whatever their extension")
    }

    @Test func picturesOfAnotherKindAreCalledByTheirNames() throws {
        try write(count: 1, ending: "jpg")
        try FileManager.default.removeItem(at: folder.url("chess/seq-01/frame-000000.pose.txt"))
        let problem = #expect(throws: Problem.self) { try open() }
        #expect(
            problem?.notes == ["no frame-….pose.txt stands beside pictures such as frame-000000.color.jpg"])
    }

    /// Where the frames' files lie at the top, other things may lie there too.
    @Test func secondCopiesAreNoFrames() throws {
        try write()
        let bytes = try folder.bytes("chess/seq-01/frame-000001.color.png")
        try folder.write(bytes, to: "chess/seq-01/frame-000001.color (1).png")
        for name in ["notes.md", "notes (1).md"] { try folder.write("-", to: "chess/seq-01/\(name)") }
        func warnings() throws -> [String] {
            var capture = try open()
            capture.noteDoubts(in: CaptureFolder(path: "\(folder.path)/chess/seq-01"))
            return capture.warnings.filter { $0.contains("second cop") }
        }
        let one = "frame-000001.color (1).png"
        #expect(try warnings() == ["\(one) looks like a second copy of a file, and was left out"])
        try folder.write(Self.pose, to: "chess/seq-01/frame-000002.pose 2.txt")
        #expect(try warnings() == ["2 files look like second copies, and were left out: \(one), …"])
    }

    @Test func numbersThatAreMissingAmongOthers() throws {
        func warnings(_ name: String, _ numbers: [Int]) throws -> [String] {
            let picture = RGBImage(width: 8, height: 6, pixels: Array(repeating: 9, count: 144))
            let png = try PNG.encodeRGB(picture)
            for number in numbers {
                try folder.write(png, to: "chess/\(name)/frame-\(number).color.png")
                try folder.write(Self.pose, to: "chess/\(name)/frame-\(number).pose.txt")
            }
            return try open(name).warnings.filter { $0.contains("numbers") }
        }
        let lost = "of the frames' numbers are missing, first between"
        let one = "1 of the frames' numbers is missing, first between"
        let why = "left out before, or did not arrive"
        let cut = try warnings("cut", Array(0...12) + Array(15...40) + Array(42...50))
        #expect(cut == ["3 \(lost) 12 and 15: these frames were \(why)"])
        // Each fifth, but for one of them.
        let fifths = stride(from: 5, through: 100, by: 5).filter { $0 != 40 }
        #expect(try warnings("fifths", fifths) == ["\(one) 35 and 45: this frame was \(why)"])
        #expect(try warnings("whole", Array(7...40)).isEmpty)
        // Chosen frames, and times in milliseconds.
        #expect(try warnings("chosen", [0, 1, 2, 5, 6, 9, 10, 11, 17, 18, 19, 20]).isEmpty)
        #expect(try warnings("times", (0..<30).map { $0 * 33 + ($0 > 20 ? 1 : 0) }).isEmpty)
    }

    @Test func namesWithDots() throws {
        let times = ["1305031102.175304", "1305031102.211214", "1305031103.043"]
        for (number, time) in times.enumerated() {
            let stem = "chess/dots/frame-\(time)"
            let picture = RGBImage(width: 8, height: 6, pixels: Array(repeating: 9, count: 144))
            try folder.write(try PNG.encodeRGB(picture), to: "\(stem).color.png")
            try folder.write(Self.pose.replacing("0.5", with: "\(number).5"), to: "\(stem).pose.txt")
        }
        let capture = try open("dots")
        #expect(capture.frames.map(\.pictureFile) == times.map { "frame-\($0).color.png" })
        let places = capture.frames.compactMap { $0.pose?.position.x }
        #expect(zip(places, places.dropFirst()).allSatisfy { abs($1 - $0 - 1) < 1e-9 } && places.count == 3)
    }

    @Test func theCopyWithItsOwnCamera() throws {
        try write(ending: "jpg", k: "9 0 3.5\n0 9.5 2.5\n0 0 1\n")
        let capture = try open()
        #expect(
            capture.frames[0].intrinsics
                == CameraIntrinsics(fx: 9, fy: 9.5, cx: 3.5, cy: 2.5, width: 8, height: 6, pixelOrigin: .centre))
        #expect(capture.frames[0].pictureFile == "frame-000000.color.jpg")
        // Which is both cameras'.
        #expect(capture.depthCamera == nil && capture.frames[0].pose?.position == Vector3(0.5, 2, 3))
        for text in ["9 0 3.5", "0 0 0 0 0 0 0 0 0", "nan 0 0 0 1 0 0 0 1", "a b c d e f g h i"] {
            try folder.write(text, to: "chess/seq-01/camera-intrinsics.txt")
            let problem = #expect(throws: Problem.self) { try open() }
            #expect(problem?.place.file == "camera-intrinsics.txt")
        }
    }

    /// Pictures of another size, or in another place, may come from another camera.
    @Test func thatThePublishedCameraWasTakenIsSaid() throws {
        func warnings(_ sequence: String) throws -> [String] {
            try open(sequence).warnings.filter { $0.contains("usual for 7-Scenes") }
        }
        let doubt =
            ", the colour camera 2.6 cm beside the depth sensor: if others took these pictures, put the 3×3 matrix of the "
            + "one for both into camera-intrinsics.txt"
        let lack = "camera-intrinsics.txt is missing, so the cameras usual for 7-Scenes were taken"
        try write(count: 1)
        #expect(try warnings("seq-01") == ["\(lack), scaled from 640×480 to 8×6\(doubt)"])
        try write("office", count: 1, size: PixelSize(640, 480))
        #expect(try warnings("office") == ["\(lack)\(doubt)"])
        try write("seq-02", count: 1, size: PixelSize(640, 480))
        let listed = try CaptureFormats.listingOnce(CaptureFolder(path: "\(folder.path)/chess/seq-02")) {
            (tree) throws(Problem) in try SevenScenesSequence.open(tree, rules: ReadRules())
        }
        #expect(listed.warnings == [])
        #expect(try warnings("seq-02") == [])
        let camera = try #require(try open("seq-02").frames[0].intrinsics)
        #expect((camera.fx, camera.fy, camera.cx, camera.cy) == (525, 525, 320, 240))
        try write("seq-03", count: 1, k: "9 0 3.5\n0 9.5 2.5\n0 0 1\n")
        #expect(try warnings("seq-03") == [])
    }

    /// Thousands of files, in a line for each kind.
    @Test func inspectionListsTheFilesOfAllFramesTogether() throws {
        try write()
        let inspection = try CaptureInspection.inspect("\(folder.path)/chess/seq-01")
        #expect(
            inspection.streams.map { "\($0.content) \($0.file) \($0.frameCount ?? 0)" } == [
                "depth frame-*.depth.png 3", "description frame-*.pose.txt 3", "pictures frame-*.color.png 3",
            ])
        #expect(inspection.unlistedCount == 0 && inspection.errors.isEmpty)
    }

    @Test func everySequenceIsACapture() throws {
        try write("seq-01")
        try write("seq-02", count: 1)
        try folder.write("sequence1\n", to: "chess/TrainSplit.txt")
        #expect(try CaptureSearch.captures(at: folder.path).map(\.id) == ["chess-seq-01", "chess-seq-02"])
    }
}
