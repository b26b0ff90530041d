import ScanModel

/// `OUT/.scanmill/failures/<id>.json`: why a capture has no result, kept until it has one.
public struct FailureNote: Sendable {
    public var id: String
    /// The capture's path, from the root: the next run may start in another folder.
    public var input: String
    /// What recorded the capture; nil where it failed before that was found out.
    public var origin: CaptureOrigin?
    public var problem: Problem
    public var fingerprint: Fingerprint
    /// When it was tried last, nanoseconds since 1970.
    public var when: Int64

    /// What was there when the capture was tried.
    public enum Fingerprint: Hashable, Sendable {
        /// What the capture's files, the pipeline and the programs were like: while this stands, trying again gives the
        /// same failure.
        case of(Digest)
        /// The capture changed meanwhile: whatever is there now has not been tried.
        case changedMeanwhile
        /// The path led nowhere, such as a link to a disk that is not there tonight.
        case leadsNowhere

        /// As the note has it.
        public var text: String {
            switch self {
            case .of(let digest): digest.hex
            case .changedMeanwhile: ""
            case .leadsNowhere: "-"
            }
        }

        init?(text: String) {
            switch text {
            case "": self = .changedMeanwhile
            case "-": self = .leadsNowhere
            default:
                guard let digest = Digest(hex: text) else { return nil }
                self = .of(digest)
            }
        }
    }

    /// Whether the next run passes over the capture: the input is at fault and nothing about it has changed.
    public func stands(for fingerprint: Digest) -> Bool {
        problem.fault == .input && self.fingerprint == .of(fingerprint)
    }

    var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "input": .string(input), "format": .of(origin?.format), "device": .of(origin?.device),
            "message": .string(problem.message(ofCapture: input)),
            "fingerprint": .string(fingerprint.text), "when": .integer(when),
        ]
        object.merge(problem.facts)
        return .object(object)
    }

    public init(
        id: String, input: String, origin: CaptureOrigin? = nil, problem: Problem, fingerprint: Fingerprint, when: Int64
    ) {
        self.id = id
        self.input = input
        self.origin = origin
        self.problem = problem
        self.fingerprint = fingerprint
        self.when = when
    }

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let input = json["input"]?.string, let problem = Problem(facts: json),
            let fingerprint = json["fingerprint"]?.string.flatMap(Fingerprint.init(text:)),
            let when = json["when"]?.integer
        else { return nil }
        let origin = json["format"]?.string.map { CaptureOrigin(format: $0, device: json["device"]?.string) }
        self.init(id: id, input: input, origin: origin, problem: problem, fingerprint: fingerprint, when: when)
    }

    /// Whether the note no longer applies: the capture is gone, or the link that led nowhere leads somewhere again. In
    /// the latter case what it leads to is found and run anew, perhaps under other ids.
    var isPast: Bool {
        FileSystem.isGone(input) || FileSystem.isRenamedInCase(input)
            || (fingerprint == .leadsNowhere && FileSystem.leads(input))
    }

    /// A problem as a note keeps it: where its place is the capture itself, that is a whole path, as ``input`` is.
    package static func lasting(_ problem: Problem, of input: CaptureInput) -> Problem {
        guard let file = problem.place.file, file.utf8.elementsEqual(input.path.utf8) else { return problem }
        var lasting = problem
        lasting.place.file = FileSystem.absolute(file)
        return lasting
    }

    public static func load(_ id: String, in state: StateFolder) -> FailureNote? {
        places(of: id, in: state).firstNonNil { path in
            StateFolder.read(path).flatMap(FailureNote.init).flatMap { $0.isOf(id) ? $0 : nil }
        }
    }

    private func isOf(_ id: String) -> Bool { self.id.utf8.elementsEqual(id.utf8) }

    /// Where a note of a capture may lie, the usual place first.
    private static func places(of id: String, in state: StateFolder) -> [String] {
        let (usual, other) = (state.failure(id), state.failureByDigest(id))
        return usual == other ? [usual] : [usual, other]
    }

    /// Whether there is a note of a capture, however damaged.
    static func isKept(_ id: String, in state: StateFolder) -> Bool { !files(of: id, in: state).isEmpty }

    /// Where notes of a capture lie; one that is damaged is nil. On a disk that ignores case, another capture's note may
    /// lie in the usual place.
    private static func files(of id: String, in state: StateFolder) -> [(path: String, note: FailureNote?)] {
        places(of: id, in: state).compactMap { path in
            guard FileSystem.exists(path) else { return nil }
            let note = StateFolder.read(path).flatMap(FailureNote.init)
            return note?.isOf(id) ?? true ? (path, note) : nil
        }
    }

    func save(in state: StateFolder) throws(Problem) {
        let (usual, other) = (state.failure(id), state.failureByDigest(id))
        let isTaken = FileSystem.exists(usual) && !Self.files(of: id, in: state).contains { $0.path == usual }
        do throws(Problem) { try StateFolder.write(json, to: isTaken ? other : usual) } catch {
            // It may be no name to the disk.
            if isTaken || FileSystem.exists(usual) { throw error }
            try StateFolder.write(json, to: other)
        }
    }

    static func remove(_ id: String, in state: StateFolder) {
        for (path, note) in files(of: id, in: state) {
            // Behind a link, the file may be anybody's.
            if note != nil || FileSystem.isFolderItself(state.failures) { FileSystem.removeTree(path) }
        }
    }

    /// A digest of names, sizes and times below a capture and of the files that options name, of the pipeline, and of
    /// the programs, since another version may read what this one could not: cheap, and different after any change.
    ///
    /// Taken before the capture is tried: what arrives while it fails is a change. A path's spelling makes no
    /// difference.
    public static func fingerprint(of input: CaptureInput, pipeline: Pipeline, programs: ProgramVersions) -> Digest {
        var text = "\(programs.installation)\n\(pipeline.digest.hex)"
        let files = FileSystem.reachable(from: input.path).filter { !$0.isFolder }.map {
            (String($0.path.dropFirst(input.path.count)), $0.status)
        }
        let named = pipeline.steps.flatMap(\.uses.files).map {
            ($0, FileSystem.status(of: OptionFile.besidePipeline($0, input)))
        }
        for (file, status) in files + named {
            // Copying tools set times as they like, so the time that nobody can set counts too.
            text += "\n\(file) \(status?.text ?? "-1 ")"
        }
        return Digest.of(text)
    }
}
