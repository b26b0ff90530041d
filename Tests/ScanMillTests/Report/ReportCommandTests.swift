import Foundation
import ScanModel
import TestSupport
import Testing

/// What `scanmill report` says of a folder of results, and when a run writes it.
@Suite struct ReportCommandTests: ReportSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// One damaged receipt must not end every report.
    @Test func numbersThatNothingCanBeCountedTo() throws {
        try makeNight(20)
        let out = "\(folder.path)/out"
        let ids = try FileManager.default.contentsOfDirectory(atPath: out).filter { !$0.hasPrefix(".") }.sorted()
        for id in ids.prefix(3) {
            let path = "out/\(id)/receipt.json"
            var receipt = String(decoding: try folder.bytes(path), as: UTF8.self)
            receipt = receipt.replacing(#/"(bytes|source|kept)": \d+/#) { "\"\($0.1)\": 9223372036854775807" }
            try folder.write(receipt, to: path)
        }
        #expect(try report()["captures"]?.array?.count ?? 0 >= 20)
    }

    @Test func whatIsNotAllNeverLooksAsIfItWere() throws {
        try makeNight(3)
        try changeFirstReceipt(#/"confidence": \{[^}]*\}/#, to: #""confidence": {"low": 1, "medium": 0, "high": 999}"#)
        _ = try report()
        let words = "confidence: low &lt; 1 %, medium 0 %, high &gt; 99 %"
        #expect(try nightPage().contains(words.replacing(" %", with: "\u{202F}%")))
        // 199 of 200 are not all.
        try changeFirstReceipt(#/"confidence": \{[^}]*\}/#, to: #""confidence": {"low": 1, "medium": 0, "high": 199}"#)
        _ = try report()
        let nearly = "confidence: low 1 %, medium 0 %, high &gt; 99 %"
        #expect(try nightPage().contains(nearly.replacing(" %", with: "\u{202F}%")))
    }

    /// Nor does what is only small look like nothing.
    @Test func whatIsSmallIsNotNothing() throws {
        try makeNight(1)
        try changeFirstReceipt(#/"lowest": 0.21/#, to: #""lowest": 0.0004"#)
        try changeFirstReceipt(#/"correlation": -0.71/#, to: #""correlation": -0.0004"#)
        _ = try report()
        let text = try nightPage().replacing(#/<[^>]*>/#, with: "")
        #expect(text.contains("depth &lt; 0.001 to 4.90 m,") && text.contains("correlated &gt; −0.001 with sharpness"))
    }

    /// Ticks of the run's time lie at half minutes where it is short.
    @Test func halfMinutesOfARun() throws {
        try makeNight(3)
        let outcome = "out/.scanmill/runs/20261120T214000Z-night/outcome.json"
        let text = String(decoding: try folder.bytes(outcome), as: UTF8.self)
        let longer = text.replacing(#/Z", "seconds": [0-9.]+/#, with: #"Z", "seconds": 150"#)
        try #require(longer != text)
        try folder.write(longer, to: outcome)
        _ = try report()
        let drawing = try #require(try nightPage().firstMatch(of: #/(?s)<svg class="time".*?</svg>/#)?.0)
        let ticks = drawing.matches(of: #/<text [^>]*>([^<]*)</#).map { String($0.1) }
        #expect(ticks == ["0", "30 s", "60 s", "90 s", "2 min", "2 min 30 s"])
    }

    /// By the clock alone, the run would end before it began.
    @Test func aRunAcrossTheEndOfSummerTime() throws {
        try makeNight(3)
        let run = "out/.scanmill/runs/20261120T214000Z-night"
        for (file, old, new) in [
            ("plan", "20261120T214000Z", "20261025T004000Z"), ("outcome", "20261121T031500Z", "20261025T011000Z"),
        ] {
            let text = String(decoding: try folder.bytes("\(run)/\(file).json"), as: UTF8.self)
            let moved = text.replacing("\"\(old)\"", with: "\"\(new)\"")
            try #require(moved != text)
            try folder.write(moved, to: "\(run)/\(file).json")
        }
        for (zone, span) in [
            ("CET-1CEST,M3.5.0,M10.5.0/3", "25 October 2026, 02:40 CEST to 02:10 CET"),
            ("UTC0", "25 October 2026, 00:40 to 01:10"),
        ] {
            let made = try Scanmill.run(["report", "out"], in: folder.path, environment: ["TZ": zone])
            try #require(made.status == 0, "\(made.errors)")
            #expect(try nightPage().contains(span), "\(zone)")
        }
    }

    @Test func oneOfAThingIsNotSeveral() throws {
        try MiniCapture(frameCount: 1).write(in: folder)
        let run = try folder.run("read, measure-blur, decompress, unproject, write-ply")
        try #require(run.status == 0, "\(run.errors)")
        let text = try newestHTML().replacing(#/<[^>]*>/#, with: "")
        for words in ["sharpness of 1 frame: ", "1 frame = 1 kept", "1 file, "] {
            #expect(text.contains(words), "\(words)")
        }
    }

    /// Its figures are its own, also where it has none, and not those of results that stand from before.
    @Test func aRunThatMadeNothing() throws {
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        try folder.copySample("desk", to: "a")
        let run = ["run", "quick.yaml", "a", "-o", "out"]
        #expect(try Scanmill.run(run, in: folder.path).status == 0)
        #expect(try newestHTML().contains("<p>Frames kept</p>"))
        let depth = try folder.bytes("a/desk.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count / 2)), to: "a/desk.depth.zlib")
        #expect(try Scanmill.run(run, in: folder.path).status == 1)
        #expect(try report()["summary"]?["frames"]?["source"]?.integer ?? 0 > 0)
        let html = try newestHTML()
        #expect(html.contains("<p>Captures ready</p>") && !html.contains("<p>Frames kept</p>"))
    }

    /// Whoever goes back to film a side must find it: a viewer of the front has what is named the left on the right, on
    /// every drawing of a card.
    @Test func drawingsAgreeOnTheSides() throws {
        try makeNight(1)
        try changeFirstReceipt(
            #/"box-outline": \[\[.*?\]\]/#, to: #""box-outline": [[1, 1], [1, -1], [-1, -1], [-1, 1]]"#)
        // Its card is shown, with all its drawings.
        try changeFirstReceipt(#/"ring": \{[^}]*\}/#, to: #""ring": {"gap": 150, "from": 285, "to": 75}"#)
        _ = try report()
        let html = try nightPage()
        for (side, x) in [("right", 1), ("front", 44), ("left", 87), ("back", 130)] {
            #expect(html.contains("<title>\(side)</title><rect x=\"\(x)\" y=\"44\""), "\(side)")
        }
        // The box's front is below, from its left to its right.
        let edge = try #require(
            html.firstMatch(of: #/class="front" d="M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)"/#))
        let ends = [edge.1, edge.2, edge.3, edge.4].compactMap { Double($0) }
        try #require(ends.count == 4)
        #expect(ends[0] > ends[2] && ends[1] == ends[3], "\(ends)")
        let sphere = try #require(html.firstMatch(of: #/<svg class="sphere".*?</svg>/#.dotMatchesNewlines())).0
        let words = sphere.matches(of: #/<text [^>]*>([^<]*)</#).map { String($0.1) }
        #expect(words == ["above", "level", "below", "back", "right", "front", "left", "back"])
        // What lies behind is half at the one end and half at the other.
        #expect(sphere.contains("M0 0h2.8") && sphere.contains("M167.4 0h2.8"), "\(sphere)")
    }

    /// Not hundreds of marks before the first finding.
    @Test func theKeyboardComesToTheFindingsFirst() throws {
        try makeNight(12)
        _ = try report()
        let html = try nightPage()
        #expect(html.contains("<main>\n<a class=\"skip\" href=\"#look\">") && html.contains("<section id=\"look\">"))
        let strip = try #require(html.firstMatch(of: #/<svg class="strip".*?</svg>/#.dotMatchesNewlines())).0
        #expect(strip.matches(of: #/<a [^>]*tabindex="-1"/#).count == 12)
    }

    /// A path that is a point has no length that a ruler could show.
    @Test func aCameraThatStandsStill() throws {
        try makeNight(1)
        try changeFirstReceipt(#/"track": \[\[.*?\]\]/#, to: #""track": [[0, 1, 1, 0], [1, 1, 1, 0]]"#)
        try changeFirstReceipt(#/"box-outline": \[\[.*?\]\]/#, to: #""box-outline": []"#)
        _ = try report()
        let html = try nightPage()
        #expect(html.contains("<svg class=\"path\"") && !html.contains("class=\"ruler\""))
    }

    /// A run that reports for long ends after a later one has reported.
    @Test func theDoorwayLeadsToTheNewestPage() throws {
        try folder.copySample("polycam", to: "in/a")
        try folder.copySample("tum", to: "in/b")
        for name in ["a", "b"] {
            let run = try folder.run("read, measure-motion", ["in/\(name)", "-o", "out"])
            try #require(run.status == 0, "\(run.errors)")
            // By whole seconds.
            usleep(1_100_000)
        }
        let runs = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/runs").sorted()
        try #require(runs.count == 2)
        let page = try newestPage()
        #expect(page.contains(runs[1]))
        try Scanmill.run(["report", "out", "--run", runs[0]], in: folder.path).require(0)
        #expect(try newestPage() == page)
        // Where that is gone, the other is the newest.
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/runs/\(runs[1])/report.html")
        try Scanmill.run(["report", "out", "--run", runs[0]], in: folder.path).require(0)
        #expect(try newestPage().contains(runs[0]))
    }

    /// A browser shows a line break as a space, and the pipeline's text has lines.
    @Test func aNameWithALineBreak() throws {
        try makeNight(3)
        try changeFirstReceipt(#/"device": "[^"]*"/#, to: #""device": "one\ntwo""#)
        _ = try report()
        let html = try nightPage()
        #expect(html.contains("one\\u{a}two") && html.contains("<pre>{\n"))
    }

    /// A Mac's names have their accents apart, and whoever searches types them in one.
    @Test func theSearchTakesAccentsAsTheyCome() throws {
        try makeNight(3)
        _ = try report()
        #expect(try nightPage().contains("const plain = text => text.normalize().toLowerCase();"))
    }

    /// Of a stage that stands twice each has frames and a time of its own, in its place.
    @Test func stagesThatStandTwiceAreTwoRows() throws {
        let made = try Scanmill.run(
            [
                "sample", "cap", "--frames", "12", "--set", "synthesize.picture-width=64", "--set",
                "synthesize.picture-height=48",
            ],
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let run = try folder.run(
            "read, {select-every: {step: 2}}, decompress, {mask-range: {far: 5}}, {select-every: {step: 3}}, "
                + "{mask-range: {near: 0.5}}, unproject, write-ply", ["cap", "-o", "out"])
        try #require(run.status == 0, "\(run.errors)")
        let rows = (try report()["stages"]?.array ?? []).filter { $0["frames-in"] != nil }
        let seen = rows.map { row in
            "\(row["name"]?.string ?? "") \(row["frames-in"]?.integer ?? -1) \(row["frames-out"]?.integer ?? -1)"
        }
        #expect(
            seen.prefix(8) == [
                "read 12 12", "select-every[1] 12 6", "decompress 6 6", "mask-range[1] 6 6", "select-every[2] 6 2",
                "mask-range[2] 2 2", "unproject 2 2", "write-ply 2 2",
            ], "\(seen)")
        #expect(rows.prefix(8).allSatisfy { ($0["seconds"]?.double ?? -1) >= 0 })
        // On a narrow page nothing is in the column of the reasons, in any row.
        let cells = "receipt and publishing</th><td></td><td></td><td></td><td class=\"why\"></td><td class=\"n\">"
        #expect(try newestHTML().contains(cells))
    }

    /// The middle half of the earlier runs, by Python's own reckoning.
    @Test func trendsAreAgainstTheQuartiles() throws {
        try makeNight(40, ["--earlier", "7"])
        let json = try report()
        #expect(json["earlier-runs"]?.integer == 7)
        let trends = try #require(json["trends"]?.array)
        #expect(trends.compactMap { $0["name"]?.string } == ["ready", "kept", "time", "written"])
        for trend in trends {
            let history = try #require(trend["history"]?.doubles)
            #expect(history.count == 7)
            let script =
                "import json, statistics, sys; print(json.dumps(statistics.quantiles(json.loads(sys.argv[1]), n=4, method='inclusive')))"
            let list = String(decoding: JSONWriter.text(.of(history), pretty: false), as: UTF8.self)
            let quartiles = try #require(
                try JSONValue.parse(Array(try runPython(script, [list]).output.utf8), file: "python").doubles)
            let usual = try #require(trend["usual"])
            for (name, value) in zip(["low", "median", "high"], quartiles) {
                let ours = try #require(usual[name]?.double)
                #expect(abs(ours - value) <= 1e-9 * max(1, abs(value)))
            }
        }
        // A run that follows reads what this one left.
        let night = try StateJSON.read("\(folder.path)/out/.scanmill/runs/20261120T214000Z-night/night.json")
        #expect(night["ran"]?.integer == 40)
        #expect(night["devices"]?.array?.count == 5)
        // The run itself is none of the earlier ones.
        #expect(try report()["earlier-runs"]?.integer == 7)
    }

    /// How long a run takes, and how much it writes, goes by how many captures it has, and a share by chance among few.
    @Test func figuresAreAgainstRunsOfAboutAsManyCaptures() throws {
        try makeNight(10, ["--earlier", "5"])
        let runs = "out/.scanmill/runs"
        let earlier = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(runs)")
            .filter { !$0.hasSuffix("-night") }.map { "\(runs)/\($0)/night.json" }
        for (ran, isAlike) in [(20, true), (21, false), (4, false), (5, true)] {
            for path in earlier {
                let text = String(decoding: try folder.bytes(path), as: UTF8.self)
                try folder.write(text.replacing(#/"ran": \d+/#, with: "\"ran\": \(ran)"), to: path)
            }
            let trends = try report()["trends"]?.array ?? []
            let known = trends.filter { $0["usual"] != nil }.compactMap { $0["name"]?.string }
            #expect(known == (isAlike ? ["ready", "kept", "time", "written"] : []), "\(ran)")
            #expect(try nightPage().contains("Against the last 5") == isAlike)
        }
    }

    /// One of four captures is a quarter of them.
    @Test func sharesOfFewCapturesAreNotCompared() throws {
        try makeNight(4, ["--earlier", "5"])
        let trends = try report()["trends"]?.array ?? []
        #expect(trends.compactMap { $0["name"]?.string } == ["ready", "kept", "time", "written"])
        #expect(trends.map { $0["change"] != nil } == [false, false, true, true])
    }

    @Test func withoutEarlierRunsThereAreNoTrends() throws {
        try makeNight(10)
        let json = try report()
        #expect(json["earlier-runs"]?.integer == 0)
        #expect(json["trends"]?.array?.allSatisfy { $0["usual"] == nil } == true)
        let page = try nightPage()
        #expect(!page.contains("against the usual") && !page.contains("Against the last"))
    }

    /// Of a report of the same run with more captures.
    @Test func pagesThatAreNoLongerNeededGo() throws {
        try makeNight(3)
        let run = "out/.scanmill/runs/20261120T214000Z-night"
        for name in ["captures-001.html", "wall-2.jpg"] { try folder.write("", to: "\(run)/\(name)") }
        _ = try report()
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(run)")
        #expect(!names.contains("captures-001.html") && !names.contains("wall-2.jpg") && names.contains("report.html"))
    }

    @Test func receiptsAreEnough() throws {
        try makeNight(12)
        let before = try report()
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/runs")
        let after = try report()
        #expect(after["verdict"] == before["verdict"])
        #expect(after["summary"]?["frames"] == before["summary"]?["frames"])
        #expect(after["run"] == nil)
        // Once more: it takes its own folder again.
        _ = try report()
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/runs").count == 1)
    }

    @Test func lengthsOfAnUnknownUnitAreNotMetres() throws {
        try folder.write("name: cm\nstages: [{read: {rate: 5}}, measure-motion, write-colmap]\n", to: "cm.yaml")
        let colmap = SharedData.checkout.appendingPathComponent("samples/colmap").path
        _ = try Scanmill.run(["run", "cm.yaml", colmap, "-o", "out"], in: folder.path)
        let html = try newestHTML()
        #expect(html.contains(" units/s") && html.contains(" units</text>"))
        #expect(!html.contains(" m/s") && !html.contains(" m</text>"))
        #expect(try report()["captures"]?.array?.first?["motion"]?["is-metric"] == .bool(false))
    }

    @Test func aMeshOfAnUnknownUnitHasNoSquareMetres() throws {
        try makeNight(8)
        _ = try report()
        #expect(try nightPage().contains(">41.3 m²</data>"))
        try changeFirstReceipt(#/"small-pieces": /#, to: #""is-metric": false, "small-pieces": "#)
        let name = try #require(try results().first)
        let capture = try #require(try report()["captures"]?.array?.first { $0["id"]?.string == name })
        #expect(capture["mesh"]?["is-metric"] == .bool(false))
        #expect(try nightPage().contains(">41.3 units²</data>"))
    }

    @Test func whatWasNotMeasuredIsNamed() throws {
        try folder.write("name: plain\nstages: [read, decompress, unproject, write-ply]\n", to: "plain.yaml")
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        _ = try Scanmill.run(["run", "plain.yaml", desk, "-o", "out"], in: folder.path)
        let page = try newestPage()
        let html = String(decoding: try folder.bytes(page), as: UTF8.self)
        for stage in ["measure-blur", "measure-motion", "report-coverage", "measure-depth"] {
            #expect(html.contains("(add <code>\(stage)</code>)"), "\(stage)")
        }
        #expect(html.components(separatedBy: "class=\"lack\"").count == 2)
    }

    /// Advice that makes a capture fail is worse than none.
    @Test func whatCannotBeMeasuredSaysWhy() throws {
        try folder.write(
            "name: m\nstages: [read, measure-motion, report-coverage, write-contact-sheet]\n", to: "m.yaml")
        let scan = try folder.copySample("scannet-raw", to: "raw")
        _ = try Scanmill.run(["run", "m.yaml", scan, "-o", "out"], in: folder.path)
        let html = try newestHTML()
        #expect(html.contains("path and speed (the frames have no poses)"))
        #expect(html.contains("views of the box (the capture has no box)"))
        #expect(!html.contains("add <code>measure-motion</code>"))
        let capture = try #require(try report()["captures"]?.array?.first)
        #expect(capture["not-measured"]?["report-coverage"] == .string("the capture has no box"))
    }

    @Test func whatACaptureLacksIsNotAskedFor() throws {
        try folder.write("name: m\nstages: [read, write-contact-sheet]\n", to: "m.yaml")
        let made = try Scanmill.run(
            [
                "sample", "flat", "--frames", "3", "--set", "synthesize.depth=none", "--set",
                "synthesize.confidence=none",
            ],
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        _ = try Scanmill.run(["run", "m.yaml", "flat", "-o", "out"], in: folder.path)
        let html = try newestHTML()
        #expect(html.contains("depth (the capture has no depth)"))
        #expect(html.contains("sharpness (add <code>measure-blur</code>)"))
    }

    @Test func lengthsWithoutTimesAreOfTheCapturesUnitToo() throws {
        try folder.write("name: cm\nstages: [read, measure-motion, write-colmap]\n", to: "cm.yaml")
        let colmap = SharedData.checkout.appendingPathComponent("samples/colmap").path
        _ = try Scanmill.run(["run", "cm.yaml", colmap, "-o", "out"], in: folder.path)
        let html = try newestHTML()
        #expect(html.contains(" units</text>") && !html.contains(" m</text>"))
        #expect(html.contains("; not measured: speeds, because fewer than two frames have poses and times in order"))
        #expect(html.contains("class=\"v4\"") && !html.contains("coloured by speed"))
    }

    @Test func aFolderWithoutResultsIsAMistake() throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/empty", withIntermediateDirectories: true)
        for (name, what) in [
            ("empty", "nothing has been run into this folder"), ("nowhere", "there is no folder at this path"),
        ] {
            let result = try Scanmill.run(["report", name], in: folder.path)
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("error: \(what)\n  --> \(name)\n"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/empty") == [])
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/nowhere"))
    }

    /// A run that was recorded under a clock a lifetime ahead is not the newest one until then.
    @Test func aRunReportsOnItselfWhateverTheClockWas() throws {
        #expect(try run().status == 0)
        let runs = "\(folder.path)/out/.scanmill/runs"
        let first = try #require(try FileManager.default.contentsOfDirectory(atPath: runs).first)
        try FileManager.default.moveItem(atPath: "\(runs)/\(first)", toPath: "\(runs)/20991231T000000Z-ahead")
        #expect(try run(["--force"]).status == 0)
        #expect(try !newestPage().contains("ahead"))
        _ = try report()
        #expect(try !newestPage().contains("ahead"))
        // Nor when the files' times are ahead too.
        let outcome = "\(runs)/20991231T000000Z-ahead/outcome.json"
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 4e7)], ofItemAtPath: outcome)
        _ = try report()
        #expect(try !newestPage().contains("ahead"))
    }

    /// `cp -r` gives all files the time of copying, whichever it copies first.
    @Test func theNewestRunOfACopy() throws {
        #expect(try run(["--no-report"]).status == 0)
        let runs = "\(folder.path)/out/.scanmill/runs"
        try FileManager.default.removeItem(atPath: runs)
        for (day, age) in [("20250101", 0.0), ("20250102", 3600)] {
            let files = [
                ("plan.json", #"{"captures": []}"#),
                ("outcome.json", #"{"ended": "\#(day)T000500Z", "captures": []}"#),
            ]
            for (name, text) in files {
                try folder.write(text, to: "out/.scanmill/runs/\(day)T000000Z-x/\(name)")
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -age)],
                    ofItemAtPath: "\(runs)/\(day)T000000Z-x/\(name)")
            }
        }
        _ = try report()
        #expect(try newestPage().contains("/20250102T"))
    }

    @Test func noReportMeansNone() throws {
        let result = try run(["--no-report"])
        #expect(result.status == 0)
        #expect(!result.output.contains("the report is"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/.scanmill/report.html"))
    }

    /// A report that cannot be written is a warning, whatever became of the captures.
    @Test func aReportThatCannotBeWrittenChangesNothing() throws {
        try folder.write("", to: "out/.scanmill/report.html/in-the-way")
        let result = try run()
        #expect(result.status == 0)
        #expect(result.errors.hasPrefix("warning: the report was not written: cannot rename to"), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.output.contains("1 capture: 1 done; results are in out\n"))
    }

    /// Commands that lead to the place of before would begin another folder there.
    @Test func commandsNameTheFolderAsItIsCalledNow() throws {
        try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: "\(folder.path)/cut")
        let depth = try folder.bytes("cut/desk.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count / 2)), to: "cut/desk.depth.zlib")
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        #expect(try Scanmill.run(["run", "quick.yaml", "cut", "-o", "out"], in: folder.path).status == 1)
        func page(_ output: String, in place: String) throws -> String {
            let result = try Scanmill.run(["report", output], in: place)
            #expect(result.status == 0, "\(result.errors)")
            let page = result.output.dropLast()
            let path = page.hasPrefix("/") ? String(page) : "\(place)/\(page)"
            return try String(contentsOfFile: path, encoding: .utf8)
        }
        // From wherever it is asked for.
        let elsewhere = try TemporaryFolder()
        let before = try page("\(folder.path)/out", in: elsewhere.path)
        #expect(before.contains(" cut -o out --retry"))
        try FileManager.default.moveItem(atPath: "\(folder.path)/out", toPath: "\(folder.path)/moved")
        let moved = try page("moved", in: folder.path)
        #expect(moved.contains(" cut -o \(folder.path)/moved --retry"))
        #expect(moved.contains("results in <code>\(folder.path)/moved</code>"))
        // Another folder that has the name by now is another one.
        try FileManager.default.createDirectory(atPath: "\(folder.path)/out", withIntermediateDirectories: false)
        #expect(try page("moved", in: folder.path).contains(" cut -o \(folder.path)/moved --retry"))
    }
}
