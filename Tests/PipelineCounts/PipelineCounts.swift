import Foundation
import ScanPipeline
import ScanStages

/// Takes a capture through a pipeline, on one core and in this process: for callgrind, which cannot follow the tool's
/// own processes. Arguments: the pipeline, the capture, the folder for the result.
@main
enum PipelineCounts {
    static func main() throws {
        let (file, capture, folder) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let pipeline = try Pipeline.load(text: text, path: file, library: .builtIn)
        let output = try OutputFolder(root: folder, id: "capture")
        let input = CaptureInput(id: "capture", path: capture, pipelineFolder: ".")
        let receipt = try Runner(pipeline: pipeline, workers: 1, tool: "test").run(input, into: output)
        try output.publish(receipt: receipt.bytes)
    }
}
