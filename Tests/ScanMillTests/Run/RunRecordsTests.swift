import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// What a run leaves for programs: JSON, the log and the figures, key by key as the page Records lists them.
@Suite struct RunRecordsTests {
    private let folder: TemporaryFolder
    private static let stages =
        "{read: {bad-frame-limit: 0.5}}, {select-every: {step: 2}}, measure-blur, decompress, write-frames"

    init() throws {
        folder = try TemporaryFolder()
        try MiniCapture(id: "sound").write(in: folder)
        var damaged = MiniCapture()
        damaged.id = "damaged"
        damaged.damagedPictures = [2]
        try damaged.write(in: folder)
        try MiniCapture(id: "broken").write(in: folder)
        try folder.write("{", to: "broken/recorded.json")
    }

    private func run(_ arguments: [String]) throws -> CommandResult {
        try folder.run(Self.stages, arguments + ["-o", "out"])
    }

    private func json(_ text: some Sequence<UInt8>) throws -> JSONValue {
        try JSONValue.parse(Array(text), file: "stdout")
    }

    private func object(_ texts: KeyValuePairs<String, String>) -> JSONValue {
        var object = JSONObject()
        for (key, text) in texts { object[key] = .string(text) }
        return .object(object)
    }

    private func captures(_ json: JSONValue) -> [String: JSONValue] {
        Dictionary((json["captures"]?.array ?? []).map { ($0["id"]?.string ?? "", $0) }) { first, _ in first }
    }

    /// Files of a result without its receipt, and their bytes.
    private func written(_ id: String) throws -> (files: Int, bytes: Int) {
        let sizes = try runCommand(
            ["find", "out/\(id)", "-type", "f", "!", "-name", "receipt.json", "-printf", "%s\n"], in: folder.path
        ).output.split(separator: "\n").compactMap { Int($0) }
        return (sizes.count, sizes.reduce(0, +))
    }

    /// As `check` has them, which a night's script may never call.
    @Test func whatIsOddAboutThePipeline() throws {
        try folder.write("stages: [read, decompress]\n", to: "odd.yaml")
        let odd = "`decompress` works on "
        for command in ["plan", "run"] {
            let result = try Scanmill.run([command, "odd.yaml", "sound", "-o", "odd", "--json"], in: folder.path)
            #expect(result.status == 0 && result.errors.contains("warning: \(odd)"), "\(result)")
            let warnings = try json(result.output.utf8)["pipeline-warnings"]?.array ?? []
            let messages = warnings.compactMap { $0["message"]?.string }
            #expect(messages.count == 1 && messages.first?.hasPrefix(odd) == true, "\(messages)")
        }
        let quiet = try Scanmill.run(["run", "odd.yaml", "sound", "-o", "odd", "--json", "-q"], in: folder.path)
        #expect(quiet.errors == "" && quiet.output.contains("pipeline-warnings"), "\(quiet)")
    }

    @Test func eachCaptureOfARun() throws {
        let first = try run(["sound", "damaged", "broken", "--json", "--log", "log"])
        #expect(first.status == 1)
        let ended = captures(try json(first.output.utf8))
        #expect(ended.keys.sorted() == ["broken", "damaged", "sound"])
        for (id, kept, bad) in [("sound", 4, 0), ("damaged", 3, 1)] {
            let found = try #require(ended[id])
            let (files, bytes) = try written(id)
            #expect(found["input"] == .string(id))
            #expect(found["status"] == .string("done"))
            #expect(found["frames"] == .object(["source": .integer(7), "kept": .of(kept), "bad": .of(bad)]))
            #expect(found["files"] == .of(files) && found["bytes"] == .of(bytes), "\(found)")
            #expect(found["warnings"] == .array([]))
        }
        let broken = try #require(ended["broken"])
        #expect(broken["status"] == .string("failed"))
        #expect(broken["fault"] == .string("input"))
        let summary = try #require(broken["summary"]?.string)
        #expect(
            broken["message"]?.string?.hasPrefix("error: \(summary)\n  --> broken/recorded.json") == true, "\(broken)")

        // Why each was made stands in a plan's words; of one that failed, what is wrong with it counts.
        #expect(ended["sound"]?["reason"] == .string("new") && broken["reason"] == nil)

        // The log has the same of each capture.
        let events = try folder.bytes("log").split(separator: UInt8(ascii: "\n")).map(json)
        let logged = events.filter { $0["event"]?.string == "ended" }
        #expect(logged.count == 3)
        for event in logged {
            guard case .object(var object) = event else { throw CocoaError(.coderReadCorrupt) }
            (object["event"], object["time"], object["run"]) = (nil, nil, nil)
            #expect(.object(object) == ended[event["id"]?.string ?? ""])
        }

        let second = captures(try json(try run(["sound", "broken", "--json"]).output.utf8))
        #expect(second["sound"] == object(["id": "sound", "input": "sound", "status": "up to date"]))
        #expect(second["broken"]?["status"] == .string("failed before"))
        #expect(second["broken"]?["summary"] == broken["summary"] && second["broken"]?["fault"] == .string("input"))
    }

    /// What people see, programs are told: where a problem names no file, the capture is the place.
    @Test func theMessageSaysWhere() throws {
        let polycam = SharedData.checkout.appendingPathComponent("samples/polycam").path
        let stages = "read, decompress, unproject, cull-by-box, write-ply"
        let failed = try folder.run(stages, [polycam, "-o", "boxless", "--json", "--log", "log"])
        #expect(failed.status == 1)
        let message = try #require(captures(try json(failed.output.utf8))["polycam"]?["message"]?.string)
        #expect(message.contains("\n  --> \(polycam), stage cull-by-box\n"), "\(message)")
        #expect(failed.errors.hasPrefix("\(message)\n"), "\(failed.errors)")
        let events = try folder.bytes("log").split(separator: UInt8(ascii: "\n")).map(json)
        #expect(events.contains { $0["message"]?.string == message })
        let note = try json(try folder.bytes("boxless/.scanmill/failures/polycam.json"))
        #expect(note["message"]?.string == message)
        #expect(note["file"] == nil && note["stage"]?.string == "cull-by-box")
    }

    /// The words are a plan's, though a run reads no receipt to find out what is to be done.
    @Test func whyACaptureIsMadeAgain() throws {
        #expect(try run(["sound"]).status == 0)
        let changed = ["trouble.yaml", "sound", "-o", "out", "--set", "select-every.step=3", "--json"]
        let planned = captures(try json(try Scanmill.run(["plan"] + changed, in: folder.path).output.utf8))["sound"]
        #expect(planned?["reason"] == .string("select-every.step changed from 2 to 3"))
        let again = try Scanmill.run(["run"] + changed + ["--log", "log"], in: folder.path)
        #expect(captures(try json(again.output.utf8))["sound"]?["reason"] == planned?["reason"], "\(again)")
        let events = try folder.bytes("log").split(separator: UInt8(ascii: "\n")).map(json)
        #expect(events.first { $0["event"]?.string == "began" }?["reason"] == planned?["reason"])
        let pages = try runCommand(["sh", "-c", "cat out/.scanmill/runs/*/report.html"], in: folder.path).output
        #expect(pages.contains("<dt>Why it ran</dt><dd>select-every.step changed from 2 to 3</dd>"))
        let show = "cat \"$(dirname $('\(Scanmill.path)' report out))/report.json\""
        let report = try runCommand(["sh", "-c", show], in: folder.path)
        let reported = captures(try json(report.output.utf8))["sound"]
        #expect(reported?["run"]?["reason"] == planned?["reason"], "\(reported ?? .null)")
    }

    @Test func aCaptureThatIsNotBegunHasItsReason() throws {
        let left = captures(try json(try run(["sound", "--json", "--min-free", "900TiB"]).output.utf8))["sound"]
        #expect(left?["status"] == .string("left"))
        #expect(left?["reason"]?.string?.hasPrefix("only ") == true, "\(left ?? .null)")
    }

    @Test func whatIsPlanned() throws {
        func plan() throws -> JSONValue {
            let arguments = ["plan", "trouble.yaml", "sound", "damaged", "broken", "-o", "out", "--json"]
            return try json(try Scanmill.run(arguments, in: folder.path).output.utf8)
        }
        try folder.write("name: trouble\nstages: [\(Self.stages)]\n", to: "trouble.yaml")
        let before = try plan()
        #expect(before["output-bytes"] == .null)
        #expect(before["peak-memory-bytes"] == .integer(200_000_000))
        #expect((before["free-bytes"]?.integer ?? 0) > 0)
        for (id, capture) in captures(before) {
            #expect(capture["input"] == .string(id))
            #expect(capture["decision"] == .string(id == "broken" ? "cannot run" : "run"))
            #expect(capture["reason"]?.string?.isEmpty == false)
        }
        // What has stood still for two seconds is known without a look at its bytes.
        _ = try runCommand(["sh", "-c", "find sound -exec touch -d '1 hour ago' {} + && sleep 2.5"], in: folder.path)
        #expect(try run(["sound", "broken"]).status == 1)
        let after = try plan()
        // Of the one that would run, as much as the other became.
        let (_, bytes) = try written("sound")
        let guessed = try #require(after["output-bytes"]?.integer)
        #expect(abs(guessed - Int64(bytes)) < Int64(bytes) / 10)
        let found = captures(after)
        #expect(found["sound"] == object(["id": "sound", "input": "sound", "decision": "up to date"]))
        #expect(found["damaged"]?["decision"] == .string("run"))
        #expect(found["broken"]?["decision"] == .string("failed before"))
        #expect(found["broken"]?["fault"] == .string("input"))
        #expect(found["broken"]?["reason"]?.string?.isEmpty == false)
        // What is only compared is most likely up to date, and takes no room.
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/inputs")
        let unsure = try plan()
        #expect(captures(unsure)["sound"]?["decision"] == .string("compare"))
        #expect(unsure["output-bytes"] == after["output-bytes"])
    }

    /// Results that take the place of older ones need room only for those that are made at once.
    @Test func whatIsPlannedInPlaceOfOlderResults() throws {
        #expect(try run(["sound"]).status == 0)
        let names = (0..<2 * ProcessInfo.processInfo.activeProcessorCount).map { "sound\($0)" }
        for name in names {
            for place in ["", "out/"] {
                try FileManager.default.copyItem(
                    atPath: "\(folder.path)/\(place)sound", toPath: "\(folder.path)/\(place)\(name)")
            }
        }
        let arguments = ["plan", "trouble.yaml"] + names + ["-o", "out", "--force"]
        let rerun = try json(try Scanmill.run(arguments + ["--json"], in: folder.path).output.utf8)
        let output = try #require(rerun["output-bytes"]?.integer)
        #expect(output > 0 && rerun["replaced-bytes"]?.integer == output)
        let needed = try #require(rerun["needed-bytes"]?.integer)
        let excess = abs(20 * needed - 11 * output)
        #expect(excess <= 20)
        let text = try Scanmill.run(arguments, in: folder.path).output
        #expect(text.contains(" would be written in place of older results, so keep "), "\(text)")
        let more = try Scanmill.run(arguments + ["damaged"], in: folder.path).output
        #expect(more.contains(" of it in place of older results, so keep "), "\(more)")
    }

    /// Whoever tells a capture's owner that it failed needs the device.
    @Test func failuresNameTheDevice() throws {
        #expect(try run(["sound"]).status == 0)
        let capture = try json(try folder.bytes("out/sound/receipt.json"))["capture"]
        let stages = "read, {select-frames: {include: [900]}}, decompress, write-frames"
        #expect(try folder.run(stages, ["sound", "broken", "-o", "none"]).status == 1)
        let note = try json(try folder.bytes("none/.scanmill/failures/sound.json"))
        let report = try runCommand(["sh", "-c", "cat none/.scanmill/runs/*/report.json"], in: folder.path)
        let reported = captures(try json(report.output.utf8))
        let sound = try #require(reported["sound"])
        for key in ["format", "device"] {
            let value = try #require(capture?[key]?.string)
            #expect(note[key]?.string == value && sound[key]?.string == value)
        }
        // It cannot be read, so that nobody knows.
        #expect(reported["broken"]?["status"] == .string("failed") && reported["broken"]?["device"] == nil)
    }

    /// The figures are those of the page, and each has its own value.
    @Test func figuresOfARun() throws {
        let began = Date().timeIntervalSince1970
        #expect(try run(["sound", "damaged", "broken", "--metrics", "figures"]).status == 1)
        let text = String(decoding: try folder.bytes("figures"), as: UTF8.self).withoutOwner
        var figures: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            figures[String(parts[0])] = Double(parts[1])
        }
        let page = try String(
            contentsOf: SharedData.checkout.appendingPathComponent("Sources/ScanStages/ScanStages.docc/Records.md"),
            encoding: .utf8)
        let promised = page.split(separator: "\n").compactMap { line in
            line.hasPrefix("| `scanmill_") ? line.split(separator: "`")[1] : nil
        }
        #expect(
            Set(figures.keys.map { $0.prefix { $0 != "{" } }) == Set(promised.map { $0.prefix { $0 != "{" } })
                && promised.count == 10)
        #expect(figures["scanmill_captures{ended=\"done\"}"] == 2)
        #expect(figures["scanmill_captures{ended=\"failed\"}"] == 1)
        #expect(figures["scanmill_captures{ended=\"left\"}"] == 0)
        #expect(figures["scanmill_frames_source"] == 14)
        #expect(figures["scanmill_frames_kept"] == 7)
        #expect(figures["scanmill_written_bytes"] == Double(try written("sound").bytes + written("damaged").bytes))
        #expect(figures["scanmill_run_status"] == 1)
        let (seconds, end) = (figures["scanmill_run_seconds"] ?? 0, figures["scanmill_run_end_seconds"] ?? 0)
        let elapsed = Date().timeIntervalSince1970 - began
        #expect(seconds > 0 && seconds <= elapsed)
        #expect(end >= began + seconds - 1 && end <= began + elapsed + 1)
    }

    /// Prometheus' collector refuses two files of a folder with one series, and a label that is not escaped.
    @Test func figuresSayWhoseTheyAre() throws {
        // A quote with an accent behind it, and CR LF, are Characters of their own.
        let outputs = ["out", "o\"u\\t\n", "q/x\"\u{301}y", "q/x\r\nz"]
        let series = try outputs.enumerated().map { number, output -> Set<Substring> in
            let run = try folder.run("read, decompress", ["sound", "-o", output, "-q", "--metrics", "\(number).prom"])
            #expect(run.status == 0, "\(run)")
            let lines = String(decoding: try folder.bytes("\(number).prom"), as: UTF8.self).split(separator: "\n")
            return Set(lines.filter { !$0.hasPrefix("#") }.map { $0[..<($0.lastIndex(of: " ") ?? $0.endIndex)] })
        }
        #expect(series[0].isDisjoint(with: series[1]))
        let whose = [
            "pipeline=\"trouble\",output=\"\(folder.path)/out\"", #"output="\#(folder.path)/o\"u\\t\n""#,
            #"output="\#(folder.path)/q/x\"\#u{301}y""#, #"output="\#(folder.path)/q/x\#r\nz""#,
        ]
        for (series, whose) in zip(series, whose) {
            #expect(series.allSatisfy { $0.contains(whose) }, "\(series)")
        }
    }
}
