import Foundation
import TestSupport
import Testing

/// What a run says is to be done about captures that failed: the command that tries them again, or what to change.
@Suite struct RunAgainTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

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
        #expect(page.contains("scanmill \(command)</code>"))
        let again = try Scanmill.run(command.split(separator: " ").map(String.init), in: folder.path)
        #expect(again.status == 1)
        #expect(again.errors.contains(line))
    }

    @Test func aPipelineWhoseNameBeginsWithADash() throws {
        try MiniCapture().write(in: folder)
        try folder.write("{", to: "mini/recorded.json")
        try folder.write("stages: [read, decompress]\n", to: "-p.yaml")
        let words = ["run", "-o", "out", "--no-report", "--", "-p.yaml", "mini"]
        let result = try Scanmill.run(words, in: folder.path)
        let again = "to try it again:  scanmill run ./-p.yaml mini -o out --retry\n"
        #expect(result.status == 1 && result.errors.contains(again), "\(result)")
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
            trying nerfcapture again does not help: use a pipeline for captures without depth, such as the ready-made \
            pictures-only
            to leave out what the pipeline does not suit:  --exclude-unsuited

            """
        #expect(result.errors.hasSuffix(end), "\(result.errors)")
    }

    /// Whoever goes back to the device brings all of it, whatever else is at fault. The second run only remembers.
    @Test func allThatACopyLacksIsSaidInTheEnd() throws {
        for name in ["in/a", "in/b", "in/c"] { try folder.copySample("desk", to: name) }
        for name in ["a/boundingbox.json", "b/boundingbox.json", "b/desk.depth.zlib", "c/color", "c/desk.depth.zlib"] {
            try FileManager.default.removeItem(at: folder.url("in/\(name)"))
        }
        let stages = "read, {filter-blur: {count: 3}}, decompress, unproject, cull-by-box, write-ply"
        let end = """
            3 captures failed:
              2 × cull-by-box needs box, and this capture has none: a, b
              1 × filter-blur needs color, and this capture has none: c
                  fix: copy the folder with the .jpg files too; copy desk.depth.zlib too
            to try it again:  scanmill run trouble.yaml in/c -o out --retry
            trying a again does not help: use the ready-made object-no-box (for what stands on the floor) or \
            object-on-table (on a table), or give a box in a file, with  --set cull-by-box.box=FILE
            trying b again does not help: use the ready-made object-no-box (for what stands on the floor) or \
            object-on-table (on a table), or give a box in a file, with  --set cull-by-box.box=FILE ; copy \
            desk.depth.zlib too
            to leave out what the pipeline does not suit:  --exclude-unsuited

            """
        for quiet in [[], ["--quiet"]] {
            let result = try folder.run(stages, ["in", "-o", "out", "--no-report"] + quiet)
            #expect(result.errors.hasSuffix(end), "\(result.errors)")
        }
    }

    /// More than anybody wants to read in a command: the same run tries those again that were mended.
    @Test func manyAreTriedAgainByTheSameRun() throws {
        let inputs = (10..<23).map { "in/\($0)" }
        try MiniCapture().write(inputs, in: folder)
        for input in inputs { try folder.write("{", to: "\(input)/recorded.json") }
        let options = ["in", "-o", "out"]
        let all = try folder.run("read, decompress", options)
        let command = "scanmill run trouble.yaml in -o out"
        #expect(all.errors.contains("to try all 13 again once they are fixed:  \(command)\n"), "\(all.errors)")
        let page = try runCommand(["sh", "-c", "cat out/.scanmill/runs/*/report.html"], in: folder.path).output
        #expect(page.contains(">next, for all 13 once they are fixed<") && page.contains(">\(command)</code>"))
        try MiniCapture().write([inputs[0]], in: folder)
        let again = try folder.run("read, decompress", options)
        #expect(again.output.contains("13 captures: 1 done, 12 failed before"), "\(again.output)")
    }

    /// So it does where it was given more than anybody wants to read in a command.
    @Test func manyOfManyInputsAreTriedAgainByTheSameCommand() throws {
        let inputs = (10..<24).map { "in/\($0)" }
        try MiniCapture().write(inputs, in: folder)
        for input in inputs { try folder.write("{", to: "\(input)/recorded.json") }
        let all = try folder.run("read, decompress", inputs + ["-o", "out"])
        #expect(
            all.errors.contains("\nto try all 14 again once they are fixed, run the same command again\n"),
            "\(all.errors)")
        let page = try runCommand(["sh", "-c", "cat out/.scanmill/runs/*/report.html"], in: folder.path).output
        #expect(page.contains(">next, for all 14 once they are fixed: the same run again; to look at this one<"))
        // With --force it would run again what is good, too.
        let forced = try folder.run("read, decompress", inputs + ["-o", "out", "--force", "--no-report"])
        #expect(forced.errors.contains("\nto try the first 12 again:  scanmill run "), "\(forced.errors)")
    }

    /// The command that tries them again chooses as this one did, also by words that look like options.
    @Test func manyThatWereChosenAreTriedAgain() throws {
        let inputs = (10..<23).map { "in/\($0)" } + ["in/-x"]
        try MiniCapture().write(inputs, in: folder)
        for input in inputs { try folder.write("{", to: "\(input)/recorded.json") }
        let words = ["--only=1*", "--only=2*", "--only=-*", "--exclude=-x"]
        let all = try folder.run("read, decompress", ["in", "-o", "out", "--no-report"] + words)
        let command = try #require(
            all.errors.firstMatch(of: #/again once they are fixed:  scanmill (run .*)\n/#)?.1, "\(all.errors)")
        let again = try runCommand(["sh", "-c", "'\(Scanmill.path)' \(command)"], in: folder.path)
        #expect(again.status == 1, "\(again.errors)")
        #expect(again.output.contains("14 captures: 13 failed before, 1 excluded"), "\(again.output)")
    }

    /// Tried again without a change, they would only fail again.
    @Test func whatToChangeIsShownWhereTheRequestIsAtFault() throws {
        let inputs = ["in/a", "in/b"]
        try MiniCapture().write(inputs, in: folder)
        let stages = "read, {select-frames: {include: [900]}}, decompress, write-frames"
        let line = "\ntrying a, b again does not help: loosen `select-frames`, which dropped them\n"
        // The second run only remembers.
        for news in ["no frame is left of 7", "as before: no frame is left of 7"] {
            let result = try folder.run(stages, inputs + ["-o", "out"])
            #expect(result.status == 1 && result.output.contains("failed   a  \(news)"), "\(result)")
            #expect(result.errors.contains(line), "\(result.errors)")
            #expect(!result.errors.contains("again:  scanmill"), "\(result.errors)")
        }
        let page = try runCommand(["sh", "-c", "cat out/.scanmill/runs/*/report.html"], in: folder.path).output
        #expect(page.contains("scanmill inspect ") && !page.contains(" --retry"))
    }

    /// Whatever numbers it names.
    @Test func whatToChangeIsSaidOnce() throws {
        for (id, count) in [("a", 7), ("b", 5)] {
            var mini = MiniCapture()
            mini.frameCount = count
            try mini.write(["in/\(id)"], in: folder)
        }
        let stages = "read, {select-every: {step: 2}}, {select-frames: {include: [900]}}, decompress, write-frames"
        let result = try folder.run(stages, ["in/a", "in/b", "-o", "out", "--no-report"])
        let line = "\ntrying a, b again does not help: loosen `select-frames`, which dropped the last …\n"
        #expect(result.errors.contains(line), "\(result.errors)")
    }

    /// So does it a dozen causes, as a mail does that somebody wants to read every morning.
    @Test func causesThatAreNotShownAreCounted() throws {
        let ids = (10..<25).map { "c\($0)" }
        let inputs = ids.map { "in/\($0)" }
        try MiniCapture().write(inputs, in: folder)
        let stages = "read, {select-frames: {include: [900]}}, decompress, write-frames"
        let words = inputs + ["-o", "out", "--no-report"]
        _ = try folder.run(stages, words)
        // The last two fail for one reason.
        for (id, kind) in zip(ids, "abcdefghijklmnn") {
            let note = "out/.scanmill/failures/\(id).json"
            let text = String(decoding: try folder.bytes(note), as: UTF8.self)
            try folder.write(text.replacing("\"summary\": \"", with: "\"summary\": \"\(kind): "), to: note)
        }
        let again = try folder.run(stages, words + ["-q"])
        let shown = again.errors.split(separator: "\n").count { $0.contains(" × ") }
        #expect(shown == 12 && again.errors.contains("15 captures failed:\n  2 × n: no frame"), "\(again.errors)")
        let rest = "\n  and 2 more causes, of 2 captures; for all of them:  scanmill status out\n"
        #expect(again.errors.contains(rest), "\(again.errors)")
    }

    /// A screen holds a dozen fixes; the rest is not passed over in silence.
    @Test func fixesThatAreNotShownAreCounted() throws {
        let ids = (10..<24).map { "c\($0)" }
        let inputs = ids.map { "in/\($0)" }
        try MiniCapture().write(inputs, in: folder)
        let stages = "read, {select-frames: {include: [900]}}, decompress, write-frames"
        _ = try folder.run(stages, inputs + ["-o", "out", "--no-report"])
        for (id, kind) in zip(ids, "abcdefghijklmn") {
            let note = "out/.scanmill/failures/\(id).json"
            let text = String(decoding: try folder.bytes(note), as: UTF8.self)
            try folder.write(text.replacing("\"fix\": \"loosen", with: "\"fix\": \"\(kind): loosen"), to: note)
        }
        let again = try folder.run(stages, inputs + ["-o", "out", "--no-report"])
        let shown = again.errors.split(separator: "\n").count { $0.contains(": loosen `select-frames`") }
        #expect(shown == 12 && again.errors.contains("\nand 2 more of other kinds\n"), "\(again.errors)")
    }
}
