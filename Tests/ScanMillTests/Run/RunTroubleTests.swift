import Foundation
import ScanModel
import TestSupport
import Testing

/// Trouble that must not pass for success: tools that are missing, captures that are not whole, mistakes.
@Suite struct RunTroubleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A missing tool is the machine's fault, also for a stage that could do without the colours; and the next night
    /// tries again.
    @Test func withoutFfmpegNothingIsDoneInGrey() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        let cloud = "read, decompress, unproject, write-ply"
        let without = try folder.run(cloud, environment: ["PATH": "\(folder.path)/no-tools"])
        #expect(without.status == 3)
        #expect(without.errors.contains("ffmpeg"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/mini"))
        let with = try folder.run(cloud)
        #expect(with.status == 0, "\(with.errors)")
        let header = String(decoding: try folder.bytes("out/mini/mini.ply").prefix(400), as: UTF8.self)
        #expect(header.contains("property uchar red"))
    }

    /// Decoded pictures may differ with ffmpeg's version, so a new one makes them anew, and says so beforehand.
    @Test func anotherFfmpegIsNoticed() throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        let frames = "read, write-transforms"
        #expect(try folder.run(frames).status == 0)
        #expect(try folder.run(frames).output.contains("1 up to date"))
        let path = try folder.fakeFFmpeg(
            version: "echo 'ffmpeg version 999 of another day'", else: "exec FFMPEG \"$@\"")
        let plan = try Scanmill.run(
            ["plan", "trouble.yaml", "mini", "-o", "out"], in: folder.path, environment: path)
        #expect(plan.output.contains("  since an update, there is ffmpeg version 999"), "\(plan.output)")
        #expect(try folder.run(frames, environment: path).output.contains("1 done"))
        #expect(try folder.run(frames, environment: path).output.contains("1 up to date"))
    }

    /// What the pipeline allows is said all the same.
    @Test func framesThatATruncatedStreamLacksAreSaid() throws {
        try MiniCapture().write(in: folder)
        let depth = try folder.bytes("mini/recorded.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count * 3 / 4)), to: "mini/recorded.depth.zlib")
        let result = try folder.run("{read: {truncated: keep-whole}}, decompress, unproject, write-ply")
        #expect(result.status == 0)
        let lost = "warning: mini: 2 of 7 frames are lost: depth stream truncated (recorded.depth.zlib"
        #expect(result.errors.hasPrefix(lost), "\(result.errors)")
        // Nor does one damage keep another from being said.
        let confidence = try folder.bytes("mini/recorded.confidence.zlib")
        try folder.write(Array(confidence.prefix(confidence.count * 3 / 4)), to: "mini/recorded.confidence.zlib")
        let both = try folder.run("{read: {truncated: keep-whole}}, decompress, mask-confidence, unproject, write-ply")
        for stream in ["depth", "confidence"] {
            #expect(both.errors.contains("\(stream) stream truncated (recorded.\(stream).zlib"), "\(both.errors)")
        }
    }

    /// Of what was cut off early, too little is left to be the capture.
    @Test func aCaptureOfWhichLittleIsLeftFails() throws {
        try MiniCapture().write(in: folder)
        let depth = try folder.bytes("mini/recorded.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count / 3)), to: "mini/recorded.depth.zlib")
        let pipeline = "{read: {truncated: keep-whole}}, decompress, unproject, write-ply"
        let result = try folder.run(pipeline)
        #expect(
            result.status == 1
                && result.errors.contains("2 of 7 frames are whole; the minimum is 50 %"),
            "\(result)")
        let again = ["mini", "-o", "out", "--set", "read.min-whole=0.28"]
        #expect(result.errors.contains("keep them all the same with  \(again[3]) \(again[4])"))
        #expect(try folder.run(pipeline, again).output.contains("done     mini  2 of 7 frames"))
    }

    /// The pipeline can do without it, and the copy is not whole all the same.
    @Test func whatACopyLacksIsSaid() throws {
        try MiniCapture().write(in: folder)
        try FileManager.default.removeItem(at: folder.url("mini/recorded.confidence.zlib"))
        let result = try folder.run("read, decompress, {mask-confidence: {if-missing: pass}}, unproject, write-ply")
        let lack = "recorded.confidence.zlib is missing, though the metadata lists a confidence stream"
        #expect(result.errors.contains("warning: mini: \(lack): copy recorded.confidence.zlib too"), "\(result)")
        #expect(result.status == 0)
        // Nobody asked for it.
        let other = try folder.run("read, measure-motion, write-tum", ["mini", "-o", "other"])
        #expect(other.status == 0 && !other.errors.contains("confidence"), "\(other)")
    }

    /// As a user who may not read them.
    @Test func filesThatMayNotBeReadAreNamed() throws {
        try MiniCapture().write(
            ["open", "closed", "locked", "pictures", "picture"].map { "captures/\($0)" }, in: folder)
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        try FileManager.default.createDirectory(at: folder.url("out"), withIntermediateDirectories: true)
        for (path, mode) in [
            ("", 0o755), ("out", 0o777), ("captures/closed/recorded.depth.zlib", 0), ("captures/locked", 0),
            ("captures/pictures/color", 0), ("captures/picture/color/000001.png", 0),
        ] { #expect(chmod("\(folder.path)/\(path)", mode_t(mode)) == 0) }
        defer { for name in ["locked", "pictures/color"] { chmod("\(folder.path)/captures/\(name)", 0o755) } }
        let what = "files that may not be read"
        guard let command = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        let result = try runCommand(command + ["run", "t.yaml", "captures", "-o", "out"], in: folder.path)
        #expect(result.status == 3, "\(result.output)\n\(result.errors)")
        #expect(result.output.contains("done     open"))
        #expect(result.output.contains("failed   closed"))
        #expect(result.errors.contains("captures/closed/recorded.depth.zlib"))
        #expect(result.errors.contains("let the user who runs scanmill read it"))
        #expect(result.output.contains("failed   locked  the folder cannot be looked into: Permission denied"))
        // What cannot be looked at must not pass for what is not there: a cloud without colour, a frame less.
        #expect(result.output.contains("failed   pictures  a part of the capture is out of reach: Permission denied"))
        #expect(result.output.contains("failed   picture  no permission to read the file"))
        for name in ["closed", "pictures", "picture"] {
            #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/\(name)"))
        }
        let inspection = try runCommand(command + ["inspect", "captures/locked"], in: folder.path)
        #expect(inspection.status == 3)
        #expect(
            inspection.errors == """
                error: the folder cannot be looked into: Permission denied
                  --> captures/locked
                   = fix: let the user who runs scanmill read it, or leave it out

                """)
    }

    @Test func swappedDepthSizesAreNoticed() throws {
        try MiniCapture().write(in: folder)
        let file = folder.url("mini/recorded.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let swapped = text.replacingOccurrences(
            of: #"\[\s*12,\s*16\s*\]"#, with: "[16, 12]", options: .regularExpression)
        #expect(swapped != text)
        try swapped.write(to: file, atomically: true, encoding: .utf8)
        let result = try folder.run("read, decompress, unproject, write-ply")
        #expect(result.status == 1)
        #expect(result.errors.contains("depth of 12×16 does not fit pictures of 32×24"))
    }

    @Test func damagedDepthIsABadFrame() throws {
        try MiniCapture(frameCount: 40).write(in: folder)
        // Stored blocks: wrong bytes stay what they are. Every second pixel of frame 3 becomes negative.
        var bytes = try folder.bytes("mini/recorded.depth.zlib")
        let frame = MiniCapture.depthSize.width * MiniCapture.depthSize.height * 2
        for pixel in stride(from: 0, to: frame, by: 4) { bytes[5 + 3 * frame + pixel + 1] |= 0x80 }
        try Data(bytes).write(to: folder.url("mini/recorded.depth.zlib"))
        let result = try folder.run("read, decompress, unproject, write-ply")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("done     mini  39 of 40 frames (1 bad frame dropped), "))
        let receipt = try JSONValue.parse(try folder.bytes("out/mini/receipt.json"), file: "receipt.json")
        let dropped = try #require(receipt["frames"]?["dropped"]?.array)
        #expect(dropped.count == 1 && dropped.first?["frame"] == .integer(3))
        #expect(dropped.first?["reason"]?.string?.contains("the depth is damaged here") == true)
        // A look at the capture says the same.
        let looks = try Scanmill.run(["inspect", "mini"], in: folder.path)
        #expect(looks.status == 0 && looks.output.contains("a bad frame would be dropped"), "\(looks.output)")
        for spoiled in 4..<12 {
            for pixel in stride(from: 0, to: frame, by: 4) { bytes[5 + spoiled * frame + pixel + 1] |= 0x80 }
        }
        try Data(bytes).write(to: folder.url("mini/recorded.depth.zlib"))
        let many = try Scanmill.run(["inspect", "mini"], in: folder.path)
        #expect(many.status == 1 && many.output.contains("are bad"), "\(many.output)")
    }

    @Test func anEmptyCloudIsSaid() throws {
        try MiniCapture().write(in: folder)
        let result = try folder.run("read, decompress, {mask-range: {near: 50, far: 60}}, unproject, write-ply")
        #expect(result.status == 0)
        #expect((result.output + result.errors).contains("the cloud holds no points"))
    }

    @Test func mistakesOfUsageEndWithTwo() throws {
        try MiniCapture().write(in: folder)
        for arguments in [
            ["mini", "-o", "out", "--jobs", "0"], ["mini"], ["mini", "-o", "out", "--until", "25:99"],
            ["mini", "-o", "out", "--min-free", "20X"], ["mini", "-o", "out", "--min-free", "20"],
            ["mini", "-o", "out", "--max-memory", "20i"],
        ] { #expect(try folder.run("read", arguments).status == 2, "\(arguments)") }
        // Less than a megabyte has to be said with its unit.
        #expect(try folder.run("read", ["mini", "-o", "out", "--min-free", "500k"]).status == 0)
        #expect(try Scanmill.run(["verfy"]).status == 2)
        #expect(try Scanmill.run(["--help"]).status == 0)
        #expect(try Scanmill.run(["run", "--help"]).output.contains("USAGE"))
    }
}
