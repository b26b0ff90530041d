import Foundation
import ScanModel
import ScanPipeline
import Testing

@Suite struct RunTimeTests {
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
}
