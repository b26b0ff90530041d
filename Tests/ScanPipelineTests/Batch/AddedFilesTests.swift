import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// Results into which others put files of their own.
@Suite struct AddedFilesTests {
    /// Such as what was trained from it.
    @Test func whatOthersHavePutIntoAResult() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        for name in ["model/points.ply", "notes.txt", ".DS_Store", "deep/Thumbs.db"] {
            try fixture.write("x", to: "out/a/\(name)")
        }
        #expect(try fixture.run(input) == .upToDate)
        let text = "stages: [read, write: {level: 2}]"
        let results = fixture.results()
        let refused = try #require(problem { try fixture.run(input, text) })
        #expect(refused.fault == .usage)
        #expect(
            refused.summary
                == "the result to be replaced holds files that are not of it: model/points.ply, notes.txt")
        #expect(refused.fix?.contains("--replace") == true)
        #expect(fixture.results() == results)
        guard case .obstructed(let told)? = try fixture.plan([input], text).first else {
            Issue.record("no plan tells")
            return
        }
        #expect(told.summary == refused.summary)
        let replacing = try fixture.plan([input], text) { $0.replaces = true }
        #expect(replacing == [.run("write.level changed from 1 to 2")])
        guard case .done = try fixture.run(input, text, replaces: true) else { Issue.record("not done"); return }
        #expect(!FileSystem.exists("\(fixture.output)/a/notes.txt"))
        // What systems put everywhere is no reason.
        for name in [".DS_Store", "@eaDir/a"] { try fixture.write("x", to: "out/a/\(name)") }
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
    }

    /// Somebody trains from the older result while the new one is made.
    @Test func whatOthersPutIntoAResultThatIsBeingReplaced() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try fixture.write("eins\n", to: "in/a/frames.txt", minutesAgo: 50)
        let refused = try #require(
            problem {
                _ = try fixture.run(input) { try fixture.write("x", to: "out/a/model.ply") }
            })
        #expect(refused.summary == "the result to be replaced holds files that are not of it: model.ply")
        #expect(fixture.results()["a/model.ply"] == Array("x".utf8))
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == [])
    }

    /// It does not tell which files are of the result, which is made again.
    @Test func aDamagedReceiptIsNoSignOfAddedFiles() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let path = "\(fixture.output)/a/receipt.json"
        let receipt = try String(contentsOfFile: path, encoding: .utf8)
        try receipt.replacing("deep/a.txt", with: "deep/b.txt").write(toFile: path, atomically: true, encoding: .utf8)
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
    }
}
