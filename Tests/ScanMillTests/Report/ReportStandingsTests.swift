import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// How the report says each capture stands: failed, waiting, damaged, gone.
@Suite struct ReportStandingsTests: ReportSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A stage's name stays as it is, and how fast captures fail is no speed.
    @Test func nothingButAFailure() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/colmap").path
        #expect(try folder.run("read, decompress, measure-depth", [sample, "-o", "out"]).status == 1)
        let json = try report()
        #expect(json["verdict"]?.string == "The capture is not ready.")
        let title = json["findings"]?.array?.first?["title"]?.string
        #expect(title == "decompress needs recorded-depth, and this capture has none")
        #expect(json["summary"]?["seconds"] != nil && json["summary"]?["captures-per-minute"] == nil)
        let html = try newestHTML()
        #expect(!html.contains("captures a minute") && !html.contains("Decompress needs"))
    }

    /// Captures that were only compared did not run, and of one name there may be two.
    @Test func thePageCountsAsTheRunDoes() throws {
        try folder.write("name: p\nstages: [read, decompress]\n", to: "p.yaml")
        for id in ["in/a", "in/b", "in/c", "in/-dash"] {
            var mini = MiniCapture()
            mini.id = id
            try mini.write(in: folder)
        }
        try folder.write("{", to: "in/-dash/recorded.json")
        func run(_ inputs: String...) throws -> String {
            try Scanmill.run(["run", "p.yaml"] + inputs + ["-o", "out"], in: folder.path).output
        }
        func others() throws -> String {
            let html = try newestHTML()
            return String(html.firstMatch(of: #/ ran in this run; ([^<]*)</#)?.1 ?? "")
        }
        #expect(try run("in/a", "in/b").contains("2 captures: 2 done"))
        #expect(try others() == "")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/b")
        #expect(try run("in/a", "in/b").contains("2 captures: 1 done, 1 up to date"))
        #expect(try others() == "the other is as an earlier run left it.")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/inputs")
        #expect(try run("in").contains("4 captures: 1 done, 2 up to date, 1 failed"))
        let summary = try #require(try report()["summary"])
        #expect(summary["ran"]?.integer == 2 && summary["captures"]?.integer == 4)
        #expect(try others() == "the others are as earlier runs left them.")
        let html = try newestHTML()
        #expect(html.contains(" in/-dash -o out --retry<"))

        try FileManager.default.removeItem(atPath: "\(folder.path)/out")
        try MiniCapture(id: "more/b").write(in: folder)
        #expect(try run("in/a", "in/b", "more/b").contains("2 captures: 1 done, 1 failed"))
        let twins = try #require(try report()["summary"])
        #expect(twins["captures"]?.integer == 2 && twins["ready"]?.integer == 1 && twins["failed"]?.integer == 1)
        // How captures are called is not mended by running them again.
        #expect(try !newestHTML().contains(" -o out --retry"))
        #expect(try others() == "the other could not be begun.")
    }

    /// One of two that share a name could not be begun, such as a link to a disk that is not there tonight.
    @Test func aResultIsThatOfTheCaptureThatMadeIt() throws {
        try folder.write(
            QuickRun.cloud + "  - render-cloud: {view: front, width: 320, height: 240}\n", to: "quick.yaml")
        _ = try folder.copySample("desk", to: "b/desk")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/a", withIntermediateDirectories: true)
        #expect(symlink("nowhere", "\(folder.path)/a/desk") == 0)
        // So that the second run knows without a look that nothing has changed, and leaves the note of the failure.
        usleep(2_100_000)
        for ended in ["1 done, 1 failed", "1 up to date, 1 failed"] {
            let run = try Scanmill.run(["run", "quick.yaml", "a", "b", "-o", "out"], in: folder.path)
            #expect(run.output.contains("2 captures: \(ended);"), "\(run)")
            let json = try report()
            #expect(json["summary"]?["ready"]?.integer == 1 && json["summary"]?["failed"]?.integer == 1, "\(ended)")
            let captures = json["captures"]?.array ?? []
            #expect(captures.map { $0["input"]?.string } == ["a/desk", "b/desk"], "\(ended)")
            #expect(captures.map { $0["status"]?.string } == ["failed", "ready"], "\(ended)")
            #expect(captures.map { $0["files"] == nil } == [true, false], "\(ended)")
            #expect(captures.map { $0["drawing"] == nil } == [true, false], "\(ended)")
            #expect(try newestHTML().contains(" src=\"pictures/1-drawing.jpg\""), "\(ended)")
        }
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/.scanmill/failures/desk.json"))
    }

    /// What an earlier run has left is told from what this one did.
    @Test func whatFailedBefore() throws {
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        for name in ["in/a", "in/b", "in/c"] { _ = try folder.copySample("desk", to: name) }
        let depth = try folder.bytes("in/a/desk.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count / 2)), to: "in/a/desk.depth.zlib")
        let night = ["run", "quick.yaml", "in", "-o", "out"]
        #expect(try Scanmill.run(night, in: folder.path).status == 1)
        #expect(try !newestHTML().contains("as before"))
        // By whole seconds.
        usleep(1_100_000)
        try folder.write("{", to: "in/b/desk.json")
        #expect(try Scanmill.run(night, in: folder.path).status == 1)
        let summary = try #require(try report()["summary"])
        #expect(summary["failed"]?.integer == 2 && summary["run-failed"]?.integer == 1)
        let html = try newestHTML()
        let text = html.replacing(#/<[^>]*>/#, with: "")
        #expect(text.contains("2 failed (1 of them in this run)"))
        #expect(text.contains(#/Failed a as before, last tried on \d+ [A-Z][a-z]+ \d{4}/#))
        #expect(text.components(separatedBy: "as before").count == 2)
        #expect(text.contains("those that did not run first, then the others in the order in which they ran"))
        // The frames of its older result are not those of a capture that failed.
        let tiles = html.matches(of: #/(?s)<li class="t failed.*?</li>/#)
        #expect(tiles.count == 2 && tiles.allSatisfy { !$0.0.contains(" kept") })
    }

    /// As after a night in which all was up to date, or is still to come.
    @Test func aRunInWhichNothingRan() throws {
        try makeNight(3)
        let outcome = "out/.scanmill/runs/20261120T214000Z-night/outcome.json"
        let text = String(decoding: try folder.bytes(outcome), as: UTF8.self)
        let more = ["left", "left", "excluded"].enumerated().map { number, ended in
            #"{"id": "w\#(number)", "input": "captures/w\#(number)", "ended": "\#(ended)"}, "#
        }
        let changed = text.replacing(#/"begin": [0-9.]+, "seconds": [0-9.]+, /#, with: "")
            .replacing(#""captures": ["#, with: #""captures": ["# + more.joined())
        try #require(changed != text)
        try folder.write(changed, to: outcome)
        let summary = try #require(try report()["summary"])
        #expect(summary["ran"]?.integer == 0 && summary["waiting"]?.integer == 3)
        let html = try nightPage()
        let words = html.replacing(#/<[^>]*>/#, with: "")
        #expect(words.contains("3 waiting (1 left out). Nothing was made in this run."))
        #expect(words.contains("one mark per capture, by name"))
        #expect(html.contains(##"<a class="count" href="#wall">"##))
    }

    /// A run that was killed says nothing itself: its plan does. While any run is at work it may be alive.
    @Test func aRunThatDidNotEnd() throws {
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        for name in ["a", "b", "c"] {
            try FileManager.default.createDirectory(atPath: "\(folder.path)/in", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: "\(folder.path)/in/\(name)")
        }
        _ = try Scanmill.run(["run", "quick.yaml", "in", "-o", "out"], in: folder.path)
        let runs = "\(folder.path)/out/.scanmill/runs"
        let run = try #require(try FileManager.default.contentsOfDirectory(atPath: runs).first)
        try FileManager.default.removeItem(atPath: "\(runs)/\(run)/outcome.json")
        for name in ["b", "c"] { try FileManager.default.removeItem(atPath: "\(folder.path)/out/\(name)") }
        func expect(_ state: String, _ waitsFor: [String?]) throws {
            let json = try report()
            #expect(json["verdict"]?.string == "1 of 3 captures is ready. The run \(state).")
            #expect(json["summary"]?["waiting"]?.integer == 2)
            #expect(json["captures"]?.array?.map { $0["waits-for"]?.string } == waitsFor)
            let html = try newestHTML()
            #expect(html.contains(">no pictures<") && !html.contains("location is not known"))
        }
        try expect(
            "was cut short: it was killed, or the machine went down",
            [nil, "the run was cut short", "the run was cut short"])
        let work = folder.url("out/.scanmill/work/b.host.1.x")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        let state = StateFolder(output: "\(folder.path)/out")
        try withExtendedLifetime((RunHold(in: state), try StateLock("b", in: state))) { _, lock in
            try #require(lock != nil)
            try expect(
                "has not ended: it was killed or is still running", [nil, "it is being run", "the run has not ended"])
        }
    }

    /// Nobody need hear of it again.
    @Test func aRunThatWasCutShortWithNothingLeftToDo() throws {
        #expect(try run().status == 0)
        let page = try newestPage()
        let record = page.replacing("report.html", with: "")
        for name in ["outcome.json", "report.html"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(record)\(name)")
        }
        #expect(try run().output.hasPrefix("1 capture: 1 up to date"))
        #expect(try newestPage() == page)
        #expect(try report()["verdict"]?.string == "The capture is ready.")
        let html = String(decoding: try folder.bytes(page), as: UTF8.self)
        #expect(html.components(separatedBy: "cut short").count == 2 && html.contains(" and cut short · "))
    }

    /// Whether it was run or has a result, only its owner could tell.
    @Test func aResultThatMayNotBeEntered() throws {
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        for name in ["a", "b", "c"] { _ = try folder.copySample("desk", to: name) }
        #expect(chmod(folder.path, 0o777) == 0)
        let what = "a report on results that may not be entered"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        let night = ["run", "quick.yaml", "a", "b", "c", "-o", "out", "--no-report"]
        let run = try runCommand(tool + night, in: folder.path)
        try #require(run.status == 0, "\(run.errors)")
        #expect(chmod("\(folder.path)/out/b", 0) == 0 && chmod("\(folder.path)/out/c/receipt.json", 0) == 0)
        defer { chmod("\(folder.path)/out/b", 0o755) }
        let made = try runCommand(tool + ["report", "out"], in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let html = try newestHTML()
        #expect(html.contains("</b> unreadable</a>.") && !html.contains("not run yet"))
        #expect(html.contains("<p>Cannot tell whether there is a result here: Permission denied.</p>"))
        let figures = try newestPage().replacing(".html", with: ".json")
        let json = try StateJSON.read("\(folder.path)/\(figures)")
        #expect(json["summary"]?["waiting"]?.integer == 2 && json["summary"]?["unreadable"]?.integer == 2)
        // As `status` says it.
        let cause = try #require(json["captures"]?.array?.last?["waits-for"]?.string)
        #expect(cause.hasSuffix(": Permission denied"), "\(cause)")
    }

    /// The next run makes all of them again, except where something is left in the place.
    @Test func resultsThatAreDamagedOrGone() throws {
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        for name in ["in/a", "in/b", "in/c"] { _ = try folder.copySample("desk", to: name) }
        try #require(try Scanmill.run(["run", "quick.yaml", "in", "-o", "out"], in: folder.path).status == 0)
        try folder.write("{", to: "out/a/receipt.json")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/b")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/c/receipt.json")
        let json = try report()
        #expect(json["captures"]?.array?.map { $0["status"]?.string } == ["waiting", "waiting", "waiting"])
        #expect(
            json["captures"]?.array?.map { $0["waits-for"]?.string } == [
                "receipt.json of the result is damaged", "the result that was made is gone",
                "the result that stands here has lost its receipt.json, and is left alone",
            ])
        let html = try newestHTML()
        #expect(html.contains("<p>It has no result: the result that was made is gone.</p>"))
        #expect(html.contains("</b> without a result</a>.") && !html.contains("not run yet"))
    }

    /// Damage that left the receipt its size and time: a run takes the result for up to date.
    @Test func aReceiptThatIsDamagedUnseen() throws {
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        for name in ["in/a", "in/b"] { _ = try folder.copySample("desk", to: name) }
        // While a capture is younger, its result is looked at whole.
        usleep(2_100_000)
        let run = ["run", "quick.yaml", "in", "-o", "out", "--no-report"]
        try #require(try Scanmill.run(run, in: folder.path).status == 0)
        let receipt = "\(folder.path)/out/a/receipt.json"
        var before = stat()
        try #require(stat(receipt, &before) == 0)
        let size = try folder.bytes("out/a/receipt.json").count
        try folder.write([UInt8](repeating: UInt8(ascii: "{"), count: size), to: "out/a/receipt.json")
        try #require(utimensat(AT_FDCWD, receipt, [before.st_atim, before.st_mtim], 0) == 0)
        #expect(try Scanmill.run(run, in: folder.path).output.contains("2 captures: 2 up to date"))
        let captures = try report()["captures"]?.array ?? []
        #expect(captures.map { $0["status"]?.string } == ["failed", "ready"])
        let problem = try #require(captures.first?["problem"])
        #expect(problem["summary"]?.string == "the receipt cannot be read")
        #expect(problem["file"]?.string == "a/receipt.json")
        #expect(problem["fix"]?.string == "make the result again with  scanmill run … --only a --force")
        // So does the command that is shown.
        let html = try newestHTML()
        let command = "run quick.yaml in/a -o out --retry --force"
        #expect(html.contains(">scanmill \(command)<"))
        let again = try Scanmill.run(command.split(separator: " ").map(String.init), in: folder.path)
        #expect(again.status == 0 && again.output.hasPrefix("done     a  "), "\(again)")
    }

    /// What went wrong after a result had its place is no failure of the capture, and without a note the record tells.
    @Test func failuresWithoutANote() throws {
        try makeNight(3)
        let outcome = "out/.scanmill/runs/20261120T214000Z-night/outcome.json"
        var text = String(decoding: try folder.bytes(outcome), as: UTF8.self)
        let published = "the new result of 2026-11-20_lobby_0000 was published just before, and is whole"
        for note in [published, "nothing was published for it"] {
            let problem = #"{"fault": "environment", "summary": "cannot sync", "notes": ["\#(note)"]}"#
            let failed = text.replacing(
                #""ended": "done""#, with: #""ended": "failed", "problem": \#(problem)"#, maxReplacements: 1)
            try #require(failed != text)
            text = failed
        }
        try folder.write(text, to: outcome)
        let json = try report()
        let captures = json["captures"]?.array ?? []
        let states = Dictionary(
            uniqueKeysWithValues: captures.map { ($0["id"]?.string ?? "", $0["status"]?.string ?? "") })
        let expected = [
            "2026-11-20_lobby_0000": "look", "2026-11-20_kitchen_0001": "failed", "2026-11-20_studio_0002": "ready",
        ]
        #expect(states == expected)
        let titles = json["findings"]?.array?.compactMap { $0["title"]?.string }
        #expect(titles == ["Cannot sync", "Cannot sync, after its result had been published"])
        let failed = captures.first { $0["status"]?.string == "failed" }
        #expect(failed?["problem"]?["notes"]?.array?.first?.string == "nothing was published for it")
    }

    /// Nobody knows whether it is ready. Not even root can look at the end of such a link.
    @Test func aFileThatCannotBeLookedAt() throws {
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        _ = try folder.copySample("desk", to: "a")
        try #require(try Scanmill.run(["run", "quick.yaml", "a", "-o", "out"], in: folder.path).status == 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/a.ply")
        #expect(symlink(String(repeating: "x", count: 300), "\(folder.path)/out/a/a.ply") == 0)
        let json = try report()
        let summary = try #require(json["summary"])
        #expect(summary["ready"]?.integer == 0 && summary["waiting"]?.integer == 1)
        #expect(summary["unreadable"]?.integer == 1 && summary["older-results"]?.integer == 0)
        let cause = "a.ply of the result cannot be looked at: File name too long"
        #expect(json["captures"]?.array?.first?["waits-for"] == .string(cause))
    }

    /// A capture that is gone cannot be run again, and its result is ready only while it is whole.
    @Test func aBrokenResultOfACaptureThatIsGone() throws {
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/in", withIntermediateDirectories: true)
        for name in ["a", "b"] {
            try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: "\(folder.path)/in/\(name)")
        }
        try folder.write(try folder.bytes("in/b/desk.jsonl") + [0x0A], to: "in/b/desk.jsonl")
        _ = try Scanmill.run(["run", "quick.yaml", "in", "-o", "out"], in: folder.path)
        try FileManager.default.removeItem(atPath: "\(folder.path)/in")
        #expect(try report()["summary"]?["ready"]?.integer == 2)
        try folder.write("ply", to: "out/b/b.ply")
        let json = try report()
        #expect(json["summary"]?["ready"]?.integer == 1 && json["summary"]?["failed"]?.integer == 1)
        let problem = try #require(json["captures"]?.array?.last?["problem"])
        #expect(problem["summary"]?.string == "the result is no longer whole, and its capture is gone")
        let note = "b.ply of the result is missing or has another size, and \(folder.path)/in/b is gone"
        #expect(problem["notes"]?.array?.first?.string == note)
        let html = try newestHTML()
        // Nothing leads to where they were.
        #expect(!html.contains("scanmill inspect"))
        let loss = "The capture is no longer at <code>in/a</code>: without it the result cannot be made again."
        #expect(html.contains("<dt>Capture</dt><dd>\(loss)</dd>") && !html.contains("<code>in/b</code>"))
        #expect(!html.contains("from an earlier run"))
    }

    /// A failure's card shows how far the stream goes, and the command that tries it again works as it stands.
    @Test func aFailureShowsWhatIsMissingAndTheNextCommand() throws {
        try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: "\(folder.path)/it's cut")
        let depth = try folder.bytes("it's cut/desk.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count / 2)), to: "it's cut/desk.depth.zlib")
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        let failed = try Scanmill.run(["run", "quick.yaml", "it's cut", "-o", "out"], in: folder.path)
        #expect(failed.status == 1)
        let json = try report()
        let finding = try #require(json["findings"]?.array?.first)
        #expect(finding["title"]?.string == "Depth stream truncated")
        let shortfall = try #require(finding["captures"]?.array?.first)
        let whole = try #require(failed.errors.firstMatch(of: #/inside frame (\d+)/#)?.1)
        #expect(shortfall["expected"]?.string == "of 60" && shortfall["value"]?.double == Double(whole))
        let page = try newestPage()
        let html = String(decoding: try folder.bytes(page), as: UTF8.self)
        let shown = try #require(
            html.firstMatch(of: #/<code class="command">(scanmill run [^<]*)</#).map { String($0.1) })
        let command = shown.replacingOccurrences(of: "&#39;", with: "'")
            .replacingOccurrences(of: "scanmill", with: Scanmill.path, options: .anchored)
        try folder.write(depth, to: "it's cut/desk.depth.zlib")
        let again = try runCommand(["sh", "-c", command], in: folder.path)
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.hasPrefix("done     it's cut  "))
    }

    /// Of some files the summary says how many frames there should be.
    @Test func aFileThatEndsInsideAFrame() throws {
        try folder.copySample("sens", to: "cut")
        let bytes = try folder.bytes("cut/sens.sens")
        try folder.write(Array(bytes.prefix(bytes.count * 6 / 10)), to: "cut/sens.sens")
        let failed = try folder.run("read, decompress", ["cut", "-o", "out"])
        let frames = try #require(failed.errors.firstMatch(of: #/inside frame (\d+) of (\d+)/#))
        let capture = try #require(try finding(of: "failure")["captures"]?.array?.first)
        #expect(capture["of"]?.string == "whole frames" && capture["value"]?.double == Double(frames.1))
        #expect(capture["expected"]?.string == "of \(frames.2)")
    }

    /// Frames before wrong bytes may be wrong, too, and so many are not missing at the end.
    @Test func onlyFramesBeforeACutAreWhole() throws {
        for name in ["desk", "tum"] { try folder.copySample(name, to: "in/\(name)") }
        // Whole as a stream, and too short.
        let script = """
            import sys, zlib
            path = sys.argv[1]
            raw = zlib.decompress(open(path, "rb").read(), -15)
            deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
            open(path, "wb").write(deflate.compress(raw[:len(raw) * 2 // 7]) + deflate.flush())
            """
        try runPython(script, ["\(folder.path)/in/desk/desk.depth.zlib"]).require(0)
        try folder.write(Array(try folder.bytes("in/tum/rgb.txt").dropLast(10)), to: "in/tum/rgb.txt")
        let failed = try folder.run("read, decompress", ["in", "-o", "out"])
        #expect(failed.errors.contains("the depth stream ends inside frame 17\n"), "\(failed.errors)")
        let findings = try report()["findings"]?.array ?? []
        let captures = findings.flatMap { $0["captures"]?.array ?? [] }
        #expect(Set(captures.compactMap { $0["id"]?.string }) == ["desk", "tum"])
        let counted = captures.filter { $0["of"]?.string == "whole frames" }
        #expect(counted.map { $0["id"]?.string } == ["tum"])
        #expect(counted.first?["value"]?.double == 11 && counted.first?["expected"]?.string == "of 12")
    }

    /// Nothing stands behind a command that would be copied with it, and a fix stands by itself.
    @Test func commandsHaveNoFullStop() throws {
        try makeNight(3)
        let outcome = "out/.scanmill/runs/20261120T214000Z-night/outcome.json"
        var text = String(decoding: try folder.bytes(outcome), as: UTF8.self)
        let unchanged = "nothing was published for 2026-11-20_lobby_0000; the last good result is unchanged"
        for (summary, note, fix) in [
            ("no frame is left", unchanged, "see what is wrong with it with  scanmill inspect c6/b"),
            ("the range is wrong", "asked for by  --set a.b=1", "see with  scanmill inspect  how far it goes"),
        ] {
            let problem =
                #"{"fault": "input", "summary": "\#(summary)", "notes": ["\#(note)"], "fix": "\#(fix)"}"#
            text = text.replacing(
                #""ended": "done""#, with: #""ended": "failed", "problem": \#(problem)"#, maxReplacements: 1)
        }
        try folder.write(text, to: outcome)
        _ = try report()
        let html = try nightPage()
        let cards = html.matches(of: #/(?s)<article class="card failed".*?</article>/#).map { String($0.0) }
        try #require(cards.count == 2)
        let begin = #"<p class="fix"><span class="muted">fix</span> "#
        // The notes say which result is there, or the card does.
        let kept = "Nothing was published for 2026-11-20_lobby_0000; the last good result is unchanged."
        let whole = "\(begin)See what is wrong with it with  scanmill inspect c6/b</p>"
        #expect(cards[1].contains("<p><b>No frame is left</b>. \(kept)</p>\(whole)"), "\(cards[1])")
        let asked = "Asked for by  --set a.b=1  The result that is there is from an earlier run."
        let inside = "\(begin)See with  scanmill inspect  how far it goes.</p>"
        #expect(cards[0].contains("<p><b>The range is wrong</b>. \(asked)</p>\(inside)"), "\(cards[0])")
        // As in what is to be looked at first.
        #expect(html.components(separatedBy: whole).count == 3 && html.components(separatedBy: inside).count == 3)
        let captures = (try report()["findings"]?.array ?? []).compactMap { $0["captures"]?.array?.first }
        let texts = captures.compactMap { $0["text"]?.string }
        #expect(texts.contains("Asked for by  --set a.b=1"))
    }

    /// One cause may have several fixes: what was not copied is still on the phone, whatever another capture never had. The
    /// card names each with its captures, and its command tries all that may succeed.
    @Test func aCauseWithSeveralFixes() throws {
        try folder.copySample("transforms", to: "in/a_pictures")
        let project = "in/a_pictures/transforms.json"
        let text = String(decoding: try folder.bytes(project), as: UTF8.self)
        try folder.write(text.replacing(#/"depth_file_path": "[^"]*",/#, with: ""), to: project)
        try FileManager.default.removeItem(at: folder.url("in/a_pictures/depths"))
        let missing = ["b_poly": "keyframes/depth", "c_poly": "keyframes/depth", "d_desk": "desk.depth.zlib"]
        for (name, path) in missing {
            try folder.copySample(name == "d_desk" ? "desk" : "polycam", to: "in/\(name)")
            try FileManager.default.moveItem(at: folder.url("in/\(name)/\(path)"), to: folder.url("\(name).kept"))
        }
        #expect(try folder.run("read, decompress, unproject, write-ply", ["in", "-o", "out"]).status == 1)
        let finding = try finding(of: "failure")
        let ids = finding["captures"]?.array?.compactMap { $0["id"]?.string }
        #expect(ids == ["b_poly", "c_poly", "d_desk", "a_pictures"], "what can be saved is hidden")
        let html = try newestHTML()
        let card = try #require(html.firstMatch(of: #/(?s)<article class="finding.*?</article>/#)?.0)
        let fixes = card.matches(of: #/<p class="fix">(.*?)</p>/#).map { $0.1.replacing(#/<[^>]*>/#, with: "") }
        #expect(
            fixes == [
                "fix for b_poly, c_poly: Copy the folder keyframes/depth/ too.",
                "fix for d_desk: Copy desk.depth.zlib too.",
                "fix for a_pictures: Use a pipeline for captures without depth, such as the ready-made pictures-only.",
            ])
        let command = try #require(html.firstMatch(of: #/<code class="command">scanmill (run [^<]*)</#)?.1)
        #expect(command.hasSuffix(" in/b_poly in/c_poly in/d_desk -o out --retry"))
        for (name, path) in missing {
            try FileManager.default.moveItem(at: folder.url("\(name).kept"), to: folder.url("in/\(name)/\(path)"))
        }
        let again = try Scanmill.run(command.split(separator: " ").map(String.init), in: folder.path)
        #expect(again.status == 0 && again.output.contains("3 captures: 3 done"), "\(again)")
    }

    /// One that is for all of them is said once, and the command tries them all.
    @Test func aCauseWithOneFix() throws {
        for name in ["in/a", "in/b"] {
            try folder.copySample("desk", to: name)
            let depth = "\(name)/desk.depth.zlib"
            try folder.write(Array(try folder.bytes(depth).prefix(400_000)), to: depth)
        }
        #expect(try folder.run("read, decompress, unproject, write-ply", ["in", "-o", "out"]).status == 1)
        let html = try newestHTML()
        let card = try #require(html.firstMatch(of: #/(?s)<article class="finding.*?</article>/#)?.0)
        #expect(card.matches(of: #/<p class="fix">/#).count == 1)
        let command = try #require(html.firstMatch(of: #/<code class="command">scanmill (run [^<]*)</#)?.1)
        #expect(command.hasSuffix(" in/a in/b -o out --retry"))
    }

    /// The fix of the capture that is shown is first, then what is for most, and of a command each capture has its own.
    /// Few of many are shown, and last what no run like this one succeeds after.
    @Test func aCauseWithManyFixes() throws {
        try makeNight(15)
        let outcome = "out/.scanmill/runs/20261120T214000Z-night/outcome.json"
        var text = String(decoding: try folder.bytes(outcome), as: UTF8.self)
        let copies = ["a", "c", "e", "d", "d", "d", "a", "d", "d", "d", "b"].map { "copy \($0).bin too" }
        let commands = [1, 2].map { "give it the time with  --set read.shift=\($0)" }
        for fix in ["use another pipeline"] + copies + commands {
            let fault = fix.hasPrefix("use") ? #""usage", "besides": ["copy f.bin too"]"# : #""input""#
            // How many frames are whole is no part of a fix.
            let part = #""whole-frames": 3, "of-frames": 10"#
            let problem = #"{"fault": \#(fault), "summary": "cannot read it", \#(part), "fix": "\#(fix)"}"#
            text = text.replacing(
                #""ended": "done""#, with: #""ended": "failed", "problem": \#(problem)"#, maxReplacements: 1)
        }
        try folder.write(text, to: outcome)
        let captures = try finding(of: "failure")["captures"]?.array ?? []
        let ids = captures.compactMap { $0["id"]?.string }
        try #require(ids.count == 14 && ids.last == "2026-11-20_lobby_0000")
        #expect(captures.last?["fix"]?.string == "use another pipeline; copy f.bin too")
        let card = try #require(try nightPage().firstMatch(of: #/(?s)<article class="finding.*?</article>/#)?.0)
        let fixes = card.matches(of: #/<p class="fix[^>]*>(.*?)</p>/#).map { $0.1.replacing(#/<[^>]*>/#, with: "") }
        #expect(
            fixes == [
                "fix for 2026-11-20_blurred_0011: Copy b.bin too.",
                "fix for \(ids[2]), \(ids[4]), \(ids[7]), \(ids[8]), \(ids[11]) and 1 more: Copy d.bin too.",
                "fix for 2026-11-20_kitchen_0001, 2026-11-20_kitchen_0007: Copy a.bin too.",
                "fix for 2026-11-20_kitchen_0013: Give it the time with  --set read.shift=2",
                "fix for 2026-11-20_lobby_0012: Give it the time with  --set read.shift=1", "and 3 more",
            ])
        // What this run was given is not known, as where it is too much to type.
        #expect(
            card.contains("next, for all 13 once they are fixed: the same run again; to look at this one<"), "\(card)")
        let inspect = try #require(card.firstMatch(of: #/<code class="command">([^<]*)</#)?.1)
        #expect(inspect.hasPrefix("scanmill inspect "))
        // It would run again what is good, too.
        let plan = "out/.scanmill/runs/20261120T214000Z-night/plan.json"
        let forced = String(decoding: try folder.bytes(plan), as: UTF8.self)
            .replacing(#""set": []"#, with: #""set": [], "further": ["--force"]"#)
        try folder.write(forced, to: plan)
        _ = try report()
        let first = try #require(try nightPage().firstMatch(of: #/(?s)<article class="finding.*?</article>/#)?.0)
        let command = try #require(first.firstMatch(of: #/<code class="command">([^<]*)</#)?.1)
        #expect(first.contains("next, for the first 12<") && command.matches(of: #/ captures\//#).count == 12)
    }

    /// Where a path is that of one capture alone it says which one is meant.
    @Test func aPathAroundAnotherCapture() throws {
        try makeNight(3)
        let outcome = "out/.scanmill/runs/20261120T214000Z-night/outcome.json"
        let id = "2026-11-20_kitchen_0001"
        let problem = #"{"fault": "input", "summary": "cannot read it"}"#
        let text = String(decoding: try folder.bytes(outcome), as: UTF8.self)
        let failed = text.replacing(#/("id": "2026-11-20_kitchen_0001".*?)"ended": "done"/#) {
            #"\#($0.1)"ended": "failed", "problem": \#(problem)"#
        }
        try #require(failed != text)
        try folder.write(failed, to: outcome)
        _ = try report()
        #expect(try nightPage().contains(" captures/\(id) -o out --retry</code>"))
        let inner = failed.replacing("\"captures/2026-11-20_lobby_0000\"", with: "\"captures/\(id)/x\"")
        try #require(inner != failed)
        try folder.write("{}", to: "captures/\(id)/x/recorded.json")
        try folder.write(inner, to: outcome)
        _ = try report()
        #expect(try nightPage().contains(" captures/\(id) -o out --only \(id) --retry</code>"))
    }
}
