import Foundation
import TestSupport
import Testing

extension Torture {
    /// R13: what a signal does to running captures. (The five seconds are in RunCommandTests.)
    @Suite struct StopTests {
        private static let slow =
            "stages: [{synthesize: {frames: 20000}}, decompress, unproject, voxel-downsample, write-ply]"

        /// Runs two captures that take minutes, and sends signals.
        private func stop(_ script: String) throws -> (
            result: CommandResult, milliseconds: Int, folder: TemporaryFolder
        ) {
            let folder = try TemporaryFolder()
            try folder.write(Self.slow, to: "slow.yaml")
            for id in ["a", "b"] {
                var capture = MiniCapture()
                capture.id = "in/\(id)"
                capture.frameCount = 1
                try capture.write(in: folder)
            }
            let whole = """
                "$1" run slow.yaml in -o out --jobs 1 & run=$!
                for i in $(seq 200); do ls out/.scanmill/work/a.* > /dev/null 2>&1 && break; sleep 0.05; done
                start=$(date +%s%N)
                \(script)
                wait $run
                echo "status $? after $(( ($(date +%s%N) - start) / 1000000 )) ms"
                for i in $(seq 100); do pgrep -f "run-one-capture" -s 0 > /dev/null || break; sleep 0.05; done
                pgrep -f "run-one-capture" -s 0 > /dev/null && echo orphan
                """
            let result = try runCommand(
                ["setsid", "--wait", "bash", "-c", whole, "bash", Scanmill.path], in: folder.path)
            let words = result.output.split(whereSeparator: \.isWhitespace)
            let time = words.firstIndex(of: "after").flatMap { Int(words[$0 + 1]) }
            return (result, time ?? .max, folder)
        }

        @Test(arguments: [("INT", 130), ("TERM", 143)])
        func aSecondSignalEndsAtOnce(_ name: String, _ status: Int) throws {
            let (result, milliseconds, folder) = try stop("kill -\(name) $run; sleep 0.5; kill -\(name) $run")
            #expect(result.output.contains("status \(status) after"), "\(result.output)\(result.errors)")
            #expect(milliseconds < 2500)
            #expect(!result.output.contains("orphan"), "a capture's process lives on")
            #expect(ResultTree(folder.url("out/a").path) == nil)
        }

        /// A capture that needs less than five seconds more is finished.
        @Test func theRunningCaptureIsFinished() throws {
            let rig = try Rig(["a", "b", "c", "d"])
            for id in rig.ids.dropFirst() {
                // Many more frames, so that the signal comes before the end.
                var capture = MiniCapture()
                capture.id = "in/\(id)"
                capture.frameCount = 400
                try capture.write(in: rig.folder)
            }
            let process = try rig.start()
            while process.isRunning && rig.names(".scanmill/work").allSatisfy({ !$0.hasPrefix("b.") }) { usleep(500) }
            kill(process.processIdentifier, SIGTERM)
            process.waitUntilExit()
            #expect(process.terminationStatus == 143)
            let output = String(decoding: try rig.folder.bytes("run.out"), as: UTF8.self)
            #expect(output.contains("done     b  "), "\(output)")
            #expect(output.contains("left     d  stopped by SIGTERM"), "\(output)")
            #expect(rig.tree("b")?.defects == [])
            #expect(rig.tree("d") == nil)
            #expect(rig.names(".scanmill/work") == [])
        }
    }
}
