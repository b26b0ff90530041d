import ScanFormats
import ScanModel

/// A tiny MultiScan capture in which every number is known, for tests to damage as they need.
///
/// Files are made in memory; a test changes, cuts or removes some of them and writes the rest with
/// ``TemporaryFolder/write(_:under:)``.
public struct MultiScanSample {
    public enum Pictures: Sendable {
        case none
        /// `color/000000.png`, … with exactly known colours.
        case png
    }

    /// What all file names begin with.
    public var stem = "scan"
    /// How many camera lines, pictures and stream frames there are, unless a test says otherwise.
    public var frameCount = 4
    public var depthFrames: Int?
    public var confidenceFrames: Int?
    public var pictureFrames: Int?
    public var depthSize = PixelSize(8, 6)
    public var colorSize = PixelSize(32, 24)
    /// The size of the pictures on disk, if it differs from what the metadata says.
    public var pictureSize: PixelSize?
    /// Android: 16-bit millimetres, and confidence from 0 to 255.
    public var isAndroid = false
    public var pictures = Pictures.png
    public var box: OrientedBox?
    /// Camera lines that are not as they should be, by frame.
    public var lines: [Int: String] = [:]
    public var timestamps: [Int: Int64] = [:]
    public var poses: [Int: Pose] = [:]
    public var hasColorResolution = true

    public init() {}

    // MARK: - What is in it

    /// Metres; each is a half float and a whole number of 1/64 m. From frame to frame every pixel changes by 1/16 m.
    public static func depth(_ frame: Int, _ u: Int, _ v: Int) -> Float {
        1 + Float(frame % 8) / 16 + Float(u) / 32 + Float(v) / 64
    }

    /// 0, 1 or 2.
    public static func confidence(_ frame: Int, _ u: Int, _ v: Int) -> UInt8 { UInt8((frame + u + v) % 3) }

    /// Red gives a pixel's column, green its row, blue the frame it belongs to.
    public static func color(_ frame: Int, _ x: Int, _ y: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: 7 * x), UInt8(truncatingIfNeeded: 9 * y), UInt8(truncatingIfNeeded: 40 * frame)]
    }

    public static func timestamp(_ frame: Int) -> Int64 { 1_000_000_000 + 100_000_000 * Int64(frame) }

    public static func pose(_ frame: Int) -> Pose {
        Pose(rotation: .rotation(aboutY: 0.1 * Double(frame)), position: Vector3(0.5 * Double(frame), 0.25, -1))
    }

    /// The focal length changes from frame to frame, as with autofocus.
    public func camera(_ frame: Int) -> CameraIntrinsics {
        CameraIntrinsics(
            fx: 30 + Double(frame) / 4, fy: 31 + Double(frame) / 4, cx: 15.5, cy: 12.25, width: colorSize.width,
            height: colorSize.height, pixelOrigin: .arKit)
    }

    public func depthMap(_ frame: Int) -> DepthMap {
        let pixels = Self.pixels(depthSize)
        return DepthMap(
            width: depthSize.width, height: depthSize.height, metres: pixels.map { Self.depth(frame, $0.u, $0.v) })
    }

    // MARK: - Its files

    public func files() throws(Problem) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        files["\(stem).json"] = JSONWriter.text(.object(metadata()))
        files["\(stem).jsonl"] = try cameraLines()
        files["\(stem).depth.zlib"] = try Self.deflate(rawDepth(depthFrames ?? frameCount))
        files["\(stem).confidence.zlib"] = try Self.deflate(rawConfidence(confidenceFrames ?? frameCount))
        if let box { files["boundingbox.json"] = try BoundingBoxJSON.text(box) }
        if pictures == .png {
            for frame in 0..<(pictureFrames ?? frameCount) { files[Self.pictureName(frame)] = try png(frame) }
        }
        return files
    }

    public static func pictureName(_ frame: Int) -> String {
        let digits = String(frame)
        return "color/" + String(repeating: "0", count: 6 - digits.count) + digits + ".png"
    }

    /// One raw DEFLATE stream, as the capture apps write it.
    public static func deflate(_ bytes: [UInt8]) throws(Problem) -> [UInt8] {
        var result: Result<[UInt8], Problem> = .success([])
        bytes.withUnsafeBytes { bytes in
            do throws(Problem) { result = .success(try DeflateBlock.compress(bytes, level: 6)) } catch {
                result = .failure(error)
            }
        }
        return try result.get() + DeflateBlock.end
    }

    /// The depth stream before it is compressed.
    public func rawDepth(_ frames: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in 0..<frames {
            for (u, v) in Self.pixels(depthSize) {
                let metres = Self.depth(frame, u, v)
                // Android keeps other things in the three highest bits.
                let bits = isAndroid ? UInt16((metres * 1000).rounded()) | 0xA000 : Float16(metres).bitPattern
                bytes += [UInt8(bits & 255), UInt8(bits >> 8)]
            }
        }
        return bytes
    }

    public func rawConfidence(_ frames: Int) -> [UInt8] {
        (0..<frames).flatMap { frame in
            Self.pixels(depthSize).map { Self.confidence(frame, $0.u, $0.v) * (isAndroid ? 127 : 1) }
        }
    }

    public func png(_ frame: Int) throws(Problem) -> [UInt8] {
        let size = pictureSize ?? colorSize
        let pixels = Self.pixels(size).flatMap { Self.color(frame, $0.u, $0.v) }
        return try PNG.encodeRGB(RGBImage(width: size.width, height: size.height, pixels: pixels))
    }

    public func metadata() -> JSONObject {
        func stream(_ type: String, _ id: String, _ suffix: String, _ size: PixelSize?) -> JSONValue {
            var stream: JSONObject = ["type": .string(type), "id": .string(id), "file_extension": .string(suffix)]
            stream["number_of_frames"] = .of(frameCount)
            stream["frequency"] = .of(10)
            stream["resolution"] = size.map { .of([$0.height, $0.width]) }
            return .object(stream)
        }
        return [
            "device": .object(["type": .string("Test1,1"), "name": .string("bench")]),
            "depth_unit": .string(isAndroid ? "mm" : "m"),
            "depth_confidence_value_range": .of(isAndroid ? [0, 255] : [0, 2]),
            "streams": .array([
                stream("color_camera", "color_back_1", "mp4", hasColorResolution ? colorSize : nil),
                stream("lidar_sensor", "depth_back_1", "depth.zlib", depthSize),
                stream("confidence_map", "confidence_map", "confidence.zlib", nil),
                stream("camera_info", "camera_info_color_back_1", "jsonl", nil),
            ]),
        ]
    }

    public func cameraLines() throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in 0..<frameCount {
            if let line = lines[frame] {
                bytes += Array(line.utf8)
            } else {
                bytes += line(
                    timestamp: timestamps[frame] ?? Self.timestamp(frame), camera: camera(frame),
                    pose: poses[frame] ?? Self.pose(frame))
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// Written here, not by the code under test, which refuses bad poses.
    public func line(timestamp: Int64, camera k: CameraIntrinsics, pose: Pose) -> [UInt8] {
        let line: JSONObject = [
            "timestamp": .integer(timestamp), "intrinsics": .of([k.fx, 0, 0, 0, k.fy, 0, k.cx, k.cy, 1]),
            "transform": .of(pose.columnMajor),
        ]
        return JSONWriter.text(.object(line), pretty: false)
    }

    private static func pixels(_ size: PixelSize) -> [(u: Int, v: Int)] {
        (0..<size.height).flatMap { v in (0..<size.width).map { u in (u, v) } }
    }
}

extension TemporaryFolder {
    /// Writes files into a folder below this one.
    /// - Returns: the path of that folder.
    @discardableResult
    public func write(_ files: [String: [UInt8]], under name: String) throws -> String {
        for (file, bytes) in files { try write(bytes, to: "\(name)/\(file)") }
        return url(name).path
    }
}
