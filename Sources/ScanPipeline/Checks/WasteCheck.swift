import ScanModel

/// Finds steps whose work goes unused, and says what would put it to use: no step below looks at it, or only steps
/// whose own work goes unused. Also finds pipelines that have nothing to show for their work.
struct WasteCheck {
    private let steps: [Pipeline.Step]
    private let library: StageLibrary
    /// Of each step.
    private let reads: [Set<Channel>]
    private let useless: Set<Int>

    /// - Parameter available: the channels that can be there when each step works.
    init(_ steps: [Pipeline.Step], available: [Set<Channel>], _ library: StageLibrary) {
        self.steps = steps
        self.library = library
        reads = steps.reads
        useless = Self.useless(steps, reads, available)
    }

    private static func useless(
        _ steps: [Pipeline.Step], _ reads: [Set<Channel>], _ available: [Set<Channel>]
    ) -> Set<Int> {
        var used: Set<Channel> = []
        var useless: Set<Int> = []
        for (index, step) in steps.enumerated().reversed() {
            let made = step.uses.touches
            if made.isEmpty || made.contains(.frames) || !step.uses.claims.isEmpty || !made.isDisjoint(with: used)
                || step.uses.isMeasurement || step.uses.drops || !steps.remade(by: index).isDisjoint(with: used)
            {
                // What a step makes anew or removes is no longer what steps above have made of it.
                used.subtract(step.uses.replaces)
                used.formUnion(reads[index].intersection(available[index]))
            } else {
                useless.insert(index)
            }
        }
        return useless
    }

    var findings: [OrderCheck.Finding] {
        if useless.isEmpty { return emptiness.map { [$0] } ?? [] }
        return useless.sorted().map { OrderCheck.Finding(step: $0, problem: problem(of: $0)) }
    }

    /// A pipeline that leaves nothing but receipts of what its steps chose.
    private var emptiness: OrderCheck.Finding? {
        let leavesSomething = steps.contains { step in
            let uses = step.uses
            // What neither makes nor drops anything only looks, to tell what it sees.
            return !uses.claims.isEmpty || uses.isMeasurement || uses.touches.isEmpty && !uses.drops
        }
        guard !leavesSomething, let last = steps.indices.last else { return nil }
        return OrderCheck.Finding(
            step: last,
            problem: Problem(
                .usage, "no stage writes or measures anything, so a result would be nothing but a receipt",
                fix: "add a writer below `\(steps[last].label)`"))
    }

    private func problem(of index: Int) -> Problem {
        let made = steps[index].uses.touches
        func name(_ step: Int) -> String { "`\(steps[step].label)`" }
        let (fate, fix): (String, String)
        switch Fate(of: index, in: steps, reads) {
        case .madeAnew(let successor):
            let isTwin = steps[successor].name == steps[index].name
            let move = isTwin ? "" : ", or move \(name(index)) below \(name(successor))"
            (fate, fix) = ("\(name(successor)) below it makes again", "take one of them out\(move)")
        case .removed(let successor):
            fate = "\(name(successor)) below it removes"
            fix = "take it out, or move it below \(name(successor))"
        case .read(let readers, let isReplaced):
            let uses = readers.count == 1 ? "uses" : "use"
            fate = "below it only \(readers.map(name).listed) \(uses), in vain"
            // Where it is made anew or removed, no writer added below can be given this work.
            let orphans = orphans(of: index).map(name)
            let out = "take it out\(orphans.isEmpty ? "" : " with \(orphans.listed)")"
            fix = isReplaced ? out : "\(out), or \(remedy(for: index))"
        case .unread:
            fate = "no stage below it uses"
            fix = "take it out, or \(remedy(for: index))"
        }
        return Problem(.usage, "\(name(index)) works on \(made.map(\.name).sorted().listed), which \(fate)", fix: fix)
    }

    /// What becomes of useless work.
    private enum Fate {
        /// A step below makes the same channels anew before any other looks at them.
        case madeAnew(by: Int)
        /// A step below removes them before any other looks at them.
        case removed(by: Int)
        /// Below it, only useless steps look at it, and perhaps another one makes it anew or removes it after them.
        case read(by: [Int], isReplaced: Bool)
        case unread

        init(of index: Int, in steps: [Pipeline.Step], _ reads: [Set<Channel>]) {
            let made = steps[index].uses.touches
            let below = steps.indices.dropFirst(index + 1)
            let successor = below.first { !steps[$0].uses.replaces.isDisjoint(with: made) }
            let readers = below.prefix { $0 != successor }.filter { !reads[$0].isDisjoint(with: made) }
            if !readers.isEmpty {
                self = .read(by: Array(readers), isReplaced: successor != nil)
            } else if let successor {
                let isMadeAnew = !steps[successor].uses.makesAnew.isDisjoint(with: made)
                self = isMadeAnew ? .madeAnew(by: successor) : .removed(by: successor)
            } else {
                self = .unread
            }
        }
    }

    /// The useless steps below step `index` that would lack something without it.
    private func orphans(of index: Int) -> [Int] {
        var orphans: [Int] = []
        var available: Set<Channel> = []
        for (place, step) in steps.enumerated() where place != index {
            var after = available
            let isOrphan = step.uses.roles.contains { role in
                if role.demands.contains(where: after.isDisjoint) { return true }
                after.formUnion(role.possible)
                after.subtract(role.removes)
                return false
            }
            if isOrphan && useless.contains(place) { orphans.append(place) } else { available = after }
        }
        return orphans
    }

    /// What would put a useless step's work to use.
    private func remedy(for index: Int) -> String {
        let made = steps[index].uses.touches
        // Steps above it that look at the same channels and make something of them have not seen its work.
        let readers = steps[..<index].indices.filter { reader in
            let uses = steps[reader].uses
            return !uses.reads.isDisjoint(with: made) && !useless.contains(reader)
                && (!uses.touches.isEmpty || !uses.claims.isEmpty)
        }
        // Above any writer but the first, it would leave the earlier ones without its work.
        let above = readers.first { !steps[$0].uses.claims.isEmpty } ?? readers.last
        return above.map { "move it above `\(steps[$0].label)`" } ?? link(from: index)
            ?? (steps[(index + 1)...].contains { !$0.uses.claims.isEmpty } ? use(of: made) : nil)
            ?? "add a writer below it"
    }

    /// How to put channels to use that none of the pipeline's writers looks at; nil where another writer would.
    private func use(of made: Set<Channel>) -> String? {
        let readers = library.entries.filter { !$0.uses.reads.isDisjoint(with: made) }
        if readers.isEmpty || readers.contains(where: { !$0.uses.claims.isEmpty }) { return nil }
        return "add a stage below it that uses it: " + readers.map { "`\($0.card.name)`" }.joined(separator: ", ")
    }

    /// The one or two stages that would turn what step `index` works on into what a step below it looks for.
    private func link(from index: Int) -> String? {
        let made = steps[index].uses.touches
        let below = steps[(index + 1)...]
        var tried: Set<Set<Channel>> = []
        for reader in below.filter({ !$0.uses.claims.isEmpty }) + below.filter(\.uses.claims.isEmpty) {
            let sought = reader.uses.roles.flatMap { $0.needs + $0.anyOf.joined() }
            let wanted = Set(sought).subtracting(made)
            // What one of them looks for others do, too, in a long pipeline.
            if !tried.insert(wanted).inserted { continue }
            let makers = chain(from: made, to: wanted)
            // A stage that is already there works in vain for another reason.
            if makers.isEmpty || below.contains(where: { makers.contains($0.name) }) { continue }
            let verb = makers.count == 1 ? "makes" : "make"
            return "put \(makers.map { "`\($0)`" }.listed) below it, which \(verb) from it what `\(reader.label)` "
                + (reader.uses.claims.isEmpty ? "works on" : "writes")
        }
        return nil
    }

    /// The shortest chain of at most two stages of which the first needs some of `made` and the last makes some of
    /// `wanted`.
    private func chain(from made: Set<Channel>, to wanted: Set<Channel>) -> [String] {
        func takers(of channels: Set<Channel>) -> [StageLibrary.Entry] {
            library.entries.filter { entry in entry.uses.roles.contains { !channels.isDisjoint(with: $0.needs) } }
        }
        let firsts = takers(of: made)
        if let one = firsts.first(where: { !$0.uses.possible.isDisjoint(with: wanted) }) { return [one.card.name] }
        for first in firsts {
            let second = takers(of: first.uses.possible).first { !$0.uses.possible.isDisjoint(with: wanted) }
            if let second { return [first.card.name, second.card.name] }
        }
        return []
    }
}
