import ScanModel
import ScanPipeline

/// What is usual in a batch and for its devices, against which ``FindingRules`` hold each capture.
struct BatchNorms {
    let captures: [CaptureFacts]
    /// Each device's usual sharpness in earlier runs, by the device's name.
    let sharpnessOfDevices: [String: Statistics.Band]
    let sharpness: Usual?
    let dropped: Usual?
    let depthShare: Usual?
    let depth: Usual?
    /// By format, since it depends on the sensor.
    let misfit: [String?: Usual]
    let pathLength: Usual?
    let speed: Usual?
    /// Warnings that most captures have, which say something about the batch and not about a capture.
    let commonWarnings: [(phrase: Phrase, count: Int)]
    /// What failed captures say, by their places.
    let failures: [Int: Phrase]
    /// The places of captures that were made from files of the same bytes, by these files.
    let twins: [Digest: [Int]]

    /// Nothing is common among one or two captures.
    private static let fewestForCommon = 3

    init(_ captures: [CaptureFacts], sharpnessOfDevices: [String: Statistics.Band]) {
        self.captures = captures
        self.sharpnessOfDevices = sharpnessOfDevices
        let results = captures.filter { $0.status == .ready }
        func usual(_ value: (CaptureFacts) -> Double?) -> Usual? { Usual(results.compactMap(value)) }
        sharpness = usual(\.measured.sharpness?.median)
        dropped = usual { $0.frames.map { 1 - $0.keptShare } }
        depthShare = usual(\.measured.depth?.share)
        // Lengths in a capture's own unit cannot be compared with others.
        depth = usual { $0.measured.depth.flatMap { $0.isMetric ? $0.median : nil } }
        misfit = Dictionary(grouping: results, by: \.format).compactMapValues { results in
            Usual(results.compactMap(\.measured.geometry?.error))
        }
        let metric = { (capture: CaptureFacts) in capture.measured.motion.flatMap { $0.isMetric ? $0 : nil } }
        pathLength = usual { metric($0)?.pathLength }
        speed = usual { metric($0)?.speed?.p90 }
        // Frames that a copy has lost are still on the device, however many copies were cut off.
        let warnings = { (capture: CaptureFacts) in
            capture.warnings.filter { capture.copyLosses[$0]?.frames == nil }
        }
        commonWarnings = Phrase.counted(results, warnings).filter {
            results.count >= Self.fewestForCommon && 2 * $0.count > results.count
        }
        .map { ($0.phrase, $0.count) }
        let failed = captures.enumerated().compactMap { index, capture in
            capture.problem.map { (index: index, text: $0.summary, id: capture.id) }
        }
        failures = Dictionary(
            uniqueKeysWithValues: zip(failed.map(\.index), Phrase.all(of: failed.map { ($0.text, $0.id) })))
        twins = captures.indices.reduce(into: [:]) { twins, index in
            // Not from an older result of one that waits.
            guard [.ready, .look].contains(captures[index].status), let inputs = captures[index].inputs else { return }
            twins[inputs, default: []].append(index)
        }
    }
}
