import ScanModel
import ScanPipeline

/// Everything that the report shows, gathered from OUT: receipts, failure notes, the record of the newest run, and what
/// the reports of earlier runs said. `report.json` and the page are both made from it.
struct NightReport: Sendable {
    let output: String
    let run: RunFacts?
    /// Sorted by id.
    var captures: [CaptureFacts]
    let findings: [FindingGroup]
    /// The findings of each capture that has any, each with its group's place.
    let findingsOf: [Int: [(group: Int, finding: Finding)]]
    /// Warnings that most captures have.
    let commonWarnings: [(text: String, count: Int)]
    /// What follows from the pipeline, and for how many captures.
    let notes: [(text: String, count: Int)]
    let summary: Summary
    let stages: [StageRow]
    let devices: [DeviceRow]
    let trends: [Trend]
    /// How many earlier runs something is known about.
    let earlierCount: Int
    let verdict: Verdict

    /// The resolved pipeline of the newest run; without one, that of the first result.
    let pipeline: JSONValue?

    /// Places in ``captures`` in the order in which they ran; captures that did not run come first.
    var order: [Int] {
        captures.indices.sorted {
            (captures[$0].share?.begin ?? -1, $0) < (captures[$1].share?.begin ?? -1, $1)
        }
    }

    /// - Parameter run: the name of the run to report on; nil for the newest.
    init(output: String, run: String?) {
        let state = StateFolder(output: output)
        let run = (run ?? RunFacts.newest(in: state)).map { RunFacts($0, in: state) }
        let earlier = EarlierRun.all(in: state, before: run?.name)
        let captures = Self.gather(state, run)
        let first = captures.first { $0.hasResult }.flatMap { PublishedResult($0.id, in: output) }
        self.init(
            output: output, run: run, pipeline: run?.pipeline ?? first?.receipt["pipeline"], captures: captures,
            earlier: earlier)
    }

    init(
        output: String, run: RunFacts?, pipeline: JSONValue?, captures gathered: [CaptureFacts], earlier: [EarlierRun]
    ) {
        self.output = output
        self.run = run
        self.pipeline = pipeline
        var captures = gathered
        let usual = DeviceRow.usual(earlier)
        let rules = FindingRules(captures, usualSharpness: usual.mapValues(\.sharpness).compactMapValues(\.self))
        let found = rules.findings()
        findings = FindingGroup.grouped(found, ids: captures.map(\.id))
        for finding in findings.filter({ !$0.isUsual }).flatMap(\.findings)
        where captures[finding.capture].status == .ready {
            captures[finding.capture].status = .look
        }
        var findingsOf: [Int: [(group: Int, finding: Finding)]] = [:]
        for (group, findings) in findings.enumerated() {
            for finding in findings.findings { findingsOf[finding.capture, default: []].append((group, finding)) }
        }
        self.findingsOf = findingsOf
        commonWarnings = rules.common
        notes = Phrase.counted(captures, \.notes).map { (text: $0.phrase.text, count: $0.count) }
        self.captures = captures
        summary = Summary(captures, run)
        stages = StageRow.all(captures, pipeline: pipeline)
        devices = DeviceRow.all(captures, usual: usual)
        trends = Trend.all(summary, earlier)
        earlierCount = earlier.count
        verdict = Verdict(summary, findings, captures, common: commonWarnings, isOpen: run?.isOpen == true)
    }

    // MARK: - Gathering

    private static func gather(_ state: StateFolder, _ run: RunFacts?) -> [CaptureFacts] {
        let (results, failures) = (state.published, state.failed)
        let published = Set(results.map(\.bytes))
        let failed = Set(failures.map(\.bytes))
        let entries = Dictionary(grouping: run?.entries ?? [], by: \.id.bytes)
        // What is out of date for `status` is not ready here.
        let standing = OutputStatus(output: state.output, programs: .installed).entries
        let standings = Dictionary(standing.map { ($0.id.bytes, $0) }, uniquingKeysWith: { first, _ in first })
        let unreadable = standing.filter { $0.standing == .unreadable }.map(\.id)
        let wanted = run?.pipeline.map(Digest.of)
        let ids = (results + failures + unreadable + (run?.entries.map(\.id) ?? [])).distinctByBytes
        // Captures of one name are counted as the run counted them; the result of that name is shown with the first.
        let places = ids.flatMap { id -> [(id: String, entry: RunOutcome.Entry?, isFirst: Bool)] in
            guard let own = entries[id.bytes] else { return [(id, nil, true)] }
            return own.enumerated().map { (id, $1, $0 == 0) }
        }
        return Parallel.map(places.count) { index in
            let (id, entry, isFirst) = places[index]
            let name = id.bytes
            var capture = Self.capture(
                id, entry, state, isPublished: isFirst && published.contains(name),
                hasNote: isFirst && failed.contains(name))
            let standing = standings[name]
            if capture.status == .ready { capture.wait(entry, standing, pipeline: wanted) }
            capture.isExcluded = capture.status == .waiting && entry?.ended == .excluded
            // Damage that left the receipt its time and size, so that `status` does not see it.
            if capture.status == .ready, isFirst, published.contains(name), !capture.hasResult {
                capture.status = .failed
                capture.needsForce = true
                capture.problem = Problem(
                    .environment, "the receipt cannot be read",
                    fix: "make the result again with  scanmill run … "
                        + Wording.command(PublishedResult.only(id) + ["--force"])
                ).at(file: "\(id)/\(Receipt.fileName)")
            }
            guard let standing else { return capture }
            // The run may have called its result up to date before it could no longer be read, or was removed.
            if capture.status == .waiting, standing.standing == .unreadable {
                capture.waitsFor = standing.cause
                capture.isUnreadable = true
            } else if capture.status == .waiting, standing.standing == .resultGone {
                capture.waitsFor = standing.cause ?? capture.waitsFor
            }
            let isLost = standing.standing == .stale && standing.isCaptureGone
            if isFirst, capture.status != .failed, isLost { capture.lose(standing) }
            return capture
        }
    }

    private static func capture(
        _ id: String, _ entry: RunOutcome.Entry?, _ state: StateFolder, isPublished: Bool, hasNote: Bool
    ) -> CaptureFacts {
        var capture = CaptureFacts(id: id)
        capture.input = entry?.input
        // Comparing is not running, and what another runner works on is not this one's.
        if let entry, entry.ended != .upToDate, entry.ended != .busy {
            (capture.share, capture.reason) = (entry.share, entry.reason)
        }
        if isPublished, let result = PublishedResult(id, in: state.output) { capture.take(receipt: result.receipt) }
        if hasNote, let note = FailureNote.load(id, in: state) {
            // One that was left out for what is wrong with it is no news.
            capture.status = entry?.ended == .excluded ? .waiting : .failed
            capture.problem = capture.status == .failed ? note.problem : nil
            capture.input = capture.input ?? note.input
            if let origin = note.origin { (capture.format, capture.device) = (origin.format, origin.device) }
            // If there is a result, it was made from other bytes.
            capture.pictureKey = note.fingerprint.hex
        } else if let problem = entry?.problem, isPublished, problem.leavesNewResult(of: id) {
            capture.warnings.append("\(problem.summary), after its result had been published")
        } else if let problem = entry?.problem {
            capture.status = .failed
            capture.problem = problem
        } else if !isPublished {
            capture.status = entry?.ended == .failed ? .failed : .waiting
        }
        // What was left half done by a run that never said how it went.
        if capture.status == .waiting, entry?.ended == .left, CaptureLock.isHeld(id, in: state) {
            capture.waitsFor = "it is being run"
        } else if capture.status == .waiting {
            let isGone = [.done, .upToDate].contains(entry?.ended)
            capture.waitsFor = isGone ? "the result that was made is gone" : entry?.whyWaiting
        }
        capture.input = capture.input ?? state.knownInput(of: id)
        return capture
    }
}

extension CaptureFacts {
    /// Treats a result as an older one where a newer one is still to be made: a run was stopped before its turn, or its
    /// files have changed. Nor is a result ready of which nobody can tell whether it is whole.
    /// - Parameters:
    ///   - entry: what the run says of it.
    ///   - standing: its state in OUT.
    ///   - wanted: the digest of the run's resolved pipeline.
    fileprivate mutating func wait(
        _ entry: RunOutcome.Entry?, _ standing: OutputStatus.Entry?, pipeline wanted: Digest?
    ) {
        if let entry, entry.ended == .excluded, standing?.isBehind == true {
            waitsFor = entry.whyWaiting
        } else if let standing, standing.isBehind || standing.standing == .unreadable {
            waitsFor =
                standing.cause ?? (standing.standing == .running ? "it is being run" : standing.standing.rawValue)
        } else if let entry, [.left, .arriving, .busy, .excluded].contains(entry.ended), pipeline != wanted,
            standing?.isCaptureGone != true
        {
            waitsFor = entry.whyWaiting
        } else {
            return
        }
        status = .waiting
    }

    /// Treats a result as lost that is no longer whole and cannot be made again.
    fileprivate mutating func lose(_ standing: OutputStatus.Entry) {
        status = .failed
        isLost = true
        problem = Problem(
            .environment, "the result is no longer whole, and its capture is gone",
            notes: standing.cause.map { [$0] } ?? [],
            fix: "put back the result from a copy, or the capture, and run again; or remove the result's folder"
        ).at(file: id)
    }
}

/// The report's figures for the whole batch.
struct Summary: Sendable {
    var captures: Int
    var ready: Int
    var look: Int
    var failed: Int
    var waiting: Int
    /// How many of the waiting ones have an older result.
    var older: Int
    /// How many of the waiting ones the run was asked to leave out.
    var excluded: Int
    /// Of how many of the waiting ones nobody can tell whether they have a whole result.
    var unreadable: Int
    /// Captures that ran in this run, whatever came of it.
    var ran: Int
    /// How many of those that ran have a result.
    var made: Int
    /// How many of those that ran are ready.
    var runReady: Int
    /// Of all results.
    var framesSource: Int
    var framesKept: Int
    var bytes: Int64
    /// Of the results of this run.
    var runFramesSource: Int
    var runFramesKept: Int
    var runBytes: Int64
    var seconds: Double?
    var peakBytes: Int64?

    var keptShare: Double? { framesSource > 0 ? Double(framesKept) / Double(framesSource) : nil }
    /// Counts only captures that got a result: how fast others failed says nothing.
    var capturesPerMinute: Double? { seconds.flatMap { $0 > 0 && made > 0 ? Double(made) / $0 * 60 : nil } }

    init(_ captures: [CaptureFacts], _ run: RunFacts?) {
        self.captures = captures.count
        func count(_ status: CaptureFacts.Status) -> Int { captures.count { $0.status == status } }
        (ready, look, failed, waiting) = (count(.ready), count(.look), count(.failed), count(.waiting))
        let waits = captures.filter { $0.status == .waiting }
        excluded = waits.count(where: \.isExcluded)
        unreadable = waits.count(where: \.isUnreadable)
        older = waits.count { $0.hasResult && !$0.isUnreadable }
        let results = captures.filter(\.hasResult)
        framesSource = results.reduce(0) { $0 + ($1.frames?.source ?? 0) }
        framesKept = results.reduce(0) { $0 + ($1.frames?.kept ?? 0) }
        bytes = PublishedResult.sum(results.map(\.byteCount))
        let ran = captures.filter { $0.share != nil }
        let made = ran.filter { $0.status == .ready || $0.status == .look }
        self.ran = ran.count
        self.made = made.count
        runReady = ran.count { $0.status == .ready }
        runFramesSource = made.reduce(0) { $0 + ($1.frames?.source ?? 0) }
        runFramesKept = made.reduce(0) { $0 + ($1.frames?.kept ?? 0) }
        runBytes = PublishedResult.sum(made.map(\.byteCount))
        seconds = run?.seconds
        peakBytes = ran.compactMap { $0.share?.peakBytes }.max()
    }
}

extension RunOutcome.Entry {
    fileprivate var whyWaiting: String {
        ended == .excluded ? "--exclude left it out" : cause ?? ended.rawValue
    }
}

extension StateFolder {
    /// The path of a capture when its result was published, as it was given.
    fileprivate func knownInput(of id: String) -> String? {
        StateFolder.read(inputs(id))?["input"]?.string
    }
}
