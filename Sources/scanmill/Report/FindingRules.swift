import ScanModel
import ScanPipeline

/// Decides what is worth a look: by fixed limits where a goal is known, else against what is usual in this batch or for
/// the capture's device.
struct FindingRules {
    let captures: [CaptureFacts]
    /// Each device's usual sharpness in earlier runs, by the device's name.
    let usualSharpness: [String: Statistics.Band]

    private let sharpness: Usual?
    private let dropped: Usual?
    private let depthShare: Usual?
    private let depth: Usual?
    /// By format, since it depends on the sensor.
    private let misfit: [String?: Usual]
    let pathLength: Usual?
    let speed: Usual?
    /// Warnings that most captures have, which say something about the batch and not about a capture.
    let common: [(text: String, count: Int)]
    private let isCommon: Set<Phrase>
    /// What failed captures say, by their places.
    private let failures: [Int: Phrase]
    /// The places of captures that were made from files of the same bytes, by these files.
    private let twins: [Digest: [Int]]

    init(_ captures: [CaptureFacts], usualSharpness: [String: Statistics.Band]) {
        self.captures = captures
        self.usualSharpness = usualSharpness
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
        let said = Phrase.counted(results, \.warnings)
        let many = said.filter { results.count >= Self.fewestForCommon && 2 * $0.count > results.count }
        common = many.map { (text: $0.phrase.text, count: $0.count) }
        isCommon = Set(many.map(\.phrase))
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

    func findings() -> [Finding] {
        captures.indices.flatMap { index -> [Finding] in
            let capture = captures[index]
            switch capture.status {
            case .failed: return [failure(capture, index)]
            case .waiting: return []
            case .ready, .look:
                let geometry = geometry(capture, index)
                let blur = blur(capture, index)
                // A cause is named once: blur is why frames are dropped.
                let rest = [blur, blur == nil ? lostFrames(capture, index) : nil, depthFinding(capture, index)]
                // With wrong poses the camera's places mean nothing, and the other warnings follow from them.
                if capture.measured.geometry?.verdict == "fail" { return ([geometry] + rest).compactMap(\.self) }
                let moved = [coverage(capture, index)] + motion(capture, index)
                let said = warnings(capture, index) + [twin(capture, index)]
                return ([geometry] + moved + rest + said).compactMap(\.self)
            }
        }
    }

    /// Nothing is common among one or two captures.
    private static let fewestForCommon = 3

    // MARK: - Failures

    private func failure(_ capture: CaptureFacts, _ index: Int) -> Finding {
        guard let problem = capture.problem else {
            return Finding(
                kind: .failure, capture: index, title: "Failed without a message",
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
        let remedies = [problem.fix].compactMap(\.self) + problem.besides
        let message = failures[index] ?? Phrase(problem.summary, id: capture.id)
        return Finding(
            kind: .failure, capture: index, title: message.pattern, message: message, text: Self.sentences(sentences),
            fix: remedies.isEmpty ? nil : remedies.joined(separator: "; "), isRepeatable: capture.isRepeatable,
            headline: Readable(problem)?.headline)
    }

    // MARK: - Fixed limits

    private func geometry(_ capture: CaptureFacts, _ index: Int) -> Finding? {
        guard let geometry = capture.measured.geometry else { return nil }
        guard ["fail", "warning"].contains(geometry.verdict) else { return misfit(geometry, of: capture, index) }
        let isWrong = geometry.verdict == "fail"
        if !isWrong, capture.measured.motion?.jumps.explain(geometry) == true { return nil }
        let title =
            isWrong
            ? "The geometry is wrong\(geometry.cause.map { ": \($0)" } ?? "")"
            : geometry.drifts ? "The path drifts" : "Poses, intrinsics and depth may not fit together"
        // In the stage's warning, what makes up for it stands behind the reason.
        let remedy = capture.warnings.firstNonNil { warning in
            warning.firstRange(of: "\(geometry.reason); ").map { String(warning[$0.upperBound...]) }
        }
        return Finding(
            kind: .geometry, capture: index, title: title, text: Self.sentences([geometry.reason]),
            fix: remedy
                ?? (isWrong
                    ? "correct the capture where it was made; anything made from it is wrong"
                    : "see in its picture whether walls are bent or double"),
            weight: isWrong ? 2 : 1)
    }

    // MARK: - Against what is usual

    /// No convention fits better, but something else may be wrong: poses that drift, or that are late.
    private func misfit(_ geometry: Measured.Geometry, of capture: CaptureFacts, _ index: Int) -> Finding? {
        guard let error = geometry.error, let usual = misfit[capture.format],
            usual.isTooHigh(error, step: max(usual.median, 0.002))
        else { return nil }
        func percent(_ share: Double) -> String { "\(Wording.measure(100 * share)) %" }
        return Finding(
            kind: .geometry, capture: index, title: "Depth fits from frame to frame far worse than usual",
            text: "Depth of one frame is off the next one's by \(percent(error)); in this batch "
                + "\(percent(usual.median)) is usual.",
            fix: "see in its picture whether walls are bent or double: poses may be late, or drift",
            headline: Finding.Headline("error of depth", error, usual: usual.median, as: percent), weight: error)
    }

    private func blur(_ capture: CaptureFacts, _ index: Int) -> Finding? {
        guard let measured = capture.measured.sharpness else { return nil }
        let value = measured.median
        // Scores depend on the scene: only less than half of the usual one says something.
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
            sentences.append(
                "\(Wording.count(below, "frame")) of \(Wording.grouped(measured.count)) are below the limit")
        }
        let usual = isOddHere ? sharpness?.median : own?.median
        return Finding(
            kind: .blur, capture: index,
            title: isOddHere ? "Far blurrier than the batch" : "Far blurrier than usual for this device",
            text: Self.sentences(sentences), fix: "look at the pictures: motion, a dirty lens, or lights that were off",
            headline: Finding.Headline("median sharpness", value, usual: usual, as: Wording.measure), weight: -value)
    }

    private func lostFrames(_ capture: CaptureFacts, _ index: Int) -> Finding? {
        guard let frames = capture.frames, let dropped, frames.source > 0 else { return nil }
        let share = 1 - frames.keptShare
        guard dropped.isTooHigh(share, step: 0.1) else { return nil }
        let most = frames.losses.max { $0.count < $1.count }
        let why = most.map { "Most by \($0.stage): \(Wording.grouped($0.count)) × \($0.reason.text)" }
        return Finding(
            kind: .dropped, capture: index, title: "Far more frames dropped than usual",
            text: Self.sentences(
                [
                    "\(Wording.grouped(frames.dropped)) of \(Wording.count(frames.source, "frame")) were dropped, "
                        + "\(Wording.percent(share)); in this batch \(Wording.percent(dropped.median)) is usual", why,
                ].compactMap(\.self)), fix: nil,
            headline: Finding.Headline(
                "frames kept", frames.keptShare, usual: 1 - dropped.median, as: Wording.percent), weight: share)
    }

    private func depthFinding(_ capture: CaptureFacts, _ index: Int) -> Finding? {
        guard let measured = capture.measured.depth else { return nil }
        if let share = measured.share, let usual = depthShare, usual.isTooLow(share, step: 0.15) {
            return Finding(
                kind: .depth, capture: index, title: "Far less depth than usual",
                text:
                    "\(Wording.percent(share)) of the pixels have depth; in this batch \(Wording.percent(usual.median)) "
                    + "is usual.", fix: "look for glass, mirrors, or things beyond the sensor's range",
                headline: Finding.Headline("pixels with depth", share, usual: usual.median, as: Wording.percent),
                weight: 1 - share)
        }
        guard measured.isMetric, let usual = depth, usual.median > 0 else { return nil }
        let factor = measured.median / usual.median
        guard abs(usual.score(measured.median)) > Usual.limit, factor < 0.4 || factor > 2.5 else { return nil }
        return Finding(
            kind: .depth, capture: index,
            title: factor < 1 ? "Everything is much closer than usual" : "Everything is much farther away than usual",
            text: "The median depth is \(Self.metres(measured.median)); in this batch \(Self.metres(usual.median)) is "
                + "usual.", fix: "check the unit of depth, and what was recorded",
            headline: Finding.Headline("median depth", measured.median, usual: usual.median, as: Self.metres),
            weight: abs(factor - 1))
    }

    // MARK: - What the stages warned about

    private func warnings(_ capture: CaptureFacts, _ index: Int) -> [Finding] {
        var found: [Finding] = []
        for warning in capture.warnings {
            let message = Phrase(warning, id: capture.id)
            // The verdict on the geometry is a finding of its own, and so are jumps.
            let isKnown =
                capture.measured.geometry != nil && warning.contains("the geometry is ")
                || (capture.measured.motion?.jumps.count ?? 0) > 0 && warning.contains("the camera's path jumps ")
            if isCommon.contains(message) || isKnown { continue }
            var finding = Finding(kind: .warning, capture: index, title: message.pattern, message: message, text: "")
            if let hole = Hole(warning) {
                finding.weight = hole.seconds
                finding.headline = Finding.Headline(
                    label: "longest hole", value: hole.seconds, words: "\(Wording.measure(hole.seconds)) s",
                    expected: "at most \(Int(Hole.longest)) s")
            }
            guard let same = found.firstIndex(where: { $0.message == message }) else {
                found.append(finding)
                continue
            }
            // Stages that stand twice say it twice: a capture counts once for each cause, with the worse of them.
            found[same].message?.merge(message)
            if finding.weight > found[same].weight {
                (found[same].weight, found[same].headline) = (finding.weight, finding.headline)
            }
        }
        return found
    }

    /// Nobody means to convert one recording twice.
    private func twin(_ capture: CaptureFacts, _ index: Int) -> Finding? {
        guard let same = capture.inputs.flatMap({ twins[$0] }), same.count > 1 else { return nil }
        let others = same.filter { $0 != index }.map { captures[$0].id }
        return Finding(
            kind: .warning, capture: index, title: "The files are those of another capture",
            text: "Each of them has the same bytes in \(others.listed(most: 5)).",
            fix: "keep one of the captures, and remove the results of the others")
    }

    static func metres(_ length: Double) -> String { "\(Wording.measure(length)) m" }

    /// Notes as consecutive sentences.
    static func sentences(_ notes: [String]) -> String {
        notes.filter { !$0.isEmpty }.map { note in
            let text = Wording.capitalised(note)
            return text.last.map { ".!?…".contains($0) } == true ? text : text + "."
        }.joined(separator: " ")
    }
}
