import ScanModel

/// `OUT/.scanmill/inputs/<id>.json`: what the files were like when a result was published, so that a rerun need not
/// digest them again. A cache: it may be deleted at any time, and is not believed where the disk says otherwise.
struct ResultState: Hashable, Sendable {
    /// The capture's path. Like all paths here it means the same from everywhere.
    var input: String
    /// ``Pipeline/digest``.
    var pipeline: Digest
    /// The revisions of the pipeline's stages; nil where an earlier version of ScanMill wrote this.
    var revisions: [Int]?
    var key: ResultKey
    /// ScanMill's name and version.
    var tool: String
    /// The capture's format, and the revision of its reader.
    var format: String
    var formatRevision: Int
    /// The versions of the other programs that were used; empty for one that was missing.
    var tools: [String: String]
    /// When looking at the files began, nanoseconds since 1970: what changed shortly before that or later may have changed
    /// again without its time showing it.
    var looked: Int64
    /// Folders on disk, whose times show files that came or went; and the archive, where the capture is one.
    var folders: [PathKey: FileSystem.Status]
    /// Input files on disk, as they were before they were read.
    var inputs: [PathKey: KnownDigests.Entry]
    /// What lay beside the capture's files that no stage uses. Readers look at these too, and may find a frame bad
    /// because of its picture, whatever becomes of the picture. Nil for files so young that a change right after would
    /// not show.
    var besides: [String: Digest?]
    /// The locations of files that options name and the capture does not hold, by their names. One that is not among the
    /// ``inputs`` was not there, and the result was made without it.
    var options: [String: String]
    /// Published files with their sizes, relative to the result.
    var outputs: [String: Int64]
    /// When the capture's first and last frame were taken, by its own clock in nanoseconds: another recording was taken
    /// at other times. Nil where it has no times, or an earlier version of ScanMill wrote this.
    var span: ClosedRange<Int64>?
    /// When the receipt was written, nanoseconds since 1970: an older result that was put back has another time,
    /// whatever the sizes are.
    var receiptTime: Int64

    /// Describes a result that was just published, or found to be up to date.
    /// - Parameters:
    ///   - outputs: the files that the result's receipt lists, with their sizes.
    ///   - receipt: the status of that receipt.
    static func taking(
        _ opened: OpenedCapture, job: CaptureJob, pipeline: Pipeline, tool: String,
        outputs: [(path: String, size: Int64)], receipt: FileSystem.Status?, looked: Int64
    ) -> ResultState {
        var sizes: [String: Int64] = [:]
        for output in outputs { sizes[output.path] = output.size }
        let missing = opened.capture.missingPrograms.map { ($0, "") }
        sizes[Receipt.fileName] = receipt?.byteCount
        return ResultState(
            input: FileSystem.absolute(job.input.path), pipeline: pipeline.digest,
            revisions: pipeline.steps.map(\.revision), key: opened.key, tool: tool,
            format: opened.capture.format, formatRevision: opened.capture.formatRevision,
            tools: opened.tools.merging(missing) { used, _ in used }, looked: looked, folders: absolute(opened.folders),
            inputs: absolute(opened.statuses),
            besides: absolute(opened.besides).mapValues { $0.isSettled(at: looked) ? $0.digest : nil },
            options: opened.options.mapValues(FileSystem.absolute), outputs: sizes, span: opened.span,
            receiptTime: receipt?.modified ?? 0)
    }

    private static func absolute<Value>(_ entries: [String: Value]) -> [String: Value] {
        Dictionary(entries.map { (FileSystem.absolute($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    private static func absolute<Value>(_ entries: [PathKey: Value]) -> [PathKey: Value] {
        let absolute = entries.map { (PathKey(FileSystem.absolute($0.key.path)), $0.value) }
        return Dictionary(absolute, uniquingKeysWith: { first, _ in first })
    }

    private static func json<Value>(_ entries: [PathKey: Value], _ json: (Value) -> JSONValue) -> JSONValue {
        var object = JSONObject()
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) { object[key.path] = json(value) }
        return .object(object)
    }

    /// Digests that hold as long as their files are unchanged.
    var knownDigests: KnownDigests { KnownDigests(entries: inputs).settled(at: looked) }
}

extension ResultState {
    var json: JSONValue {
        .object([
            "input": .string(input), "pipeline": .string(pipeline.hex), "key": .string(key.text),
            "tool": .string(tool), "format": .array([.string(format), .of(formatRevision)]),
            "uses": .object(JSONObject(tools) { .string($0) }), "looked": .integer(looked),
            "folders": Self.json(folders) { .array($0.json) },
            "inputs": Self.json(inputs) { .array($0.status.json + [.string($0.digest?.hex ?? "")]) },
            "besides": .object(JSONObject(besides) { .string($0?.hex ?? "") }),
            "options": .object(JSONObject(options) { .string($0) }),
            "outputs": .object(JSONObject(outputs) { .integer($0) }), "receipt": .integer(receiptTime),
            "revisions": revisions.map { .of($0) },
            "span": span.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) },
        ])
    }

    init?(_ json: JSONValue) {
        guard let input = json["input"]?.string, let key = json["key"]?.string,
            let pipeline = json["pipeline"]?.string.flatMap(Digest.init(hex:)),
            let tool = json["tool"]?.string, let format = json["format"]?.array, format.count == 2,
            let formatName = format[0].string, let formatRevision = format[1].integer.flatMap({ Int(exactly: $0) }),
            let tools = json["uses"]?.object, let looked = json["looked"]?.integer,
            let folders = json["folders"]?.object, let inputs = json["inputs"]?.object,
            let besides = json["besides"]?.object, let options = json["options"]?.object,
            let outputs = json["outputs"]?.object, let receiptTime = json["receipt"]?.integer
        else { return nil }
        self.init(
            input: input, pipeline: pipeline, key: ResultKey(text: key), tool: tool,
            format: formatName, formatRevision: formatRevision, tools: [:], looked: looked, folders: [:], inputs: [:],
            besides: [:], options: [:], outputs: [:],
            receiptTime: receiptTime)
        revisions = json["revisions"]?.array?.compactMap { $0.integer.flatMap { Int(exactly: $0) } }
        if let span = json["span"]?.array?.compactMap(\.integer), span.count == 2, span[0] <= span[1] {
            self.span = span[0]...span[1]
        }
        for (name, value) in tools.members { self.tools[name] = value.string }
        for (path, value) in folders.members {
            guard let status = value.array.flatMap({ FileSystem.Status($0[...]) }) else { return nil }
            self.folders[PathKey(path)] = status
        }
        for (path, value) in besides.members {
            let digest = value.string.flatMap(Digest.init(hex:))
            guard digest != nil || value.string == "" else { return nil }
            self.besides.updateValue(digest, forKey: path)
        }
        for (name, value) in options.members { self.options[name] = value.string }
        for (path, value) in outputs.members { self.outputs[path] = value.integer }
        for (path, value) in inputs.members {
            guard let parts = value.array, let status = FileSystem.Status(parts.dropLast()) else { return nil }
            let digest = parts.last?.string.flatMap(Digest.init(hex:))
            guard digest != nil || parts.last?.string == "" else { return nil }
            self.inputs[PathKey(path)] = KnownDigests.Entry(status: status, digest: digest)
        }
    }

    static func load(_ id: String, in state: StateFolder) -> ResultState? {
        StateFolder.read(state.inputs(id)).flatMap(ResultState.init)
    }

    func save(_ id: String, in state: StateFolder) throws(Problem) { try StateFolder.write(json, to: state.inputs(id)) }
}

extension FileSystem.Status {
    fileprivate var json: [JSONValue] { [.integer(byteCount), .integer(modified), .integer(changed), .integer(file)] }

    fileprivate init?(_ json: ArraySlice<JSONValue>) {
        let numbers = json.compactMap(\.integer)
        guard json.count == 4, numbers.count == 4 else { return nil }
        self.init(byteCount: numbers[0], modified: numbers[1], changed: numbers[2], file: numbers[3])
    }
}
