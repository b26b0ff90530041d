import Foundation
import ScanModel
import ScanPipeline
import Testing

@Suite struct StaleRecordsTests {
    /// A small file gets its name in a second step, which a kill may prevent.
    @Test func filesThatWereNeverNamed() throws {
        let fixture = try DiskFixture()
        let names = [".a", "inputs/.b", "failures/.c", "thumbnails/.d", "drawings/.e", "runs/20260101T000000Z-x/.f"]
        for name in names + ["inputs/kept.json"] { try fixture.write("", to: "out/.scanmill/\(name)") }
        try fixture.write("", to: "out/.scanmill/inputs/.young", minutesAgo: 50)
        try fixture.write(OutputFixture.receipt, to: "out/kept/receipt.json")
        let foreseen = try Leftovers.foreseen(in: fixture.state).removed
        let removed = try Leftovers.collect(in: fixture.state).removed
        #expect(removed == foreseen)
        #expect(Set(removed) == Set(names.map { "\(fixture.output)/.scanmill/\($0)" }))
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/inputs") == [".young", "kept.json"])
    }

    @Test func onlyTheNewestRunsAreRemembered() throws {
        let fixture = try DiskFixture()
        for number in 0..<(StaleRecords.rememberedRuns + 3) {
            let name = "2026010\(number / 100)T00\(number % 100 + 100)Z-x"
            try fixture.write("{}", to: "out/.scanmill/runs/\(name)/plan.json", minutesAgo: 20_000)
        }
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [])
        try record.end([], seconds: 1)
        let runs = FileSystem.names(in: fixture.state.runs)
        #expect(runs.count == StaleRecords.rememberedRuns)
        #expect(runs.first == "20260100T00104Z-x")
        #expect(FileSystem.exists("\(record.path)/outcome.json"))
    }

    /// A clock was years ahead for some nights: their names stay the highest for years.
    @Test func runsFromTheFutureAreForgottenFirst() throws {
        let fixture = try DiskFixture()
        for number in 0..<StaleRecords.rememberedRuns {
            let plan = "out/.scanmill/runs/20990101T00\(number + 100)Z-x/plan.json"
            try fixture.write("{}", to: plan)
            try fixture.age(plan, minutes: -600_000)
        }
        for _ in 0..<3 {
            let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [])
            try record.end([], seconds: 1)
        }
        let runs = FileSystem.names(in: fixture.state.runs)
        #expect(runs.count == StaleRecords.rememberedRuns)
        #expect(runs.count { !$0.hasPrefix("2099") } == 3)
    }

    /// A long night beside many short runs: without its plan nobody would know what it has still to do.
    @Test func aRunThatGoesOnIsNotForgotten() throws {
        let fixture = try DiskFixture()
        for (number, name) in ["outcome.json", "plan.json", "plan.json"].enumerated() {
            try fixture.write("{}", to: "out/.scanmill/runs/2000010\(number + 1)T000000Z-x/plan.json")
            try fixture.write("{}", to: "out/.scanmill/runs/2000010\(number + 1)T000000Z-x/\(name)")
        }
        // It was killed long ago.
        try fixture.age("out/.scanmill/runs/20000102T000000Z-x/plan.json", minutes: 8 * 24 * 60)
        for number in 0..<StaleRecords.rememberedRuns {
            for name in ["plan", "outcome"] {
                try fixture.write("{}", to: "out/.scanmill/runs/20200101T00\(number + 100)Z-x/\(name).json")
            }
        }
        _ = try Leftovers.collect(in: fixture.state)
        let runs = FileSystem.names(in: fixture.state.runs).filter { $0.hasPrefix("2000") }
        #expect(runs == ["20000103T000000Z-x"])
    }

    /// Results are moved away in the morning, and captures renamed: what was kept of them does not pile up.
    @Test(arguments: [false, true]) func whatWasKeptOfCapturesThatAreGone(_ isByRun: Bool) throws {
        let fixture = try DiskFixture()
        let kept = ["inputs/ID.json"] + ["thumbnails", "drawings"].flatMap { ["\($0)/ID.jpg", "\($0)/ID.json"] }
        for id in ["done", "failed", "held", "gone.part", "a\u{600}", "cafe\u{301}", "caf\u{e9}"] {
            for name in kept { try fixture.write("{}", to: "out/.scanmill/\(name.replacing("ID", with: id))") }
        }
        for id in ["done", "caf\u{e9}"] { try fixture.write(OutputFixture.receipt, to: "out/\(id)/receipt.json") }
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [])
        try record.note(
            CaptureOutcome(input: try fixture.capture("failed"), ending: .failed(Problem(.input, "torn"))),
            fingerprint: Digest.of([]))
        for id in ["done", "gone.part"] {
            _ = try StateLock(id, in: fixture.state)
            #expect(fixture.comesFree(id))
        }
        let lock = try StateLock("held", in: fixture.state)
        if isByRun { try record.end([], seconds: 1) } else { _ = try Leftovers.collect(in: fixture.state) }
        withExtendedLifetime(lock) {}
        let left = ["caf\u{e9}", "done", "failed", "held"]
        #expect(FileSystem.names(in: "\(fixture.state.path)/inputs").sorted() == left.map { "\($0).json" })
        for part in ["thumbnails", "drawings"] {
            #expect(FileSystem.names(in: "\(fixture.state.path)/\(part)").count == 2 * left.count)
        }
        #expect(FileSystem.names(in: "\(fixture.state.path)/locks").sorted() == ["done", "held"])
    }

    /// It was moved away for a new one, and the run was killed: the next one puts it back.
    @Test func whatWasKeptOfAResultThatWasMovedAwayStays() throws {
        let fixture = try DiskFixture()
        try fixture.write(OutputFixture.receipt, to: "out/.scanmill/trash/lost.x/receipt.json")
        for name in ["inputs/lost.json", "inputs/gone.json"] { try fixture.write("{}", to: "out/.scanmill/\(name)") }
        #expect(try Leftovers.foreseen(in: fixture.state).removed == ["\(fixture.state.path)/inputs/gone.json"])
        try RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: []).end([], seconds: 1)
        #expect(FileSystem.names(in: "\(fixture.state.path)/inputs") == ["lost.json"])
    }

    /// What tells that a result stood there is kept for as long as its folder is.
    @Test func aResultWithoutItsReceiptIsNotForgotten() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try FileManager.default.removeItem(atPath: "\(fixture.output)/a/receipt.json")
        #expect(try Leftovers.collect(in: fixture.state).removed == [])
        #expect(fixture.state.lost.map(\.id) == ["a"])
        guard case .obstructed(let problem) = try fixture.plan([input]).first else {
            Issue.record("not refused")
            return
        }
        #expect(problem.summary == "the result that stands here has lost its receipt.json, and is left alone")
    }
}
