import ScanModel

/// Which stages run over the frames together, and what they need for it.
///
/// Frame and fold stages in a row form one pass. A finish ends the pass only if it drops frames, or makes a channel that
/// a later stage's frame or fold role reads. A later pass replays the earlier frame stages that made or changed what it
/// needs, so that it never sees unmasked depth where a mask stood before.
struct PassPlan: Equatable {
    /// The steps whose turn it is.
    var steps: Range<Int>
    /// Earlier steps that run again, without counting.
    var replayed: [Int]
    /// What the capture's source has to give for each frame.
    var sourceChannels: Set<Channel>

    /// Whether any step looks at frames one by one.
    var walksFrames: Bool

    /// Plans the pass that begins with step `first`.
    static func next(from first: Int, of steps: [Pipeline.Step]) -> PassPlan {
        var end = first
        var madeLater: Set<Channel> = []
        while end < steps.count {
            let step = steps[end]
            let perFrame = step.uses.frame.reads.union(step.uses.fold.reads)
            let waitsForFrames = madeLater.contains(.frames)
            if end > first, waitsForFrames || !perFrame.isDisjoint(with: madeLater) { break }
            madeLater.formUnion(step.uses.fold.possible.union(step.uses.finish.possible))
            end += 1
            if step.uses.finish.drops { break }
        }
        return PassPlan(first..<end, of: steps)
    }

    private init(_ range: Range<Int>, of steps: [Pipeline.Step]) {
        self.steps = range
        walksFrames = steps[range].contains { $0.stage is any FrameStage || $0.stage is any FoldStage }
        var needed: Set<Channel> = []
        for step in steps[range].reversed() {
            needed.subtract(step.uses.frame.possible)
            needed.formUnion(step.uses.frame.reads.union(step.uses.fold.reads))
        }
        needed.formIntersection(Channel.payload)
        var replayed: [Int] = []
        if walksFrames {
            for index in (0..<range.lowerBound).reversed() where steps[index].stage is any FrameStage {
                let role = steps[index].uses.frame
                guard !role.touches.isDisjoint(with: needed) else { continue }
                replayed.insert(index, at: 0)
                needed.subtract(role.possible)
                needed.formUnion(role.reads.intersection(Channel.payload))
            }
        }
        self.replayed = replayed
        sourceChannels = walksFrames ? needed : []
        // The frame before is carried by the source, however many stages stand between it and the one that asks.
        if (replayed + range).contains(where: { steps[$0].uses.reads.contains(.previousDepth) }) {
            sourceChannels.insert(.previousDepth)
        }
    }
}
