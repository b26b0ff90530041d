import Foundation
import TestSupport
import Testing

extension Torture {
    /// R4: a rerun of a finished batch does no work. R10: ten thousand captures take no more memory than a hundred.
    @Suite struct CrowdTests {
        static let pipeline = """
            name: crowd
            stages:
              - read
              - decompress
              - unproject: {every: 4, color: false}
              - voxel-downsample: {size: 0.2}
              - write-ply

            """

        /// As many captures of twelve files, all of them links to the files of one.
        private static func crowd(_ count: Int) throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            try folder.write(pipeline, to: "crowd.yaml")
            var capture = MiniCapture()
            capture.id = "one"
            capture.frameCount = 5
            let one = try capture.write(in: folder)
            let files = try FileManager.default.subpathsOfDirectory(atPath: one).filter { $0 != "color" }
            #expect(files.count == 12)
            for number in 0..<count {
                let path = folder.url("in/c\(number)").path
                try FileManager.default.createDirectory(atPath: path + "/color", withIntermediateDirectories: true)
                for file in files where link("\(one)/\(file)", "\(path)/\(file)") != 0 {
                    throw TestError("cannot link: \(String(cString: strerror(errno)))")
                }
            }
            // What is younger than two seconds is looked at again.
            try runCommand(["sleep", "2.1"]).require(0)
            return folder
        }

        private static let arguments = ["run", "crowd.yaml", "in", "-o", "out", "--no-report"]

        @Test func aRerunMakesNoCallThatWrites() throws {
            guard Torture.has(.strace, for: "the system calls of a rerun") else { return }
            let strace = try Strace(try Rig(["a", "b", "c"]), .batch)
            try strace.rig.run().require(0)
            let runs = strace.rig.names(".scanmill/runs")
            #expect(try strace.points(.new) == [])
            #expect(try strace.points(.new, isBare: true) == [])
            #expect(strace.rig.names(".scanmill/runs") == runs, "a rerun makes no report")
        }

        @Test func memoryAndProcessorTime() throws {
            let (few, many) = (Torture.times(short: 20, full: 100), Torture.times(short: 150, full: 10_000))
            var peaks: [Int] = []
            for count in [few, many] {
                let folder = try Self.crowd(count)
                let watch = try Watch.run(Self.arguments, in: folder)
                #expect(watch.status == 0)
                #expect(watch.openFiles < 256)
                peaks.append(watch.batchPeak)
                Torture.say(
                    "\(count) captures: \(Watch.megabytes(watch.batchPeak)) in the batch's process, "
                        + "\(Watch.megabytes(watch.capturePeak)) in a capture's, \(watch.openFiles) open files")
                let again = try Watch.run(Self.arguments, in: folder)
                #expect(again.status == 0)
                #expect(again.capturePeak == 0, "a rerun of a finished batch starts no process")
                // Of a small process's child, so that nothing but the tool is counted.
                let script = """
                    import resource, subprocess, sys
                    status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
                    used = resource.getrusage(resource.RUSAGE_CHILDREN)
                    print(status, used.ru_utime + used.ru_stime)
                    """
                let timed = try runCommand(
                    ["python3", "-c", script, Scanmill.path] + Self.arguments, in: folder.path)
                let words = timed.output.split(whereSeparator: \.isWhitespace)
                #expect(words.first == "0", "\(timed.errors)")
                let seconds = try #require(words.last.flatMap { Double($0) })
                Torture.say(
                    "a rerun of \(count) finished captures of 12 files takes \(seconds) s of processor time, "
                        + "\(Watch.megabytes(again.batchPeak))")
                // The promise is 2 s for 10,000; a loaded machine takes longer for the same work.
                if count >= 10_000 { #expect(seconds < 4) }
            }
            // About 4 kB a capture, of which each has its line in the summary; two megabytes more or less come and go.
            #expect(peaks[1] - peaks[0] < 10_000 * (many - few) + 2_000_000, "\(peaks)")
        }
    }
}
