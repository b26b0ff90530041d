import ScanModel

/// How far a run is; sent often, meant for a progress line.
public struct RunProgress: Sendable, Hashable, Codable {
    /// The first stage of the pass that is running, by its label.
    public var stage: String
    /// Counted from 1; the first is the reader's.
    public var pass: Int
    public var frame: Int
    public var frameCount: Int
    /// How much of all passes over the frames is done, 0 to 1, as far as the passes are known beforehand.
    public var share: Double

    /// - Parameters:
    ///   - before: how many passes over the frames are done.
    ///   - after: how many will follow this one.
    package init(stage: String, pass: Int, frame: Int, frameCount: Int, before: Int = 0, after: Int = 0) {
        self.stage = stage
        self.pass = pass
        self.frame = frame
        self.frameCount = frameCount
        let here = frameCount > 0 ? Double(frame) / Double(frameCount) : 0
        share = (Double(before) + here) / Double(before + 1 + after)
    }
}

/// Takes one capture through a pipeline into an output folder.
///
/// The bytes that come out are the same for any number of workers.
public struct Runner: Sendable {
    public let pipeline: Pipeline
    /// Threads that work on frames; 1 is serial throughout.
    public let workers: Int
    /// What the receipt calls the tool: name and version.
    public let tool: String
    /// See ``RunResources/patience``.
    public var patience = RunResources.usualPatience
    /// Digests that need not be taken again.
    var knownDigests = KnownDigests()
    /// Whether the input files are digested for the receipt and its key: a run whose receipt nobody keeps can do
    /// without.
    public var takesDigests = true
    /// How long each stage has worked so far, over all captures that this runner has run.
    public let clock: StageClock
    let report: @Sendable (RunProgress) -> Void
    /// Is told what recorded the capture, once its reader has found out.
    var recognised: @Sendable (CaptureOrigin) -> Void = { _ in }

    public init(
        pipeline: Pipeline, workers: Int, tool: String, report: @escaping @Sendable (RunProgress) -> Void = { _ in }
    ) {
        self.pipeline = pipeline
        self.workers = workers
        self.tool = tool
        self.report = report
        clock = StageClock(pipeline.steps)
    }

    /// Runs everything and writes all files of the result, except the receipt, into `output`.
    /// - Returns: the receipt, for ``OutputFolder/publish(receipt:allow:)``.
    /// - Throws: the first problem that stops the capture; nothing is published then.
    public func run(_ input: CaptureInput, into output: OutputFolder) throws(Problem) -> Receipt {
        guard let receipt = try run(input, into: output, unless: { (_) throws(Problem) in false }) else {
            throw Problem(.tool, "a run that nothing stopped has no receipt")
        }
        return receipt
    }

    /// The same, unless there turns out to be nothing to do.
    /// - Parameter isDone: asked once the key of the result is known and before any frame is looked at; saying yes ends
    ///   the run, and so does a problem.
    /// - Returns: the receipt, for ``OutputFolder/publish(receipt:allow:)``; nil when `isDone` said yes.
    /// - Throws: the first problem that stops the capture; nothing is published then.
    public func run(
        _ input: CaptureInput, into output: OutputFolder, unless isDone: (Opened) throws(Problem) -> Bool
    ) throws(Problem) -> Receipt? {
        var (runner, resources) = (self, resources)
        var spoilt: [Int: Drop] = [:]
        var attempts = 1
        while true {
            var run = CaptureRun(runner: runner, resources, input: input, output: output, leavingOut: spoilt)
            do throws(Problem) { return try run.execute(unless: isDone) ? run.receipt() : nil } catch {
                switch run.retry {
                case nil: throw run.explaining(error)
                case .withOneVideoThread:
                    resources.videoThreads = 1
                    // The spoilt frames may have been a matter of chance too.
                    spoilt = [:]
                case .without(let frames):
                    spoilt.merge(frames) { first, _ in first }
                    if attempts == Self.mostAttempts { throw Self.noEnd(of: spoilt, after: attempts) }
                }
            }
            // All over again: what is wrong has gone into scores and files already.
            try output.beginAgain()
            runner.knownDigests = run.learned
            attempts += 1
        }
    }

    /// Where a stage picks another frame for each one dropped, adjacent damage shows one frame at a time.
    private static let mostAttempts = 10

    private static func noEnd(of spoilt: [Int: Drop], after attempts: Int) -> Problem {
        let drops = spoilt.sorted { $0.key < $1.key }
        let stages = Set(drops.map(\.value.stage)).sorted().map { "`\($0)`" }
        return Problem(
            .input,
            "the capture was run \(attempts) times, and each time more frames turned out to be bad in \(stages.listed)",
            notes: ["stages above had gathered them already"]
                + drops.prefix(3).map { "frame \($0.key): \($0.value.reason)" },
            fix: "put \(stages.listed) above the stages that choose and gather frames")
    }

    /// What is known of a capture before its first frame.
    public struct Opened: Sendable {
        public var key: ResultKey
        public var inputs: [Receipt.Input]
        /// The versions of the programs that it will need.
        var tools: [String: String]
        /// Its facts, without its frames.
        public var capture: Capture
        /// What the files on disk were like before they were read, by their paths.
        var statuses: [PathKey: KnownDigests.Entry]
        /// What the capture's folders were like before anything in them was opened.
        var folders: [PathKey: FileSystem.Status]
        /// What lies in the folders of files that no stage uses, and by which the reader may have decided something.
        var besides: [String: FolderContents]
        /// The locations of files that options name and the capture does not hold, there or not, by their names.
        var options: [String: String]
        /// When its first and its last frame were taken, nanoseconds; nil where it has no times.
        var span: ClosedRange<Int64>?

        /// The file that was read may not be the one that was digested, or be half of one and half of the other.
        /// - Throws: a problem when anything is not as it was before it was read.
        func requireUnchanged() throws(Problem) {
            if let path = changed { throw Self.changed(path) }
        }

        /// - Parameter path: one that now leads to something else.
        static func changed(_ path: String) -> Problem {
            Problem(
                .environment, "the capture was changed while it was read", notes: ["\(path) is not as it was"],
                fix: "run again when it is whole; --settle leaves captures alone that are still being copied")
        }

        static func gone(_ path: String) -> Problem {
            Problem(
                .environment, "the capture was moved away after the run had found it",
                fix: "run again with the place where it is now"
            ).at(file: path)
        }

        /// The first path, in the order of their bytes, that now leads to something else.
        private var changed: String? {
            let files = statuses.filter { key, known in
                let path = key.path
                guard let now = FileSystem.status(of: path) else { return true }
                if now == known.status { return false }
                if !now.hasBytes(of: known.status) { return true }
                // Permissions and links change without the bytes, and times can be set back after the bytes changed.
                // Filesystems without inode numbers of their own (exFAT, many shares) number a file anew when they have
                // forgotten it.
                return known.digest.map { (try? FileSystem.digest(of: path)) != $0 } ?? (now.file != known.status.file)
            }
            let folders = folders.filter { key, known in FileSystem.status(of: key.path)?.hasBytes(of: known) != true }
            return (files.map(\.key) + folders.map(\.key)).min()?.path
        }
    }

    var resources: RunResources { RunResources(threads: workers, patience: patience) }
}
