import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct OptionFileTests {
    private static func run(_ files: [String: [UInt8]], pipeline: [String: String], reading path: String, declares: Bool = true) throws -> MockRun {
        let read = Mock.reader {
            var capture = Capture.mock(1, source: MockSource(files: files), channels: [])
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
        #expect(
            failure.message() == """
                error: cannot read the file that the option names
                  --> boxes/no.json, stage stage[1]
                   = cannot read the file: No such file or directory
                   = fix: the path starts at the capture's folder, or at the pipeline's
                """)
        #expect(failure.fault == .usage)
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
