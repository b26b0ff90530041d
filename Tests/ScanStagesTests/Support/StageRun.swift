import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import TestSupport

/// The result of taking a capture through a few stages: the receipt, the files, and what a probe after the last stage
/// saw.
struct StageRun {
    let receipt: JSONValue
    /// The capture as it was at the end.
    let capture: Capture
    /// The frames that reached the end, in order.
    let frames: [Frame]
    /// The published folder.
    let path: String
    private let folder: TemporaryFolder

    /// Runs stages on a capture in memory.
    /// - Parameters:
    ///   - stages: the lines of a pipeline after the reader: `- mask-range: {near: 1}`.
    ///   - probing: the channels that the probe asks for.
    ///   - pipelineFolder: the folder in which the pipeline is said to be.
    init(
        _ stages: String, on capture: MemoryCapture, workers: Int = 1,
        probing: [Channel] = [.depth, .confidence, .points], pipelineFolder: String = "."
    ) throws {
        let given = capture.capture
        let reader = StageLibrary.Entry(card: HandIn.card) { _ in HandIn(given) }
        let input = CaptureInput(id: "memory", path: "nowhere", pipelineFolder: pipelineFolder)
        try self.init("- hand-in\n" + stages, reader, input, workers, probing)
    }

    /// Runs stages, the first of which is `read`, on a capture on disk.
    init(
        _ stages: String, reading path: String, workers: Int = 1, probing: [Channel] = [.depth, .confidence, .points],
        pipelineFolder: String = "."
    ) throws {
        let id = path.split(separator: "/").last.map(String.init) ?? path
        let input = CaptureInput(id: id, path: path, pipelineFolder: pipelineFolder)
        try self.init(stages, StageLibrary.Entry(HandIn.self), input, workers, probing)
    }

    private init(
        _ stages: String, _ reader: StageLibrary.Entry, _ input: CaptureInput, _ workers: Int, _ probing: [Channel]
    ) throws {
        let log = Probe.Log()
        let probe = StageLibrary.Entry(card: Probe.card) { _ in Probe(probing, log) }
        let pipeline = try Self.pipeline(stages + "\n- probe", [reader, probe])
        folder = try TemporaryFolder()
        let output = try OutputFolder(root: folder.path, id: input.id)
        do {
            let receipt = try Runner(pipeline: pipeline, workers: workers, tool: "test").run(input, into: output)
            try output.publish(receipt: receipt.bytes)
            self.receipt = try JSONValue.parse(receipt.bytes, file: "receipt.json")
            Claims.check(self.receipt, of: pipeline)
        } catch {
            output.abandon()
            throw error
        }
        capture = log.capture
        frames = log.frames
        path = output.publishedPath
    }

    private static func pipeline(_ stages: String, _ more: [StageLibrary.Entry]) throws(PipelineMistakes) -> Pipeline {
        try Pipeline.load(
            text: "stages:\n\(stages)\n", path: "test.yaml", library: StageLibrary(StageLibrary.builtIn.entries + more))
    }

    /// The mistakes that are found in stages before anything runs: their summaries.
    static func mistakes(in stages: String) -> [String] {
        do throws(PipelineMistakes) {
            _ = try pipeline(
                "- hand-in\n" + stages, [StageLibrary.Entry(HandIn.self), StageLibrary.Entry(Probe.self)])
            return []
        } catch { return error.problems.map(\.summary) }
    }

    /// The problem with which a run would end before it looks at a frame, as a plan tells it; nil where it begins.
    static func refusal(_ stages: String, of capture: MemoryCapture) throws -> Problem? {
        let given = capture.capture
        let reader = StageLibrary.Entry(card: HandIn.card) { _ in HandIn(given) }
        let pipeline = try Self.pipeline("- hand-in\n" + stages, [reader])
        return Runner(pipeline: pipeline, workers: 1, tool: "test")
            .refusal(of: CaptureInput(id: "memory", path: "nowhere"))
    }

    // MARK: - What came out

    func bytes(_ file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(file)")))
    }

    func text(_ file: String) throws -> String { String(decoding: try bytes(file), as: UTF8.self) }

    /// The files of the result other than the receipt, as the receipt lists them.
    var files: [String] { (receipt["files"]?.array ?? []).compactMap { $0["path"]?.string } }

    /// What a stage left in the receipt.
    func counts(_ label: String) -> JSONObject {
        receipt["stages"]?.array?.first { $0["name"]?.string == label }?["counts"]?.object ?? JSONObject()
    }

    func count(_ label: String, _ name: String) -> Int? { counts(label)[name]?.integer.map { Int($0) } }

    /// The numbers of the frames that are left.
    var kept: [Int] { capture.keptFrames.map(\.index) }

    /// Dropped frames as "1 filter-blur: reason".
    var drops: [String] {
        (receipt["frames"]?["dropped"]?.array ?? []).map {
            "\($0["frame"]?.integer ?? -1) \($0["stage"]?.string ?? ""): \($0["reason"]?.string ?? "")"
        }
    }

    var warnings: [String] { (receipt["warnings"]?.array ?? []).compactMap(\.string) }
}
