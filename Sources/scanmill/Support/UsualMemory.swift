import ScanModel
import ScanPipeline

/// How much memory a capture takes in a pipeline, to plan with.
struct UsualMemory {
    /// Bytes, including ffmpeg's.
    let bytes: Int64
    /// Whether this is the most that captures of earlier runs took; else it is what the ready-made pipelines take.
    let isMeasured: Bool

    /// How many runs count, and among how many of the newest they are looked for, since each may list thousands of
    /// captures.
    private static let (runs, records) = (3, 20)
    private static let unmeasured: Int64 = 200_000_000

    /// Goes by the newest runs of the pipeline that made a result.
    init(of pipeline: Pipeline, in state: StateFolder) {
        var peaks: [Int64] = []
        for name in RunRecord.names(in: state).suffix(Self.records).reversed() where peaks.count < Self.runs {
            let run = RunFacts(name, in: state)
            guard run.pipeline?["name"]?.string == pipeline.name else { continue }
            if let peak = run.entries.compactMap({ $0.share?.peakBytes }).max() { peaks.append(peak) }
        }
        isMeasured = !peaks.isEmpty
        bytes = peaks.max() ?? Self.unmeasured
    }

    /// What is set aside for each capture where memory is limited: small captures on earlier nights promise nothing
    /// about tonight's.
    var reserve: Int64 { max(bytes, Self.unmeasured) }

    /// As part of a sentence.
    var text: String {
        isMeasured
            ? "captures of earlier runs took up to \(Console.size(bytes)) of memory"
            : "a capture usually takes up to \(Console.size(bytes)) of memory"
    }
}
