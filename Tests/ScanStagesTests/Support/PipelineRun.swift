import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import TestSupport

/// One capture, taken through a pipeline and published in a folder of its own.
struct PipelineRun {
    /// The published folder.
    let path: String
    let receipt: JSONValue
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - stages: the lines below `stages:`.
    ///   - id: the capture's id, where it is not its folder's name.
    ///   - more: stages of the test's own.
    init(
        _ stages: String, on capture: String, id: String? = nil, workers: Int = 2, with more: [StageLibrary.Entry] = []
    ) throws {
        let pipeline = try Pipeline.load(
            text: "name: test\nstages:\n\(stages)\n", path: "test.yaml",
            library: StageLibrary(StageLibrary.builtIn.entries + more))
        folder = try TemporaryFolder()
        let id = id ?? URL(fileURLWithPath: capture).lastPathComponent
        let output = try OutputFolder(root: folder.path, id: id)
        do throws(Problem) {
            let receipt = try Runner(pipeline: pipeline, workers: workers, tool: "test")
                .run(CaptureInput(id: id, path: capture), into: output)
            try output.publish(receipt: receipt.bytes)
            self.receipt = try JSONValue.parse(receipt.bytes, file: "receipt.json")
            Claims.check(self.receipt, of: pipeline)
        } catch {
            output.abandon()
            throw error
        }
        path = output.publishedPath
    }

    /// The problem that a run ends with, or nil.
    static func problem(_ stages: String, on capture: String) throws -> Problem? {
        do {
            _ = try PipelineRun(stages, on: capture)
            return nil
        } catch let problem as Problem { return problem }
    }

    /// The mistakes of a pipeline and what to do about them.
    static func mistakes(_ stages: String) -> [String] {
        do throws(PipelineMistakes) {
            _ = try Pipeline.load(text: "name: test\nstages:\n\(stages)\n", path: "test.yaml", library: .builtIn)
            return []
        } catch { return error.problems.map { "\($0.summary); \($0.fix ?? "")" } }
    }

    func bytes(_ file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(file)")))
    }

    func text(_ file: String) throws -> String { String(decoding: try bytes(file), as: UTF8.self) }

    func json(_ file: String) throws -> JSONValue { try JSONValue.parse(try bytes(file), file: file) }

    /// Every file's digest, by its path, as the receipt lists them.
    var digests: [String: String] {
        (receipt["files"]?.array ?? []).reduce(into: [:]) { $0[$1["path"]?.string ?? ""] = $1["sha256"]?.string }
    }

    var files: [String] { digests.keys.sorted() }

    var warnings: [String] { (receipt["warnings"]?.array ?? []).compactMap(\.string) }

    /// What follows from the pipeline.
    var notes: [String] { (receipt["notes"]?.array ?? []).compactMap(\.string) }

    func counts(_ stage: String) -> JSONObject {
        (receipt["stages"]?.array ?? []).first { $0["name"]?.string == stage }?["counts"]?.object ?? JSONObject()
    }

    /// What a stream inflates to, by Python's zlib.
    func inflated(_ file: String) throws -> [UInt8] { try Self.inflated("\(path)/\(file)") }

    static func inflated(_ path: String) throws -> [UInt8] {
        // Into a file: what a command prints is also decoded as text, which takes long for megabytes of binary data.
        let folder = try TemporaryFolder()
        let script =
            "import sys, zlib; open(sys.argv[2], 'wb').write(zlib.decompress(open(sys.argv[1], 'rb').read(), -15))"
        let result = try runPython(script, [path, folder.url("inflated").path])
        if result.status != 0 { throw Problem(.tool, result.errors) }
        return try folder.bytes("inflated")
    }
}

/// A ``MiniCapture`` on disk, for as long as somebody holds it.
struct MiniSource {
    let mini: MiniCapture
    let path: String
    private let folder: TemporaryFolder

    init(_ change: (inout MiniCapture) -> Void = { _ in }) throws {
        var mini = MiniCapture()
        change(&mini)
        folder = try TemporaryFolder()
        path = try mini.write(in: folder)
        self.mini = mini
    }

    func bytes(_ file: String) throws -> [UInt8] { try folder.bytes("\(mini.id)/\(file)") }

    /// Replaces a file's content.
    func write(_ bytes: [UInt8], to file: String) throws { try folder.write(bytes, to: "\(mini.id)/\(file)") }
}

/// A MultiScan capture as ScanMill reads it, with the depth and confidence of every frame.
struct ReadCapture {
    let capture: Capture
    private(set) var depth: [RecordedDepth] = []
    private(set) var confidence: [ConfidenceMap] = []

    init(_ path: String) throws {
        capture = try MultiScanCapture.open(CaptureFolder(path: path), rules: ReadRules())
        let tracks = try capture.source.tracks(for: [.recordedDepth, .recordedConfidence], of: capture)
        for facts in capture.frames {
            var frame = Frame(facts)
            for track in tracks { try track.advance(&frame, isWanted: true) }
            if let map = frame.recordedDepth { depth.append(map) }
            if let map = frame.recordedConfidence { confidence.append(map) }
        }
        for track in tracks { _ = try track.finish() }
    }
}
