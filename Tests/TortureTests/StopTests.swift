import Foundation
import TestSupport
import Testing

extension Torture {
    /// R13: what a signal does to running captures. (The five seconds are in RunCommandTests.)
    @Suite struct StopTests {
        private static let slow =
            "stages: [{synthesize: {frames: 20000}}, decompress, unproject, voxel-downsample, write-ply]"

        @Test(arguments: [("INT", 130), ("TERM", 143)])
        func aSecondSignalEndsAtOnce(_ name: String, _ status: Int) throws {
            let folder = try TemporaryFolder()
            try folder.write(Self.slow, to: "slow.yaml")
            var capture = MiniCapture()
            capture.id = "in/a"
            capture.frameCount = 1
            try capture.write(in: folder)
            let script = """
                "$1" run slow.yaml in -o out --jobs 1 2> said & run=$!
                until ls out/.scanmill/work/a.* > /dev/null 2>&1; do sleep 0.05; done
                kill -$2 $run
                until grep -q "Send it again to stop at once" said; do sleep 0.01; done
                sleep 0.5
                start=$(date +%s%N); kill -$2 $run; wait $run
                echo "status $? after $(( ($(date +%s%N) - start) / 1000000 )) ms"
                for i in $(seq 100); do pgrep -f "[r]un-one-capture" -s 0 > /dev/null || exit; sleep 0.05; done
                echo orphan
                """
            let result = try runCommand(
                ["timeout", "60", "setsid", "--wait", "bash", "-c", script, "bash", Scanmill.path, name],
                in: folder.path)
            #expect(result.output.hasPrefix("status \(status) after"), "\(result.output)\(result.errors)")
            let words = result.output.split(whereSeparator: \.isWhitespace)
            let milliseconds = words.firstIndex(of: "after").flatMap { Int(words[$0 + 1]) }
            #expect(try #require(milliseconds) < 2000)
            #expect(!result.output.contains("orphan"), "a capture's process lives on")
            #expect(ResultTree(folder.url("out/a").path) == nil)
        }

        /// After Ctrl-S a terminal takes no output. The captures end all the same, and a second signal ends the rest.
        @Test func aTerminalThatStandsStill() throws {
            let folder = try TemporaryFolder()
            try folder.write(Self.slow, to: "slow.yaml")
            try MiniCapture(id: "in/a", frameCount: 1).write(in: folder)
            let script = """
                import fcntl, os, pty, signal, struct, subprocess, sys, termios, time
                parent, terminal = pty.openpty()
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
                run = subprocess.Popen(
                    [sys.argv[1], 'run', 'slow.yaml', 'in', '-o', 'out', '--no-report'], stdin=terminal,
                    stdout=terminal, stderr=terminal, env=dict(os.environ, TERM='xterm'), start_new_session=True)
                def children():
                    listing = subprocess.run(
                        ['ps', '-o', 'stat=', '--ppid', str(run.pid)], capture_output=True, text=True).stdout
                    return [state for state in listing.split() if not state.startswith('Z')]
                while not children() and run.poll() is None:
                    time.sleep(0.1)
                termios.tcflow(terminal, termios.TCOOFF)
                time.sleep(1)
                run.send_signal(signal.SIGTERM)
                end = time.monotonic() + 20
                while children() and time.monotonic() < end:
                    time.sleep(0.1)
                print('children', len(children()))
                if run.poll() is None:
                    run.send_signal(signal.SIGTERM)
                try:
                    print('status', run.wait(10))
                finally:
                    run.kill()
                """
            let result = try runCommand(["python3", "-c", script, Scanmill.path], in: folder.path)
            #expect(result.output == "children 0\nstatus 143\n", "\(result)")
        }

        /// A capture that needs less than five seconds more is finished.
        @Test func theRunningCaptureIsFinished() throws {
            let rig = try Rig(["a", "b", "c", "d"])
            // Many more frames, so that the signal comes before the end, also where this process gets its turn late.
            for (id, frames) in [("b", 120), ("c", 1000), ("d", 120)] {
                try MiniCapture(id: "in/\(id)", frameCount: frames).write(in: rig.folder)
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
