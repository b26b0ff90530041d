import Foundation
import ScanModel
import TestSupport
import Testing

/// The pages as a browser shows them, of a night that `Tests/ReportPage/night.py` makes without running a capture.
@Suite struct ReportPageTests {
    static let scripts = SharedData.checkout.appendingPathComponent("Tests/ReportPage")

    /// A night's folder with its report.
    private struct Night {
        let folder: TemporaryFolder
        let page: String
        var json: JSONValue { get throws { try StateJSON.read(page.replacingOccurrences(of: ".html", with: ".json")) } }
    }

    private static func night(_ count: Int, _ more: [String] = []) throws -> Night {
        let folder = try TemporaryFolder()
        let made = try runCommand(
            ["python3", scripts.appendingPathComponent("night.py").path, "\(folder.path)/out", "\(count)"] + more)
        try #require(made.status == 0, "\(made.errors)")
        let report = try Scanmill.run(["report", "out"], in: folder.path)
        try #require(report.status == 0, "\(report.errors)")
        return Night(folder: folder, page: "\(folder.path)/\(report.output.dropLast())")
    }

    private static func look(_ page: String) throws -> [String: Any]? {
        let result = try runCommand(["python3", scripts.appendingPathComponent("browser.py").path, page])
        if result.status == 77 {
            print("SKIPPED: the report's pages in a browser, because \(result.output)")
            return nil
        }
        try #require(result.status == 0, "\(result.output)\n\(result.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(result.outputBytes)) as? [String: Any])
    }

    @Test func aBrowserShowsAThousandCapturesAtOnce() throws {
        let night = try Self.night(1000)
        guard let seen = try Self.look(night.page) else { return }
        #expect(seen["complaints"] as? [String] == [])
        #expect(seen["tiles"] as? Int == 1000)
        #expect(seen["cards"] as? Int == 200)
        #expect(seen["wide"] as? Bool == true, "the page scrolls sideways")
        #expect(seen["unnamed"] as? Int == 0, "a drawing says nothing to those who do not see it")
        #expect(seen["broken-links"] as? Int == 0)
        let summary = try #require(try night.json["summary"])
        let shown = try #require(seen["shown"] as? [String: Int])
        for (name, key) in [("all", "captures"), ("ready", "ready"), ("look", "look"), ("failed", "failed")] {
            #expect(shown[name].map(Int64.init) == summary[key]?.integer, "\(name)")
        }
        #expect((seen["sorted"] as? [String: Bool])?.filter { !$0.value }.keys.sorted() == [])
        let kitchens = try #require(try night.json["captures"]?.array).count {
            $0["id"]?.string?.contains("kitchen") == true
        }
        #expect((seen["found"] as? [Any])?.first as? Int == kitchens)
        // Usable within two seconds, also on a machine that is busy with other tests.
        if !Sanitizer.isOn { #expect(try #require(seen["seconds"] as? Double) < 2) }
    }

    @Test func hostileNamesAreNames() throws {
        let night = try Self.night(60, ["--hostile"])
        let html = try String(contentsOfFile: night.page, encoding: .utf8)
        #expect(html.contains("&lt;script&gt;alert(1)&lt;%2fscript&gt;&quot;&amp;&#39; 11"))
        #expect(html.contains("&quot;&gt;&lt;img src=x onerror=alert(2)&gt;&#39;&amp;amp;"))
        #expect(!html.contains("<script>alert") && !html.contains("<img"))
        #expect(html.components(separatedBy: "<script").count == 2, "there is a script that is not the page's own")
        guard let seen = try Self.look(night.page) else { return }
        #expect(seen["complaints"] as? [String] == [])
        #expect(seen["scripts"] as? Int == 1)
        #expect(seen["foreign"] as? Int == 0)
        #expect((seen["names"] as? [String])?.contains("\"><img src=x onerror=alert(2)>'&amp;") == true)
    }

    /// A piece that was escaped as if it were a name shows as code.
    @Test func noMarkupIsShownAsText() throws {
        let night = try Self.night(60, ["--earlier", "5"])
        let html = try String(contentsOfFile: night.page, encoding: .utf8)
        #expect(!html.contains("&lt;") && !html.contains("&amp;lt;"))
    }

    /// Every number names its place in `report.json`, and is what stands there.
    @Test(arguments: [60, 230]) func everyNumberIsInTheJSON(_ count: Int) throws {
        let night = try Self.night(count, ["--earlier", "5"])
        let json = try night.json
        let folder = URL(fileURLWithPath: night.page).deletingLastPathComponent()
        var pages = [night.page]
        if count > 200 {
            pages += ["captures-001.html", "captures-002.html"].map { folder.appendingPathComponent($0).path }
        }
        var compared = 0
        var missed: Set = [
            "turning-deg-per-s/median", "too-slow", "predicted-blur-pixels/median", "blur-correlation", "mesh/vertices",
            "mesh/triangles", "mesh/area", "mesh/small-pieces",
        ]
        for page in pages {
            let html = try String(contentsOfFile: page, encoding: .utf8)
            for match in html.matches(of: #/value="([^"]*)" data-of="([^"]*)">([^<]*)</#) {
                let (value, pointer, words) = (String(match.1), String(match.2), String(match.3))
                let stored = try #require(Self.value(at: pointer, in: json)?.double, "\(pointer) is not in the JSON")
                #expect(Double(value) == stored, "\(pointer)")
                missed = missed.filter { !pointer.hasSuffix("/\($0)") }
                // Whole numbers are shown with all their digits.
                if let shown = Int(words.replacing("\u{202F}", with: "")), stored == stored.rounded(),
                    !pointer.contains("sharpness/")
                {
                    #expect(Double(shown) == stored, "\(pointer) is shown as \(words)")
                }
                compared += 1
            }
        }
        #expect(compared > 20 * count)
        #expect(missed.isEmpty, "\(missed) of captures are on no page")
        let frames = try #require(json["captures"]?.array).compactMap { $0["frames"] }
        #expect(frames.count > count * 9 / 10)
        for account in frames {
            let dropped = try #require(account["dropped-by"]?.object).members.reduce(0) { $0 + ($1.value.integer ?? 0) }
            #expect(account["source"]?.integer == (account["kept"]?.integer ?? 0) + dropped)
        }
    }

    private static func value(at pointer: String, in json: JSONValue) -> JSONValue? {
        pointer.split(separator: "/").reduce(json as JSONValue?) { value, key in
            if let index = Int(key), let array = value?.array {
                return array.indices.contains(index) ? array[index] : nil
            }
            return value?[String(key)]
        }
    }

    /// Of a large batch, ready captures are one drawing, and the others keep their links.
    @Test func marksOfManyCaptures() throws {
        let night = try Self.night(3)
        let outcome = "out/.scanmill/runs/20261120T214000Z-night/outcome.json"
        let text = String(decoding: try night.folder.bytes(outcome), as: UTF8.self)
        let left = (0..<2000).map { #"{"id": "w\#($0)", "input": "captures/w\#($0)", "ended": "left"}, "# }.joined()
        let more = text.replacing(#""captures": ["#, with: #""captures": ["# + left)
        try #require(more != text)
        try night.folder.write(more, to: outcome)
        try Scanmill.run(["report", "out"], in: night.folder.path).require(0)
        let html = try String(contentsOfFile: night.page, encoding: .utf8)
        #expect(html.contains("</b> not run yet</a>."))
        let strip = try #require(html.firstMatch(of: #/<svg class="strip".*?</svg>/#.dotMatchesNewlines())).0
        #expect(strip.matches(of: #/<a /#).count == 2000 && strip.matches(of: #/class="waiting"/#).count == 2000)
        let drawings = strip.matches(of: #/<path class="ready" d="([^"]*)"/>/#)
        #expect(drawings.count == 1 && strip.matches(of: #/class="ready"/#).count == 1)
        // Three rectangles, 8 to the right of each other.
        let drawing = drawings.first.map { String($0.1) } ?? ""
        let marks = drawing.matches(of: #/M([0-9.]+) ([0-9.]+)h5\.5v8h-5\.5z/#)
        let places = marks.compactMap { Double($0.1) }
        #expect(places.count == 3 && drawing.filter { $0 == "M" }.count == 3, "\(drawing)")
        #expect(zip(places, places.dropFirst()).allSatisfy { $1 - $0 == 8 }, "\(drawing)")
    }

    /// A small batch's cards stand on the main page, a large one's on pages of their own, which have nothing to load.
    @Test func theDoorwayLeadsToTheNewestReport() throws {
        let night = try Self.night(3)
        let doorway = try String(contentsOfFile: "\(night.folder.path)/out/.scanmill/report.html", encoding: .utf8)
        #expect(doorway.contains("url=runs/20261120T214000Z-night/report.html"))
        let html = try String(contentsOfFile: night.page, encoding: .utf8)
        #expect(html.contains("id=\"c0\"") && html.contains("href=\"#c0\""))
        #expect(!html.contains("http://") && !html.contains("https://"))
    }
}

enum StateJSON {
    static func read(_ path: String) throws -> JSONValue {
        try JSONValue.parse([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))), file: path)
    }
}
