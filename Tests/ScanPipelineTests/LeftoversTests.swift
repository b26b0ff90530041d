import ScanModel
import ScanPipeline
import Testing

@Suite struct LeftoversTests {
    @Test func onlyWhatNobodyWorksOnGoes() throws {
        let fixture = try DiskFixture()
        for name in ["work/a.host.1.x/f", "work/b.c.host.2.y/f", "work/held.host.3.z/f", "trash/old/f"] {
            try fixture.write("", to: "out/.scanmill/\(name)")
        }
        let base = fixture.output + "/.scanmill"
        do {
            let lock = try CaptureLock("held", in: fixture.state)
            #expect(lock != nil)
            let removed = try Leftovers.collect(in: fixture.state)
            #expect(removed == ["\(base)/work/a.host.1.x", "\(base)/work/b.c.host.2.y", "\(base)/trash/old"])
            #expect(FileSystem.names(in: base + "/work") == ["held.host.3.z"])
            #expect(FileSystem.names(in: base + "/trash") == [])
            withExtendedLifetime(lock) {}
        }
        #expect(try Leftovers.collect(in: fixture.state) == ["\(base)/work/held.host.3.z"])
        #expect(try Leftovers.collect(in: fixture.state) == [])
    }

    /// A small file gets its name in a second step, which a kill may prevent.
    @Test func filesThatWereNeverNamed() throws {
        let fixture = try DiskFixture()
        let names = [".a", "inputs/.b", "failures/.c", "thumbnails/.d", "runs/20260101T000000Z-x/.e"]
        for name in names + ["inputs/kept.json"] { try fixture.write("", to: "out/.scanmill/\(name)") }
        try fixture.write("", to: "out/.scanmill/inputs/.young", minutesAgo: 0)
        let removed = try Leftovers.collect(in: fixture.state)
        #expect(Set(removed) == Set(names.map { "\(fixture.output)/.scanmill/\($0)" }))
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/inputs") == [".young", "kept.json"])
    }

    @Test func onlyTheNewestRunsAreRemembered() throws {
        let fixture = try DiskFixture()
        for number in 0..<(Leftovers.rememberedRuns + 3) {
            let name = "2026010\(number / 100)T00\(number % 100 + 100)Z-x"
            try fixture.write("{}", to: "out/.scanmill/runs/\(name)/plan.json")
        }
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [])
        try record.end([], seconds: 1)
        let runs = FileSystem.names(in: fixture.state.runs)
        #expect(runs.count == Leftovers.rememberedRuns)
        #expect(runs.first == "20260100T00104Z-x")
        #expect(FileSystem.exists("\(record.path)/outcome.json"))
    }
}
