import ScanModel
import ScanPipeline

/// Where frames and time went: one stage over all results.
struct StageRow: Sendable {
    var label: String
    var framesIn: Int
    var framesOut: Int
    /// Why frames were dropped, the most frequent reason first.
    var reasons: [(reason: String, count: Int)]
    /// Captures that failed here.
    var failed: Int
    /// The time of the captures that ran in this run, summed over cores; nil when it is not known.
    var seconds: Double?

    var dropped: Int { framesIn - framesOut }

    /// In the order of the pipeline; stages of older pipelines whose results are still there come last.
    static func all(_ captures: [CaptureFacts], pipeline: JSONValue?) -> [StageRow] {
        var labels = Pipeline.labels(of: (pipeline?["stages"]?.array ?? []).compactMap { $0["name"]?.string })
        var losses: [String: [Phrase: (reason: Phrase, count: Int)]] = [:]
        var failures: [String: Int] = [:]
        var seconds: [String: Double] = [:]
        var source = 0
        for capture in captures {
            // A problem that names no stage was noticed when a file was opened, which is the reader's work.
            if let problem = capture.problem,
                let stage = problem.place.stage ?? (problem.fault == .input ? labels.first : nil)
            {
                failures[stage, default: 0] += 1
            }
            for time in capture.share?.times ?? [] { seconds[time.label, default: 0] += time.seconds }
            guard capture.hasResult, let frames = capture.frames else { continue }
            source += frames.source
            for loss in frames.losses {
                losses[loss.stage, default: [:]][loss.reason, default: (loss.reason, 0)].count += loss.count
                losses[loss.stage]?[loss.reason]?.reason.merge(loss.reason)
            }
        }
        for stage in losses.keys.sorted() where !labels.contains(stage) { labels.append(stage) }
        for label in [StageClock.digests, StageClock.publish] where seconds[label] != nil { labels.append(label) }
        var left = source
        return labels.map { label in
            let reasons = (losses[label] ?? [:]).values.map { (reason: $0.reason.text, count: $0.count) }
                .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
            let row = StageRow(
                label: label, framesIn: left, framesOut: left - reasons.reduce(0) { $0 + $1.count }, reasons: reasons,
                failed: failures[label] ?? 0, seconds: seconds[label])
            left = row.framesOut
            return row
        }
    }

    /// Not a stage: what is done before and after all of them.
    var isAround: Bool { label == StageClock.digests || label == StageClock.publish }
}
