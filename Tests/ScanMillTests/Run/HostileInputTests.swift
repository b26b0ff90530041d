import Foundation
import ScanModel
import TestSupport
import Testing

/// Captures that are broken, odd or made to do harm, taken through the tool as people run it: it ends soon, names what is
/// wrong, and the good capture beside them comes out.
@Suite(.timeLimit(.minutes(20))) struct HostileInputTests {
    static let pipeline = """
        name: hostile
        stages:
          - read
          - decompress
          - unproject
          - voxel-downsample: {size: 0.01}
          - write-ply
          - write-transforms
          - write-colmap

        """

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.pipeline, to: "p.yaml")
    }

    /// A sound capture of 30 frames, of which one may be bad.
    private func sample(_ change: (inout MultiScanSample) -> Void = { _ in }) -> MultiScanSample {
        var sample = MultiScanSample()
        sample.frameCount = 30
        change(&sample)
        return sample
    }

    private func write(_ name: String, _ sample: MultiScanSample? = nil) throws {
        try folder.write(try (sample ?? self.sample()).files(), under: "in/\(name)")
    }

    private func run(_ arguments: [String] = []) throws -> CommandResult {
        try Scanmill.run(["run", "p.yaml", "in", "-o", "out", "--patience", "60s"] + arguments, in: folder.path)
    }

    private func path(_ name: String) -> String { "\(folder.path)/in/\(name)" }

    private var published: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out")
        return (names ?? []).filter { $0 != ".scanmill" }.sorted()
    }

    /// The reasons of dropped frames, as the receipt has them.
    private func drops(_ id: String) throws -> [String] {
        let receipt = try JSONValue.parse(try folder.bytes("out/\(id)/receipt.json"), file: "receipt")
        return (receipt["frames"]?["dropped"]?.array ?? []).map {
            "\($0["frame"]?.integer ?? -1): \($0["reason"]?.string ?? "")"
        }
    }

    // MARK: - Things that are no files

    enum Oddity: String, CaseIterable, Sendable {
        case pipe = "a pipe, not a file"
        case folder = "a folder"
        case dangling = "a link to nothing"
        case circle = "a link that leads in a circle"

        func put(at path: String) throws {
            try? FileManager.default.removeItem(atPath: path)
            switch self {
            case .pipe: #expect(mkfifo(path, 0o644) == 0)
            case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            case .dangling: #expect(symlink("nowhere", path) == 0)
            case .circle: #expect(symlink(path, path) == 0)
            }
        }
    }

    @Test(arguments: Oddity.allCases) func whatIsNoFileIsNamedAndNotWaitedFor(_ oddity: Oddity) throws {
        // Each in place of one file of a capture of its own.
        let files = ["scan.jsonl", "scan.depth.zlib", "scan.json", "scan.confidence.zlib", "boundingbox.json"]
        for file in files + ["scan.rot", MultiScanSample.pictureName(4)] {
            let id = String(file.split(separator: "/").last ?? "")
            try write(id)
            try oddity.put(at: path("\(id)/\(file)"))
        }
        try write("good")
        let result = try run()
        // What a link leads to may be there again tomorrow, and a result without it would replace the good one.
        if oddity == .dangling {
            #expect(result.status == 3)
            for file in files + ["scan.rot"] {
                let told = "error: this is a link to nothing\n  --> in/\(file)/\(file), stage read"
                // Of the last one in one line.
                let toldShortly = "error: \(file): this is a link to nothing (\(file), stage read)"
                #expect(result.errors.contains(told) || result.errors.contains(toldShortly), "\(file)")
            }
            #expect(published == ["good"])
            return
        }
        #expect(result.status == 1)
        for file in ["scan.jsonl", "scan.depth.zlib"] {
            #expect(result.errors.contains("= \(file) is \(oddity.rawValue)"), "\(result.errors)")
        }
        // Though the pictures alone would be a capture too.
        #expect(result.errors.contains("  --> in/scan.json/scan.json"), "\(result.errors)")
        #expect(result.errors.contains("warning: scan.rot: scan.rot is \(oddity.rawValue), and is left out"))
        #expect(published == ["000004.png", "boundingbox.json", "good", "scan.confidence.zlib", "scan.rot"])
        #expect(try drops("000004.png") == ["4: it has no picture in color/"])
        #expect(try drops("good") == [])
    }

    // MARK: - Names

    @Test func oddNamesAreRefusedOrKept() throws {
        let kept = ["a b", "-x", "--help", "a'b\"c", "$(touch x)", "日本", String(repeating: "k", count: 200)]
        let refused = [
            "line\nbreak": "line\\u{a}break", "red\u{1b}[31m": "red\\u{1b}[31m",
            String(repeating: "l", count: 255): String(repeating: "l", count: 255),
        ]
        // The same name to every reader, and two to the disk.
        let twins = ["caf\u{e9}", "cafe\u{301}"]
        for name in kept + refused.keys + twins + [".hidden", ".scanmill"] { try write(name) }
        let result = try run()
        #expect(result.status == 1)
        #expect(published == kept.sorted())
        for shown in refused.values {
            #expect(result.output.contains("failed   \(shown)  the capture's id "), "\(shown)")
        }
        #expect(result.errors.contains("error: 2 captures are called café"))
        #expect(!result.errors.contains("\u{1b}") && !result.output.contains("\u{1b}"))
        #expect(result.output.contains("11 captures: 7 done, 4 failed; "), "\(result.output)")

        // Trying a name again that cannot be an id does not help.
        #expect(!result.errors.contains("to try it again"), "\(result.errors)")
    }

    /// As a whole line would be shown backwards from such a mark on, what is said would not be what is read.
    @Test func namesThatTurnTheTextAreWrittenOut() throws {
        let id = "a\u{202e}gpj.b"
        try write(id, sample { $0.lines = [1: "", 2: ""] })
        let result = try run(["--log", "log"])
        #expect(result.status == 1)
        #expect(result.errors.contains("  --> in/a\\u{202e}gpj.b"), "\(result.errors)")
        let status = try Scanmill.run(["status", "out", "--json"], in: folder.path)
        let log = String(decoding: try folder.bytes("log"), as: UTF8.self)
        let page = try runCommand(["bash", "-c", "cat out/.scanmill/runs/*/report.html"], in: folder.path)
        #expect(page.output.contains("a\\u{202e}gpj.b"))
        for said in [result.output, result.errors, status.output, log, page.output] {
            #expect(!said.unicodeScalars.contains("\u{202e}"), "\(said)")
        }
        #expect(status.output.contains("a\\u202egpj.b"), "\(status.output)")
        let again = try #require(result.errors.split(separator: "\n").first { $0.hasPrefix("to try it again") })
        let words = again.drop { $0 != "$" }.split(separator: " ")[0]
        let echoed = try runCommand(["bash", "-c", "printf %s \(words)"])
        #expect(Array(echoed.output.utf8) == Array("in/\(id)".utf8))
    }

    @Test func namesThatCannotBeIdsWriteNothing() throws {
        try write(".scanmill")
        let result = try Scanmill.run(["run", "p.yaml", "in/.scanmill", "-o", "out"], in: folder.path)
        #expect(result.status == 1)
        #expect(result.errors.contains("error: `.scanmill` cannot be a capture's id"))
        #expect(result.errors.contains("\ntrying .scanmill again does not help: rename the capture\n"))
        #expect(!result.errors.contains("to try it again"))
        #expect(published == [])
        // A folder is called what it is called, however it is named.
        try write("a")
        for (place, name) in [("in/a", "."), ("in", "a/."), ("in", "./a/"), ("in/a/color", "..")] {
            let result = try Scanmill.run(
                ["run", "\(folder.path)/p.yaml", name, "-o", "\(folder.path)/out", "--force"],
                in: "\(folder.path)/\(place)")
            #expect(result.status == 0, "\(place) \(name): \(result.errors)")
            #expect(published == ["a"])
        }
    }

    @Test func aNameThatIsNotTextIsSaid() throws {
        try write("a")
        let made = try runCommand(["bash", "-c", "cp -r in/a $'in/latin\\xe9'"], in: folder.path)
        #expect(made.status == 0)
        let result = try run()
        #expect(result.status == 1)
        #expect(result.errors.contains("error: a name is not UTF-8, so what it names was left out"))
        #expect(!result.errors.contains("to try it again"))
        #expect(published == ["a"])
        let entry = "failed  latin\u{FFFD}  a name is not UTF-8, so what it names was left out\n"
        #expect(try Scanmill.run(["status", "out"], in: folder.path).output == entry + "1 done, 1 failed\n")
        // Nobody can type the name.
        let commands = ["grep", "-rlE", "scanmill (run|inspect) [^<]*latin", "out/.scanmill/runs"]
        #expect(try runCommand(commands, in: folder.path).status == 1)
        let again = try run()
        #expect(again.status == 1 && again.output.contains("failed   latin\u{FFFD}  as before: a name"), "\(again)")
        #expect(try runCommand(["bash", "-c", "mv in/latin* in/latin"], in: folder.path).status == 0)
        #expect(try run().status == 0)
        #expect(try Scanmill.run(["status", "out"], in: folder.path).output == "2 done\n")
    }

    // MARK: - Numbers

    @Test func noNumberThatIsNoneComesOut() throws {
        let line = { (fx: String, place: String) in
            "{\"timestamp\": 1100000000, \"intrinsics\": [\(fx),0,0,0,31,0,15,12,1],"
                + " \"transform\": [1,0,0,0,0,1,0,0,0,0,1,0,\(place),0,0,1]}"
        }
        let bad: [(id: String, line: String, reason: String)] = [
            ("nan", line("30", "NaN"), "NaN is not a number in JSON"),
            ("infinite", line("30", "1e999"), "the number 1e999 is too large for a double"),
            ("far", line("30", "1e300"), "the camera is more than 10,000 km from the origin"),
            ("flat", line("0", "1"), "the focal length is 0.0 × 31.0"),
            ("wide", line("1e300", "1"), "the focal length is 1e+300 × 31.0"),
            ("singular", line("30", "1").replacing("[1,0,0,0,0,1", with: "[0,0,0,0,0,1"), "the pose is singular"),
            ("mirrored", line("30", "1").replacing("[1,0,0,0,0,1", with: "[-1,0,0,0,0,1"), "the pose is mirrored"),
            ("empty", "", "the camera line is blank"),
        ]
        for (id, line, _) in bad { try write(id, sample { $0.lines[1] = line }) }
        // One more is more than one in twenty.
        try write("many", sample { $0.lines = [1: line("0", "1"), 2: line("0", "1")] })
        // Depth that is NaN, infinite and negative.
        var files = try sample().files()
        var depth = sample().rawDepth(30)
        for (place, half) in [0: 0x7e00, 8: 0x7c00, 16: 0xfc00, 24: 0xbc00, 32: 0x7bff] as [Int: UInt16] {
            depth[place] = UInt8(half & 255)
            depth[place + 1] = UInt8(half >> 8)
        }
        files["scan.depth.zlib"] = try MultiScanSample.deflate(depth)
        try folder.write(files, under: "in/depth")

        let result = try run()
        #expect(result.status == 1)
        #expect(published == (bad.map(\.id) + ["depth"]).sorted())
        #expect(result.errors.contains("error: 2 of 30 frames are bad (6.667 %)"), "\(result.errors)")
        for (id, _, reason) in bad {
            let drops = try drops(id)
            #expect(drops.count == 1 && drops.first?.hasPrefix("1: ") == true, "\(drops)")
            #expect(drops.first?.contains(reason) == true, "\(drops)")
        }
        let script = """
            import json, math, os, struct, sys
            def walk(value):
                if isinstance(value, float): assert math.isfinite(value)
                elif isinstance(value, dict): [walk(v) for v in value.values()]
                elif isinstance(value, list): [walk(v) for v in value]
            def refuse(name): raise ValueError(name)
            for folder, _, names in os.walk(sys.argv[1]):
                if '.scanmill' in folder: continue
                for name in names:
                    data = open(os.path.join(folder, name), 'rb').read()
                    if name.endswith('.json'): walk(json.loads(data, parse_constant=refuse))
                    if name.endswith('.ply'):
                        head, body = data.split(b'end_header\\n', 1)
                        size = 12 + 3 * (b' red' in head)
                        assert len(body) % size == 0 and len(body) > 0
                        for i in range(0, len(body), size):
                            assert all(map(math.isfinite, struct.unpack_from('<fff', body, i)))
                        print('ply')
                    if name.endswith('.txt'): assert b'nan' not in data.lower() and b'inf' not in data.lower(), name
            """
        let checked = try runPython(script, ["\(folder.path)/out"])
        #expect(checked.status == 0, "\(checked.errors)")
        #expect(checked.output.split(separator: "\n").count >= published.count)
    }

    // MARK: - Sizes

    /// None of these may take the memory that it asks for: a capture's process is ended above 400 MB.
    @Test func whatAsksForMuchGetsLittle() throws {
        let line = String(repeating: "x", count: 100_000_000)
        try write("line", sample { $0.lines[3] = line })

        // 50,000 × 50,000 pixels in the header of a small picture, and a side beyond what PNG allows.
        for (id, sides) in [("picture", [0, 0, 0xc3, 0x50]), ("side", [0x7f, 0xff, 0xff, 0xff])] as [(String, [UInt8])]
        {
            try write(id)
            var png = try sample().png(5)
            png.replaceSubrange(16..<24, with: sides + sides)
            png.replaceSubrange(29..<33, with: crc(png[12..<29]))
            try folder.write(png, to: "in/\(id)/\(MultiScanSample.pictureName(5))")
        }

        // A gigabyte of zeros behind the frames, at a thousand to one.
        var files = try sample().files()
        let megabyte = try MultiScanSample.deflate([UInt8](repeating: 0, count: 1 << 20)).dropLast(2)
        let frames = (files["scan.depth.zlib"] ?? []).dropLast(2)
        files["scan.depth.zlib"] = frames + (0..<1000).flatMap { _ in megabyte } + [0x03, 0x00]
        try folder.write(files, under: "in/bomb")

        // Line breaks without end.
        files = try sample().files()
        files["scan.jsonl"] = [UInt8](repeating: 10, count: 50_000_000) + (files["scan.jsonl"] ?? [])
        try folder.write(files, under: "in/breaks")

        let result = try run(["--capture-memory", Sanitizer.isOn ? "4G" : "400M"])
        #expect(result.status == 1)
        #expect(published == ["line", "picture", "side"], "\(result.errors)")
        #expect(try drops("line").count == 1)
        #expect(try drops("line").first?.hasPrefix("3: the camera line has 100000000 bytes; the limit is ") == true)
        #expect(try drops("picture").first?.hasPrefix("5: a picture of 50000 × 50000 pixels") == true)
        #expect(try drops("side").first?.hasPrefix("5: ") == true)
        #expect(result.errors.contains("error: the streams differ in length by at least 4 frames"))
        #expect(result.errors.contains("error: there are more than 250000 camera lines"))
        #expect(!result.errors.contains("of memory"))
    }

    private func crc(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ~sum >> $0) }
    }

    // MARK: - Pipeline files

    @Test func aPipelineThatIsNoText() throws {
        try write("a")
        try folder.write(Array("name: gr".utf8) + [0xf6, 0xdf] + Array("e\nstages: [read]\n".utf8), to: "p.yaml")
        let latin = try run()
        #expect(latin.status == 2)
        #expect(latin.errors.contains("p.yaml:1:1: error: this is not UTF-8 text"))
        for oddity in Oddity.allCases {
            try oddity.put(at: "\(folder.path)/p.yaml")
            let result = try run()
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("p.yaml: error: "), "\(result.errors)")
        }
        #expect(published == [])
    }
}
