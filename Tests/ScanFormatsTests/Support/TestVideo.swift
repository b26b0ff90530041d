import Foundation
import ScanFormats
import TestSupport
import Testing

/// Videos made with ffmpeg's own command line, so that what they hold does not come from the code under test.
enum TestVideo {
    /// The luma of frame `n` of ``gray(_:in:frames:dropping:size:rate:encoder:)`` in a column, in 16...235.
    static func luma(_ n: Int, column: Int = 0) -> UInt8 { UInt8(16 + (n * 37 + column) % 220) }

    /// Losslessly encoded grey frames, brighter to the right. Some are left out, which leaves a gap in time.
    @discardableResult
    static func gray(
        _ name: String, in folder: TemporaryFolder, frames: Int, dropping dropped: [Int] = [], size: String = "64x48",
        rate: Int = 30, encoder: [String] = ["-pix_fmt", "yuv420p", "-qp", "0"]
    ) throws -> String {
        let path = folder.url(name).path
        let keep = dropped.isEmpty ? "1" : dropped.map { "not(eq(n,\($0)))" }.joined(separator: "*")
        try ffmpeg(
            [
                "-f", "lavfi", "-i", "color=black:s=\(size):r=\(rate),format=yuv420p", "-frames:v",
                String(frames - dropped.count), "-vf",
                "geq=lum='16+mod(N*37+X,220)':cb=128:cr=128,select='\(keep)'", "-fps_mode", "passthrough", "-c:v",
                "libx264",
            ] + encoder + [path])
        return path
    }

    /// A file of two tracks, of which the second, 5 frames of ``gray(_:in:frames:dropping:size:rate:encoder:)``, is marked
    /// as the one to be shown.
    /// - Parameter first: how the first is marked, 3 frames of 32×24: "default" as one to be shown, "0" as one beside it.
    static func twoTracks(_ name: String, in folder: TemporaryFolder, first: String = "0") throws -> String {
        let beside = try gray("beside.mp4", in: folder, frames: 3, size: "32x24")
        let shown = try gray("shown.mp4", in: folder, frames: 5)
        let path = folder.url(name).path
        let marks = ["-disposition:v:0", first, "-disposition:v:1", "default"]
        try ffmpeg(["-i", beside, "-i", shown, "-map", "0", "-map", "1", "-c", "copy"] + marks + [path])
        return path
    }

    /// The same frames at given times, nanoseconds on any clock. Without an edit list, with which ffmpeg 7 hides a last
    /// frame of zero duration.
    @discardableResult
    static func gray(
        _ name: String, in folder: TemporaryFolder, at times: [Int64], dropping dropped: [Int] = []
    ) throws -> String {
        let kept = times.indices.filter { !dropped.contains($0) }
        let planes = kept.flatMap { frame in
            (0..<64 * 48).map { luma(frame, column: $0 % 64) } + Array(repeating: UInt8(128), count: 64 * 48 / 2)
        }
        try folder.write(planes, to: "planes.yuv")
        let steps = kept.enumerated().map { "\((times[$1] - times[kept[0]]) / 1000)*eq(N,\($0))" }
        let path = folder.url(name).path
        try ffmpeg([
            "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "64x48", "-r", "1000000", "-i",
            folder.url("planes.yuv").path, "-vf",
            "settb=1/1000000,setpts='\(steps.joined(separator: "+"))'", "-fps_mode", "passthrough",
            "-video_track_timescale", "1000000", "-use_editlist", "0", "-c:v", "libx264", "-qp", "0", "-bf", "0", path,
        ])
        return path
    }

    /// A moving picture with detail, encoded as phones do, with frames that refer to later ones.
    @discardableResult
    static func detailed(_ name: String, in folder: TemporaryFolder, frames: Int, encoder: [String] = []) throws
        -> String
    {
        let path = folder.url(name).path
        try ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=30", "-frames:v", String(frames), "-c:v", "libx264"]
                + ["-pix_fmt", "yuv420p"] + encoder + [path])
        return path
    }

    /// The same frames with a display matrix that turns them clockwise.
    static func turned(_ path: String, by degrees: Int, in folder: TemporaryFolder) throws -> String {
        let result = folder.url("turned.mp4").path
        let angle = String(360 - degrees)
        let newer = try runCommand(["ffmpeg", "-nostdin", "-display_rotation", angle, "-i", path, "-c", "copy", result])
        // ffmpeg before version 6 knows only this.
        if newer.status != 0 { try ffmpeg(["-i", path, "-c", "copy", "-metadata:s:v", "rotate=\(angle)", result]) }
        return result
    }

    /// The same frames with any display matrix: a pixel at (x, y) is shown at (a·x + c·y, b·x + d·y).
    static func shown(
        _ path: String, by matrix: (a: Int32, b: Int32, c: Int32, d: Int32), in folder: TemporaryFolder
    ) throws -> String {
        var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        let box = try #require(bytes.firstRange(of: "tkhd".utf8)).lowerBound
        // Behind the name, of version 0, lie 40 bytes; then the matrix, in 16.16 fixed point and 2.30 in its last column.
        let first = box + 4 + 40
        for (place, value) in [(0, matrix.a), (1, matrix.b), (3, matrix.c), (4, matrix.d)] {
            let number = UInt32(bitPattern: value << 16)
            for byte in 0..<4 { bytes[first + 4 * place + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte)) }
        }
        return try folder.write(bytes, to: "shown.mp4")
    }

    /// The same video with an edit list that hides its first frame, as left by an app that begins its file after the
    /// time of that frame.
    /// - Parameter rate: frames per second.
    static func hidingFirst(_ path: String, rate: Int, as name: String, in folder: TemporaryFolder) throws -> String {
        let result = folder.url(name).path
        try ffmpeg(["-ss", String(1 / Double(rate)), "-i", path, "-c", "copy", result])
        let flags = try ffprobe(result, "packet=flags").split(separator: "\n")
        try #require(flags.count { $0.contains("D") } == 1)
        return result
    }

    static func ffmpeg(_ arguments: [String]) throws {
        let result = try runCommand(["ffmpeg", "-nostdin", "-loglevel", "error", "-y"] + arguments)
        try #require(result.status == 0, "ffmpeg: \(result.errors)")
    }

    /// What ffprobe prints about the stream under the given names.
    static func ffprobe(_ path: String, _ entries: String) throws -> String {
        let result = try runCommand(
            [
                "ffprobe", "-loglevel", "error", "-select_streams", "v:0", "-show_entries", entries, "-of", "csv=p=0",
                path,
            ])
        try #require(result.status == 0, "ffprobe: \(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// An "ffmpeg" that does what the shell script says; ffprobe stays the real one.
    static func fake(_ script: String, in folder: TemporaryFolder) throws -> FFmpeg {
        let path = try folder.writeProgram("#!/bin/sh\n\(script)\n", to: "bin/ffmpeg")
        return FFmpeg(ffmpeg: path, ffprobe: try FFmpeg.find().ffprobe)
    }
}
