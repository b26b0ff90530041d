import Glibc
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct OutputNamesTests {
    private let card = OutputNames(ignoreCase: true, dropLastDots: true)

    @Test func idsThatAreOneName() {
        for alike in [["Scan", "scan", "SCAN"], ["Café", "CAFÉ"], ["end", "End.", "end.."], ["σ", "ς"]] {
            #expect(Set(alike.map(card.key)).count == 1, "\(alike)")
            #expect(Set(alike.map { PathKey(OutputNames().key($0)) }).count == alike.count)
        }
        #expect(Set(["a", "a b", "a.b", "ab", "ä"].map(card.key)).count == 5)
        // Asked again, as of a lock's name.
        for id in ["Straße", "İ", "ǆ", "scan."] { #expect(card.key(card.key(id)) == card.key(id)) }
        #expect(OutputNames(ignoreCase: true).key("end.") == "END.")
    }

    @Test func idsThatCannotBeNames() {
        #expect(card.defect(ofID: "end.")?.summary == "the disk of OUT does not allow names that end in a dot")
        // The receipt would take the place of the capture's own file.
        #expect(card.defect(ofID: "Receipt") != nil && card.defect(ofID: ".hidden") != nil)
        for id in ["end.", "Receipt", "a:b"] { #expect(OutputNames().defect(ofID: id) == nil, "\(id)") }
    }

    /// What the disk says when a file with such a name is to be made, and nothing else.
    @Test func namesThatTheDiskRefuses() {
        let which = [
            "a:b": "with `:`", "what?": "with `?`", "star*": "with `*`", "q\"q": "with `\"`",
            "back\\slash": "with `\\`",
            "end.": "that end in a dot", "end ": "that end in a space",
        ]
        for (id, which) in which {
            for code in [EINVAL, ENOENT] {
                let refusal = OutputNames.refusal(of: id, code: code)
                #expect(refusal?.summary == "the disk of OUT does not allow names \(which)" && refusal?.fault == .usage)
            }
            #expect(OutputNames.refusal(of: id, code: ENOSPC) == nil)
        }
        #expect(OutputNames.refusal(of: "plain", code: EINVAL) == nil)
    }

    /// The disk of the tests goes by every byte. It is asked before OUT is there, and nothing is made.
    @Test func anOrdinaryDisk() throws {
        let fixture = try DiskFixture()
        #expect(OutputNames(of: "\(fixture.path)/none/out") == OutputNames())
        for name in ["a.txt", "A.TXT"] { try fixture.write("", to: "out/\(name)") }
        #expect(OutputNames(of: fixture.output) == OutputNames())
        try fixture.run(try fixture.capture("a"))
        #expect(OutputNames(of: fixture.output) == OutputNames())
        #expect(FileSystem.names(in: fixture.path) == ["in", "out"])
    }

    /// A link makes the owner's file answer to other letters.
    private func fixtureThatIgnoresCase() throws -> DiskFixture {
        let fixture = try DiskFixture()
        try fixture.run(try fixture.capture("Scan"))
        #expect(symlink(".scanmill", "\(fixture.output)/.SCANMILL") == 0)
        #expect(symlink("owner.json", "\(fixture.state.path)/OWNER.JSON") == 0)
        return fixture
    }

    /// Where it would be two files to the kernel, as below FUSE, two captures would be run into one place at once.
    @Test func oneLockForAllSpellings() throws {
        let fixture = try fixtureThatIgnoresCase()
        #expect(OutputNames(of: fixture.output) == OutputNames(ignoreCase: true))
        let lock = try StateLock("Scan", in: fixture.state)
        #expect(lock != nil && StateLock.isHeld("scan", in: fixture.state))
        #expect(try StateLock("SCAN", in: fixture.state) == nil)
        #expect(try StateLock("scan2", in: fixture.state) != nil)
        withExtendedLifetime(lock) {}
    }

    /// Under whatever spelling these were kept.
    @Test func whatIsKeptOfAResultOfAnotherSpelling() throws {
        let fixture = try fixtureThatIgnoresCase()
        for name in ["inputs/SCAN.json", "inputs/gone.json"] { try fixture.write("{}", to: "out/.scanmill/\(name)") }
        try RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: []).end([], seconds: 1)
        #expect(FileSystem.names(in: "\(fixture.state.path)/inputs").sorted() == ["SCAN.json", "Scan.json"])
    }

    @Test func whatResultsAreCalled() {
        let results = ListedResults(["Scan", "cafe\u{301}", "end"], card)
        #expect(["Scan", "scan", "end.", "other"].map(results.name) == ["Scan", "Scan", "end", "other"])
        #expect(results.contains("Scan") && !results.contains("scan") && !results.contains("caf\u{e9}"))
        let exact = ListedResults(["Scan", "scan"], OutputNames())
        #expect(["Scan", "scan", "SCAN"].map(exact.name) == ["Scan", "scan", "SCAN"])
    }
}
