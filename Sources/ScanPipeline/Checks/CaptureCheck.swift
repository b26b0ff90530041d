import ScanModel

/// Checks a pipeline's steps against the channels that one capture has, when it has been opened, and decides what those
/// steps read that leave it open.
package enum CaptureCheck {
    /// The most important lack, or nil. Lacks that only another pipeline helps against come first. Then come files
    /// missing from this copy, and what this machine cannot provide; these are all noted, so that one trip to the
    /// device is enough. Of what the machine cannot provide, even that is a lack which a stage only wants: no result
    /// silently goes without it.
    package static func firstLack(of capture: Capture, in steps: [Pipeline.Step]) -> Problem? {
        let lacks = lacks(of: capture, in: steps)
        guard let worst = lacks.first(where: \.isOfPipeline) ?? lacks.first else { return nil }
        var named: Set = [worst.fix ?? worst.summary]
        return lacks.filter { !$0.isOfPipeline && named.insert($0.fix ?? $0.summary).inserted }
            .reduce(worst) { $0.noting(besides: $1) }
    }

    private static func lacks(of capture: Capture, in steps: [Pipeline.Step]) -> [Problem] {
        var lacks: [Problem] = []
        var available = capture.channels
        // What is certain of the capture, whatever the steps do to it.
        var certain = capture
        for (index, step) in steps.enumerated() where !step.uses.isIdle(given: available) {
            for role in step.uses.roles {
                let missing = role.demands(given: available).filter(available.isDisjoint)
                let absent = missing.joined() + role.wants.filter { !available.contains($0) }
                let obstacle = absent.compactMap { capture.absences[$0]?.obstacle }.first?.inStage(step.label)
                let alike = stepsLacking(missing, below: index, in: steps, given: available)
                if let lack = obstacle ?? lack(of: missing, in: capture, at: step, and: alike, steps) {
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
                lacks.append(error.inStage(step.label))
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
    ) -> Problem? {
        if missing.isEmpty { return nil }
        let names = missing.map { $0.map(\.name).joined(separator: " or ") }.joined(separator: ", ")
        let roots = roots(of: missing, in: capture, steps)
        let absences = roots.compactMap { capture.absences[$0] }
        // An incomplete copy is no reason to want less.
        let loss = absences.first?.remedy
        let isUndone = !roots.isEmpty && roots.allSatisfy(capture.waitsForUndistortion)
        let own = wayAround(missing, of: step, and: alike, for: capture)
        // A setting does with this capture and this pipeline, whereas an advice asks for others.
        let setting = own.flatMap { $0.isSetting ? $0.words : nil }
        let readers = steps.first.flatMap { wayAround(missing, of: $0, for: capture)?.words }
        let fix: String =
            loss ?? setting ?? absences.first?.advice ?? own?.words ?? readers
            ?? "use a pipeline without \(step.label) for captures like this one, or see  scanmill inspect"
        var lack = Problem(
            .input, "\(step.label) needs \(names), and this capture has none",
            notes: absences.first.map { [$0.reason] } ?? [], fix: fix
        ).inStage(step.label)
        // A lens is no matter of the copy.
        let isUnsuited = roots.allSatisfy { capture.waitsForUndistortion($0) || capture.absences[$0]?.remedy == nil }
        // Whoever mends one lack of several would only meet the next. A setting makes up for all of them.
        if loss != nil || setting == nil {
            lack = absences.unique.dropFirst().filter { $0.remedy ?? $0.advice != nil }
                .reduce(lack) { $0.noting(besides: $1) }
        }
        return isUndone ? lack.ofPipeline() : lack.unsuited(isUnsuited)
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

    /// How a step can do without all of these needs, and whether by its own options; nil where it cannot do without one.
    /// - Parameter alike: the steps below that lack some of the same: set one by one, each would fail for the next.
    private static func wayAround(
        _ missing: [[Channel]], of step: Pipeline.Step, and alike: StepsAlike = [], for capture: Capture
    ) -> (words: String, isSetting: Bool)? {
        let ways = ways(around: missing, of: step, for: capture)
        if ways.contains(where: \.isEmpty) { return nil }
        var words = ways.flatMap(\.words)
        var options = ways.flatMap(\.options).map { (label: step.label, option: $0) }
        if !options.isEmpty {
            for (step, missing) in alike {
                options += Self.ways(around: missing, of: step, for: capture).flatMap(\.options)
                    .map { (label: step.label, option: $0) }
            }
        }
        var (causes, settings): ([String], [String]) = ([], [])
        for (label, option) in options {
            let setting = ShellWord.setting(label, "\(option.name)=\(option.value)")
            if settings.contains(setting) { continue }
            let cause = "`\(option.name): \(option.cause)`"
            if !causes.contains(cause) { causes.append(cause) }
            settings.append(setting)
        }
        if !settings.isEmpty {
            words.append("do without \(causes.listed) with  \(settings.joined(separator: " "))")
        }
        return (words.joined(separator: ", or "), !settings.isEmpty)
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
