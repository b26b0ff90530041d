import ScanModel

/// The passes of a run: frames on their way through the stages, and streams to their ends.
extension CaptureRun {
    /// A stage that chooses among all frames, or gathers them, must know which ones the streams really hold. If its
    /// turn comes before the pass that opens the streams, these are walked once beforehand.
    mutating func checkStreamsInTime(from next: Int) throws(Problem) {
        guard let first = steps[next...].firstIndex(where: { $0.uses.finish.drops || $0.gathersFrames }) else { return }
        var unchecked: Set<Channel> = []
        var opened: Set<Channel> = []
        var begin = next
        while begin < steps.count {
            let plan = plan(from: begin)
            if begin > first {
                unchecked.formUnion(plan.sourceChannels)
            } else {
                opened.formUnion(plan.sourceChannels)
            }
            begin = plan.steps.upperBound
        }
        unchecked.formIntersection([.recordedDepth, .recordedConfidence])
        unchecked.subtract(opened)
        if !unchecked.isEmpty { try walk(channels: unchecked, steps: [], label: steps[0].label) }
    }

    mutating func run(_ plan: PassPlan) throws(Problem) {
        let available = availability()
        var contexts: [Int: StageContext] = [:]
        for index in plan.replayed + plan.steps { contexts[index] = context(index, available[index], plan) }
        for index in plan.replayed + plan.steps {
            guard let stage = steps[index].stage as? any FrameStage, let context = contexts[index] else { continue }
            try runner.clock.measure(index) { () throws(Problem) in
                do throws(Problem) { try stage.prepare(context) } catch { throw error.inStage(steps[index].label) }
            }
        }
        var folds: [Int: any RunningFold] = [:]
        for index in plan.steps {
            guard let stage = steps[index].stage as? any FoldStage, let context = contexts[index] else { continue }
            folds[index] = try runner.clock.measure(index) { () throws(Problem) in
                try Self.begin(stage, context, label: steps[index].label)
            }
        }
        contexts = contexts.mapValues(\.withoutFrames)
        if plan.walksFrames {
            try walk(
                channels: plan.sourceChannels, steps: lineSteps(plan, contexts, folds),
                label: steps[plan.steps.lowerBound].label)
            settledWarnings = warnings
            try checkBadFrames()
            try requireFrames()
        }
        for index in plan.steps {
            let step = steps[index]
            if !plan.choosing.contains(index) { chooseAmongNeighbours(index) }
            forgetAbsences(outdatedBy: step.uses)
            // The end of a pass sees the capture as it is now: a fold above may just have made its cloud.
            let context = context(index, capture.channels.union(available[index]), plan).withoutFrames
            // If it fails, what it noticed before may be why.
            defer { settledWarnings = warnings }
            do throws(Problem) {
                try runner.clock.measure(index) { () throws(Problem) in
                    if let fold = folds[index] { try fold.end(&capture, context) }
                    if let stage = step.stage as? any CaptureStage { try stage.finish(&capture, in: context) }
                }
            } catch { throw error.inStage(step.label) }
            try leaveOut(lateDropsOf: index)
        }
    }

    /// Why the capture had none of what a step makes or takes away is no longer why it has none. A step that makes more
    /// of what is there already, such as a cloud of a cloud of which nothing was left, leaves the reason as it is.
    private mutating func forgetAbsences(outdatedBy uses: Uses) {
        for role in uses.roles {
            for channel in role.makes + role.mayMake
            where !capture.channels.contains(channel) || !uses.reads.contains(channel) {
                capture.absences[channel] = nil
            }
            for channel in role.removes { capture.absences[channel] = nil }
        }
    }

    /// The pass that begins with step `first`.
    func plan(from first: Int) -> PassPlan {
        PassPlan.next(from: first, of: steps) { index in
            // Where pictures are files, no frame has to wait: a stage that drops frames by comparing them ends the
            // pass, and the next one does not open the dropped frames' pictures. A video would have to be decoded
            // twice.
            guard capture.video != nil, let most = mostNeighbours(of: steps[index]) else { return false }
            return most <= Self.heldBytes / bytesOfAFrame(waitingAt: index)
        }
    }

    private func mostNeighbours(of step: Pipeline.Step) -> Int? {
        (step.stage as? any NeighbourStage)?.mostNeighbours(among: capture.keptFrames)
    }

    /// About how many bytes a frame takes at most while it waits for its neighbours. Its picture takes three per pixel,
    /// and half that in most videos. To this comes its depth as it was recorded, or what stages above have made of it,
    /// mainly points.
    private func bytesOfAFrame(waitingAt index: Int) -> Int {
        let made = steps[..<index].reduce(into: Set<Channel>()) { $0.formUnion($1.uses.frame.touches) }
        func pixels(_ size: PixelSize?) -> Int { size.map { $0.width * $0.height } ?? 0 }
        let pictures = made.contains(.downscaled) ? 2 : 1
        let depth = made.isDisjoint(with: [.depth, .confidence, .points]) ? 4 : 32
        return max(1, 3 * pictures * pixels(capture.colorSize) + depth * pixels(capture.depthSize))
    }

    /// Fifteen frames of 1920 × 1440 with depth of 256 × 192.
    private static let heldBytes = 128 << 20

    /// Does at the end of a pass what could not be done on the way.
    private mutating func chooseAmongNeighbours(_ index: Int) {
        guard let stage = steps[index].stage as? any NeighbourStage else { return }
        for drop in stage.groups(of: capture.keptFrames).flatMap(stage.drops(among:)) {
            capture.drop(drop.frame, stage: steps[index].label, reason: drop.reason)
        }
    }

    /// A frame that turns out to be bad when all are through may have gone into what stages above have made.
    private mutating func leaveOut(lateDropsOf index: Int) throws(Problem) {
        guard steps[..<index].contains(where: { $0.gathersFrames || !$0.uses.claims.isEmpty }) else { return }
        let label = steps[index].label
        var late: [Int: Drop] = [:]
        for frame in capture.frames where leftOut[frame.index] == nil {
            if let drop = frame.drop, drop.isBad, drop.stage == label { late[frame.index] = drop }
        }
        try giveUp(toLeaveOut: late)
    }

    /// Ends this attempt if frames are bad of which stages have made something already. The runner then begins another
    /// without them, and shows nobody the problem that is thrown here.
    private mutating func giveUp(toLeaveOut drops: [Int: Drop]) throws(Problem) {
        if drops.isEmpty { return }
        retry = .without(drops)
        throw Problem(.tool, "frames of which stages have made something are bad")
    }

    /// The channels that are there when each step's turn comes.
    private func availability() -> [Set<Channel>] {
        var available = capture.channels
        return steps.map { step in
            let before = available
            for role in step.uses.roles { role.update(&available) }
            return before
        }
    }

    /// What a step is told. What it counts while it is only replayed is discarded.
    private func context(_ index: Int, _ available: Set<Channel>, _ plan: PassPlan) -> StageContext {
        StageContext(
            label: steps[index].label, capture: capture, input: input, output: output, available: available,
            reads: steps[index].uses.reads,
            // Few of the frames get past a choice, so this step does not prepare them for the steps after it.
            wanted: plan.choosing.contains(index) ? [] : readLater(than: index, in: plan),
            leavesFramesOut: leavesFramesOut(above: index, in: plan),
            files: files, notes: plan.steps.contains(index) ? notes[index] : StageNotes(), memo: memos[index])
    }

    /// What the steps of a pass after `index` read of the frames.
    private func readLater(than index: Int, in plan: PassPlan) -> Set<Channel> {
        (plan.replayed + plan.steps).filter { $0 > index }.reduce(into: []) {
            $0.formUnion(steps[$1].uses.frame.reads.union(steps[$1].uses.fold.reads))
        }
    }

    /// Whether a choice above a step leaves frames out. It does wherever frames are neighbours: one of them is dropped,
    /// by choice or because it was bad.
    private func leavesFramesOut(above index: Int, in plan: PassPlan) -> Bool {
        plan.choosing.contains {
            guard $0 < index, let stage = steps[$0].stage as? any NeighbourStage else { return false }
            return stage.groups(of: capture.keptFrames).contains { $0.count > 1 }
        }
    }

    /// The steps of a pass in order, with the release of each channel after its last use.
    private func lineSteps(
        _ plan: PassPlan, _ contexts: [Int: StageContext], _ folds: [Int: any RunningFold]
    ) -> [FrameLine.Step] {
        let source = capture.source
        let early = plan.channelsBeforeChoice
        let late = plan.sourceChannels.subtracting(early)
        let clock = runner.clock
        var result = [frameStep(0) { (frame) throws(Problem) in try source.prepare(&frame, for: early) }]
        for index in plan.replayed + plan.steps {
            guard let context = contexts[index] else { continue }
            if let stage = steps[index].stage as? any FrameStage {
                result.append(
                    frameStep(index) { (frame) throws(Problem) in try stage.process(&frame, in: context) })
            }
            if let fold = folds[index] {
                result.append(
                    .ordered { (frame) throws(Problem) in
                        try clock.measure(index) { () throws(Problem) in try fold.take(&frame, context) }
                    })
            }
            let released = lastUses(of: index, in: plan)
            if !released.isEmpty {
                result.append(.parallel { frame in for channel in released { frame.release(channel) } })
            }
            if plan.choosing.contains(index), let stage = steps[index].stage as? any NeighbourStage {
                result.append(choiceStep(index, stage))
                result.append(frameStep(0) { (frame) throws(Problem) in try source.prepare(&frame, for: late) })
            }
        }
        return result
    }

    /// The payload channels that a step touches and that no later step looks at.
    private func lastUses(of index: Int, in plan: PassPlan) -> Set<Channel> {
        let uses = steps[index].uses
        let reused = (plan.replayed + plan.steps).filter { $0 > index }.flatMap { steps[$0].uses.reuses }
        return uses.frame.reads.union(uses.frame.possible).union(uses.fold.reads).union(uses.reuses)
            .intersection(Channel.payload).subtracting(readLater(than: index, in: plan).union(reused))
    }

    /// A parallel step. A problem with the frame's own data drops the frame, where the capture's rule allows that.
    private func frameStep(
        _ index: Int, _ body: @escaping @Sendable (inout Frame) throws(Problem) -> Void
    ) -> FrameLine.Step {
        let label = steps[index].label
        let clock = runner.clock
        let rule = dropRule
        return .parallel { (frame) throws(Problem) in
            if frame.facts.isDropped { return }
            do throws(Problem) {
                try clock.measure(index) { () throws(Problem) in try body(&frame) }
            } catch { try rule.drop(&frame, for: error, by: label, isBad: true) }
        }
    }

    private func choiceStep(_ index: Int, _ stage: any NeighbourStage) -> FrameLine.Step {
        let label = steps[index].label
        let choice = FrameLine.Choice(most: mostNeighbours(of: steps[index]) ?? 1, isNeighbour: stage.isNeighbour) {
            frames in
            let drops = stage.drops(among: frames.map(\.facts).filter { !$0.isDropped })
            for drop in drops {
                guard let place = frames.firstIndex(where: { $0.facts.index == drop.frame }) else { continue }
                frames[place].facts.drop = Drop(stage: label, reason: drop.reason)
            }
        }
        return .choice(choice)
    }

    /// An ordered step that advances a stream. Streams belong to the reader, whichever pass walks them.
    private func trackStep(_ track: any FrameTrack, isWanted: Bool) -> FrameLine.Step {
        let label = steps[0].label
        let clock = runner.clock
        let rule = dropRule
        return .ordered { (frame) throws(Problem) in
            let wasDropped = frame.facts.isDropped
            try clock.measure(0) { () throws(Problem) in
                try track.advance(&frame, isWanted: isWanted && !wasDropped)
            }
            guard !wasDropped, let drop = frame.facts.drop else { return }
            let problem = Problem(.input, drop.reason, fix: drop.fix)
            try rule.drop(&frame, for: problem, by: label, isBad: drop.isBad)
        }
    }

    private var dropRule: DropRule { DropRule(onBadFrame: capture.onBadFrame, output: output, spoilt: spoilt) }

    /// Walks over all source frames once.
    /// - Parameter line: what is done with each frame; where nothing is, streams are only checked to their ends.
    private mutating func walk(
        channels: Set<Channel>, steps line: [FrameLine.Step], label: String
    ) throws(Problem) {
        let tracks = try capture.source.tracks(for: channels, of: capture)
        let trackSteps = tracks.map { trackStep($0, isWanted: !line.isEmpty) }
        let areChecked = tracks.allSatisfy { checkedTracks.contains($0.name) }
        // Once every stream's length is known, nothing after the last kept frame has to be inflated again.
        let count = areChecked ? (capture.frames.lastIndex { !$0.isDropped } ?? -1) + 1 : capture.frames.count
        // Moved, not shared: a list with two owners would be copied at its first change.
        let box = FrameBox(frames: capture.frames, traces: traces)
        capture.frames = []
        traces = []
        let (pass, walks) = (passNumber, walks)
        let runner = runner
        let frameLine = FrameLine(
            count: count, steps: trackSteps + line, workers: runner.workers, begin: box.frame(at:),
            done: { position, frame in
                box.take(frame, at: position)
                runner.report(
                    RunProgress(
                        stage: label, pass: pass, frame: box.takenCount, frameCount: count, before: walks.done,
                        after: walks.left))
            })
        try frameLine.run()
        self.walks.done += 1
        (capture.frames, traces) = (box.frames, box.traces)
        try checkEnds(of: tracks.filter { !checkedTracks.contains($0.name) })
        try giveUp(toLeaveOut: spoilt.all)
    }

    private mutating func checkEnds(of tracks: [any FrameTrack]) throws(Problem) {
        let listed = capture.frames.count
        for track in tracks {
            let end = try runner.clock.measure(0) { () throws(Problem) in try track.finish() }
            if end.isChance {
                retry = .withOneVideoThread
                throw Problem(.tool, "parts of the pictures are guessed, and another run would guess others")
            }
            checkedTracks.insert(track.name)
            for warning in end.warnings where !capture.warnings.contains(warning) { capture.warnings.append(warning) }
            capture.forgiven += end.forgiven
            for index in listed..<(listed + end.extraFrames) where index >= capture.frames.count {
                var extra = FrameFacts(index: index)
                extra.drop = Drop(stage: steps[0].label, reason: end.reason)
                capture.frames.append(extra)
            }
        }
    }

    private static func begin<S: FoldStage>(
        _ stage: S, _ context: StageContext, label: String
    ) throws(Problem) -> any RunningFold {
        do throws(Problem) {
            return FoldBox(stage: stage, label: label, fold: try stage.begin(context))
        } catch { throw error.inStage(label) }
    }
}
