import Foundation
import ScanModel
import ScanPipeline
import Testing

@Suite struct RunRecordTests {
    @Test func whatWasAskedAndHowItWent() throws {
        let fixture = try DiskFixture()
        let names = ["a", "b", "c", "d", "e", "f", "g"]
        let inputs = names.map(fixture.input)
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: inputs)
        let run = try MockRun([.reader { Capture.mock(3) }, .every(2)])
        let endings: [CaptureEnding] = [
            .done(CaptureSummary(run.receipt)), .failed(Problem(.input, "torn")),
            .failedBefore(Problem(.input, "still torn")),
            .upToDate, .arriving, .busy, .notBegun("too late"),
        ]
        try record.end(zip(inputs, endings).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1.5)
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
                "g left too late",
            ])
        #expect(captures[0]["frames"] as? Int == 3)
        #expect(captures[0]["kept"] as? Int == 2)
    }

    @Test func aRecordThatCannotBeWrittenIsLeftOut() throws {
        let fixture = try DiskFixture()
        try fixture.write("", to: "out/.scanmill/runs")
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [])
        #expect(problem { try record.end([], seconds: 0) }?.fault == .environment)
    }
}
