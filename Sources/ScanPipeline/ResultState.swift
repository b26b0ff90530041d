import Glibc
import ScanModel

/// `OUT/.scanmill/inputs/<id>.json`: what the files were like when a result was published, so that a rerun need not
/// digest them again. A cache: it may be deleted at any time, and is not believed where the disk says otherwise.
struct ResultState: Hashable, Sendable {
    struct Input: Hashable, Sendable {
        var status: FileSystem.Status
        var digest: Digest
    }

    /// The capture's path, as it was given.
    var input: String
    /// ``Pipeline/digest``.
    var pipeline: Digest
    var key: ResultKey
    /// ScanMill's name and version.
    var tool: String
    /// The versions of the other programs that were used.
    var tools: [String: String]
    /// When the files were looked at, nanoseconds since 1970: what changed in the two seconds before that may have
    /// changed again without its time showing it.
    var looked: Int64
    /// Folders on disk with the time of their last change, which shows files that came or went; and the archive, where
    /// the capture is one.
    var folders: [String: Int64]
    /// Input files on disk.
    var inputs: [String: Input]
    /// Published files with their sizes, relative to the result.
    var outputs: [String: Int64]

    /// Describes a result that was just published.
    static func taking(
        _ opened: Runner.Opened, job: CaptureJob, pipeline: Pipeline, tool: String, outputs: [OutputFolder.Entry],
        looked: Int64
    ) -> ResultState {
        var inputs: [String: Input] = [:]
        var folders: [String: Int64] = [:]
        for used in opened.inputs {
            guard let path = opened.files[used.path]?.location ?? opened.capture.source.location(of: used.path)?.path,
                let status = FileSystem.status(of: path)
            else { continue }
            inputs[path] = Input(status: status, digest: used.digest)
            let folder = FileSystem.parent(of: path)
            if folders[folder] == nil { folders[folder] = FileSystem.status(of: folder)?.modified }
        }
        // Also for an archive, whose files may lie nowhere on disk as such.
        folders[job.input.path] = FileSystem.status(of: job.input.path)?.modified
        var sizes: [String: Int64] = [:]
        for output in outputs { sizes[output.path] = output.byteCount }
        return ResultState(
            input: job.input.path, pipeline: pipeline.digest, key: opened.key, tool: tool, tools: opened.tools,
            looked: looked, folders: folders, inputs: inputs, outputs: sizes)
    }

    /// How a result stands against the files as they are now.
    enum Standing: Hashable, Sendable {
        case upToDate
        /// Something is not as it was.
        case stale(String)
        /// Nothing seems to have changed, but the reason keeps it from being certain: the keys have to be compared.
        case unsure(String)
    }

    func standing(
        of input: String, pipeline: Digest, result: String, programs: inout ProgramVersions
    ) -> Standing {
        if self.pipeline != pipeline { return .stale("the pipeline changed") }
        if self.input != input { return .stale("the capture lies at another path") }
        var isSure = true
        for (folder, modified) in folders.sorted(by: { $0.key < $1.key }) {
            if FileSystem.status(of: folder)?.modified != modified {
                return .stale(FileSystem.isFolder(folder) ? "files came or went in \(folder)" : "\(folder) changed")
            }
            isSure = isSure && isSettled(modified)
        }
        for (path, known) in inputs.sorted(by: { $0.key < $1.key }) {
            guard let now = FileSystem.status(of: path) else { return .stale("\(path) is gone") }
            if now != known.status { return .stale("\(path) changed") }
            isSure = isSure && isSettled(known.status.modified)
        }
        for (name, version) in tools.sorted(by: { $0.key < $1.key }) {
            // Without the program nothing could be made anew.
            guard let now = programs.version(of: name), now != version else { continue }
            return .stale("it was made with \(version), and now there is \(now)")
        }
        if let defect = outputDefect(result) { return .stale(defect) }
        // A file so young that a change right after would not show.
        if !isSure { return .unsure("it was new when it was run") }
        // Stages and formats with new revisions make other results; only the key tells whether these are among them.
        if tool != programs.tool { return .unsure("it was run by \(tool)") }
        return .upToDate
    }

    private func outputDefect(_ result: String) -> String? {
        guard FileSystem.exists("\(result)/\(Receipt.fileName)") else { return "it was never finished" }
        for (path, size) in outputs.sorted(by: { $0.key < $1.key })
        where FileSystem.size(of: "\(result)/\(path)") != size {
            return "\(path) of the result is missing or has another size"
        }
        return nil
    }

    private func isSettled(_ modified: Int64) -> Bool { modified < looked - 2_000_000_000 }

    /// Digests that stand as long as their files do.
    var knownDigests: KnownDigests {
        KnownDigests(
            entries: inputs.filter { isSettled($0.value.status.modified) }.mapValues {
                KnownDigests.Entry(status: $0.status, digest: $0.digest)
            })
    }

    // MARK: - JSON

    var json: JSONValue {
        var folders = JSONObject()
        for (path, modified) in self.folders.sorted(by: { $0.key < $1.key }) { folders[path] = .integer(modified) }
        var inputs = JSONObject()
        for (path, input) in self.inputs.sorted(by: { $0.key < $1.key }) {
            inputs[path] = .array([
                .integer(input.status.byteCount), .integer(input.status.modified), .integer(input.status.changed),
                .integer(input.status.file), .string(input.digest.hex),
            ])
        }
        var tools = JSONObject()
        for (name, version) in self.tools.sorted(by: { $0.key < $1.key }) { tools[name] = .string(version) }
        var outputs = JSONObject()
        for (path, size) in self.outputs.sorted(by: { $0.key < $1.key }) { outputs[path] = .integer(size) }
        return .object([
            "input": .string(input), "pipeline": .string(pipeline.hex), "key": .string(key.text),
            "tool": .string(tool), "uses": .object(tools),
            "looked": .integer(looked), "folders": .object(folders), "inputs": .object(inputs),
            "outputs": .object(outputs),
        ])
    }

    init?(_ json: JSONValue) {
        guard let input = json["input"]?.string, let pipeline = json["pipeline"]?.string, let key = json["key"]?.string,
            let tool = json["tool"]?.string, let tools = json["uses"]?.object, let looked = json["looked"]?.integer, let folders = json["folders"]?.object,
            let inputs = json["inputs"]?.object, let outputs = json["outputs"]?.object
        else { return nil }
        self.init(
            input: input, pipeline: Digest(hex: pipeline), key: ResultKey(text: key), tool: tool, tools: [:],
            looked: looked, folders: [:], inputs: [:], outputs: [:])
        for (name, value) in tools.members { self.tools[name] = value.string }
        for (path, value) in folders.members { self.folders[path] = value.integer }
        for (path, value) in outputs.members { self.outputs[path] = value.integer }
        for (path, value) in inputs.members {
            guard let parts = value.array, parts.count == 5, let size = parts[0].integer,
                let modified = parts[1].integer, let changed = parts[2].integer, let file = parts[3].integer,
                let digest = parts[4].string
            else { return nil }
            let status = FileSystem.Status(byteCount: size, modified: modified, changed: changed, file: file)
            self.inputs[path] = Input(status: status, digest: Digest(hex: digest))
        }
    }

    private init(
        input: String, pipeline: Digest, key: ResultKey, tool: String, tools: [String: String], looked: Int64,
        folders: [String: Int64], inputs: [String: Input], outputs: [String: Int64]
    ) {
        self.input = input
        self.pipeline = pipeline
        self.key = key
        self.tool = tool
        self.tools = tools
        self.looked = looked
        self.folders = folders
        self.inputs = inputs
        self.outputs = outputs
    }

    static func load(_ id: String, in state: StateFolder) -> ResultState? {
        StateFolder.read(state.inputs(id)).flatMap(ResultState.init)
    }

    func save(_ id: String, in state: StateFolder) throws(Problem) { try StateFolder.write(json, to: state.inputs(id)) }
}

/// The wall clock, nanoseconds since 1970.
func wallClock() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
