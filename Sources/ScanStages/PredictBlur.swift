import ScanModel
import ScanPipeline

/// Predicts motion blur from how the camera moved while a picture was exposed.
public struct PredictBlur: ParcelStage {
    public static let card = StageCard(
        name: "predict-blur",
        summary: "Predict each picture's motion blur from its exposure and the camera's motion, in pixels.",
        details: """
            Blur is exposure × speed in the picture. The speed is the mean, over 5 × 5 points of the picture, of the
            motion field of a camera that moves through a static scene (H. C. Longuet-Higgins and K. Prazdny, 1980):
            about focal length × (turning rate ± speed / distance). The two add up where the camera is swung, and nearly
            cancel where it moves round what it looks at. Turning about the optical axis and moving along it are treated
            exactly. Velocities are central differences between the recorded frames before and after, whether or not an
            earlier stage has dropped them; a jump by itself, as `measure-motion` defines it, is left out.

            The distance is the median of the frame's depth, where it has any (below `decompress`), else `distance`;
            with neither, only turning counts, which predicts too much where the camera moves round an object. The
            exposure is that of the camera line, else `exposure`; with neither there is nothing to predict, and a
            warning says so.

            Only the motion of the hand is covered: blur from a lens out of focus, from moving things, and from a tremor
            too fast for the frame rate is not included. `correlation` is the rank correlation with the pictures' own
            scores, if `measure-blur` or `filter-blur` above has computed them: well below 0 where motion causes the
            blur.

            The receipt holds the distribution, `predicted` with at most 256 frames as `[frame, pixels]`, and where
            exposure and distance came from. `filter-motion` can drop frames by this prediction.
            """,
        example: "- predict-blur: {distance: 1.5, exposure: 16.7}", revision: 5)

    let exposure: Double?
    let distance: Double?
    let jumps: Trajectory.JumpLimits

    public init(_ options: inout OptionReader) {
        exposure = options.number(
            "exposure", "Exposure of pictures for which none is recorded.", in: 0.001...10_000,
            usual: 0.02...1000, unit: "ms")
        distance = options.number(
            "distance", "Distance to what is filmed, for frames without depth.", in: 0.001...1e6,
            usual: 0.05...200, unit: "m")
        jumps = Trajectory.JumpLimits(&options)
    }

    public var bindsFrames: Bool { false }

    public var uses: Uses {
        Uses(
            frame: .init(wants: [.depth]),
            fold: .init(
                needs: [.frames, .pose, .intrinsics, .timestamp], wants: [.exposure, .sharpness],
                makes: [.predictedBlur]),
            isMeasurement: true)
    }

    /// - Returns: the frame's median depth, metres; nil where it has none.
    public func parcel(of frame: inout Frame, in context: StageContext) -> Double? {
        guard let depth = frame.depth else { return nil }
        var histogram = DepthHistogram()
        histogram.add(depth)
        return histogram.quantile(0.5)
    }

    /// What each frame says when its turn comes, by its index.
    public struct Seen: Sendable {
        /// The median depth of each frame that has any, metres.
        var medians: [Int: Double] = [:]
        /// The scores of stages above; by the end, a stage below may have scored again.
        var sharpness: [Int: Double] = [:]
    }

    public func begin(_ context: StageContext) -> Seen { Seen() }

    public func fold(_ median: Double?, of frame: inout Frame, into seen: inout Seen, in context: StageContext) {
        seen.medians[frame.index] = median
        seen.sharpness[frame.index] = frame.sharpness
    }

    public func end(_ seen: consuming Seen, _ capture: inout Capture, in context: StageContext) {
        let (medians, sharpness) = (seen.medians, seen.sharpness)
        // What a stage above predicted would otherwise be taken for this stage's prediction.
        for index in capture.frames.indices { capture.frames[index].predictedBlur = nil }
        let trajectory = Trajectory(capture.frames, jumps: jumps.applied(to: capture))
        var sources = (exposure: Set<String>(), distance: Set<String>())
        var predicted: [(frame: Int, pixels: Double, sharpness: Double?)] = []
        for facts in capture.keptFrames {
            guard let camera = facts.intrinsics, let velocity = trajectory.velocity(at: facts.index),
                let seconds = facts.exposure.map({ Double($0) / 1e9 }) ?? exposure.map({ $0 / 1e3 })
            else { continue }
            let depth = medians[facts.index] ?? distance
            let pixels = MotionField(camera: camera, velocity: velocity).meanSpeed(depth: depth) * seconds
            guard pixels.isFinite else { continue }
            sources.exposure.insert(facts.exposure == nil ? "option" : "recorded")
            sources.distance.insert(medians[facts.index] != nil ? "depth" : distance != nil ? "option" : "none")
            predicted.append((facts.index, pixels, sharpness[facts.index]))
            capture.frames[facts.index].predictedBlur = pixels
        }
        guard let pixels = Distribution(predicted.map(\.pixels)) else { return sayWhyNot(capture, context) }
        if let distance, sources.distance.contains("option") {
            context.warnUnlessMetric(capture, "\(OptionText.number(distance)) m may be anything")
        }
        context.record("pixels", Measurement.object(pixels))
        context.record("exposure-from", .of(sources.exposure.sorted()))
        context.record("distance-from", .of(sources.distance.sorted()))
        let scored = predicted.filter { $0.sharpness != nil }
        let correlation = Distribution.rankCorrelation(scored.map(\.pixels), scored.map { $0.sharpness ?? 0 })
        if let correlation { context.record("correlation", Measurement.number(correlation, digits: 3)) }
        let list = predicted.thinned(to: Measurement.listLimit)
        context.record(
            "predicted", .array(list.map { .array([.of($0.frame), Measurement.number($0.pixels, digits: 4)]) }))
    }

    private func sayWhyNot(_ capture: Capture, _ context: StageContext) {
        let hasExposure = exposure != nil || capture.keptFrames.contains { $0.exposure != nil }
        let reason =
            hasExposure
            ? "no two frames in a row have poses and times in order, without a jump between them"
            : "the capture does not record its exposure"
        context.recordUnmeasured(reason)
        context.warn("no blur was predicted: \(reason)\(hasExposure ? "" : "; give it with `exposure`")")
    }
}
