import ScanModel

/// Which stages run over the frames together, and what they need for it.
///
/// Frame and fold stages in a row form one pass, and the ends of folds and the finishes run after it in the order of
/// the list. A finish ends the pass if it drops frames, or if a later stage reads frame by frame something that the
/// finish makes or changes, or something that stages above made from what the finish changes. A stage begins a pass of
/// its own if it drops frames, or changes facts, that an earlier finish has yet to read; or if it has to know before
/// the first frame which ones are left, and a stage above drops some on the way. A ``NeighbourStage`` that drops frames
/// ends the pass too, unless its neighbours are few enough to wait for each other within it. A later pass replays the
/// earlier frame stages that made or changed what it needs, so that it never sees unmasked depth below a mask.
package struct PassPlan: Equatable {
    /// The steps whose turn it is.
    package var steps: Range<Int>
    /// Those of them that choose among neighbours while the pass goes on.
    package var choosing: Set<Int>
    /// Earlier steps that run again, without counting.
    package var replayed: [Int]
    /// What the capture's source has to give for each frame.
    package var sourceChannels: Set<Channel>
    /// Those of them that the steps up to a choice look at: of frames that do not get past it, nothing else is opened.
    package var channelsBeforeChoice: Set<Channel>

    /// Whether any step looks at frames one by one.
    package var walksFrames: Bool

    /// Plans the pass that begins with step `first`.
    /// - Parameter choosesOnTheWay: whether frames may wait for each other at the step with this number, which drops
    ///   some by comparing them.
    package static func next(
        from first: Int, of steps: [Pipeline.Step], choosesOnTheWay: (Int) -> Bool = { _ in false }
    ) -> PassPlan {
        var end = first
        var choosing: Set<Int> = []
        // What the ends of the steps so far make or change, and what they read.
        var late: Set<Channel> = []
        var awaited: Set<Channel> = []
        while end < steps.count {
            let uses = steps[end].uses
            let chooses = choosesOnTheWay(end)
            // Before the first frame nobody can tell which ones will be left.
            let dropsOnTheWay = !choosing.isEmpty || steps[first..<end].contains { $0.uses.frame.drops }
            let needsChoice = dropsOnTheWay && uses.frame.reads.contains(.frames)
            // A stage above a choice that looks at the capture as a whole is to see all frames that were there.
            let spoilsEnds = chooses && steps[first..<end].contains(where: \.looksAtTheWhole)
            let comesTooEarly = needsChoice || spoilsEnds || !uses.readByFrame.isDisjoint(with: late)
            if end > first,
                late.contains(.frames) || comesTooEarly || !uses.factsTouched.isDisjoint(with: awaited)
            {
                break
            }
            late.formUnion(uses.madeAtEnd)
            // What was made of pixels that a finish changes is outdated with them; within this pass, what earlier
            // passes made would be made again from the pixels as they were at its beginning. So are points whose
            // poses it changes. Intrinsics alone change with the size of the pictures, and no point moves by that.
            var outdated = uses.madeAtEnd.intersection(Channel.payload.union([.pose]))
            outdated.formUnion(steps.made(of: outdated, above: end))
            late.formUnion(outdated)
            awaited.formUnion(uses.readAtEnd)
            if chooses { choosing.insert(end) }
            end += 1
            if uses.finish.drops && !chooses { break }
        }
        return PassPlan(first..<end, choosing: choosing, of: steps)
    }

    private init(_ range: Range<Int>, choosing: Set<Int>, of steps: [Pipeline.Step]) {
        self.steps = range
        self.choosing = choosing
        walksFrames = steps[range].contains { $0.stage is any FrameStage || $0.stage is any FoldStage }
        (replayed, sourceChannels) = walksFrames ? Self.needs(of: range, steps) : ([], [])
        // What runs again runs first.
        channelsBeforeChoice =
            if let choice = choosing.min(), replayed.isEmpty {
                Self.needs(of: range.lowerBound..<choice + 1, steps).sourceChannels
                    .union(Self.madeEarly(of: sourceChannels, steps[range.lowerBound...choice]))
            } else { sourceChannels }
    }

    /// The previous frame's depth must be opened before a choice, even for stages after it, if a stage before the
    /// choice converts it: after the choice, that stage no longer runs.
    private static func madeEarly(of sourceChannels: Set<Channel>, _ steps: ArraySlice<Pipeline.Step>) -> Set<Channel> {
        let isMade = steps.contains { $0.uses.frame.possible.contains(.previousDepth) }
        return isMade ? sourceChannels.intersection([.previousDepth]) : []
    }

    /// What a range of steps needs: earlier ones that run again, and channels of the source.
    private static func needs(
        of range: Range<Int>, _ steps: [Pipeline.Step]
    ) -> (replayed: [Int], sourceChannels: Set<Channel>) {
        var replayed: [Int] = []
        // Backwards, so that it is known what is asked of each step. After  read, decompress, mask, unproject, drop the
        // pass of  write-depth  asks for depth: unproject makes none and is skipped, mask changes it and runs again,
        // and so does decompress, which makes it from the recorded depth that the source has to give.
        var needed: Set<Channel> = []
        for index in (0..<range.upperBound).reversed() {
            let uses = steps[index].uses
            if range.contains(index) {
                needed.formUnion(uses.fold.reads)
            } else if steps[index].stage is any FrameStage, !uses.frame.touches.isDisjoint(with: needed) {
                replayed.insert(index, at: 0)
            } else {
                continue
            }
            let read = uses.frame.reads(making: needed)
            needed.subtract(uses.frame.possible)
            needed.formUnion(read)
            needed.formIntersection(Channel.payload)
        }
        // The previous frame's depth comes from the source, however many stages are between it and the one that asks.
        if (replayed + range).contains(where: { steps[$0].uses.reads.contains(.previousDepth) }) {
            needed.insert(.previousDepth)
        }
        return (replayed, needed)
    }
}

extension [Pipeline.Step] {
    /// The steps above one that have made something of single frames' channels, or of what was made of them.
    func makers(of channels: Set<Channel>, above index: Int) -> [Pipeline.Step] {
        var made = channels
        return self[..<index].filter { above in
            let takesUp = !above.uses.frame.reads.isDisjoint(with: made)
            if takesUp { made.formUnion(above.uses.frame.touches.intersection(Channel.payload)) }
            return takesUp
        }
    }

    /// What steps above one have made of single frames, and make again with what that one changes of the whole capture:
    /// points of the poses that `correct-drift` has corrected.
    func remade(by index: Int) -> Set<Channel> {
        let uses = self[index].uses
        let changed = uses.fold.touches.union(uses.finish.touches).intersection(Channel.payload.union([.pose]))
        return made(of: changed, above: index)
    }

    /// What the steps above one have made of single frames' channels, step by step.
    fileprivate func made(of channels: Set<Channel>, above index: Int) -> Set<Channel> {
        makers(of: channels, above: index).reduce(into: []) {
            $0.formUnion($1.uses.frame.touches.intersection(Channel.payload))
        }
    }

    /// What is never opened, although a step could make something of it: without a stage that looks at confidence,
    /// `decompress` unpacks none.
    var idleSources: Set<Channel> {
        let derived = flatMap(\.uses.roles).flatMap { $0.derives.map(\.from) }
        var idle = Set(derived).intersection(Channel.payload)
        var next = 0
        while next < count {
            let plan = PassPlan.next(from: next, of: self)
            idle.subtract(plan.sourceChannels)
            next = plan.steps.upperBound
        }
        return idle
    }
}

extension Pipeline.Step {
    /// Whether it has an end that is reached when all frames are through.
    fileprivate var looksAtTheWhole: Bool { stage is any CaptureStage || stage is any FoldStage }
}

extension Uses {
    fileprivate var readByFrame: Set<Channel> { frame.reads.union(fold.reads.subtracting(Channel.ofCapture)) }

    fileprivate var readAtEnd: Set<Channel> { finish.reads.union(fold.reads.intersection(Channel.ofCapture)) }

    /// What is made or changed only when all frames are through.
    fileprivate var madeAtEnd: Set<Channel> {
        fold.possible.union(Set(fold.changes).subtracting(Channel.payload)).union(finish.touches)
    }

    /// What the frame and fold roles make or change that stays when the frame's pixels are gone.
    fileprivate var factsTouched: Set<Channel> {
        let facts = frame.touches.subtracting(Channel.payload)
        return frame.drops || fold.drops ? facts.union([.frames]) : facts
    }
}
