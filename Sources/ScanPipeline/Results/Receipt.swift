import ScanModel

/// What is known of a published result: what went in, what was done, which frames stayed, what came out.
///
/// It holds no clock, no host and no path of the machine, so that a rerun gives the same bytes.
public struct Receipt: Sendable {
    public static let fileName = ReceiptMark.fileName
    static let salvagedKey = "salvaged"
    package static let lostKey = "lost"
    static let doubtfulKey = "doubtful"

    /// A file that went in or came out, by its path in the capture or in the result.
    public struct File: Sendable, Hashable {
        public let path: String
        public let byteCount: Int64
        public let digest: Digest
    }

    /// Something that an incomplete copy of the capture lacks and its stages would have used.
    public struct Loss: Sendable, Hashable {
        /// Why it is not there.
        public let reason: String
        /// What to copy, or to mend.
        public let fix: String

        /// The warning that says so.
        public var text: String { "\(reason): \(fix)" }
    }

    public struct StageReport: Sendable {
        public var label: String
        public var options: JSONObject
        public var counts: JSONObject
    }

    public var tool: String
    public var key: ResultKey
    /// The versions of other programs that were used, by name.
    public var tools: [String: String]
    public var capture: Capture
    public var pipeline: JSONValue
    public var inputs: [File]
    public var stages: [StageReport]
    public var files: [File]
    public var warnings: [String]
    /// Of the warnings, those of what spoils all that was made of the capture, and of what was lost on the way; the text
    /// does not mark them.
    public var grave: [String] = []
    /// What the copy of the capture lacks; the warnings say it, too.
    public var losses: [Loss] = []
    /// What follows from the pipeline, whatever the capture is like.
    public var notes: [String] = []

    /// The JSON text.
    public var bytes: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("tool", .string(tool))
            json.member("key", .string(key.text))
            json.member("uses", .object(JSONObject(tools) { .string($0) }))
            json.key("capture")
            json.object { json in
                json.member("id", .string(capture.id))
                json.member("format", .string(capture.format))
                if !capture.variant.isEmpty { json.member("variant", .string(capture.variant)) }
                if let device = capture.device { json.member("device", .string(device)) }
                for (key, value) in capture.findings.members { json.member(key, value) }
            }
            json.member("pipeline", pipeline)
            json.key("inputs")
            json.array { json in
                for input in inputs { json.value(input.json) }
            }
            json.key("frames")
            writeFrames(&json)
            json.key("stages")
            json.array { json in
                for stage in stages {
                    json.value(
                        .object([
                            "name": .string(stage.label), "options": .object(stage.options),
                            "counts": .object(stage.counts),
                        ]))
                }
            }
            json.key("files")
            json.array { json in
                for file in files { json.value(file.json) }
            }
            json.member("warnings", .of(warnings))
            if !notes.isEmpty { json.member("notes", .of(notes)) }
            if !losses.isEmpty { json.member(Self.lostKey, .array(losses.map(\.json))) }
            // At the end, where they are found without reading all of it.
            if !capture.forgiven.isEmpty { json.member(Self.salvagedKey, .bool(true)) }
            if !capture.forgiven.isEmpty || !grave.isEmpty { json.member(Self.doubtfulKey, .bool(true)) }
            json.member(ReceiptSeal.key, .string(ReceiptSeal.blank))
        }
        var text = json.drain() + [UInt8(ascii: "\n")]
        ReceiptSeal.close(&text)
        return text
    }

    private func writeFrames(_ json: inout JSONWriter) {
        let dropped = capture.frames.filter(\.isDropped)
        var byStage: [String: Int] = [:]
        for frame in dropped { byStage[frame.drop?.stage ?? "", default: 0] += 1 }
        json.object { json in
            json.member("source", .of(capture.frames.count))
            json.member("kept", .of(capture.frames.count - dropped.count))
            json.key("dropped-by")
            json.object { json in
                for (stage, count) in byStage.sorted(by: { $0.key < $1.key }) { json.member(stage, .of(count)) }
            }
            json.key("dropped")
            json.array { json in
                for frame in dropped {
                    json.value(
                        .object([
                            "frame": .of(frame.index), "picture": .of(frame.pictureFile),
                            "stage": .string(frame.drop?.stage ?? ""), "reason": .string(frame.drop?.reason ?? ""),
                        ]))
                }
            }
            // Writers number their pictures; masks, lists and poses that others keep go by the recorded names.
            let pictures = capture.frames.filter { !$0.isDropped && $0.pictureFile != nil }
            if pictures.isEmpty { return }
            json.key("pictures")
            json.object { json in
                for frame in pictures { json.member(String(frame.index), .string(frame.pictureFile ?? "")) }
            }
        }
    }
}

extension Receipt.Loss {
    /// - Parameter json: as a receipt lists it under `lost`.
    /// - Returns: nil where a part is missing.
    package init?(_ json: JSONValue) {
        guard let reason = json["what"]?.string, let fix = json["fix"]?.string else { return nil }
        self.init(reason: reason, fix: fix)
    }

    fileprivate var json: JSONValue { .object(["what": .string(reason), "fix": .string(fix)]) }
}

extension Receipt.File {
    fileprivate var json: JSONValue {
        .object(["path": .string(path), "bytes": .integer(byteCount), "sha256": .string(digest.hex)])
    }
}
