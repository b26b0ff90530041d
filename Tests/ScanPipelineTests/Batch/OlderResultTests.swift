import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// Captures of one name, of which each may be the one of the result that stands there.
@Suite struct OlderResultTests {
    /// Two nights' captures may have one name. The later one must not take the earlier one's place without a word.
    @Test func anotherCaptureOfTheSameName() throws {
        let fixture = try DiskFixture()
        try fixture.run(try fixture.capture("a"))
        try fixture.write("eins\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        let before = try Data(contentsOf: URL(fileURLWithPath: "\(fixture.output)/a/receipt.json"))
        let refused = try #require(problem { try fixture.run(tuesday) })
        #expect(refused.fault == .usage && refused.summary == "the result of another capture has this name")
        #expect(refused.notes.first == "it was made from \(fixture.path)/in/a, and its files are others")
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(fixture.output)/a/receipt.json")) == before)
        guard case .done = try fixture.run(tuesday, replaces: true) else {
            Issue.record("it was not replaced")
            return
        }
        // What was only moved is the same capture, also under another pipeline.
        try FileManager.default.moveItem(atPath: tuesday.path, toPath: "\(fixture.path)/a")
        let moved = CaptureInput(id: "a", path: "\(fixture.path)/a", pipelineFolder: fixture.path)
        #expect(try fixture.run(moved) == .upToDate)
        try FileManager.default.moveItem(atPath: moved.path, toPath: "\(fixture.path)/in/a~")
        let again = CaptureInput(id: "a", path: "\(fixture.path)/in/a~", pipelineFolder: fixture.path)
        guard case .done = try fixture.run(again, "stages: [read, write: {level: 2}]") else {
            Issue.record("a capture that was moved is taken for another")
            return
        }
    }

    /// Where no lock keeps it away, as between two machines, or where two ids are one name to the disk alone.
    @Test func anotherCapturesResultThatComesMeanwhile() throws {
        let fixture = try DiskFixture()
        let (place, aside) = ("\(fixture.output)/a", "\(fixture.path)/aside")
        try fixture.write("eins\n", to: "tuesday/a/frames.txt")
        try fixture.run(CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path))
        let results = fixture.results()
        #expect(rename(place, aside) == 0)
        let monday = try fixture.capture("a")
        let refused = problem { _ = try fixture.run(monday) { #expect(rename(aside, place) == 0) } }
        #expect(refused?.summary == "the result of another capture has this name")
        #expect(fixture.results() == results)
        // The same capture's is what this run makes, too.
        FileSystem.removeTree(place)
        try fixture.run(monday)
        let own = fixture.results()
        #expect(rename(place, aside) == 0)
        guard case .done = try fixture.run(monday, meanwhile: { #expect(rename(aside, place) == 0) }) else {
            Issue.record("not done")
            return
        }
        #expect(fixture.results() == own)
    }

    /// One of two was renamed, as the message said.
    @Test func theOtherOneWasRenamed() throws {
        let fixture = try DiskFixture()
        let monday = try fixture.capture("a")
        try fixture.run(monday)
        try fixture.write("eins\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        let refused = try #require(problem { try fixture.run(tuesday) })
        #expect(refused.fix?.hasPrefix("rename this capture, choose") == true)
        #expect(rename(monday.path, monday.path + "-monday") == 0)
        let again = try #require(problem { try fixture.run(tuesday) })
        #expect(again.notes.first == "it was made from \(monday.path), which is no longer there")
        #expect(again.fix?.hasPrefix("remove \(fixture.output)/a if that capture has another name now, ") == true)
        FileSystem.removeTree("\(fixture.output)/a")
        guard case .done = try fixture.run(tuesday) else { Issue.record("not done"); return }
    }

    /// A damaged receipt is no reason to let another capture take the place.
    @Test func anotherCaptureOfTheSameNameBesideADamagedReceipt() throws {
        let fixture = try DiskFixture()
        let monday = try fixture.capture("a")
        try fixture.run(monday)
        let receipt = URL(fileURLWithPath: "\(fixture.output)/a/receipt.json")
        try Data(try Data(contentsOf: receipt).dropLast(20)).write(to: receipt)
        try fixture.write("eins\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        #expect(problem { try fixture.run(tuesday) }?.summary == "the result of another capture has this name")
        guard case .done = try fixture.run(monday) else { Issue.record("not done"); return }
    }

    /// Nor are damaged digests in one without a seal.
    @Test func anotherCaptureOfTheSameNameBesideDamagedDigests() throws {
        let fixture = try DiskFixture()
        try fixture.run(try fixture.capture("a"))
        try FileManager.default.removeItem(atPath: "\(fixture.output)/.scanmill/inputs/a.json")
        let text = try String(contentsOfFile: "\(fixture.output)/a/receipt.json", encoding: .utf8)
        let damaged = text.withoutSeal.replacing(#/"sha256": *"[^"]*"/#, with: #""sha256": "0""#)
        try fixture.write(damaged, to: "out/a/receipt.json")
        try fixture.write("eins\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        #expect(problem { try fixture.run(tuesday) }?.summary == "the result of another capture has this name")
    }

    /// The cache is gone, or results were copied without it; or a runner was killed before it could write it.
    @Test func anotherCaptureOfTheSameNameWithoutTheCache() throws {
        let fixture = try DiskFixture()
        let monday = try fixture.capture("a")
        try fixture.write("eins\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        let cache = "\(fixture.output)/.scanmill/inputs/a.json"
        try fixture.run(monday)
        let ofMonday = try Data(contentsOf: URL(fileURLWithPath: cache))
        try FileManager.default.removeItem(atPath: cache)
        let results = fixture.results()
        let refused = try #require(problem { try fixture.run(tuesday) })
        #expect(refused.summary == "the result of another capture has this name")
        #expect(refused.notes.first == "it was made from other files")
        #expect(fixture.results() == results)
        #expect(try fixture.run(monday) == .upToDate)
        try fixture.run(tuesday, replaces: true)
        try ofMonday.write(to: URL(fileURLWithPath: cache))
        #expect(problem { try fixture.run(monday) }?.summary == refused.summary)
        // Whatever is asked of the same files.
        try FileManager.default.removeItem(atPath: cache)
        guard case .done = try fixture.run(tuesday, "stages: [read, write: {level: 2}]") else {
            Issue.record("not done")
            return
        }
    }

    /// A file beside the pipeline is every capture's, and makes no two of them one.
    @Test func anotherCaptureOfTheSameNameUnderTheSameList() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, write]"
        try fixture.write("0", to: "list.txt")
        try fixture.run(try fixture.capture("a"), text)
        let results = fixture.results()
        try fixture.write("eins\nzwei\n", to: "tuesday/a/frames.txt")
        let tuesday = CaptureInput(id: "a", path: "\(fixture.path)/tuesday/a", pipelineFolder: fixture.path)
        let refused = try #require(problem { try fixture.run(tuesday, text) })
        #expect(refused.summary == "the result of another capture has this name")
        #expect(fixture.results() == results)
        // What was moved is the same capture under another list too.
        try FileManager.default.moveItem(atPath: "\(fixture.path)/in/a", toPath: "\(fixture.path)/a")
        try fixture.write("1", to: "list.txt")
        let moved = CaptureInput(id: "a", path: "\(fixture.path)/a", pipelineFolder: fixture.path)
        guard case .done = try fixture.run(moved, text) else { Issue.record("not done"); return }
    }

    /// Once a capture is archived, its app may use the name again.
    @Test func anotherRecordingInTheSamePlace() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a", frames: "@100\n@101\n@102\n")
        try fixture.run(input)
        let results = fixture.results()
        try fixture.write("@200\n@201\n", to: "in/a/frames.txt", minutesAgo: 20)
        let refused = try #require(problem { try fixture.run(input) })
        #expect(refused.fault == .usage && refused.summary == "the result of another capture has this name")
        #expect(refused.notes.first == "it was made from another recording, which was in the same place")
        #expect(refused.fix?.hasPrefix("rename this capture, choose") == true)
        #expect(fixture.results() == results)
        // The same recording, mended or exported once more.
        try fixture.write("@102\n@103\n", to: "in/a/frames.txt", minutesAgo: 10)
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
        try fixture.write("@300\n", to: "in/a/frames.txt", minutesAgo: 5)
        guard case .done = try fixture.run(input, replaces: true) else { Issue.record("not done"); return }
        // Without times nothing tells.
        try fixture.write("one\n", to: "in/a/frames.txt", minutesAgo: 3)
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
    }

    /// A file beside the pipeline, which has not changed, is no sign of the same recording.
    @Test func anotherRecordingInTheSamePlaceUnderAList() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, write]"
        try fixture.write("0", to: "list.txt")
        let input = try fixture.capture("a", frames: "@100\n@101\n@102\n")
        try fixture.run(input, text)
        try fixture.write("@200\n@201\n", to: "in/a/frames.txt", minutesAgo: 20)
        #expect(problem { try fixture.run(input, text) }?.summary == "the result of another capture has this name")
    }

    /// The phone has exported it again, and the path is spelt through a link now.
    @Test func onePlaceUnderTwoPaths() throws {
        let fixture = try DiskFixture()
        try fixture.run(try fixture.capture("a"))
        #expect(symlink("in", "\(fixture.path)/captures") == 0)
        try fixture.write("eins\n", to: "in/a/frames.txt")
        let linked = CaptureInput(id: "a", path: "\(fixture.path)/captures/a", pipelineFolder: fixture.path)
        guard case .done = try fixture.run(linked) else { Issue.record("not done"); return }
    }

    /// Without the cache, which may be deleted at any time, and under a pipeline that uses less of it.
    @Test func theSameCaptureUnderAnotherPipelineWithoutTheCache() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, pick: {file: more.txt}, write]"
        for (name, content) in [("frames.txt", "one\ntwo\nthree\n"), ("list.txt", "0"), ("more.txt", "1")] {
            try fixture.write(content, to: "in/a/\(name)")
        }
        try fixture.run(fixture.input("a"), text)
        try FileManager.default.removeItem(atPath: "\(fixture.output)/.scanmill/inputs/a.json")
        guard case .done = try fixture.run(fixture.input("a")) else { Issue.record("not done"); return }
    }

    /// A capture with two lists beside its frames.
    private static func capture(
        _ fixture: DiskFixture, _ folder: String, _ frames: String, more: String
    ) throws -> CaptureInput {
        for (name, text) in [("frames.txt", frames), ("list.txt", "0"), ("more.txt", more)] {
            try fixture.write(text, to: "\(folder)/a/\(name)")
        }
        return CaptureInput(id: "a", path: "\(fixture.path)/\(folder)/a", pipelineFolder: fixture.path)
    }

    /// A newcomer that holds one file of a capture, and hardly anything else, does not take its place.
    @Test func aNewcomerWithAFileOfAnotherCapture() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, pick: {file: more.txt}, write]"
        try fixture.run(try Self.capture(fixture, "monday", "one\ntwo\nthree\nfour\n", more: "1"), text)
        let stranger = try Self.capture(fixture, "tuesday", "eins\nzwei\n", more: "2")
        let fewer = "stages: [read, pick: {file: list.txt}, write]"
        let results = fixture.results()
        #expect(
            problem { try fixture.run(stranger, fewer) }?.summary == "the result of another capture has this name")
        #expect(fixture.results() == results)
        // Once that one was moved, under the name that it has now.
        FileSystem.removeTree("\(fixture.path)/monday")
        let moved = try Self.capture(fixture, "mended", "one\ntwo\nthree\nfour\n", more: "3")
        guard case .done = try fixture.run(moved, fewer) else { Issue.record("not done"); return }
    }

    /// Two captures may have a file in common; of one that was moved and mended most files are the same.
    @Test func filesThatCapturesHaveInCommon() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, pick: {file: more.txt}, write]"
        try fixture.run(try Self.capture(fixture, "monday", "one\ntwo\nthree\nfour\n", more: "1"), text)
        let tuesday = try Self.capture(fixture, "tuesday", "eins\nzwei\ndrei\nvier\n", more: "2")
        #expect(
            problem { try fixture.run(tuesday, text) }?.summary == "the result of another capture has this name")
        let mended = try Self.capture(fixture, "mended", "one\ntwo\nthree\nfour\n", more: "3")
        guard case .done = try fixture.run(mended, text) else { Issue.record("not done"); return }
    }
}
