import Foundation
import ScanModel
import TestSupport
import Testing

/// What is larger than `read` takes is refused, in words that name the option that allows it.
@Suite struct ReadLimitsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Three points, and two frames.
    private static func made() throws -> StageRun {
        var capture = try MemoryCapture.posed(2)
        capture.items[0].points = PointCloud(positions: [0, 0, 0, 1, 0, 0])
        capture.items[1].points = PointCloud(positions: [0, 1, 0])
        return try StageRun("- voxel-downsample: {size: 0.001}\n- write-colmap\n- write-transforms", on: capture)
    }

    @Test(arguments: [
        ("binary", "there are 3 points, more than 2 (sparse/0/points3D.bin"),
        ("text", "there are more than 2 points (sparse/0/points3D.txt:5)"),
        ("transforms", "there are 3 points, more than 2 (points.ply)"),
    ]) func pointsBeyondTheLimit(_ form: String, _ words: String) throws {
        let made = try Self.made()
        if form == "text" {
            for name in ["cameras", "images", "points3D"] {
                try FileManager.default.removeItem(atPath: "\(made.path)/colmap/sparse/0/\(name).bin")
            }
        }
        let path = "\(made.path)/\(form == "transforms" ? "nerf" : "colmap")"
        let run = try StageRun("- read: {max-points: 3}\n- write-ply", reading: path)
        #expect(run.capture.cloud?.count == 3)
        // The rest of the capture is sound: what needs the points says why there are none.
        let problem = problem { _ = try StageRun("- read: {max-points: 2}\n- write-ply", reading: path) }
        #expect(problem?.fault == .input)
        let notes = problem?.notes ?? []
        #expect(notes.first?.hasPrefix("the points cannot be read: \(words)") == true, "\(notes)")
        // Text is not counted to its end.
        let enough = form == "text" ? 4 : 3
        #expect(problem?.fix == "if that is right, allow more with  --set read.max-points=\(enough)")
    }

    /// A capture of seven frames in an archive, with so many zeros beside it.
    /// - Returns: the archive's path, its entries, their bytes unpacked, and those for each of the archive's.
    private func archive(zeros: Int = 0) throws -> (path: String, entries: Int, bytes: Int, ratio: Int) {
        let capture = try MiniCapture().write(in: folder)
        if zeros > 0 { try folder.write([UInt8](repeating: 0, count: zeros), to: "mini/zeros.bin") }
        let script = """
            import os, sys, zipfile
            top, path = sys.argv[1:]
            with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
                for folder, _, names in os.walk(top):
                    for name in names:
                        file = os.path.join(folder, name)
                        archive.write(file, 'mini/' + os.path.relpath(file, top))
                entries = archive.infolist()
            total = sum(entry.file_size for entry in entries)
            print(len(entries), total, total // os.path.getsize(path))
            """
        let path = folder.url("mini.zip").path
        let said = try runPython(script, [capture, path]).require(0).output
        let numbers = said.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(numbers.count == 3)
        return (path, numbers[0], numbers[1], numbers[2])
    }

    private func check(_ path: String, _ option: String, allows most: Int, else summary: String) throws {
        let run = try StageRun("- read: {\(option): \(most)}", reading: path)
        #expect(run.kept.count == 7, "\(option)")
        let problem = problem { _ = try StageRun("- read: {\(option): \(most - 1)}", reading: path) }
        #expect(problem?.fault == .input && problem?.summary == summary, "\(problem?.summary ?? "read")")
        #expect(problem?.notes.first == "the limit is \(most - 1); nothing was unpacked")
        let fix = "if it is sound, allow more with  --set read.\(option)=\(most)  or unpack it yourself"
        #expect(problem?.fix == fix)
    }

    @Test func entriesAndBytesOfAnArchive() throws {
        let archive = try archive()
        try check(
            archive.path, "max-archive-entries", allows: archive.entries,
            else: "the archive holds \(archive.entries) entries")
        try check(
            archive.path, "max-archive-bytes", allows: archive.bytes,
            else: "the archive holds more than \(archive.bytes - 1) bytes")
    }

    /// Of archives that hold more than 16 MiB.
    @Test func bytesForEachOfAnArchives() throws {
        let archive = try archive(zeros: 17 << 20)
        #expect(archive.ratio > 200)
        let summary = "the archive holds \(archive.ratio) bytes for each of the archive's"
        try check(archive.path, "max-archive-ratio", allows: archive.ratio + 1, else: summary)
        let usual = problem { _ = try StageRun("- read", reading: archive.path) }
        #expect(usual?.summary == summary && usual?.notes.first == "the limit is 200; nothing was unpacked")
    }
}
