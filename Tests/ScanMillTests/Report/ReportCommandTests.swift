import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// What `scanmill report` finds in a folder of results, and what a run does with it.
@Suite struct ReportCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeNight(_ count: Int, _ more: [String] = []) throws {
        let script = SharedData.checkout.appendingPathComponent("Tests/ReportPage/night.py").path
        let made = try runCommand(["python3", script, "\(folder.path)/out", "\(count)"] + more)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// The report's numbers.
    private func report() throws -> JSONValue {
        let result = try Scanmill.run(["report", "out"], in: folder.path)
        try #require(result.status == 0, "\(result.errors)")
        let page = String(result.output.dropLast())
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(page)"))
        return try StateJSON.read("\(folder.path)/\(page.replacingOccurrences(of: ".html", with: ".json"))")
    }

    /// The page to which the one that `run` names leads.
    private func newestPage() throws -> String {
        let doorway = String(decoding: try folder.bytes("out/.scanmill/report.html"), as: UTF8.self)
        let address = try #require(doorway.firstMatch(of: #/url=(runs/[^"]*)"/#)).1
        return "out/.scanmill/\(address)"
    }

    private func captures(of kind: String, in json: JSONValue) -> [String] {
        (json["findings"]?.array ?? []).filter { $0["kind"]?.string == kind }
            .flatMap { $0["captures"]?.array ?? [] }.compactMap { $0["id"]?.string }
    }

    // MARK: - Findings

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

    /// No convention fits better, and the stage has nothing to warn of.
    @Test func depthThatFitsFarWorseThanUsual() throws {
        try makeNight(9)
        #expect(captures(of: "geometry", in: try report()) == [])
        // Twice as large is not odd enough.
        try changeFirstReceipt(#/"declared": 0.00[0-9]+/#, to: "\"declared\": 0.011")
        #expect(captures(of: "geometry", in: try report()) == [])
        try changeFirstReceipt(#/"declared": 0.011/#, to: "\"declared\": 0.021")
        let finding = try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == "geometry" })
        #expect(finding["title"]?.string == "Depth fits from frame to frame far worse than usual")
        let capture = try #require(finding["captures"]?.array?.first)
        #expect(try capture["id"]?.string == results().first && capture["value"]?.double == 0.021)
        #expect(
            capture["text"]?.string
                == "Depth of one frame is off the next one's by 2.10 %; in this batch 0.600 % is usual.")
    }

    /// It is found by its name, with what the stage says can be done about it.
    @Test func aPathThatDrifts() throws {
        try makeNight(3)
        let reason = "depth of one frame fits the next within 0.3 %; the path drifts, which makes surfaces double"
        let said = "check-geometry: the geometry is in doubt: \(reason); `correct-drift` above it takes drift out"
        try changeFirstReceipt(
            #/"verdict": "pass", "reason": "[^"]*"/#,
            to: "\"verdict\": \"warning\", \"drifts\": true, \"reason\": \"\(reason)\"")
        try changeFirstReceipt(#/"warnings": \[\]/#, to: "\"warnings\": [\"\(said)\"]")
        let finding = try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == "geometry" })
        #expect(finding["title"]?.string == "The path drifts")
        let capture = try #require(finding["captures"]?.array?.first)
        #expect(try capture["id"]?.string == results().first)
        #expect(capture["text"]?.string == "Depth of one frame\(reason.dropFirst(18)).")
        #expect(capture["fix"]?.string == "`correct-drift` above it takes drift out")
    }

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

    /// The page of a night that was made up.
    private func nightPage() throws -> String {
        let path = "out/.scanmill/runs/20261120T214000Z-night/report.html"
        return String(decoding: try folder.bytes(path), as: UTF8.self)
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

    /// The longest first, and the next command leaves shorter ones.
    @Test func holesAreMeasured() throws {
        try makeNight(8)
        let names = try results()
        try giveFilterBlur(#""window": 5"#)
        for (name, seconds) in zip(names, ["2.25", "30.5"]) {
            let hole = "filter-blur: frames 11 to 18 were all dropped, which leaves a hole of \(seconds) s; a smaller"
            try warn("\(hole) `window`, or `seconds`, leaves shorter ones", name)
        }
        let finding = try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == "warning" })
        let captures = finding["captures"]?.array ?? []
        #expect(captures.map { $0["id"]?.string } == [names[1], names[0]])
        #expect(captures.map { $0["value"]?.double } == [30.5, 2.25])
        #expect(captures.map { $0["of"]?.string } == ["longest hole", "longest hole"])
        let html = try nightPage()
        #expect(html.contains("the worst of ") && html.contains(" --set filter-blur.window=2</code>"))
    }

    /// By the pipeline's own rule; where that goes by scores alone, no number of frames helps.
    @Test(arguments: [
        (#""seconds": 0.5"#, "seconds=0.25"), (#""count": 30"#, "count=60"), (#""at-least": 100"#, ""),
        (#""window": 2"#, ""), (#""seconds": 0.01"#, ""), (#""count": 500000"#, ""),
    ]) func holesAreMadeShorter(_ rule: String, _ remedy: String) throws {
        try makeNight(3)
        try giveFilterBlur(rule)
        let name = try #require(try results().first)
        try warn("filter-blur: frames 11 to 18 were all dropped, which leaves a hole of 2.25 s; shorter ones", name)
        _ = try report()
        let html = try nightPage()
        if remedy.isEmpty {
            #expect(!html.contains("--set filter-blur."))
        } else {
            #expect(html.contains(" --only \(name) --retry --set filter-blur.\(remedy)</code>"))
        }
    }

    /// On either side of what is usual.
    @Test(arguments: [
        ("0.2", "closer than usual", "0.200 m"), ("4", "farther away than usual", "4.00 m"),
    ]) func depthUnlikeTheBatch(_ median: String, _ how: String, _ words: String) throws {
        try makeNight(10)
        try changeFirstReceipt(#/"p05": 0.4, "median": [0-9.]+/#, to: "\"p05\": 0.1, \"median\": \(median)")
        let finding = try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == "depth" })
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
        let finding = try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == "speed" })
        #expect(finding["title"]?.string == "The camera moves too fast")
        let capture = try #require(finding["captures"]?.array?.first)
        let usual = try #require(capture["expected"]?.string?.firstMatch(of: #/^usual: (0\.\d+ m/s)$/#)?.1)
        let sentence = "The median is 0.500 m/s, a tenth is above 2.50 m/s, where \(usual) is usual in this batch."
        #expect(capture["text"]?.string == sentence)
        #expect(capture["fix"]?.string == "drop the fast frames, or record it again more slowly")
        #expect(capture["of"]?.string == "speed of the fastest tenth" && capture["value"]?.double == 2.5)
    }

    /// Without intrinsics only the aim is known, which says nothing of single sides.
    @Test func noCameraIsAimedAtTheBox() throws {
        try makeNight(3)
        try changeFirstReceipt(#/"sides": \{.*?\}\}, /#, to: "")
        #expect(captures(of: "coverage", in: try report()) == [])
        try changeFirstReceipt(#/"faces": \{[^}]*\}/#, to: #""faces": {"miss": 40}"#)
        let finding = try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == "coverage" })
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
        let finding = try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == "coverage" })
        let text = finding["captures"]?.array?.first?["text"]?.string ?? ""
        #expect(text.firstMatch(of: #/its middle \w+ the ([a-z ]+)\./#)?.1 == "front", "\(text)")
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

    /// A path that is a point has no length that a ruler could show.
    @Test func aCameraThatStandsStill() throws {
        try makeNight(1)
        try changeFirstReceipt(#/"track": \[\[.*?\]\]/#, to: #""track": [[0, 1, 1, 0], [1, 1, 1, 0]]"#)
        try changeFirstReceipt(#/"box-outline": \[\[.*?\]\]/#, to: #""box-outline": []"#)
        _ = try report()
        let html = try nightPage()
        #expect(html.contains("<svg class=\"path\"") && !html.contains("class=\"ruler\""))
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
        let finding = try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == "jumps" })
        #expect(finding["title"]?.string == "The pose of one frame is wrong")
        let capture = try #require(finding["captures"]?.array?.first)
        let text = "The path jumps by 1.2 m at frame 30, and is back with the next frame."
        #expect(capture["text"]?.string?.replacing(#/1\.[12]\d/#, with: "1.2") == text)
        #expect(capture["value"]?.integer == 1)
        let rule = try #require(capture["fix"]?.string?.split(separator: "`").dropFirst().first)
        #expect(try folder.run("read, {\(rule)}, measure-motion", ["in/desk", "-o", "mended"]).status == 0)
        let mended = try Scanmill.run(["report", "mended"], in: folder.path)
        let json = mended.output.dropLast().replacing("report.html", with: "report.json")
        #expect(try StateJSON.read("\(folder.path)/\(json)")["verdict"]?.string == "The capture is ready.")
    }

    /// From frame 4 on the path is elsewhere by so many metres; one frame is dropped.
    @Test(
        arguments: [
            ([3: 0.9, 4: 1], 0.1, 0, "The path jumps by 0.900 m at frame 3, and is"), ([3: 0.9, 4: 1], 0.1, 3, ""),
            ([3: 0.9, 4: 1], 3, 0, "2 jumps in the path, the first of 0.900 m"),
            ([3: 0.9, 5: 1], 0.1, 0, "2 jumps in the path, the first of 0.900 m"),
            ([3: 0.9, 4: 1, 5: 1], 0.1, 0, "3 jumps in the path, the first of 0.900 m"),
            ([3: 0.2, 4: 0.2], 0.1, 0, "2 jumps in the path, the first of 0.200 m"),
            ([3: 0.9], 0.1, 2, "1 jump in the path, the first of 0.900 m"), ([1: 0.9], 0.1, 0, ""),
        ] as [([Int: Double], Double, Int, String)])
    func jumpsThereAndBack(_ metres: [Int: Double], _ way: Double, _ dropped: Int, _ text: String) throws {
        try makeNight(1)
        let jumps = metres.sorted { $0.key < $1.key }.map { "{\"frame\": \($0.key), \"metres\": \($0.value)}" }
            .joined(separator: ", ")
        let track = (0..<6).map { "[\($0), \($0 < 4 ? 0 : way), 0, 0.1]" }.joined(separator: ", ")
        try changeFirstReceipt(#/"track": \[\[.*?\]\]/#, to: "\"track\": [\(track)]")
        try changeFirstReceipt(#/"jumps": \[\]/#, to: "\"jumps\": [\(jumps)]")
        try changeFirstReceipt(#/"jump-count": 0, /#, to: "")
        let drop = "{\"frame\": \(dropped), \"stage\": \"filter-blur\", \"reason\": \"blurred\"}"
        try changeFirstReceipt(#/"dropped": \[.*?\]/#, to: "\"dropped\": [\(drop)]")
        let finding = try report()["findings"]?.array?.first { $0["kind"]?.string == "jumps" }
        let said = finding?["captures"]?.array?.first?["text"]?.string ?? ""
        #expect(text.isEmpty ? said.isEmpty : said.hasPrefix(text), "\(said)")
    }

    /// The wrong pose of a single frame explains the pairs of that frame, and nothing else.
    @Test(arguments: [
        ("0.006", "3", true), ("0.006", "4", false), ("0.03", "3", false),
    ]) func whatAWrongPoseExplains(_ error: String, _ frame: String, _ isExplained: Bool) throws {
        try makeNight(1)
        let track = (0..<6).map { "[\($0), 0, 0, 0.1]" }.joined(separator: ", ")
        try changeFirstReceipt(#/"track": \[\[.*?\]\]/#, to: "\"track\": [\(track)]")
        try changeFirstReceipt(
            #/"jumps": \[\]/#, to: "\"jumps\": [{\"frame\": 3, \"metres\": 0.9}, {\"frame\": 4, \"metres\": 0.9}]")
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
        let finding = try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == "jumps" })
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

    /// One recording under two names.
    @Test func capturesOfTheSameBytesAreNamed() throws {
        try makeNight(8)
        for (name, digest) in zip(try results(), ["a", "b", "a"]) {
            let path = "out/\(name)/receipt.json"
            let inputs = "\"inputs\": [{\"path\": \"x\", \"bytes\": 1, \"sha256\": \"\(digest)\"}]"
            let receipt = String(decoding: try folder.bytes(path), as: UTF8.self)
            try folder.write(receipt.replacing(#/"inputs": \[\]/#, with: inputs), to: path)
        }
        let json = try report()
        #expect(captures(of: "warning", in: json) == [try results()[0], try results()[2]])
        let finding = try #require(json["findings"]?.array?.first { $0["kind"]?.string == "warning" })
        #expect(finding["title"]?.string == "The files are those of another capture")
        #expect(finding["captures"]?.array?.first?["text"]?.string?.contains(try results()[2]) == true)
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

    /// A page is open in a browser while it is made again; and pictures of captures that are gone do not pile up.
    @Test func picturesStayWhileTheyAreMadeAgain() throws {
        try folder.copySample("polycam", to: "in/a")
        let run = try folder.run("read, measure-motion", ["in/a", "-o", "out"])
        try #require(run.status == 0, "\(run.errors)")
        let pictures = try newestPage().replacing("report.html", with: "pictures")
        try folder.write("old", to: "\(pictures)/7.jpg")
        let path = "\(folder.path)/\(pictures)/0.jpg"
        try #require(FileManager.default.fileExists(atPath: path))
        DispatchQueue.concurrentPerform(iterations: 3) { number in
            for _ in 0..<3 {
                if number == 0 {
                    for _ in 0..<2000 {
                        #expect(FileManager.default.fileExists(atPath: path))
                        usleep(100)
                    }
                } else {
                    #expect(throws: Never.self) { try Scanmill.run(["report", "out"], in: folder.path).require(0) }
                }
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(pictures)") == ["0.jpg"])
        let page = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        #expect(!page.contains("could not be written"))
    }

    @Test func abbreviationsStayAsTheyAre() throws {
        try makeNight(8)
        for name in try results()[..<4] { try warn("PNG truncated", name) }
        #expect(try report()["stands-out"]?.string == "One cause stands out: PNG truncated, in all four.")
    }

    /// Changes what one capture's receipt says.
    private func changeFirstReceipt(_ part: Regex<Substring>, to text: String) throws {
        let name = try #require(try results().first)
        let path = "out/\(name)/receipt.json"
        let receipt = String(decoding: try folder.bytes(path), as: UTF8.self)
        let changed = receipt.replacing(part, with: text)
        try #require(changed != receipt)
        try folder.write(changed, to: path)
    }

    /// Sorted.
    private func results() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out").filter { $0 != ".scanmill" }.sorted()
    }

    /// Puts a warning into a receipt that has none.
    private func warn(_ text: String, _ name: String) throws {
        let path = "out/\(name)/receipt.json"
        let receipt = String(decoding: try folder.bytes(path), as: UTF8.self)
        let warned = receipt.replacingOccurrences(of: "\"warnings\": []", with: "\"warnings\": [\"\(text)\"]")
        try #require(warned != receipt)
        try folder.write(warned, to: path)
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
        let html = String(
            decoding: try folder.bytes("out/.scanmill/runs/20261120T214000Z-night/report.html"), as: UTF8.self)
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
        let stages = "read, decompress, unproject, voxel-downsample, {cull-by-box: {box: cloud}}, report-coverage"
        #expect(try folder.run(stages, ["in", "-o", "out"]).status == 0)
        let headlines = [
            "The capture has a result that needs a look.", "Both captures have results that need a look.",
            "All 3 captures have results that need a look.",
        ]
        #expect(try report()["verdict"]?.string == headlines[count - 1])
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        #expect(!html.contains("the worst of ") && html.contains(">one of ") == (count > 1))
        #expect(html.contains("Not measured: path and speed (add <code>measure-motion</code>), sharpness ("))
    }

    /// A stage's name stays as it is, and how fast captures fail is no speed.
    @Test func nothingButAFailure() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/colmap").path
        #expect(try folder.run("read, decompress, measure-depth", [sample, "-o", "out"]).status == 1)
        let json = try report()
        #expect(json["verdict"]?.string == "The capture is not ready.")
        let title = json["findings"]?.array?.first?["title"]?.string
        #expect(title == "decompress needs recorded-depth, and this capture has none")
        #expect(json["summary"]?["seconds"] != nil && json["summary"]?["captures-per-minute"] == nil)
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        #expect(!html.contains("captures a minute") && !html.contains("Decompress needs"))
    }

    /// As the run's own warning has it: a capture that an option mends need not be recorded again.
    @Test func geometryThatAnOptionMends() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/desk").path
        let run = try folder.run("read, {decompress: {scale: 0.2}}, check-geometry", [sample, "-o", "out"])
        #expect(run.status == 0, "\(run.errors)")
        let finding = try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == "geometry" })
        let fix = try #require(finding["captures"]?.array?.first?["fix"]?.string)
        #expect(fix.hasPrefix("if depth is wrong, multiply it with  --set decompress.scale="), "\(fix)")
        #expect(fix.hasSuffix(", and otherwise the positions with  --set read.scale=0.2"), "\(fix)")
        // An option is not followed by a full stop.
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
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
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        #expect(
            html.contains(" captures: write-staging: MultiScan&#39;s server takes pictures from an mp4 only; <code>"))
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
            let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
            return String(html.firstMatch(of: #/ ran in this run; ([^<]*)</#)?.1 ?? "")
        }
        #expect(try run("in/a", "in/b").contains("2 captures: 2 done"))
        #expect(try others() == "")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/inputs")
        #expect(try run("in").contains("4 captures: 1 done, 2 up to date, 1 failed"))
        let summary = try #require(try report()["summary"])
        #expect(summary["ran"]?.integer == 2 && summary["captures"]?.integer == 4)
        #expect(try others() == "the others are as earlier runs left them.")
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        #expect(html.contains("--only=-dash --retry"))

        try FileManager.default.removeItem(atPath: "\(folder.path)/out")
        var mini = MiniCapture()
        mini.id = "more/b"
        try mini.write(in: folder)
        #expect(try run("in/a", "in/b", "more/b").contains("2 captures: 1 done, 1 failed"))
        let twins = try #require(try report()["summary"])
        #expect(twins["captures"]?.integer == 2 && twins["ready"]?.integer == 1 && twins["failed"]?.integer == 1)
        // How captures are called is not mended by running them again.
        #expect(!String(decoding: try folder.bytes(try newestPage()), as: UTF8.self).contains("--only b"))
        #expect(try others() == "the others did not.")
    }

    /// What most captures have is the batch's own way, unless it makes them useless.
    @Test func aGoalThatAllCapturesMissIsMissed() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/polycam").path
        try FileManager.default.createDirectory(at: folder.url("in"), withIntermediateDirectories: true)
        for name in 1...8 { #expect(symlink(sample, folder.url("in/\(name)").path) == 0) }
        // From one side, round a box that is all of the room.
        let stages = "read, decompress, unproject, voxel-downsample, {cull-by-box: {box: cloud}}, report-coverage"
        let run = try folder.run(stages, ["in", "-o", "out"])
        #expect(run.output.contains("8 captures: 8 done"), "\(run)")
        let summary = try #require(try report()["summary"])
        #expect(summary["ready"]?.integer == 0 && summary["look"]?.integer == 8, "\(summary)")
    }

    // MARK: - Earlier runs

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

    @Test func withoutEarlierRunsThereAreNoTrends() throws {
        try makeNight(10)
        let json = try report()
        #expect(json["earlier-runs"]?.integer == 0)
        #expect(json["trends"]?.array?.allSatisfy { $0["usual"] == nil } == true)
        let page = String(
            decoding: try folder.bytes("out/.scanmill/runs/20261120T214000Z-night/report.html"), as: UTF8.self)
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
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
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
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
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
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        #expect(html.contains("depth (the capture has no depth)"))
        #expect(html.contains("sharpness (add <code>measure-blur</code>)"))
    }

    /// A run that was killed says nothing itself: its plan does. While captures are being run it may be alive.
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
            let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
            #expect(html.contains(">no pictures<") && !html.contains("location is not known"))
        }
        try expect(
            "was cut short: it was killed, or the machine went down",
            [nil, "the run was cut short", "the run was cut short"])
        let work = folder.url("out/.scanmill/work/b.host.1.x")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        try withExtendedLifetime(try CaptureLock("b", in: StateFolder(output: "\(folder.path)/out"))) { lock in
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
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        #expect(html.contains("</b> unreadable</span>.") && !html.contains("not run yet"))
        #expect(html.contains("<p>Cannot tell whether a result stands here: Permission denied.</p>"))
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
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        #expect(html.contains("<p>It has no result: the result that was made is gone.</p>"))
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
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        let command = "run quick.yaml in/a -o out --only a --retry --force"
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
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        // Nothing leads to where they were.
        #expect(!html.contains("scanmill inspect"))
        let loss = "The capture is no longer at <code>in/a</code>: without it the result cannot be made again."
        #expect(html.contains("<dt>Capture</dt><dd>\(loss)</dd>") && !html.contains("<code>in/b</code>"))
        #expect(!html.contains("from an earlier run"))
    }

    @Test func lengthsWithoutTimesAreOfTheCapturesUnitToo() throws {
        try folder.write("name: cm\nstages: [read, measure-motion, write-colmap]\n", to: "cm.yaml")
        let colmap = SharedData.checkout.appendingPathComponent("samples/colmap").path
        _ = try Scanmill.run(["run", "cm.yaml", colmap, "-o", "out"], in: folder.path)
        let html = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
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

    // MARK: - After a run

    private func run(_ more: [String] = []) throws -> CommandResult {
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        return try Scanmill.run(["run", "quick.yaml", QuickRun.sample, "-o", "out"] + more, in: folder.path)
    }

    @Test func aRunLeavesAReportWithPictures() throws {
        let result = try run()
        #expect(result.output.hasSuffix("\nthe report is out/.scanmill/report.html\n"), "\(result.output)")
        let page = try newestPage()
        let json = try StateJSON.read("\(folder.path)/\(page.replacingOccurrences(of: ".html", with: ".json"))")
        let capture = try #require(json["captures"]?.array?.first)
        #expect(capture["frames"]?["kept"]?.integer == 3)
        #expect(capture["frames"]?["dropped-by"]?["select-every"]?.integer == 57)
        #expect(try #require(capture["run"]?["seconds"]?.double) > 0)
        #expect(try #require(capture["run"]?["peak-bytes"]?.integer) > 1_000_000)
        let stages = try #require(capture["run"]?["stages"]?.object)
        #expect(
            stages.keys == [
                "read", "select-every", "decompress", "unproject", "voxel-downsample", "write-ply", "digests",
                "publish",
            ])
        // No more than eight pictures were taken, each 192 pixels wide, and the wall shows one of them.
        let strip = try folder.bytes("\(page.dropLast("report.html".count))pictures/0.jpg")
        let width = try #require(Self.jpegWidth(strip))
        #expect(width % 192 == 0 && (1...8).contains(width / 192))
        #expect(try folder.bytes("\(page.dropLast("report.html".count))wall-1.jpg").count > 1000)
        // The receipt knows nothing of time.
        let receipt = String(decoding: try folder.bytes("out/desk/receipt.json"), as: UTF8.self)
        #expect(!receipt.contains("seconds"))

        // A rerun has nothing to do: no report, no record.
        let runs = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/runs")
        #expect(try run().output == "1 capture: 1 up to date; results are in out\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/runs") == runs)
    }

    /// Runs stages that make a mesh of the sample.
    /// - Returns: the report's page, its figures of the mesh, and what a stage counted.
    private func shownMesh(
        _ stages: String, countedBy stage: String
    ) throws -> (page: String, figures: JSONValue, counts: JSONValue) {
        try folder.write(
            "name: mesh\nstages:\n- read\n- select-every: {count: 6}\n- decompress\n\(stages)\n", to: "mesh.yaml")
        _ = try Scanmill.run(["run", "mesh.yaml", QuickRun.sample, "-o", "out"], in: folder.path)
        let page = try newestPage()
        let receipt = try StateJSON.read("\(folder.path)/out/desk/receipt.json")
        let counts = receipt["stages"]?.array?.first { $0["name"]?.string == stage }?["counts"]
        let json = try StateJSON.read("\(folder.path)/\(page.replacingOccurrences(of: ".html", with: ".json"))")
        return (page, try #require(json["captures"]?.array?.first?["mesh"]), try #require(counts))
    }

    /// What is shown is what was written.
    @Test func ofACutMeshTheRestIsShown() throws {
        let (_, mesh, counts) = try shownMesh(
            """
            - fuse-depth: {voxel: 0.03}
            - cull-by-box: {margin: 0.02}
            - write-mesh
            - crop: {below: -0.5, from: origin}
            - sample-mesh
            - write-ply
            """, countedBy: "cull-by-box")
        for figure in ["vertices", "triangles", "area"] {
            let left = try #require(counts["\(figure)-out"]?.double)
            #expect(left > 0 && mesh[figure]?.double == left, "\(figure)")
        }
    }

    @Test func aMeshIsShownWithItsFiles() throws {
        let (page, mesh, counts) = try shownMesh(
            """
            - fuse-depth: {voxel: 0.2, min-piece: 0}
            - write-mesh: {file: coarse.ply}
            - fuse-depth: {voxel: 0.05}
            - write-mesh
            - write-mesh: {file: "meshes/{id}.glb"}
            """, countedBy: "fuse-depth[2]")
        for figure in ["vertices", "triangles", "area", "small-pieces"] {
            #expect(mesh[figure]?.double == counts[figure]?.double ?? 0, "\(figure)")
        }
        #expect(mesh["files"]?.array == [.string("desk_mesh.ply"), .string("meshes/desk.glb")])
        let html = String(decoding: try folder.bytes(page), as: UTF8.self)
        let row = try #require(html.firstMatch(of: #/<dt>Mesh</dt><dd>(.*?)</dd>/#)).1
        let triangles = try #require(mesh["triangles"]?.integer)
        #expect(row.contains("value=\"\(triangles).0\" data-of=\"/captures/0/mesh/triangles\">"))
        let links = row.matches(of: #/href="([^"]*)"/#).map { String($0.1) }
        #expect(links.map { $0.replacing("../../../", with: "") } == ["desk/desk_mesh.ply", "desk/meshes/desk.glb"])
        for link in links {
            let file = "\(folder.path)/\(page.dropLast("report.html".count))\(link)"
            #expect(FileManager.default.fileExists(atPath: file), "\(link)")
        }
        // A result keeps its files' names when its folder gets another.
        try FileManager.default.moveItem(atPath: "\(folder.path)/out/desk", toPath: "\(folder.path)/out/kitchen")
        _ = try report()
        let renamed = String(decoding: try folder.bytes(try newestPage()), as: UTF8.self)
        #expect(renamed.contains("href=\"../../../kitchen/desk_mesh.ply\""))
    }

    /// The mesh rather than the cloud, small, with a link to the picture in the result.
    @Test func whatWasDrawnIsShown() throws {
        let (page, _, counts) = try shownMesh(
            """
            - fuse-depth: {voxel: 0.1}
            - sample-mesh: {spacing: 0.05}
            - render-cloud
            - render-mesh
            """, countedBy: "render-mesh")
        let shown = try report()["captures"]?.array?.first?["drawing"]
        #expect(shown?["file"]?.string == "desk_mesh.png")
        #expect(shown?["triangles"]?.integer == counts["triangles"]?.integer && shown?["points"] == nil)
        let pages = "\(folder.path)/\(page.dropLast("report.html".count))"
        func figure() throws -> (link: String, picture: String)? {
            let html = String(decoding: try folder.bytes(page), as: UTF8.self)
            return html.firstMatch(
                of: #/<figure class="drawn"><a href="([^"]*)"><img .*?<figcaption>.*?<a href="([^"]*)"/#
            )
            .map { (String($0.2), String($0.1)) }
        }
        let first = try #require(try figure())
        #expect(first.link == "../../../desk/desk_mesh.png")
        let picture = "\(page.dropLast("report.html".count))\(first.picture)"
        #expect(Self.jpegWidth(try folder.bytes(picture)) == 1200)
        // It is made once; without the picture nothing is shown, and nothing stays behind.
        try FileManager.default.removeItem(atPath: "\(pages)\(first.link)")
        _ = try report()
        #expect(try figure()?.picture == first.picture)
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/drawings")
        _ = try report()
        #expect(try figure() == nil)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/\(picture)"))
    }

    @Test func aCloudThatWasDrawnIsShownToo() throws {
        try folder.write(
            "name: cloud\nstages:\n- read\n- select-every: {count: 6}\n- decompress\n- unproject\n- voxel-downsample\n"
                + "- render-cloud: {cloud: false, view: front}\n- render-cloud: {view: front, width: 320, height: 240}\n",
            to: "cloud.yaml")
        _ = try Scanmill.run(["run", "cloud.yaml", QuickRun.sample, "-o", "out"], in: folder.path)
        let shown = try report()["captures"]?.array?.first?["drawing"]
        #expect(shown?["file"]?.string == "desk_cloud_front.png" && (shown?["points"]?.integer ?? 0) > 1000)
        let page = try newestPage()
        #expect(
            Self.jpegWidth(try folder.bytes("\(page.dropLast("report.html".count))pictures/0-drawing.jpg")) == 320)
    }

    /// What has no pictures of its own is known by what was drawn of it.
    @Test func theWallShowsDrawingsOfCapturesWithoutPictures() throws {
        try folder.write(
            """
            ply
            format ascii 1.0
            element vertex 3
            property float x
            property float y
            property float z
            end_header
            0 0 0
            1 0 0
            0 1 0

            """, to: "in/a.ply")
        let stages = "{read: {format: ply}}, voxel-downsample, {render-cloud: {view: front, width: 320, height: 240}}"
        #expect(try folder.run(stages, ["in/a.ply", "-o", "out"]).status == 0)
        let page = try newestPage()
        let html = String(decoding: try folder.bytes(page), as: UTF8.self)
        #expect(html.contains("<span class=\"p\" style=\"background-image:url(wall-1.jpg)"))
        #expect(html.contains("<p class=\"lack\">The capture has no pictures.</p>"))
        #expect(!html.contains("class=\"nopictures\"") && !html.contains("class=\"p none\""))
        let wall = try folder.bytes("\(page.dropLast("report.html".count))wall-1.jpg")
        #expect(Self.jpegWidth(wall) == 16 * 192)
        // Without it, only the reason is left.
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/drawings")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/a_cloud_front.png")
        _ = try report()
        #expect(String(decoding: try folder.bytes(page), as: UTF8.self).contains("class=\"p none\""))
    }

    @Test func ofFourPicturesAllAreShown() throws {
        var mini = MiniCapture()
        mini.frameCount = 4
        try mini.write(in: folder)
        #expect(try folder.run("read, decompress").status == 0)
        let strip = try StateJSON.read("\(folder.path)/out/.scanmill/thumbnails/mini.json")
        let frames = strip["cells"]?.array?.compactMap { $0["frame"]?.integer }
        #expect(frames == [0, 1, 2, 3], "\(strip)")
    }

    /// From a frame header of a JPEG.
    private static func jpegWidth(_ bytes: [UInt8]) -> Int? {
        var at = 2
        while at + 8 < bytes.count, bytes[at] == 0xff {
            if (0xc0...0xc2).contains(bytes[at + 1]) { return Int(bytes[at + 7]) << 8 | Int(bytes[at + 8]) }
            at += 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
        }
        return nil
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

    /// The pictures of a result that has not changed are kept, even when the capture itself has gone.
    @Test func picturesAreTakenOnce() throws {
        try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: "\(folder.path)/desk")
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        _ = try Scanmill.run(["run", "quick.yaml", "desk", "-o", "out"], in: folder.path)
        let page = try newestPage()
        try FileManager.default.removeItem(atPath: "\(folder.path)/desk")
        _ = try report()
        #expect(String(decoding: try folder.bytes(page), as: UTF8.self).contains("url(pictures/0.jpg)"))
        // Without what was kept there is a reason in their place.
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/thumbnails")
        _ = try report()
        let html = String(decoding: try folder.bytes(page), as: UTF8.self)
        #expect(!html.contains("url(pictures/0.jpg)"))
        #expect(html.contains("there is nothing at this path"))
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
        #expect(before.contains(" -o out --only cut "))
        try FileManager.default.moveItem(atPath: "\(folder.path)/out", toPath: "\(folder.path)/moved")
        let moved = try page("moved", in: folder.path)
        #expect(moved.contains(" -o \(folder.path)/moved --only cut "))
        #expect(moved.contains("results in <code>\(folder.path)/moved</code>"))
        // Another folder that has the name by now is another one.
        try FileManager.default.createDirectory(atPath: "\(folder.path)/out", withIntermediateDirectories: false)
        #expect(try page("moved", in: folder.path).contains(" -o \(folder.path)/moved --only cut "))
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
}
