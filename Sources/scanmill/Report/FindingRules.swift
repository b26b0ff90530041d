import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages

/// Decides what is worth a look in one capture: by fixed limits where a goal is known, else against what is usual in its
/// batch or for its device.
struct FindingRules {
    let norms: BatchNorms
    let capture: CaptureFacts
    /// The capture's place in the batch.
    let index: Int

    /// What is worth a look in all captures of a batch.
    static func findings(against norms: BatchNorms) -> [Finding] {
        norms.captures.enumerated().flatMap { FindingRules(norms: norms, capture: $1, index: $0).findings }
    }

    private var findings: [Finding] {
        switch capture.status {
        case .failed: return [failure]
        case .waiting: return []
        case .ready, .look:
            let (geometry, blur) = (geometry, blur)
            // A cause is named once: blur is why frames are dropped.
            let rest = [blur, blur == nil ? lostFrames : nil, depth]
            let warnings = warnings
            let losses = warnings.filter { $0.kind == .loss }
            // With wrong poses the camera's places mean nothing, and the other warnings follow from them.
            if capture.measured.geometry?.verdict == "fail" { return ([geometry] + rest).compactMap(\.self) + losses }
            let all = ([geometry, coverage] + motion + rest).compactMap(\.self) + warnings + [twin].compactMap(\.self)
            // What is missing of a copy that was cut off is still on the device: nothing need be recorded again.
            let isCut = losses.contains { $0.weight > Self.manyFrames }
            return isCut ? all.filter { ![.coverage, .path, .dropped].contains($0.kind) } : all
        }
    }

    // MARK: - Failures

    private var failure: Finding {
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
        let message = norms.failures[index] ?? Phrase(problem.summary, id: capture.id)
        return Finding(
            kind: .failure, capture: index, title: message.pattern, message: message, text: Self.sentences(sentences),
            fix: problem.allFixes, isRepeatable: capture.isRepeatable, headline: Readable(problem)?.headline)
    }

    // MARK: - Fixed limits

    private var geometry: Finding? {
        guard let geometry = capture.measured.geometry else { return nil }
        guard ["fail", "warning"].contains(geometry.verdict) else { return misfit(of: geometry) }
        let isWrong = geometry.verdict == "fail"
        if !isWrong, capture.measured.motion?.jumps.explain(geometry) == true { return nil }
        let title =
            isWrong
            ? "The geometry is wrong\(geometry.cause.map { ": \($0)" } ?? "")"
            : geometry.drifts ? "The path drifts" : "Poses, intrinsics and depth may not fit together"
        return Finding(
            kind: .geometry, capture: index, title: title, text: Self.sentences([geometry.reason]),
            fix: geometry.remedy
                ?? (isWrong
                    ? "correct the capture where it was made; anything made from it is wrong"
                    : Self.look(at: capture)),
            weight: isWrong ? Self.proven : 1)
    }

    /// The weight of geometry that is wrong beyond doubt.
    static let proven = 2.0

    /// What shows whether geometry is wrong that measures cannot prove to be.
    private static func look(at capture: CaptureFacts) -> String {
        capture.measured.drawing == nil
            ? "have it drawn by `render-cloud` or `render-mesh`, and see whether walls are bent or double"
            : "see in its picture whether walls are bent or double"
    }

    // MARK: - Against what is usual

    /// No convention fits better, but something else may be wrong: poses that drift, or that are late.
    private func misfit(of geometry: Measured.Geometry) -> Finding? {
        guard let error = geometry.error, let usual = norms.misfit[capture.format],
            usual.isTooHigh(error, step: max(usual.median, 0.002))
        else { return nil }
        func percent(_ share: Double) -> String { "\(Wording.measure(100 * share)) %" }
        return Finding(
            kind: .misfit, capture: index, title: "Depth fits from frame to frame far worse than usual",
            text: "Depth of one frame is off the next one's by \(percent(error)); in this batch "
                + "\(percent(usual.median)) is usual.",
            fix: "\(Self.look(at: capture)): poses may be late, or drift",
            headline: Finding.Headline("error of depth", error, usual: usual.median, as: percent), weight: error)
    }

    private var blur: Finding? {
        guard let measured = capture.measured.sharpness else { return nil }
        let value = measured.median
        // Scores depend on the scene: only less than half of the usual one says something.
        let own = capture.device.flatMap { norms.sharpnessOfDevices[$0] }
        let isOddForDevice = own.map { value < 0.5 * $0.median && value < $0.low } ?? false
        let isOddHere = norms.sharpness.map { $0.isTooLow(value, step: 0.5 * $0.median) } ?? false
        guard isOddForDevice || isOddHere else { return nil }
        var sentences = ["The median sharpness is \(Wording.measure(value))"]
        if isOddHere, let usual = norms.sharpness {
            sentences[0] += "; in this batch \(Wording.measure(usual.median)) is usual"
        }
        if let own, isOddForDevice, let device = capture.device {
            sentences.append("On \(device), \(Wording.measure(own.median)) was usual in earlier runs")
        }
        if let below = measured.belowLimit, below > 0 {
            sentences.append(
                "\(Wording.count(below, "frame")) of \(Wording.grouped(measured.count)) are below the limit")
        }
        let usual = isOddHere ? norms.sharpness?.median : own?.median
        return Finding(
            kind: .blur, capture: index,
            title: isOddHere ? "Far blurrier than the batch" : "Far blurrier than usual for this device",
            text: Self.sentences(sentences), fix: "look at the pictures: motion, a dirty lens, or lights that were off",
            headline: Finding.Headline("median sharpness", value, usual: usual, as: Wording.measure), weight: -value)
    }

    private var lostFrames: Finding? {
        guard let frames = capture.frames, let usual = norms.dropped, frames.source > 0 else { return nil }
        let share = 1 - frames.keptShare
        guard usual.isTooHigh(share, step: 0.1) else { return nil }
        let most = frames.losses.max { $0.count < $1.count }
        if let most, capture.copyLosses.values.contains(where: { $0.frames == most }) { return nil }
        let why = most.map { "Most by \($0.stage): \(Wording.grouped($0.count)) × \($0.reason.text)" }
        return Finding(
            kind: .dropped, capture: index, title: "Far more frames dropped than usual",
            text: Self.sentences(
                [
                    "\(Wording.grouped(frames.dropped)) of \(Wording.count(frames.source, "frame")) were dropped, "
                        + "\(Wording.percent(share)); in this batch \(Wording.percent(usual.median)) is usual", why,
                ].compactMap(\.self)),
            headline: Finding.Headline(
                "frames kept", frames.keptShare, usual: 1 - usual.median, as: Wording.percent), weight: share)
    }

    private var depth: Finding? {
        guard let measured = capture.measured.depth else { return nil }
        if let share = measured.share, let usual = norms.depthShare, usual.isTooLow(share, step: 0.15) {
            return Finding(
                kind: .depth, capture: index, title: "Far less depth than usual",
                text:
                    "\(Wording.percent(share)) of the pixels have depth; in this batch \(Wording.percent(usual.median)) "
                    + "is usual.", fix: "look for glass, mirrors, or things beyond the sensor's range",
                headline: Finding.Headline("pixels with depth", share, usual: usual.median, as: Wording.percent),
                weight: 1 - share)
        }
        guard measured.isMetric, let usual = norms.depth, usual.median > 0 else { return nil }
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

    /// Whether a warning is a finding. The verdict on the geometry is one of its own, and so are jumps.
    private func isShown(_ warning: String, _ message: Phrase) -> Bool {
        let isKnown =
            capture.measured.geometry != nil && warning.contains(CheckGeometry.warningStart)
            || (capture.measured.motion?.jumps.count ?? 0) > 0 && warning.contains(Capture.jumpStart)
        return !isKnown && !norms.commonWarnings.contains { $0.phrase == message }
    }

    private func finding(of loss: CopyLoss) -> Finding {
        let message = Phrase(loss.message, id: capture.id)
        var finding = Finding(
            kind: .loss, capture: index, title: message.pattern, message: message, text: loss.text, fix: loss.fix)
        if let lost = loss.frames, let frames = capture.frames, frames.source > 0 {
            finding.weight = Double(lost.count) / Double(frames.source)
            finding.headline = Finding.Headline(
                "frames kept", frames.keptShare, usual: norms.dropped.map { 1 - $0.median }, as: Wording.percent)
        }
        return finding
    }

    private var warnings: [Finding] {
        var found: [Finding] = []
        let lacksFiles = capture.copyLosses.values.contains { $0.frames == nil }
        for warning in capture.warnings {
            let message = Phrase(warning, id: capture.id)
            if !isShown(warning, message) { continue }
            // The file that is not there is why the capture has none of what was in it.
            if lacksFiles, warning.hasSuffix(WriteStaging.noConfidence) { continue }
            var finding = Finding(kind: .warning, capture: index, title: message.pattern, message: message, text: "")
            if let loss = capture.copyLosses[warning] { finding = self.finding(of: loss) }
            if let gap = ReportedGap(warning) {
                finding.weight = gap.seconds
                finding.headline = Finding.Headline(
                    label: "longest gap", value: gap.seconds, words: "\(Wording.measure(gap.seconds)) s",
                    expected: "at most \(Int(FilterBlur.longestGap)) s")
            }
            guard let same = found.firstIndex(where: { $0.message == finding.message }) else {
                found.append(finding)
                continue
            }
            // Stages that stand twice say it twice: a capture counts once for each cause, with the worse of them.
            if let message = finding.message { found[same].message?.merge(message) }
            if finding.weight > found[same].weight {
                (found[same].weight, found[same].headline) = (finding.weight, finding.headline)
            }
        }
        return found
    }

    /// Nobody means to convert one recording twice.
    private var twin: Finding? {
        guard let same = capture.inputs.flatMap({ norms.twins[$0] }), same.count > 1 else { return nil }
        // Each names a few of the others: there may be thousands.
        let others = Array(same.lazy.filter { $0 != index }.prefix(5)).map { norms.captures[$0].id }
        return Finding(
            kind: .warning, capture: index, title: "The files are those of another capture",
            text: "Each of them has the same bytes in \(others.listed(of: same.count - 1)).",
            fix: "keep one of the captures, and remove the results of the others", isNeverUsual: true)
    }

    static func metres(_ length: Double) -> String { "\(Wording.measure(length)) m" }

    /// Notes as consecutive sentences.
    static func sentences(_ notes: [String]) -> String {
        notes.filter { !$0.isEmpty }.reduce(into: "") { text, note in
            if !text.isEmpty { text += text.endsInCommand ? "  " : " " }
            text += Wording.capitalised(note) + Wording.fullStop(behind: note)
        }
    }
}
