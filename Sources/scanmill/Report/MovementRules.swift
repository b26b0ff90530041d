import ScanModel

/// What is worth a look in how the camera moved and what it saw of the box.
extension FindingRules {
    var coverage: Finding? {
        guard let coverage = capture.measured.coverage else { return nil }
        guard let sides = coverage.sides else { return unaimed(coverage) }
        if coverage.shown == 0 {
            return Finding(
                kind: .coverage, capture: index, title: "The box is in no picture",
                text: "None of \(Wording.count(coverage.absent, "picture")) shows it: the box or the poses are wrong.",
                fix: "check the box and the axes of the poses",
                headline: headline("pictures of the box", 0, coverage.goal), weight: 100)
        }
        let gap = coverage.ring.flatMap { $0.gap > BoxVisibility.largestGap ? $0 : nil }
        // What stands on the floor is not seen from below.
        let wanting = Measured.Coverage.faces.filter { $0 != "bottom" && coverage[$0] < coverage.goal }
        if !wanting.isEmpty {
            let unseen = wanting.filter { sides[$0]?.share == 0 }
            let rare = wanting.filter { sides[$0]?.share != 0 }
            return missingSides(unseen, rare, gap, coverage)
        }
        return gap.map { gap in
            Finding(
                kind: .coverage, capture: index, title: "A large gap in the ring of views",
                text: Self.sentences([ringSentence(gap), Self.invention]), fix: Self.around,
                headline: gapHeadline(gap), weight: gap.gap)
        }
    }

    /// - Parameters:
    ///   - unseen: the sides that no picture shows.
    ///   - rare: those that too few pictures show.
    private func missingSides(
        _ unseen: [String], _ rare: [String], _ gap: Measured.Coverage.Ring?, _ coverage: Measured.Coverage
    ) -> Finding {
        var sentences: [String] = []
        if !unseen.isEmpty { sentences.append("No picture shows the \(unseen.listed)") }
        sentences += rare.map { face in
            coverage[face] == 0
                ? "No picture shows half or more of the \(face)"
                : "Half or more of the \(face) is in view in \(Wording.count(coverage[face], "picture")) at most"
        }
        sentences.append("The goal is \(Wording.grouped(coverage.goal)) pictures of each side")
        if let gap { sentences.append(ringSentence(gap)) }
        sentences.append(Self.invention)
        let (concerned, how) = unseen.isEmpty ? (rare, "hardly seen") : (unseen, "never seen")
        let number = Wording.capitalised(Wording.word(concerned.count))
        let isOne = concerned.count == 1
        let fewest = concerned.map { coverage[$0] }.min() ?? 0
        return Finding(
            kind: .coverage, capture: index,
            title: isOne ? "\(number) side of the box is \(how)" : "\(number) sides of the box are \(how)",
            cause: "Sides of the box are \(how)", text: Self.sentences(sentences), fix: Self.around,
            headline: isOne
                ? headline("pictures of the \(concerned[0])", fewest, coverage.goal)
                : headline("sides \(how)", concerned.count, 0),
            weight: Double(concerned.count * coverage.goal - fewest))
    }

    private static let invention = "Training would invent what is missing, and a mesh has holes there"
    private static let around = "record it again, all round the object, or add what is missing"

    /// Where only the aim is known, nothing is said about sides: a picture also shows what is not in its middle.
    private func unaimed(_ coverage: Measured.Coverage) -> Finding? {
        guard Measured.Coverage.faces.allSatisfy({ coverage.aimed[$0] == 0 }), coverage.miss > 0 else { return nil }
        return Finding(
            kind: .coverage, capture: index, title: "No camera is aimed at the box",
            text: "None of \(Wording.count(coverage.miss, "picture")) has the box in its middle: the box or the poses "
                + "may be wrong.", fix: "check the box and the axes of the poses",
            headline: headline("aimed at the box", 0, coverage.goal), weight: 100)
    }

    private func ringSentence(_ gap: Measured.Coverage.Ring) -> String {
        guard gap.gap < 360 else { return "All pictures of the upright sides were taken from one place" }
        let middle = gap.from + gap.gap / 2
        return "A stretch of \(Int(gap.gap.rounded()))° around the box has no picture; its middle faces the "
            + Measured.Coverage.direction(middle)
    }

    private func gapHeadline(_ gap: Measured.Coverage.Ring) -> Finding.Headline {
        Finding.Headline(
            label: "largest gap", value: gap.gap, words: "\(Int(gap.gap.rounded()))°",
            expected: "at most \(Int(BoxVisibility.largestGap))°")
    }

    private func headline(_ label: String, _ count: Int, _ goal: Int) -> Finding.Headline {
        Finding.Headline(
            label: label, value: Double(count), words: Wording.grouped(count),
            expected: "goal: \(Wording.grouped(goal))")
    }

    /// A tenth of the frames: any filter can drop fewer, and the rest still covers the path.
    static let manyFrames = 0.1

    private func jumps(_ motion: Measured.Motion) -> Finding? {
        let jumps = motion.jumps
        if jumps.breakCount == 0 { return strays(motion) }
        let first = jumps.breaks.first.map { ", the first of \(way($0, motion))" } ?? ""
        let lost = motion.lostTracking > 0 ? [Self.loss(motion)] : []
        let sentences =
            ["\(Wording.count(jumps.breakCount, "jump")) in the path\(first)"] + lost
            + ["What was seen before and after does not fit together"]
        return Finding(
            kind: .jumps, capture: index, title: "The camera's path jumps", text: Self.sentences(sentences),
            fix: "drop the frames after the jump, or record it again; if places from before it are filmed again, "
                + "`correct-drift` below `decompress` may make up for it",
            headline: headline("jumps", jumps.breakCount, 0), weight: Double(jumps.breakCount))
    }

    /// Degrees: a hand turns by less from frame to frame.
    private static let turn = 10.0

    private func way(_ jump: PathJumps.Jump, _ motion: Measured.Motion) -> String {
        let turn = jump.degrees.flatMap { $0 < Self.turn ? nil : " and \($0.rounded(decimals: 0).shortText)°" } ?? ""
        return "\(Wording.measure(jump.metres)) \(motion.unit)\(turn) at frame \(jump.frame)"
    }

    private func strays(_ motion: Measured.Motion) -> Finding? {
        let strays = motion.jumps.strays
        guard let first = strays.first else { return nil }
        let what = strays.count == 1 ? "The pose of one frame is wrong" : "The poses of single frames are wrong"
        let all = strays.count == 1 ? "" : " to \(Wording.count(strays.count, "frame")), first"
        let sentence = "The path jumps\(all) by \(way(first, motion)), and returns with the next frame"
        return Finding(
            kind: .jumps, capture: index, title: what, cause: "The poses of single frames are wrong",
            text: Self.sentences([sentence]),
            fix: "leave out the frames that jumps lead to: put `filter-motion: {after-jump: 0}` below `read` in the "
                + "pipeline",
            headline: headline("wrong poses", strays.count, 0), weight: Double(strays.count))
    }

    private func lostTracking(_ motion: Measured.Motion, _ frames: Int) -> Finding? {
        guard Double(motion.lostTracking) > Self.manyFrames * Double(frames) else { return nil }
        return Finding(
            kind: .jumps, capture: index, title: "Tracking was lost in many frames",
            text: Self.sentences([Self.loss(motion), "What was seen before and after may not fit together"]),
            fix: "drop the frames without tracking, or record it again",
            headline: headline("frames without tracking", motion.lostTracking, 0))
    }

    private static func loss(_ motion: Measured.Motion) -> String {
        "Tracking was lost in \(Wording.count(motion.lostTracking, "frame"))"
    }

    var motion: [Finding?] {
        guard let motion = capture.measured.motion, let frames = capture.frames?.source, frames > 0 else { return [] }
        return [jumps(motion) ?? lostTracking(motion, frames), speed(motion, frames), shortPath(motion)]
    }

    private func shortPath(_ motion: Measured.Motion) -> Finding? {
        let length = motion.pathLength
        guard motion.isMetric, let usual = norms.pathLength, usual.isTooLow(length, step: 0.3 * usual.median) else {
            return nil
        }
        return Finding(
            kind: .path, capture: index, title: "The camera hardly moves",
            text: "The path is \(Self.metres(length)) long; in this batch \(Self.metres(usual.median)) is usual.",
            fix: "record again, around what is filmed",
            headline: Finding.Headline("path", length, usual: usual.median, as: Self.metres), weight: -length)
    }

    private func speed(_ motion: Measured.Motion, _ frames: Int) -> Finding? {
        let share = Double(motion.tooFast ?? 0) / Double(frames)
        let p90 = motion.speed?.p90
        let usual = norms.speed
        let isOdd = motion.isMetric && p90.map { usual?.isTooHigh($0, step: 0.3) ?? false } ?? false
        let hasMany = share > Self.manyFrames
        guard hasMany || isOdd else { return nil }
        var sentences: [String] = []
        if let count = motion.tooFast, count > 0 {
            let limits = [
                (motion.isMetric ? motion.fastLimit : nil).map { "above \(Wording.measure($0)) m/s" },
                motion.turningLimit.map { "turning by more than \(Wording.measure($0)) °/s" },
            ].compactMap(\.self)
            sentences.append(
                "\(Wording.count(count, "frame")) of \(Wording.grouped(frames)) \(count.isOrAre) too fast"
                    + (limits.isEmpty ? "" : ": \(limits.joined(separator: ", or "))"))
        }
        if motion.isMetric, let spread = motion.speed {
            sentences.append(
                "The median is \(Wording.measure(spread.median)) m/s, a tenth is above \(Wording.measure(spread.p90)) m/s"
                    + (usual.map { ", where \(Wording.measure($0.median)) m/s is usual in this batch" } ?? ""))
        }
        // Those with many fast frames by their share, and below them the others by their speed.
        let weight = hasMany ? share : Self.manyFrames * (p90.map { $0 / (1 + $0) } ?? 0)
        return Finding(
            kind: .speed, capture: index, title: "The camera moves too fast", text: Self.sentences(sentences),
            fix: "drop the fast frames, or record it again more slowly",
            headline: hasMany
                ? Finding.Headline(
                    label: "frames too fast", value: share, words: Wording.percent(share),
                    expected: "at most \(Wording.percent(Self.manyFrames))")
                : p90.map { p90 in
                    Finding.Headline("speed of the fastest tenth", p90, usual: usual?.median) {
                        "\(Self.metres($0))/s"
                    }
                }, weight: weight)
    }
}
