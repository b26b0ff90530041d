import ScanModel

/// What is worth a look in how the camera moved and what it saw of the box.
extension FindingRules {
    func coverage(_ capture: CaptureFacts, _ index: Int) -> [Finding] {
        guard let coverage = capture.measured.coverage else { return [] }
        let seen = Measured.Coverage.faces.reduce(0) { $0 + coverage[$1] }
        if seen == 0 {
            return [
                Finding(
                    kind: .coverage, capture: index, title: "The camera never looks at the box",
                    text:
                        "None of \(Wording.grouped(coverage.miss)) views meets the box: the box or the poses are wrong.",
                    fix: "check the box and the axes of the poses",
                    headline: headline("views of the box", 0, coverage.goal),
                    weight: 100)
            ]
        }
        // What stands on the floor is not seen from below.
        let sides = Measured.Coverage.faces.filter { $0 != "bottom" && coverage[$0] < coverage.goal }
        if sides.isEmpty { return [] }
        let unseen = sides.filter { coverage[$0] == 0 }
        let rare = sides.filter { coverage[$0] > 0 }
        let concerned = unseen.isEmpty ? rare : unseen
        var sentences: [String] = []
        if !unseen.isEmpty { sentences.append("No view faces the \(unseen.listed)") }
        if !rare.isEmpty {
            let parts = rare.map { face in
                "\(Wording.grouped(coverage[face])) face\(coverage[face] == 1 ? "s" : "") the \(face)"
            }
            sentences.append("Of \(Wording.count(seen, "view")) that meet the box, \(parts.listed)")
        }
        sentences.append(
            "\(Wording.grouped(coverage.goal)) views of each side are the goal; training would invent what is missing")
        let isOne = concerned.count == 1
        let title =
            "\(Wording.capitalised(Wording.word(concerned.count))) side\(isOne ? "" : "s") of the box \(isOne ? "is" : "are") "
            + (unseen.isEmpty ? "hardly seen" : "never seen")
        let fewest = concerned.map { coverage[$0] }.min() ?? 0
        return [
            Finding(
                kind: .coverage, capture: index, title: title,
                cause: "Sides of the box are \(unseen.isEmpty ? "hardly" : "never") seen",
                text: Self.sentences(sentences),
                fix: "record it again, once around the object, which is to be in the middle of the pictures",
                headline: isOne
                    ? headline("views of the \(concerned[0])", fewest, coverage.goal)
                    : Finding.Headline(
                        label: unseen.isEmpty ? "sides hardly seen" : "sides never seen",
                        value: Double(concerned.count),
                        words: Wording.grouped(concerned.count), expected: "goal: 0"),
                weight: Double(concerned.count * coverage.goal - fewest))
        ]
    }

    private func headline(_ label: String, _ views: Int, _ goal: Int) -> Finding.Headline {
        Finding.Headline(
            label: label, value: Double(views), words: Wording.grouped(views),
            expected: "goal: \(Wording.grouped(goal))")
    }

    /// A tenth of the frames: fewer are dropped by any filter, and the rest still covers the path.
    private static let manyFrames = 0.1

    func motion(_ capture: CaptureFacts, _ index: Int) -> [Finding] {
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
                        expected: "goal: 0"), weight: Double(motion.jumpCount)))
        }
        if let finding = speed(motion, frames, index) { found.append(finding) }
        if motion.isMetric, let usual = pathLength, usual.isTooLow(motion.pathLength, step: 0.3 * usual.median) {
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
        let isOdd = motion.isMetric && p90.map { speed?.isTooHigh($0, step: 0.3) ?? false } ?? false
        guard share > Self.manyFrames || isOdd else { return nil }
        var sentences: [String] = []
        if let count = motion.tooFast, count > 0 {
            let limit = (motion.isMetric ? motion.fastLimit : nil).map { " than \(Wording.measure($0)) m/s" } ?? ""
            sentences.append("\(Wording.count(count, "frame")) of \(Wording.grouped(frames)) move faster\(limit)")
        }
        if motion.isMetric, let spread = motion.speed {
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
}
