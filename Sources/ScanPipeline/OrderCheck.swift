import ScanModel

/// Checks the order of a pipeline's stages by the channels they need and make: once when the file is read and only what
/// a reader may give is known, and again for each capture, when what it has is known.
package struct OrderCheck {
    package struct Finding {
        package var step: Int
        package var problem: Problem
    }

    package private(set) var mistakes: [Finding] = []
    package private(set) var warnings: [Finding] = []
    private var early: [Finding] = []

    /// The check of a file.
    package init(steps: [Pipeline.Step], library: StageLibrary) {
        checkReaders(steps, library)
        var available = Self.mayRead(steps, library)
        // What no step has made yet, so that only captures that bring it along have it.
        var unmade = steps.first.map { Self.isReader($0) ? Set($0.uses.finish.mayMake) : [] } ?? []
        var availableTo: [Set<Channel>] = []
        for (index, step) in steps.enumerated() {
            availableTo.append(available)
            if step.uses.isIdle(given: available) { noteIdle(index, steps) }
            for role in step.uses.roles {
                for group in role.demands(given: available) where available.isDisjoint(with: group) {
                    miss(index, step, group, steps, library)
                    // One missing stage is one mistake, however many stages below would need it too.
                    available.formUnion(group)
                }
                for group in role.demands(given: available) where index > 0 {
                    let met = available.intersection(group)
                    // Who names a format with points of its own, such as PLY, has all that there is.
                    let lacking = group.count == 1 ? group : group.filter { !met.contains($0) }
                    if unmade.isSuperset(of: met) { noteEarly(index, group, lacking, steps) }
                }
                available.formUnion(role.possible)
                if index > 0 { unmade.subtract(role.possible) }
                availableTo[index].formUnion(available)
                available.subtract(role.removes)
            }
        }
        mistakes += ClaimCheck.mistakes(in: steps).map { Finding(step: $0.step, problem: $0.problem) }
        checkLateDrops(steps)
        checkWaste(steps, availableTo, library)
    }

    /// What is there before the first step: nothing, unless the reader was forgotten, which is a mistake of its own.
    private static func mayRead(_ steps: [Pipeline.Step], _ library: StageLibrary) -> Set<Channel> {
        guard let first = steps.first, !isReader(first) else { return [] }
        let readers = library.entries.map(\.uses).filter { $0.finish.makes.contains(.frames) }
        return readers.reduce(into: []) { $0.formUnion($1.finish.possible) }
    }

    /// Readers are the stages that make frames.
    private static func isReader(_ step: Pipeline.Step) -> Bool { step.uses.finish.makes.contains(.frames) }

    /// The first thing that a stage needs and this capture lacks, as a problem of the capture; or that a stage needs or
    /// wants and this machine cannot give, as a problem of the machine, so that no result silently goes without it.
    package static func firstLack(of capture: Capture, in steps: [Pipeline.Step]) -> Problem? {
        var available = capture.channels
        for step in steps where !step.uses.isIdle(given: available) {
            for role in step.uses.roles {
                let missing = role.demands(given: available).filter(available.isDisjoint)
                let absent = missing.joined() + role.wants.filter { !available.contains($0) }
                if let obstacle = absent.compactMap({ capture.obstacles[$0] }).first {
                    return obstacle.inStage(step.label)
                }
                if !missing.isEmpty {
                    // The channel that the capture itself lacks: what the missing one would have been made from.
                    let roots = missing.joined().flatMap { channel in
                        [channel]
                            + steps.flatMap {
                                $0.uses.roles.flatMap { $0.derives.filter { $0.made == channel }.map(\.from) }
                            }
                    }
                    let names = missing.map { $0.map(\.name).joined(separator: " or ") }.joined(separator: ", ")
                    let root = roots.first { capture.absences[$0] != nil }
                    // An incomplete copy is no reason to want less.
                    let remedy =
                        root.flatMap { capture.remedies[$0] } ?? wayAround(missing, of: step)
                        ?? steps.first.flatMap { wayAround(missing, of: $0) }
                    return Problem(
                        .input, "\(step.label) needs \(names), and this capture has none",
                        notes: root.flatMap { capture.absences[$0] }.map { [$0] } ?? [],
                        fix: remedy
                            ?? "use a pipeline without \(step.label) for captures like this one, or see  scanmill inspect"
                    ).inStage(step.label)
                }
                // A stage that only may make something says so itself when it does not. A reader has already done what
                // it could.
                available.formUnion(role.made(from: available))
                if !isReader(step) { available.formUnion(role.mayMake) }
                available.subtract(role.removes)
            }
        }
        return nil
    }

    /// How a step can do without all of these needs; nil where it cannot do without one of them.
    private static func wayAround(_ missing: [[Channel]], of step: Pipeline.Step) -> String? {
        let ways = missing.map { step.uses.instead[$0] ?? [] }
        if ways.contains(where: \.isEmpty) { return nil }
        var (words, causes, settings): ([String], [String], [String]) = ([], [], [])
        for way in ways.joined() {
            switch way {
            case .words(let text): words.append(text)
            case .option(let name, let value, let cause):
                let setting = "--set \(step.label).\(name)=\(value)"
                if settings.contains(setting) { continue }
                causes.append("`\(name): \(cause)`")
                settings.append(setting)
            }
        }
        if !settings.isEmpty {
            words.append("do without \(causes.listed) with  \(settings.joined(separator: " "))")
        }
        return words.joined(separator: ", or ")
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

    private mutating func checkReaders(_ steps: [Pipeline.Step], _ library: StageLibrary) {
        guard let first = steps.first else { return }
        if !Self.isReader(first) {
            let readers = library.makers(of: .frames)
            mistakes.append(
                Finding(
                    step: 0,
                    problem: Problem(
                        .usage, "a pipeline begins with a stage that reads a capture, not with `\(first.name)`",
                        fix: "put `\(readers.first ?? Drop.reader)` above it")))
        }
        for (index, step) in steps.enumerated().dropFirst() where Self.isReader(step) {
            mistakes.append(
                Finding(
                    step: index,
                    problem: Problem(
                        .usage, "`\(step.label)` reads a capture, which only the first stage can do", fix: "take it out"
                    )))
        }
    }

    /// A step that can never find what it works on, mostly because a step above it leaves nothing of it.
    private mutating func noteIdle(_ index: Int, _ steps: [Pipeline.Step]) {
        guard let channel = steps[index].uses.idleWithout else { return }
        var (cause, fix) = ("no stage above it gives any \(channel)", "take it out")
        if let culprit = steps[..<index].last(where: { $0.uses.roles.contains { $0.removes.contains(channel) } }) {
            cause = "`\(culprit.label)` above it leaves no \(channel)"
            // A second one of its kind is one too many.
            if culprit.name != steps[index].name { fix = "move it above `\(culprit.label)`" }
        }
        mistakes.append(
            Finding(
                step: index,
                problem: Problem(.usage, "`\(steps[index].label)` has nothing to do: \(cause)", fix: fix)))
    }

    private mutating func miss(
        _ index: Int, _ step: Pipeline.Step, _ group: [Channel], _ steps: [Pipeline.Step], _ library: StageLibrary
    ) {
        let names = group.map(\.name).joined(separator: " or ")
        // Other readers may give the channel, but this one's captures do not have it.
        let readers = steps.first.map(Self.isReader) == true ? library.makers(of: .frames) : []
        let makers = group.flatMap(library.makers(of:)).filter { !readers.contains($0) }
        let below = steps[(index + 1)...].first { makers.contains($0.name) }
        let ways = (step.uses.instead[group] ?? []) + (steps.first?.uses.instead[group] ?? [])
        let instead = ways.map { way in
            switch way {
            case .option(let name, let value, _): "set `\(name): \(value)`"
            case .words(let text): text
            }
        }
        let remedy = below.map { "move `\($0.name)` above it" } ?? makers.first.map { "put `\($0)` above it" }
        let fixes = [remedy].compactMap(\.self) + instead
        mistakes.append(
            Finding(
                step: index,
                problem: Problem(
                    .usage, "`\(step.label)` needs \(names), which no stage before it makes",
                    fix: fixes.isEmpty ? nil : fixes.joined(separator: ", or "))))
    }

    /// A step whose need only some captures meet, though below a later step all would.
    private mutating func noteEarly(
        _ index: Int, _ group: [Channel], _ lacking: [Channel], _ steps: [Pipeline.Step]
    ) {
        let maker = steps[(index + 1)...].first { step in
            step.uses.roles.contains { role in (role.makes + role.derives.map(\.made)).contains(where: lacking.contains)
            }
        }
        guard let maker else { return }
        let names = group.map(\.name).joined(separator: " or ")
        early.append(
            Finding(
                step: index,
                problem: Problem(
                    .usage,
                    "`\(steps[index].label)` needs \(names), which here only captures have that bring it along",
                    fix: "move it below `\(maker.label)`, which makes it")))
    }

    /// Stages that drop frames below all writers: the results would hold what the receipt calls dropped. Pictures for
    /// people may well show frames that are dropped later.
    private mutating func checkLateDrops(_ steps: [Pipeline.Step]) {
        guard let first = steps.first(where: Self.writesFrames), let last = steps.lastIndex(where: Self.writesFrames)
        else { return }
        for (index, step) in steps.enumerated() where index > last && step.uses.roles.contains(where: \.drops) {
            mistakes.append(
                Finding(
                    step: index,
                    problem: Problem(
                        .usage, "`\(step.label)` drops frames that `\(steps[last].label)` above it has written already",
                        fix: "move it above `\(first.label)`")))
        }
    }

    /// Whether a step writes the frames, for others to work with.
    private static func writesFrames(_ step: Pipeline.Step) -> Bool {
        if step.uses.claims.isEmpty { return false }
        return step.stage is any FoldStage ? step.gathersFrames : step.stage is any FrameStage
    }

    /// Stages whose work no stage below looks at, or only stages whose own work goes unused.
    /// - Parameter available: the channels that can be there when each step works.
    private mutating func checkWaste(_ steps: [Pipeline.Step], _ available: [Set<Channel>], _ library: StageLibrary) {
        var used: Set<Channel> = []
        var useless: Set<Int> = []
        for (index, step) in steps.enumerated().reversed() {
            let made = step.uses.touches
            if made.isEmpty || made.contains(.frames) || !step.uses.claims.isEmpty || !made.isDisjoint(with: used)
                || step.uses.isMeasurement || step.uses.roles.contains(where: \.drops)
            {
                // What a step makes anew is no longer what steps above have made of it.
                used.subtract(step.uses.makesAnew)
                used.formUnion(step.uses.reads.intersection(available[index]))
            } else {
                useless.insert(index)
            }
        }
        warnings = early + useless.sorted().map { Finding(step: $0, problem: Self.waste($0, steps, useless, library)) }
    }

    /// What becomes of useless work.
    private enum Waste {
        /// A step below makes the same channels anew before any other looks at them.
        case madeAnew(by: Int)
        /// Below it, only useless steps look at it, and perhaps another one makes it anew after them.
        case read(by: [Int], isMadeAnew: Bool)
        case unread

        init(of index: Int, in steps: [Pipeline.Step]) {
            let made = steps[index].uses.touches
            let below = steps.indices.dropFirst(index + 1)
            let successor = below.first { !steps[$0].uses.makesAnew.isDisjoint(with: made) }
            let readers = below.prefix { $0 != successor }.filter { !steps[$0].uses.reads.isDisjoint(with: made) }
            if !readers.isEmpty {
                self = .read(by: Array(readers), isMadeAnew: successor != nil)
            } else if let successor {
                self = .madeAnew(by: successor)
            } else {
                self = .unread
            }
        }
    }

    private static func waste(
        _ index: Int, _ steps: [Pipeline.Step], _ useless: Set<Int>, _ library: StageLibrary
    ) -> Problem {
        let made = steps[index].uses.touches
        func name(_ step: Int) -> String { "`\(steps[step].label)`" }
        let (fate, fix): (String, String)
        switch Waste(of: index, in: steps) {
        case .madeAnew(let successor):
            let isTwin = steps[successor].name == steps[index].name
            let move = isTwin ? "" : ", or move \(name(index)) below \(name(successor))"
            (fate, fix) = ("\(name(successor)) below it makes anew", "take one of them out\(move)")
        case .read(let readers, let isMadeAnew):
            let uses = readers.count == 1 ? "uses" : "use"
            fate = "below it only \(readers.map(name).listed) \(uses), in vain"
            // Where it is made anew, no writer added below can be given this work.
            fix = isMadeAnew ? "take it out" : "take it out, or \(remedy(index, steps, useless, library))"
        case .unread:
            fate = "no stage below it uses"
            fix = "take it out, or \(remedy(index, steps, useless, library))"
        }
        return Problem(.usage, "\(name(index)) works on \(made.map(\.name).sorted().listed), which \(fate)", fix: fix)
    }

    /// What would put a useless step's work to use.
    private static func remedy(
        _ index: Int, _ steps: [Pipeline.Step], _ useless: Set<Int>, _ library: StageLibrary
    ) -> String {
        let made = steps[index].uses.touches
        // Steps above it that look at the same channels and make something of them have not seen its work.
        let readers = steps[..<index].indices.filter { reader in
            let uses = steps[reader].uses
            return !uses.reads.isDisjoint(with: made) && !useless.contains(reader)
                && (!uses.touches.isEmpty || !uses.claims.isEmpty)
        }
        // Above any writer but the first, it would leave the earlier ones without its work.
        let above = readers.first { !steps[$0].uses.claims.isEmpty } ?? readers.last
        return above.map { "move it above `\(steps[$0].label)`" } ?? link(from: index, steps, library)
            ?? (steps[(index + 1)...].contains { !$0.uses.claims.isEmpty } ? use(of: made, library) : nil)
            ?? "add a writer below it"
    }

    /// How to put channels to use that none of the pipeline's writers looks at; nil where another writer would.
    private static func use(of made: Set<Channel>, _ library: StageLibrary) -> String? {
        let readers = library.entries.filter { !$0.uses.reads.isDisjoint(with: made) }
        if readers.isEmpty || readers.contains(where: { !$0.uses.claims.isEmpty }) { return nil }
        return "add a stage below it that uses it: " + readers.map { "`\($0.card.name)`" }.joined(separator: ", ")
    }

    /// The one or two stages that would turn what step `index` works on into what a step below it looks for.
    private static func link(from index: Int, _ steps: [Pipeline.Step], _ library: StageLibrary) -> String? {
        let made = steps[index].uses.touches
        let below = steps[(index + 1)...]
        for reader in below.filter({ !$0.uses.claims.isEmpty }) + below.filter(\.uses.claims.isEmpty) {
            let sought = reader.uses.roles.flatMap { $0.needs + $0.anyOf.joined() }
            let makers = chain(from: made, to: Set(sought).subtracting(made), library)
            // A stage that is already there works in vain for another reason.
            if makers.isEmpty || below.contains(where: { makers.contains($0.name) }) { continue }
            let verb = makers.count == 1 ? "makes" : "make"
            return "put \(makers.map { "`\($0)`" }.listed) below it, which \(verb) of it what `\(reader.label)` "
                + (reader.uses.claims.isEmpty ? "works on" : "writes")
        }
        return nil
    }

    /// The shortest chain of at most two stages of which the first needs some of `made` and the last makes some of
    /// `wanted`.
    private static func chain(from made: Set<Channel>, to wanted: Set<Channel>, _ library: StageLibrary) -> [String] {
        func takers(of channels: Set<Channel>) -> [StageLibrary.Entry] {
            library.entries.filter { entry in entry.uses.roles.contains { !channels.isDisjoint(with: $0.needs) } }
        }
        func makes(_ entry: StageLibrary.Entry) -> Set<Channel> {
            entry.uses.roles.reduce(into: []) { $0.formUnion($1.possible) }
        }
        let firsts = takers(of: made)
        if let one = firsts.first(where: { !makes($0).isDisjoint(with: wanted) }) { return [one.card.name] }
        for first in firsts {
            let second = takers(of: makes(first)).first { !makes($0).isDisjoint(with: wanted) }
            if let second { return [first.card.name, second.card.name] }
        }
        return []
    }
}
