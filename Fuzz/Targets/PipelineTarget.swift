import ScanModel
import ScanPipeline
import ScanStages

extension FuzzTarget {
    /// A pipeline file. What follows a zero byte is the text of a `--set`.
    static let pipeline = FuzzTarget("pipeline") { bytes in
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
        do throws(Problem) {
            let settings = parts.dropFirst().map { String(decoding: $0, as: UTF8.self) }
            let text = try PipelineFile.text(of: parts[0], path: "file")
            do throws(PipelineMistakes) {
                let pipeline = try Pipeline.load(text: text, path: "file", settings: settings, library: .builtIn)
                _ = JSONWriter.text(pipeline.resolved)
            } catch {
                expect(!error.problems.isEmpty, "a pipeline that is refused has a mistake")
                expect(error.problems.allSatisfy { !$0.compilerStyle.isEmpty }, "mistakes are said")
            }
        } catch { expect(error.fault == .usage && !error.compilerStyle.isEmpty, "only the text is at fault") }
    }
}
