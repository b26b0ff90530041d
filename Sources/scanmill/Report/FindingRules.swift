import ScanModel
import ScanPipeline

/// Decides what is worth a look: by fixed limits where a goal is known, else against what is usual in this batch or for
/// the capture's device.
struct FindingRules {
    let captures: [CaptureFacts]
    /// The sharpness that is usual for a device in earlier runs, by its name.
    let usualSharpness: [String: Statistics.Band]

    private let sharpness: Usual?
    private let dropped: Usual?
    private let depthShare: Usual?
    private let depth: Usual?
    private let pathLength: Usual?
    private let speed: Usual?
    /// Warnings that most captures have, which say something about the batch and not about a capture.
    let common: [(text: String, count: Int)]
    private let isCommon: Set<String>

    init(_ captures: [CaptureFacts], usualSharpness: [String: Statistics.Band] = [:]) {
        self.captures = captures
        self.usualSharpness = usualSharpness
        let results = captures.filter { $0.status == .ready }
        func usual(_ value: (CaptureFacts) -> Double?) -> Usual? { Usual(results.compactMap(value)) }
        sharpness = usual(\.measured.sharpness?.median)
        dropped = usual { $0.frames.map { 1 - $0.keptShare } }
        depthShare = usual(\.measured.depth?.share)
        depth = usual(\.measured.depth?.median)
        pathLength = usual(\.measured.motion?.pathLength)
        speed = usual(\.measured.motion?.speed?.p90)
        var counts: [String: Int] = [:]
        for capture in results {
            for pattern in Set(capture.warnings.map(Wording.pattern)) { counts[pattern, default: 0] += 1 }
        }
        let many = counts.filter { results.count >= Usual.fewest && 2 * $0.value > results.count }
        common = many.map { (text: $0.key, count: $0.value) }.sorted { ($1.count, $0.text) < ($0.count, $1.text) }
        isCommon = Set(many.keys)
    }

    func findings() -> [Finding] {
        captures.indices.flatMap { index -> [Finding] in
            let capture = captures[index]
            switch capture.status {
            case .failed: return [failure(capture, index)]
            case .waiting: return []
            case .ready, .look:
                let coverage = coverage(capture, index)
                let blur = blur(capture, index)
                // One cause once: a short path is why a side is not seen, blur is why frames are dropped.
                let motion = motion(capture, index).filter { coverage.isEmpty || $0.kind != .path }
                let rest = [blur, blur == nil ? lostFrames(capture, index) : nil, depthFinding(capture, index)]
                let geometry = geometry(capture, index)
                // With wrong poses, where the camera was means nothing.
                if capture.measured.geometry?.verdict == "fail" {
                    return geometry + rest.compactMap(\.self) + warnings(capture, index)
                }
                return geometry + coverage + motion + rest.compactMap(\.self)
                    + warnings(capture, index)
            }
        }
    }

    // MARK: - Failures

    private func failure(_ capture: CaptureFacts, _ index: Int) -> Finding {
        guard let problem = capture.problem else {
            return Finding(
                kind: .failure, capture: index, title: "Failed without a word",
                text: "Neither a failure note nor the run's record says why.")
        }
        let place = problem.place
        var sentences = problem.notes
        if let file = place.file {
            var text = "It is in \(file)"
            if let line = place.line { text += ", line \(line)" }
            if let byte = place.byte {
                text += ", at byte \(Wording.grouped(Int(byte)))"
                if let all = place.byteCount { text += " of \(Wording.grouped(Int(all)))" }
            }
            if let frame = place.frame { text += ", frame \(frame)" }
            sentences.insert(text, at: 0)
        }
        if let stage = place.stage { sentences.append("The stage was \(stage)") }
        var finding = Finding(
            kind: .failure, capture: index, title: Wording.capitalised(Wording.pattern(of: problem.summary)),
            text: Self.sentences(sentences), fix: problem.fix)
        if Wording.pattern(of: problem.summary) != problem.summary {
            finding.text = Self.sentences([problem.summary] + sentences)
        }
        if let extent = Readable(problem) {
            finding.headline = Finding.Headline(
                label: extent.label, value: extent.label == "readable" ? extent.share : extent.good, words: extent.words, expected: extent.expected)
        }
        return finding
    }

    // MARK: - Fixed limits

    private func geometry(_ capture: CaptureFacts, _ index: Int) -> [Finding] {
        guard let geometry = capture.measured.geometry, ["fail", "warning"].contains(geometry.verdict) else { return [] }
        let isWrong = geometry.verdict == "fail"
        let cause = geometry.fitsBetter.map { GeometryHypothesis(rawValue: $0)?.meaning ?? $0 }
        let title =
            isWrong
            ? "The geometry is wrong\(cause.map { ": \($0)" } ?? "")"
            : "Poses, intrinsics and depth may not fit together"
        return [
            Finding(
                kind: .geometry, capture: index, title: title, text: Self.sentences([geometry.reason]),
                fix: "correct the capture where it was made; what is made from it is wrong", weight: isWrong ? 2 : 1)
        ]
    }

    private func coverage(_ capture: CaptureFacts, _ index: Int) -> [Finding] {
        guard let coverage = capture.measured.coverage else { return [] }
        let seen = Measured.Coverage.faces.reduce(0) { $0 + coverage[$1] }
        if seen == 0 {
            return [
                Finding(
                    kind: .coverage, capture: index, title: "The camera never looks at the box",
                    text: "None of \(Wording.grouped(coverage.miss)) views meets the box: the box or the poses are wrong.",
                    fix: "check the box and the axes of the poses", headline: headline("views of the box", 0, coverage.goal),
                    weight: 100)
            ]
        }
        // What stands on the floor is not seen from below.
        let sides = Measured.Coverage.faces.filter { $0 != "bottom" && coverage[$0] < coverage.goal }
        guard let worst = sides.min(by: { coverage[$0] < coverage[$1] }) else { return [] }
        let views = coverage[worst]
        let others = Measured.Coverage.faces.filter { $0 != worst }.map { "\($0) \(Wording.grouped(coverage[$0]))" }
        return [
            Finding(
                kind: .coverage, capture: index,
                title: views == 0 ? "The \(worst) of the box is never seen" : "The \(worst) of the box is hardly seen",
                text: "\(Wording.capitalised(Wording.count(views, "view"))) face\(views == 1 ? "s" : "") the \(worst), and "
                    + "\(coverage.goal) are the goal; training would invent what is missing. "
                    + "The others: \(others.joined(separator: ", ")).",
                fix: "record it again, once around the object",
                headline: headline("views of the \(worst)", views, coverage.goal), weight: Double(coverage.goal - views))
        ]
    }

    private func headline(_ label: String, _ views: Int, _ goal: Int) -> Finding.Headline {
        Finding.Headline(
            label: label, value: Double(views), words: Wording.grouped(views), expected: "goal: \(Wording.grouped(goal))")
    }

    /// A tenth of the frames: fewer are dropped by any filter, and the rest still covers the path.
    private static let manyFrames = 0.1

    private func motion(_ capture: CaptureFacts, _ index: Int) -> [Finding] {
        guard let motion = capture.measured.motion, let frames = capture.frames?.source, frames > 0 else { return [] }
        var found: [Finding] = []
        if motion.jumpCount > 0 || Double(motion.lostTracking) > Self.manyFrames * Double(frames) {
            var sentences = ["\(Wording.count(motion.jumpCount, "jump")) in the path"]
            if let jump = motion.firstJump {
                sentences[0] += ", the first of \(Wording.measure(jump.metres)) m at frame \(jump.frame)"
            }
            if motion.lostTracking > 0 {
                sentences.append("Tracking was lost in \(Wording.count(motion.lostTracking, "frame"))")
            }
            found.append(
                Finding(
                    kind: .jumps, capture: index,
                    title: motion.jumpCount > 0 ? "The camera's path jumps" : "Tracking was lost for long",
                    text: Self.sentences(sentences + ["What was seen before and after does not fit together"]),
                    fix: "drop the frames behind the jump, or record it again",
                    headline: Finding.Headline(
                        label: motion.jumpCount > 0 ? "jumps" : "frames without tracking",
                        value: Double(motion.jumpCount > 0 ? motion.jumpCount : motion.lostTracking),
                        words: Wording.grouped(motion.jumpCount > 0 ? motion.jumpCount : motion.lostTracking),
                        expected: "goal: none"), weight: Double(motion.jumpCount)))
        }
        if let finding = speed(motion, frames, index) { found.append(finding) }
        if let usual = pathLength, usual.isTooLow(motion.pathLength, step: 0.3 * usual.median) {
            found.append(
                Finding(
                    kind: .path, capture: index, title: "The camera hardly moves",
                    text: "The path is \(Wording.measure(motion.pathLength)) m long; usual in this batch are "
                        + "\(Wording.measure(usual.median)) m.", fix: "record it again, once around the object",
                    headline: Finding.Headline(
                        label: "path", value: motion.pathLength, words: "\(Wording.measure(motion.pathLength)) m",
                        expected: "usual: \(Wording.measure(usual.median)) m"), weight: -motion.pathLength))
        }
        return found
    }

    private func speed(_ motion: Measured.Motion, _ frames: Int, _ index: Int) -> Finding? {
        let share = Double(motion.tooFast ?? 0) / Double(frames)
        let p90 = motion.speed?.p90
        let isOdd = p90.map { speed?.isTooHigh($0, step: 0.3) ?? false } ?? false
        guard share > Self.manyFrames || isOdd else { return nil }
        var sentences: [String] = []
        if let count = motion.tooFast, count > 0 {
            let limit = motion.fastLimit.map { " than \(Wording.measure($0)) m/s" } ?? ""
            sentences.append("\(Wording.count(count, "frame")) of \(Wording.grouped(frames)) move faster\(limit)")
        }
        if let spread = motion.speed {
            sentences.append(
                "The median is \(Wording.measure(spread.median)) m/s, a tenth is above \(Wording.measure(spread.p90)) m/s"
                    + (speed.map { ", where \(Wording.measure($0.median)) m/s is usual in this batch" } ?? ""))
        }
        return Finding(
            kind: .speed, capture: index, title: "The camera moves too fast", text: Self.sentences(sentences),
            fix: "drop the fast frames, or record it again more slowly",
            headline: share > Self.manyFrames
                ? Finding.Headline(
                    label: "frames too fast", value: share, words: Wording.percent(share),
                    expected: "at most \(Wording.percent(Self.manyFrames))")
                : p90.map {
                    Finding.Headline(
                        label: "speed of the fastest tenth", value: $0, words: "\(Wording.measure($0)) m/s",
                        expected: speed.map { "usual: \(Wording.measure($0.median)) m/s" } ?? "")
                }, weight: max(share, p90 ?? 0))
    }

    // MARK: - Against what is usual

    private func blur(_ capture: CaptureFacts, _ index: Int) -> Finding? {
        guard let measured = capture.measured.sharpness else { return nil }
        let value = measured.median
        // Scores depend on the scene: only half of the usual says something.
        let own = capture.device.flatMap { usualSharpness[$0] }
        let isOddForDevice = own.map { value < 0.5 * $0.median && value < $0.low } ?? false
        let isOddHere = sharpness.map { $0.isTooLow(value, step: 0.5 * $0.median) } ?? false
        guard isOddForDevice || isOddHere else { return nil }
        var sentences = ["The median sharpness is \(Wording.measure(value))"]
        if isOddHere, let sharpness {
            sentences[0] += "; in this batch \(Wording.measure(sharpness.median)) is usual"
        }
        if let own, isOddForDevice, let device = capture.device {
            sentences.append("On \(device), \(Wording.measure(own.median)) was usual in earlier runs")
        }
        if let below = measured.belowLimit, below > 0 {
            sentences.append("\(Wording.count(below, "frame")) of \(Wording.grouped(measured.count)) are under the limit")
        }
        let usual = isOddHere ? sharpness?.median : own?.median
        return Finding(
            kind: .blur, capture: index,
            title: isOddHere ? "Far blurrier than the batch" : "Far blurrier than this device's usual",
            text: Self.sentences(sentences), fix: "look at the pictures: motion, a dirty lens, or lights that were off",
            headline: Finding.Headline(
                label: "median sharpness", value: value, words: Wording.measure(value),
                expected: usual.map { "usual: \(Wording.measure($0))" } ?? ""), weight: -value)
    }

    private func lostFrames(_ capture: CaptureFacts, _ index: Int) -> Finding? {
        guard let frames = capture.frames, let dropped, frames.source > 0 else { return nil }
        let share = 1 - frames.keptShare
        guard dropped.isTooHigh(share, step: 0.1) else { return nil }
        let most = frames.losses.max { $0.count < $1.count }
        let why = most.map { "Most by \($0.stage): \(Wording.grouped($0.count)) × \($0.reason)" }
        return Finding(
            kind: .dropped, capture: index, title: "Far more frames dropped than usual",
            text: Self.sentences(
                [
                    "\(Wording.grouped(frames.dropped)) of \(Wording.count(frames.source, "frame")) were dropped, "
                        + "\(Wording.percent(share)); in this batch \(Wording.percent(dropped.median)) is usual", why,
                ].compactMap(\.self)), fix: nil,
            headline: Finding.Headline(
                label: "frames kept", value: frames.keptShare, words: Wording.percent(frames.keptShare),
                expected: "usual: \(Wording.percent(1 - dropped.median))"), weight: share)
    }

    private func depthFinding(_ capture: CaptureFacts, _ index: Int) -> Finding? {
        guard let measured = capture.measured.depth else { return nil }
        if let share = measured.share, let usual = depthShare, usual.isTooLow(share, step: 0.15) {
            return Finding(
                kind: .depth, capture: index, title: "Far less depth than usual",
                text: "\(Wording.percent(share)) of the pixels have depth; in this batch \(Wording.percent(usual.median)) "
                    + "is usual.", fix: "look for glass, mirrors, or things beyond the sensor's range",
                headline: Finding.Headline(
                    label: "pixels with depth", value: share, words: Wording.percent(share),
                    expected: "usual: \(Wording.percent(usual.median))"), weight: 1 - share)
        }
        guard let usual = depth, usual.median > 0 else { return nil }
        let factor = measured.median / usual.median
        guard abs(usual.score(measured.median)) > Usual.limit, factor < 0.4 || factor > 2.5 else { return nil }
        return Finding(
            kind: .depth, capture: index, title: factor < 1 ? "Everything is far nearer than usual" : "Everything is far off",
            text: "The median depth is \(Wording.measure(measured.median)) m; in this batch "
                + "\(Wording.measure(usual.median)) m is usual.", fix: "check the unit of depth, and what was recorded",
            headline: Finding.Headline(
                label: "median depth", value: measured.median, words: "\(Wording.measure(measured.median)) m",
                expected: "usual: \(Wording.measure(usual.median)) m"), weight: abs(factor - 1))
    }

    // MARK: - What the stages warned about

    private func warnings(_ capture: CaptureFacts, _ index: Int) -> [Finding] {
        capture.warnings.compactMap { warning in
            let pattern = Wording.pattern(of: warning)
            // The verdict on the geometry is a finding of its own.
            let isKnown = capture.measured.geometry != nil && warning.contains("the geometry is ")
            if isCommon.contains(pattern) || isKnown { return nil }
            return Finding(
                kind: .warning, capture: index, title: Wording.capitalised(pattern),
                text: pattern == warning ? "" : Self.sentences([warning]))
        }
    }

    /// Notes as sentences in a row.
    private static func sentences(_ notes: [String]) -> String {
        notes.filter { !$0.isEmpty }.map { note in
            let text = Wording.capitalised(note)
            return text.last.map { ".!?…".contains($0) } == true ? text : text + "."
        }.joined(separator: " ")
    }
}
