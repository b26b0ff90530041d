/// What a ``GeometryCheck`` found.
public struct GeometryVerdict: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable { case pass, warning, fail, undecided }

    public var outcome = Outcome.undecided
    /// How many pairs of frames were compared.
    public var pairCount: Int
    /// The median relative depth error under each hypothesis.
    public var errors: [GeometryHypothesis: Double]
    /// What fits better than what is declared.
    public var cause: GeometryHypothesis?
    /// The pairs whose own error is too large for sensor noise: if the others fit, the poses or the depth went wrong
    /// for a while.
    public var misfits: [GeometryCheck.Pair] = []
    /// The median of the frames' median depths, metres.
    public var medianDepth: Double?
    /// What depth has to be multiplied by to fit the positions best: near 1 where both are in one unit; nil where the pairs
    /// do not tell.
    public var depthScale: Double?
    /// How often a frame sees again what an earlier one saw, and is aligned with it.
    public var revisitCount = 0
    /// How far the path drifts, by ``PathDrift/typicalWorst``; nil where it fails: what drift is, only the right convention
    /// tells.
    public var drift: PathDrift.Revisit?
    /// Whether that makes surfaces double, and a change of the poses makes up for it.
    public private(set) var isDrifting = false
    /// Whether drift is all that it warns of.
    public private(set) var isSoundOtherwise = true
    /// In one sentence.
    public var reason = ""
}

extension GeometryVerdict {
    /// Decides.
    ///
    /// It passes when
    /// - the declared error is at most 2 %,
    /// - that of every pair is at most 10 %, and
    /// - every alternative is at least 4 times worse, except those that differ too little on most captures to show:
    ///   swapped cx and cy, ray-length depth, transposed rotations with OpenCV's axes.
    ///
    /// It fails when
    /// - an alternative has an error of at most 2 %, and half the declared error or less,
    /// - depth has such an error once it is multiplied by a factor that is more than 10 % from 1, or
    /// - depth is only plausible in another unit.
    ///
    /// Unless it fails, it warns of places that are seen again more than 4 % of the distance off, or whose surfaces are more
    /// than 1 % of it apart: the path drifts if a change of the poses makes up for it, as it does not for what sensors do.
    ///
    /// Depth that is large compared to the path fits whatever the positions are: another unit of depth is an
    /// alternative only if it gives a depth that scans have; otherwise a good fit means that the positions are wrong.
    /// - Parameters:
    ///   - evidence: the pairs that decide.
    ///   - isDeclared: whether these pairs are far enough apart by the declared poses, rather than only by their
    ///     inverses.
    ///   - medianDepth: the median of the frames' median depths, metres; nil without depth.
    ///   - drift: how frames that see a place again fit the earlier ones.
    ///   - isCorrectable: whether a ``DriftCorrection`` makes up for it; asked only where that decides.
    ///   - isMetric: whether a unit of the world is a metre.
    init(
        by evidence: GeometryCheck.Evidence, isDeclared: Bool, medianDepth: Double?, drift: PathDrift,
        isCorrectable: @autoclosure () -> Bool, isMetric: Bool
    ) {
        pairCount = evidence.pairs.count
        self.medianDepth = medianDepth
        errors = evidence.medians
        misfits = evidence.pairs.filter { $0.error ?? 0 > Self.misfit }.sorted {
            $0.frames.lowerBound < $1.frames.lowerBound
        }
        let best = isDeclared ? evidence.bestScale : nil
        depthScale = best?.factor
        let ruling = ruling(isDeclared: isDeclared, best)
        (outcome, cause, reason) = (ruling.outcome, ruling.cause, ruling.reason)
        revisitCount = drift.revisits.count
        if outcome == .fail { return }
        judge(drift, isCorrectable, isMetric: isMetric)
    }

    private mutating func judge(_ drift: PathDrift, _ isCorrectable: () -> Bool, isMetric: Bool) {
        self.drift = drift.typicalWorst
        guard let worst = self.drift else { return }
        let isOff = worst.share > Self.off
        guard isOff || drift.surfacesApart > Self.double else { return }
        isDrifting = isCorrectable()
        guard isDrifting || isOff else { return }
        isSoundOtherwise = outcome != .warning
        outcome = .warning
        let place = worst.text(isMetric: isMetric)
        if isDrifting {
            let apart = isOff ? "" : Self.text(apart: drift.surfacesApart)
            reason += "; the path drifts, which makes surfaces double: \(place)\(apart)"
        } else {
            reason +=
                "; \(place), and no correction of the poses brings the two together: depth may be off, or things were "
                + "moved"
        }
    }

    private static func text(apart share: Double) -> String {
        ", and what is seen again is \(percent(share)) of its distance apart"
    }

    /// The first ruling that applies decides.
    private func ruling(isDeclared: Bool, _ bestScale: (factor: Double, error: Double)?) -> Ruling {
        if let impossibleUnit { return impossibleUnit }
        if let tooFewPairs { return tooFewPairs }
        // Of two explanations the better one counts: on a path that is much too long, inverted poses may fit a little.
        let units = bestScale.flatMap { otherUnits($0.factor, $0.error) }
        if let better = betterAlternative(than: units == nil ? .infinity : bestScale?.error ?? .infinity) {
            return better
        }
        if let units { return units }
        // As declared, the camera hardly moves; if that is true, depth fits.
        if !isDeclared, declared <= Self.fits {
            return Ruling(.undecided, "the camera hardly moves, so that any convention fits")
        }
        return meaninglessPositions ?? nothingSeen ?? agreement
    }

    private struct Ruling {
        var outcome: Outcome
        var cause: GeometryHypothesis?
        var reason: String

        init(_ outcome: Outcome, cause: GeometryHypothesis? = nil, _ reason: String) {
            self.outcome = outcome
            self.cause = cause
            self.reason = reason
        }
    }

    // MARK: - The rulings

    private var impossibleUnit: Ruling? {
        guard let median = medianDepth else { return nil }
        let factor = GeometryCheck.unitFactor(median)
        if factor == 1 { return nil }
        return Ruling(
            .fail, cause: factor < 1 ? .depthBy1000 : .depthTimes1000,
            "\(GeometryCheck.text(ofMedian: median)), which no scan has")
    }

    /// Too few pairs to tell a cause, but perhaps enough to see that something is wrong.
    private var tooFewPairs: Ruling? {
        let needed = GeometryCheck.minPairs
        if pairCount >= needed { return nil }
        let few =
            "too few pairs of frames are far enough apart and see the same surfaces: \(pairCount), and \(needed) are "
            + "needed"
        if let doubt = medianDepth.flatMap(GeometryCheck.doubt)?.summary { return Ruling(.warning, "\(doubt); \(few)") }
        if pairCount >= Self.telling, declared.isFinite, declared > Self.fits {
            return Ruling(
                .warning,
                "depth of one frame fits the next within \(Self.percent(declared)), which is more than 2 %; \(few) to tell why"
            )
        }
        return Ruling(.undecided, few)
    }

    /// - Parameter limit: the error that it must be below.
    private func betterAlternative(than limit: Double) -> Ruling? {
        let alternatives = alternatives
        // Ties go to the hypothesis that stands first, so that the answer never depends on a dictionary's order.
        let best = GeometryHypothesis.allCases.filter { alternatives[$0] != nil }.min {
            (alternatives[$0] ?? 0) < (alternatives[$1] ?? 0)
        }
        guard let best, let error = alternatives[best], error < limit, isMuchBetter(error) else { return nil }
        return Ruling(
            .fail, cause: best, "depth fits \(Self.percent(error)) with it, and \(Self.percent(declared)) as declared")
    }

    /// Depth in another unit than the positions, whichever of them is wrong.
    private func otherUnits(_ factor: Double, _ error: Double) -> Ruling? {
        guard !(0.9...1.1).contains(factor), isMuchBetter(error) else { return nil }
        return Ruling(
            .fail,
            "depth fits \(Self.percent(error)) once it is multiplied by \(Self.text(factor)), and \(Self.percent(declared)) "
                + "as declared: it is in another unit than the positions")
    }

    /// A factor that was found by fitting, to the per cent.
    private static func text(_ factor: Double) -> String { factor.shortText(decimals: factor < 1 ? 3 : 2) }

    /// ``depthScale`` as it was meant where both should be metres: the ratio of two usual units within 3 % of it, or itself.
    package var likelyDepthScale: Double? {
        depthScale.map { factor in Self.usualRatios.first { abs(factor / $0 - 1) < 0.03 } ?? factor }
    }

    /// TUM's 5000 units a metre for millimetres, Replica's 6553.5, millimetres, centimetres, feet, and the other way
    /// round.
    private static let usualRatios = [5, 0.2, 6.5535, 1 / 6.5535, 1000, 100, 10, 0.1, 3.2808, 0.3048]

    /// Depth fits once it is so large that the path is negligible: as if the camera had only turned.
    private var meaninglessPositions: Ruling? {
        guard alternatives[.depthTimes1000] == nil, let still = errors[.depthTimes1000], isMuchBetter(still) else {
            return nil
        }
        return Ruling(
            .fail,
            "depth fits \(Self.percent(still)) as if the camera stood still, and \(Self.percent(declared)) with its "
                + "positions: they are in another unit than the depth, or wrong")
    }

    /// Depth that is pushed away is seen by every camera that looks the same way, and tells nothing if it fits nowhere.
    private var nothingSeen: Ruling? {
        guard errors.keys.allSatisfy({ $0 == .depthTimes1000 }),
            errors[.depthTimes1000] ?? .infinity > Self.misfit
        else { return nil }
        return Ruling(.undecided, "no two frames that are far enough apart see the same surfaces")
    }

    private var agreement: Ruling {
        let close = alternatives.filter { !Self.faint.contains($0.key) && $0.value < 4 * declared }
        if declared <= Self.fits, close.isEmpty {
            let fit = "depth of one frame fits the next within \(Self.percent(declared))"
            guard !misfits.isEmpty else { return Ruling(.pass, fit) }
            let pairs = misfits.map {
                "\($0.frames.lowerBound) to \($0.frames.upperBound) (\(Self.percent($0.error ?? 0)))"
            }
            return Ruling(
                .warning, "\(fit), but not in \(misfits.count.counted("pair")) of frames: \(pairs.listed(most: 8))")
        }
        let rivals = GeometryHypothesis.allCases.filter { close[$0] != nil }.map {
            "\($0.rawValue) \(Self.percent(close[$0] ?? 0))"
        }
        let fit =
            declared.isFinite
            ? "fits the next within \(Self.percent(declared))"
                + (declared > Self.fits ? ", which is more than 2 %" : "")
            : "does not fit the next at all"
        return Ruling(
            .warning,
            "depth of one frame \(fit)"
                + (rivals.isEmpty ? "" : "; not much better than \(rivals.joined(separator: ", "))"))
    }

    // MARK: - Thresholds

    /// So many pairs are no accident.
    private static let telling = 3

    /// Mistakes that change so little on most captures that they may fit nearly as well as what is right.
    private static let faint: Set<GeometryHypothesis> = [.swappedCentre, .rayDepth, .transposedRotationCV]

    /// The relative error of depth that fits.
    private static let fits = 0.02

    /// A median relative error of one pair above this is more than noise, people walking by, or a window.
    private static let misfit = 0.1

    /// A place that is seen again further off, relative to the distance, is off by more than sensors make it.
    package static let off = 0.04

    /// Surfaces that are seen again further apart, relative to the distance, show as two.
    private static let double = 0.01

    private var declared: Double { errors[.declared] ?? .infinity }

    /// The hypotheses other than what is declared, without units in which no scan has such depth.
    private var alternatives: [GeometryHypothesis: Double] {
        errors.filter { hypothesis, _ in
            if hypothesis == .declared { return false }
            guard let medianDepth, hypothesis.depthFactor != 1 else { return true }
            return GeometryCheck.usualMedians.contains(medianDepth * hypothesis.depthFactor)
        }
    }

    /// The median relative error under a hypothesis, as reasons give it: `0.61 %`.
    package func errorText(_ hypothesis: GeometryHypothesis) -> String {
        Self.percent(errors[hypothesis] ?? .infinity)
    }

    private func isMuchBetter(_ error: Double) -> Bool { error <= min(Self.fits, declared / 2) }

    private static func percent(_ share: Double) -> String {
        share.isFinite ? "\((share * 10_000).rounded() / 100) %" : "nowhere"
    }
}
