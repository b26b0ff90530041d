import Foundation
import ScanModel
import TestSupport
import Testing

/// What a run writes beside its results: where nobody reads it, where it takes time, where the disk is full.
@Suite struct RunOutputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func outputThatIsLostIsSaid() throws {
        let lost = try runCommand(["sh", "-c", "'\(Scanmill.path)' schema > /dev/full"])
        #expect(lost.status == 3)
        #expect(lost.errors == "error: what was printed is not complete: No space left on device\n")
        for words in ["help", "help run", "--help", "--version", "--generate-completion-script bash"] {
            let help = try runCommand(["sh", "-c", "'\(Scanmill.path)' \(words) > /dev/full"])
            #expect(help.status == 3 && help.errors == lost.errors, "\(words): \(help)")
        }
        // Whoever closes a pipe has seen enough.
        let closed = try runCommand(["sh", "-c", "'\(Scanmill.path)' schema | head -c 1"])
        #expect(closed.status == 0 && closed.errors == "")
        // Whoever watches over the nights is told the code with which this one ends.
        try MiniCapture().write(in: folder)
        try folder.write("name: t\nstages: [read, decompress]\n", to: "t.yaml")
        let options = "--no-report --metrics figures --on-finish 'echo ended with $SCANMILL_STATUS'"
        let run = "'\(Scanmill.path)' run t.yaml mini -o out \(options) > /dev/full"
        let night = try runCommand(["sh", "-c", run], in: folder.path)
        #expect(night.status == 3)
        let end = "ended with 3\nerror: what was printed is not complete: No space left on device\n"
        #expect(night.errors.hasSuffix(end), "\(night.errors)")
        let figures = String(decoding: try folder.bytes("figures"), as: UTF8.self).withoutOwner
        #expect(figures.contains("scanmill_run_status 3.0\n"))
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

    /// The results are there all the same, and so is the rest of what was asked for.
    @Test func figuresThatCannotBeWritten() throws {
        try MiniCapture().write(in: folder)
        let result = try folder.run(
            "read, decompress",
            ["mini", "-o", "out", "--metrics", "/dev/full", "--on-finish", "echo ended with $SCANMILL_STATUS"])
        #expect(result.status == 3)
        let cause = "error: cannot write the file: No space left on device\n  --> /dev/full\n"
        #expect(result.errors.contains(cause), "\(result.errors)")
        #expect(result.errors.contains("ended with 3"))
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/.scanmill/report.html"))
        // It outranks what a capture's own fault ends with.
        try folder.write("{", to: "mini/recorded.json")
        #expect(try folder.run("read, decompress", ["mini", "-o", "out"]).status == 1)
        let both = try folder.run("read, decompress", ["mini", "-o", "out", "--retry", "--metrics", "/dev/full"])
        #expect(both.status == 3)
        try MiniCapture().write(in: folder)
        let hook = try folder.run("read, decompress", ["mini", "-o", "out", "--on-finish", "exit 4"])
        #expect(hook.errors.contains("the --on-finish command ended with exit code 4"))
    }

    /// The collector's file is replaced in one step; a pipe and a device are written to.
    @Test func figuresThatGoIntoAPipe() throws {
        try MiniCapture().write(in: folder)
        try folder.write("name: t\nstages: [read, decompress]\n", to: "t.yaml")
        let script = """
            mkfifo pipe; cat pipe > got & "$1" run t.yaml mini -o out -q --no-report --metrics pipe; status=$?
            wait; test -p pipe && echo "status $status"
            "$1" run t.yaml mini -o out -q --no-report --metrics pipe; echo "status $?"
            """
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: folder.path)
        // In the end nobody reads it.
        #expect(result.output == "status 0\nstatus 3\n", "\(result.errors)")
        let figures = String(decoding: try folder.bytes("got"), as: UTF8.self).withoutOwner
        #expect(figures.contains("scanmill_captures{ended=\"done\"} 1\n"))
    }

    @Test func aLogThatIsNotCompleteIsSaid() throws {
        try MiniCapture().write(in: folder)
        let lost = try folder.run("read, decompress", ["mini", "-o", "out", "--log", "/dev/full"])
        #expect(lost.status == 3)
        #expect(lost.output.contains("1 capture: 1 done"))
        let cause = "error: the log is not complete: No space left on device\n  --> /dev/full\n"
        #expect(lost.errors.contains(cause), "\(lost.errors)")
    }

    /// As a full disk leaves it: the night after is not lost with it.
    @Test func aTornLineOfTheLogStaysAlone() throws {
        try MiniCapture().write(in: folder)
        try folder.write("{\"event\":\"run-ended\"}\n{\"event\":\"run-be", to: "log")
        #expect(try folder.run("read, decompress", ["mini", "-o", "out", "--log", "log"]).status == 0)
        let lines = String(decoding: try folder.bytes("log"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 6)
        #expect(lines.dropFirst().first == "{\"event\":\"run-be")
        for line in lines.dropFirst(2) { _ = try JSONValue.parse(Array(line.utf8), file: "log") }
    }

    /// `ulimit -f`: an error like that of a full disk, and no signal. What the run starts has the signal again.
    @Test(.disabled(if: Sanitizer.isOn, "the limit also cuts off a file that the thread sanitizer maps"))
    func aFileThatGrowsPastTheLimit() throws {
        try MiniCapture(frameCount: 40).write(in: folder)
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let run = "'\(Scanmill.path)' run t.yaml mini -o out --no-report --on-finish 'kill -XFSZ $$; echo lived on'"
        let result = try runCommand(["sh", "-c", "ulimit -f 20; \(run)"], in: folder.path)
        #expect(result.status == 3)
        #expect(result.errors.contains("File too large"), "\(result.errors)")
        #expect(!result.errors.contains("lived on"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/mini"))
    }
}
