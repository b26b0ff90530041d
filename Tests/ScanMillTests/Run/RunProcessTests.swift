import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// The processes of a run: how many there are, what ends them, and what they write to.
@Suite struct RunProcessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A healthy ffmpeg ends with its reader; one that hangs is why there is patience.
    @Test func aHungFfmpegEndsWithItsCapture() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        let path = try folder.fakeFFmpeg(version: "FFMPEG -version", else: "sh -c 'sleep 1000; : \(folder.path)/hung'")
        let result = try folder.run(
            "read, filter-blur: {window: 3}, write-transforms",
            ["mini", "-o", "out", "--patience", "2s", "--no-report"], environment: path)
        #expect(result.status == 3)
        #expect(
            result.errors.contains("the capture made no progress for 2 s and was ended\n  --> mini\n"),
            "\(result.errors)")
        #expect(result.errors.contains("= nothing was published for mini\n"), "\(result.errors)")
        #expect(try runCommand(["pgrep", "-f", "\(folder.path)/hung"]).output == "")
    }

    /// Between the reading of a description and its digest, which would be that of bytes nobody has read.
    @Test(arguments: ["replaced", "gone"]) func aFileThatIsChangedWhileTheCaptureIsOpened(_ how: String) throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        let capture = "\(folder.path)/mini"
        let change = how == "gone" ? "rm \(capture)/*.mp4" : "sed -i '$d' \(capture)/*.jsonl"
        let ffprobe = try FFmpeg.find().ffprobe
        try folder.writeProgram(
            "#!/bin/sh\n[ -e \(folder.path)/done ] || { touch \(folder.path)/done; \(change); }\nexec \(ffprobe) \"$@\"\n",
            to: "bin/ffprobe")
        let path = ["PATH": "\(folder.path)/bin:\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
        let cloud = "read, decompress, unproject, write-ply"
        let result = try folder.run(cloud, ["mini", "-o", "out", "--no-report"], environment: path)
        #expect(result.status == 3, "\(result.errors)")
        #expect(result.errors.contains("the capture was changed while it was read"), "\(result.errors)")
        #expect(result.errors.contains("is not as it was"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/mini"))
        if how == "replaced" { #expect(try folder.run(cloud, ["mini", "-o", "out", "--no-report"]).status != 3) }
    }

    /// As when a machine sleeps: what could not run has not stood still.
    @Test func timeInWhichTheRunIsStoppedDoesNotCount() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        // First the capture's process, so that all it said is heard, and last, so that it says nothing more at once.
        let sleeps = "kill -STOP $PPID; sleep 0.5; kill -STOP $(cat run); sleep 6; kill -CONT $(cat run)"
        let pause = "[ -e paused ] || { touch paused; \(sleeps); sleep 1; kill -CONT $PPID; }"
        let path = try folder.fakeFFmpeg(version: "FFMPEG -version", else: "\(pause); exec FFMPEG \"$@\"")
        try folder.write("name: t\nstages: [read, filter-blur: {window: 3}, write-transforms]\n", to: "t.yaml")
        let script = "echo $$ > run; exec \"$1\" run t.yaml mini -o out --patience 4s --no-report"
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path, environment: path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/paused"))
    }

    /// By the clock of a place where a minute ends in 15 seconds. What has begun by then goes on to its end.
    @Test func nothingBeginsAfterUntil() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(["captures/a", "captures/b"], in: folder)
        let now = Int(Date().timeIntervalSince1970)
        let pause = "while [ $(date +%s) -le \(now + 15) ]; do sleep 0.2; done"
        let path = try folder.fakeFFmpeg(version: "FFMPEG -version", else: "\(pause); exec FFMPEG \"$@\"")
        let ahead = (105 - now % 60) % 60
        let end = now + ahead + 15
        let two = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        let until = "\(two(end / 3600 % 24)):\(two(end / 60 % 60))"
        let result = try folder.run(
            "read, filter-blur: {window: 3}, write-transforms",
            ["captures", "-o", "out", "--jobs", "1", "--no-report", "--until", until],
            environment: path.merging(["TZ": "HERE-0:00:\(two(ahead))"]) { $1 })
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("2 captures: 1 done, 1 left"), "\(result.output)")
        #expect(result.output.contains("left     b  it was too late to begin (--until)\n"), "\(result.output)")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/a/receipt.json"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/b"))
    }

    /// It comes again when that runner is done, which a code of its own says; what fails outranks it.
    @Test func aCaptureThatAnotherRunnerHas() throws {
        try MiniCapture().write(["captures/mini", "captures/other"], in: folder)
        try withExtendedLifetime(try CaptureLock("mini", in: StateFolder(output: "\(folder.path)/out"))) { lock in
            #expect(lock != nil)
            let busy = try folder.run("read, decompress", ["captures", "-o", "out", "--no-report"])
            #expect(busy.status == 75, "\(busy.errors)")
            #expect(busy.output.contains("busy     mini  another runner works on it\n"), "\(busy.output)")
            #expect(busy.output.contains("2 captures: 1 done, 1 busy"), "\(busy.output)")
            try folder.write("{", to: "captures/other/recorded.json")
            #expect(try folder.run("read, decompress", ["captures", "-o", "out", "--no-report"]).status == 1)
        }
    }

    /// As by an update during the run: every capture of a night is made by one and the same program.
    @Test(.disabled(if: Sanitizer.isOn, "what is known cannot be told by the names of a program that is gone"))
    func aToolThatIsRemovedGoesOn() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(["captures/a", "captures/b"], in: folder)
        let path = try folder.fakeFFmpeg(version: "FFMPEG -version", else: "rm -f bin/scanmill; exec FFMPEG \"$@\"")
        #expect(try runCommand(["cp", Scanmill.path, "bin/scanmill"], in: folder.path).status == 0)
        try folder.write("name: t\nstages: [read, filter-blur: {window: 3}, write-transforms]\n", to: "t.yaml")
        let result = try runCommand(
            ["\(folder.path)/bin/scanmill", "run", "t.yaml", "captures", "-o", "out", "--jobs", "1"],
            in: folder.path, environment: path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("2 captures: 2 done"), "\(result.output)")
        #expect(result.output.contains("the report is "))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/bin/scanmill"))
    }

    /// Starts a run in the background, waits until what it runs at its end has made the file `begun`, and sends SIGTERM.
    private func stoppedAtItsEnd(_ arguments: String, environment: [String: String] = [:]) throws -> CommandResult {
        try folder.write("name: trouble\nstages: [read, decompress]\n", to: "trouble.yaml")
        let script = """
            "$1" run trouble.yaml mini -o out \(arguments) & run=$!
            for i in $(seq 300); do [ -e begun ] && break; sleep 0.1; done
            kill -TERM $run; wait $run; echo "status $?"
            """
        return try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path, environment: environment)
    }

    @Test func aSignalIsPassedOnToTheLastCommand() throws {
        try MiniCapture().write(in: folder)
        try folder.write(
            "trap 'echo told; exit 7' TERM\ntouch begun\nsleep 60 & wait\necho slept\n", to: "hook.sh")
        let result = try stoppedAtItsEnd("--no-report --on-finish 'sh hook.sh'")
        #expect(result.output.hasSuffix("status 143\n"), "\(result.output) \(result.errors)")
        #expect(result.errors.contains("told\n") && !result.errors.contains("slept"), "\(result.errors)")
        let said = "SIGTERM: no capture is running; what is left to do has 5 seconds. Again to end at once.\n"
        #expect(result.errors.contains(said), "\(result.errors)")
    }

    /// Some supervisors ignore the ends of their children, which outlives `exec`.
    @Test func endsOfProcessesThatAreIgnored() throws {
        try MiniCapture().write(in: folder)
        try folder.write("name: trouble\nstages: [read, decompress]\n", to: "trouble.yaml")
        let script = "trap '' CHLD; exec \"$1\" run trouble.yaml mini -o out --on-finish 'exit 3'"
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path)
        #expect(result.output.contains("done     mini"), "\(result.output) \(result.errors)")
        #expect(result.errors.contains("exit code 3"), "\(result.errors)")
    }

    /// What a terminal sends when it is closed; `nohup` has it passed over.
    @Test(arguments: [("", "status 129\n"), ("trap '' HUP; ", "status 0\n")])
    func aTerminalThatIsClosed(_ before: String, _ end: String) throws {
        try MiniCapture().write(in: folder)
        try folder.write("name: trouble\nstages: [read, decompress]\n", to: "trouble.yaml")
        try folder.write("touch begun\nsleep 2\n", to: "hook.sh")
        let script = """
            \(before)"$1" run trouble.yaml mini -o out --no-report --on-finish 'sh hook.sh' & run=$!
            for i in $(seq 300); do [ -e begun ] && break; sleep 0.1; done
            kill -HUP $run; wait $run; echo "status $?"
            """
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path)
        #expect(result.output.hasSuffix(end), "\(result.output) \(result.errors)")
    }

    /// Together with what it started, even where the kernel's limit of 15 bytes has cut that program's name inside a
    /// character.
    @Test func aLastCommandThatGoesOnIsEnded() throws {
        try MiniCapture().write(in: folder)
        let name = "sleep-all-nigh\u{E9}"
        try folder.writeProgram("#!/bin/sh\nmkfifo quiet; read line < quiet\n", to: name)
        let start = "./\(name) & echo $$ $! > pids\ntouch begun\n"
        try folder.write("trap '' TERM\n\(start)sleep 60\necho slept\n", to: "hook.sh")
        let result = try stoppedAtItsEnd("--no-report --on-finish 'sh hook.sh'")
        #expect(result.output.hasSuffix("status 143\n"), "\(result.output) \(result.errors)")
        #expect(!result.errors.contains("slept"))
        let started = String(decoding: try folder.bytes("pids"), as: UTF8.self).split(separator: " ")
        #expect(started.count == 2)
        let script = "for pid in $(cat pids); do grep State: /proc/$pid/status; done"
        let states = try runCommand(["sh", "-c", script], in: folder.path).output.split(separator: "\n")
        // They may be zombies where nobody looks after orphans.
        #expect(states.allSatisfy { $0.contains("zombie") }, "\(states)")
    }

    /// The second signal leaves it no time.
    @Test func aSecondSignalEndsTheLastCommand() throws {
        try MiniCapture().write(in: folder)
        try folder.write("name: trouble\nstages: [read, decompress]\n", to: "trouble.yaml")
        try folder.write("trap '' TERM\nsleep 60 & echo $$ $! > pids\ntouch begun\nsleep 60\n", to: "hook.sh")
        let script = """
            "$1" run trouble.yaml mini -o out --no-report --on-finish 'sh hook.sh' 2> said & run=$!
            for i in $(seq 300); do [ -e begun ] && break; sleep 0.1; done
            kill -TERM $run
            for i in $(seq 60); do grep -q "Again to end at once" said && break; sleep 0.05; done
            kill -TERM $run; wait $run; echo "status $?"
            sleep 0.5
            for pid in $(cat pids); do grep State: /proc/$pid/status; done
            """
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path)
        let started = String(decoding: try folder.bytes("pids"), as: UTF8.self).split(separator: " ")
        #expect(started.count == 2)
        let lines = result.output.split(separator: "\n")
        #expect(lines.contains("status 143"), "\(result)")
        // They may be zombies where nobody looks after orphans.
        #expect(lines.filter { $0.hasPrefix("State:") }.allSatisfy { $0.contains("zombie") }, "\(lines)")
    }

    @Test func aSignalEndsTheReport() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        let path = try folder.fakeFFmpeg(version: "FFMPEG -version", else: "touch begun; exec sleep 1000")
        let result = try stoppedAtItsEnd("--on-finish 'echo ended with $SCANMILL_STATUS'", environment: path)
        #expect(result.output.hasSuffix("status 143\n"), "\(result.output) \(result.errors)")
        #expect(result.errors.contains("warning: the report was not written: stopped by SIGTERM\n"))
        #expect(result.errors.contains("ended with 143\n"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/.scanmill/report.html"))
    }

    /// The command has yet to begin when the run is stopped, and has its time all the same.
    @Test func aLastCommandBehindASignal() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        let path = try folder.fakeFFmpeg(
            version: "FFMPEG -version", else: "[ -e begun ] || { touch begun; sleep 1; }; exec FFMPEG \"$@\"")
        try folder.write("name: t\nstages: [read, filter-blur: {window: 3}, write-transforms]\n", to: "t.yaml")
        let script = """
            "$1" run t.yaml mini -o out --no-report --on-finish 'echo first; sleep 60; echo slept' & run=$!
            for i in $(seq 300); do [ -e begun ] && break; sleep 0.1; done
            kill -TERM $run; wait $run; echo "status $?"
            """
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path, environment: path)
        #expect(result.output.hasSuffix("status 143\n"), "\(result.output) \(result.errors)")
        #expect(result.errors.contains("first\n") && !result.errors.contains("slept"), "\(result.errors)")
    }

    /// What it left is removed at once, be it the last night for a long time.
    @Test func aCaptureThatIsKilledLeavesNothing() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        let path = try folder.fakeFFmpeg(version: "FFMPEG -version", else: "kill -KILL $PPID")
        let result = try folder.run("read, filter-blur: {window: 3}, write-transforms", environment: path)
        #expect(result.status == 3)
        #expect(
            result.errors.contains(
                "the capture's process was killed\n  --> mini\n   = nothing was published for mini\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/work") == [])
    }

    /// Whoever mends it needs the last lines that it wrote.
    @Test func theLastWordsOfAProcessThatDied() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        var environment = try folder.fakeFFmpeg(version: "FFMPEG -version", else: "kill -USR1 $PPID")
        // For each of them the dynamic linker has a line when a program starts.
        let missing = (1...4).map { "/missing/\($0)" }
        environment["LD_PRELOAD"] = missing.joined(separator: " ")
        let result = try folder.run(
            "read, filter-blur: {window: 3}, write-transforms", ["mini", "-o", "out", "--no-report"],
            environment: environment)
        #expect(result.errors.contains("the capture's process ended unexpectedly (signal "), "\(result.errors)")
        let notes = result.errors.split(separator: "\n").filter { $0.hasPrefix("   = ") }
        let named = missing.filter { name in notes.contains { $0.contains("'\(name)'") } }
        #expect(named == Array(missing.dropFirst()), "\(result.errors)")
    }

    /// Runs a pipeline, one of whose system calls takes as long as strace is told.
    private func run(
        _ stages: String, delaying call: String, _ delay: String, patience: String
    ) throws -> CommandResult {
        try MiniCapture().write(in: folder)
        try folder.write("name: t\nstages: [\(stages)]\n", to: "t.yaml")
        return try runCommand(
            [
                "strace", "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):\(delay)",
                Scanmill.path, "run", "t.yaml", "mini", "-o", "out", "--patience", patience, "--no-report",
            ], in: folder.path)
    }

    /// The capture is done, and its process takes too long to end.
    @Test func whatWasSaidCountsWhateverComesAfterwards() throws {
        guard Self.hasStrace else { return }
        let late = try run("read, decompress", delaying: "exit_group", "delay_enter=5000000", patience: "2s")
        #expect(late.status == 0, "\(late.errors)")
        #expect(late.output.contains("1 capture: 1 done"))
    }

    /// A disk may first have to write what other programs have left to it.
    @Test func waitingForTheDiskIsNoStandstill() throws {
        guard Self.hasStrace else { return }
        let slow = try run(
            "read, decompress, unproject, write-ply", delaying: "fsync", "delay_enter=6000000:when=1", patience: "3s")
        #expect(slow.status == 0, "\(slow.errors)")
        #expect(slow.output.contains("1 capture: 1 done"), "\(slow.output)")
    }

    static let hasStrace = {
        if Sanitizer.isOn { return false }
        // That it is there is not enough: a container may not let it trace.
        let answer = try? runCommand(["strace", "-qq", "-o", "/dev/null", "-f", "true"])
        let canTrace = answer?.status == 0
        if !canTrace { print("SKIPPED: faults in a capture's process, because strace is missing or may not trace") }
        return canTrace
    }()

    /// What cannot be listed or looked at may be anybody's, and is no empty place for a result.
    @Test(arguments: [
        ("getdents64", "cannot list the folder"), ("lstat,newfstatat,statx,stat", "cannot look at this path"),
    ])
    func whatCannotBeLookedAtIsLeftAlone(calls: String, complaint: String) throws {
        guard Self.hasStrace else { return }
        try MiniCapture().write(in: folder)
        try folder.write("years of work", to: "out/mini/thesis.txt")
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let known = try runCommand(["strace", "-e", "trace=" + calls, "true"], in: folder.path).status == 0
        let names = known ? calls : "newfstatat,statx"
        let result = try runCommand(
            [
                "strace", "-f", "-o", "calls", "-P", "\(folder.path)/out/mini", "-e", "trace=\(names)", "-e",
                "inject=\(names):error=EIO", Scanmill.path, "run", "t.yaml", "mini", "-o", "out", "--no-report",
            ], in: folder.path)
        #expect(String(decoding: try folder.bytes("calls"), as: UTF8.self).contains("(INJECTED)"))
        #expect(result.status == 3, "\(result.output)")
        #expect(result.errors.contains("error: \(complaint): Input/output error\n  --> "), "\(result.errors)")
        #expect(result.errors.contains("/out/mini\n"), "\(result.errors)")
        #expect(try folder.bytes("out/mini/thesis.txt") == Array("years of work".utf8))
    }

    /// A backup that links all files at night changes nothing of their bytes.
    @Test func rightsThatChangeWhileFilesAreCopied() throws {
        guard Self.hasStrace else { return }
        var capture = MiniCapture()
        capture.frameCount = 12
        try capture.write(in: folder)
        try folder.write("name: t\nstages: [read, {write-staging: {depth: source}}]\n", to: "t.yaml")
        // Digests are known of what has stood still for two seconds.
        let old = try runCommand(
            ["sh", "-c", "find mini -exec touch -d '1 hour ago' {} + && sleep 2.5"], in: folder.path)
        #expect(old.status == 0)
        let faults = [
            "strace", "-f", "-o", "calls", "-e", "trace=copy_file_range", "-e",
            "inject=copy_file_range:delay_exit=300000", Scanmill.path,
        ]
        let script = """
            "$@" & run=$!
            i=0
            while kill -0 $run 2> /dev/null; do chmod $((600 + i % 2 * 44)) mini/color/*; i=$((i + 1)); sleep 0.1; done
            wait $run
            """
        let result = try runCommand(
            ["bash", "-c", script, "bash"] + faults
                + ["run", "t.yaml", "mini", "-o", "out", "--no-report", "--jobs", "1"], in: folder.path)
        #expect(result.status == 0 && result.output.hasPrefix("done     mini  12 frames, "), "\(result)")
        let calls = String(decoding: try folder.bytes("calls"), as: UTF8.self)
        if !calls.contains("copy_file_range(") {
            print("SKIPPED: copies that the kernel makes, which it does not here")
        }
    }

    /// A share that went away while the run ended says nothing of what became of the results.
    @Test func digestsOutliveAFolderThatCannotBeListed() throws {
        guard Self.hasStrace else { return }
        try MiniCapture().write(in: folder)
        #expect(try folder.run("read, decompress, unproject, write-ply").status == 0)
        let faults = [
            "strace", "-f", "-o", "/dev/null", "-P", "\(folder.path)/out", "-e", "trace=getdents64", "-e",
            "inject=getdents64:error=ESTALE", Scanmill.path,
        ]
        _ = try runCommand(
            faults + ["run", "trouble.yaml", "mini", "-o", "out", "--force", "--no-report"], in: folder.path)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/inputs") == ["mini.json"])
        let verify = try runCommand(faults + ["verify", "out"], in: folder.path)
        #expect(verify.status == 3 && verify.errors.hasPrefix("error: cannot list the folder: "), "\(verify.errors)")
    }

    /// As on network filesystems, which cannot swap two names: killed between the renames.
    @Test func anOlderResultThatWasMovedAwayIsPutBack() throws {
        guard Self.hasStrace else { return }
        try MiniCapture().write(in: folder)
        let cloud = "read, decompress, unproject, write-ply"
        #expect(try folder.run(cloud).status == 0)
        let before = try runCommand(["ls", "-di", "out/mini"], in: folder.path).output
        // The work folder's name ends with the process that fills it, and a random word.
        let killBetween = """
            "$@" &
            for i in $(seq 600); do [ -e out/mini ] || break; sleep 0.05; done
            kill -9 $(ls out/.scanmill/work | awk -F. '{print $(NF - 1)}')
            wait $!
            """
        let faults = ["-P", "\(folder.path)/out/mini", "-e", "inject=renameat2:error=EINVAL"]
        let killed = try runCommand(
            ["bash", "-c", killBetween, "bash", "strace", "-f", "-o", "/dev/null", "-e", "trace=rename,renameat2"]
                + faults + [
                    "-e", "inject=rename:delay_exit=5000000", Scanmill.path, "run", "trouble.yaml", "mini", "-o",
                    "out", "--force", "--jobs", "1", "--no-report",
                ], in: folder.path)
        let last = "nothing was published for mini; the last good result is unchanged"
        let reached = "the capture's process was killed\n  --> mini\n   = it had done 7 of 7 frames of the pass "
        #expect(killed.errors.contains(reached), "\(killed.errors)")
        #expect(killed.errors.contains("\n   = \(last)\n"), "\(killed.errors)")
        #expect(try runCommand(["ls", "-di", "out/mini"], in: folder.path).output == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/trash") == [])
        #expect(try Scanmill.run(["verify", "out"], in: folder.path).status == 0)
    }

    /// A warning for each of two thousand pictures, and a reader that takes its time.
    @Test func aLastWordThatIsLongerThanThePipe() throws {
        try MiniCapture().write(in: folder)
        let letters = "abcdefghijklm".map(String.init)
        for (a, b) in letters.flatMap({ a in letters.map { (a, $0) } }) {
            for c in letters {
                try folder.write("", to: "mini/color/a_picture_without_a_number_in_its_name_\(a)\(b)\(c).png")
            }
        }
        let script = """
            import json, subprocess, sys, time
            job = {'input': {'id': 'mini', 'path': 'mini', 'pipelineFolder': '.'},
                   'pipelineText': '{name: t, stages: [read, decompress]}', 'pipelinePath': 't.yaml', 'settings': [],
                   'output': 'out', 'workers': 1, 'patience': 600, 'isForced': False, 'replaces': False}
            child = subprocess.Popen([sys.argv[1], 'run-one-capture'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            child.stdin.write(json.dumps(job).encode() + b'\\n')
            child.stdin.flush()
            time.sleep(4)
            lines = child.stdout.read().splitlines()
            print(child.wait(), len(lines[-1]) > 65536, list(json.loads(lines[-1]))[0], len([json.loads(l) for l in lines]) > 0)
            """
        // As a run leaves it before its first capture.
        try folder.write(#"{"pipeline": "t"}"#, to: "out/.scanmill/owner.json")
        let result = try runCommand(["python3", "-c", script, Scanmill.path], in: folder.path)
        #expect(result.output == "0 True ended True\n", "\(result.output) \(result.errors)")
    }

    /// As of cron jobs that close what they do not need: the next file that is opened is not what they print to.
    @Test func streamsThatAreClosed() throws {
        #expect(try runCommand(["sh", "-c", "'\(Scanmill.path)' schema >&-"]).status == 0)
        try folder.write("name: t\nstages: [read, decompress]\n", to: "t.yaml")
        try MiniCapture().write(in: folder)
        try folder.write("{", to: "mini/recorded.json")
        let command = "'\(Scanmill.path)' run t.yaml mini -o out --log log --no-report <&- >&- 2>&-"
        #expect(try runCommand(["sh", "-c", command], in: folder.path).status == 1)
        let lines = try folder.bytes("log").split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 4)
        for line in lines { _ = try JSONValue.parse(Array(line), file: "log") }
    }

    /// Python that runs a command with stderr on a terminal of 5 lines of 40 characters, and has what came there in `text`.
    private static let onATerminal = """
        import fcntl, os, pty, re, struct, subprocess, sys, termios, unicodedata
        terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack('HHHH', 5, 40, 0, 0))
        run = subprocess.Popen(sys.argv[1:], stdin=end, stdout=subprocess.DEVNULL, stderr=end)
        os.close(end)
        text = b''
        try:
            while part := os.read(terminal, 65536): text += part
        except OSError: pass
        run.wait()
        text = text.decode()

        """

    /// A line that is too long for the terminal would leave its end there for ever, and so would one too many.
    @Test func theLiveViewFitsTheTerminal() throws {
        for number in 0..<6 {
            var mini = MiniCapture()
            mini.id = "captures/\(number)-with-a-long-name-扫描扫描扫描"
            try mini.write(in: folder)
        }
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let script = """
            wide = lambda line: sum(2 if unicodedata.east_asian_width(c) == 'W' else 1 for c in line)
            lines = re.sub('\\x1b\\\\[[0-9]*[AJ]', '', text).split('\\r\\n')
            print(max(map(wide, lines)), max(map(int, re.findall('\\x1b\\\\[([0-9]+)A', text))), run.returncode)
            """
        let run = [Scanmill.path, "run", "t.yaml", "captures", "-o", "out", "--jobs", "6", "--no-report"]
        let result = try runCommand(
            ["python3", "-c", Self.onATerminal + script] + run, in: folder.path, environment: ["TERM": "xterm"])
        #expect(result.output == "40 4 0\n", "\(result.output) \(result.errors)")
    }

    /// By how long the first capture takes: in seconds, minutes or hours.
    @Test(arguments: [(2, "[0-9]+ s"), (90, "[1-5]?[0-9] min"), (800, "[1-9][0-9]* h [1-5]?[0-9] min")])
    func theLiveViewSaysWhatIsLeft(_ count: Int, _ left: String) throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        try FileManager.default.createDirectory(at: folder.url("captures"), withIntermediateDirectories: false)
        for number in 0..<count { #expect(symlink("../mini", folder.url("captures/\(number)").path) == 0) }
        let path = try folder.fakeFFmpeg(
            version: "FFMPEG -version", else: "sleep \(count > 100 ? 5 : 1.2); exec FFMPEG \"$@\"")
        try folder.write("name: t\nstages: [read, filter-blur: {window: 3}, write-transforms]\n", to: "t.yaml")
        let stop = """
            stopped = []
            def stop():
                if not stopped and re.search(b'about \(left) left', text): stopped.append(run.terminate())

            """
        // Wide enough for the whole line.
        let onATerminal = Self.onATerminal.replacing("5, 40,", with: "5, 80,")
            .replacing("text += part", with: "text += part; stop()")
        let run = [Scanmill.path, "run", "t.yaml", "captures", "-o", "out", "--jobs", "1", "--no-report"]
        let result = try runCommand(
            ["python3", "-c", stop + onATerminal + "print(len(stopped), run.returncode)"] + run, in: folder.path,
            environment: path.merging(["TERM": "xterm"]) { $1 })
        #expect(result.output == "1 143\n", "\(result.output) \(result.errors)")
    }

    /// Most terminals wrap the lines that no longer fit, and these would leave remains.
    @Test func theLiveViewGoesFromATerminalThatBecameNarrower() throws {
        for number in 0..<6 {
            var mini = MiniCapture()
            mini.id = "captures/\(number)"
            try mini.write(in: folder)
        }
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let narrower = "fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 5, 20, 0, 0))"
        // As soon as the first view stands, of the capture and of all.
        let onATerminal = Self.onATerminal.replacing(
            "text += part", with: "text += part; text.count(b'\\n') > 1 and \(narrower)")
        let script = "print(max(map(int, re.findall('\\x1b\\\\[([0-9]+)A', text))) > 2, run.returncode)"
        // Its lines are one for the capture and one for all.
        let run = [Scanmill.path, "run", "t.yaml", "captures", "-o", "out", "--jobs", "1", "--no-report"]
        let result = try runCommand(
            ["python3", "-c", onATerminal + script] + run, in: folder.path, environment: ["TERM": "xterm"])
        #expect(result.output == "True 0\n", "\(result.output) \(result.errors)")
    }

    /// A terminal that cannot move its cursor gets lines alone.
    @Test(arguments: [["TERM": "dumb"], ["TERM": ""], ["TERM": "xterm"]])
    func aTerminalThatDrawsNothing(_ environment: [String: String]) throws {
        try MiniCapture().write(in: folder)
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let run = [Scanmill.path, "run", "t.yaml", "mini", "-o", "out", "--no-report"]
        let script = "print(run.returncode, '\\x1b' in text)"
        let result = try runCommand(
            ["python3", "-c", Self.onATerminal + script] + run, in: folder.path, environment: environment)
        let draws = environment["TERM"] == "xterm"
        #expect(result.output == "0 \(draws ? "True" : "False")\n", "\(result.output) \(result.errors)")
    }

    /// Nothing is read before the pipe is full, which a writer that does not block is told as a failure.
    @Test func aPipeThatDoesNotBlock() throws {
        let script = """
            import array, fcntl, os, subprocess, sys, termios, time
            outlet, inlet = os.pipe()
            size = fcntl.fcntl(inlet, 1031, 4096)
            os.set_blocking(inlet, False)
            run = subprocess.Popen([sys.argv[1], 'schema'], stdout=inlet)
            os.close(inlet)
            held = array.array('i', [0])
            while held[0] < size and run.poll() is None:
                fcntl.ioctl(outlet, termios.FIONREAD, held)
                time.sleep(0.01)
            text = os.fdopen(outlet, 'rb').read()
            sys.stdout.buffer.write(text)
            sys.exit(run.wait())
            """
        let result = try runCommand(["python3", "-c", script, Scanmill.path])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.outputBytes == (try Scanmill.run(["schema"]).outputBytes))
    }

    /// The limit that a shell sets is raised where that is allowed, and kept where it is not.
    @Test func moreJobsThanFilesMayBeOpen() throws {
        for number in 0..<40 {
            var mini = MiniCapture()
            mini.id = "captures/\(number)"
            mini.frameCount = 2
            try mini.write(in: folder)
        }
        try folder.write("name: t\nstages: [read, decompress]\n", to: "t.yaml")
        func run(_ limit: String, _ output: String) throws -> CommandResult {
            let command =
                "ulimit \(limit); exec '\(Scanmill.path)' run t.yaml captures -o \(output) --jobs 40 --no-report"
            return try runCommand(["sh", "-c", "\(command) --on-finish 'ulimit -Sn'"], in: folder.path)
        }
        let few = try run("-n 94", "few")
        #expect(few.status == 0, "\(few.errors)")
        #expect(few.output.contains("40 captures: 40 done"))
        let raised = try run("-Sn 94", "raised")
        #expect(raised.status == 0, "\(raised.errors)")
        #expect(!raised.errors.hasSuffix("94\n"), "\(raised.errors)")
        let none = try run("-n 20", "none")
        #expect(none.status == 3)
        #expect(none.errors.hasPrefix("error: only 20 files may be open at once"), "\(none.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/none"))
    }
}

extension TemporaryFolder {
    /// Puts another ffmpeg before the real one, which scripts call FFMPEG.
    /// - Returns: the environment in which it is found.
    func fakeFFmpeg(version: String, else command: String) throws -> [String: String] {
        let script = "#!/bin/sh\n[ \"$1\" = -version ] && exec \(version)\n\(command)\n"
        try writeProgram(script.replacing("FFMPEG", with: try FFmpeg.find().ffmpeg), to: "bin/ffmpeg")
        return ["PATH": "\(path)/bin:\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
    }
}
