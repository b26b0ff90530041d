import ScanModel

/// What is done once the reader has opened a capture, before any other stage works on it.
extension CaptureRun {
    /// Once it is known what the capture holds: checks that this is enough, and settles what its result is made from.
    ///
    /// The order matters: what the steps read decides which files are digested, damage that only this shows drops
    /// frames, and the key names the frames that are left.
    mutating func settle() throws(Problem) -> OpenedCapture {
        // Whatever is wrong with all frames explains why the capture lacks what they would have had.
        try requireFrames()
        try noteLosses()
        steps = CaptureCheck.decide(steps, for: capture.channels)
        // With the capture's id in them, names may be equal that were different in the pipeline's file.
        if let mistake = ClaimCheck.mistakes(in: steps, id: capture.id).first {
            throw mistake.problem.inStage(steps[mistake.step].label)
        }
        capture.findings["channels"] = .of(capture.channels.map(\.name).sorted())
        try leaveOutSparseFrames()
        try checkBadFrames()
        var taken = try takeDigests()
        let tools = try takeOptionsAndTools(into: &taken)
        try checkFiles()
        let key = ResultKey.make(inputs: taken.inputs, pipeline: runner.pipeline, capture: capture, tools: tools)
        // Whoever keeps what is returned would otherwise co-own the frames, which a pass would then copy.
        var facts = capture
        facts.frames = []
        return OpenedCapture(
            key: key, inputs: taken.inputs, tools: tools, capture: facts, statuses: taken.statuses,
            folders: beginning.folders, besides: taken.folders, options: strayOptions, span: span)
    }

    /// Which channels the stages would use and the capture has not, and which they take up.
    private func wishes() -> (missed: Set<Channel>, kept: Set<Channel>) {
        // As each step finds it: a step above may have made what the capture lacks, or removed what it has.
        var available = capture.channels
        var (missed, kept): (Set<Channel>, Set<Channel>) = ([], [])
        for step in runner.pipeline.steps {
            for role in step.uses.roles {
                // Nor is missed what it derives itself.
                let derived = role.derives.filter { available.contains($0.from) }.map(\.made)
                // Nor what it would only have passed on in another shape.
                missed.formUnion(role.reads.subtracting(available).subtracting(derived).subtracting(role.changes))
                kept.formUnion(role.takesUp.intersection(available))
                role.update(&available)
            }
        }
        return (missed, kept)
    }

    /// Notes what an incomplete copy has lost of what stages would use. Warns of what the capture has and no stage
    /// uses, where somebody will miss it.
    /// - Throws: the most important lack, if there is one. All that is lost is noted with it, so that one trip to the
    ///   device is enough.
    private mutating func noteLosses() throws(Problem) {
        let (missed, kept) = wishes()
        let lost = capture.absences.filter { channel, absence in
            // Of a channel that is there, a part may be lost.
            missed.contains(channel)
                || absence.remedy != nil && kept.contains(channel) && capture.channels.contains(channel)
        }.sorted { $0.key.name < $1.key.name }
        if let lack = CaptureCheck.firstLack(of: capture, in: steps) {
            let said = Set([lack.fix].compactMap(\.self) + lack.besides)
            throw lost.map(\.value).filter { $0.remedy.map { !said.contains($0) } ?? false }
                .reduce(lack) { $0.noting(besides: $1) }
        }
        let mendable = lost.compactMap { channel, absence in
            absence.remedy.map { (channel: channel, loss: Receipt.Loss(reason: absence.reason, fix: $0)) }
        }
        losses = mendable.filter { !capture.waitsForUndistortion($0.channel) }.map(\.loss)
        lacks = mendable.map(\.loss.text)
        capture.warnings += lacks
        let regrets = capture.regrets.filter { !kept.contains($0.key) }
        capture.warnings += regrets.sorted { $0.key.name < $1.key.name }.map(\.value)
    }

    // MARK: - Frames that are left out

    /// Leaves out the frames for which the app did not keep a channel that is used, and drops those that have lost it.
    private mutating func leaveOutSparseFrames() throws(Problem) {
        let used = steps.flatMap(\.uses.roles).reduce(into: Set()) { $0.formUnion($1.takesUp) }
            .subtracting(steps.idleSources)
        for (channel, sparse) in capture.sparse.sorted(by: { $0.key.name < $1.key.name }) where used.contains(channel) {
            for (index, reason) in sparse.lost.sorted(by: { $0.key < $1.key }) {
                if capture.onBadFrame == .fail { throw .badFrame(index, reason, readBy: steps[0].label) }
                capture.drop(index, whileReading: reason, isBad: true)
            }
            // Whatever else is wrong with them is no loss.
            for index in sparse.without where capture.frames[index].drop?.isBad != false {
                capture.frames[index].drop = Drop(whileReading: sparse.reason)
            }
            if sparse.without.isEmpty { continue }
            let name = channel.plainName
            let end = "\(sparse.reason); a pipeline without \(name) takes them too"
            if sparse.isByRule {
                notes[0].note("frames without \(name) are left out, since the pipeline uses it: \(end)")
            } else {
                let count = sparse.without.count.counted(of: capture.frames.count, "frame", "is", "are")
                notes[0].warn("\(count) left out, since the pipeline uses \(name): \(end)")
            }
        }
        try requireFrames()
    }

    /// Drops the frames that an earlier attempt found to be bad too late. The key stays that of the capture as it was
    /// found, whatever its stages find out.
    mutating func leaveOutSpoiltFrames() throws(Problem) {
        if leftOut.isEmpty { return }
        for (index, drop) in leftOut where capture.frames.indices.contains(index) && !capture.frames[index].isDropped {
            capture.frames[index].drop = drop
        }
        try checkBadFrames()
        try requireFrames()
        let stages = Set(leftOut.values.map(\.stage)).subtracting([steps[0].label]).sorted().map { "`\($0)`" }
        capture.warnings.append(
            "\(leftOut.count.counted("frame")) turned out to be bad after stages had used what they hold: the "
                + "capture was run again from the start without \(leftOut.count == 1 ? "it" : "them")"
                + (stages.isEmpty ? "" : "; with \(stages.listed) above those stages that is not needed"))
    }

    /// Drops frames whose own files are damaged in ways that only reading them to their ends shows, as in an archive.
    private mutating func drop(_ damaged: [Int: Problem]) throws(Problem) {
        if damaged.isEmpty { return }
        for (index, problem) in damaged {
            capture.drop(index, whileReading: problem.oneLine, isBad: true, fix: problem.fix)
        }
        try requireFrames()
        try checkBadFrames()
    }

    // MARK: - What its result is made from

    /// Takes the digests of the capture's files that the steps use, and looks into the folders of the others.
    private mutating func takeDigests() throws(Problem) -> InputDigests.Taken {
        let used = used
        let listed = runner.takesDigests ? capture.files : []
        let isNeeded = { (file: InputFile) in file.channels.isEmpty || !file.channels.isDisjoint(with: used) }
        let needed = listed.filter(isNeeded)
        let others = listed.filter { !isNeeded($0) && !$0.channels.isDisjoint(with: Channel.payload) }
        let looked = wallClock()
        var taken = try runner.clock.measureDigests { () throws(Problem) in
            try InputDigests.take(
                needed, from: capture.source, besides: folders(of: others), workers: runner.workers,
                known: runner.knownDigests)
        }
        try drop(taken.damagedFrames)
        // The reader parsed its files before their digests were taken.
        for (path, status) in beginning.files { taken.statuses[path]?.status = status }
        learned = taken.known.settled(at: looked)
        output.trust(learned)
        return taken
    }

    /// The folders in which these files lie. Archives are files, whose times are known anyway.
    private func folders(of files: [InputFile]) -> [String] {
        let places = files.compactMap { capture.source.location(of: $0.path) }.filter { $0.range == nil }
        return Set(places.map { FileSystem.parent(of: $0.path) }).sorted()
    }

    /// Adds the files that options name.
    /// - Returns: the versions of the programs that the result is made with.
    private mutating func takeOptionsAndTools(
        into taken: inout InputDigests.Taken
    ) throws(Problem) -> [String: String] {
        var tools: [String: String] = [:]
        for step in steps {
            do throws(Problem) {
                for path in step.uses.files { try take(path, for: step, into: &taken) }
                tools.merge(try step.stage.toolVersions(for: capture)) { $1 }
            } catch { throw error.inStage(step.label) }
        }
        tools.merge(try capture.source.toolVersions(for: used)) { $1 }
        return tools
    }

    /// Reads a file that an option names, unless a step above has.
    /// - Parameter path: as the option has it.
    private mutating func take(
        _ path: String, for step: Pipeline.Step, into taken: inout InputDigests.Taken
    ) throws(Problem) {
        let name = OptionFile.name(path, input)
        // What one step does without, another may need.
        if files[name]?.bytes != nil { return }
        let file = try OptionFile(path, of: capture, input, for: step)
        files[name] = file
        guard let bytes = file.bytes else { return }
        let digest = Digest.of(bytes)
        // Of a file that is an input anyway, what it was like before the reader opened it counts.
        if let location = file.location, let status = file.status, taken.statuses[PathKey(location)] == nil {
            let isPart = capture.source.location(of: name)?.range != nil
            taken.statuses[PathKey(location)] = KnownDigests.Entry(status: status, digest: isPart ? nil : digest)
        }
        if taken.inputs.contains(where: { $0.path == name }) { return }
        taken.inputs.append(Receipt.File(path: name, byteCount: Int64(bytes.count), digest: digest))
        taken.inputs.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Lets stages look at the files that their options name: nobody waits for a failure that is certain.
    private func checkFiles() throws(Problem) {
        for step in steps where !step.uses.files.isEmpty {
            guard let stage = step.stage as? any DemandingStage else { continue }
            let context = StageContext(
                label: step.label, capture: capture, input: input, output: output, available: capture.channels,
                reads: step.uses.reads, wanted: [], leavesFramesOut: false, files: files, notes: StageNotes(),
                memo: Memo())
            do throws(Problem) { try stage.checkFiles(context) } catch { throw error.inStage(step.label) }
        }
    }

    /// The locations of files that options name and the capture does not hold, there or not, by their names.
    private var strayOptions: [String: String] {
        files.compactMapValues(\.location).filter { capture.source.location(of: $0.key)?.path != $0.value }
    }

    private var span: ClosedRange<Int64>? {
        let times = capture.frames.compactMap(\.timestamp)
        return times.min().flatMap { first in times.max().map { first...$0 } }
    }
}
