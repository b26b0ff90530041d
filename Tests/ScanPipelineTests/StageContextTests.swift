import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct StageContextTests {
    private static func run(_ files: [String: [UInt8]], pipeline: [String: String], reading path: String) throws -> MockRun {
        let read = Mock.reader {
            var capture = Capture.mock(1, source: MockSource(files: files), channels: [])
            capture.files = files.keys.map { InputFile(path: $0, byteCount: 0, channels: [.box]) }
            return capture
        }
        let folder = try TemporaryFolder()
        for (name, text) in pipeline { try folder.write(text, to: name) }
        let stage = Mock.finish("stage") { (_, context) throws(Problem) in
            let path = path.replacing("FOLDER", with: folder.path)
            context.record("text", .string(String(decoding: try context.file(path), as: UTF8.self)))
            // Asked for twice, listed once.
            _ = try context.file(path)
        }
        return try MockRun([read, stage])
    }

    @Test func filesOfTheCaptureComeFirst() throws {
        let run = try Self.run(["box.json": Array("capture's".utf8)], pipeline: [:], reading: "box.json")
        #expect(run.counts("stage") == ["text": .string("capture's")])
        #expect(run.receipt.inputs.map(\.path) == ["box.json"])
        #expect(run.receipt.inputs.map(\.digest) == [Digest.of(Array("capture's".utf8))])
        #expect(run.receipt.inputs.map(\.byteCount) == [9])
    }

    @Test func otherFilesAreNamedByTheirPath() throws {
        let run = try Self.run([:], pipeline: ["sub/box.json": "beside"], reading: "FOLDER/sub/box.json")
        #expect(run.counts("stage") == ["text": .string("beside")])
    }

    @Test func aFileThatIsNotThere() throws {
        let failure = try #require(problem { _ = try Self.run([:], pipeline: [:], reading: "boxes/no.json") })
        #expect(
            failure.message() == """
                error: cannot read the file that the option names
                  --> boxes/no.json, stage stage
                   = cannot read the file: No such file or directory
                   = fix: the path starts at the capture's folder, or at the pipeline's
                """)
        #expect(failure.fault == .usage)
    }

    @Test func aFolderIsNoFile() throws {
        let failure = try #require(problem { _ = try Self.run([:], pipeline: ["sub/x": ""], reading: "FOLDER/sub") })
        #expect(failure.notes == ["this is not a regular file"])
    }

    @Test func countsAreSortedAndRecordsStandBehindThem() throws {
        let stage = Mock.finish("stage") { _, context in
            context.record("z", .of(1))
            context.count("b", 2)
            context.count("a", 1)
            context.count("b", 3)
            context.record("y", .of(2))
            context.record("z", .of(3))
            context.warn("second")
            context.warn("first")
            context.warn("second")
        }
        let run = try MockRun([.reader { Capture.mock(1) }, stage])
        #expect(run.counts("stage")?.keys == ["a", "b", "y", "z"])
        #expect(run.counts("stage") == ["a": .of(1), "b": .of(5), "y": .of(2), "z": .of(3)])
        #expect(run.receipt.warnings == ["stage: first", "stage: second"])
    }

    @Test func valuesOfTwoTypesCannotBeShared() throws {
        let stage = Mock.finish("stage") { (_, context) throws(Problem) in
            _ = try context.once { 1 }
            _ = try context.once { "one" }
        }
        #expect(problem { _ = try MockRun([.reader { Capture.mock(1) }, stage]) }?.fault == .tool)
    }
}
