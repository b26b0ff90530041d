import Foundation
import ScanModel
import TestSupport
import Testing

/// Trouble that must not pass for success.
@Suite struct RunTroubleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A missing tool is the machine's fault, also for a stage that could do without the colours; and the next night
    /// tries again.
    @Test func withoutFfmpegNothingIsDoneInGrey() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        let cloud = "read, decompress, unproject, write-ply"
        let without = try folder.run(cloud, environment: ["PATH": "\(folder.path)/no-tools"])
        #expect(without.status == 3)
        #expect(without.errors.contains("ffmpeg"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/mini"))
        let with = try folder.run(cloud)
        #expect(with.status == 0, "\(with.errors)")
        let header = String(decoding: try folder.bytes("out/mini/mini.ply").prefix(400), as: UTF8.self)
        #expect(header.contains("property uchar red"))
    }

    /// Decoded pictures may differ with ffmpeg's version, so a new one makes them anew, and says so beforehand.
    @Test func anotherFfmpegIsNoticed() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        let frames = "read, write-transforms"
        #expect(try folder.run(frames).status == 0)
        #expect(try folder.run(frames).output.contains("1 up to date"))
        let path = try folder.fakeFFmpeg(
            version: "echo 'ffmpeg version 999 of another day'", else: "exec FFMPEG \"$@\"")
        let plan = try Scanmill.run(
            ["plan", "trouble.yaml", "mini", "-o", "out"], in: folder.path, environment: path)
        #expect(plan.output.contains(", and now there is ffmpeg version 999"), "\(plan.output)")
        #expect(try folder.run(frames, environment: path).output.contains("1 done"))
        #expect(try folder.run(frames, environment: path).output.contains("1 up to date"))
    }

    /// Options name files from the capture or from the pipeline, and people from where they are.
    @Test func aFileNamedFromWhereTheCommandIsGiven() throws {
        try MiniCapture().write(in: folder)
        try folder.write("{}", to: "boxes/box.json")
        try folder.write("stages: [read, decompress, unproject, cull-by-box, write-ply]\n", to: "p/cut.yaml")
        let result = try Scanmill.run(
            ["run", "p/cut.yaml", "mini", "-o", "out", "--set", "cull-by-box.box=boxes/box.json"], in: folder.path)
        #expect(result.status == 1)
        #expect(result.errors.contains("= fix: name it by its whole path, "), "\(result.errors)")
        #expect(result.errors.contains("/boxes/box.json\n"), "\(result.errors)")
    }

    /// A wildcard names more than captures; what is none is said, and does not end the night.
    @Test func whatIsNoCaptureDoesNotStopTheOthers() throws {
        try MiniCapture().write(in: folder)
        try folder.write("notes", to: "notes.txt")
        try folder.write("notes", to: "papers/notes.txt")
        try folder.write("PK\u{3}\u{4} and then nothing", to: "cut.zip")
        let result = try folder.run("read, decompress", ["mini", "notes.txt", "papers", "cut.zip", "-o", "out"])
        #expect(result.status == 1)
        #expect(result.output.contains("done     mini"))
        #expect(result.output.contains("failed   cut  "))
        #expect(result.errors.contains("warning: there is no capture in notes.txt, papers\n"), "\(result.errors)")
        #expect(result.errors.contains("  --> cut.zip at byte 21 of 21, stage read\n"), "\(result.errors)")
        #expect(try folder.run("read", ["notes.txt", "-o", "out2"]).status == 2)
        #expect(try folder.run("read", ["mini", "nosuch", "-o", "out2"]).status == 2)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out2"))
    }

    /// Five of them are named, and all are counted.
    @Test func whatManyCapturesShareIsCounted() throws {
        let archives = (0..<6).map { "cut\($0).zip" }
        for archive in archives { try folder.write("PK\u{3}\u{4} and then nothing", to: archive) }
        let result = try folder.run("read, decompress", archives + ["-o", "out", "--no-report"])
        #expect(result.status == 1)
        #expect(result.errors.contains("6 captures failed:\n  6 × "), "\(result.errors)")
        #expect(result.errors.contains(": cut0, cut1, cut2, cut3, cut4, …\n"), "\(result.errors)")
    }

    /// A bad night does not say hundreds of times how to mend the same thing, nor warn of it hundreds of times.
    @Test func whatManyCapturesShareIsSaidInFullOfAFew() throws {
        let archives = (0..<7).map { "cut\($0).zip" }
        for archive in archives { try folder.write("PK\u{3}\u{4} and then nothing", to: archive) }
        let failed = try folder.run("read, decompress", archives + ["-o", "out", "--no-report"])
        #expect(failed.errors.split(separator: "error: ").count - 1 == 7, "\(failed.errors)")
        #expect(failed.errors.split(separator: "= nothing was published").count - 1 == 5, "\(failed.errors)")
        let ids = (0..<7).map { "mini\($0)" }
        var mini = MiniCapture()
        mini.hasMotion = false
        try mini.write(ids, in: folder)
        for id in ids { try folder.write("", to: "\(id)/recorded.rot/not-a-file") }
        let warned = try folder.run("read, decompress", ids + ["-o", "out2", "--no-report"])
        #expect(warned.status == 0, "\(warned.errors)")
        #expect(warned.errors.split(separator: "warning: mini").count - 1 == 5, "\(warned.errors)")
        #expect(warned.errors.contains("warning: 2 more captures: recorded.rot is a folder"), "\(warned.errors)")
    }

    /// Wherever they lie, and whatever else is noted of each.
    @Test func whatCapturesOfManyFoldersShareIsSaidInFullOfAFew() throws {
        let places = ["anna/lamp", "bob/shoe", "carl/cup", "dora/vase", "emil/chair", "fritz/desk", "gina/sofa"]
        for place in places {
            try folder.write("PK\u{3}\u{4}\(String(repeating: "-", count: 900)) \(place)", to: "in/\(place).zip")
        }
        let failed = try folder.run("read, decompress", ["in", "-o", "out", "--no-report", "--jobs", "1"])
        #expect(failed.errors.split(separator: "= nothing was published").count - 1 == 5, "\(failed.errors)")
        #expect(failed.errors.contains("error: sofa: the archive is cut off (in/gina/sofa.zip"), "\(failed.errors)")
        #expect(failed.errors.contains("\n  7 × the archive is cut off: "), "\(failed.errors)")
        #expect(failed.output.split(separator: "failed   ").count == 7, "\(failed.output)")
    }

    @Test func whatCannotBeLookedAtCanBeNamedAlone() throws {
        try MiniCapture().write(in: folder)
        // Two captures whose files share a folder.
        let pack = """
            import os, zipfile
            with zipfile.ZipFile('two.zip', 'w') as z:
                for one in ['a', 'b']:
                    for name in os.listdir('mini'):
                        if name.startswith('recorded'): z.write('mini/' + name, name.replace('recorded', one))
            """
        try folder.write(pack, to: "pack.py")
        #expect(try runCommand(["python3", "pack.py"], in: folder.path).status == 0)
        let alone = try folder.run("read, decompress", ["mini", "two.zip", "-o", "out", "--only", "two"])
        #expect(alone.status == 1)
        #expect(alone.output.hasPrefix("failed   two  2 captures lie in one folder"), "\(alone.output) \(alone.errors)")
        #expect(alone.output.contains("1 capture: 1 failed"))
        #expect(try folder.run("read, decompress", ["mini", "two.zip", "-o", "out", "--only", "mini"]).status == 0)
    }

    @Test func theInputIsNeverWrittenTo() throws {
        try MiniCapture().write(in: folder)
        for output in ["mini", "mini/out", "./mini/../mini/deep/er"] {
            let result = try folder.run("read, decompress", ["mini", "-o", output])
            #expect(result.status == 2)
            #expect(result.errors.contains("the results would be written into the capture mini"), "\(result.errors)")
        }
        #expect(symlink("mini", folder.path + "/link") == 0)
        #expect(try folder.run("read, decompress", ["mini", "-o", "link/out"]).status == 2)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/mini/.scanmill"))
        // A result is a capture too, and its own result would take its place.
        let staging = "read, decompress, write-staging"
        #expect(try folder.run(staging).status == 0)
        let own = try folder.run(staging, ["out/mini", "-o", "out", "--set", "read.format=multiscan"])
        #expect(own.status == 2)
        #expect(own.errors.contains("the result would replace the capture out/mini itself"), "\(own.errors)")
        #expect(try folder.run(staging, ["out/mini", "-o", "out2"]).status == 0)
    }

    /// What the pipeline allows is said all the same.
    @Test func framesThatATruncatedStreamLacksAreSaid() throws {
        try MiniCapture().write(in: folder)
        let depth = try folder.bytes("mini/recorded.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count * 3 / 4)), to: "mini/recorded.depth.zlib")
        let result = try folder.run("{read: {truncated: keep-whole}}, decompress, unproject, write-ply")
        #expect(result.status == 0)
        #expect(
            result.errors.hasPrefix("warning: mini: depth stream truncated (recorded.depth.zlib"), "\(result.errors)")
    }

    /// Of what was cut off early, too little is left to be the capture.
    @Test func aCaptureOfWhichLittleIsLeftFails() throws {
        try MiniCapture().write(in: folder)
        let depth = try folder.bytes("mini/recorded.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count / 3)), to: "mini/recorded.depth.zlib")
        let pipeline = "{read: {truncated: keep-whole}}, decompress, unproject, write-ply"
        let result = try folder.run(pipeline)
        #expect(result.status == 1 && result.errors.contains("2 of 7 frames are whole; the least is 50 %"), "\(result)")
        let again = ["mini", "-o", "out", "--set", "read.min-whole=0.28"]
        #expect(result.errors.contains("keep them all the same with  \(again[3]) \(again[4])"))
        #expect(try folder.run(pipeline, again).output.contains("done     mini  2 of 7 frames"))
    }

    /// The pipeline can do without it, and the copy is not whole all the same.
    @Test func whatACopyLacksIsSaid() throws {
        try MiniCapture().write(in: folder)
        try FileManager.default.removeItem(at: folder.url("mini/recorded.confidence.zlib"))
        let result = try folder.run("read, decompress, {mask-confidence: {if-missing: pass}}, unproject, write-ply")
        let lack = "recorded.confidence.zlib is missing, though the metadata lists a confidence stream"
        #expect(result.errors.contains("warning: mini: \(lack): copy recorded.confidence.zlib too"), "\(result)")
        #expect(result.status == 0)
        // Nobody asked for it.
        let other = try folder.run("read, measure-motion, write-tum", ["mini", "-o", "other"])
        #expect(other.status == 0 && !other.errors.contains("confidence"), "\(other)")
    }

    @Test func oneFormatOfSeveral() throws {
        try MiniCapture().write(in: folder)
        for name in ["0", "1"] {
            try folder.write(try folder.bytes("mini/color/00000\(name).png"), to: "in/pictures/color/\(name).png")
        }
        try FileManager.default.moveItem(at: folder.url("mini"), to: folder.url("in/mini"))
        let pipeline = "read, decompress, unproject, write-ply"
        let all = try folder.run(pipeline, ["in", "-o", "out"])
        #expect(all.status == 1 && all.output.contains("2 captures: 1 done, 1 failed"), "\(all)")
        let one = try folder.run(pipeline, ["in", "-o", "out", "--format", "multiscan"])
        #expect(one.status == 0 && one.output.contains("1 capture: 1 up to date"), "\(one)")
        let none = try folder.run(pipeline, ["in", "-o", "out", "--format", "polycam", "--format", "tum"])
        #expect(none.status == 0 && none.output.contains("none has the format polycam or tum"), "\(none)")
        let typed = try folder.run(pipeline, ["in", "-o", "out", "--format", "multscan"])
        #expect(typed.status == 2 && typed.errors.contains("did you mean `multiscan`?"), "\(typed)")
    }

    /// To a terminal or to Unicode these end a line, and one of them is a control character.
    @Test(arguments: ["x\u{85}y", "x\u{2028}y", "\u{c3}\u{84}"]) func oddNamesDoNotHideTheCause(_ id: String) throws {
        var mini = MiniCapture()
        mini.id = id
        try mini.write(in: folder)
        #expect(try folder.run("read, decompress, write-staging", [id, "-o", "out"]).status == 0)
        let depth = try folder.bytes("\(id)/recorded.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count / 2)), to: "\(id)/recorded.depth.zlib")
        let result = try folder.run("read, decompress, write-staging", [id, "-o", "out"])
        #expect(result.status == 1, "\(result.errors)")
        #expect(result.errors.contains("error: depth stream truncated"), "\(result.errors)")
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
        #expect(hook.errors.contains("the command of --on-finish ended with exit code 4"))
    }

    /// Typed as it stands, it fails in the same way.
    @Test func theCommandThatIsShownFailsAgain() throws {
        try MiniCapture().write(in: folder)
        #expect(try folder.run("read, decompress").status == 0)
        try folder.write("{", to: "mini/recorded.json")
        let options = ["--force", "--format", "multiscan", "--capture-memory", "900M", "--patience", "5m"]
        let first = try folder.run("read, decompress", ["mini", "-o", "out"] + options)
        let mark = "to try it again:  scanmill "
        let line = try #require(first.errors.split(separator: "\n").first { $0.hasPrefix(mark) })
        let command = line.dropFirst(mark.count)
        #expect(
            command
                == "run trouble.yaml mini -o out --retry --force --format multiscan --capture-memory 900000000 --patience 300s"
        )
        let page = try runCommand(["sh", "-c", "cat out/.scanmill/runs/*/report.html"], in: folder.path).output
        #expect(page.contains("scanmill \(command.replacing(" --retry", with: " --only mini --retry"))"))
        let again = try Scanmill.run(command.split(separator: " ").map(String.init), in: folder.path)
        #expect(again.status == 1)
        #expect(again.errors.contains(line))
    }

    /// Whatever they failed for, one command tries all again that may succeed; what to do before stands with the causes.
    @Test func theCommandThatIsShownTriesAllAgain() throws {
        for name in ["in/a", "in/b", "in/c c", "in/d"] { try folder.copySample("desk", to: name) }
        for name in ["a", "b"] {
            let file = "in/\(name)/desk.depth.zlib"
            try folder.write(Array(try folder.bytes(file).prefix(250_000)), to: file)
        }
        try FileManager.default.removeItem(at: folder.url("in/c c/desk.jsonl"))
        try FileManager.default.removeItem(at: folder.url("in/d/desk.depth.zlib"))
        // Nothing is wrong with this one.
        try folder.copySample("nerfcapture", to: "in/e")
        let result = try folder.run("read, decompress", ["in", "-o", "out", "--no-report"])
        let end = """
            5 captures failed:
              2 × decompress needs recorded-depth, and this capture has none: d, nerfcapture
                  fix for d: copy desk.depth.zlib too
              2 × depth stream truncated: a, b
                  fix: copy the file again from the device, or keep the whole frames with  --set read.truncated=keep-whole
              1 × the camera lines are missing: c c
                  fix: copy the capture again; without camera lines there are no poses
            to try them again:  scanmill run trouble.yaml in/a in/b 'in/c c' in/d -o out --retry
            trying nerfcapture again does not help: use a pipeline for captures without depth, such as the ready pictures-only

            """
        #expect(result.errors.hasSuffix(end), "\(result.errors)")
    }

    /// More than anybody wants to read in a command: the same run tries those again that were mended.
    @Test func manyAreTriedAgainByTheSameRun() throws {
        let inputs = (10..<23).map { "in/\($0)" }
        try MiniCapture().write(inputs, in: folder)
        for input in inputs { try folder.write("{", to: "\(input)/recorded.json") }
        let options = ["in", "-o", "out", "--no-report"]
        let all = try folder.run("read, decompress", options)
        let command = "to try all 13 again when they are mended:  scanmill run trouble.yaml in -o out\n"
        #expect(all.errors.contains(command), "\(all.errors)")
        try MiniCapture().write([inputs[0]], in: folder)
        let again = try folder.run("read, decompress", options)
        #expect(again.output.contains("13 captures: 1 done, 12 failed before"), "\(again.output)")
    }

    /// The command that tries them again chooses as this one did, also by words that look like options.
    @Test func manyThatWereChosenAreTriedAgain() throws {
        let inputs = (10..<23).map { "in/\($0)" } + ["in/-x"]
        try MiniCapture().write(inputs, in: folder)
        for input in inputs { try folder.write("{", to: "\(input)/recorded.json") }
        let words = ["--only=1*", "--only=2*", "--only=-*", "--exclude=-x"]
        let all = try folder.run("read, decompress", ["in", "-o", "out", "--no-report"] + words)
        let command = try #require(
            all.errors.firstMatch(of: #/again when they are mended:  scanmill (run .*)\n/#)?.1, "\(all.errors)")
        let again = try runCommand(["sh", "-c", "'\(Scanmill.path)' \(command)"], in: folder.path)
        #expect(again.status == 1, "\(again.errors)")
        #expect(again.output.contains("14 captures: 13 failed before, 1 excluded"), "\(again.output)")
    }

    /// Tried again without a change, they would only fail again.
    @Test func whatToChangeIsShownWhereTheRequestIsAtFault() throws {
        let inputs = ["in/a", "in/b"]
        try MiniCapture().write(inputs, in: folder)
        let stages = "read, {select-frames: {include: [900]}}, decompress, write-frames"
        let line = "\ntrying a, b again does not help: loosen the stage that dropped them\n"
        // The second run only remembers.
        for news in ["no frame is left of 7", "as before: no frame is left of 7"] {
            let result = try folder.run(stages, inputs + ["-o", "out"])
            #expect(result.status == 1 && result.output.contains("failed   a  \(news)"), "\(result)")
            #expect(result.errors.contains(line), "\(result.errors)")
            #expect(!result.errors.contains("again:  scanmill"), "\(result.errors)")
        }
        let page = try runCommand(["sh", "-c", "cat out/.scanmill/runs/*/report.html"], in: folder.path).output
        #expect(page.contains("scanmill inspect ") && !page.contains("--only a --retry"))
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

    /// `ulimit -f`: an error like that of a full disk, and no signal. What the run starts has the signal again.
    @Test(.disabled(if: Sanitizer.isOn, "the limit also cuts off a file that the thread sanitizer maps"))
    func aFileThatGrowsPastTheLimit() throws {
        var mini = MiniCapture()
        mini.frameCount = 40
        try mini.write(in: folder)
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let run = "'\(Scanmill.path)' run t.yaml mini -o out --no-report --on-finish 'kill -XFSZ $$; echo lived on'"
        let result = try runCommand(["sh", "-c", "ulimit -f 20; \(run)"], in: folder.path)
        #expect(result.status == 3)
        #expect(result.errors.contains("File too large"), "\(result.errors)")
        #expect(!result.errors.contains("lived on"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/mini"))
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

    /// A screen holds a dozen fixes; the rest is not passed over in silence.
    @Test func fixesThatAreNotShownAreCounted() throws {
        let ids = (10..<24).map { "c\($0)" }
        let inputs = ids.map { "in/\($0)" }
        try MiniCapture().write(inputs, in: folder)
        let stages = "read, {select-frames: {include: [900]}}, decompress, write-frames"
        _ = try folder.run(stages, inputs + ["-o", "out", "--no-report"])
        for id in ids {
            let note = "out/.scanmill/failures/\(id).json"
            let text = String(decoding: try folder.bytes(note), as: UTF8.self)
            try folder.write(text.replacing("\"fix\": \"loosen", with: "\"fix\": \"for \(id), loosen"), to: note)
        }
        let again = try folder.run(stages, inputs + ["-o", "out", "--no-report"])
        let shown = again.errors.split(separator: "\n").count { $0.contains(" again does not help: for c") }
        #expect(shown == 12 && again.errors.contains("\nand 2 more of other kinds\n"), "\(again.errors)")
    }

    /// As a user who may not read them.
    @Test func filesThatMayNotBeReadAreNamed() throws {
        try MiniCapture().write(
            ["open", "closed", "locked", "pictures", "picture"].map { "captures/\($0)" }, in: folder)
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        try FileManager.default.createDirectory(at: folder.url("out"), withIntermediateDirectories: true)
        for (path, mode) in [
            ("", 0o755), ("out", 0o777), ("captures/closed/recorded.depth.zlib", 0), ("captures/locked", 0),
            ("captures/pictures/color", 0), ("captures/picture/color/000001.png", 0),
        ] { #expect(chmod("\(folder.path)/\(path)", mode_t(mode)) == 0) }
        defer { for name in ["locked", "pictures/color"] { chmod("\(folder.path)/captures/\(name)", 0o755) } }
        let what = "files that may not be read"
        guard let command = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        let result = try runCommand(command + ["run", "t.yaml", "captures", "-o", "out"], in: folder.path)
        #expect(result.status == 3, "\(result.output)\n\(result.errors)")
        #expect(result.output.contains("done     open"))
        #expect(result.output.contains("failed   closed"))
        #expect(result.errors.contains("captures/closed/recorded.depth.zlib"))
        #expect(result.errors.contains("let the user who runs scanmill read it"))
        #expect(result.output.contains("failed   locked  the folder cannot be looked into: Permission denied"))
        // What cannot be looked at must not pass for what is not there: a cloud without colour, a frame less.
        #expect(result.output.contains("failed   pictures  a part of the capture is out of reach: Permission denied"))
        #expect(result.output.contains("failed   picture  no permission to read the file"))
        for name in ["closed", "pictures", "picture"] {
            #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/\(name)"))
        }
        let inspection = try runCommand(command + ["inspect", "captures/locked"], in: folder.path)
        #expect(inspection.status == 3)
        #expect(
            inspection.errors == """
                error: the folder cannot be looked into: Permission denied
                  --> captures/locked
                   = fix: let the user who runs scanmill read it, or leave it out

                """)
    }

    @Test func swappedDepthSizesAreNoticed() throws {
        try MiniCapture().write(in: folder)
        let file = folder.url("mini/recorded.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let swapped = text.replacingOccurrences(
            of: #"\[\s*12,\s*16\s*\]"#, with: "[16, 12]", options: .regularExpression)
        #expect(swapped != text)
        try swapped.write(to: file, atomically: true, encoding: .utf8)
        let result = try folder.run("read, decompress, unproject, write-ply")
        #expect(result.status == 1)
        #expect(result.errors.contains("depth of 12×16 does not fit pictures of 32×24"))
    }

    @Test func damagedDepthIsABadFrame() throws {
        var mini = MiniCapture()
        mini.frameCount = 40
        try mini.write(in: folder)
        // Stored blocks: wrong bytes stay what they are. Every second pixel of frame 3 becomes negative.
        var bytes = try folder.bytes("mini/recorded.depth.zlib")
        let frame = MiniCapture.depthSize.width * MiniCapture.depthSize.height * 2
        for pixel in stride(from: 0, to: frame, by: 4) { bytes[5 + 3 * frame + pixel + 1] |= 0x80 }
        try Data(bytes).write(to: folder.url("mini/recorded.depth.zlib"))
        let result = try folder.run("read, decompress, unproject, write-ply")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("done     mini  39 of 40 frames (1 bad frame dropped), "))
        let receipt = try JSONValue.parse(try folder.bytes("out/mini/receipt.json"), file: "receipt.json")
        let dropped = try #require(receipt["frames"]?["dropped"]?.array)
        #expect(dropped.count == 1 && dropped.first?["frame"] == .integer(3))
        #expect(dropped.first?["reason"]?.string?.contains("the depth is damaged here") == true)
        // A look at the capture says the same.
        let looks = try Scanmill.run(["inspect", "mini"], in: folder.path)
        #expect(looks.status == 0 && looks.output.contains("a bad frame would be dropped"), "\(looks.output)")
        for spoiled in 4..<12 {
            for pixel in stride(from: 0, to: frame, by: 4) { bytes[5 + spoiled * frame + pixel + 1] |= 0x80 }
        }
        try Data(bytes).write(to: folder.url("mini/recorded.depth.zlib"))
        let many = try Scanmill.run(["inspect", "mini"], in: folder.path)
        #expect(many.status == 1 && many.output.contains("are bad"), "\(many.output)")
    }

    /// Nobody has named the inner ones, and nothing else tells of them.
    @Test func capturesInsideACaptureAreWarnedOf() throws {
        var mini = MiniCapture()
        try mini.write(in: folder)
        mini.id = "mini/inner"
        try mini.write(in: folder)
        let result = try folder.run("read, write-transforms", ["mini", "-o", "out", "--metrics", "figures"])
        #expect(result.status == 0, "\(result.errors)")
        let figures = String(decoding: try folder.bytes("figures"), as: UTF8.self).withoutOwner
        #expect(figures.contains("scanmill_captures_salvaged 0.0\n"), "nothing of it was lost")
        let receipt = try JSONValue.parse(try folder.bytes("out/mini/receipt.json"), file: "receipt.json")
        let warnings = (receipt["warnings"]?.array ?? []).compactMap(\.string)
        #expect(
            warnings.contains {
                $0.hasPrefix("read: more captures lie in the folder of this one, and are not read: inner")
            })
    }

    @Test func anEmptyCloudIsSaid() throws {
        try MiniCapture().write(in: folder)
        let result = try folder.run("read, decompress, {mask-range: {near: 50, far: 60}}, unproject, write-ply")
        #expect(result.status == 0)
        #expect((result.output + result.errors).contains("the cloud holds no points"))
    }

    @Test func mistakesOfUsageEndWithTwo() throws {
        try MiniCapture().write(in: folder)
        for arguments in [
            ["mini", "-o", "out", "--jobs", "0"], ["mini"], ["mini", "-o", "out", "--until", "25:99"],
            ["mini", "-o", "out", "--min-free", "20X"], ["mini", "-o", "out", "--min-free", "20"],
            ["mini", "-o", "out", "--max-memory", "20i"],
        ] { #expect(try folder.run("read", arguments).status == 2, "\(arguments)") }
        // Less than a megabyte has to be said with its unit.
        #expect(try folder.run("read", ["mini", "-o", "out", "--min-free", "500k"]).status == 0)
        #expect(try Scanmill.run(["verfy"]).status == 2)
        #expect(try Scanmill.run(["--help"]).status == 0)
        #expect(try Scanmill.run(["run", "--help"]).output.contains("USAGE"))
    }

    @Test func moreJobsThanAnyMachineHas() throws {
        try MiniCapture().write(in: folder)
        #expect(try folder.run("read, decompress", ["mini", "-o", "out", "--jobs", "9999999999"]).status == 0)
    }

    @Test func aCaptureUnderManySpellingsIsOne() throws {
        var mini = MiniCapture()
        mini.id = "caps/a"
        try mini.write(in: folder)
        let spellings = ["caps", "./caps/a", "caps//a", "\(folder.path)/caps", "caps/../caps/a/"]
        let result = try folder.run("read", spellings + ["-o", "out"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("done     a  "), "\(result.output)")
        #expect(result.output.contains("1 capture: 1 done"))
        // Links that have other names make other captures of it.
        try FileManager.default.createDirectory(atPath: "\(folder.path)/links", withIntermediateDirectories: true)
        for name in ["b", "c"] { #expect(symlink("../caps/a", "\(folder.path)/links/\(name)") == 0) }
        #expect(try folder.run("read", ["links/b", "links/c", "-o", "out"]).output.contains("2 captures: 2 done"))
    }

    @Test func aCaptureNamedTwiceIsOne() throws {
        try MiniCapture().write(in: folder)
        let result = try folder.run("read", ["mini", "mini", "-o", "out"])
        #expect(result.status == 0)
        #expect(result.output.contains("1 capture: 1 done"))
    }
}
