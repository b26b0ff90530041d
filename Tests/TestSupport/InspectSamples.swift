import Foundation

/// A small MultiScan capture for tests to damage before they have it inspected, made by Python's json, struct and zlib
/// and by none of our own code.
///
/// 4 × 3 pixels of depth, 8 × 6 of colour, 30 frames per second. Frame i has its camera at x = i / 100, upright,
/// looking along −z at the back face of a box; its focal length is 100 + i. Depth pixel p of frame i is
/// 1 + (12 i + p) / 1024 metres, except that pixel 0 of every frame is 0, and pixels 1, 2 and 3 of frame 0 are NaN,
/// +inf and −1. Confidence of pixel p is p mod 3.
public struct InspectSample: Sendable {
    public let folder: TemporaryFolder
    public let path: String

    public init(named name: String = "mini", frames: Int = 40) throws {
        folder = try TemporaryFolder()
        path = folder.url(name).path
        let made = try runPython(Self.script, [path, String(frames)])
        guard made.status == 0 else { throw Failure(words: made.errors) }
    }

    public struct Failure: Error {
        public var words: String
    }

    public func file(_ name: String) -> URL { URL(fileURLWithPath: path).appendingPathComponent(name) }

    /// Replaces a file with what `change` makes of its bytes.
    public func edit(_ name: String, _ change: ([UInt8]) throws -> some Sequence<UInt8>) throws {
        try Data(change([UInt8](Data(contentsOf: file(name))))).write(to: file(name))
    }

    public func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: file(name)) }

    public func remove(_ name: String) throws { try FileManager.default.removeItem(at: file(name)) }

    /// Replaces one line of a text file; lines count from 1.
    public func replaceLine(_ number: Int, of name: String, by line: String) throws {
        var lines = String(decoding: try Data(contentsOf: file(name)), as: UTF8.self).components(separatedBy: "\n")
        lines[number - 1] = line
        try write(lines.joined(separator: "\n"), to: name)
    }

    /// Replaces a text everywhere in a file.
    public func replace(_ text: String, by other: String, in name: String) throws {
        let whole = String(decoding: try Data(contentsOf: file(name)), as: UTF8.self)
        try write(whole.replacingOccurrences(of: text, with: other), to: name)
    }

    private static let script = """
        import json, math, os, struct, sys, zlib
        folder, frames = sys.argv[1], int(sys.argv[2])
        name = os.path.basename(folder)
        os.makedirs(folder + "/color")

        def put(suffix, data):
            with open(folder + "/" + name + suffix, "wb") as file: file.write(data)

        def deflate(data):
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            return packer.compress(data) + packer.flush()

        def png(width, height, value):
            def chunk(kind, data):
                return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            rows = (b"\\0" + bytes([value]) * (3 * width)) * height
            header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
            return (b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
                    + chunk(b"IEND", b""))

        start, step = 5_000_000_000, 33_333_333
        depth = [[1 + (12 * i + p) / 1024 if p else 0 for p in range(12)] for i in range(frames)]
        depth[0][1:4] = [math.nan, math.inf, -1]
        put(".depth.zlib", deflate(b"".join(struct.pack("<12e", *frame) for frame in depth)))
        put(".confidence.zlib", deflate(bytes(p % 3 for p in range(12)) * frames))
        put(".jsonl", b"".join(json.dumps({
            "timestamp": start + step * i,
            "intrinsics": [100 + i, 0, 0, 0, 100 + i, 0, 4, 3, 1],
            "transform": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, i / 100, 0, 0, 1],
        }).encode() + b"\\n" for i in range(frames)))
        def stream(kind, id, suffix, **more):
            return dict(type=kind, id=id, file_extension=suffix, number_of_frames=frames, frequency=30, **more)
        put(".json", json.dumps({
            "device": {"type": "iPad8,10", "name": "bench"}, "depth_unit": "m",
            "streams": [
                stream("color_camera", "color_back_1", "mp4", resolution=[6, 8]),
                stream("lidar_sensor", "depth_back_1", "depth.zlib", resolution=[3, 4]),
                stream("confidence_map", "confidence_map", "confidence.zlib"),
                stream("camera_info", "camera_info_color_back_1", "jsonl"),
            ]}, indent=1).encode())
        for i in range(frames):
            with open(folder + "/color/%06d.png" % i, "wb") as file: file.write(png(8, 6, i))
        header = ["ply", "format binary_little_endian 1.0", "element rot %d" % (2 * frames), "comment",
                  "property int64 timestamp", "property double x", "property double y", "property double z", "end_header"]
        put(".rot", "\\n".join(header).encode() + b"\\n" + b"".join(
            struct.pack("<qddd", start + step * j // 2, 0.1, 0.2, 0.3) for j in range(2 * frames)))
        corner = lambda x, y, z: {"x": x, "y": y, "z": z}
        with open(folder + "/boundingbox.json", "w") as file: json.dump({
            "center": corner(0.25, 0, -2), "rad_rot_about_y": 0,
            "positions": {v + "_" + h + "_" + d: corner(x, y, z)
                for v, y in (("top", 0.5), ("bot", -0.5)) for h, x in (("left", -0.25), ("right", 0.75))
                for d, z in (("front", -2.5), ("back", -1.5))},
            "entity_anchor_4x4": [[int(i == j) for i in range(4)] for j in range(4)]}, file)
        """
}
