/// Tells whether poses, intrinsics and depth of a capture fit together: depth of one frame is carried into a later one,
/// as declared and under the usual mistakes, and compared with what is there.
///
/// Frames come in order; of up to 32 of them a thinned depth map (at most 64 × 48 values) is kept until its partner
/// comes: the first later frame that stands at least 8 % of the median depth away and sees at least half of it.
/// Neighbouring frames could not tell: at one frame apart nearly every hypothesis fits.
public struct GeometryCheck: Sendable {
    public static let maxPairs = 32
    public static let minPairs = 8
    private static let baselineShare = 0.08
    private static let minOverlap = 0.5
    /// Pixels of a thinned map in a row and in a column.
    private static let grid = (columns: 64, rows: 48)

    /// A frame that waits for its partner.
    private struct Start: Sendable {
        var view: CameraView
        var size: PixelSize
        /// Coordinates of pixel centres, and depth in metres.
        var pixels: [(u: Double, v: Double, z: Double)]
        /// In metres that are plausible, even where the declared ones are not.
        var medianDepth: Double
        /// Has a partner as far away as the declared poses say, and as their inverse says.
        var isPaired = (declared: false, inverse: false)
    }

    /// Relative errors of carried depth, under each hypothesis.
    private struct Evidence: Sendable {
        var pairCount = 0
        var errors: [GeometryHypothesis: [Float]] = [:]

        mutating func add(_ more: [GeometryHypothesis: [Float]]) {
            pairCount += 1
            for (hypothesis, values) in more { errors[hypothesis, default: []] += values }
        }

        /// The median relative error under each hypothesis. One that carries hardly anything into the pictures says nothing.
        var medians: [GeometryHypothesis: Double] {
            let most = errors.values.map(\.count).max() ?? 0
            return errors.filter { $0.value.count * 4 >= most && !$0.value.isEmpty }.mapValues { values in
                Double(values.sorted()[values.count / 2])
            }
        }
    }

    /// Source frames at or behind which the next start is due.
    private var due: ArraySlice<Int>
    private var starts: [Start] = []
    private var byDeclared = Evidence()
    /// Pairs that only the inverse of the declared poses puts apart: on a round about an object, inverted poses stand
    /// still.
    private var byInverse = Evidence()
    private var medians: [Double] = []

    /// - Parameter frameCount: of the source.
    public init(frameCount: Int) {
        let count = min(Self.maxPairs, frameCount)
        due = (0..<count).map { $0 * frameCount / count }[...]
    }

    /// Takes the next frame.
    /// - Parameters:
    ///   - depth: in metres, 0 for "no value".
    ///   - view: the depth map's own camera, for the pictures' size where depth is aligned with them, and `worldFromCamera`.
    public mutating func add(index: Int, depth: DepthMap, view: CameraView) {
        for number in starts.indices { pair(number, depth, view) }
        starts.removeAll { $0.isPaired.declared && $0.isPaired.inverse }
        guard let next = due.first, index >= next else { return }
        while let next = due.first, next <= index { due.removeFirst() }
        guard let start = Self.start(depth, view) else { return }
        medians.append(start.medianDepth)
        var waiting = start
        waiting.medianDepth *= Self.unitFactor(start.medianDepth)
        starts.append(waiting)
    }

    private static func start(_ depth: DepthMap, _ view: CameraView) -> Start? {
        let step = (
            max(1, (depth.width + grid.columns - 1) / grid.columns), max(1, (depth.height + grid.rows - 1) / grid.rows)
        )
        var pixels: [(u: Double, v: Double, z: Double)] = []
        for v in stride(from: step.1 / 2, to: depth.height, by: step.1) {
            for u in stride(from: step.0 / 2, to: depth.width, by: step.0) {
                let z = depth.metres[v * depth.width + u]
                if z > 0 { pixels.append((Double(u) + 0.5, Double(v) + 0.5, Double(z))) }
            }
        }
        guard pixels.count >= 50 else { return nil }
        let median = pixels.map(\.z).sorted()[pixels.count / 2]
        return Start(
            view: view, size: PixelSize(depth.width, depth.height), pixels: pixels, medianDepth: median)
    }

    /// What depth has to be multiplied with to be plausible for a scan (0.2 to 10 m); 1 where nothing makes it so.
    private static func unitFactor(_ median: Double) -> Double {
        if usualMedians.contains(median) { return 1 }
        return [1e-3, 1e3].first { usualMedians.contains(median * $0) } ?? 1
    }

    /// The median depth of scans, metres.
    fileprivate static let usualMedians = 0.2...10.0

    // MARK: - Pairs

    private mutating func pair(_ number: Int, _ depth: DepthMap, _ view: CameraView) {
        let start = starts[number]
        let needed = Self.baselineShare * start.medianDepth
        let isApart = (view.pose.position - start.view.pose.position).length >= needed
        let isInverseApart =
            (view.pose.inverse.position - start.view.pose.inverse.position).length >= needed
        let wanted = (
            declared: isApart && !start.isPaired.declared, inverse: isInverseApart && !start.isPaired.inverse
        )
        guard wanted.declared || wanted.inverse else { return }
        var errors: [GeometryHypothesis: [Float]] = [:]
        var best = 0.0
        for hypothesis in GeometryHypothesis.allCases where hypothesis.differs(view.camera, start.size) {
            let carried = Self.carry(start, into: depth, view, hypothesis)
            best = max(best, Double(carried.count) / Double(start.pixels.count))
            errors[hypothesis] = carried
        }
        guard best >= Self.minOverlap else { return }
        if wanted.declared {
            starts[number].isPaired.declared = true
            byDeclared.add(errors)
        }
        if wanted.inverse {
            starts[number].isPaired.inverse = true
            byInverse.add(errors)
        }
    }

    /// |z − d| / d of every pixel of `start` that falls on a pixel with depth d.
    private static func carry(
        _ start: Start, into depth: DepthMap, _ view: CameraView, _ hypothesis: GeometryHypothesis
    ) -> [Float] {
        let size = PixelSize(depth.width, depth.height)
        let (from, to) = (hypothesis.camera(start.view.camera, start.size), hypothesis.camera(view.camera, size))
        let targetFromStart = hypothesis.pose(view.pose).inverse * hypothesis.pose(start.view.pose)
        let factor = hypothesis.depthFactor
        let isRay = hypothesis == .rayDepth
        var errors: [Float] = []
        errors.reserveCapacity(start.pixels.count)
        for pixel in start.pixels {
            let (x, y) = ((pixel.u - from.cx) / from.fx, (pixel.v - from.cy) / from.fy)
            var z = pixel.z * factor
            if isRay { z /= (x * x + y * y + 1).squareRoot() }
            let p = targetFromStart.apply(Vector3(x * z, -y * z, -z))
            guard p.z < 0 else { continue }
            let (u, v) = (to.fx * p.x / -p.z + to.cx, to.cy - to.fy * p.y / -p.z)
            guard u >= 0, v >= 0, u < Double(depth.width), v < Double(depth.height) else { continue }
            var there = Double(depth.metres[Int(v) * depth.width + Int(u)]) * factor
            guard there > 0 else { continue }
            if isRay {
                let (x, y) = ((u - to.cx) / to.fx, (v - to.cy) / to.fy)
                there /= (x * x + y * y + 1).squareRoot()
            }
            errors.append(Float(abs(-p.z - there) / there))
        }
        return errors
    }
}

/// What a ``GeometryCheck`` found.
public struct GeometryVerdict: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable { case pass, warning, fail, undecided }

    public var outcome: Outcome
    public var pairCount: Int
    /// The median relative depth error under each hypothesis.
    public var errors: [GeometryHypothesis: Double]
    /// What fits better than what is declared.
    public var cause: GeometryHypothesis?
    /// The median of the frames' median depths, metres.
    public var medianDepth: Double?
    /// In one sentence.
    public var reason: String
}

extension GeometryCheck {
    /// Decides. Passing means an error of at most 2 % and every alternative at least 4 times worse (swapped cx and cy and the
    /// length of rays apart: on most cameras they differ too little to show); failing means an alternative at half the
    /// declared error or less and at most 2 %, or depth that is only plausible in another unit. Depth that is large against
    /// the path fits whatever the positions are: another unit of depth is an alternative only where a scan has such depth,
    /// and else says that the positions are at fault.
    public func verdict() -> GeometryVerdict {
        let isDeclared = byDeclared.pairCount >= Self.minPairs
        let evidence = isDeclared ? byDeclared : byInverse
        let errors = evidence.medians
        let median = medians.isEmpty ? nil : medians.sorted()[medians.count / 2]
        var verdict = GeometryVerdict(
            outcome: .undecided,
            pairCount: isDeclared ? byDeclared.pairCount : max(byDeclared.pairCount, byInverse.pairCount),
            errors: errors, medianDepth: median, reason: "")
        if let median, Self.unitFactor(median) != 1 {
            verdict.outcome = .fail
            verdict.cause = Self.unitFactor(median) < 1 ? .depthBy1000 : .depthTimes1000
            let side = Self.unitFactor(median) < 1 ? "beyond" : "within"
            verdict.reason = "half of the depth is \(side) \(Self.text(median)) m, which no scan has"
            return verdict
        }
        guard evidence.pairCount >= Self.minPairs else {
            verdict.reason =
                "only \(evidence.pairCount) pairs of frames stand far enough apart and see the same; \(Self.minPairs) are needed"
            return verdict
        }
        let alternatives = errors.filter { $0.key != .declared && Self.isPlausible($0.key, median) }
        // Ties go to the hypothesis that stands first, so that the answer never depends on a dictionary's order.
        let best = GeometryHypothesis.allCases.filter { alternatives[$0] != nil }.min {
            (alternatives[$0] ?? 0) < (alternatives[$1] ?? 0)
        }
        let declared = errors[.declared] ?? .infinity
        if let best, let error = alternatives[best], error <= min(Self.fits, declared / 2) {
            verdict.outcome = .fail
            verdict.cause = best
            verdict.reason = "depth fits \(Self.percent(error)) with it, and \(Self.percent(declared)) as declared"
            return verdict
        }
        // Depth so large that the path is nothing against it: as if the camera had only turned.
        if isDeclared, alternatives[.depthTimes1000] == nil, let still = errors[.depthTimes1000],
            still <= min(Self.fits, declared / 2)
        {
            verdict.outcome = .fail
            verdict.reason =
                "depth fits \(Self.percent(still)) as if the camera stood still, and \(Self.percent(declared)) with its "
                + "positions: they are in another unit than the depth, or wrong"
            return verdict
        }
        guard isDeclared else {
            verdict.reason = "the camera hardly moves, so that any convention fits"
            return verdict
        }
        let close = alternatives.filter { ![.swappedCentre, .rayDepth].contains($0.key) && $0.value < 4 * declared }
        if declared <= Self.fits, close.isEmpty {
            verdict.outcome = .pass
            verdict.reason = "depth of one frame fits the next within \(Self.percent(declared))"
            return verdict
        }
        verdict.outcome = .warning
        let rivals = GeometryHypothesis.allCases.filter { close[$0] != nil }.map {
            "\($0.rawValue) \(Self.percent(close[$0] ?? 0))"
        }
        verdict.reason =
            "depth of one frame fits the next within \(Self.percent(declared))"
            + (declared > Self.fits ? ", which is more than 2 %" : "")
            + (rivals.isEmpty ? "" : "; not much better than \(rivals.joined(separator: ", "))")
        return verdict
    }

    /// The relative error of depth that fits.
    private static let fits = 0.02

    /// Whether a scan has depth such as a hypothesis about its unit makes it.
    private static func isPlausible(_ hypothesis: GeometryHypothesis, _ median: Double?) -> Bool {
        guard let median, hypothesis.depthFactor != 1 else { return true }
        return usualMedians.contains(median * hypothesis.depthFactor)
    }

    private static func percent(_ share: Double) -> String {
        share.isFinite ? "\((share * 10_000).rounded() / 100) %" : "nowhere"
    }

    private static func text(_ value: Double) -> String { String((value * 1000).rounded() / 1000) }
}
