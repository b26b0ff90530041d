import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// The tool as people run it: exit codes, what is said where, what is on disk afterwards.
@Suite struct RunCommandTests {
    let quick: QuickRun

    init() throws { quick = try QuickRun() }

    @Test func aRunSaysOneLineACaptureAndASummary() throws {
        let result = try quick.run([QuickRun.sample, "-o", "out"])
        #expect(result.status == 0)
        #expect(result.errors == "")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("done     desk  3 of 60 frames, 1 file, ") == true)
        #expect(lines[1] == "1 capture: 1 done; results are in out")
        #expect(lines.last == "the report is out/.scanmill/report.html")
        #expect(quick.names("out/desk") == ["desk.ply", "receipt.json"])
    }

    @Test func aSecondRunDoesNothing() throws {
        #expect(try quick.run([QuickRun.sample, "-o", "out"]).status == 0)
        let before = try runCommand(["sh", "-c", "find out/desk -printf '%p %T@ %i\\n'"], in: quick.folder.path).output
        let result = try quick.run([QuickRun.sample, "-o", "out"])
        #expect(result.status == 0)
        #expect(result.output == "1 capture: 1 up to date; results are in out\n")
        #expect(
            try runCommand(["sh", "-c", "find out/desk -printf '%p %T@ %i\\n'"], in: quick.folder.path).output == before
        )
        #expect(quick.names("out/.scanmill/runs").count == 1)
    }

    /// Nobody changed anything, and all is made again: that is no night like the others.
    @Test func whatAnUpdateMakesAgainIsTold() throws {
        #expect(try quick.run([QuickRun.sample, "-o", "out"]).status == 0)
        // As a version with another reader left it, before receipts had seals.
        for file in ["desk/receipt.json", ".scanmill/inputs/desk.json"] {
            let text = String(decoding: try quick.folder.bytes("out/\(file)"), as: UTF8.self)
                .replacing(#/"key": "[^"]*"/#, with: "\"key\": \"\(String(repeating: "0", count: 64))\"")
                .replacing(#/\["multiscan", \d+\]/#, with: "[\"multiscan\", 0]")
            try quick.folder.write(text.withoutSeal, to: "out/\(file)")
        }
        let plan = try Scanmill.run(["plan", "quick.yaml", QuickRun.sample, "-o", "out"], in: quick.folder.path)
        let why = "since an update, ScanMill reads multiscan differently"
        #expect(plan.output.contains("\(why)\n") && plan.output.contains("1 would run"), "\(plan)")
        // New versions come with new servers, where captures lie elsewhere.
        try quick.copySample("desk")
        let moved = try Scanmill.run(["plan", "quick.yaml", "in/desk", "-o", "out"], in: quick.folder.path)
        #expect(moved.output.contains("\(why)\n") && moved.output.contains("1 would run"), "\(moved)")
        let result = try quick.run([QuickRun.sample, "-o", "out"])
        #expect(result.status == 0 && result.errors == "note: 1 capture was made again: \(why)\n", "\(result)")
        let page = try Scanmill.run(["report", "out"], in: quick.folder.path).output.dropLast()
        let html = String(decoding: try quick.folder.bytes(String(page)), as: UTF8.self)
        #expect(html.contains("<dt>Made again</dt><dd>1 result: \(why)</dd>"))
        #expect(try quick.run([QuickRun.sample, "-o", "out"]).errors == "")
    }

    @Test func quietSaysNothingUnlessSomethingFailed() throws {
        let good = try quick.run([QuickRun.sample, "-o", "out", "-q"])
        #expect(good.output == "" && good.errors == "" && good.status == 0)
        try quick.copySample("bad")
        try quick.folder.write("{", to: "in/bad/desk.json")
        let bad = try quick.run(["in/bad", "-o", "out", "-q"])
        #expect(bad.status == 1)
        #expect(bad.output == "")
        #expect(bad.errors.contains("error: "))
    }

    @Test func theLogGoesOnFromNightToNight() throws {
        try quick.copySample("bad")
        try quick.folder.write("{", to: "in/bad/desk.json")
        #expect(try quick.run([QuickRun.sample, "-o", "out", "-q", "--log", "log"]).status == 0)
        #expect(try quick.run([QuickRun.sample, "in/bad", "-o", "out", "-q", "--log", "log"]).status == 1)
        let events = try quick.folder.bytes("log").split(separator: UInt8(ascii: "\n")).map {
            try JSONValue.parse(Array($0), file: "log")
        }
        #expect(
            events.map { $0["event"]?.string } == [
                "run-began", "began", "ended", "run-ended",
                // What is up to date does not begin.
                "run-began", "ended", "began", "ended", "run-ended",
            ])
        #expect(events.first?["captures"]?.integer == 1 && events[4]["captures"]?.integer == 2)
        #expect(events[3]["status"]?.integer == 0 && events.last?["status"]?.integer == 1)
        #expect(events.last?["captures"]?["failed"]?.integer == 1)
        #expect(events.last?["captures"]?["up to date"]?.integer == 1)
        // Each line says whose it is, and where the report is.
        let names = events.compactMap { $0["run"]?.string }
        #expect(names.count == events.count && Set(names).count == 2)
        #expect(Set(names[..<4]).count == 1 && Set(names[4...]).count == 1)
        #expect(Set(quick.names("out/.scanmill/runs")) == Set(names))
    }

    /// A capture that lost what it is known by must not vanish from a night, nor a disk without room stay unnoticed.
    @Test func aLogThatNobodyReadsIsRefused() throws {
        #expect(mkfifo("\(quick.folder.path)/pipe", 0o600) == 0)
        let result = try quick.run([QuickRun.sample, "-o", "out", "--log", "pipe"])
        #expect(result.status == 3)
        #expect(result.errors.contains("it is a pipe that nobody reads: start its reader first"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(quick.output)/desk"))
    }

    /// Killed before it wrote its report, or told to write none: the same command again is all that it needs.
    @Test func aRunWithoutAReportGetsOneFromTheNext() throws {
        #expect(try quick.run([QuickRun.sample, "-o", "out", "--no-report"]).status == 0)
        let page = "\(quick.output)/.scanmill/report.html"
        #expect(!FileManager.default.fileExists(atPath: page))
        let again = try quick.run([QuickRun.sample, "-o", "out"])
        #expect(again.output.contains("1 up to date"))
        #expect(again.output.contains("the report is out/.scanmill/report.html"))
        #expect(FileManager.default.fileExists(atPath: page))
        #expect(try !quick.run([QuickRun.sample, "-o", "out"]).output.contains("the report is"))
    }

    /// Somebody removes the newest run's folder: the page that leads to the newest report leads to one again.
    @Test func aReportThatWasRemovedIsReplaced() throws {
        let command = [QuickRun.sample, "-o", "out"]
        for more in [[], ["--force"]] { #expect(try quick.run(command + more).status == 0) }
        let state = "\(quick.output)/.scanmill"
        func target() throws -> String {
            let doorway = try String(contentsOfFile: "\(state)/report.html", encoding: .utf8)
            let address = try #require(doorway.firstMatch(of: #/url=(runs/[^"]*)"/#)).1
            return "\(state)/\(address)"
        }
        let removed = try target()
        for path in [String(removed.dropLast("/report.html".count)), "\(state)/runs"] {
            try FileManager.default.removeItem(atPath: path)
            let again = try quick.run(command)
            #expect(again.output.contains("1 up to date"))
            #expect(again.output.contains("the report is out/.scanmill/report.html"))
            let now = try target()
            #expect(now != removed && FileManager.default.fileExists(atPath: now))
            #expect(try !quick.run(command).output.contains("the report is"))
        }
    }

    @Test func quietTellsOfWhatIsLeftOut() throws {
        try quick.copySample("good")
        try quick.folder.write("x", to: "in/lost/notes.bin")
        try FileManager.default.createDirectory(
            atPath: "\(quick.folder.path)/in/empty", withIntermediateDirectories: true)
        let result = try quick.run(["in", "-o", "out", "-q"])
        #expect(result.status == 0)
        let warning = """
            warning: there is no capture in in/empty, in/lost
               = fix: `scanmill inspect in/empty` says what is wrong with the first

            """
        #expect(result.errors.hasPrefix(warning), "\(result.errors)")
        let full = try quick.run(["in/good", "-o", "other", "-q", "--min-free", "900TiB"])
        #expect(full.status == 0)
        #expect(full.errors.hasPrefix("warning: 1 capture left for another night: only "))
        try quick.folder.write("x", to: "in/good/young")
        let young = try quick.run(["in/good", "-o", "other", "-q", "--settle", "1h"])
        #expect(young.status == 0)
        #expect(young.errors == "warning: 1 capture still arriving: good\n")
    }

    /// A copy that lost its end at night must not take a good result's place unseen; what is odd about a capture can wait.
    @Test func quietTellsOfFewerFramesThanBefore() throws {
        try MiniCapture().write(in: quick.folder)
        let arguments = ["mini", "-o", "out", "-q", "--no-report"]
        let stages = "{read: {truncated: keep-whole, min-whole: 0.1, bad-frame-limit: 1}}, decompress"
        #expect(try quick.folder.run(stages, arguments).errors == "")
        let lines = try quick.folder.bytes("mini/recorded.jsonl").split(separator: UInt8(ascii: "\n"))
        try quick.folder.write(lines.prefix(5).flatMap { $0 + [UInt8(ascii: "\n")] }, to: "mini/recorded.jsonl")
        let fewer = try quick.folder.run(stages, arguments)
        #expect(fewer.status == 0)
        #expect(
            fewer.errors == "warning: mini: 5 frames are left, and the result that was replaced had 7\n", "\(fewer)")
    }

    /// The disk of the captures decays, and what was made of them is good.
    @Test(arguments: ["depth", "confidence"]) func aWholeResultIsNotGivenUpForLess(_ stream: String) throws {
        try quick.copySample("desk")
        let stages = "{read: {truncated: keep-whole, min-whole: 0.1}}, {write-staging: {depth: source}}"
        let arguments = ["in/desk", "-o", "out", "-q", "--no-report"]
        #expect(try quick.folder.run(stages, arguments).errors == "")
        let receipt = try quick.folder.bytes("out/desk/receipt.json")
        let file = "in/desk/desk.\(stream).zlib"
        let bytes = try quick.folder.bytes(file)
        if stream == "depth" {
            try quick.folder.write(Array(bytes.prefix(bytes.count / 2)), to: file)
        } else {
            try FileManager.default.removeItem(at: quick.folder.url(file))
        }
        for added in [[], ["--force"]] {
            let poorer = try quick.folder.run(stages, arguments + added)
            #expect(poorer.status == 1, "\(poorer)")
            #expect(
                poorer.errors.contains("the copy of the capture has lost something since its result was made"),
                "\(poorer)")
            #expect(poorer.errors.contains("take what can be made of the rest with  --only desk --replace --retry"))
            #expect(try quick.folder.bytes("out/desk/receipt.json") == receipt)
        }
        let taken = try quick.folder.run(stages, arguments + ["--only", "desk", "--replace", "--retry"])
        #expect(taken.status == 0, "\(taken)")
        #expect(try quick.folder.bytes("out/desk/receipt.json") != receipt)
        // From now on there is nothing to lose.
        #expect(try quick.folder.run(stages, arguments + ["--force"]).status == 0)
        // A whole copy is taken again, and so is a mended one.
        try quick.folder.write(bytes, to: file)
        #expect(try quick.folder.run(stages, arguments).status == 0)
        #expect(try quick.folder.bytes("out/desk/receipt.json") == receipt)
    }

    /// What is lost of a half-copied capture may still lie on the device.
    @Test func quietTellsOfWhatWasSalvaged() throws {
        try quick.copySample("desk")
        let depth = try quick.folder.bytes("in/desk/desk.depth.zlib")
        try quick.folder.write(Array(depth.prefix(depth.count * 3 / 4)), to: "in/desk/desk.depth.zlib")
        let result = try quick.run(
            ["in", "-o", "out", "-q", "--metrics", "night.prom", "--set", "read.truncated=keep-whole"])
        #expect(result.status == 0, "\(result.errors)")
        let line = try #require(result.errors.split(separator: "\n").first)
        #expect(line.hasPrefix("warning: desk: ") && line.contains(" of 60 frames are lost: "), "\(line)")
        #expect(line.contains("depth stream truncated"), "\(line)")
        #expect(line.hasSuffix("; copy it again from the device, and the next run makes the result again"), "\(line)")
        let figures = String(decoding: try quick.folder.bytes("night.prom"), as: UTF8.self).withoutOwner
        #expect(figures.contains("\nscanmill_captures_salvaged 1.0\n"))
        #expect(figures.contains("\nscanmill_captures_doubtful 1.0\n"))
        // Programs find it afterwards, too.
        let receipt = try JSONValue.parse(try quick.folder.bytes("out/desk/receipt.json"), file: "receipt.json")
        #expect(receipt["salvaged"]?.bool == true && receipt["doubtful"]?.bool == true)
    }

    /// Nor may what a copy lacks: without confidence, depth that the app itself distrusts is in the result.
    @Test func quietTellsOfWhatWasLostOnTheWay() throws {
        try quick.copySample("desk")
        try FileManager.default.removeItem(at: quick.folder.url("in/desk/desk.confidence.zlib"))
        let stages = "read, decompress, mask-confidence: {if-missing: pass}"
        func warned(by stages: String) throws -> [Substring] {
            let result = try quick.folder.run(stages, ["in", "-o", "out", "-q", "--no-report", "--metrics", "prom"])
            #expect(result.status == 0 && result.output == "", "\(result)")
            let figures = String(decoding: try quick.folder.bytes("prom"), as: UTF8.self).withoutOwner
            #expect(figures.contains("\nscanmill_captures_doubtful \(result.errors.isEmpty ? 0.0 : 1.0)\n"))
            return result.errors.split(separator: "\n")
        }
        let said = try warned(by: stages)
        #expect(said.count == 1 && said[0].hasPrefix("warning: desk: ") && said[0].contains("copy"), "\(said)")
        // Neither again, nor where no stage misses it.
        #expect(try warned(by: stages) == [])
        #expect(try warned(by: "read, measure-blur") == [])
    }

    /// Wrong axes must not be found weeks later.
    @Test func quietTellsOfWrongGeometry() throws {
        let stages = "{read: {poses: cv-axes}}, decompress, check-geometry"
        let result = try quick.folder.run(stages, [QuickRun.sample, "-o", "out", "-q", "--no-report"])
        #expect(result.status == 0 && result.output == "", "\(result)")
        let wrong = "warning: desk: check-geometry: the geometry is wrong: `poses: cv-axes` of `read` does not suit"
        #expect(result.errors.hasPrefix(wrong), "\(result)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
    }

    @Test func jsonIsOneObjectOnStdout() throws {
        let result = try quick.run([QuickRun.sample, "-o", "out", "--json"])
        let json = try JSONValue.parse(Array(result.output.utf8), file: "stdout")
        let capture = try #require(json["captures"]?.array?.first)
        #expect(capture["id"] == .string("desk"))
        #expect(capture["status"] == .string("done"))
        #expect(capture["frames"]?["kept"] == .integer(3))
        #expect(result.errors == "")
    }

    @Test func oneBadCaptureDoesNotStopTheOthers() throws {
        for name in ["a", "b", "c"] { try quick.copySample(name) }
        let depth = try quick.folder.bytes("in/b/desk.depth.zlib")
        try quick.folder.write(Array(depth.prefix(depth.count / 2)), to: "in/b/desk.depth.zlib")
        let result = try quick.run(["in", "-o", "out"])
        #expect(result.status == 1)
        #expect(quick.names("out").filter { !$0.hasPrefix(".") } == ["a", "c"])
        #expect(
            result.errors.contains("error: depth stream truncated\n  --> in/b/desk.depth.zlib at byte "),
            "\(result.errors)")
        #expect(result.errors.contains("   = nothing was published for b\n"))
        #expect(result.errors.contains("--set read.truncated=keep-whole"))
        #expect(result.errors.contains("to try it again:  scanmill run quick.yaml in/b -o out --retry"))

        // Nothing has changed, so it is not tried again, and still counts.
        let again = try quick.run(["in", "-o", "out"])
        #expect(again.status == 1)
        #expect(again.output.contains("failed   b  as before: depth stream truncated"))
        #expect(again.output.contains("3 captures: 2 up to date, 1 failed before; results are in out"))
        let plan = try Scanmill.run(["plan", "quick.yaml", "in", "-o", "out"], in: quick.folder.path)
        #expect(plan.output.contains("failed     b  as before: depth stream truncated\n"), "\(plan)")
        #expect(plan.output.contains(", 1 failed before (--retry tries it again), 0 cannot run, "), "\(plan)")

        // The cause is gone, so is the failure.
        try quick.folder.write(depth, to: "in/b/desk.depth.zlib")
        #expect(try quick.run(["in", "-o", "out"]).status == 0)
        #expect(quick.names("out").filter { !$0.hasPrefix(".") } == ["a", "b", "c"])
        #expect(quick.names("out/.scanmill/failures") == [])
    }

    @Test func keepWholeSalvagesAndAccounts() throws {
        try quick.copySample("cut")
        let depth = try quick.folder.bytes("in/cut/desk.depth.zlib")
        try quick.folder.write(Array(depth.prefix(depth.count / 2)), to: "in/cut/desk.depth.zlib")
        let result = try quick.run(["in", "-o", "out", "--set", "read.truncated=keep-whole"])
        #expect(result.status == 0, "\(result.errors)")
        let receipt = try JSONValue.parse(try quick.folder.bytes("out/cut/receipt.json"), file: "receipt")
        let frames = try #require(receipt["frames"])
        let dropped = try #require(frames["dropped"]?.array)
        #expect(frames["source"] == .integer(60))
        #expect(try #require(frames["kept"]?.integer) + Int64(dropped.count) == 60)
        let lost = dropped.filter { $0["stage"] == .string("read") }
        #expect(lost.count > 20)
        #expect(lost.allSatisfy { $0["reason"]?.string?.contains("desk.depth.zlib at byte ") == true })
    }

    @Test func aFailureLeavesTheLastGoodResult() throws {
        try quick.copySample("desk")
        #expect(try quick.run(["in/desk", "-o", "out"]).status == 0)
        let good = try quick.folder.bytes("out/desk/desk.ply")
        try quick.folder.write("not JSON\n", to: "in/desk/desk.jsonl")
        let result = try quick.run(["in/desk", "-o", "out"])
        #expect(result.status == 1)
        #expect(result.errors.contains("the last good result is unchanged"))
        #expect(try quick.folder.bytes("out/desk/desk.ply") == good)
        #expect(quick.names("out/.scanmill/work") == [])
    }

    @Test func mistakesOfAPipelineEndTheRunBeforeItBegins() throws {
        try quick.folder.write("stages:\n  - read\n  - unprojekt\n  - mask-range: {fra: 4}\n", to: "quick.yaml")
        let result = try quick.run([QuickRun.sample, "-o", "out"])
        #expect(result.status == 2)
        #expect(
            result.errors == """
                quick.yaml:3:5: error: there is no stage `unprojekt`
                    - unprojekt
                      ^
                  fix: did you mean `unproject`?
                quick.yaml:4:18: error: `mask-range` has no option `fra`
                    - mask-range: {fra: 4}
                                   ^
                  fix: did you mean `far`?
                2 mistakes; nothing was run

                """)
        #expect(quick.names("out") == [])
    }

    @Test func usageMistakesExitWith2() throws {
        #expect(try quick.run(["nowhere", "-o", "out"]).status == 2)
        #expect(
            try quick.run([QuickRun.sample, "-o", "out", "--only", "chair"]).errors
                == "error: `--only chair`: no capture has this id\n"
                + "   = fix: `scanmill plan` without `--only` lists the captures and their ids\n")
        let near = try quick.run([QuickRun.sample, "-o", "out", "--only", "dsek"])
        #expect(near.status == 2 && near.errors.hasSuffix("   = fix: did you mean `desk`?\n"), "\(near.errors)")
        let twice = try quick.run([QuickRun.sample, "-o", "out", "--log", "night.log", "--metrics", "./night.log"])
        #expect(twice.status == 2 && twice.errors.contains("`--log` and `--metrics` are the same file"))
        #expect(symlink("night.log", quick.folder.url("link.prom").path) == 0)
        let linked = try quick.run([QuickRun.sample, "-o", "out", "--log", "night.log", "--metrics", "link.prom"])
        #expect(linked.status == 2 && linked.errors.contains("`--log` and `--metrics` are the same file"), "\(linked)")
        let setting = try quick.run([QuickRun.sample, "-o", "out", "--set", "voxel-downsample.sise=1"])
        #expect(setting.status == 2)
        #expect(setting.errors.contains("`voxel-downsample` has no option `sise`"))
        #expect(try Scanmill.run(["run"]).status == 2)
        let slip = try Scanmill.run(["runn", "quick.yaml"])
        #expect(slip.status == 2)
        #expect(slip.errors == "error: there is no command `runn`\n   = fix: did you mean `run`?\n")
        let unknown = try Scanmill.run(["convert"]).errors
        #expect(unknown.hasPrefix("error: there is no command `convert`\n   = fix: the commands are run, plan, "))
        #expect(unknown.hasSuffix("; `scanmill --help` says what they do\n"), "\(unknown)")
        #expect(try Scanmill.run(["version"]).errors.hasSuffix("fix: did you mean `--version`?\n"))
        let help = try Scanmill.run(["help", "runn"])
        #expect(help.status == 2 && help.output == "" && help.errors == slip.errors)
        #expect(try Scanmill.run(["help", "run"]).output.hasPrefix("OVERVIEW: Runs captures through a pipeline."))
        try quick.folder.write("x", to: "empty/nothing.txt")
        let nothing = try quick.run(["empty", "-o", "out"])
        #expect(nothing.status == 2)
        #expect(
            nothing.errors.contains(
                "error: there is no capture in empty\n   = fix: `scanmill inspect empty` says what it holds"),
            "\(nothing.errors)")
        try quick.folder.write("ply\n", to: "empty/a.ply")
        let clouds = try quick.folder.run("read: {format: ply}, write-ply", ["empty", "-o", "out"])
        #expect(clouds.status == 2)
        #expect(
            clouds.errors.contains("fix: folders are not searched for PLY files; name them:  empty/*.ply"),
            "\(clouds.errors)")
    }

    @Test func setChangesAnOptionAndRunsAgain() throws {
        #expect(try quick.run([QuickRun.sample, "-o", "out"]).status == 0)
        let plan = try Scanmill.run(
            ["plan", "quick.yaml", QuickRun.sample, "-o", "out", "--set", "voxel-downsample.size=0.1"],
            in: quick.folder.path)
        #expect(
            plan.output.hasPrefix("run        desk  voxel-downsample.size changed from 0.05 to 0.1\n"), "\(plan.output)"
        )
        #expect(
            try quick.run([QuickRun.sample, "-o", "out", "--set", "voxel-downsample.size=0.1"]).output.hasPrefix("done")
        )
    }

    @Test func outBelongsToOnePipeline() throws {
        #expect(try quick.run([QuickRun.sample, "-o", "out"]).status == 0)
        try quick.folder.write(
            QuickRun.cloud.replacingOccurrences(of: "name: quick", with: "name: other"), to: "quick.yaml")
        let refused = try quick.run([QuickRun.sample, "-o", "out"])
        #expect(refused.status == 2)
        #expect(refused.errors.contains("out holds results of the pipeline `quick`, not of `other`"))
        #expect(try quick.run([QuickRun.sample, "-o", "out", "--replace"]).status == 0)
    }

    @Test func patienceHasALeast() throws {
        try quick.copySample("desk")
        for time in ["0", "0s"] {
            let refused = try quick.run(["in", "-o", "out", "--patience", time])
            #expect(refused.status == 2)
            #expect(refused.errors.contains("`--patience` takes a time of at least 1 second."))
        }
    }

    @Test(arguments: [
        ("--max-memory", "50%", "<size>': write a size such as 500M, 20G, 1.5TB or 16GiB\n"),
        ("--min-free", "10%", "<size>': write a size such as 500M, 20G, 1.5TB or 16GiB\n"),
        ("--until", "6am", "<time>': write a time of day such as 06:00 or 23:30\n"),
        ("--settle", "10min", "<time>': write a length of time such as 90s, 10m, 2h or 1d\n"),
        ("--jobs", "all", "<jobs>': write a whole number such as 4\n"),
    ])
    func whatIsValidIsSaid(option: String, value: String, end: String) throws {
        let refused = try quick.run(["in", "-o", "out", option, value])
        #expect(refused.status == 2)
        let message = "Error: The value '\(value)' is invalid for '\(option) \(end)"
        #expect(refused.errors.hasPrefix(message), "\(refused.errors)")
    }

    /// Each capture, or pattern, is asked for by itself.
    @Test(arguments: [("pad1,pad2", "pad1 pad2"), ("pad1, phone", "pad1 phone"), ("pad*,phone", "'pad*' phone")])
    func severalThatAreAskedForAtOnce(list: String, ids: String) throws {
        for id in ["pad1", "pad2", "phone"] { try quick.copySample(id) }
        let refused = try quick.run(["in", "-o", "out", "--only", list])
        let words = ids.split(separator: " ").map { "--only \($0)" }.joined(separator: " ")
        #expect(refused.status == 2)
        #expect(refused.errors.hasSuffix("   = fix: name each by itself:  \(words)\n"), "\(refused.errors)")
    }

    @Test func theInputIsNeverChanged() throws {
        try quick.copySample("desk")
        let before = try runCommand(["sh", "-c", "find in -printf '%p %T@ %s %m\\n' | sort"], in: quick.folder.path)
            .output
        #expect(try quick.run(["in", "-o", "out"]).status == 0)
        #expect(
            try runCommand(["sh", "-c", "find in -printf '%p %T@ %s %m\\n' | sort"], in: quick.folder.path).output
                == before)
    }

    @Test func aChildThatIsKilledIsAFailedCapture() throws {
        // 20,000 rendered frames take minutes: time enough to find the child and kill it.
        try quick.folder.write(
            "stages: [{synthesize: {frames: 20000}}, decompress, unproject, voxel-downsample, write-ply]",
            to: "slow.yaml")
        try quick.copySample("desk")
        let script = """
            "$1" run slow.yaml in/desk -o out & parent=$!
            for i in $(seq 600); do
              child=$(pgrep -P $parent -f run-one-capture) && break; sleep 0.1
            done
            [ -n "$child" ] || { kill $parent; echo "no child began"; exit 1; }
            sleep 0.5; kill -9 $child; wait $parent; echo "status $?"
            """
        let result = try runCommand(["sh", "-c", script, "sh", Scanmill.path], in: quick.folder.path)
        #expect(result.output.contains("status 3"), "\(result.output) \(result.errors)")
        #expect(result.errors.contains("error: the capture's process was killed"))
        #expect(quick.names("out").filter { !$0.hasPrefix(".") } == [])
    }

    /// Nobody can mend what is gone.
    @Test func failuresOfCapturesThatAreGoneAreForgotten() throws {
        for name in ["bad", "good"] { try quick.copySample(name) }
        try quick.folder.write("{", to: "in/bad/desk.json")
        #expect(try quick.run(["in", "-o", "out", "--no-report"]).status == 1)
        #expect(quick.names("out/.scanmill/failures") == ["bad.json"])
        try FileManager.default.removeItem(atPath: "\(quick.folder.path)/in/bad")
        #expect(try quick.run(["in", "-o", "out", "--no-report"]).status == 0)
        #expect(quick.names("out/.scanmill/failures") == [])
    }

    /// Also what a killed run has left of a capture that is not among tonight's.
    @Test func leftoversOfOtherCapturesGo() throws {
        #expect(try quick.run([QuickRun.sample, "-o", "out", "--no-report"]).status == 0)
        try quick.folder.write("half", to: "out/.scanmill/work/gone.\(StateFolder.host).1.x/deep/f")
        try quick.folder.write("half", to: "out/.scanmill/work/gone.elsewhere.1.x/f")
        #expect(try quick.run([QuickRun.sample, "-o", "out", "--no-report"]).status == 0)
        #expect(quick.names("out/.scanmill/work") == ["gone.elsewhere.1.x"])
    }

    /// However fast they would be done: no capture is begun after the signal, the figures' trouble is not the run's
    /// status, and nobody waits for a report.
    @Test func nothingIsBegunAfterASignal() throws {
        for number in 1...60 { try quick.copySample("c\(number + 100)") }
        try quick.folder.write("stages: [read]", to: "quick.yaml")
        try quick.folder.write("", to: "figures/other")
        let script = """
            "$1" run quick.yaml in -o out --jobs 1 --metrics figures/f.prom > told & parent=$!
            for i in $(seq 600); do ls out/*/receipt.json > /dev/null 2>&1 && break; sleep 0.02; done
            rm -r figures; kill -TERM $parent; wait $parent
            echo "status $?"
            """
        let result = try runCommand(["bash", "-c", script, "bash", Scanmill.path], in: quick.folder.path)
        #expect(result.output == "status 143\n", "\(result)")
        let lines = String(decoding: try quick.folder.bytes("told"), as: UTF8.self).split(separator: "\n")
        // Each of the first few by its name, so that they do not push what was done off the screen.
        let left = lines.filter { $0.hasPrefix("left ") && $0.hasSuffix("  stopped by SIGTERM") }
        #expect(left.count == 6, "\(lines)")
        let more = left.last?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        #expect(more > 5 && left.last == "left     \(more) more captures  stopped by SIGTERM", "\(lines)")
        #expect(quick.names("out").count { !$0.hasPrefix(".") } == lines.count { $0.hasPrefix("done ") })
        #expect(!quick.names("out/.scanmill").contains("report.html"))
    }

    /// As `nohup` asks for.
    @Test func aHangUpThatIsIgnoredEndsNothing() throws {
        try quick.folder.write("stages: [{synthesize: {frames: 400}}, decompress, write-frames]", to: "slow.yaml")
        try quick.copySample("a")
        let script = """
            trap "" HUP
            "$1" run slow.yaml in -o out --jobs 1 --no-report & parent=$!
            for i in $(seq 300); do ls out/.scanmill/work/a.* > /dev/null 2>&1 && break; sleep 0.1; done
            kill -HUP $parent; wait $parent
            echo "status $?"
            """
        let result = try runCommand(["bash", "-c", script, "bash", Scanmill.path], in: quick.folder.path)
        #expect(result.output.hasSuffix("status 0\n"), "\(result)")
        #expect(quick.names("out").contains("a"))
    }

    /// As by Ctrl-\ at a terminal.
    @Test func quittingIsNoCrash() throws {
        try quick.folder.write("stages: [{synthesize: {frames: 20000}}, decompress, write-frames]", to: "slow.yaml")
        try quick.copySample("a")
        let script = """
            env --default-signal=QUIT "$1" run slow.yaml in -o out --jobs 1 & parent=$!
            for i in $(seq 300); do ls out/.scanmill/work/a.* > /dev/null 2>&1 && break; sleep 0.1; done
            kill -QUIT $parent; wait $parent
            echo "status $?"
            """
        let result = try runCommand(["bash", "-c", script, "bash", Scanmill.path], in: quick.folder.path)
        #expect(result.output.hasSuffix("status 131\n"), "\(result)")
        #expect(!result.errors.contains("crashed"), "\(result)")
    }

    @Test(arguments: [("INT", 130), ("TERM", 143)])
    func aSignalEndsTheRunWithinFiveSeconds(_ name: String, _ status: Int) throws {
        try quick.folder.write(
            "stages: [{synthesize: {frames: 20000}}, decompress, unproject, voxel-downsample, write-ply]",
            to: "slow.yaml")
        try quick.copySample("a")
        try quick.copySample("b")
        let script = """
            "$1" run slow.yaml in -o out --jobs 1 & parent=$!
            for i in $(seq 300); do ls out/.scanmill/work/a.* > /dev/null 2>&1 && break; sleep 0.1; done
            start=$(date +%s%N); kill -$2 $parent; wait $parent
            echo "status $? after $(( ($(date +%s%N) - start) / 1000000 )) ms"
            """
        let result = try runCommand(["bash", "-c", script, "bash", Scanmill.path, name], in: quick.folder.path)
        #expect(result.output.contains("status \(status) after "), "\(result.output) \(result.errors)")
        let milliseconds = result.output.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? .max
        // Five, and what a loaded machine takes for the rest.
        #expect(milliseconds < 8000)
        #expect(result.output.contains("left     b  stopped by SIG\(name)"))
        #expect(quick.names("out").filter { !$0.hasPrefix(".") } == [])
    }
}
