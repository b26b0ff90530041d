import ScanModel

/// How a result compares with the files as they are now.
enum ResultStanding: Hashable, Sendable {
    case upToDate
    /// Something of the capture, of a file that an option names, or of the result is not as it was.
    case stale(String)
    /// What results are made with is not as it was: the pipeline, ScanMill's reader, or a program such as ffmpeg.
    case outdated(String)
    /// Nothing seems to have changed, but the reason keeps it from being certain: the keys have to be compared.
    case unsure(String)
    /// What is known is about another result than the one there.
    case another(isOlder: Bool)
    /// Nobody can tell whether all of the result is there.
    case unreadable(String)
}

extension ResultState {
    /// - Parameters:
    ///   - input: the capture's path as it is given now, which is how its files are named.
    ///   - options: where options lead to now, beside the pipeline; nil where there is no pipeline, only the result.
    func standing(
        of input: String, pipeline: Digest, options: [String: String]? = nil, result: String,
        programs: inout ProgramVersions
    ) -> ResultStanding {
        let relation = relation(to: result)
        if relation == .damaged { return .stale(PublishedResult.damagedReceipt) }
        if case .other(let isOlder) = relation { return .another(isOlder: isOlder) }
        if self.pipeline != pipeline { return .outdated("the pipeline changed") }
        var look = ResultLook(state: self, input: input, options: options)
        if relation == .copy { look.note("its receipt was copied") }
        do throws(ResultLook.Stale) {
            if self.input != FileSystem.absolute(input) {
                // Wherever the files lie now, another program makes another result of them.
                try compareMakers(&look, &programs)
                return .unsure("the capture lies at another path")
            }
            try look.compareFolders()
            try look.compareInputs()
            look.compareBesides()
            try look.compareOptions()
            try compareMakers(&look, &programs)
        } catch { return error.isByUpdate ? .outdated(error.reason) : .stale(error.reason) }
        switch firstLoss(in: result) {
        case .certain(let what)?: return .stale(what)
        case .possible(let what)?: return .unreadable(what)
        case nil: break
        }
        if tool != programs.tool { look.note("it was run by \(tool)") }
        return look.doubt.map(ResultStanding.unsure) ?? .upToDate
    }

    /// - Throws: where the reader, or another program that was used, is not the one that it was.
    private func compareMakers(
        _ look: inout ResultLook, _ programs: inout ProgramVersions
    ) throws(ResultLook.Stale) {
        try look.compare(&programs)
        // A reader of another revision has another key.
        if !programs.formats.reads(format, asIn: formatRevision) {
            throw ResultLook.Stale(reason: PipelineChange.text(ofFormats: [format]), isByUpdate: true)
        }
    }
}

extension ResultState {
    /// What it has to do with the result in a folder.
    enum Relation: Hashable {
        case same
        /// The same, with a receipt of another time, as copies of OUT may have.
        case copy
        /// The receipt cannot be read, or its seal is broken: a run makes the result again.
        case damaged
        /// It says nothing about that one: a backup was put back, or a run was killed between giving the result its
        /// name and noting what it was made of, and then the result is the newer.
        case other(isOlder: Bool)
    }

    func relation(to result: String) -> Relation {
        guard let time = FileSystem.modified(ResultPlace(result).receipt), time != receiptTime else { return .same }
        guard let published = PublishedResult(at: result), published.isReceiptSound else { return .damaged }
        return published.key == key ? .copy : .other(isOlder: time < receiptTime)
    }
}

/// Compares what a result was made of with the disk, one kind of thing after the other.
private struct ResultLook {
    /// Something is certainly not as it was.
    struct Stale: Error {
        let reason: String
        /// Whether it is not the files that changed.
        var isByUpdate = false
    }

    let state: ResultState
    /// The capture's path as it is given now.
    let input: String
    /// Where options lead to now, beside the pipeline; nil where there is no pipeline.
    private let options: [String: String]?
    /// The first thing seen that may be a change.
    private var change: String?
    /// Whether a file is so young that a change right after would not show.
    private var isYoung = false

    /// Why it is not certain that nothing changed.
    var doubt: String? { change ?? (isYoung ? "its files had just changed when it was run" : nil) }

    init(state: ResultState, input: String, options: [String: String]?) {
        self.state = state
        self.input = input
        self.options = options
    }

    mutating func note(_ change: String) { self.change = self.change ?? change }

    mutating func compareFolders() throws(Stale) {
        for (key, known) in state.folders.sorted(by: { $0.key < $1.key }) {
            let folder = key.path
            // Perhaps nothing was read of it, or of what changed in it.
            guard let now = FileSystem.status(of: folder) else {
                note("the folder \(shown(folder)) is gone")
                continue
            }
            lazy var isFolder = FileSystem.isFolder(folder)
            if now.byteCount != known.byteCount, !isFolder { throw Stale(reason: "\(shown(folder)) changed") }
            if now.modified != known.modified {
                note(isFolder ? "something in the folder \(shown(folder)) changed" : "\(shown(folder)) was touched")
            }
            // Copying tools set `modified` back; nobody can set `changed`.
            if now.changed != known.changed { note("something about \(shown(folder)) changed") }
            if !known.isSettled(at: state.looked) { isYoung = true }
        }
    }

    mutating func compareInputs() throws(Stale) {
        for (key, known) in state.inputs.sorted(by: { $0.key < $1.key }) {
            let path = key.path
            if isLeftBehind(path) { continue }
            guard let now = FileSystem.status(of: path) else {
                // On a share that does not answer it may be there.
                let isUnknown = (try? FileSystem.isThere(path)) == nil
                if !isUnknown { throw Stale(reason: "\(shown(path)) is gone") }
                note("\(shown(path)) cannot be looked at")
                continue
            }
            if !now.isSame(as: known.status) {
                guard now.byteCount == known.status.byteCount, mayBeSame(path, now, known.digest) else {
                    throw Stale(reason: "\(shown(path)) changed")
                }
                note("\(shown(path)) was touched")
            }
            if now != known.status { note("something about \(shown(path)) changed") }
            if !known.status.isSettled(at: state.looked) { isYoung = true }
        }
    }

    /// Whether a file of the same size may have the same bytes: copying it without its times, or moving a share, leaves
    /// them as they are. For a small one, reading it again is the quicker way to be certain.
    private func mayBeSame(_ path: String, _ status: FileSystem.Status, _ digest: Digest?) -> Bool {
        guard let digest, status.byteCount <= 1 << 20 else { return FileSystem.regularSize(of: path) != nil }
        return (try? FileSystem.digest(of: path)) == digest
    }

    /// This lists whole folders, in vain where there is a doubt already.
    mutating func compareBesides() {
        for (folder, known) in state.besides.sorted(by: { $0.key < $1.key }) where doubt == nil {
            guard let known else {
                isYoung = true
                continue
            }
            if FolderContents(of: folder).digest != known {
                note("something about the files in \(shown(folder)) changed")
            }
        }
    }

    /// A pipeline that was moved or copied elsewhere may have other files beside it; and a file that a result was made
    /// without may have come.
    mutating func compareOptions() throws(Stale) {
        for (option, path) in state.options.sorted(by: { $0.key < $1.key }) {
            if let options, options[option] != path {
                note("`\(option)` is another file than it was")
            } else if state.inputs[PathKey(path)] == nil {
                switch try? FileSystem.isThere(path) {
                case true?: throw Stale(reason: "\(shown(path)) is new")
                case false?: break
                case nil: note("\(shown(path)) cannot be looked at")
                }
            } else if options == nil, isLeftBehind(path) {
                note("\(shown(path)) is gone")
            }
        }
    }

    /// Whether options no longer lead to a file that they named, whatever became of it. Where nobody knows what they
    /// lead to now, a file that is gone with its folder may have been moved together with its pipeline.
    private func isLeftBehind(_ path: String) -> Bool {
        guard state.options.values.contains(path) else { return false }
        guard let options else { return !FileSystem.exists(FileSystem.parent(of: path)) }
        return state.options.allSatisfy { name, before in
            before != path || options[name].map { $0 != path && FileSystem.exists($0) } ?? false
        }
    }

    mutating func compare(_ programs: inout ProgramVersions) throws(Stale) {
        for (name, version) in state.tools.sorted(by: { $0.key < $1.key }) {
            // Without the program nothing could be made anew.
            guard let now = programs.version(of: name), now != version else { continue }
            if version.isEmpty {
                note("it was read without \(name), and now there is \(now)")
                continue
            }
            throw Stale(reason: PipelineChange.text(ofProgram: version, now: now), isByUpdate: true)
        }
    }

    /// A path of the state as people named it.
    private func shown(_ path: String) -> String {
        FileSystem.lies(path, in: state.input) ? input + path.dropFirst(state.input.count) : path
    }
}
