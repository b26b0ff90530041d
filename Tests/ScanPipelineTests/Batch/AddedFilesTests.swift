import Foundation
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
                == "the result to be replaced holds files that do not belong to it: model/points.ply, notes.txt")
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

    /// Such as smaller copies of all pictures. Comparing each with every file of the result would take many seconds of
    /// processor time, however busy the machine is.
    @Test func manyAddedFilesTakeNoLonger() throws {
        let fixture = try DiskFixture()
        let files = (0..<10_000).map { #"{"path": "images/\#($0).jpg", "bytes": 1, "sha256": ""}"# }
        let receipt = #"{"tool": "scanmill 0.1.0", "files": [\#(files.joined(separator: ","))]}"#
        try fixture.write(receipt, to: "out/a/receipt.json")
        let added = "\(fixture.output)/a/images_2"
        try FileSystem.makeFolders(added)
        for number in 0..<10_000 {
            #expect(FileManager.default.createFile(atPath: "\(added)/\(number).jpg", contents: nil))
        }
        let began = Self.secondsOfThread
        let found = PublishedResult.verify("a", in: fixture.output)
        #expect(Self.secondsOfThread - began < 3 || Sanitizer.isOn)
        #expect(found.added.count == 10_000)
    }

    private static var secondsOfThread: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// A link in the place of a folder leads to what was moved.
    @Test func aFolderThatWasMovedIsNotAdded() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        #expect(rename("\(fixture.output)/a/deep", "\(fixture.path)/deep") == 0)
        #expect(symlink("\(fixture.path)/deep", "\(fixture.output)/a/deep") == 0)
        try fixture.write("x", to: "out/a/deeper")
        #expect(PublishedResult.verify("a", in: fixture.output).added == ["deeper"])
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
        #expect(refused.summary == "the result to be replaced holds files that do not belong to it: model.ply")
        #expect(fixture.results()["a/model.ply"] == Array("x".utf8))
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == [])
    }

    /// Another user has trained there, say: what may not be looked into is not empty.
    @Test func whatMayNotBeLookedInto() async {
        await #expect(processExitsWith: .success) {
            let fixture = try DiskFixture()
            let input = try fixture.capture("a")
            try fixture.run(input)
            let (folder, receipt) = ("\(fixture.output)/a/deep/trained", "\(fixture.output)/a/receipt.json")
            try fixture.write("x", to: "out/a/deep/trained/model.ply")
            let text = "stages: [read, write: {level: 2}]"
            func refusal() -> Problem? { problem { try fixture.run(input, text) } }
            try fixture.asPlainUser {
                precondition(chmod(folder, 0) == 0)
                let closed = refusal()
                let isListed = PublishedResult.verify("a", in: fixture.output).defects.contains {
                    $0.summary == closed?.summary && $0.place.file == folder
                }
                precondition(chmod(folder, 0o755) == 0)
                precondition(closed?.summary == "cannot list the folder: Permission denied")
                precondition(closed?.fault == .environment && closed?.place.file == folder)
                precondition(closed?.notes.first == "the result to be replaced may hold files that do not belong to it")
                precondition(isListed)
                // Without the receipt it is known from the result's run which files are of it, unless that is lost.
                precondition(chmod(receipt, 0) == 0)
                let added = "the result to be replaced holds files that do not belong to it: deep/trained/model.ply"
                precondition(refusal()?.summary == added)
                FileSystem.removeTree(fixture.state.inputs("a"))
                let unknown = refusal()
                precondition(unknown?.summary == "cannot read the file: Permission denied")
                precondition(unknown?.fault == .environment && unknown?.place.file == receipt)
            }
            precondition(FileSystem.exists("\(folder)/model.ply"))
        }
    }

    /// No path leads to what lies so deep, nor into a folder whose name is not text; removing them goes by other ways.
    @Test(arguments: ["mkdir -p $(printf 'trained\\377') && touch $(printf 'trained\\377')/model", deep])
    func whatNoPathLeadsTo(_ command: String) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        defer { FileSystem.removeTree("\(fixture.output)/a") }
        try runCommand(["bash", "-c", command], in: "\(fixture.output)/a").require(0)
        let summary = problem { try fixture.run(input, forced: true) }?.summary
        #expect(
            summary == "the result to be replaced holds files that do not belong to it: trained\u{FFFD}"
                || summary == "cannot list the folder: File name too long", "\(summary ?? "replaced")")
        let verified = PublishedResult.verify("a", in: fixture.output)
        #expect(verified.defects.count + verified.added.count == 1)
    }

    private static let deep = "d=$(printf %250s | tr ' ' d); for i in {1..20}; do mkdir $d && cd $d; done; touch model"

    /// Some systems let nobody look into what they put everywhere.
    @Test func whatSystemsPutThereMayBeClosed() async {
        await #expect(processExitsWith: .success) {
            let fixture = try DiskFixture()
            let input = try fixture.capture("a")
            try fixture.run(input)
            let folders = ["out/a/@eaDir", "out/a/deep/.Trash-1000"]
            for folder in folders { try fixture.write("x", to: "\(folder)/x") }
            try fixture.asPlainUser {
                for folder in folders { precondition(chmod("\(fixture.path)/\(folder)", 0) == 0) }
                guard case .done? = try? fixture.run(input, "stages: [read, write: {level: 2}]") else {
                    preconditionFailure("not done")
                }
            }
        }
    }

    /// It does not tell which files are of the result, which is made again.
    @Test func aDamagedReceiptIsNoSignOfAddedFiles() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try Self.damage(fixture)
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
    }

    private static func damage(_ fixture: DiskFixture) throws {
        let path = "\(fixture.output)/a/receipt.json"
        let receipt = try String(contentsOfFile: path, encoding: .utf8)
        try receipt.replacing("deep/a.txt", with: "deep/b.txt").write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// What the receipt does not tell is known from the run that made the result.
    @Test func aDamagedReceiptHidesNoAddedFiles() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        try Self.damage(fixture)
        for name in ["model.ply", "deep/notes.txt"] { try fixture.write("x", to: "out/a/\(name)") }
        let added = "the result to be replaced holds files that do not belong to it: deep/notes.txt, model.ply"
        #expect(problem { try fixture.run(input) }?.summary == added)
        let torn = String(try String(contentsOfFile: "\(fixture.output)/a/receipt.json", encoding: .utf8).dropLast(9))
        try fixture.write(torn, to: "out/a/receipt.json")
        let results = fixture.results()
        #expect(problem { try fixture.run(input) }?.summary == added)
        // Where that is lost, too, nobody knows.
        FileSystem.removeTree(fixture.state.inputs("a"))
        let unknown = try #require(problem { try fixture.run(input) })
        #expect(
            unknown.message() == """
                error: the receipt is damaged, so it is unknown which files belong to the result to be replaced
                  --> \(fixture.output)/a/receipt.json
                   = the result to be replaced may hold files that do not belong to it
                   = nothing was published for a; the last good result is unchanged
                   = fix: move what others have put there out of \(fixture.output)/a and remove it, \
                or replace them too with  --only a --replace
                """)
        #expect(unknown.fault == .environment)
        #expect(fixture.results() == results)
        guard case .done = try fixture.run(input, replaces: true) else { Issue.record("not done"); return }
    }
}
