import ScanModel

/// Checks a pipeline's steps against the channels that one capture has, when it has been opened, and decides what those
/// steps read that leave it open.
package enum CaptureCheck {
    /// The most important lack, or nil. Lacks that only another pipeline, or other options, help against come first: one
    /// that no option helps against hides the others, and otherwise all that have to be set are named together. Then
    /// come files missing from this copy, and what this machine cannot provide; these are all noted, so that one trip
    /// to the device is enough. Of what the machine cannot provide, even that is a lack which a stage only wants: no
    /// result silently goes without it.
    package static func firstLack(of capture: Capture, in steps: [Pipeline.Step]) -> Problem? {
        let lacks = lacks(of: capture, in: steps)
        let problems =
            problems(of: lacks.filter(\.isOfPipeline), capture, steps)
            + lacks.filter { !$0.isOfPipeline }.map(\.problem)
        guard let worst = problems.first else { return nil }
        var named: Set = [worst.fix ?? worst.summary]
        let all = problems.dropFirst().filter { named.insert($0.fix ?? $0.summary).inserted }
            .reduce(worst) { $0.noting(besides: $1) }
        return problems.allSatisfy(\.isUnsuited) ? all.unsuited() : all
    }

    /// What is to be said of a capture that the pipeline does not suit.
    private static func problems(
        of lacks: [CaptureLack], _ capture: Capture, _ steps: [Pipeline.Step]
    ) -> [Problem] {
        let ends = lacks.filter { $0.way == .otherPipeline || $0.way == .said }
        guard let end = ends.first else { return problems(ofMendable: lacks, capture, steps) }
        // Whoever set what the other steps do without would only meet this one. What a stage says itself may ask for an
        // option, with which the others would be met.
        if ends.contains(where: { $0.way == .otherPipeline }) { return [end.problem] }
        return [end.problem] + problems(ofMendable: lacks.filter { $0.way != .said }, capture, steps)
    }

    /// The same where settings or the reader's options make up for all lacks, those that only show with these settings
    /// included.
    private static func problems(
        ofMendable lacks: [CaptureLack], _ capture: Capture, _ steps: [Pipeline.Step]
    ) -> [Problem] {
        if lacks.allSatisfy(\.settings.isEmpty) { return lacks.map(\.problem) }
        var lacks = lacks
        while true {
            let settings = lacks.flatMap(\.settings).unique
            guard let set = steps.setting(settings) else { return lacks.map(\.withoutSettings) }
            let left = self.lacks(of: capture, in: set).filter { $0.isOfPipeline && $0.way != .said }
            let end = left.first { lack in
                lack.way == .otherPipeline || lack.settings.contains { settings.contains(where: $0.isOfSameOption) }
            }
            if let end { return [problem(of: end, in: settings, capture, steps)] }
            let more = left.filter { lack in !lacks.contains { $0.problem == lack.problem } }
            if more.isEmpty { break }
            lacks += more
        }
        let settable = lacks.filter { !$0.settings.isEmpty }
        guard settable.count > 1 else { return lacks.map(\.problem) }
        var joined = settable.dropFirst().map { Problem(.input, $0.problem.summary) }
            .reduce(settable[0].problem) { $0.noting(besides: $1) }
        joined.fix = StageSetting.words(steps.inOrder(settable.flatMap(\.settings).unique))
        joined = joined.unsuited(settable.allSatisfy(\.problem.isUnsuited))
        return [joined] + lacks.filter(\.settings.isEmpty).map(\.problem)
    }

    /// What is to be said where a step fails whatever is set.
    /// - Parameters:
    ///   - end: what it lacks with all settings.
    ///   - settings: all of them.
    private static func problem(
        of end: CaptureLack, in settings: [StageSetting], _ capture: Capture, _ steps: [Pipeline.Step]
    ) -> Problem {
        // What a step lacks only as it was set is nothing that the pipeline asks for.
        let others = steps.setting(settings.filter { $0.label != end.stage }) ?? steps
        let asked = lacks(of: capture, in: others).first { $0.stage == end.stage && !$0.settings.isEmpty }
        return (asked ?? end).withoutSettings
    }

    private static func lacks(of capture: Capture, in steps: [Pipeline.Step]) -> [CaptureLack] {
        var lacks: [CaptureLack] = []
        var available = capture.channels
        // What is certain of the capture, whatever the steps do to it.
        var certain = capture
        for (index, step) in steps.enumerated() where !step.uses.isIdle(given: available) {
            for role in step.uses.roles {
                let missing = role.demands(given: available).filter(available.isDisjoint)
                let absent = missing.joined() + role.wants.filter { !available.contains($0) }
                let obstacle = absent.compactMap { capture.absences[$0]?.obstacle }.first?.inStage(step.label)
                let alike = stepsLacking(missing, below: index, in: steps, given: available)
                if let lack = obstacle.map({ CaptureLack(problem: $0, way: .otherPipeline) })
                    ?? lack(of: missing, in: capture, at: step, and: alike, steps)
                {
                    lacks.append(lack)
                    // What follows from it is no lack of its own, as what follows from another file that is missing is.
                    available.formUnion(absent)
                    let lost = role.derives.filter {
                        !available.contains($0.from) && capture.absences[$0.from]?.remedy != nil
                    }
                    available.formUnion(role.possible.subtracting(lost.map(\.made)))
                }
                // A stage that only may make something says so itself when it does not. A reader has already done what
                // it could.
                available.formUnion(role.made(from: available))
                if !step.isReader { available.formUnion(role.mayMake) }
                available.subtract(role.removes)
            }
            do throws(Problem) { try (step.stage as? any DemandingStage)?.check(certain, step.label) } catch {
                lacks.append(CaptureLack(problem: error.inStage(step.label), way: .said))
            }
            if step.isReader { continue }
            if step.uses.touches.contains(.box) { certain.box = nil }
            if step.uses.touches.contains(.floor) { certain.floor = nil }
            if step.uses.touches.contains(.cloud) { certain.cloud = nil }
        }
        return lacks
    }

    /// Steps with some of the needs that another one has.
    private typealias StepsAlike = [(step: Pipeline.Step, missing: [[Channel]])]

    /// The steps below one that lack some of the same, up to one that may make it.
    private static func stepsLacking(
        _ missing: [[Channel]], below index: Int, in steps: [Pipeline.Step], given available: Set<Channel>
    ) -> StepsAlike {
        if missing.isEmpty { return [] }
        let channels = Set(missing.joined())
        let below = steps.dropFirst(index + 1).prefix { $0.uses.possible.isDisjoint(with: channels) }
        return below.filter { !$0.uses.isIdle(given: available) }.compactMap { step in
            let same = step.uses.roles.flatMap { $0.demands(given: available) }.filter { missing.contains($0) }
            return same.isEmpty ? nil : (step, same)
        }
    }

    /// The problem of a capture that has none of what a step needs.
    /// - Parameters:
    ///   - missing: the groups of channels of which the step needs one each; none for no problem.
    ///   - alike: the steps below that lack some of the same.
    private static func lack(
        of missing: [[Channel]], in capture: Capture, at step: Pipeline.Step, and alike: StepsAlike,
        _ steps: [Pipeline.Step]
    ) -> CaptureLack? {
        if missing.isEmpty { return nil }
        let names = missing.map { $0.map(\.name).joined(separator: " or ") }.joined(separator: ", ")
        let roots = roots(of: missing, in: capture, steps)
        let absences = roots.compactMap { capture.absences[$0] }
        // An incomplete copy is no reason to want less.
        let loss = absences.first?.remedy
        let isUndone = !roots.isEmpty && roots.allSatisfy(capture.waitsForUndistortion)
        let own = wayAround(missing, of: step, and: alike, for: capture)
        // A setting does with this capture and this pipeline, whereas an advice asks for others.
        let setting = own.flatMap { $0.settings.isEmpty ? nil : $0.text }
        let said = absences.first?.advice ?? own?.words
        let readers = steps.first.flatMap { wayAround(missing, of: $0, for: capture)?.text }
        let otherwise: String =
            said ?? readers
            ?? "use a pipeline without \(step.label) for captures like this one, or see  scanmill inspect"
        var lack = Problem(
            .input, "\(step.label) needs \(names), and this capture has none",
            notes: absences.first.map { [$0.reason] } ?? [], fix: loss ?? setting ?? otherwise
        ).inStage(step.label)
        // A lens is no matter of the copy.
        let isUnsuited = roots.allSatisfy { capture.waitsForUndistortion($0) || capture.absences[$0]?.remedy == nil }
        // Whoever mends one lack of several would only meet the next. A setting makes up for all of them.
        if loss != nil || setting == nil {
            lack = absences.unique.dropFirst().filter { $0.remedy ?? $0.advice != nil }
                .reduce(lack) { $0.noting(besides: $1) }
        }
        lack = isUndone ? lack.ofPipeline() : lack.unsuited(isUnsuited)
        let isOfReader = loss == nil && setting == nil && said == nil && readers != nil
        var way: CaptureLack.Way = isOfReader ? .reader : .otherPipeline
        if loss == nil, let own, own.isEnough { way = .settings(own.settings, otherwise: otherwise) }
        return CaptureLack(problem: lack, way: way)
    }

    /// For each need, the first channel of which the capture says why it has none: a missing one, or one from which
    /// steps would have made a missing one.
    private static func roots(of missing: [[Channel]], in capture: Capture, _ steps: [Pipeline.Step]) -> [Channel] {
        let derivations = steps.flatMap { $0.uses.roles.flatMap(\.derives) }
        return missing.compactMap { group in
            group.lazy.flatMap { channel in [channel] + derivations.filter { $0.made == channel }.map(\.from) }
                .first { capture.absences[$0] != nil }
        }
    }

    /// How a step can do without some needs.
    private struct WayAround {
        /// What to do about the pipeline; nil for nothing.
        var words: String?
        var settings: [StageSetting]
        /// Whether the settings alone make up for all needs.
        var isEnough: Bool

        var text: String? {
            let all = [words, settings.isEmpty ? nil : StageSetting.words(settings)].compactMap(\.self)
            return all.isEmpty ? nil : all.joined(separator: ", or ")
        }
    }

    /// How a step can do without all of these needs; nil where it cannot do without one.
    /// - Parameter alike: the steps below that lack some of the same: set one by one, each would fail for the next.
    private static func wayAround(
        _ missing: [[Channel]], of step: Pipeline.Step, and alike: StepsAlike = [], for capture: Capture
    ) -> WayAround? {
        let ways = ways(around: missing, of: step, for: capture)
        if ways.contains(where: \.isEmpty) { return nil }
        let words = ways.flatMap(\.words)
        var settings = ways.flatMap { $0.settings(of: step.label) }
        if !settings.isEmpty {
            for (step, missing) in alike {
                settings += Self.ways(around: missing, of: step, for: capture)
                    .flatMap { $0.settings(of: step.label) }
            }
        }
        return WayAround(
            words: words.isEmpty ? nil : words.joined(separator: ", or "), settings: settings.unique,
            isEnough: ways.allSatisfy { !$0.options.isEmpty })
    }

    /// The ways to do without each of these needs of a step.
    private static func ways(
        around missing: [[Channel]], of step: Pipeline.Step, for capture: Capture
    ) -> [[Uses.Instead]] {
        let stage = step.stage as? any DemandingStage
        return missing.map { stage?.instead(of: $0, for: capture, step.label) ?? step.uses.instead[Set($0)] ?? [] }
    }

    /// The steps with every "one of these" decided for a capture that has `channels`: the first channel of the group
    /// that is there counts, and the step no longer looks at the others. A step that has nothing to do looks at
    /// nothing.
    package static func decide(_ steps: [Pipeline.Step], for channels: Set<Channel>) -> [Pipeline.Step] {
        var available = channels
        return steps.map { step in
            var decided = step
            if step.uses.isIdle(given: available) { decided.uses.forget(step.uses.reads.union(step.uses.touches)) }
            var open: Set<Channel> = []
            var chosen: Set<Channel> = []
            for role in step.uses.roles {
                for group in role.anyOf + role.prefers {
                    open.formUnion(group)
                    if let first = group.first(where: available.contains) { chosen.insert(first) }
                }
                role.update(&available)
            }
            decided.uses.forget(open.subtracting(chosen))
            return decided
        }
    }
}

extension [Uses.Instead] {
    /// - Parameter label: the stage's.
    fileprivate func settings(of label: String) -> [StageSetting] {
        options.map { StageSetting(label: label, option: $0.name, value: $0.value, cause: $0.cause) }
    }
}

extension Problem {
    /// With something else that the same capture lacks.
    func noting(besides absence: Absence) -> Problem {
        noting(besides: Problem(.input, absence.reason, fix: absence.remedy ?? absence.advice))
    }
}

extension Capture {
    /// Whether a channel is missing only until a lens is undone: that takes another stage, and no other copy.
    func waitsForUndistortion(_ channel: Channel) -> Bool { channel == .intrinsics && channels.contains(.lens) }
}
