import Foundation
import TestSupport
import Testing

/// What a run does at its end, the report and the last command, and what becomes of it when a signal comes.
@Suite struct RunEndingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

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

    @Test func aSignalEndsTheReport() throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        let path = try folder.fakeFFmpeg(else: "touch begun; exec sleep 1000")
        let result = try stoppedAtItsEnd("--on-finish 'echo ended with $SCANMILL_STATUS'", environment: path)
        #expect(result.output.hasSuffix("status 143\n"), "\(result.output) \(result.errors)")
        #expect(result.errors.contains("warning: the report was not written: stopped by SIGTERM\n"))
        #expect(result.errors.contains("ended with 143\n"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/.scanmill/report.html"))
    }

    @Test func aSignalIsPassedOnToTheLastCommand() throws {
        try MiniCapture().write(in: folder)
        try folder.write(
            "trap 'echo told; exit 7' TERM\ntouch begun\nsleep 60 & wait\necho slept\n", to: "hook.sh")
        let result = try stoppedAtItsEnd("--no-report --on-finish 'sh hook.sh'")
        #expect(result.output.hasSuffix("status 143\n"), "\(result.output) \(result.errors)")
        #expect(result.errors.contains("told\n") && !result.errors.contains("slept"), "\(result.errors)")
        let said = "SIGTERM: no capture is running; what is left to do has 5 seconds. Send it again to stop at once.\n"
        #expect(result.errors.contains(said), "\(result.errors)")
    }

    /// `timeout` signals the run and then its whole group, and a terminal that closes has the shell do so too.
    @Test func whatComesAtOnceIsOneSignal() throws {
        try MiniCapture().write(in: folder)
        try folder.write("name: trouble\nstages: [read, decompress]\n", to: "trouble.yaml")
        try folder.write("trap 'sleep 1; echo told; exit 7' TERM HUP\ntouch begun\nsleep 60 & wait\n", to: "hook.sh")
        let script = """
            "$1" run trouble.yaml mini -o out --no-report --on-finish 'sh hook.sh' & run=$!
            for i in $(seq 300); do [ -e begun ] && break; sleep 0.1; done
            kill -TERM $run; kill -HUP $run; wait $run; echo "status $?"
            """
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path)
        // Which of the two came first is the kernel's choice.
        #expect(["status 143\n", "status 129\n"].contains { result.output.hasSuffix($0) }, "\(result)")
        #expect(result.errors.contains("told\n"), "\(result)")
    }

    /// As `killall` does, which finds the captures' processes by their name.
    @Test func signalsAreLeftToTheParent() throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        let path = try folder.fakeFFmpeg(
            else:
                "[ -e begun ] || { touch begun; for i in $(seq 300); do [ -e sent ] && break; sleep 0.1; done; }; exec FFMPEG \"$@\""
        )
        try folder.write("name: t\nstages: [read, filter-blur: {window: 3}, write-transforms]\n", to: "t.yaml")
        let script = """
            "$1" run t.yaml mini -o out --no-report & run=$!
            for i in $(seq 300); do [ -e begun ] && break; sleep 0.1; done
            for name in INT TERM HUP; do pkill -$name -P $run -f run-one-capture || echo "no process"; done
            touch sent; wait $run; echo "status $?"
            """
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path, environment: path)
        #expect(result.output.hasSuffix("status 0\n") && !result.output.contains("no process"), "\(result)")
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
            for i in $(seq 60); do grep -q "Send it again to stop at once" said && break; sleep 0.05; done
            sleep 0.5
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

    /// The command has yet to begin when the run is stopped, and has its time all the same.
    @Test func aLastCommandBehindASignal() throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        let path = try folder.fakeFFmpeg(
            else: "[ -e begun ] || { touch begun; sleep 1; }; exec FFMPEG \"$@\"")
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
}
