import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct RunRecordTests {
    @Test func whatWasAskedAndHowItWent() throws {
        let fixture = try DiskFixture()
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
        let inputs = names.map(fixture.input)
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: inputs)
        let run = try MockRun([.reader { Capture.mock(3) }, .every(2)])
        let endings: [CaptureEnding] = [
            .done(CaptureSummary(run.receipt)), .failed(Problem(.input, "torn")),
            .failedBefore(Problem(.input, "still torn")),
            .upToDate, .arriving, .busy, .left("too late"), .excluded, .unsuited(Problem(.input, "no box")),
        ]
        var outcomes = zip(inputs, endings).map { CaptureOutcome(input: $0, ending: $1) }
        outcomes[0].reason = "new"
        try record.end(outcomes, seconds: 1.5)
        let runs = FileSystem.names(in: fixture.state.runs)
        try #require(runs.count == 1)
        #expect(runs[0].prefixMatch(of: #/20\d{6}T\d{6}Z-[0-9a-z]+/#) != nil)
        func read(_ name: String) throws -> [String: Any] {
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(fixture.state.runs)/\(runs[0])/\(name)"))
            return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        }
        let plan = try read("plan.json")
        #expect((plan["captures"] as? [[String: String]])?.map { $0["id"] } == names)
        #expect((plan["pipeline"] as? [String: Any])?["name"] as? String == "p")
        let outcome = try read("outcome.json")
        #expect(outcome["seconds"] as? Double == 1.5)
        let captures = try #require(outcome["captures"] as? [[String: Any]])
        #expect(
            captures.map { "\($0["id"] ?? "") \($0["ended"] ?? "") \($0["cause"] ?? "-")" } == [
                "a done -", "b failed torn", "c failed still torn", "d up to date -", "e still arriving -", "f busy -",
                "g left too late", "h excluded -", "i excluded no box",
            ])
        #expect(captures.map { $0["reason"] as? String } == ["new"] + [String?](repeating: nil, count: 8))
        #expect(captures[0]["frames"] as? Int == 3)
        #expect(captures[0]["kept"] as? Int == 2)
        #expect(captures[0]["input"] as? String == inputs[0].path)
        let problem = try #require(captures[1]["problem"] as? [String: Any])
        #expect(problem["fault"] as? String == "input" && problem["summary"] as? String == "torn")
    }

    /// What the report draws: when each capture ran, where its time went, and what to type to try it again.
    @Test func timesAndTheCommandAreKept() throws {
        let fixture = try DiskFixture()
        let input = fixture.input("a")
        let command = RunRecord.Command(
            pipeline: "p.yaml", settings: ["a.b=c"], output: "out", inputs: ["in"], choice: ["--only=a"],
            tool: "scanmill 0")
        let record = RunRecord(
            state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input], command: command)
        let run = try MockRun([.reader { Capture.mock(3) }, .every(2)])
        let times = [StageTime(label: "read", seconds: 0.1234567), StageTime(label: "every", seconds: 2)]
        let summary = CaptureSummary(run.receipt, times: times, peakBytes: 12_345_678)
        try record.end(
            [CaptureOutcome(input: input, ending: .done(summary), span: .init(begin: 0.5004, seconds: 7.25))],
            seconds: 8)
        let plan = try #require(StateFolder.read("\(record.path)/plan.json"))
        #expect(plan["command"]?["pipeline"]?.string == "p.yaml")
        #expect(plan["command"]?["set"] == .of(["a.b=c"]))
        #expect(RunRecord.Command(plan: plan) == command)
        #expect(plan["command"]?["folder"]?.string == FileManager.default.currentDirectoryPath)
        let capture = try #require(StateFolder.read("\(record.path)/outcome.json")?["captures"]?.array?.first)
        #expect(capture["begin"]?.double == 0.5)
        #expect(capture["seconds"]?.double == 7.25)
        #expect(capture["peak-bytes"]?.integer == 12_345_678)
        #expect(capture["stages"] == .object(["read": .number(0.123457), "every": .number(2)]))
    }

    /// Below a mount point whose disk went away, notes would lie where nobody looks for them.
    @Test func nothingIsWrittenWhereTheRunsFolderHasGone() throws {
        let fixture = try DiskFixture()
        let input = fixture.input("a")
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        let failure = CaptureOutcome(input: input, ending: .failed(Problem(.environment, "the disk is gone")))
        FileSystem.removeTree(fixture.output)
        try record.note(failure, fingerprint: Digest.of([1]))
        let problem = problem { try record.end([failure], seconds: 1) }
        #expect(problem?.fault == .environment)
        #expect(problem?.summary == "this is not the folder that the run began with")
        #expect(!FileSystem.exists(fixture.output))
    }

    @Test func aRecordThatCannotBeWrittenIsLeftOut() throws {
        let fixture = try DiskFixture()
        try fixture.write("", to: "out/.scanmill/runs")
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [])
        #expect(problem { try record.end([], seconds: 0) }?.fault == .environment)
    }
}
