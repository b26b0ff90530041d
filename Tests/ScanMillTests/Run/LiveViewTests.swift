import Foundation
import TestSupport
import Testing

/// What a run shows on a terminal while it goes on.
@Suite struct LiveViewTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// With stderr on a terminal of 5 lines of 40 characters.
    private static let onATerminal = PseudoTerminal.script(rows: 5, columns: 40, stderr: "end")

    /// A line that is too long for the terminal would leave its end there for ever, and so would one too many.
    @Test func theLiveViewFitsTheTerminal() throws {
        for number in 0..<6 {
            try MiniCapture(id: "captures/\(number)-with-a-long-name-扫描扫描扫描").write(in: folder)
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
        try MiniCapture(pictures: .mp4).write(in: folder)
        try FileManager.default.createDirectory(at: folder.url("captures"), withIntermediateDirectories: false)
        for number in 0..<count { #expect(symlink("../mini", folder.url("captures/\(number)").path) == 0) }
        let path = try folder.fakeFFmpeg(
            else: "sleep \(count > 100 ? 5 : 1.2); exec FFMPEG \"$@\"")
        try folder.write("name: t\nstages: [read, filter-blur: {window: 3}, write-transforms]\n", to: "t.yaml")
        let stop = """
            stopped = []
            def stop():
                if not stopped and re.search(b'about \(left) left', text): stopped.append(run.terminate())

            """
        // Wide enough for the whole line.
        let onATerminal = PseudoTerminal.script(rows: 5, columns: 80, stderr: "end")
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
            try MiniCapture(id: "captures/\(number)").write(in: folder)
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

    /// Runs captures, so many at once, and looks for the line of one that has just begun.
    private func begins(_ ids: [String], jobs: Int, with line: String) throws -> Bool {
        for id in ids { try MiniCapture(id: "captures/\(id)").write(in: folder) }
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let run = [Scanmill.path, "run", "t.yaml", "captures", "-o", "out", "--jobs", String(jobs), "--no-report"]
        let script = "print('\(line) [....................] opening\\r\\n' in text, run.returncode)"
        let result = try runCommand(
            ["python3", "-c", Self.onATerminal + script] + run, in: folder.path, environment: ["TERM": "xterm"])
        #expect(result.output.hasSuffix(" 0\n"), "\(result.output) \(result.errors)")
        return result.output == "True 0\n"
    }

    /// Short names leave the room to the stage and the frame.
    @Test func namesTakeNoMoreThanTheyNeed() throws {
        let isShort = try begins(["0", "1", "2", "3"], jobs: 1, with: "0")
        #expect(isShort)
    }

    /// Two of these take as much room as four others.
    @Test func wideNamesLeaveTheRestInItsPlace() throws {
        let isInPlace = try begins(["abcdef", "扫描"], jobs: 2, with: "\\u626b\\u63cf  ")
        #expect(isInPlace)
    }

    /// The end of the run counts what cannot be begun, too.
    @Test func failuresAreCountedWhileItRuns() throws {
        for id in ["a", "b"] { try MiniCapture(id: "captures/\(id)").write(in: folder) }
        #expect(symlink("../away", folder.url("captures/c").path) == 0)
        try folder.write("{", to: "captures/a/recorded.json")
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let run = [Scanmill.path, "run", "t.yaml", "captures", "-o", "out", "--jobs", "1", "--no-report"]
        let script = "print('\\n1 of 3 captures, 1 failed' in text, '\\n2 of 3 captures, 2 failed' in text)"
        let result = try runCommand(
            ["python3", "-c", Self.onATerminal + script] + run, in: folder.path, environment: ["TERM": "xterm"])
        #expect(result.output == "True True\n", "\(result.output) \(result.errors)")
    }

    /// `tee` writes to the same terminal, and the view would erase that.
    @Test func nothingIsDrawnOverWhatGoesThroughAPipe() throws {
        try MiniCapture().write(in: folder)
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let run = [Scanmill.path, "run", "t.yaml", "mini", "-o", "out", "--no-report"]
        let piped = PseudoTerminal.script(rows: 5, columns: 40, stdout: "subprocess.PIPE", stderr: "end")
        let result = try runCommand(
            ["python3", "-c", piped + "print(run.returncode, '\\x1b' in text)"] + run, in: folder.path,
            environment: ["TERM": "xterm"])
        #expect(result.output == "0 False\n", "\(result.output) \(result.errors)")
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
}
