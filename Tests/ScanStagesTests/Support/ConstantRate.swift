import TestSupport
import Testing

/// Expects that a program which decodes a video of the result at a constant rate, as ffmpeg does when it writes numbered
/// pictures, takes every frame once.
/// - Parameter bytes: pixels of a frame.
func expectEachFrameOnce(_ video: String, of run: StageRun, count: Int, bytes: Int) throws {
    func decoded(_ mode: [String]) throws -> [UInt8] {
        try runCommand(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", "\(run.path)/\(video)"] + mode
                + ["-pix_fmt", "gray", "-f", "rawvideo", "pipe:1"]
        ).outputBytes
    }
    let frames = try decoded(["-fps_mode", "passthrough"])
    #expect(frames.count == count * bytes)
    #expect(try decoded([]) == frames)
}
