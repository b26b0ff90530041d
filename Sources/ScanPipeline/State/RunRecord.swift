import Glibc
import ScanModel

/// `OUT/.scanmill/runs/<when>-<random>/`: what one run was asked to do and how it went.
public struct RunRecord: Sendable {
    private let state: StateFolder
    private let pipeline: Pipeline
    public let path: String
    /// The folder's name.
    public let name: String
    /// Whether the folder could be made.
    private let isWritten: Bool

    /// What the run was told, for commands that people can repeat.
    public struct Command: Sendable, Hashable {
        /// The pipeline's file, the `--set` changes, and OUT, as they were given.
        public var pipeline: String
        public var settings: [String]
        /// The other words that decide what is run and how, such as `--format` and `--capture-memory`.
        public var further: [String]
        public var output: String
        /// The name and version of the tool.
        public let tool: String
        /// Where the paths start.
        public let folder: String

        public init(pipeline: String, settings: [String], further: [String] = [], output: String, tool: String) {
            self.pipeline = pipeline
            self.settings = settings
            self.further = further
            self.output = output
            self.tool = tool
            folder = FileSystem.absolute(".")
        }

        /// Of a run's plan.
        /// - Returns: nil where it is not kept.
        package init?(plan: JSONValue?) {
            guard let json = plan?["command"], let pipeline = json["pipeline"]?.string,
                let output = json["output"]?.string, let tool = json["tool"]?.string,
                let folder = json["folder"]?.string
            else { return nil }
            self.pipeline = pipeline
            settings = json["set"]?.array?.compactMap(\.string) ?? []
            further = json["further"]?.array?.compactMap(\.string) ?? []
            self.output = output
            self.tool = tool
            self.folder = folder
        }

        fileprivate var json: JSONValue {
            .object([
                "pipeline": .string(pipeline), "set": .of(settings), "further": .of(further),
                "output": .string(output), "tool": .string(tool), "folder": .string(folder),
            ])
        }

        /// Whether its OUT is this folder: either may have another name by now.
        package func leads(to output: String) -> Bool {
            let place = FileSystem.path(self.output, from: folder)
            return FileSystem.identity(of: place) == FileSystem.identity(of: output)
        }
    }

    /// Writes `plan.json`. A record that cannot be written is left out: the results do not need it.
    /// - Parameter formats: the revisions of the readers, by their formats' names.
    public init(
        state: StateFolder, pipeline: Pipeline, formats: [String: Int] = [:], inputs: [CaptureInput],
        command: Command? = nil
    ) {
        self.state = state
        self.pipeline = pipeline
        name = Self.newName()
        path = "\(state.runs)/\(name)"
        var plan = Recipe(of: pipeline, formats: formats).json
        plan["began"] = .string(Self.stamp(wallClock()))
        plan["command"] = command?.json
        plan["captures"] = .array(inputs.map { .object(["id": .string($0.id), "input": .string($0.path)]) })
        isWritten = (try? StateFolder.write(.object(plan), to: "\(path)/\(Self.planName)")) != nil
    }

    /// - Throws: fault `environment` where OUT has gone, and the run's folder and the owner's name with it: what is written
    ///   would lie where nobody looks for it.
    private func requireFolder() throws(Problem) {
        if isWritten && !FileSystem.exists(path) && state.owningPipeline == nil {
            throw state.anotherFolder(without: "\(StateFolder.name)/runs/\(name)")
        }
    }

    /// The names of the files in a run's folder: what was to be done, how it went, and the page that reports it.
    package static let planName = "plan.json"

    /// When a run wrote one of its files.
    package struct Time: Comparable {
        /// Since 1970.
        fileprivate let second: Int64
        /// The time of the file itself, which tells apart what was written within one second.
        fileprivate let modified: Int64

        /// What has no known time comes before all else.
        package static let longAgo = Time(second: .min, modified: .min)

        package static func < (earlier: Time, later: Time) -> Bool {
            (earlier.second, earlier.modified) < (later.second, later.modified)
        }
    }

    /// The time that the run itself noted, or the file's where that is earlier. A clock that is ahead of the disk's
    /// notes times that stay the latest for long, and the files of a copy are all as new as the copy. A time in the
    /// future was written under a clock that was ahead, and counts as long ago.
    package static func time(of file: String, in run: String, _ state: StateFolder, by now: Int64) -> Time? {
        let path = "\(state.runs)/\(run)/\(file)"
        guard let modified = FileSystem.modified(path) else { return nil }
        let noted = (file == outcomeName ? ended(path) : nil) ?? second(ofStamp: run.prefix(stampLength))
        let second = min(wholeSeconds(modified), noted ?? .max)
        if second > wholeSeconds(now) { return .longAgo }
        // Within a second the file's time decides, where it is of that second.
        return Time(second: second, modified: wholeSeconds(modified) == second ? modified : .min)
    }

    /// When an outcome says it was written, by its first bytes alone: it may cover many captures.
    private static func ended(_ path: String) -> Int64? {
        guard let file = try? RegularFile(path, name: path, fault: .environment) else { return nil }
        let words = String(decoding: file.beginning(64), as: UTF8.self).split(separator: "\"")
        return words.count > 3 && words[1] == "ended" ? second(ofStamp: words[3]) : nil
    }

    package static let outcomeName = "outcome.json"
    package static let pageName = "report.html"

    /// What a run was to do, and how it went; nil where that is not known (yet).
    package static func plan(of run: String, in state: StateFolder) -> JSONValue? {
        StateFolder.read("\(state.runs)/\(run)/\(planName)")
    }

    package static func outcome(of run: String, in state: StateFolder) -> RunOutcome? {
        StateFolder.read("\(state.runs)/\(run)/\(outcomeName)").map(RunOutcome.init)
    }

    /// The names of all runs' folders, the oldest first.
    package static func names(in state: StateFolder) -> [String] {
        let now = wallClock()
        let runs = FileSystem.names(in: state.runs)
            .filter { !$0.hasPrefix(".") && FileSystem.isFolder("\(state.runs)/\($0)") }
            .map { (time: time(of: planName, in: $0, state, by: now) ?? .longAgo, name: $0) }
        return runs.sorted { ($0.time, $0.name) < ($1.time, $1.name) }.map(\.name)
    }

    /// The captures of a plan, and their paths as given.
    package static func captures(ofPlan plan: JSONValue?) -> [(id: String, input: String)] {
        (plan?["captures"]?.array ?? []).compactMap { capture in
            guard let id = capture["id"]?.string, let input = capture["input"]?.string else { return nil }
            return (id, input)
        }
    }

    /// Where a path of a run leads: relative ones start in the folder where it was begun.
    static func place(_ input: String, by plan: JSONValue?) -> String {
        FileSystem.path(input, from: plan?["command"]?["folder"]?.string ?? ".")
    }

    /// The ids, as bytes, of captures that any remembered run made a result of, or found one of.
    static func made(in state: StateFolder) -> Set<[UInt8]> {
        var ids: Set<[UInt8]> = []
        for run in names(in: state) {
            for capture in outcome(of: run, in: state)?.captures ?? []
            where [.done, .upToDate].contains(capture.ended) {
                ids.insert(capture.id.bytes)
            }
        }
        return ids
    }

    /// Whether a run was to make results with this recipe, by the first bytes of its plan alone: plans may name many captures.
    static func isOf(_ recipe: Recipe, _ run: String, in state: StateFolder) -> Bool {
        let path = "\(state.runs)/\(run)/\(planName)"
        guard let file = try? RegularFile(path, name: path, fault: .environment) else { return false }
        return recipe.isSame(asPlanWithHead: String(decoding: file.beginning(Recipe.headLength), as: UTF8.self))
    }

    /// A name for a run that begins now.
    package static func newName() -> String { "\(stamp(wallClock()))-\(FileSystem.randomName())" }

    /// Keeps a failure until the capture has a result.
    /// - Parameters:
    ///   - origin: what recorded the capture, where that was found out.
    ///   - fingerprint: ``FailureNote/fingerprint(of:pipeline:programs:)``, from before the capture was tried.
    ///   - now: takes it again. A capture that changed meanwhile may have failed for that: the note then stops no run
    ///     from trying.
    public func note(
        _ outcome: CaptureOutcome, of origin: CaptureOrigin? = nil, fingerprint: Digest, now: (() -> Digest)? = nil
    ) throws(Problem) {
        guard case .failed(let problem) = outcome.ending else { return }
        if (try? requireFolder()) == nil { return }
        // Results that another pipeline has taken over are not this run's to find fault with.
        if (try? state.foreignOwner(for: pipeline)) != nil { return }
        // The capture has its result, whatever ended its process afterwards.
        if problem.leavesNewResult(of: outcome.input.id) {
            FailureNote.remove(outcome.input.id, in: state)
            return
        }
        let isSame = now.map { $0() == fingerprint } ?? true
        try FailureNote(
            id: outcome.input.id, input: FileSystem.absolute(outcome.input.path), origin: origin,
            problem: FailureNote.lasting(problem, of: outcome.input),
            fingerprint: isSame ? fingerprint : FailureNote.changedMeanwhile, when: wallClock()
        ).save(in: state)
    }

    /// Keeps why captures cannot be run at all, such as two of one name. A note that cannot be written is left out: the
    /// next run says the same again.
    public func noteRefused(_ outcomes: [CaptureOutcome]) {
        for outcome in outcomes {
            let isThere = outcome.input.isThere
            try? note(outcome, fingerprint: isThere ? FailureNote.changedMeanwhile : FailureNote.leadsNowhere)
        }
    }

    /// Writes `outcome.json`.
    /// - Parameter outcomes: of the captures that ran, and of all others that the run was about.
    public func end(_ outcomes: [CaptureOutcome], seconds: Double) throws(Problem) {
        try requireFolder()
        try StateFolder.write(
            .object([
                "ended": .string(Self.stamp(wallClock())), "seconds": .number(seconds),
                "captures": .array(outcomes.map { .object($0.record) }),
            ]), to: "\(path)/\(Self.outcomeName)")
        Leftovers.forgetOldRuns(in: state, besides: name)
        Leftovers.forgetGoneCaptures(in: state)
    }

    /// `20261121T031500Z`: sorts by time as text.
    package static func stamp(_ clock: Int64) -> String {
        var seconds = time_t(clock / 1_000_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ value: Int32) -> String { (value < 10 ? "0" : "") + String(value) }
        return "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))T"
            + "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    }

    private static let stampLength = 16

    /// The second since 1970 that a ``stamp(_:)`` names; nil for any other text.
    package static func second(ofStamp text: Substring) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == stampLength, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else {
            return nil
        }
        let digits = bytes[..<8] + bytes[9..<15]
        guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
        func number(_ range: Range<Int>) -> Int32 { Array(digits)[range].reduce(0) { $0 * 10 + Int32($1 - 0x30) } }
        var parts = tm()
        parts.tm_year = number(0..<4) - 1900
        parts.tm_mon = number(4..<6) - 1
        parts.tm_mday = number(6..<8)
        parts.tm_hour = number(8..<10)
        parts.tm_min = number(10..<12)
        parts.tm_sec = number(12..<14)
        return Int64(timegm(&parts))
    }

    /// Of nanoseconds, which are negative before 1970.
    private static func wholeSeconds(_ time: Int64) -> Int64 {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? seconds - 1 : seconds
    }
}
