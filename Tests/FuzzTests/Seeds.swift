import ScanFormats
import ScanModel
import TestSupport

/// What fuzzing starts from: small whole files, made by the project's own writers.
enum Seeds {
    /// By target, then by name.
    static func all() throws -> [String: [String: [UInt8]]] {
        [
            "depth-stream": try depthStreams(), "inflate": try streams(), "camera-lines": try cameraLines(),
            "metadata": try metadata(), "bounding-box": try boxes(), "motion": try motion(), "pipeline": pipelines(),
            "ply": try clouds(), "jpeg": try jpegs(), "png": try pngs(),
            "zip": try zips(), "transforms": transforms(),
            "odometry": odometry(),
            "scannetpp-depth": try chunks(),
            "scannetpp-poses": try poses(),
            "sens": try ScanNetSeeds.sens(),
            "shift-codec": try ScanNetSeeds.shifts(),
            "lzfse": [
                "lzvn": LZFSESamples.lzvn, "packed": LZFSESamples.packed, "stored": LZFSESamples.stored([1, 2, 3]),
                "one-after-the-other": LZFSESamples.lzvn.dropLast(4) + LZFSESamples.packed,
            ],
            "colmap": try models(),
            "exr": [
                "floats": EXRSamples.floats, "halves": EXRSamples.halves, "colors": EXRSamples.colors,
                "half-colors": EXRSamples.halfColors, "half-colors-with-alpha": EXRSamples.halfColorsWithAlpha,
                "tiles": EXRSamples.tiles,
            ],
        ]
    }

    private static let posed = Pose(rotation: .rotation(aboutY: 0.7), position: Vector3(1, -0.5, 2))
    private static let camera = CameraIntrinsics(
        fx: 4, fy: 4.5, cx: 2, cy: 1.5, width: 4, height: 3, pixelOrigin: .corner)

    private static func models() throws -> [String: [UInt8]] {
        final class Memory: ByteSink {
            var bytes: [UInt8] = []
            func write(_ more: UnsafeRawBufferPointer) { bytes += more }
        }
        var model = COLMAPModel()
        model.add("000000.jpg", pose: posed, intrinsics: camera)
        model.add("000001.jpg", pose: .identity, intrinsics: camera)
        let (text, binary) = (Memory(), Memory())
        let points = try COLMAPPointWriter(text: text, binary: binary)
        try points.add(PointCloud(positions: [1, 2, 3, 4, 5, 6], colors: [1, 2, 3, 4, 5, 6]))
        var files = ["points-text": text.bytes, "points-binary": points.countBytes + binary.bytes.dropFirst(8)]
        for (name, write) in [
            ("cameras-text", model.writeCameras(text:)), ("images-text", model.writeImages(text:)),
            ("cameras-binary", model.writeCameras(binary:)), ("images-binary", model.writeImages(binary:)),
        ] {
            let sink = Memory()
            try write(sink)
            files[name] = sink.bytes
        }
        files["observed"] = Array("1 1 0 0 0 0 0 0 7 a b.png\n1.5 2.5 -1 3 4 9\n\n7 OPENCV 8 6 9 9 4 3 0 0 0 0\n".utf8)
        return files
    }

    private static func odometry() -> [String: [UInt8]] {
        let times: [Int64] = [1_000_000_000, 1_016_000_000, 1_033_000_000]
        let stray = times.map { StrayOdometry.line(timestamp: $0, name: "00000\($0 % 7)", pose: posed) }.joined()
        let old = "x, y, z, qx, qy, qz, qw\n1, 2, 3, 0, 0, 0, 1\n0, 0, 0, 0.5, 0.5, -0.5, 0.5\n"
        let own =
            "timestamp, frame, x, y, z, qx, qy, qz, qw, fx, fy, cx, cy, distortion_center_x, distortion_center_y\n"
            + "1.5, 000000, 1, 2, 3, 0, 0, 0, 1, 1500, 1501, 960, 720, , \n2.5, 000002, 1, 2, 3, 0, 0, 0, 1, , , , , , \n"
        let tum = TUMText.trajectoryHeader + times.map { TUMText.trajectoryLine(timestamp: $0, pose: posed) }.joined()
        let lists = TUMText.listHeader("x") + times.map { TUMText.listLine(timestamp: $0, path: "a.png") }.joined()
        let texts = [
            "stray": StrayOdometry.header + stray, "stray-old": old, "stray-own": own, "tum": tum,
            "lists": lists + TUMText.cameraText(camera),
            "arkit": times.map { ARKitScenesText.line(timestamp: $0, pose: posed) }.joined(),
            "matrix": StrayCameraMatrix.text(camera), "pincam": ARKitScenesText.pincam(camera),
            "odd": "\u{FEFF}1e3 ,nan\t0x1p3\r\n-5.5 .5 5. +1e-400 99999999999999999999\n\n#\n1,,2\n",
        ]
        return texts.mapValues { Array($0.utf8) }
    }

    private static func chunks() throws -> [String: [UInt8]] {
        let image = Gray16Image(width: 4, height: 3, pixels: (0..<12).map { 1000 + $0 })
        let large = Gray16Image(width: 16, height: 12, pixels: (0..<192).map { UInt16(800 + $0 / 16) })
        let lz4 = try ScanNetPPDepth.chunk(image)
        let floats = try MultiScanSample.deflate(
            (0..<12).flatMap { withUnsafeBytes(of: Float($0).bitPattern.littleEndian, Array.init) })
        let deflated = [UInt8(floats.count), 0, 0, 0] + floats
        return [
            "lz4": lz4 + lz4 + lz4, "deflate": deflated + deflated, "mixed": lz4 + deflated,
            "large": try ScanNetPPDepth.chunk(large), "packed": floats, "cut": Array((lz4 + lz4).dropLast(3)),
            "damaged": lz4 + [1, 0, 0, 0, 0xFF] + lz4,
        ]
    }

    private static func poses() throws -> [String: [UInt8]] {
        var json = JSONWriter(pretty: false)
        json.object { json in
            for name in ["000000", "000001"] {
                ScanNetPPPoses.write(name, timestamp: 1_500_000_000, pose: posed, camera: camera, to: &json)
            }
        }
        return [
            "scannetpp": json.drain(), "polycam": PolycamCamera.text(camera, posed, sharpness: 7),
            "3d-scanner-app": ThreeDScannerFrame.text(
                index: 0, timestamp: 1_500_000_000, pose: posed, camera: camera, exposure: 16_000_000),
            "numbers": Array(
                #"{"frame_999": {}, "frame_-1": 0, "frame_9223372036854775807": [], "frame_1": null}"#.utf8),
        ]
    }

    private static func zips() throws -> [String: [UInt8]] {
        func archive(_ script: String) throws -> [UInt8] {
            let made = """
                import io, sys, zipfile
                b = io.BytesIO()
                def item(name, mode=0, method=8):
                    i = zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6))
                    i.create_system, i.external_attr, i.compress_type = 3, mode << 16, method
                    return i
                with zipfile.ZipFile(b, 'w') as z:
                    \(script)
                sys.stdout.buffer.write(b.getvalue())
                """
            return try runPython(made).outputBytes
        }
        return [
            "stored": try archive(
                "z.writestr(item('p/transforms.json', method=0), '{}'); z.writestr(item('p/e/'), '')"),
            "packed": try archive("z.comment = b'a comment'; z.writestr(item('images/0.png'), 'png' * 20)"),
            "links": try archive("z.writestr(item('link', 0o120777), '/etc/passwd'); z.writestr(item('../up'), 'x')"),
            "zip64": try archive("z.open(item('wide'), 'w', force_zip64=True).close()"),
        ]
    }

    private static func transforms() -> [String: [UInt8]] {
        func frame(_ number: Int, _ more: String = "") -> String {
            """
            {"file_path": "images/\(number)", "timestamp": \(number).5, "fl_x": 9.5, "fl_y": 9, "cx": 0.5, "cy": 0.5, \
            "w": 1, "h": 1, "transform_matrix": [[0, -1, 0, 0.5], [1, 0, 0, 1.5], [0, 0, 1, -2], [0, 0, 0, 1]]\(more)}
            """
        }
        func project(_ frames: String...) -> [UInt8] {
            let top = #""w": 0, "h": 0, "fl_x": 1, "fl_y": 1, "cx": 320, "cy": 240, "depth_integer_scale": 1"#
            return Array("{\(top), \"frames\": [\(frames.joined(separator: ", "))]}".utf8)
        }
        let dataset = """
            {"camera_angle_x": 0.7, "k1": 0, "aabb_scale": 4, "scale": 0.3, "offset": [0, 0, 0], "up": [0, 0, 1], \
            "integer_depth_scale": 0.001, "applied_transform": [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0]], \
            "ply_file_path": "p.ply", "frames": [{"file_path": "images/0.png", "depth_file_path": "images/1.png", \
            "sharpness": 5, "transform_matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}]}
            """
        return [
            "sound": project(frame(0), frame(1)), "empty": project(), "dataset": Array(dataset.utf8),
            "gaps": project(frame(8), frame(1, #", "depth_path": "images/1.depth.png""#)),
            "bad": project(#"{"file_path": "../up"}"#, frame(0, #", "fl_x": 0, "w": 1e9"#)),
        ]
    }

    private static func slopes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 / 5) } }

    private static func streams() throws -> [String: [UInt8]] {
        let fixed = try MultiScanSample.deflate(Array("depth depth depth depth".utf8))
        let dynamic = try MultiScanSample.deflate(slopes(4000) + (0..<200).map { UInt8($0 * $0 % 251) })
        let stored = try DeflateBlock.compress(slopes(40), level: 0) + DeflateBlock.end
        let blocks = try DeflateBlock.compress(slopes(99), level: 6) + DeflateBlock.compress(slopes(9), level: 1)
        return [
            "fixed": fixed, "dynamic": dynamic, "stored": stored, "blocks": blocks + DeflateBlock.end,
            "cut": Array(dynamic.prefix(30)), "trailing": fixed + [1, 2, 3],
            // Header, no bytes, their Adler-32.
            "wrapped": [0x78, 0x9C, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01],
        ]
    }

    private static func depthStreams() throws -> [String: [UInt8]] {
        var sample = MultiScanSample()
        sample.depthSize = PixelSize(4, 3)
        let whole = try MultiScanSample.deflate(sample.rawDepth(8))
        let stored = try DeflateBlock.compress(sample.rawDepth(8), level: 0) + DeflateBlock.end
        let hostile = Array(repeating: [0x00, 0x7E, 0x00, 0x7C, 0x00, 0xBC] as [UInt8], count: 32).joined()
        var seeds = [
            "not-finite": [0x31] + (try MultiScanSample.deflate(Array(hostile))), "cut": [0x11] + whole.dropLast(9),
            "two-more": [0] + (try MultiScanSample.deflate(sample.rawDepth(10))),
            "half-a-frame": [0x43] + (try MultiScanSample.deflate(Array(sample.rawDepth(6).dropLast(7)))),
        ]
        for choice: UInt8 in [0x00, 0x21, 0x1A, 0x05] {
            seeds["whole-\(choice)"] = [choice] + whole
            seeds["stored-\(choice)"] = [choice] + stored
        }
        return seeds
    }

    private static func cameraLines() throws -> [String: [UInt8]] {
        var sample = MultiScanSample()
        sample.frameCount = 2
        let lines = try sample.cameraLines()
        let long = Array(repeating: UInt8(ascii: " "), count: 700)
        let odd = MiniCapture().line(1) + "\r\n\n" + MiniCapture().line(2)
        return [
            "two": lines, "byte-order-mark": [0xEF, 0xBB, 0xBF] + lines, "too-long": lines + long + lines,
            "odd": Array(odd.utf8), "no-last-newline": lines.dropLast(),
            "not-finite": Array(#"{"timestamp":"12","intrinsics":[NaN,1e999],"source_frame":3}"#.utf8),
        ]
    }

    private static func metadata() throws -> [String: [UInt8]] {
        var android = MultiScanSample()
        android.isAndroid = true
        let texts = #"{"a":"\ud83d\ude00 é\n\u0000","b":[1e-7,-0,9223372036854775807,1.5E+300,0.1],"a":{"b":null}}"#
        return [
            "ios": JSONWriter.text(.object(MultiScanSample().metadata()), pretty: false),
            "android": JSONWriter.text(.object(android.metadata())), "values": Array(texts.utf8),
            "deep": Array((String(repeating: "[", count: 64) + String(repeating: "]", count: 64)).utf8),
        ]
    }

    private static func boxes() throws -> [String: [UInt8]] {
        var box = OrientedBox(
            center: Vector3(1, 0.5, -2), worldFromBox: .rotation(aboutY: 0.5), halfSize: Vector3(0.5, 1, 0.25))
        let free = try BoundingBoxJSON.text(box)
        box.floor = 0
        return ["mini": Array(MiniCapture.box.utf8), "free": free, "floor": try BoundingBoxJSON.text(box)]
    }

    private static func motion() throws -> [String: [UInt8]] {
        let samples = (0..<4).map { i in
            MotionSample(
                timestamp: 280_670_466_266_040 + Int64(i) * 16_666_667, value: Vector3(Double(i), -0.5, 1 / Double(i)))
        }
        let file = MotionFileSource(.gravity, count: samples.count, name: "motion") { Array(samples[$0]) }
        let whole = try file.readAll(limit: .max)
        let header = MotionStream.header(.gravity, count: samples.count).count
        let records = Array(whole.dropFirst(header))
        let swapped = stride(from: 0, to: records.count, by: 8).flatMap { records[$0..<$0 + 8].reversed() }
        return ["whole": whole, "cut": whole.dropLast(5), "records": records, "big-endian": swapped]
    }

    private static func pipelines() -> [String: [UInt8]] {
        let object = """
            name: object-nerf
            description: One boxed object.
            stages:
              - read: {truncated: keep-whole}
              - select-frames: {drop: [3, 17-20]}
              - filter-blur: {window: 5}
              - decompress
              - mask-range:
                  near: 0.1
                  far: 5
              - unproject
              - cull-by-box: {margin: 0.02}
              - voxel-downsample: {size: 0.01}
              - write-ply
              - write-transforms

            """
        let texts = [
            "object": object, "set": object + "\0mask-range.far=[1, 2]",
            "list": "stages: [read, decompress, write-ply]",
            "mistakes":
                "stagse: []\nname: [a]\nstages:\n - raed\n - {a: 1, b: 2}\n - decompress: [1]\n - mask-range: {far: x}\n",
            "alias": "stages: &a\n- read: &b {format: auto}\n- read: *b\n- *a\n",
            "twice": "name: a\nname: b\nstages: [read]",
            "tags": "%YAML 1.1\n---\n!!map {? stages : !x [\"re\\u0061d\", 'write-ply', |\n  a\n]}\n...\n",
            "deep": String(repeating: "[", count: 900),
        ]
        return texts.mapValues { Array($0.utf8) }
    }

    private static func clouds() throws -> [String: [UInt8]] {
        var sink = MemorySink()
        try sink.write(PLYWriter.header(count: 3, .colors))
        var writer = PLYWriter(.colors)
        let colors: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        try writer.write(PointCloud(positions: [0, 1, 2, 3, 4, 5, -1, .nan, 1e30], colors: colors), to: &sink)
        var facing = MemorySink()
        try facing.write(PLYWriter.header(count: 2, .normals))
        var another = PLYWriter(.normals)
        let normals: [Float] = [0, 0, 1, 1e30, 1e30, -.infinity]
        try another.write(PointCloud(positions: [0, 1, 2, 3, 4, 5], normals: normals), to: &facing)
        let text = """
            ply
            format ascii 1.0
            comment by hand
            element camera 1
            property list uchar int a
            element vertex 2
            property double x
            property float y
            property short z
            end_header
            2 5 6
            1.5 -2 3
            nan 1e-3 +7

            """
        let swapped = String(decoding: PLYWriter.header(count: 1, []), as: UTF8.self)
            .replacing("little", with: "big").replacing("float z", with: "uint64 z")
        return [
            "binary": sink.bytes, "cut": sink.bytes.dropLast(4), "text": Array(text.utf8),
            "big-endian": Array(swapped.utf8) + slopes(16), "normals": facing.bytes,
        ]
    }

    private static func picture(_ width: Int, _ height: Int) -> RGBImage {
        RGBImage(width: width, height: height, pixels: (0..<width * height * 3).map { UInt8($0 * 7 % 256) })
    }

    private static func jpegs() throws -> [String: [UInt8]] {
        let whole = try JPEG.encode(picture(17, 9), quality: 40)
        return [
            "halved": whole, "full": try JPEG.encode(picture(8, 8), quality: 90, subsampling: .s444),
            "cut": whole.dropLast(40), "header": Array(whole.prefix(300)),
        ]
    }

    private static func pngs() throws -> [String: [UInt8]] {
        let grey = LumaImage(width: 9, height: 5, pixels: slopes(45))
        let depth = Gray16Image(width: 7, height: 6, pixels: (0..<42).map { $0 * 999 })
        let color = try PNG.encodeRGB(picture(11, 7))
        var interlaced = color
        interlaced[28] = 1
        return [
            "color": color, "grey": try PNG.encodeGray8(grey), "depth": try PNG.encodeGray16(depth),
            "cut": color.dropLast(20), "interlaced": interlaced,
        ]
    }
}
