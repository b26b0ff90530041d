import Foundation
import ScanModel
import ScanStages
import TestSupport
import Testing

/// What the report of a night calls worth a look, and what it says of that.
@Suite struct ReportFindingsTests: ReportSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The ids of the night's captures say what is wrong with them.
    @Test func everyPlantedFaultIsFound() throws {
        try makeNight(340)
        let json = try report()
        let ids = try #require(json["captures"]?.array?.compactMap { $0["id"]?.string })
        let kinds = [
            "blurred": "blur", "half-covered": "coverage", "too-fast": "speed", "wrong-axes": "geometry",
            "jump": "jumps",
            "no-depth": "depth", "still": "path", "truncated": "failure", "uneven": "warning",
        ]
        for (fault, kind) in kinds {
            let planted = ids.filter { $0.contains("_\(fault)_") }
            #expect(planted.count >= 2)
            let found = captures(of: kind, in: json)
            #expect(Set(planted).isSubset(of: found), "\(fault): \(found)")
            #expect(found.allSatisfy { $0.contains("_\(fault)_") }, "\(kind) is also found in \(found)")
        }
        // Failures come first, then what makes a capture useless.
        let order = json["findings"]?.array?.compactMap { $0["kind"]?.string } ?? []
        #expect(order.prefix(2) == ["failure", "geometry"])
    }

    /// Of several causes and of the captures of one, however many earlier runs have left. What could not be begun has
    /// failed in this run, too. What cannot be tried again keeps nobody from trying the others.
    @Test func whatRanInThisRunIsFirst() throws {
        try makeNight(20)
        _ = try report()
        #expect(try !nightPage().contains("id=\"show-ran\""))
        let script = """
            import json, os, sys
            outcome = json.load(open(sys.argv[1]))
            failures = os.path.dirname(sys.argv[1]) + "/../../failures"
            os.makedirs(failures, exist_ok=True)
            for number, entry in enumerate(outcome["captures"]):
                summaries = ["cannot read it"] * 5 + ["torn"] * 2 + ["its name is taken"]
                summary = "torn" if number == 17 else (summaries + [None] * 20)[number]
                if summary:
                    problem = {"fault": "usage" if number == 17 else "input", "summary": summary}
                    entry.update({"ended": "failed", "problem": problem})
                if number < 7:
                    note = {"id": entry["id"], "input": entry["input"], "fingerprint": "0" * 64, "when": 1, **problem}
                    json.dump(note, open(failures + "/" + entry["id"] + ".json", "w"))
                if number < 16:
                    del entry["begin"], entry["seconds"]
            json.dump(outcome, open(sys.argv[1], "w"))
            """
        let outcome = "\(folder.path)/out/.scanmill/runs/20261120T214000Z-night/outcome.json"
        try runPython(script, [outcome]).require(0)
        let findings = try report()["findings"]?.array?.filter { $0["kind"]?.string == "failure" } ?? []
        #expect(findings.map { $0["title"]?.string } == ["Torn", "Its name is taken", "Cannot read it"])
        #expect(findings.map { $0["count"]?.integer } == [3, 1, 5])
        #expect(findings.map { $0["ran"]?.integer } == [1, 0, 0])
        let ids = ["2026-11-20_studio_0017", "2026-11-20_lobby_0006", "2026-11-20_studio_0005"]
        #expect(findings.first?["captures"]?.array?.map { $0["id"]?.string } == ids)
        let html = try nightPage()
        let card = try #require(html.firstMatch(of: #/(?s)<article class="finding.*?</article>/#)?.0)
        let words = card.replacing(#/<[^>]*>/#, with: "")
        #expect(words.contains("\(ids[0]) the one of 3 that ran in this run"), "\(words)")
        #expect(card.contains(" captures/\(ids[1]) captures/\(ids[2]) -o out --retry</code>"), "\(card)")
        // So can a chip choose them, and time is theirs alone.
        let text = html.replacing(#/<[^>]*>/#, with: "")
        #expect(text.contains("this run 4") && text.contains("time is that of the 4 captures that ran in this run, "))
        #expect(html.matches(of: #/<li class="t [a-z]+ ran"/#).count == 4)
    }

    /// A cause has one card, which says what can be done, as the run does.
    @Test func whatIsWholeOfDamagedFiles() throws {
        try makeNight(20)
        let script = """
            import json, sys
            for path in sys.argv[1:]:
                receipt = json.load(open(path))
                frames, name = receipt["frames"], path.split("/")[-2]
                reason = "depth stream truncated (%s.depth.zlib at byte 500 of 500)" % name
                lost = range(frames["source"] // 10, frames["source"])
                frames["dropped"] = [{"frame": n, "stage": "read", "reason": reason} for n in lost]
                frames["kept"] = frames["source"] - len(lost)
                receipt["warnings"] = [reason + ": the file ends too early"] if "kitchen" in name else []
                json.dump(receipt, open(path, "w"))
            """
        let ids = ["2026-11-20_kitchen_0001", "2026-11-20_kitchen_0004", "2026-11-20_studio_0002"]
        try runPython(script, ids.map { "\(folder.path)/out/\($0)/receipt.json" }).require(0)
        let json = try report()
        // Of the last one no warning says why.
        #expect(captures(of: "dropped", in: json) == [ids[2]])
        let finding = try #require(json["findings"]?.array?.first { $0["kind"]?.string == "loss" })
        let title = "Depth stream truncated (….depth.zlib at byte 500 of 500): the file ends too early"
        #expect(finding["title"]?.string == title)
        let found = finding["captures"]?.array ?? []
        #expect(Set(found.compactMap { $0["id"]?.string }) == Set(ids[..<2]) && found.count == 2)
        let way = "copy it again from the device, and the next run makes the result again"
        #expect(found.allSatisfy { $0["fix"]?.string == way && $0["of"]?.string == "frames kept" })
        let text = found.first?["text"]?.string ?? ""
        #expect(text.contains(#/: the file ends too early\. \d+ of \d+ frames are lost\.$/#), "\(text)")
    }

    /// What such a copy does not show was recorded all the same. A few frames explain nothing.
    @Test func aCopyThatWasCutOff() throws {
        try makeNight(3)
        try changeFirstReceipt(#/"ring": \{[^}]*\}/#, to: #""ring": {"gap": 150, "from": 285, "to": 75}"#)
        let name = try #require(try results().first)
        let reason = "depth stream truncated (\(name).depth.zlib at byte 500 of 500)"
        let script = """
            import json, sys
            receipt = json.load(open(sys.argv[1]))
            frames = receipt["frames"]
            lost = range(frames["source"] - frames["source"] // int(sys.argv[3]), frames["source"])
            frames["dropped"] = [{"frame": n, "stage": "read", "reason": sys.argv[2]} for n in lost]
            frames["kept"] = frames["source"] - len(lost)
            receipt["warnings"] = [sys.argv[2] + ": the file ends too early"]
            json.dump(receipt, open(sys.argv[1], "w"))
            """
        for (part, isGap) in [("20", true), ("2", false)] {
            try runPython(script, ["\(folder.path)/out/\(name)/receipt.json", reason, part]).require(0)
            let json = try report()
            #expect(captures(of: "loss", in: json) == [name])
            #expect(captures(of: "coverage", in: json) == (isGap ? [name] : []))
            #expect(json["findings"]?.array?.first?["kind"]?.string == "loss")
        }
        #expect(try nightPage().contains(" captures/\(name) -o out --retry</code>"))
    }

    /// The card says what to copy, and shows nothing that has nothing to do with it.
    @Test func aFileThatWasNotCopied() throws {
        try makeNight(8)
        let name = try #require(try results().first)
        let file = "\(name).confidence.zlib"
        let server = "write-staging: MultiScan's server decodes no depth without confidence, and the capture has none"
        let (lack, fix) = ("\(file) is missing, though the metadata lists a confidence stream", "copy \(file) too")
        try warn("\(lack): \(fix)\", \"\(server)", name)
        try changeFirstReceipt(
            #/"warnings": \[/#, to: #""lost": [{"what": "\#(lack)", "fix": "\#(fix)"}], "warnings": ["#)
        let json = try report()
        #expect(captures(of: "loss", in: json) == [name] && captures(of: "warning", in: json) == [])
        let finding = try finding(of: "loss")
        #expect(finding["title"]?.string == "\(file) is missing")
        let capture = try #require(finding["captures"]?.array?.first)
        #expect(capture["text"]?.string == "The metadata lists a confidence stream.")
        #expect(capture["fix"]?.string == fix)
        let html = try nightPage()
        let card = try #require(html.firstMatch(of: #/(?s)<article class="finding.*?</article>/#)?.0)
        #expect(card.contains("<p class=\"fix\"><span class=\"muted\">fix</span> Copy \(file) too.</p>"))
        #expect(card.contains(" captures/\(name) -o out --retry</code>"))
        #expect(card.contains("<div class=\"proof\"></div>"))
    }

    /// However the fix is worded, such a capture has lost something.
    @Test func copiesWithoutPictures() throws {
        try folder.copySample("3d-scanner-app", to: "in/export")
        try folder.copySample("scannetpp", to: "in/scene")
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/in/export")
        where name.hasSuffix(".jpg") { try FileManager.default.removeItem(at: folder.url("in/export/\(name)")) }
        try FileManager.default.removeItem(at: folder.url("in/scene/rgb.mkv"))
        let run = try folder.run("read, decompress, unproject, write-ply", ["in", "-o", "out"])
        #expect(run.status == 0, "\(run.errors)")
        let findings = (try report()["findings"]?.array ?? []).filter { $0["kind"]?.string == "loss" }
        let captures = findings.flatMap { $0["captures"]?.array ?? [] }
        let fixes = captures.map { "\($0["id"]?.string ?? ""): \($0["fix"]?.string ?? "")" }
        #expect(
            fixes.sorted() == [
                "export: share the scan once more, as “All Data”", "scene: download rgb.mkv too",
            ])
        let html = try newestHTML()
        for name in ["export", "scene"] { #expect(html.contains(" in/\(name) -o out --retry</code>"), "\(name)") }
    }

    /// Of a few captures.
    @Test func aNoteNamesItsCaptures() throws {
        try makeNight(8)
        let name = try #require(try results().first)
        let note = "mask-confidence: the capture has no confidence"
        try changeFirstReceipt(#/"warnings": \[\]/#, to: "\"warnings\": [], \"notes\": [\"\(note)\"]")
        _ = try report()
        let link = "<a href=\"#c0\"><bdi>\(name)</bdi></a>"
        #expect(try nightPage().contains("1</data> capture (\(link)): \(note)</li>"))
    }

    /// A look at the capture would show nothing: it reads well as declared.
    @Test func posesThatAnOptionMends() throws {
        try makeNight(3)
        let name = try #require(try results().first)
        let reason = "depth fits 0.35 % with it, and nowhere as declared"
        let remedy = "read the poses as what they are with  --set read.poses=inverse"
        try changeFirstReceipt(
            #/"verdict": "pass", "reason": "[^"]*"/#,
            to: #""verdict": "fail", "reason": "\#(reason)", "remedy": "\#(remedy)""#)
        try warn(
            "check-geometry: \(CheckGeometry.warningStart)wrong: the poses are inverse: \(reason); \(remedy)", name)
        let capture = try #require(try finding(of: "geometry")["captures"]?.array?.first)
        #expect(capture["fix"]?.string == remedy)
        let html = try nightPage()
        let command = try #require(html.firstMatch(of: #/<code class="command">([^<]*)</#)?.1)
        #expect(command.hasSuffix(" captures/\(name) -o out --retry --set read.poses=inverse"), "\(command)")
    }

    /// No convention fits better, and the stage has nothing to warn of.
    @Test func depthThatFitsFarWorseThanUsual() throws {
        try makeNight(9)
        #expect(captures(of: "misfit", in: try report()) == [])
        // Twice as large is not odd enough.
        try changeFirstReceipt(#/"declared": 0.00[0-9]+/#, to: "\"declared\": 0.011")
        #expect(captures(of: "misfit", in: try report()) == [])
        try changeFirstReceipt(#/"declared": 0.011/#, to: "\"declared\": 0.021")
        let finding = try finding(of: "misfit")
        #expect(finding["title"]?.string == "Depth fits from frame to frame far worse than usual")
        let capture = try #require(finding["captures"]?.array?.first)
        #expect(try capture["id"]?.string == results().first && capture["value"]?.double == 0.021)
        #expect(
            capture["text"]?.string
                == "Depth of one frame is off the next one's by 2.10 %; in this batch 0.600 % is usual.")
        // Nothing was drawn of it.
        let fix = "have it drawn by `render-cloud` or `render-mesh`, and see whether walls are bent or double"
        #expect(capture["fix"]?.string == "\(fix): poses may be late, or drift")
        // What is proven comes first.
        let path = "out/\(try #require(try results().last))/receipt.json"
        let receipt = String(decoding: try folder.bytes(path), as: UTF8.self)
        try folder.write(receipt.replacing(#/"verdict": "pass"/#, with: "\"verdict\": \"fail\""), to: path)
        let kinds = try report()["findings"]?.array?.map { $0["kind"]?.string }
        #expect(kinds?.prefix(2) == ["geometry", "misfit"], "\(String(describing: kinds))")
    }

    /// It is found by its name, with what the stage says can be done about it.
    @Test func aPathThatDrifts() throws {
        try makeNight(3)
        let reason = "depth of one frame fits the next within 0.3 %; the path drifts, which makes surfaces double"
        let remedy = "`correct-drift` above it takes drift out"
        let said = "check-geometry: \(CheckGeometry.warningStart)in doubt: \(reason); \(remedy)"
        try changeFirstReceipt(
            #/"verdict": "pass", "reason": "[^"]*"/#,
            to: #""verdict": "warning", "drifts": true, "reason": "\#(reason)", "remedy": "\#(remedy)""#)
        try changeFirstReceipt(#/"warnings": \[\]/#, to: "\"warnings\": [\"\(said)\"]")
        let finding = try finding(of: "geometry")
        #expect(finding["title"]?.string == "The path drifts")
        let capture = try #require(finding["captures"]?.array?.first)
        #expect(try capture["id"]?.string == results().first)
        #expect(capture["text"]?.string == "Depth of one frame\(reason.dropFirst(18)).")
        #expect(capture["fix"]?.string == remedy)
    }

    /// What is called usual is the median, by Python's own reckoning.
    @Test func usualIsTheMedian() throws {
        try makeNight(120)
        let json = try report()
        let sharpness = (json["captures"]?.array ?? []).compactMap { $0["sharpness"]?["median"]?.double }
        let script = "import json, statistics, sys; print(statistics.median(json.loads(sys.argv[1])))"
        let list = String(decoding: JSONWriter.text(.of(sharpness), pretty: false), as: UTF8.self)
        let median = try #require(Double(try runPython(script, [list]).output.dropLast()))
        let blurred = try #require(json["findings"]?.array?.first { $0["kind"]?.string == "blur" })
        let worst = try #require(blurred["captures"]?.array?.first)
        #expect(worst["expected"]?.string == "usual: \(Int(median.rounded()))")
        #expect(try #require(worst["value"]?.double) < median / 2)
    }

    @Test func whatMostCapturesSayIsSaidOnce() throws {
        try makeNight(20)
        for (number, name) in try results().enumerated() { try warn("clock 2 is \(number) s off", name) }
        let json = try report()
        #expect(captures(of: "warning", in: json) == [])
        #expect(json["common-warnings"]?.array?.first?["text"]?.string == "clock 2 is … s off")
        let verdict = try #require(json["verdict"]?.string)
        #expect(verdict.hasSuffix(" captures are ready. All 20 share a warning: clock 2 is … s off."), "\(verdict)")
        let html = try nightPage()
        #expect(html.contains(" All 20 share a warning: clock 2 is … s off."))
        #expect(!html.contains("nothing is odd"))
    }

    /// An option, in the night's pipeline and in that of its results.
    private func giveFilterBlur(_ option: String) throws {
        let plan = "out/.scanmill/runs/20261120T214000Z-night/plan.json"
        for path in [plan] + (try results().map { "out/\($0)/receipt.json" }) {
            let text = String(decoding: try folder.bytes(path), as: UTF8.self)
            let given = text.replacingOccurrences(
                of: #"{"name": "filter-blur", "options": {}}"#,
                with: #"{"name": "filter-blur", "options": {\#(option)}}"#)
            try #require(given != text)
            try folder.write(given, to: path)
        }
    }

    /// As the stage itself says it.
    @Test func aGapIsReadFromTheWarningOfARun() throws {
        try MiniCapture(id: "in/a", frameCount: 24).write(in: folder)
        try folder.write("name: p\nstages:\n  - read\n  - filter-blur: {window: 24}\n", to: "p.yaml")
        let run = try Scanmill.run(["run", "p.yaml", "in", "-o", "out"], in: folder.path)
        try #require(run.status == 0, "\(run)")
        let captures = try report()["findings"]?.array?.flatMap { $0["captures"]?.array ?? [] } ?? []
        let capture = try #require(captures.first { $0["of"]?.string == "longest gap" }, "\(run)")
        let seconds = try #require(run.errors.firstMatch(of: #/ gap of ([0-9.]+) s; /#).flatMap { Double($0.1) })
        #expect(seconds > FilterBlur.longestGap && capture["value"]?.double == seconds, "\(run)")
        #expect(capture["expected"]?.string == "at most 1 s")
        #expect(try newestHTML().contains(" --set filter-blur.window=12</code>"))
    }

    /// The longest first, and the next command leaves shorter ones.
    @Test func gapsAreMeasured() throws {
        try makeNight(8)
        let names = try results()
        try giveFilterBlur(#""window": 5"#)
        for (name, seconds) in zip(names, ["2.25", "30.5"]) {
            let gap = "filter-blur: frames 11 to 18 were all dropped, \(FilterBlur.gapWords) \(seconds) s; a smaller"
            try warn("\(gap) `window`, or `seconds`, leaves shorter ones", name)
        }
        let finding = try finding(of: "warning")
        let captures = finding["captures"]?.array ?? []
        #expect(captures.map { $0["id"]?.string } == [names[1], names[0]])
        #expect(captures.map { $0["value"]?.double } == [30.5, 2.25])
        #expect(captures.map { $0["of"]?.string } == ["longest gap", "longest gap"])
        let html = try nightPage()
        #expect(html.contains("the worst of ") && html.contains(" --set filter-blur.window=2</code>"))
    }

    /// By the pipeline's own rule; where that goes by scores alone, no number of frames helps.
    @Test(arguments: [
        (#""seconds": 0.5"#, "seconds=0.25"), (#""count": 30"#, "count=60"), (#""at-least": 100"#, ""),
        (#""window": 2"#, ""), (#""seconds": 0.01"#, ""), (#""count": 500000"#, ""),
    ]) func gapsAreMadeShorter(_ rule: String, _ remedy: String) throws {
        try makeNight(3)
        try giveFilterBlur(rule)
        let name = try #require(try results().first)
        // As earlier versions said it.
        try warn("filter-blur: frames 11 to 18 were all dropped, which leaves a hole of 2.25 s; shorter ones", name)
        _ = try report()
        let html = try nightPage()
        if remedy.isEmpty {
            #expect(!html.contains("--set filter-blur."))
        } else {
            #expect(html.contains(" captures/\(name) -o out --retry --set filter-blur.\(remedy)</code>"))
        }
    }

    /// On either side of what is usual.
    @Test(arguments: [
        ("0.2", "closer than usual", "0.200 m"), ("4", "farther away than usual", "4.00 m"),
    ]) func depthUnlikeTheBatch(_ median: String, _ how: String, _ words: String) throws {
        try makeNight(10)
        try changeFirstReceipt(#/"p05": 0.4, "median": [0-9.]+/#, to: "\"p05\": 0.1, \"median\": \(median)")
        let finding = try finding(of: "depth")
        #expect(finding["title"]?.string == "Everything is much \(how)")
        let capture = try #require(finding["captures"]?.array?.first)
        let usual = try #require(capture["expected"]?.string?.firstMatch(of: #/^usual: (1\.\d\d m)$/#)?.1)
        #expect(capture["text"]?.string == "The median depth is \(words); in this batch \(usual) is usual.")
        #expect(capture["fix"]?.string == "check the unit of depth, and what was recorded")
        #expect(capture["of"]?.string == "median depth" && capture["value"]?.double == Double(median))
    }

    /// Where frames are not too fast by the stage's own limit.
    @Test func fasterThanTheBatch() throws {
        try makeNight(10)
        let speed = #""speed-m-per-s": {"lowest": 0.1, "median": 0.5, "p90": 2.5, "highest": 3}"#
        try changeFirstReceipt(#/"speed-m-per-s": \{[^}]*\}/#, to: speed)
        let finding = try finding(of: "speed")
        #expect(finding["title"]?.string == "The camera moves too fast")
        let capture = try #require(finding["captures"]?.array?.first)
        let usual = try #require(capture["expected"]?.string?.firstMatch(of: #/^usual: (0\.\d+ m/s)$/#)?.1)
        let sentence = "The median is 0.500 m/s, a tenth is above 2.50 m/s, where \(usual) is usual in this batch."
        #expect(capture["text"]?.string == sentence)
        #expect(capture["fix"]?.string == "drop the fast frames, or record it again more slowly")
        #expect(capture["of"]?.string == "speed of the fastest tenth" && capture["value"]?.double == 2.5)
    }

    /// A frame is too fast for its speed or for how fast it turns; in a world of unknown unit, only for the latter.
    @Test func whatMakesFramesTooFast() throws {
        try makeNight(3)
        try changeFirstReceipt(#/"too-fast": \d+, "too-slow"/#, to: #""too-fast": 90, "too-slow""#)
        func text() throws -> String { try finding(of: "speed")["captures"]?.array?.first?["text"]?.string ?? "" }
        let both = #/^90 frames of \d+ are too fast: above 1\.00 m/s, or turning by more than 90\.0 °/s\. The median /#
        #expect(try text().firstMatch(of: both) != nil)
        try changeFirstReceipt(#/"path-length-m"/#, to: #""is-metric": false, "path-length-m""#)
        let turning = #/^90 frames of \d+ are too fast: turning by more than 90\.0 °/s\.$/#
        #expect(try text().firstMatch(of: turning) != nil)
    }

    /// By how many of its frames are too fast, whatever the speed of the fastest.
    @Test func theWorstOfThoseThatAreTooFast() throws {
        try makeNight(3)
        let names = try results()
        for (name, count) in zip(names, [40, 150]) {
            let path = "out/\(name)/receipt.json"
            let receipt = String(decoding: try folder.bytes(path), as: UTF8.self)
            let fast = #""too-fast": \#(count), "too-slow""#
            try folder.write(receipt.replacing(#/"too-fast": \d+, "too-slow"/#, with: fast), to: path)
        }
        let speed = #""speed-m-per-s": {"lowest": 0.1, "median": 0.5, "p90": 5, "highest": 6}"#
        try changeFirstReceipt(#/"speed-m-per-s": \{[^}]*\}/#, to: speed)
        #expect(captures(of: "speed", in: try report()) == [names[1], names[0]])
        #expect(try nightPage().contains("the worst of "))
    }

    /// Where no frame is above the limit, but the speed is unlike the others'.
    @Test func theFastestIsTheWorstOfThoseWithoutFastFrames() throws {
        try makeNight(24)
        let names = try results()
        for (name, p90) in zip(names, [4, 5]) {
            let path = "out/\(name)/receipt.json"
            let receipt = String(decoding: try folder.bytes(path), as: UTF8.self)
                .replacing(#/"too-fast": \d+, "too-slow"/#, with: #""too-fast": 0, "too-slow""#)
            let speed = #""speed-m-per-s": {"lowest": 0.1, "median": 0.5, "p90": \#(p90), "highest": 6}"#
            try folder.write(receipt.replacing(#/"speed-m-per-s": \{[^}]*\}/#, with: speed), to: path)
        }
        let found = captures(of: "speed", in: try report()).filter(names.prefix(2).contains)
        #expect(found == [names[1], names[0]])
    }

    /// Without intrinsics only the aim is known, which says nothing of single sides.
    @Test func noCameraIsAimedAtTheBox() throws {
        try makeNight(3)
        try changeFirstReceipt(#/"sides": \{.*?\}\}, /#, to: "")
        #expect(captures(of: "coverage", in: try report()) == [])
        try changeFirstReceipt(#/"faces": \{[^}]*\}/#, to: #""faces": {"miss": 40}"#)
        let finding = try finding(of: "coverage")
        #expect(finding["title"]?.string == "No camera is aimed at the box")
        let capture = try #require(finding["captures"]?.array?.first)
        let text = "None of 40 pictures has the box in its middle: the box or the poses may be wrong."
        #expect(capture["text"]?.string == text)
        #expect(capture["fix"]?.string == "check the box and the axes of the poses")
        #expect(capture["value"]?.double == 0 && capture["expected"]?.string == "goal: 10")
    }

    /// Degrees begin at the front, in the middle of this gap, and count round to the right.
    @Test func aGapThatGoesPastTheFront() throws {
        try makeNight(3)
        try changeFirstReceipt(#/"ring": \{[^}]*\}/#, to: #""ring": {"gap": 150, "from": 285, "to": 75}"#)
        let finding = try finding(of: "coverage")
        let text = finding["captures"]?.array?.first?["text"]?.string ?? ""
        #expect(text.firstMatch(of: #/its middle \w+ the ([a-z ]+)\./#)?.1 == "front", "\(text)")
    }

    /// There and back is one wrong pose, of which a frame that was dropped no longer tells.
    @Test func theWrongPoseOfOneFrame() throws {
        try folder.copySample("desk", to: "in/desk")
        var lines = String(decoding: try folder.bytes("in/desk/desk.jsonl"), as: UTF8.self).split(separator: "\n")
        let moved = lines[30].replacing(#/("transform":\[(?:[^,]*,){12})([^,]*)/#) {
            "\($0.1)\((Double($0.2) ?? 0) + 1.2)"
        }
        try #require(moved != lines[30])
        lines[30] = moved
        try folder.write(lines.joined(separator: "\n") + "\n", to: "in/desk/desk.jsonl")
        #expect(try folder.run("read, measure-motion", ["in/desk", "-o", "out"]).status == 0)
        let finding = try finding(of: "jumps")
        #expect(finding["title"]?.string == "The pose of one frame is wrong")
        let capture = try #require(finding["captures"]?.array?.first)
        let text = "The path jumps by 1.2 m at frame 30, and returns with the next frame."
        #expect(capture["text"]?.string?.replacing(#/1\.[12]\d/#, with: "1.2") == text)
        #expect(capture["value"]?.integer == 1)
        let rule = try #require(capture["fix"]?.string?.split(separator: "`").dropFirst().first)
        #expect(try folder.run("read, {\(rule)}, measure-motion", ["in/desk", "-o", "mended"]).status == 0)
        let mended = try Scanmill.run(["report", "mended"], in: folder.path)
        let json = mended.output.dropLast().replacing("report.html", with: "report.json")
        #expect(try StateJSON.read("\(folder.path)/\(json)")["verdict"]?.string == "The capture is ready.")
    }

    /// Those that lead back have a minus; one frame is dropped.
    @Test(
        arguments: [
            ([3: 0.9, 4: -1], 0, "The path jumps by 0.900 m at frame 3, and returns"), ([3: 0.9, 4: -1], 3, ""),
            ([3: 0.9, 4: 1], 0, "2 jumps in the path, the first of 0.900 m"),
            ([2: 2, 3: 0.9, 4: -1, 5: 0.8], 0, "2 jumps in the path, the first of 2.00 m"),
            ([3: 0.9, 4: -1, 5: 1.1, 6: -1], 0, "The path jumps to 2 frames, first by 0.900 m at frame 3, and"),
            ([3: 0.9], 2, "1 jump in the path, the first of 0.900 m"), ([1: 0.9], 0, ""), ([4: -1], 0, ""),
        ] as [([Int: Double], Int, String)])
    func jumpsThereAndBack(_ metres: [Int: Double], _ dropped: Int, _ text: String) throws {
        try makeNight(1)
        let jumps = metres.sorted { $0.key < $1.key }.map { frame, metres in
            "{\"frame\": \(frame), \"metres\": \(abs(metres))\(metres < 0 ? ", \"back\": true" : "")}"
        }
        try changeFirstReceipt(#/"jumps": \[\]/#, to: "\"jumps\": [\(jumps.joined(separator: ", "))]")
        try changeFirstReceipt(#/"jump-count": 0, /#, to: "")
        let drop = "{\"frame\": \(dropped), \"stage\": \"filter-blur\", \"reason\": \"blurred\"}"
        try changeFirstReceipt(#/"dropped": \[.*?\]/#, to: "\"dropped\": [\(drop)]")
        let finding = try report()["findings"]?.array?.first { $0["kind"]?.string == "jumps" }
        let said = finding?["captures"]?.array?.first?["text"]?.string ?? ""
        #expect(text.isEmpty ? said.isEmpty : said.hasPrefix(text), "\(said)")
    }

    /// Where it is the turn that tells, it is said.
    @Test func aFrameThatIsTurnedWrongly() throws {
        try makeNight(1)
        let jump =
            #"{"frame": 3, "metres": 0.09, "degrees": 53.6}, {"frame": 4, "metres": 0.1, "degrees": 53, "back": true}"#
        try changeFirstReceipt(#/"jumps": \[\]/#, to: "\"jumps\": [\(jump)]")
        try changeFirstReceipt(#/"jump-count": 0, /#, to: "")
        let text = try finding(of: "jumps")["captures"]?.array?.first?["text"]?.string
        #expect(text?.hasPrefix("The path jumps by 0.090 m and 54° at frame 3, and returns") == true, "\(text ?? "")")
    }

    /// The wrong pose of a single frame explains the pairs of that frame, and nothing else.
    @Test(arguments: [
        ("0.006", "3", true), ("0.006", "4", false), ("0.03", "3", false),
    ]) func whatAWrongPoseExplains(_ error: String, _ frame: String, _ isExplained: Bool) throws {
        try makeNight(1)
        let jumps = "{\"frame\": 3, \"metres\": 0.9}, {\"frame\": 4, \"metres\": 0.9, \"back\": true}"
        try changeFirstReceipt(#/"jumps": \[\]/#, to: "\"jumps\": [\(jumps)]")
        try changeFirstReceipt(#/"jump-count": 0, /#, to: "")
        let pair = "{\"from\": 0, \"to\": \(frame), \"median-relative-error\": 0.2}"
        try changeFirstReceipt(
            #/"verdict": "pass"/#, to: "\"verdict\": \"warning\", \"pairs-that-do-not-fit\": [\(pair)]")
        try changeFirstReceipt(#/"declared": 0.0[0-9]+/#, to: "\"declared\": \(error)")
        let kinds = try report()["findings"]?.array?.compactMap { $0["kind"]?.string } ?? []
        #expect(kinds.contains("jumps"))
        #expect(kinds.contains("geometry") == !isExplained, "\(kinds)")
    }

    /// Where the path does not jump, nothing is said of a jump.
    @Test func trackingThatIsLostWithoutAJump() throws {
        try makeNight(3)
        try changeFirstReceipt(#/"lost-tracking": \d+/#, to: #""lost-tracking": 100"#)
        let finding = try finding(of: "jumps")
        let capture = finding["captures"]?.array?.first
        let text = "Tracking was lost in 100 frames. What was seen before and after may not fit together."
        #expect(capture?["text"]?.string == text)
        #expect(capture?["fix"]?.string == "drop the frames without tracking, or record it again")
    }

    /// As stages do that stand twice in a pipeline: half of the captures are not most of them.
    @Test func whatACaptureSaysTwiceCountsOnce() throws {
        try makeNight(8)
        let twice = "write-ply[1]: the unit is unknown\", \"write-ply[2]: the unit is unknown"
        for name in try results()[..<4] { try warn(twice, name) }
        let json = try report()
        #expect(captures(of: "warning", in: json) == Array(try results()[..<4]))
        let finding = json["findings"]?.array?.first { $0["kind"]?.string == "warning" }
        #expect(finding?["title"]?.string == "write-ply[…]: the unit is unknown")
        #expect(finding?["count"]?.integer == 4 && json["summary"]?["look"]?.integer == 4)
    }

    /// Gives a receipt that has no input one of these bytes.
    private func giveInput(_ digest: String, _ name: String) throws {
        let path = "out/\(name)/receipt.json"
        let inputs = "\"inputs\": [{\"path\": \"x\", \"bytes\": 1, \"sha256\": \"\(digest)\"}]"
        let receipt = String(decoding: try folder.bytes(path), as: UTF8.self)
        try folder.write(receipt.replacing(#/"inputs": \[\]/#, with: inputs), to: path)
    }

    /// One recording under two names.
    @Test func capturesOfTheSameBytesAreNamed() throws {
        try makeNight(8)
        for (name, digest) in zip(try results(), ["a", "b", "a"]) { try giveInput(digest, name) }
        let json = try report()
        #expect(captures(of: "warning", in: json) == [try results()[0], try results()[2]])
        let finding = try #require(json["findings"]?.array?.first { $0["kind"]?.string == "warning" })
        #expect(finding["title"]?.string == "The files are those of another capture")
        #expect(finding["captures"]?.array?.first?["text"]?.string?.contains(try results()[2]) == true)
    }

    /// More copies of one recording are no more usual.
    @Test func manyCapturesOfTheSameBytesAreNamed() throws {
        try makeNight(9)
        let names = try results()
        for name in names { try giveInput("a", name) }
        let json = try report()
        #expect(json["verdict"]?.string == "All 9 captures have results that need a look.")
        #expect(
            json["stands-out"]?.string == "One cause stands out: the files are those of another capture, in all nine.")
        let finding = try #require(json["findings"]?.array?.first { $0["kind"]?.string == "warning" })
        #expect(finding["count"]?.integer == 9 && finding["usual"] == nil)
        let text = "Each of them has the same bytes in \(names[1..<6].joined(separator: ", ")) and 3 more."
        #expect(finding["captures"]?.array?.first?["text"]?.string == text)
    }

    /// What nearly all captures have says nothing against one of them, unless a goal is missed.
    @Test func whatIsUsualInTheBatchIsMarked() throws {
        try makeNight(9, ["--earlier", "5"])
        let runs = try FileManager.default.contentsOfDirectory(atPath: folder.url("out/.scanmill/runs").path)
        for run in runs where !run.hasSuffix("-night") {
            let path = "out/.scanmill/runs/\(run)/night.json"
            let night = String(decoding: try folder.bytes(path), as: UTF8.self)
            try folder.write(night.replacing(#/"sharpness": [0-9.]+/#, with: "\"sharpness\": 9000"), to: path)
        }
        let json = try report()
        let finding = try #require(json["findings"]?.array?.first { $0["kind"]?.string == "blur" })
        #expect(finding["title"]?.string == "Far blurrier than usual for this device")
        #expect(finding["count"]?.integer == 9 && finding["usual"]?.bool == true)
        #expect(json["summary"]?["ready"]?.integer == 9)
    }

    /// Of three earlier runs only one knows how sharp the device's pictures were.
    @Test func fewValuesAreNotUsual() throws {
        try makeNight(9, ["--earlier", "3"])
        let runs = try FileManager.default.contentsOfDirectory(atPath: folder.url("out/.scanmill/runs").path)
        for run in runs where !run.hasSuffix("-night") {
            let path = "out/.scanmill/runs/\(run)/night.json"
            let night = String(decoding: try folder.bytes(path), as: UTF8.self)
            let sharpness = run.hasSuffix("-n0") ? #", "sharpness": 9000"# : ""
            try folder.write(night.replacing(#/, "sharpness": [0-9.]+/#, with: sharpness), to: path)
        }
        let json = try report()
        #expect(captures(of: "blur", in: json) == [])
        let usual = (json["devices"]?.array ?? []).compactMap { $0["usual"] }
        #expect(usual.count == 5)
        for device in usual {
            #expect(device["runs"]?.integer == 3 && device["dropped-share"] != nil && device["sharpness"] == nil)
        }
    }

    @Test func abbreviationsStayAsTheyAre() throws {
        try makeNight(8)
        for name in try results()[..<4] { try warn("PNG truncated", name) }
        #expect(try report()["stands-out"]?.string == "One cause stands out: PNG truncated, in all four.")
    }

    /// Numbers and ids are left open only where captures differ in them; a digit may be part of a word.
    @Test func onlyWhatDiffersIsLeftOpen() throws {
        try makeNight(8)
        let names = try results()
        for name in names[..<3] { try warn("takes \(name).mp4 only; `rgb: mp4` writes it", name) }
        for (number, name) in names[3..<5].enumerated() { try warn("`a` is 0 in \(number + 11) of 40 frames", name) }
        try warn("`a & <b>` is 3", names[5])
        let findings = (try report()["findings"]?.array ?? []).filter { $0["kind"]?.string == "warning" }
        let titles = findings.compactMap { $0["title"]?.string }
        #expect(
            titles == ["Takes ….mp4 only; `rgb: mp4` writes it", "`a` is 0 in … of 40 frames", "`a & <b>` is 3"])
        let texts = findings.map { finding in
            (finding["captures"]?.array ?? []).compactMap { $0["text"]?.string }
        }
        #expect(texts[1] == ["`a` is 0 in 11 of 40 frames.", "`a` is 0 in 12 of 40 frames."])
        #expect(texts[2] == [""])
        let html = try nightPage()
        #expect(html.contains("<h3>Takes ….mp4 only; <code>rgb: mp4</code> writes it</h3>"))
        #expect(html.contains("<h3><code>a &amp; &lt;b&gt;</code> is 3</h3>"))
    }

    @Test func nothingIsOddAboutFewCaptures() throws {
        try makeNight(6)
        let json = try report()
        #expect(json["verdict"]?.string == "All 6 captures are ready.")
        #expect(json["findings"]?.array == [])
    }

    /// Results that want a look are results, whether there are two of them or three; of equal ones none is the worst.
    @Test(arguments: [1, 2, 3]) func allWantALook(_ count: Int) throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/polycam").path
        try FileManager.default.createDirectory(at: folder.url("in"), withIntermediateDirectories: true)
        for name in 1...count { #expect(symlink(sample, folder.url("in/\(name)").path) == 0) }
        let stages = "read, decompress, unproject, voxel-downsample, fit-box, report-coverage"
        #expect(try folder.run(stages, ["in", "-o", "out"]).status == 0)
        let headlines = [
            "The capture has a result that needs a look.", "Both captures have results that need a look.",
            "All 3 captures have results that need a look.",
        ]
        #expect(try report()["verdict"]?.string == headlines[count - 1])
        let html = try newestHTML()
        #expect(!html.contains("the worst of ") && html.contains(">one of ") == (count > 1))
        #expect(html.contains("Not measured: path and speed (add <code>measure-motion</code>), sharpness ("))
    }

    /// As the run's own warning has it: a capture that an option mends need not be recorded again.
    @Test func geometryThatAnOptionMends() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/desk").path
        let run = try folder.run("read, {decompress: {scale: 0.2}}, check-geometry", [sample, "-o", "out"])
        #expect(run.status == 0, "\(run.errors)")
        let finding = try finding(of: "geometry")
        let fix = try #require(finding["captures"]?.array?.first?["fix"]?.string)
        #expect(fix.hasPrefix("if depth is wrong, multiply it with  --set decompress.scale="), "\(fix)")
        #expect(fix.hasSuffix(", and otherwise the positions with  --set read.scale=0.2"), "\(fix)")
        // An option is not followed by a full stop.
        let html = try newestHTML()
        #expect(html.contains("the positions with  --set read.scale=0.2</p>"))
    }

    /// What a pipeline makes of every capture is said once, and leaves the captures ready.
    @Test func whatFollowsFromThePipelineIsANote() throws {
        let samples = SharedData.checkout.appendingPathComponent("samples").path
        try folder.write(
            "stages: [read, select-every: {step: 2}, decompress, mask-range: {far: 1}, write-staging]", to: "p.yaml")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/captures", withIntermediateDirectories: false)
        for name in ["desk", "polycam"] {
            try FileManager.default.copyItem(atPath: "\(samples)/\(name)", toPath: "\(folder.path)/captures/\(name)")
        }
        let run = try Scanmill.run(["run", "p.yaml", "captures", "-o", "out"], in: folder.path)
        #expect(run.status == 0, "\(run.errors)")
        let server = "write-staging: MultiScan's server takes pictures from an mp4 only; `rgb: mp4` writes it"
        #expect(run.errors.components(separatedBy: server).count == 2, "\(run.errors)")
        #expect(run.errors.contains("note: 2 captures: \(server)\n"))
        let json = try report()
        #expect(json["verdict"]?.string == "Both captures are ready.", "\(run.errors)")
        #expect(json["notes"]?.array?.map { $0["text"]?.string }.contains(server) == true)
        #expect(json["notes"]?.array?.first?["captures"]?.integer == 2)
        let html = try newestHTML()
        #expect(
            html.contains(" captures: write-staging: MultiScan&#39;s server takes pictures from an mp4 only; <code>"))
    }

    /// What most captures have is the batch's own way, unless it makes them useless.
    @Test func aGoalThatAllCapturesMissIsMissed() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/polycam").path
        try FileManager.default.createDirectory(at: folder.url("in"), withIntermediateDirectories: true)
        for name in 1...8 { #expect(symlink(sample, folder.url("in/\(name)").path) == 0) }
        // From one side, round a box that is all of the room.
        let stages = "read, decompress, unproject, voxel-downsample, fit-box, report-coverage"
        let run = try folder.run(stages, ["in", "-o", "out"])
        #expect(run.output.contains("8 captures: 8 done"), "\(run)")
        let summary = try #require(try report()["summary"])
        #expect(summary["ready"]?.integer == 0 && summary["look"]?.integer == 8, "\(summary)")
    }
}
