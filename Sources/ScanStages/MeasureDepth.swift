import ScanModel
import ScanPipeline

/// Measures how far away things are.
public struct MeasureDepth: ParcelStage {
    public static let card = StageCard(
        name: "measure-depth",
        summary: "Measure the range of depth, how much of it there is, and how much the recorder trusts it.",
        details: """
            Over all pixels with depth in the remaining frames: `lowest` and `highest` exactly, `p05`, `median` and
            `p95` to 5 mm, and beyond 20 m to a 512th of the distance. `share-with-depth` is the share of such pixels
            among all depth pixels. `histogram` has at most 60 bins of `step` metres starting at 0, as wide as the depth
            needs; the last one also holds everything farther.

            `confidence` counts the recorded pixels by level, as `mask-confidence` defines them: for iOS's 0, 1 and 2
            these are low, medium and high.

            Depth is measured as it is at this point: below `decompress` as recorded, below a mask what the mask left. A
            median below 0.2 m or above 10 m, which hardly any scan has, causes a warning: unless a mask above is the
            reason, the unit may not be the declared one. Where the world's unit is unknown, `is-metric` is false, and
            all of this is in that unit.
            """,
        example: "- measure-depth", revision: 5)

    private static let binLimit = 60

    /// What is known about some frames' depth.
    public struct Tally: Sendable {
        var depth = DepthHistogram()
        /// Pixels of confidence low, medium and high.
        var levels = [0, 0, 0]
        /// Frames without a single pixel of depth.
        var emptyFrames = 0
    }

    public init(_ options: inout OptionReader) {}

    public var uses: Uses { Uses(frame: .init(needs: [.depth], wants: [.confidence])) }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Tally {
        let depth = try frame.requiredDepth
        var tally = Tally()
        tally.depth.add(depth)
        if let confidence = frame.confidence { tally.levels = confidence.levelCounts }
        tally.emptyFrames = tally.depth.validCount == 0 ? 1 : 0
        return tally
    }

    /// A frame's depth stays valid, whatever a later stage finds wrong with its picture.
    public var bindsFrames: Bool { false }

    public func begin(_ context: StageContext) -> Tally { Tally() }

    public func fold(_ tally: Tally, of frame: inout Frame, into all: inout Tally, in context: StageContext) {
        all.depth.add(tally.depth)
        for level in all.levels.indices { all.levels[level] += tally.levels[level] }
        all.emptyFrames += tally.emptyFrames
    }

    public func end(_ all: consuming Tally, _ capture: inout Capture, in context: StageContext) {
        let depth = all.depth
        context.recordUnlessMetric(capture)
        if let p05 = depth.quantile(0.05), let median = depth.quantile(0.5), let p95 = depth.quantile(0.95) {
            context.record(
                "depth-m",
                .object([
                    "lowest": Measurement.number(depth.lowest), "p05": Measurement.number(p05),
                    "median": Measurement.number(median), "p95": Measurement.number(p95),
                    "highest": Measurement.number(depth.highest),
                ]))
            if capture.isMetric, let (summary, cause) = GeometryCheck.doubt(ofMedian: median) {
                context.warn([summary, cause].compactMap(\.self).joined(separator: ": "))
            }
        } else {
            context.recordUnmeasured("no pixel has depth")
        }
        let (step, pixels) = depth.coarse(atMost: Self.binLimit)
        context.record("histogram", .object(["from": .of(0), "step": .number(step), "pixels": .of(pixels)]))
        context.record("share-with-depth", Measurement.number(depth.shareWithDepth, digits: 4))
        context.record("frames-without-depth", .of(all.emptyFrames))
        let levels = all.levels
        if levels.contains(where: { $0 > 0 }) {
            context.record(
                "confidence", .object(["low": .of(levels[0]), "medium": .of(levels[1]), "high": .of(levels[2])]))
        }
    }
}
