import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// The processes of a run: how many there are, and what ends them.
@Suite struct RunProcessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A healthy ffmpeg ends with its reader; one that hangs is why there is patience.
    @Test func aHungFfmpegEndsWithItsCapture() throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        let path = try folder.fakeFFmpeg(else: "sh -c 'sleep 1000; : \(folder.path)/hung'")
        let result = try folder.run(
            "read, filter-blur: {window: 3}, write-transforms",
            ["mini", "-o", "out", "--patience", "2s", "--no-report"], environment: path)
        #expect(result.status == 3)
        #expect(
            result.errors.contains("the capture made no progress for 2 s and was killed\n  --> mini\n"),
            "\(result.errors)")
        #expect(result.errors.contains("= nothing was published for mini\n"), "\(result.errors)")
        #expect(try runCommand(["pgrep", "-f", "\(folder.path)/hung"]).output == "")
    }

    /// As when a machine sleeps: what could not run has not stood still.
    @Test func timeInWhichTheRunIsStoppedDoesNotCount() throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        // First the capture's process, so that all it said is heard, and last, so that it says nothing more at once.
        let sleeps = "kill -STOP $PPID; sleep 0.5; kill -STOP $(cat run); sleep 6; kill -CONT $(cat run)"
        let pause = "[ -e paused ] || { touch paused; \(sleeps); sleep 1; kill -CONT $PPID; }"
        let path = try folder.fakeFFmpeg(else: "\(pause); exec FFMPEG \"$@\"")
        try folder.write("name: t\nstages: [read, filter-blur: {window: 3}, write-transforms]\n", to: "t.yaml")
        let script = "echo $$ > run; exec \"$1\" run t.yaml mini -o out --patience 4s --no-report"
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path, environment: path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/paused"))
    }

    /// Between the reading of a description and its digest, which would be that of bytes nobody has read.
    @Test(arguments: ["replaced", "gone"]) func aFileThatIsChangedWhileTheCaptureIsOpened(_ how: String) throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
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

    /// By the clock of a place where a minute ends in 15 seconds. What has begun by then goes on to its end; what has no
    /// result is said with -q too.
    @Test func nothingBeginsAfterUntil() throws {
        try MiniCapture(pictures: .mp4).write(["captures/a", "captures/b", "captures/c"], in: folder)
        let stages = "read, filter-blur: {window: 3}, write-transforms"
        let night = ["captures", "-o", "out", "--jobs", "1", "--no-report", "-q"]
        #expect(try folder.run(stages, night + ["--only", "c"]).errors == "")
        let now = Int(Date().timeIntervalSince1970)
        let pause = "while [ $(date +%s) -le \(now + 15) ]; do sleep 0.2; done"
        let path = try folder.fakeFFmpeg(else: "\(pause); exec FFMPEG \"$@\"")
        let ahead = (105 - now % 60) % 60
        let end = now + ahead + 15
        let two = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        let until = "\(two(end / 3600 % 24)):\(two(end / 60 % 60))"
        let result = try folder.run(
            stages, night + ["--force", "--json", "--until", until],
            environment: path.merging(["TZ": "HERE-0:00:\(two(ahead))"]) { $1 })
        #expect(result.status == 0, "\(result.errors)")
        let ended = try JSONValue.parse(Array(result.output.utf8), file: "stdout")["captures"]?.array ?? []
        #expect(ended.map { $0["status"]?.string } == ["done", "left", "left"], "\(result.output)")
        let late = "it was too late to begin (--until)"
        #expect(ended.map { $0["reason"]?.string } == ["asked for with --force", late, late], "\(result.output)")
        // That captures come faster than they are worked on somebody has to know. What would only be made again can wait.
        #expect(
            result.errors == "warning: 1 new or changed capture left for another night: \(late)\n", "\(result.errors)"
        )
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/a/receipt.json"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/b"))
    }

    /// It comes again when that runner is done, which a code of its own says; what fails outranks it.
    @Test func aCaptureThatAnotherRunnerHas() throws {
        try MiniCapture().write(["captures/mini", "captures/other"], in: folder)
        try withExtendedLifetime(try StateLock("mini", in: StateFolder(output: "\(folder.path)/out"))) { lock in
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
        try MiniCapture(pictures: .mp4).write(["captures/a", "captures/b"], in: folder)
        let path = try folder.fakeFFmpeg(else: "rm -f bin/scanmill; exec FFMPEG \"$@\"")
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

    /// Some supervisors ignore the ends of their children, which outlives `exec`.
    @Test func endsOfProcessesThatAreIgnored() throws {
        try MiniCapture().write(in: folder)
        try folder.write("name: trouble\nstages: [read, decompress]\n", to: "trouble.yaml")
        let script = "trap '' CHLD; exec \"$1\" run trouble.yaml mini -o out --on-finish 'exit 3'"
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path)
        #expect(result.output.contains("done     mini"), "\(result.output) \(result.errors)")
        #expect(result.errors.contains("exit code 3"), "\(result.errors)")
    }

    /// What it left is removed at once, be it the last night for a long time.
    @Test func aCaptureThatIsKilledLeavesNothing() throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        let path = try folder.fakeFFmpeg(else: "kill -KILL $PPID")
        let result = try folder.run("read, filter-blur: {window: 3}, write-transforms", environment: path)
        #expect(result.status == 3)
        #expect(
            result.errors.contains(
                "the capture's process was killed\n  --> mini\n   = nothing was published for mini\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/work") == [])
    }

    /// A limit of the shell's or the unit's, and what somebody sends: no mistake of ScanMill's, and gone tomorrow.
    @Test(arguments: [("XCPU", "took more processor time than it may"), ("USR1", "was killed by signal 10")])
    func aSignalThatNoCrashRaises(_ signal: String, _ words: String) throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        let path = try folder.fakeFFmpeg(else: "kill -\(signal) $PPID")
        let result = try folder.run("read, filter-blur: {window: 3}, write-transforms", environment: path)
        #expect(result.status == 3)
        #expect(result.errors.contains("the capture's process \(words)\n"), "\(result.errors)")
        #expect(result.errors.contains("fix: ") && !result.errors.contains("a bug in ScanMill"), "\(result.errors)")
    }

    /// Whoever mends it needs the last lines that it wrote.
    @Test func theLastWordsOfAProcessThatDied() throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        var environment = try folder.fakeFFmpeg(else: "kill -SYS $PPID")
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

    /// A warning of each of five hundred stages, and a reader that takes its time.
    @Test func aLastWordThatIsLongerThanThePipe() throws {
        try MiniCapture().write(in: folder)
        let script = """
            import json, subprocess, sys, time
            stages = ['read', 'decompress', 'unproject: {color: false}', 'voxel-downsample']
            stages += ['crop: {around: 1000, centre: focus}'] * 500 + ['write-ply']
            job = {'input': {'id': 'mini', 'path': 'mini', 'pipelineFolder': '.'}, 'pipelinePath': 't.yaml',
                   'pipelineText': '{name: t, stages: [' + ', '.join(stages) + ']}', 'settings': [],
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

    /// The limit that a shell sets is raised where that is allowed, and kept where it is not.
    @Test func moreJobsThanFilesMayBeOpen() throws {
        for number in 0..<40 {
            try MiniCapture(id: "captures/\(number)", frameCount: 2).write(in: folder)
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

    @Test func moreJobsThanAnyMachineHas() throws {
        try MiniCapture().write(in: folder)
        #expect(try folder.run("read, decompress", ["mini", "-o", "out", "--jobs", "9999999999"]).status == 0)
    }
}
