import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Where a frame's camera comes from, and for which pictures it stands.
@Suite struct StrayScannerCameraTests {
    private static let level = "1.0, 0.0, 0.0, 0.0"
    /// As the app writes it, since it tells each frame's camera.
    private static let header =
        "timestamp, frame, x, y, z, qx, qy, qz, qw, fx, fy, cx, cy, distortion_center_x, distortion_center_y"

    private func recording(
        _ lines: [String], header: String = header, matrix: String? = "1500, 0, 960\n0, 1500, 720\n0, 0, 1\n",
        hasDepth: Bool = true
    ) throws -> WrittenCapture {
        let capture = try WrittenCapture("0a1b2c3d4e")
        try capture.write(([header] + lines).joined(separator: "\n") + "\n", to: "odometry.csv")
        if let matrix { try capture.write(matrix, to: "camera_matrix.csv") }
        for n in lines.indices where hasDepth { try capture.depth("depth/00000\(n).png", first: 1000) }
        return capture
    }

    private func film(_ recording: WrittenCapture, _ size: String, frames: Int = 1) throws {
        try TestVideo.ffmpeg(
            ["-f", "lavfi", "-i", "color=gray:s=\(size):r=60", "-frames:v", String(frames), "-c:v", "libx264"]
                + ["-pix_fmt", "yuv420p", "-preset", "ultrafast", "\(recording.path)/rgb.mp4"])
    }

    private static func camera(_ k: [Double], _ width: Int, _ height: Int) -> CameraIntrinsics {
        CameraIntrinsics(
            fx: k[0], fy: k[1], cx: k[2], cy: k[3], width: width, height: height, pixelOrigin: .arKit)
    }

    @Test(arguments: [", , ", ", 958.5, 722.25", ""]) func eachFrameHasItsOwnCamera(_ distortion: String) throws {
        let lines = (0..<3).map { n in
            "\(n), 00000\(n), \(n).5, 2, -3, \(Self.level), \(1600 + n), \(1601 + n), 962.5, 718\(distortion)"
        }
        let short = Self.header.split(separator: ", ").dropLast(2).joined(separator: ", ")
        let recording = try recording(lines, header: distortion.isEmpty ? short : Self.header)
        try film(recording, "1920x1440", frames: 3)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.warnings == [])
        #expect(capture.dropReasons == [nil, nil, nil])
        #expect(capture.frames.map(\.timestamp) == [0, 1_000_000_000, 2_000_000_000])
        #expect(capture.frames.map { $0.pose?.position } == (0..<3).map { Vector3(Double($0) + 0.5, 2, -3) })
        #expect(
            capture.frames.map(\.intrinsics)
                == (0..<3).map { Self.camera([1600 + Double($0), 1601 + Double($0), 962.5, 718], 1920, 1440) })
        #expect(capture.channels.contains(.intrinsics))
        // The video was made smaller: by 4, and so is each camera.
        try film(recording, "480x360", frames: 3)
        let smaller = try recording.open(StrayScannerCapture.self)
        #expect(
            smaller.frames.map(\.intrinsics)
                == (0..<3).map { n in
                    Self.camera([400 + Double(n) / 4, 400.25 + Double(n) / 4, 240.25, 179.125], 480, 360)
                })
        #expect(
            smaller.warnings == [
                "the pictures are 480×360, and the intrinsics for 1920×1440; the intrinsics were scaled"
            ])
    }

    @Test func columnsAreFoundByName() throws {
        let recording = try recording(
            ["-3, 962, 1, 0, 0, 0, 000000, 718, 9, 1600, 1601, 0.5, 7.25, 2"],
            header: "z,  cx , qx, qy, qz, qw, frame, cy, note, fx, fy, x, timestamp, y")
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.frames[0].timestamp == 7_250_000_000)
        #expect(capture.frames[0].pose == Pose(rotation: .identity, position: Vector3(0.5, 2, -3)))
        #expect(capture.frames[0].intrinsics == Self.camera([1600, 1601, 962, 718], 1920, 1440))
    }

    @Test func linesWithoutACameraHaveTheMatrix() throws {
        let pose = "0, 0, 0, \(Self.level)"
        let lines = [
            "0, 000000, \(pose), 1600, 1601, 962, 718, , ", "1, 000001, \(pose), , , , , , ",
            "2, 000002, \(pose), 1600, , 962, 718, , ", "3, 000003, \(pose), 1600, 1601",
            "4, 000004, \(pose), 0, 1601, 962, 718, , ",
        ]
        let recording = try recording(lines)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(
            capture.dropReasons == [
                nil, nil, "“” is not a number (odometry.csv:4)",
                "the line has 11 columns, and column 12 is needed (odometry.csv:5)",
                "the focal length is 0.0 × 1601.0 (odometry.csv:6)",
            ])
        #expect(
            capture.frames.prefix(2).map(\.intrinsics) == [
                Self.camera([1600, 1601, 962, 718], 1920, 1440), Self.camera([1500, 1500, 960, 720], 1920, 1440),
            ])
        #expect(
            capture.findings["intrinsics"]?.string?.hasSuffix("which was taken for the frames whose lines have none: 1")
                == true)
        try recording.remove("camera_matrix.csv")
        let without = try recording.open(StrayScannerCapture.self)
        #expect(
            without.frames[1].drop?.reason == "odometry.csv has no camera for it, and camera_matrix.csv is missing")
        #expect(!without.frames[0].isDropped && without.channels.contains(.intrinsics))
    }

    /// The video is so near to the recorder's size that single frames' principal points would tell different things.
    @Test func allCamerasAreScaledAlike() throws {
        let lines = [953, 958, 959].enumerated().map { n, cx in
            "\(n), 00000\(n), 0, 0, 0, \(Self.level), 1600, 1600, \(cx), 716, , "
        }
        let recording = try recording(lines)
        try film(recording, "1900x1424", frames: 3)
        let capture = try recording.open(StrayScannerCapture.self)
        let lengths = capture.frames.map { $0.intrinsics?.fx }
        #expect(lengths == Array(repeating: 1600 * (1900.0 / 1920), count: 3))
    }

    /// 1440×1080 is near enough to 1920×1440 that the principal point alone looks possible as it is.
    @Test func theMatrixIsScaledWithTheVideo() throws {
        let lines = ["0, 000000, 0, 0, 0, \(Self.level)"]
        let header = "timestamp, frame, x, y, z, qx, qy, qz, qw"
        let recording = try recording(
            lines, header: header, matrix: "1612.8, 0, 962.4\n0, 1612.8, 717.2\n0, 0, 1\n")
        try film(recording, "1440x1080")
        let capture = try recording.open(StrayScannerCapture.self)
        let camera = try #require(capture.frames[0].intrinsics)
        #expect(camera.width == 1440 && camera.height == 1080)
        let found = [camera.fx, camera.fy, camera.cx, camera.cy]
        #expect(zip(found, [1209.6, 1209.6, 721.675, 537.775]).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(
            capture.warnings == [
                "the pictures are 1440×1080, and the intrinsics for 1920×1440; the intrinsics were scaled"
            ])
    }

    /// Matrices that were made for the video that is there.
    @Test(arguments: [
        ("1440x1080", [1209.6, 1209.6, 722.5, 538]), ("1920x1440", [1612.8, 1612.8, 962.4, 717.2]),
        ("1280x720", [1000, 1001, 645, 355]), ("1440x1920", [1600, 1600, 718, 962]),
    ])
    func aMatrixThatFitsIsLeftAlone(_ size: String, _ k: [Double]) throws {
        let recording = try recording(
            ["0, 000000, 0, 0, 0, \(Self.level)"], header: "timestamp, frame, x, y, z, qx, qy, qz, qw",
            matrix: "\(k[0]), 0, \(k[2])\n0, \(k[1]), \(k[3])\n0, 0, 1\n", hasDepth: false)
        try film(recording, size)
        let capture = try recording.open(StrayScannerCapture.self)
        let sides = size.split(separator: "x").compactMap { Int($0) }
        #expect(capture.frames[0].intrinsics == Self.camera(k, sides[0], sides[1]))
        #expect(capture.warnings == [])
    }

    /// Cropped, or turned: nobody can tell what was done to the video.
    @Test(arguments: ["1920x1080", "1440x1920"]) func aMatrixThatCannotFitIsSaid(_ size: String) throws {
        let recording = try recording(
            ["0, 000000, 0, 0, 0, \(Self.level)"], header: "timestamp, frame, x, y, z, qx, qy, qz, qw",
            hasDepth: false)
        try film(recording, size)
        var capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.frames[0].intrinsics?.fx == 1500)
        capture.noteDoubts(in: try CaptureFormats.tree(at: recording.path))
        let picture = "a picture of \(size.replacing("x", with: "×"))"
        #expect(
            capture.warnings == [
                "the principal point (960.0, 720.0) is far from the middle of \(picture): the intrinsics may be for "
                    + "pictures of another size, or turned by 90°"
            ])
    }

    /// As programs leave a video that was turned upright: depth still lies as the app wrote it.
    @Test func aVideoThatWasTurnedBesideItsDepth() throws {
        let recording = try recording(
            ["0, 000000, 0, 0, 0, \(Self.level)"], header: "timestamp, frame, x, y, z, qx, qy, qz, qw")
        try film(recording, "1440x1920")
        let problem = try recording.problem(StrayScannerCapture.self)
        #expect(problem?.summary == "depth of 4×3 does not fit pictures of 1440×1920")
    }
}
