import Foundation
import TestSupport
import Testing

extension Torture {
    /// A machine on which something fails that no capture is to blame for.
    @Suite struct FailingMachineTests {
        /// The disk of the inputs fails in the middle of a video, with an index and without one, or in the index behind it.
        /// ffmpeg and ffprobe take that for the file's end: told as a damaged capture, nobody would look at the disk, and
        /// it would not be tried again.
        @Test(arguments: [("clip.mp4", 0.5), ("clip.mkv", 0.5), ("late.mov", 0.999)])
        func aDiskThatBreaksWithinAVideo(_ name: String, _ share: Double) throws {
            let folder = try TemporaryFolder()
            let path = folder.url(name).path
            let made = try runCommand(
                [
                    "ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=30",
                    "-frames:v",
                    "60", "-c:v", "libx264", "-pix_fmt", "yuv420p",
                ] + (name == "clip.mp4" ? ["-movflags", "+faststart"] : []) + [path])
            try #require(made.status == 0, "\(made.errors)")
            let run = ["run", "video-frames", path, "-o", folder.url("out").path, "-q"]
            let spot = Int(share * Double(try folder.bytes(name).count))
            let failed = try Scanmill.run(
                run,
                environment: [
                    "LD_PRELOAD": Torture.sabotageLibrary,
                    "SABOTAGE_UNREADABLE": "\(URL(fileURLWithPath: path).resolvingSymlinksInPath().path):\(spot)",
                ])
            #expect(failed.status == 3, "\(failed)")
            #expect(failed.errors.contains("Input/output error") && failed.errors.contains(name), "\(failed)")
            let again = try Scanmill.run(run)
            #expect(again.status == 0, "\(again)")
        }

        /// The words of the command line are known from /proc alone. Without any, help would be printed, and a night would
        /// end with success.
        @Test(.enabled(if: Torture.has(.root, for: "a machine without /proc"))) func withoutProc() throws {
            let script = "umount -l /proc || exit 77; exec \"$0\" run nosuch.yaml nosuch -o out"
            let run = try runCommand(["unshare", "--mount", "sh", "-c", script, Scanmill.path])
            if run.status == 77 || run.errors.hasPrefix("unshare: ") {
                return print("SKIPPED: a machine without /proc, because it may not be taken away: \(run.errors)")
            }
            #expect(run.status == 3 && run.output == "", "\(run)")
            #expect(run.errors.contains("/proc is not mounted") && run.errors.contains("fix: "), "\(run)")
        }
    }
}
