import ScanModel

/// What is in a capture, and what is wrong with it.
///
/// The capture is opened as `read` opens it, but under rules that go on wherever that is possible: a file that cannot be
/// read is set aside, a stream that ends early is looked at as far as it goes. Everything passed over in that way is a
/// finding, in the words in which a run would have failed. Streams are walked once, one frame in memory at a time.
public struct CaptureInspection: Hashable, Sendable {
    public var id: String
    /// The format, and why it was recognised.
    public var recognition: Recognition
    public var variant = ""
    public var device: String?
    /// Whether a unit of the world is a metre.
    public var isMetric = true
    /// Nil when the capture could not be opened at all; then nothing but its files and the findings is known.
    public var frames: Frames?
    public var streams: [Stream] = []
    /// Files and folders at the capture's top that are not read, beyond those listed in ``streams``.
    public var unlistedCount = 0
    public var pictures: Pictures?
    public var video: Video?
    public var clock: Clock?
    public var path: Path?
    public var intrinsics: Intrinsics?
    public var depth: Depth?
    public var confidence: Confidence?
    public var motion: [Motion] = []
    public var box: Box?
    public var missing: [Missing] = []
    public var findings: [Finding] = []

    public struct Frames: Hashable, Sendable {
        /// Frames of the longest stream.
        public var sourceCount: Int
        /// Frames that are not bad, and have data in every stream that is there or should be.
        public var wholeCount: Int
    }

    /// What a capture of this format could have and this one has not.
    public struct Missing: Hashable, Sendable {
        public var channel: Channel
        /// The channel, for people.
        public var what: String
        public var reason: String
    }

    /// Something wrong.
    public struct Finding: Hashable, Sendable {
        public enum Weight: String, Hashable, Sendable {
            /// A run under the default rules fails, at once or when it comes to this file; where the environment is at
            /// fault, a run that needs what it keeps back.
            case error
            /// A run goes on.
            case warning
        }

        public var weight: Weight
        public var problem: Problem
    }

    public var errors: [Finding] { findings.filter { $0.weight == .error } }

    /// Looks at the capture at a path.
    /// - Throws: only when there is no capture: nothing at the path, or nothing that any format recognises.
    public static func inspect(_ path: String) throws(Problem) -> CaptureInspection {
        let tree = try CaptureFormats.tree(at: path)
        if let obstacle = (tree as? CaptureFolder)?.obstacle { throw obstacle.at(file: path) }
        do throws(Problem) {
            // As a run sees it: one file that is a capture does not make the folder around it one.
            if let folder = tree as? CaptureFolder, !CaptureSearch.isCapture(folder) {
                throw CaptureFormats.unrecognised(folder)
            }
            var inspection = try CaptureFormats.listingOnce(tree) { (tree) throws(Problem) in try inspect(tree) }
            inspection.id = CaptureName.of(tree, at: path, format: inspection.recognition.format)
            return inspection
        } catch {
            guard let within = try capturesWithin(path) else { throw error.at(file: path) }
            throw within.at(file: path)
        }
    }

    static func inspect(_ tree: any CaptureTree) throws(Problem) -> CaptureInspection {
        let (format, recognition) = try CaptureFormats.format(of: tree)
        var inspection = CaptureInspection(id: tree.name, recognition: recognition)
        let opened = CaptureOpening.open(tree, as: format)
        inspection.note(errors: tree.losses + opened.problems + [tree.trouble].compactMap(\.self))
        if var capture = opened.capture {
            capture.noteDoubts(in: tree)
            capture.noteOtherRecordings(in: tree)
            inspection.look(at: capture)
            inspection.missing = Missing.list(of: capture)
        }
        inspection.listFiles(of: tree)
        return inspection
    }

    /// What to say about a folder that is no capture but holds some.
    private static func capturesWithin(_ path: String) throws(Problem) -> Problem? {
        let found = try CaptureSearch.captures(at: path)
        guard let first = found.first else { return nil }
        let number = found.count == 1 ? "a capture" : "\(found.count) captures"
        return Problem(
            .input, "this folder is not a capture, it holds \(number)",
            notes: cut(found.map { "one is \($0.path)" }),
            fix: "name one of them:  scanmill inspect \(ShellWord.quoted(path: first.path))")
    }

    init(id: String, recognition: Recognition) {
        self.id = id
        self.recognition = recognition
    }

    /// What lies at the top of the capture and is part of it.
    private var listed: Set<String> = []

    private mutating func look(at opened: Capture) {
        var capture = opened
        listed = Set(capture.files.map { String($0.path.prefix { $0 != "/" }) })
        variant = capture.variant
        device = capture.device.flatMap { $0.isEmpty ? nil : $0 }
        isMetric = capture.isMetric
        note(errors: capture.forgiven)
        noteAbsences(of: capture)
        if capture.forgiven.isEmpty {
            noteShortfall(capture.frames.compactMap { facts in facts.drop.map { (facts.index, $0) } })
        }

        let sound = capture.frames.filter { $0.drop?.isBad != true }
        clock = Clock(capture.frames, nominalRate: capture.frameRate)
        path = Path(sound, worldUp: capture.worldUp)
        intrinsics = Intrinsics(sound, of: capture)
        box = capture.box.map { Box($0, seenBy: sound) }
        pictures = Pictures(capture)
        video = Video(capture)
        checkPictures(of: &capture)
        let extraCount = walkStreams(of: &capture)
        noteBadFrames(of: capture)
        noteNothingLeft(of: capture)
        noteBadMasks(of: capture)
        lookAtMotion(of: capture)

        let isIncomplete = Channel.payload.contains { capture.absences[$0]?.remedy != nil }
        frames = Frames(
            sourceCount: capture.frames.count + extraCount,
            wholeCount: isIncomplete ? 0 : capture.frames.count { !$0.isDropped })
        streams = Stream.list(of: capture, self)
        note(warnings: capture.warnings.map { Problem(.input, $0) } + implausibilities())
    }

    /// What keeps this machine from reading a channel, and what the copy lacks. Several channels may be lost to one cause.
    private mutating func noteAbsences(of capture: Capture) {
        func eachOnce(_ problems: [Problem]) -> [Problem] {
            problems.enumerated().filter { !problems[..<$0.offset].contains($0.element) }.map(\.element)
        }
        let absences = capture.absences.sorted { $0.key.name < $1.key.name }.map(\.value)
        note(
            errors: eachOnce(absences.compactMap(\.obstacle)).map { obstacle in
                let kept = Missing.names.filter { capture.absences[$0.0]?.obstacle == obstacle }.map { "no \($0.1)" }
                return kept.isEmpty ? obstacle : obstacle.noting("a pipeline that uses \(kept.listed) runs without it")
            })
        let losses = absences.filter { !Self.isConsequence($0.reason) }
        note(
            warnings: eachOnce(
                losses.compactMap { lost in lost.remedy.map { Problem(.input, lost.reason, fix: $0) } }))
    }

    /// Adds what lies beside the streams, up to a limit: a capture may stand in a folder full of other things.
    private mutating func listFiles(of tree: any CaptureTree) {
        let known = Set(streams.flatMap { [$0.file, String($0.file.prefix { $0 != "/" })] })
        let others = tree.entries(in: "").filter { !known.contains($0.name) && !listed.contains($0.name) }
        streams += others.prefix(Self.listLimit).map { entry in
            Stream(
                content: "not read", file: entry.kind == .folder ? "\(entry.name)/" : entry.name,
                byteCount: entry.byteCount)
        }
        unlistedCount = max(0, others.count - Self.listLimit)
    }

    /// Longer lists are cut off, and say so.
    static let listLimit = 20

    static func cut(_ list: [String]) -> [String] {
        list.prefix(listLimit) + (list.count > listLimit ? ["and \(list.count - listLimit) more"] : [])
    }

    mutating func note(errors problems: [Problem]) {
        let causes = problems.filter { !$0.notes.contains(where: Self.isConsequence) }
        findings += causes.map { Finding(weight: .error, problem: $0.withUsualFix) }
    }

    /// Whether a message tells of a file that was set aside, which has been reported itself.
    private static func isConsequence(_ text: String) -> Bool {
        text.contains(CaptureEntry.Oddity.setAside.words)
    }

    mutating func note(warnings problems: [Problem]) {
        findings += problems.map { Finding(weight: .warning, problem: $0) }
    }
}

extension CaptureInspection.Missing {
    fileprivate static let names: [(Channel, String)] = [
        (.pose, "poses"), (.intrinsics, "intrinsics"), (.timestamp, "timestamps"), (.color, "pictures"),
        (.recordedDepth, "depth"), (.recordedConfidence, "confidence"), (.box, "box"), (.motion, "motion"),
        (.cloud, "points"),
    ]

    static func list(of capture: Capture) -> [Self] {
        // Most formats have no place for points of their own, and say nothing of them.
        names.filter { channel, _ in
            !capture.channels.contains(channel) && (channel != .cloud || capture.absences[channel] != nil)
        }.map { channel, name in
            Self(channel: channel, what: name, reason: capture.absences[channel]?.reason ?? "the capture has none")
        }
    }
}
