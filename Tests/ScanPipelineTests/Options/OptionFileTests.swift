import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct OptionFileTests {
    private static func run(
        _ files: [String: [UInt8]], pipeline: [String: String], reading path: String, declares: Bool = true,
        from source: (any CaptureSource)? = nil
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
            context.record("text", .string(String(decoding: try context.file(path), as: UTF8.self)))
        }
        if declares { stage.uses.files = [path] }
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

    @Test func aFileThatIsNotThere() throws {
        let failure = try #require(problem { _ = try Self.run([:], pipeline: [:], reading: "boxes/no.json") })
        #expect(failure.oneLine == "cannot read the file that the option names (boxes/no.json, stage stage[1])")
        // Both places where it was looked for.
        let note = failure.notes.first ?? ""
        #expect(failure.notes.count == 1 && note.hasPrefix("it is not in the capture, and at "))
        #expect(note.hasSuffix("/boxes/no.json: cannot read the file: No such file or directory"))
        #expect(failure.fix == "name it from the capture's folder, from the pipeline's, or by its whole path")
        #expect(failure.fault == .usage)
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
