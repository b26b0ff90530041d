import ScanModel

/// Checks the order of a pipeline's stages by the channels they need and make, as far as that can be told from its
/// file: what each capture has is known when it is opened, and ``CaptureCheck`` looks at that.
struct OrderCheck {
    struct Finding {
        var step: Int
        var problem: Problem
    }

    private(set) var mistakes: [Finding] = []
    private(set) var warnings: [Finding] = []
    private let steps: [Pipeline.Step]
    private let library: StageLibrary

    init(steps: [Pipeline.Step], library: StageLibrary) {
        self.steps = steps
        self.library = library
        checkReaders()
        let available = checkNeeds()
        checkLateDrops()
        noteVainDrops()
        noteLateChanges()
        noteLatePoses()
        warnings += WasteCheck(steps, available: available, library).findings
    }

    private mutating func fail(_ step: Int, _ summary: String, fix: String?) {
        mistakes.append(Finding(step: step, problem: Problem(.usage, summary, fix: fix)))
    }

    private mutating func warn(_ step: Int, _ summary: String, fix: String) {
        warnings.append(Finding(step: step, problem: Problem(.usage, summary, fix: fix)))
    }

    private mutating func checkReaders() {
        guard let first = steps.first else { return }
        if !first.isReader {
            let readers = library.makers(of: .frames)
            fail(
                0, "a pipeline begins with a stage that reads a capture, not with `\(first.name)`",
                fix: "put `\(readers.first ?? Drop.reader)` above it")
        }
        for (index, step) in steps.enumerated().dropFirst() where step.isReader {
            fail(index, "`\(step.label)` reads a capture, which only the first stage can do", fix: "take it out")
        }
    }

    // MARK: - What steps need

    /// Takes the channels from step to step.
    /// - Returns: for each step, the channels that can be there when it works.
    private mutating func checkNeeds() -> [Set<Channel>] {
        var available = mayBeRead
        // What no step has made yet, so that only captures that bring it along have it.
        var unmade = steps.first.map { $0.isReader ? Set($0.uses.finish.mayMake) : [] } ?? []
        var availableTo: [Set<Channel>] = []
        for (index, step) in steps.enumerated() {
            availableTo.append(available)
            if step.uses.isIdle(given: available) { noteIdle(index) }
            for role in step.uses.roles {
                for group in role.demands(given: available) where available.isDisjoint(with: group) {
                    miss(group, by: index)
                    // One missing stage is one mistake, however many stages below would need it too.
                    available.formUnion(group)
                }
                for group in role.demands(given: available) where index > 0 {
                    let met = available.intersection(group)
                    // Who names a format with points of its own, such as PLY, has all that there is.
                    let lacking = group.count == 1 ? group : group.filter { !met.contains($0) }
                    if !unmade.isSuperset(of: met) { continue }
                    if let move = move(index, below: lacking, available) {
                        noteRare(group, for: index, fix: move)
                    } else if group.count == 1, let maker = maker(of: group, from: steps[1..<index]) {
                        noteRare(group, for: index, fix: "put `\(maker)`, which makes it, above it")
                        // Said once, too.
                        unmade.subtract(group)
                    }
                }
                available.formUnion(role.possible)
                if index > 0 { unmade.subtract(role.possible) }
                availableTo[index].formUnion(available)
                available.subtract(role.removes)
            }
        }
        return availableTo
    }

    /// What is there before the first step: nothing, unless the reader was forgotten, which is a mistake of its own.
    private var mayBeRead: Set<Channel> {
        guard let first = steps.first, !first.isReader else { return [] }
        let readers = library.entries.map(\.uses).filter { $0.finish.makes.contains(.frames) }
        return readers.reduce(into: []) { $0.formUnion($1.finish.possible) }
    }

    /// A step that can never find what it works on, mostly because a step above it leaves nothing of it.
    private mutating func noteIdle(_ index: Int) {
        guard let channel = steps[index].uses.idleWithout else { return }
        var (cause, fix) = ("no stage above it makes any \(channel)", "take it out")
        if let culprit = steps[..<index].last(where: { $0.uses.roles.contains { $0.removes.contains(channel) } }) {
            cause = "`\(culprit.label)` above it leaves no \(channel)"
            // A second one of its kind is one too many.
            if culprit.name != steps[index].name { fix = "move it above `\(culprit.label)`" }
        }
        fail(index, "`\(steps[index].label)` has nothing to do: \(cause)", fix: fix)
    }

    /// A step of whose need, one of a group of channels, nothing can be there.
    private mutating func miss(_ group: [Channel], by index: Int) {
        let step = steps[index]
        let names = group.map(\.name).joined(separator: " or ")
        // Other readers may give the channel, but this one's captures do not have it.
        let readers = steps.first?.isReader == true ? library.makers(of: .frames) : []
        let fillers = library.entries.filter { Self.fills(group, $0.uses, for: step) }.map(\.card.name)
        // Nor does one more of its kind give it what it needs itself.
        let others = Set(readers + fillers + [step.name])
        let makers = group.flatMap(library.makers(of:)).filter { !others.contains($0) }
        let below = steps[(index + 1)...].first { makers.contains($0.name) }
        let needed = Set(group)
        let instead = Self.ways(step.uses.instead[needed] ?? []) + Self.ways(steps.first?.uses.instead[needed] ?? [])
        let remedy = below.map { "move `\($0.name)` above it" } ?? makers.first.map { "put `\($0)` above it" }
        let fixes = [remedy].compactMap(\.self) + instead
        fail(
            index, "`\(step.label)` needs \(names), which no stage before it makes",
            fix: fixes.isEmpty ? nil : fixes.joined(separator: ", or "))
    }

    /// Fixes by what a stage says to do instead; where several of its options make the need, all have to change.
    private static func ways(_ instead: [Uses.Instead]) -> [String] {
        let settings = instead.options.map { "`\($0.name): \($0.value)`" }
        return instead.words + (settings.isEmpty ? [] : ["set \(settings.listed)"])
    }

    /// Whether a step only fills in for channels that a capture does not have, and the step that uses them writes
    /// nothing: such values are good enough to be written, and nothing that could be measured.
    private static func fills(_ channels: [Channel], _ uses: Uses, for user: Pipeline.Step) -> Bool {
        user.uses.claims.isEmpty
            && uses.roles.contains { role in
                role.wants.contains { channels.contains($0) && role.makes.contains($0) }
            }
    }

    /// How to move steps so that all captures meet a need that only some meet: this step below a later one that makes
    /// what it needs, or that one above this. Nil where no later step makes it.
    /// - Parameters:
    ///   - lacking: the channels that a step below may make.
    ///   - available: to this step.
    private func move(_ index: Int, below lacking: [Channel], _ available: Set<Channel>) -> String? {
        let place = steps[(index + 1)...].firstIndex { step in
            let made = step.uses.roles.flatMap { $0.makes + $0.derives.map(\.made) }
            return made.contains(where: lacking.contains) && !Self.fills(lacking, step.uses, for: steps[index])
        }
        guard let place else { return nil }
        let maker = steps[place]
        let made = steps[index].uses.roles.reduce(into: Set()) { $0.formUnion($1.makes) }
        let isAwaited = steps[index + 1..<place].contains { step in
            step.uses.roles.contains { !$0.takesUp.isDisjoint(with: made) }
        }
        let canBeHere = maker.uses.roles.allSatisfy { role in
            role.demands(given: available).allSatisfy { !available.isDisjoint(with: $0) }
        }
        return isAwaited && canBeHere
            ? "move `\(maker.label)`, which makes it, above it" : "move it below `\(maker.label)`, which makes it"
    }

    /// The stage that would make one of some channels of what steps have made, as `sample-mesh` makes a cloud of a mesh.
    private func maker(of channels: [Channel], from steps: ArraySlice<Pipeline.Step>) -> String? {
        library.entries.first { entry in
            entry.uses.roles.contains { role in
                role.makes.contains(where: channels.contains)
                    && steps.contains { !$0.uses.possible.isDisjoint(with: role.needs) }
            }
        }?.card.name
    }

    /// A step whose need only some captures meet.
    private mutating func noteRare(_ group: [Channel], for index: Int, fix: String) {
        let names = group.map(\.name).joined(separator: " or ")
        warn(
            index,
            "`\(steps[index].label)` needs \(names), which no stage above it makes: a capture that was not recorded with "
                + "it will fail", fix: fix)
    }

    // MARK: - Steps that come too late

    /// Stages that drop frames below all writers: the results would hold what the receipt calls dropped. Pictures for
    /// people may well show frames that are dropped later.
    private mutating func checkLateDrops() {
        guard let first = steps.first(where: Self.writesFrames), let last = steps.lastIndex(where: Self.writesFrames)
        else { return }
        for (index, step) in steps.enumerated() where index > last && step.uses.drops {
            fail(
                index, "`\(step.label)` drops frames that `\(steps[last].label)` above it has written already",
                fix: "move it above `\(first.label)`")
        }
    }

    /// Warns of a stage that drops frames of which a stage above has made a cloud or a mesh, where nothing below it looks
    /// at frames any more: the result has them all.
    private mutating func noteVainDrops() {
        let reads = steps.reads
        for (index, step) in steps.enumerated() where step.uses.drops {
            let used = reads[(index + 1)...].reduce(into: Set()) { $0.formUnion($1) }
            guard used.isSubset(of: Self.gathered),
                let above = steps[..<index].last(where: { above in
                    !above.isReader && !above.uses.possible.isDisjoint(with: used)
                        && !above.uses.reads.isSubset(of: Self.gathered)
                })
            else { continue }
            warn(
                index,
                "`\(step.label)` drops frames that `\(above.label)` above it has used already, and no stage below it looks "
                    + "at frames: what is written is made of all of them", fix: "move it above `\(above.label)`")
        }
    }

    /// What is made of all frames together.
    private static let gathered: Set<Channel> = [.box, .cloud, .mesh, .floor]

    /// Warns of a stage that changes pixels after another has computed places from them, where a third reads these
    /// places frame by frame: they are recomputed from the new pixels, differ a little, and are not counted again.
    private mutating func noteLateChanges() {
        // By frames, and not in a cloud that was gathered of them.
        let reads = zip(steps, steps.reads).map { $0.uses.frame.reads.union($0.uses.fold.reads).intersection($1) }
        for (index, step) in steps.enumerated() {
            let changed = step.uses.finish.touches.intersection(Channel.payload)
            if changed.isEmpty { continue }
            let makers = steps.makers(of: changed, above: index).filter { $0.uses.frame.reads.contains(.pose) }
            let late = makers.first { maker in
                let made = maker.uses.frame.touches.intersection(Channel.payload)
                return reads[(index + 1)...].contains { !$0.isDisjoint(with: made) }
            }
            guard let late else { continue }
            warn(
                index,
                "`\(step.label)` changes the pixels from which `\(late.label)` above it has made what stages below "
                    + "use: it is made again from the new pixels, but not counted again",
                fix: "move it above `\(late.label)`")
        }
    }

    /// Warns of a stage that changes poses alone, below those that have made a cloud, a mesh or a box by them: these
    /// stay as they are. Points of single frames are made again.
    private mutating func noteLatePoses() {
        for (index, step) in steps.enumerated() where !step.isReader {
            let touched = step.uses.fold.touches.union(step.uses.finish.touches)
            guard touched.contains(.pose), touched.isDisjoint(with: Channel.payload) else { continue }
            let (made, first) = madeByPoses(above: index)
            guard let first, use(made, below: index) else { continue }
            warn(
                index,
                "`\(step.label)` changes the poses from which `\(first.label)` above it has made what stages below use",
                fix: "move it above `\(first.label)`")
        }
    }

    /// What the steps above one have made of the capture as a whole by the poses of its frames, and the first of them
    /// that made places by poses.
    private func madeByPoses(above index: Int) -> (made: Set<Channel>, first: Pipeline.Step?) {
        let places: Set<Channel> = [.points, .cloud, .mesh]
        var made: Set<Channel> = []
        var first: Pipeline.Step?
        for step in steps[..<index] where !step.isReader {
            let uses = step.uses
            let usesPoses = uses.reads.contains(.pose) && !uses.possible.isDisjoint(with: places)
            if usesPoses && first == nil { first = step }
            // Of what it only cuts, it makes nothing else.
            let taken = uses.reads.subtracting(uses.roles.flatMap(\.changes))
            let isDerived = !taken.isDisjoint(with: made)
            for role in uses.roles {
                if isDerived {
                    made.formUnion(role.possible)
                } else if usesPoses {
                    made.formUnion(role.possible.intersection(places))
                }
                made.subtract(role.removes)
            }
        }
        return (made.intersection(Channel.ofCapture), first)
    }

    /// Whether a step below one uses any of some channels before they are made anew.
    private func use(_ channels: Set<Channel>, below index: Int) -> Bool {
        var left = channels
        for step in steps[(index + 1)...] {
            if !step.uses.reads.isDisjoint(with: left) { return true }
            for role in step.uses.roles { left.subtract(role.possible.union(role.removes)) }
        }
        return false
    }

    /// Whether a step writes the frames, for others to work with.
    private static func writesFrames(_ step: Pipeline.Step) -> Bool {
        if step.uses.claims.isEmpty { return false }
        return step.stage is any FoldStage ? step.gathersFrames : step.stage is any FrameStage
    }
}

extension [Pipeline.Step] {
    /// What each step looks at. One that takes a cloud which a stage above has made does not look at the points of
    /// single frames.
    var reads: [Set<Channel>] {
        var hasCloud = false
        return map { step in
            let reads = step.uses.reads
            let takesCloud = hasCloud && reads.contains(.cloud)
            for role in step.uses.roles where !step.isReader {
                // Points that are made anew take the place of a cloud.
                hasCloud = role.possible.contains(.cloud) || hasCloud && !role.removes.contains(.cloud)
            }
            return takesCloud ? reads.subtracting([.points]) : reads
        }
    }
}
