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
}
