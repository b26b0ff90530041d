import ScanPipeline

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
    /// How many captures failed in this run, also those that could not be begun.
    var runFailed: Int
    /// Of all results.
    var frames: FrameTotal
    var bytes: Int64
    /// Of the results of this run.
    var runFrames: FrameTotal
    var runBytes: Int64
    var seconds: Double?
    var peakBytes: Int64?

    /// Of the captures that ran, the share that is ready.
    var runReadyShare: Double? { ran > 0 ? Double(runReady) / Double(ran) : nil }
    /// Counts only captures that got a result: how fast others failed says nothing.
    var capturesPerMinute: Double? { seconds.flatMap { $0 > 0 && made > 0 ? Double(made) / $0 * 60 : nil } }

    init(_ captures: [CaptureFacts], _ run: RunFacts?) {
        self.captures = captures.count
        func count(_ status: CaptureFacts.Status) -> Int { captures.count { $0.status == status } }
        (ready, look, failed, waiting) = (count(.ready), count(.look), count(.failed), count(.waiting))
        excluded = captures.count { $0.wait?.isExcluded == true }
        unreadable = captures.count { $0.wait?.isUnreadable == true }
        older = captures.count { $0.hasResult && $0.wait?.isUnreadable == false }
        let results = captures.filter(\.hasResult)
        frames = FrameTotal(results)
        bytes = PublishedResult.sum(results.map(\.byteCount))
        let ran = captures.filter { $0.share != nil }
        let made = ran.filter { $0.status == .ready || $0.status == .look }
        self.ran = ran.count
        self.made = made.count
        runReady = ran.count { $0.status == .ready }
        runFailed = captures.count { $0.status == .failed && !$0.isFromBefore }
        runFrames = FrameTotal(made)
        runBytes = PublishedResult.sum(made.map(\.byteCount))
        seconds = run?.seconds
        peakBytes = ran.compactMap { $0.share?.peakBytes }.max()
    }
}

/// The frames of several captures.
struct FrameTotal: Sendable {
    var source: Int
    var kept: Int

    /// Nil without frames.
    var keptShare: Double? { source > 0 ? Double(kept) / Double(source) : nil }

    init(_ captures: [CaptureFacts]) {
        source = captures.reduce(0) { $0 + ($1.frames?.source ?? 0) }
        kept = captures.reduce(0) { $0 + ($1.frames?.kept ?? 0) }
    }
}
