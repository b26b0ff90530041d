import ScanFormats
import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct TurnTests {
    private static let scene =
        "- synthesize: {frames: 3, picture-width: 96, picture-height: 72, depth-width: 32, depth-height: 24}\n"

    /// Points come out where they were, whatever way the pictures stand.
    @Test(arguments: ["0", "1", "2", "3", "auto"]) func theWorldStays(_ turns: String) throws {
        let rest = "- decompress\n- mask-confidence: {at-least: 1}\n- unproject: {pixel-centre: half}"
        let plain = try StageRun(Self.scene + rest, reading: "nowhere/a")
        let turned = try StageRun(Self.scene + "- turn: {quarter-turns: \(turns)}\n" + rest, reading: "nowhere/a")
        for (a, b) in zip(plain.frames, turned.frames) {
            let (before, after) = (Self.points(a), Self.points(b))
            #expect(before.count == after.count && before.count > 50)
            for (p, q) in zip(before, after) {
                for axis in 0..<3 { #expect(abs(p[axis] - q[axis]) < 1e-5) }
                #expect(p[3...] == q[3...], "the point keeps its colour")
            }
        }
    }

    /// A depth sensor beside the colour camera turns about the colour camera's axis, and sees the same points.
    @Test(arguments: ["1", "2", "3"]) func aDepthSensorOfItsOwnTurnsToo(_ turns: String) throws {
        var capture = try MemoryCapture.twoCameras(1)
        capture.items[0].depth = nil
        capture.items[0].recordedDepth = RecordedDepth(
            width: 4, height: 3, encoding: .uint16(unitsPerMetre: 1000),
            bytes: (1...12).flatMap { [UInt8($0 * 200 & 255), UInt8($0 * 200 >> 8)] })
        let rest = "- decompress\n- unproject: {pixel-centre: half}"
        let before = Self.points(try #require(try StageRun(rest, on: capture).frames.first))
        let turned = try StageRun("- turn: {quarter-turns: \(turns)}\n" + rest, on: capture)
        let after = Self.points(try #require(turned.frames.first))
        #expect(before.count == 12 && after.count == 12)
        for (p, q) in zip(before, after) {
            for axis in 0..<3 { #expect(abs(p[axis] - q[axis]) < 1e-5) }
            #expect(p[3...] == q[3...])
        }
    }

    /// x, y, z, red, green, blue, in an order that does not depend on the pixels'.
    private static func points(_ frame: Frame) -> [[Float]] {
        guard let cloud = frame.points else { return [] }
        return (0..<cloud.count).map { i in
            (0..<3).map { cloud.positions[3 * i + $0] } + (0..<3).map { Float(cloud.colors?[3 * i + $0] ?? 0) }
        }.sorted { a, b in a.map { ($0 * 1e4).rounded() }.lexicographicallyPrecedes(b.map { ($0 * 1e4).rounded() }) }
    }

    /// One turn clockwise: what was left is at the top.
    @Test func picturesTurnClockwise() {
        let picture = RGBImage(width: 3, height: 2, pixels: (0..<6).flatMap { [UInt8($0), 0, 0] })
        let reds = { (image: RGBImage) in stride(from: 0, to: 18, by: 3).map { image.pixels[$0] } }
        #expect(reds(picture.turned(quarterTurns: 1)) == [3, 0, 4, 1, 5, 2])
        #expect(reds(picture.turned(quarterTurns: 2)) == [5, 4, 3, 2, 1, 0])
        #expect(reds(picture.turned(quarterTurns: 3)) == [2, 5, 1, 4, 0, 3])
        #expect(picture.turned(quarterTurns: 4) == picture)
        #expect(picture.turned(quarterTurns: -1) == picture.turned(quarterTurns: 3))
    }

    /// A point that is seen at (u, v) is seen at (H − v, u) afterwards.
    @Test func cameraAndPoseTurnWithThePicture() throws {
        let camera = CameraIntrinsics(fx: 30, fy: 31, cx: 15, cy: 13, width: 32, height: 24, pixelOrigin: .corner)
        let pose = Pose(rotation: .rotation(aboutY: 0.3), position: Vector3(1, 2, 3))
        let point = pose.apply(Vector3(0.2, -0.1, -1.5))
        let before = try #require(CameraView(camera: camera, pose: pose).project(point))
        for turns in 1...3 {
            let view = CameraView(
                camera: camera.turned(quarterTurns: turns), pose: pose.turned(quarterTurns: turns))
            let after = try #require(view.project(point))
            let expected = [
                (0, 0), (24 - before.v, before.u), (32 - before.u, 24 - before.v), (before.v, 32 - before.u),
            ]
            #expect(abs(after.u - expected[turns].0) < 1e-12 && abs(after.v - expected[turns].1) < 1e-12)
            #expect(abs(after.depth - before.depth) < 1e-12)
        }
        let centred = camera.counted(from: .centre).turned(quarterTurns: 1)
        #expect(centred.counted(from: .corner) == camera.turned(quarterTurns: 1))
    }

    /// Up is to the left of the picture, as on a phone held upright with its top to the left.
    @Test(arguments: [(0, 0), (1, 3), (2, 2), (3, 1)]) func autoBringsUpToTheTop(_ held: Int, _ expected: Int) {
        let upright = Pose(rotation: .rotation(aboutY: 0.7), position: .zero)
        #expect(QuarterTurn.upright([upright.turned(quarterTurns: held)], up: Vector3(0, 1, 0)) == expected)
    }

    @Test func autoNeedsAnUp() throws {
        var capture = MemoryCapture([.init(depth: [1, 2])])
        capture.worldUp = nil
        #expect(throws: Problem.self) { _ = try StageRun("- turn", on: capture) }
        #expect(throws: Never.self) { _ = try StageRun("- turn: {quarter-turns: 2}", on: capture) }
        // It is told when the capture is opened, with what has to be set for other stages.
        let refusal = try StageRun.refusal("- filter-view\n- turn", of: capture)
        #expect(refusal?.summary == "the capture does not say which way is up" && refusal?.place.stage == "turn")
        #expect(refusal?.besides == ["do without `if-missing: fail` with  --set filter-view.if-missing=pass"])
        #expect(try StageRun.refusal("- turn: {quarter-turns: 2}", of: capture) == nil)
    }

    /// A video cannot be copied any more: its frames are decoded, turned and written.
    @Test(arguments: ["auto", "mp4", "frames"]) func turnedVideosAreWritten(_ rgb: String) throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/stray-scanner").path
        let run = try StageRun(
            "- read\n- turn: {quarter-turns: 1}\n- write-staging: {depth: source, rgb: \(rgb)}", reading: sample)
        let pictures = run.files.filter { $0.hasSuffix(".mp4") || $0.hasPrefix("color/") }
        #expect(pictures.count == (rgb == "mp4" ? 1 : 12))
        let back = try MultiScanCapture.open(try CaptureFormats.tree(at: run.path), rules: ReadRules())
        #expect(back.colorSize == PixelSize(96, 128))
    }

    /// By the video the runner knows that another look at the pictures costs another decoding.
    @Test func turnedPicturesStillComeFromTheVideo() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/stray-scanner").path
        let run = try StageRun("- read\n- turn: {quarter-turns: 1}", reading: sample)
        #expect(run.capture.video?.file == "rgb.mp4" && !run.capture.channels.contains(.video))
    }

    /// Before a choice among neighbours frames are prepared for what it looks at, and behind it for the rest.
    @Test(arguments: [false, true]) func whatWasPreparedIsTurnedOnce(_ isSynthetic: Bool) throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/desk").path
        let read = isSynthetic ? Self.scene : "- read\n- turn: {quarter-turns: 1}"
        let capture = try StageRun(read, reading: isSynthetic ? "nowhere/a" : sample).capture
        func prepared(_ parts: [Set<Channel>]) throws -> Frame {
            var frame = Frame(capture.frames[1])
            let tracks = try capture.source.tracks(for: parts.reduce([]) { $0.union($1) }, of: capture)
            for facts in capture.frames.prefix(2) {
                frame = Frame(facts)
                for track in tracks { try track.advance(&frame, isWanted: true) }
            }
            for channels in parts { try capture.source.prepare(&frame, for: channels) }
            return frame
        }
        let all: Set<Channel> = [.color, .recordedDepth, .recordedConfidence, .previousDepth]
        let (one, two) = (
            try prepared([all]), try prepared([[.color, .recordedConfidence], [.recordedDepth, .previousDepth]])
        )
        #expect(one.picture == two.picture && one.picture != nil)
        #expect(one.recordedDepth == two.recordedDepth && one.recordedDepth != nil)
        #expect(one.recordedConfidence == two.recordedConfidence && one.recordedConfidence != nil)
        #expect(one.recordedDepthBefore == two.recordedDepthBefore && one.recordedDepthBefore != nil)
    }

    /// The metadata keep the size that was recorded, and so do the intrinsics of new camera lines.
    @Test func picturesThatWereMadeSmallerAreTurned() throws {
        let whole = try StageRun(
            Self.scene + "- write-staging: {depth: source, color: png}", reading: "nowhere/a")
        let folder = try TemporaryFolder()
        for file in whole.files where file != "receipt.json" {
            var bytes = try whole.bytes(file)
            if file.hasSuffix(".png") { bytes = try PNG.encodeRGB(try PNG.decodeRGB(bytes).downscaled(by: 2)) }
            try folder.write(bytes, to: "a/\(file)")
        }
        let small = try MultiScanCapture.open(try CaptureFormats.tree(at: "\(folder.path)/a"), rules: ReadRules())
        let turned = try StageRun(
            "- read\n- turn: {quarter-turns: 1}\n- write-staging: {depth: source, color: png}",
            reading: "\(folder.path)/a")
        let back = try MultiScanCapture.open(try CaptureFormats.tree(at: turned.path), rules: ReadRules())
        #expect(back.colorSize == PixelSize(36, 48))
        for (frame, original) in zip(back.frames, small.frames) {
            let camera = try #require(frame.intrinsics)
            let expected = try #require(original.intrinsics?.turned(quarterTurns: 1))
            for (a, b) in [
                (camera.fx, expected.fx), (camera.fy, expected.fy), (camera.cx, expected.cx), (camera.cy, expected.cy),
            ] { #expect(abs(a - b) < 1e-9) }
        }
    }

    /// Metadata that pass through must not speak of the pictures as they were.
    @Test func stagingWritesWhatWasTurned() throws {
        let run = try StageRun(
            Self.scene + "- turn: {quarter-turns: 1}\n- write-staging: {depth: source, color: png}",
            reading: "nowhere/a")
        let tree = try CaptureFormats.tree(at: run.path)
        let back = try MultiScanCapture.open(tree, rules: ReadRules())
        #expect(back.colorSize == PixelSize(72, 96))
        #expect(back.depthSize == PixelSize(24, 32))
        let again = try StageRun(
            "- read\n- turn: {quarter-turns: 3}\n- write-staging: {depth: source, color: png}", reading: run.path)
        let plain = try StageRun(Self.scene + "- write-staging: {depth: source, color: png}", reading: "nowhere/a")
        #expect(try again.bytes("a.depth.zlib") == plain.bytes("a.depth.zlib"))
        #expect(try again.bytes("color/000001.png") == plain.bytes("color/000001.png"))
        let metadata = try MultiScanCapture.open(try CaptureFormats.tree(at: again.path), rules: ReadRules())
        #expect(metadata.colorSize == PixelSize(96, 72))
        for (a, b) in zip(plain.frames, metadata.frames) {
            #expect(a.pose == b.pose)
            let (made, read) = (try #require(a.intrinsics?.counted(from: .arKit)), try #require(b.intrinsics))
            let pairs = zip(made.columnMajor, read.columnMajor)
            #expect(made.size == read.size && pairs.allSatisfy { abs($0 - $1) < 1e-9 })
        }
    }
}
