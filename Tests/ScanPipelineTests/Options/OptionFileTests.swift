import Glibc
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct OptionFileTests {
    private static func run(
        _ files: [String: [UInt8]], pipeline: [String: String], reading path: String, declares: Bool = true,
        from source: (any CaptureSource)? = nil, without: Uses.WithoutFile = .fails()
    ) throws -> MockRun {
        let read = Mock.reader {
            var capture = Capture.mock(1, source: MockSource(files: files), channels: [])
            if let source { capture.source = source }
            capture.files = files.keys.map { InputFile(path: $0, byteCount: 0, channels: [.box]) }
            return capture
        }
        let folder = try TemporaryFolder()
        for (name, text) in pipeline { try folder.write(text, to: name) }
        let path = path.replacing("FOLDER", with: folder.path)
        var stage = Mock.finish("stage") { (_, context) throws(Problem) in
            if context.lacks(path) { return context.note("nothing at \(context.name(of: path))") }
            context.record("text", .string(String(decoding: try context.file(path), as: UTF8.self)))
        }
        if declares { stage.uses.files = [path] }
        stage.uses.withoutFile = without
        return try MockRun([read, stage, stage])
    }

    @Test func filesOfTheCaptureComeFirst() throws {
        let run = try Self.run(["box.json": Array("capture's".utf8)], pipeline: [:], reading: "box.json")
        #expect(run.counts("stage[1]") == ["text": .string("capture's")])
        #expect(run.receipt.inputs.map(\.path) == ["box.json"])
        #expect(run.receipt.inputs.map(\.digest) == [Digest.of(Array("capture's".utf8))])
        #expect(run.receipt.inputs.map(\.byteCount) == [9])
    }

    @Test func otherFilesAreNamedByTheirPath() throws {
        let run = try Self.run([:], pipeline: ["sub/box.json": "beside"], reading: "FOLDER/sub/box.json")
        #expect(run.counts("stage[2]") == ["text": .string("beside")])
        #expect(run.receipt.inputs.map(\.byteCount) == [6])
    }

    /// The mock's id is `scan`.
    @Test func theCapturesIdInAName() throws {
        let own = try Self.run(["boxes/scan.json": Array("own".utf8)], pipeline: [:], reading: "boxes/{id}.json")
        #expect(own.counts("stage[1]") == ["text": .string("own")])
        #expect(own.receipt.inputs.map(\.path) == ["boxes/scan.json"])
        let beside = try Self.run([:], pipeline: ["scan/scan.json": "beside"], reading: "FOLDER/{id}/{id}.json")
        #expect(beside.counts("stage[2]") == ["text": .string("beside")])
        #expect(beside.receipt.inputs.map { $0.path.hasSuffix("/scan/scan.json") } == [true])
        let failure = try #require(problem { _ = try Self.run([:], pipeline: [:], reading: "boxes/{id}.json") })
        #expect(failure.place.file == "boxes/scan.json")
        #expect(failure.notes.first?.contains("/boxes/scan.json: cannot read the file") == true)
        #expect(failure.fix == "write that file for this capture")
    }

    @Test func whatAStageDoesWithout() throws {
        let run = try Self.run([:], pipeline: [:], reading: "lists/{id}.txt", without: .passes)
        #expect(run.receipt.notes == ["stage[1]: nothing at lists/scan.txt", "stage[2]: nothing at lists/scan.txt"])
        #expect(run.receipt.inputs.isEmpty)
        // What is there is read, and has to be a file.
        let there = try Self.run([:], pipeline: ["a.txt": "0"], reading: "FOLDER/a.txt", without: .passes)
        #expect(there.counts("stage[1]") == ["text": .string("0")])
        let folder = problem { _ = try Self.run([:], pipeline: ["a/x": ""], reading: "FOLDER/a", without: .passes) }
        #expect(folder?.notes == ["this is not a regular file"])
    }

    /// A setting by which the stage would do without is no help against a file that cannot be read.
    @Test func theWayToDoWithoutIsNamed() throws {
        func fix(_ path: String) -> String? {
            problem {
                _ = try Self.run([:], pipeline: ["a/x": ""], reading: path, without: .fails(unless: "if-missing=pass"))
            }?.fix
        }
        let way = "give its path relative to the capture's folder or the pipeline's, or its full path"
        #expect(fix("no.txt") == "\(way), or do without it with  --set 'stage[1].if-missing=pass'")
        #expect(fix("FOLDER/a") == way)
    }

    @Test func aFileThatIsNotThere() throws {
        let failure = try #require(problem { _ = try Self.run([:], pipeline: [:], reading: "boxes/no.json") })
        #expect(failure.oneLine == "cannot read the file that the option names (boxes/no.json, stage stage[1])")
        // Both places where it was looked for.
        let note = failure.notes.first ?? ""
        #expect(failure.notes.count == 1 && note.hasPrefix("it is not in the capture, and at "))
        #expect(note.hasSuffix("/boxes/no.json: cannot read the file: No such file or directory"))
        #expect(failure.fix == "give its path relative to the capture's folder or the pipeline's, or its full path")
        #expect(failure.fault == .input && failure.isOfPipeline)
    }

    /// The capture fails once, and then waits for its list.
    @Test func aListThatIsMissingIsWaitedFor() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: \"lists/{id}.txt\"}, write]"
        let input = try fixture.capture("a")
        let pipeline = try fixture.pipeline(text)
        let fingerprint = FailureNote.fingerprint(of: input, pipeline: pipeline, programs: fixture.programs)
        let failure = try #require(problem { try fixture.run(input, text) })
        try RunRecord(state: fixture.state, pipeline: pipeline, inputs: [input]).note(
            CaptureOutcome(input: input, ending: .failed(failure)), fingerprint: fingerprint)
        #expect(try fixture.plan([input], text) == [.failedBefore(failure)])
        #expect(failure.fix == "write that file for this capture")
        try fixture.write("0", to: "lists/a.txt")
        #expect(try fixture.plan([input], text) == [.run("it failed before: \(failure.summary)")])
    }

    /// A share that is away for a night, or a permission that has expired: it is there, and nothing is wrong with it.
    @Test func aListThatTheMachineCannotReadIsTriedAgain() async {
        await #expect(processExitsWith: .success) {
            let fixture = try DiskFixture()
            let input = try fixture.capture("a")
            try fixture.write("0", to: "lists/a.txt")
            try fixture.asPlainUser {
                precondition(chmod("\(fixture.path)/lists/a.txt", 0) == 0)
                let text = "stages: [read, pick: {file: \"lists/{id}.txt\"}, write]"
                let failure = problem { try fixture.run(input, text) }
                precondition(failure?.fault == .environment && failure?.isOfPipeline == false)
                precondition(failure?.fix?.hasPrefix("check the owner and the permissions") == true)
            }
        }
    }

    @Test func aFileThatIsNotThereByItsWholePath() throws {
        let failure = try #require(problem { _ = try Self.run([:], pipeline: [:], reading: "FOLDER/no.json") })
        #expect(failure.notes == ["cannot read the file: No such file or directory"])
    }

    /// A source that is not given what it holds.
    private struct Refused: CaptureSource {
        func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] { [] }
        func prepare(_ frame: inout Frame, for channels: Set<Channel>) {}
        func location(of file: String) -> FileLocation? { nil }
        func open(_ file: String) throws(Problem) -> any ByteSource {
            throw Problem(.environment, "it may not be read").at(file: file)
        }
    }

    /// The pipeline's own does not silently take its place.
    @Test func aFileOfTheCaptureThatMayNotBeRead() throws {
        let failure = try #require(
            problem { _ = try Self.run([:], pipeline: [:], reading: "box.json", from: Refused()) })
        #expect(failure.fault == .environment && failure.summary == "it may not be read")
        #expect(failure.place.file == "box.json" && failure.place.stage == "stage[1]")
    }

    @Test func aFolderIsNoFile() throws {
        let failure = try #require(problem { _ = try Self.run([:], pipeline: ["sub/x": ""], reading: "FOLDER/sub") })
        #expect(failure.notes == ["this is not a regular file"])
    }

    @Test func whatIsNotDeclaredIsNotRead() throws {
        let failure = try #require(
            problem { _ = try Self.run([:], pipeline: ["box.json": ""], reading: "FOLDER/box.json", declares: false) })
        #expect(failure.fault == .tool)
        #expect(failure.summary == "a stage reads a file that it does not declare")
    }
}
