import Foundation

/// A small MultiScan capture on disk in which every number is known.
///
/// None of it comes from the code under test: streams and PNGs are DEFLATE in stored blocks, lines and metadata are
/// text, and a video is made by ffmpeg's own command line.
public struct MiniCapture: Sendable {
    public enum Pictures: Sendable {
        case none
        /// `color/000000.png`, …
        case png
        /// Lossless H.264, with a gap after every third frame.
        case mp4
    }

    /// The folder's name; its files are called ``stem``, as in a folder that was renamed.
    public var id: String
    public var stem = "recorded"
    public var frameCount: Int
    public var pictures: Pictures
    /// 16-bit millimetres, and confidence from 0 to 255.
    public var isAndroid = false
    public var hasDepth = true
    public var hasConfidence = true
    public var hasBox = true
    public var hasMotion = true
    /// Frames that repeat the timestamp of the frame before.
    public var repeatedTimestamps: Set<Int> = []
    /// Frames whose picture is damaged in the middle, which only decoding detects.
    public var damagedPictures: Set<Int> = []

    public init(id: String = "mini", frameCount: Int = 7, pictures: Pictures = .png) {
        self.id = id
        self.frameCount = frameCount
        self.pictures = pictures
    }

    // MARK: - What is in it

    public static let depthSize = (width: 16, height: 12)
    public static let colorSize = (width: 32, height: 24)

    /// Metres: a half float and a whole number of 1/128 m; the last pixel has none. From frame to frame every pixel
    /// changes by 1/32 m.
    public static func depth(_ frame: Int, _ u: Int, _ v: Int) -> Float {
        u == 15 && v == 11 ? 0 : 2 + Float(frame) / 32 + Float(u) / 64 + Float(v) / 128
    }

    /// 0, 1 or 2.
    public static func confidence(_ frame: Int, _ u: Int, _ v: Int) -> UInt8 { UInt8((frame + u + v) % 3) }

    /// The grey of all pixels of a frame's picture, within a video's range.
    public static func grey(_ frame: Int) -> UInt8 { UInt8(30 + frame * 25 % 200) }

    /// 10 per second, one lost after every third. Every other frame comes 7 ms later than a video shows it.
    public func timestamp(_ frame: Int) -> Int64 {
        let frame = Int64(repeatedTimestamps.contains(frame) ? frame - 1 : frame)
        return 281_234_567_891_234 + (frame + frame / 3) * 100_000_000 + frame % 2 * 7_000_000
    }

    public static func position(_ frame: Int) -> [Double] { [Double(frame) / 4, 0.5, -Double(frame) / 8] }

    /// The focal length, which changes as with autofocus; the other intrinsics are 31, 16 and 12.
    public static func focalLength(_ frame: Int) -> Double { 30 + Double(frame) / 8 }

    /// The bytes of a frame's depth, as recorded.
    public func depthBytes(_ frame: Int) -> [UInt8] {
        Self.pixels.flatMap { u, v in
            let metres = Self.depth(frame, u, v)
            let bits = isAndroid ? UInt16((metres * 1000).rounded()) : Float16(metres).bitPattern
            return [UInt8(bits & 255), UInt8(bits >> 8)]
        }
    }

    public func confidenceBytes(_ frame: Int) -> [UInt8] {
        Self.pixels.map { Self.confidence(frame, $0, $1) * (isAndroid ? 127 : 1) }
    }

    /// A frame's camera line. Its spaces, unknown key and number formats must survive unchanged.
    public func line(_ frame: Int) -> String {
        let f = Self.focalLength(frame)
        let p = Self.position(frame)
        return "{ \"timestamp\":\(timestamp(frame)), \"lens\": {\"name\":\"wide é\"},"
            + "\"intrinsics\":[\(f),0,0,0,31.00,0,16,12,1.0],"
            + " \"transform\":[1,0,0,0, 0,1,0,0, 0,0,1,0, \(p[0]),\(p[1]),\(p[2]),1],\"exposure_duration\":1.6666666e7 }"
    }

    public static let box = """
        {"center": {"x": 0.5, "y": 0.25, "z": -2}, "rad_rot_about_y": 0, "positions": {
        "top_left_front": {"x": 0, "y": 0.5, "z": -2.5}, "top_right_front": {"x": 1, "y": 0.5, "z": -2.5},
        "bot_right_front": {"x": 1, "y": 0, "z": -2.5}, "bot_left_front": {"x": 0, "y": 0, "z": -2.5},
        "top_left_back": {"x": 0, "y": 0.5, "z": -1.5}, "top_right_back": {"x": 1, "y": 0.5, "z": -1.5},
        "bot_right_back": {"x": 1, "y": 0, "z": -1.5}, "bot_left_back": {"x": 0, "y": 0, "z": -1.5}}}
        """

    // MARK: - Its files

    /// Writes the capture as a folder named ``id``.
    /// - Returns: the folder's path.
    @discardableResult
    public func write(in folder: TemporaryFolder) throws -> String {
        let frames = 0..<frameCount
        try folder.write(metadata, to: "\(id)/\(stem).json")
        try folder.write(frames.map { line($0) + "\n" }.joined(), to: "\(id)/\(stem).jsonl")
        if hasDepth { try folder.write(StoredDeflate.raw(frames.flatMap(depthBytes)), to: "\(id)/\(stem).depth.zlib") }
        if hasConfidence {
            try folder.write(StoredDeflate.raw(frames.flatMap(confidenceBytes)), to: "\(id)/\(stem).confidence.zlib")
        }
        if hasBox { try folder.write(Self.box, to: "\(id)/boundingbox.json") }
        if hasMotion { for kind in ["rot", "grav"] { try folder.write(motion(kind), to: "\(id)/\(stem).\(kind)") } }
        switch pictures {
        case .none: break
        case .png: for frame in frames { try folder.write(picture(frame), to: "\(id)/\(Self.pictureName(frame))") }
        case .mp4: try writeVideo(in: folder)
        }
        return folder.url(id).path
    }

    /// Writes it under each of these ids.
    public func write(_ ids: [String], in folder: TemporaryFolder) throws {
        for id in ids {
            var capture = self
            capture.id = id
            try capture.write(in: folder)
        }
    }

    public static func pictureName(_ frame: Int) -> String {
        "color/" + String(repeating: "0", count: 6 - String(frame).count) + "\(frame).png"
    }

    public func picture(_ frame: Int) -> [UInt8] {
        let (width, height) = Self.colorSize
        var png = StoredDeflate.png(
            width: width, height: height, rgb: Array(repeating: Self.grey(frame), count: width * height * 3))
        if damagedPictures.contains(frame) { png[png.count / 2] ^= 0x55 }
        return png
    }

    /// Streams in an order of their own, as in recordings with motion sensors.
    private var metadata: String {
        func stream(
            _ id: String, _ type: String, _ encoding: String, _ ending: String, _ count: Int, _ more: String = ""
        ) -> String {
            "{\"id\":\"\(id)\",\"type\":\"\(type)\",\"encoding\":\"\(encoding)\",\"file_extension\":\"\(ending)\","
                + "\"frequency\":10,\"number_of_frames\":\(count)\(more)}"
        }
        func size(_ size: (width: Int, height: Int)) -> String { ",\"resolution\":[\(size.height),\(size.width)]" }
        let isVideo = pictures == .mp4
        var streams = hasMotion ? ["rot", "grav"].map { stream("\($0)_1", $0, "bin", $0, 2) } : []
        streams.append(stream("camera_info_color_back_1", "camera_info", "jsonl", "jsonl", frameCount))
        if hasConfidence {
            streams.append(stream("confidence_map", "confidence_map", "uint8_zlib", "confidence.zlib", frameCount))
        }
        if hasDepth {
            let encoding = isAndroid ? "uint8_zlib" : "float16_zlib"
            streams.append(
                stream("depth_back_1", "lidar_sensor", encoding, "depth.zlib", frameCount, size(Self.depthSize)))
        }
        streams.append(
            stream(
                "color_back_1", "color_camera", isVideo ? "h264" : "png", isVideo ? "mp4" : "png", frameCount,
                size(Self.colorSize) + ",\"intrinsics\":null"))
        return """
            {"device": {"id": "D-1", "type": "iPad8,9", "name": "bench"}, "recorder_build": 4711, "user": {"name": "ann"},
            "scene": {"type": "Office", "gps_location": [49.25, -123.5], "description": "tür"},
            "depth_unit": "\(isAndroid ? "mm" : "m")", "depth_confidence_value_range": [0, \(isAndroid ? 255 : 2)],
            "depth_confidence_avaliable": \(hasConfidence), "number_of_files": 99, "streams": [\(streams.joined(separator: ", "))]}
            """
    }

    private func motion(_ kind: String) -> [UInt8] {
        let header =
            "ply\nformat binary_little_endian 1.0\nelement \(kind) 2\nproperty int64 timestamp\n"
            + "property double x\nproperty double y\nproperty double z\nend_header\n"
        let samples: [UInt8] = [0, 1].flatMap { sample -> [UInt8] in
            let time = withUnsafeBytes(of: timestamp(sample).littleEndian, Array.init)
            return time + [0.5, 1.25, -9.75].flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) }
        }
        return Array(header.utf8) + samples
    }

    private func writeVideo(in folder: TemporaryFolder) throws {
        let (width, height) = Self.colorSize
        let pixels = width * height
        let planes = (0..<frameCount).flatMap { frame in
            Array(repeating: Self.grey(frame), count: pixels) + Array(repeating: UInt8(128), count: pixels / 2)
        }
        try folder.write(planes, to: "planes.yuv")
        try runCommand(
            [
                "ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s",
                "\(width)x\(height)", "-r", "10", "-i", folder.url("planes.yuv").path, "-vf",
                "settb=1/10,setpts=N+floor(N/3)", "-fps_mode", "passthrough", "-c:v", "libx264", "-qp", "0", "-bf", "0",
                // With one, ffmpeg 7 hides a last frame of zero duration.
                "-use_editlist", "0",
                folder.url("\(id)/\(stem).mp4").path,
            ]
        ).require(0)
    }

    private static var pixels: [(u: Int, v: Int)] {
        (0..<depthSize.height).flatMap { v in (0..<depthSize.width).map { u in (u, v) } }
    }
}

/// DEFLATE without compression, exactly as in RFC 1951, and PNGs made with it.
public enum StoredDeflate {
    public static func raw(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
            result += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
        } while !rest.isEmpty
        return result
    }

    static func png(width: Int, height: Int, rgb: [UInt8]) -> [UInt8] {
        var rows: [UInt8] = []
        for row in 0..<height { rows += [0] + rgb[row * width * 3..<(row + 1) * width * 3] }
        var (a, b) = (1, 0)
        for byte in rows {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        let header: [UInt8] = bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0]
        let packed: [UInt8] = [0x78, 0x01] + raw(rows) + bigEndian(b << 16 | a)
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return signature + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", [])
    }

    private static func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(kind.utf8) + data
        var sum = UInt32.max
        for byte in body {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return bigEndian(data.count) + body + bigEndian(Int(~sum))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
}
