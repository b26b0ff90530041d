/// Tells whether poses, intrinsics and depth of a capture fit together: depth of one frame is carried into a later one,
/// as declared and under the usual mistakes, and compared with the depth there.
///
/// Frames come in order; for up to 32 of them, a thinned depth map (at most 64 × 48 values) is kept until its partner
/// comes: the first later frame that is at least 8 % of the median depth away and sees at least half of the map.
/// Neighbouring frames would not do: one frame apart, nearly every hypothesis fits.
public struct GeometryCheck: Sendable {
    private static let maxPairs = 32
    static let minPairs = 8
    private static let baselineShare = 0.08
    private static let minOverlap = 0.5
    /// A median of fewer pixels tells nothing.
    private static let leastPixels = 50
    /// Pixels per row and per column of a thinned map.
    private static let grid = (columns: 64, rows: 48)
    /// What depth is multiplied by to find the factor with which it fits the positions, in steps of 2^(1/5): from 1/16 to
    /// 2000, as positions are often in millimetres, and hardly ever in kilometres.
    static let scales: [Double] = {
        let up = (0..<55).reduce(into: [1.0]) { scales, _ in scales.append(scales[scales.count - 1] * 1.148_698_355) }
        return up[1...20].reversed().map { 1 / $0 } + up
    }()
    /// For each factor, one pixel in so many of a thinned map is enough.
    private static let thinning = 10

    /// A frame that waits for its partner.
    private struct Start: Sendable {
        /// The frame's number.
        var index: Int
        var view: CameraView
        var size: PixelSize
        /// Coordinates of pixel centres, and depth in metres.
        var pixels: [(u: Double, v: Double, z: Double)]
        /// Metres as declared.
        var medianDepth: Double
        /// Whether it has a partner far enough away by the declared poses, and by their inverses.
        var isPaired = (declared: false, inverse: false)
        /// How often a frame far enough away saw too little of it, and for how many more frames it is not tried again:
        /// a camera that has moved on stays away for most of the capture.
        var failures = 0
        var rest = 0

        /// What depth has to be multiplied by to be plausible.
        var unit: Double { GeometryCheck.unitFactor(medianDepth) }

        /// Depth cannot be 1000 times too large where it would not be plausible then. Nor may this find it a partner: points
        /// that shrink into the camera are seen whole by whatever looks at the camera's place.
        func allows(_ hypothesis: GeometryHypothesis) -> Bool { hypothesis != .depthBy1000 || unit < 1 }
    }

    /// What became of a start's pixels under a hypothesis.
    fileprivate struct Carried {
        /// Relative errors, of those that fell on a pixel with depth.
        var errors: [Float] = []
        /// How many fell into the map at all: where depth has holes, that tells how much is seen.
        var insideCount = 0
    }

    /// A frame and the later one into which its depth was carried.
    public struct Pair: Hashable, Sendable {
        public var frames: ClosedRange<Int>
        /// The median relative error of depth as declared; nil if less than half of it fell into the later frame.
        public var error: Double?
    }

    /// Relative errors of carried depth, under each hypothesis.
    struct Evidence: Sendable {
        var pairs: [Pair] = []
        var errors: [GeometryHypothesis: [Float]] = [:]
        private var insideCounts: [GeometryHypothesis: Int] = [:]
        /// As declared but for a factor of depth, for each of ``GeometryCheck/scales``.
        private var scaled = GeometryCheck.scales.map { _ in Carried() }

        fileprivate mutating func add(_ pair: Pair, _ more: [GeometryHypothesis: Carried]) {
            pairs.append(pair)
            for (hypothesis, carried) in more {
                errors[hypothesis, default: []] += carried.errors
                insideCounts[hypothesis, default: 0] += carried.insideCount
            }
        }

        fileprivate mutating func add(scaled more: [Carried]) {
            for (number, carried) in more.enumerated() {
                scaled[number].errors += carried.errors
                scaled[number].insideCount += carried.insideCount
            }
        }

        /// The median relative error under each hypothesis, except those that carry hardly anything into the pictures.
        var medians: [GeometryHypothesis: Double] {
            let most = insideCounts.values.max() ?? 0
            return errors.filter {
                (insideCounts[$0.key] ?? 0) * 4 >= most && $0.value.count >= GeometryCheck.leastPixels
            }
            .compactMapValues { $0.middle.map(Double.init) }
        }

        /// The factor of depth with which it fits best, and the median relative error then; nil where other factors fit
        /// hardly worse, as where the camera only turns or looks at a wall.
        var bestScale: (factor: Double, error: Double)? {
            let most = scaled.map(\.insideCount).max() ?? 0
            let medians: [Double?] = scaled.map { carried in
                let tells = carried.insideCount * 4 >= most && carried.errors.count >= GeometryCheck.leastPixels
                return tells ? carried.errors.middle.map(Double.init) : nil
            }
            // A factor of 1.5 more or less must show.
            let reach = 3
            let least = medians.indices.min { medians[$0] ?? .infinity < medians[$1] ?? .infinity }
            guard let least, medians.indices.contains(least - reach), medians.indices.contains(least + reach),
                let error = medians[least], let before = medians[least - 1], let after = medians[least + 1],
                let low = medians[least - reach], let high = medians[least + reach],
                min(low, high) > 1.5 * error, max(before, after) > error
            else { return nil }
            // A factor of depth acts as one by it of the path, in proportion to which errors grow: two lines that meet.
            func path(_ step: Int) -> Double { 1 / GeometryCheck.scales[step] }
            let slope = max(
                (before - error) / (path(least - 1) - path(least)), (after - error) / (path(least) - path(least + 1)))
            let best = (path(least - 1) + path(least + 1) - (before - after) / slope) / 2
            return (1 / best, max(0, error - slope * abs(path(least) - best)))
        }
    }

    private let file: PoseInFile
    /// The frames that become starts.
    private var due: DueFrames
    private var starts: [Start] = []
    private var byDeclared = Evidence()
    /// Pairs that are far enough apart by the inverses of the declared poses: inverted poses on a circle around an
    /// object stand still.
    private var byInverse = Evidence()
    /// The median depth of each start, metres as declared.
    private var medians: [Double] = []
    private var drift: PathDrift

    /// - Parameters:
    ///   - frames: the numbers of those that are left of the source's, ascending.
    ///   - file: what turns the views' poses back into those in the capture's file.
    public init(frames: some Collection<Int>, file: PoseInFile = PoseInFile()) {
        self.file = file
        due = DueFrames(Self.maxPairs, of: frames)
        drift = PathDrift(frames: frames)
    }

    /// Adds the next frame.
    /// - Parameters:
    ///   - depth: in metres, 0 for "no value".
    ///   - view: the depth map's own camera, for the pictures' size where depth is aligned with them, and `worldFromCamera`.
    public mutating func add(index: Int, depth: DepthMap, view: CameraView) {
        for number in starts.indices { pair(number, with: index, depth, view) }
        starts.removeAll { $0.isPaired.declared && $0.isPaired.inverse }
        drift.add(index: index, depth: depth, view: view)
        guard due.takes(index), let start = Self.start(index, depth, view) else { return }
        medians.append(start.medianDepth)
        starts.append(start)
    }

    private static func start(_ index: Int, _ depth: DepthMap, _ view: CameraView) -> Start? {
        let across = max(1, (depth.width + grid.columns - 1) / grid.columns)
        let down = max(1, (depth.height + grid.rows - 1) / grid.rows)
        var pixels: [(u: Double, v: Double, z: Double)] = []
        for v in stride(from: down / 2, to: depth.height, by: down) {
            for u in stride(from: across / 2, to: depth.width, by: across) {
                let z = depth.metres[v * depth.width + u]
                if z > 0 { pixels.append((Double(u) + 0.5, Double(v) + 0.5, Double(z))) }
            }
        }
        guard pixels.count >= leastPixels, let median = pixels.map(\.z).middle else { return nil }
        return Start(index: index, view: view, size: depth.size, pixels: pixels, medianDepth: median)
    }

    /// What depth has to be multiplied by to be plausible for a scan (0.2 to 10 m); 1 if nothing makes it so.
    static func unitFactor(_ median: Double) -> Double {
        if usualMedians.contains(median) { return 1 }
        return [1e-3, 1e3].first { usualMedians.contains(median * $0) } ?? 1
    }

    /// The median depth of scans, metres.
    static let usualMedians = 0.2...10.0

    /// What is odd about a median depth in metres, and the likely cause, where that is plain; nil for a usual one.
    package static func doubt(ofMedian median: Double) -> (summary: String, cause: String?)? {
        if usualMedians.contains(median) { return nil }
        let isNear = median < usualMedians.lowerBound
        let summary = text(ofMedian: median) + (isNear ? "" : ", which is not a room")
        switch unitFactor(median) {
        case 1e-3: return (summary, "it looks like millimetres that were read as metres")
        case 1e3: return (summary, "it looks like metres that were read as millimetres")
        default: return (summary, nil)
        }
    }

    /// The beginning of a sentence on a median that no scan has.
    static func text(ofMedian median: Double) -> String {
        let side = median < usualMedians.lowerBound ? "within" : "beyond"
        return "half of the depth is \(side) \(median.shortText(digits: 3)) m"
    }

    /// What the pairs so far say about the capture.
    /// - Parameters:
    ///   - isMetric: whether a unit of the world is a metre.
    ///   - poses: of all frames, by index, as ``DriftCorrection`` takes them.
    ///   - up: which way is up in the world, of length 1, if the device felt it.
    public func verdict(isMetric: Bool = true, poses: [Pose?], up: Vector3? = nil) -> GeometryVerdict {
        let isDeclared = byDeclared.pairs.count >= Self.minPairs
        return GeometryVerdict(
            by: isDeclared || byInverse.pairs.count <= byDeclared.pairs.count ? byDeclared : byInverse,
            isDeclared: isDeclared, medianDepth: medians.middle, drift: drift,
            isCorrectable: DriftCorrection(of: drift, poses: poses, up: up) != nil, isMetric: isMetric)
    }

    // MARK: - Pairs

    private mutating func pair(_ number: Int, with index: Int, _ depth: DepthMap, _ view: CameraView) {
        let start = starts[number]
        let baseline = Self.baselineShare * start.medianDepth * start.unit
        let isApart = (view.pose.position - start.view.pose.position).length >= baseline
        let isInverseApart =
            (GeometryHypothesis.inverse.pose(view.pose, file).position
            - GeometryHypothesis.inverse.pose(start.view.pose, file).position).length >= baseline
        let wanted = (
            declared: isApart && !start.isPaired.declared, inverse: isInverseApart && !start.isPaired.inverse
        )
        guard wanted.declared || wanted.inverse else { return }
        if start.rest > 0 {
            starts[number].rest -= 1
            return
        }
        var carried: [GeometryHypothesis: Carried] = [:]
        for hypothesis in GeometryHypothesis.allCases
        where start.allows(hypothesis) && hypothesis.differs(view.camera, start.size, file) {
            carried[hypothesis] = carry(start, into: depth, view, hypothesis)
        }
        let needed = Self.minOverlap * Double(start.pixels.count)
        guard carried.values.contains(where: { Double($0.insideCount) >= needed }) else {
            starts[number].failures += 1
            starts[number].rest = starts[number].failures / 8
            return
        }
        let declared = carried[.declared] ?? Carried()
        let isSeen = Double(declared.insideCount) >= needed && declared.errors.count >= Self.leastPixels
        let pair = Pair(frames: start.index...index, error: isSeen ? declared.errors.middle.map(Double.init) : nil)
        if wanted.declared {
            starts[number].isPaired.declared = true
            byDeclared.add(pair, carried)
            byDeclared.add(
                scaled: Self.scales.map {
                    carry(start, into: depth, view, .declared, factor: $0, every: Self.thinning)
                })
        }
        if wanted.inverse {
            starts[number].isPaired.inverse = true
            byInverse.add(pair, carried)
        }
    }

    /// Projects every pixel of `start` into the view; the error is |z − d| / d where it falls on a pixel with depth d.
    /// - Parameters:
    ///   - factor: of depth; nil for that of the hypothesis.
    ///   - thinning: one pixel in so many is carried.
    private func carry(
        _ start: Start, into depth: DepthMap, _ view: CameraView, _ hypothesis: GeometryHypothesis,
        factor: Double? = nil, every thinning: Int = 1
    ) -> Carried {
        let size = depth.size
        let from = hypothesis.camera(start.view.camera, start.size, file)
        let to = hypothesis.camera(view.camera, size, file)
        let targetFromStart =
            hypothesis.pose(view.pose, file).inverse * hypothesis.pose(start.view.pose, file)
        let factor = factor ?? hypothesis.depthFactor
        let isRay = hypothesis == .rayDepth
        var carried = Carried()
        carried.errors.reserveCapacity(start.pixels.count / thinning + 1)
        for number in stride(from: 0, to: start.pixels.count, by: thinning) {
            let pixel = start.pixels[number]
            let (x, y) = ((pixel.u - from.cx) / from.fx, (pixel.v - from.cy) / from.fy)
            var z = pixel.z * factor
            if isRay { z /= (x * x + y * y + 1).squareRoot() }
            let p = targetFromStart.apply(Vector3(x * z, -y * z, -z))
            guard p.z < 0 else { continue }
            let (u, v) = (to.fx * p.x / -p.z + to.cx, to.cy - to.fy * p.y / -p.z)
            guard u >= 0, v >= 0, u < Double(depth.width), v < Double(depth.height) else { continue }
            carried.insideCount += 1
            var there = Double(depth.metres[Int(v) * depth.width + Int(u)]) * factor
            guard there > 0 else { continue }
            if isRay {
                let (x, y) = ((u - to.cx) / to.fx, (v - to.cy) / to.fy)
                there /= (x * x + y * y + 1).squareRoot()
            }
            carried.errors.append(Float(abs(-p.z - there) / there))
        }
        return carried
    }
}
