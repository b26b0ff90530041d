import Foundation
import ScanModel
import ScanPipeline
import Testing

@Suite struct RunRecordTests {
    @Test func whatWasAskedAndHowItWent() throws {
        let fixture = try DiskFixture()
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"]
        let inputs = names.map(fixture.input)
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: inputs)
        let run = try MockRun([.reader { Capture.mock(3) }, .every(2)])
        let endings: [CaptureEnding] = [
            .done(CaptureSummary(run.receipt)), .failed(Problem(.input, "torn")),
            .failedBefore(Problem(.input, "still torn")),
            .upToDate, .arriving, .busy, .left("too late"), .excluded,
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
                "g left too late", "h excluded -",
            ])
        #expect(captures.map { $0["reason"] as? String } == ["new"] + [String?](repeating: nil, count: 7))
        #expect(captures[0]["frames"] as? Int == 3)
        #expect(captures[0]["kept"] as? Int == 2)
        #expect(captures[0]["input"] as? String == inputs[0].path)
        let problem = try #require(captures[1]["problem"] as? [String: Any])
        #expect(problem["fault"] as? String == "input" && problem["summary"] as? String == "torn")
    }

    /// A clock that was ahead gives names that stay the last ones for long.
    @Test func runsAreOrderedByWhenTheyWereWritten() throws {
        let fixture = try DiskFixture()
        let now = wallClock()
        let clocks: [Int64] = [10_000_000, -2000, -1000]
        let runs = clocks.map { "\(RunRecord.stamp(now + $0 * 1_000_000_000))-x" }
        for (age, name) in runs.reversed().enumerated() {
            let path = "\(fixture.state.runs)/\(name)/plan.json"
            let capture = #"{"captures": [{"id": "a", "input": "/in/\#(age)"}]}"#
            try fixture.write(capture, to: "out/.scanmill/runs/\(name)/plan.json")
            let date = Date(timeIntervalSinceNow: -1000 * Double(name == runs[0] ? 9 : age))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        #expect(RunRecord.names(in: fixture.state) == [runs[0], runs[1], runs[2]])
        let history = RunHistory(in: fixture.state)
        #expect(history.ids == ["a", "a", "a"] && history.place(of: "a") == "/in/0")
        #expect(RunRecord.unreported(in: fixture.state) == runs[2])
        // An older page tells nothing of it; its own, or a newer one, all.
        try fixture.write("", to: "out/.scanmill/runs/\(runs[1])/report.html")
        #expect(RunRecord.unreported(in: fixture.state) == runs[2])
        try fixture.write("", to: "out/.scanmill/runs/\(runs[2])/report.html")
        #expect(RunRecord.unreported(in: fixture.state) == nil)
    }

    /// Failures are read about in the morning, too.
    @Test func aRunThatOnlyFailedWantsAReport() throws {
        let fixture = try DiskFixture()
        let input = fixture.input("a")
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        let torn = CaptureEnding.failed(Problem(.input, "torn"))
        try record.end([CaptureOutcome(input: input, ending: torn, span: .init(begin: 0, seconds: 1))], seconds: 1)
        #expect(RunRecord.unreported(in: fixture.state) == record.name)
        try fixture.write("", to: "out/.scanmill/runs/\(record.name)/report.html")
        #expect(RunRecord.unreported(in: fixture.state) == nil)
    }

    private static let torn = CaptureEnding.failed(Problem(.input, "torn"))

    /// What a run says of a capture, what a later one does that made no result, and whether it is then the one to report.
    private static let saidAndFound: [(CaptureEnding, CaptureEnding, Bool)] = [
        (torn, .upToDate, true), (.left("too late"), .upToDate, true), (.arriving, .upToDate, true),
        (torn, .excluded, true), (.excluded, .failedBefore(Problem(.input, "torn")), true),
        (torn, .failedBefore(Problem(.input, "torn")), false), (.left("too late"), .excluded, false),
        (.upToDate, .arriving, false), (.upToDate, .upToDate, false),
        (.failed(Problem(.environment, "killed", notes: [Problem.newResult(of: "a")])), .upToDate, false),
    ]

    /// A file that was put back makes no result: the page that calls its capture failed would be read for ever.
    @Test(arguments: saidAndFound)
    func aReportThatIsPutRight(_ said: CaptureEnding, _ found: CaptureEnding, _ isPutRight: Bool) throws {
        let fixture = try DiskFixture()
        let (pipeline, inputs) = (try fixture.pipeline(), ["a", "b"].map(fixture.input))
        func run(_ outcomes: [CaptureOutcome]) throws -> String {
            // The clock by which files get their times goes in steps.
            usleep(10_000)
            let record = RunRecord(state: fixture.state, pipeline: pipeline, inputs: outcomes.map(\.input))
            try record.end(outcomes, seconds: 1)
            return record.name
        }
        let earlier = try run([
            CaptureOutcome(input: inputs[0], ending: said),
            CaptureOutcome(input: inputs[1], ending: Self.torn, span: .init(begin: 0, seconds: 1)),
        ])
        try fixture.write("{}", to: "out/.scanmill/failures/b.json")
        let later = try run([CaptureOutcome(input: inputs[0], ending: found)])
        #expect(RunRecord.unreported(in: fixture.state) == (isPutRight ? later : earlier))
        try fixture.write("", to: "out/.scanmill/runs/\(earlier)/report.html")
        #expect(RunRecord.unreported(in: fixture.state) == (isPutRight ? later : nil))
        // The other one is gone, and the note of its failure with it.
        FileSystem.removeTree(fixture.state.failure("b"))
        #expect(RunRecord.unreported(in: fixture.state) == later)
        try fixture.write("", to: "out/.scanmill/runs/\(later)/report.html")
        #expect(RunRecord.unreported(in: fixture.state) == nil)
    }

    /// What waits is shown where it is known.
    @Test func aKilledRunIsReportedForWhatItAloneKnows() throws {
        let fixture = try DiskFixture()
        let (pipeline, inputs) = (try fixture.pipeline(), ["a", "b"].map(fixture.input))
        let killed = RunRecord(state: fixture.state, pipeline: pipeline, inputs: inputs)
        for (count, expected) in [1, 2].enumerated() {
            usleep(10_000)
            let later = RunRecord(state: fixture.state, pipeline: pipeline, inputs: [])
            let found = inputs.prefix(expected).map { CaptureOutcome(input: $0, ending: .upToDate) }
            try later.end(found, seconds: 1)
            #expect(RunRecord.unreported(in: fixture.state) == (count == 0 ? killed.name : later.name))
        }
    }

    /// `cp -r` gives all files the time of copying, whichever it copies first.
    @Test func runsOfACopyStayInOrder() throws {
        let fixture = try DiskFixture()
        let runs = ["20260101T000000Z-z", "20260102T000000Z-y", "20260102T000001Z-x"]
        for (minutes, name) in runs.enumerated() {
            try fixture.write(
                "{}", to: "out/.scanmill/runs/\(name)/plan.json", minutesAgo: Double(minutes))
        }
        #expect(RunRecord.names(in: fixture.state) == runs)
    }

    /// Several begin within one second, which is all that their names tell.
    @Test func runsOfOneSecondAreInOrder() throws {
        let fixture = try DiskFixture()
        let pipeline = try fixture.pipeline()
        let names = (0..<20).map { _ in
            // The clock by which files get their times goes in steps.
            usleep(10_000)
            return RunRecord(state: fixture.state, pipeline: pipeline, inputs: []).name
        }
        #expect(RunRecord.names(in: fixture.state) == names)
    }

    /// What the report draws: when each capture ran, where its time went, and what to type to try it again.
    @Test func timesAndTheCommandAreKept() throws {
        let fixture = try DiskFixture()
        let input = fixture.input("a")
        let command = RunRecord.Command(
            pipeline: "p.yaml", settings: ["a.b=c"], output: "out", tool: "scanmill 0")
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
