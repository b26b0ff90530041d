import Glibc
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct FailureNoteTests {
    @Test func keepsAllOfAProblem() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a b")
        let pipeline = try fixture.pipeline()
        var problem = Problem(.environment, "no room", notes: ["1 of 2", "\"q\"\n"], fix: "make some")
            .at(file: "depth.zlib", line: 3, byte: .max, of: 7).inFrame(4).inStage("read").unsuited()
        problem.place.column = 5
        problem.excerpt = "size: x"
        problem.cut = Problem.Cut(whole: 7, count: 9)
        problem.besides = ["make more", "tidy up"]
        let record = RunRecord(state: fixture.state, pipeline: pipeline, inputs: [input])
        try record.note(CaptureOutcome(input: input, ending: .failed(problem)), fingerprint: Digest.of([]))
        let note = try #require(FailureNote.load("a b", in: fixture.state))
        #expect(note.problem == problem)
        #expect(note.id == "a b")
        #expect(note.input == input.path)
        #expect(note.when > 1_600_000_000_000_000_000)
        #expect(fixture.state.failed == ["a b"])
    }

    /// As people saw it: of what names no file, the capture is the place. The problem itself stays as it was.
    @Test func theMessageSaysWhere() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let problem = Problem(.input, "cull needs a box").inStage("cull")
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        try record.note(CaptureOutcome(input: input, ending: .failed(problem)), fingerprint: Digest.of([]))
        let note = try #require(StateFolder.read(fixture.state.failure("a")))
        #expect(note["message"]?.string == "error: cull needs a box\n  --> \(input.path), stage cull")
        #expect(note["file"] == nil)
        #expect(FailureNote.load("a", in: fixture.state)?.problem == problem)
    }

    /// Also where the capture's folder holds one of the same name, and where the place is the capture itself.
    @Test func theMessageNamesAFileByItsWholePath() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "sparse/sparse/0/cameras.txt")
        let problem = Problem(.input, "x")
        func place(_ file: String?, of capture: String) -> String {
            let placed = file.map { problem.at(file: $0) } ?? problem
            return String(placed.message(ofCapture: capture).dropFirst("error: x\n  --> ".count))
        }
        let capture = "\(folder.path)/sparse"
        #expect(place("sparse/0/cameras.txt", of: capture) == "\(capture)/sparse/0/cameras.txt")
        #expect(place(capture, of: capture) == capture && place(nil, of: capture) == capture)
        // A path as the user may write it, of a capture that is not there any more.
        #expect(place("in/a", of: "in/a") == "in/a" && place(nil, of: "in/a") == "in/a")
        #expect(place("a.zip", of: "a.zip") == "a.zip" && place("in/a.sens", of: "in/a.sens") == "in/a.sens")
        #expect(place("a.sens", of: "in/a.sens") == "in/a.sens")
    }

    /// A process may be ended between giving its result its name and saying so.
    @Test func aNewResultIsNoFailure() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        let killed = Problem(.environment, "the capture's process was killed")
        let before = CaptureOutcome(input: input, ending: .failed(killed))
        try record.note(before, fingerprint: Digest.of([]))
        #expect(fixture.state.failed == ["a"])
        let problem = killed.noting(Problem.newResult(of: "a"))
        try record.note(CaptureOutcome(input: input, ending: .failed(problem)), fingerprint: Digest.of([]))
        #expect(fixture.state.failed == [])
        // What is said of another one tells nothing of it.
        let other = killed.noting(Problem.newResult(of: "b"))
        try record.note(CaptureOutcome(input: input, ending: .failed(other)), fingerprint: Digest.of([]))
        #expect(fixture.state.failed == ["a"])
    }

    /// What no result can be called may be no file's name either.
    @Test(arguments: [".hidden", "", "a\nb", String(repeating: "x", count: 255), "receipt", "..", "a/b"])
    func namesThatAreRefused(_ id: String) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let problem = try #require(OutputFolder.defect(ofID: id))
        RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: []).noteRefused([
            CaptureOutcome(input: CaptureInput(id: id, path: input.path), ending: .failed(problem))
        ])
        #expect(fixture.state.failed == [id])
        let note = FailureNote.load(id, in: fixture.state)
        #expect(note?.id == id && note?.problem == problem)
        #expect(FileSystem.names(in: fixture.state.path + "/failures").allSatisfy { $0.hasSuffix(".json") })
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.id) == [id] && entries.map(\.cause) == [problem.summary])
    }

    /// On a disk that ignores case, the names are one: what is said of one capture is not said of the other.
    @Test func twoCapturesWhoseNotesWouldBeOneFile() throws {
        let fixture = try DiskFixture()
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [])
        func note(_ id: String, _ summary: String) throws {
            try record.note(
                CaptureOutcome(input: try fixture.capture(id), ending: .failed(Problem(.input, summary))),
                fingerprint: Digest.of([]))
        }
        func summary(_ id: String) -> String? { FailureNote.load(id, in: fixture.state)?.problem.summary }
        try note("Scan", "torn")
        #expect(link(fixture.state.failure("Scan"), fixture.state.failure("scan")) == 0)
        #expect(summary("Scan") == "torn" && summary("scan") == nil)
        try note("scan", "another capture has this name")
        #expect(summary("Scan") == "torn" && summary("scan") == "another capture has this name")
        try fixture.run(fixture.input("scan"))
        #expect(summary("Scan") == "torn" && summary("scan") == nil)
        try fixture.run(fixture.input("Scan"))
        #expect(summary("Scan") == nil)
    }

    /// Its former name still leads to it on a disk that ignores case; the folder lists the new one.
    @Test func aCaptureThatWasRenamedInCase() throws {
        let fixture = try DiskFixture()
        let path = try fixture.capture("Scan").path
        let folder = FileSystem.parent(of: path)
        #expect(!FileSystem.isRenamedInCase(path) && !FileSystem.isRenamedInCase("\(folder)/scan-2"))
        #expect(FileSystem.isRenamedInCase("\(folder)/scan"))
        _ = try fixture.capture("scan")
        #expect(!FileSystem.isRenamedInCase("\(folder)/scan"))
    }

    /// Here the path that it would have is too long for the system.
    @Test func aNameThatTheDiskDoesNotTake() throws {
        let fixture = try DiskFixture()
        let id = String(repeating: "x", count: 200)
        try fixture.write("{}", to: "out/.scanmill/runs/none/plan.json")
        var output = fixture.output
        while output.utf8.count < 3980 - "/.scanmill/failures".utf8.count { output += "/." }
        let state = StateFolder(output: output)
        let record = RunRecord(state: state, pipeline: try fixture.pipeline(), inputs: [])
        let outcome = CaptureOutcome(
            input: CaptureInput(id: id, path: try fixture.capture("a").path),
            ending: .failed(Problem(.usage, "the disk takes no such name")))
        record.noteRefused([outcome])
        #expect(FileSystem.names(in: "\(fixture.state.path)/failures") == ["\(Digest.of(id).hex).json"])
        #expect(state.failed == [id] && fixture.state.failed == [id])
        #expect(FailureNote.load(id, in: state)?.problem == outcome.ending.problem)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.id) == [id] && entries.map(\.standing) == [.failed])
        // Under its usual name it counts first.
        try RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: []).note(
            CaptureOutcome(input: outcome.input, ending: .failed(Problem(.input, "torn"))), fingerprint: Digest.of([]))
        #expect(FailureNote.load(id, in: fixture.state)?.problem.summary == "torn")
    }

    @Test func onlyFailuresAreNoted() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let pipeline = try fixture.pipeline()
        let record = RunRecord(state: fixture.state, pipeline: pipeline, inputs: [input])
        for ending in [.upToDate, .busy, .arriving, .excluded, .failedBefore(Problem(.input, "")), .left("")]
            as [CaptureEnding]
        {
            try record.note(CaptureOutcome(input: input, ending: ending), fingerprint: Digest.of([]))
        }
        #expect(FailureNote.load("a", in: fixture.state) == nil)
    }

    @Test(arguments: ["", "[]", "{}", "{\"id\": \"a\", \"input\": \"b\", \"fault\": \"odd\"}"]) func damagedNotes(
        _ text: String
    ) throws {
        let fixture = try DiskFixture()
        try fixture.write(text, to: "out/.scanmill/failures/a.json")
        #expect(FailureNote.load("a", in: fixture.state) == nil)
    }

    /// Earlier versions wrote the same.
    @Test func theTextsOfFingerprints() throws {
        let fixture = try DiskFixture()
        let digest = Digest.of([1])
        let texts: [(String, FailureNote.Fingerprint?)] = [
            (digest.hex, .of(digest)), ("", .changedMeanwhile), ("-", .leadsNowhere), ("0", nil),
        ]
        for (text, fingerprint) in texts {
            let facts = #""id": "a", "input": "/a", "fault": "input", "summary": "torn", "when": 0"#
            try fixture.write(#"{\#(facts), "fingerprint": "\#(text)"}"#, to: "out/.scanmill/failures/a.json")
            let note = FailureNote.load("a", in: fixture.state)
            #expect(note?.fingerprint == fingerprint)
            if let fingerprint { #expect(fingerprint.text == text) }
        }
    }

    @Test func standsWhileTheInputIsAtFault() {
        let digest = Digest.of([1])
        func note(_ fault: Problem.Fault) -> FailureNote {
            FailureNote(id: "a", input: "b", problem: Problem(fault, ""), fingerprint: .of(digest), when: 0)
        }
        #expect(note(.input).stands(for: digest))
        #expect(!note(.input).stands(for: Digest.of([2])))
        #expect(!note(.environment).stands(for: digest))
    }
}
