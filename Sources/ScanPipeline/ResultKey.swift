import ScanModel

/// What decides a result: two runs with the same key give the same bytes.
///
/// It is made of the digests of the input files that are used, the resolved pipeline, the revision of each stage and of
/// the format, and the versions of other programs where they are used. ScanMill's own version is recorded beside it but
/// is no part of it, or every release would run terabytes again.
public struct ResultKey: Hashable, Sendable {
    /// SHA-256, hexadecimal.
    public var text: String

    public init(text: String) { self.text = text }

    static func make(
        inputs: [Receipt.Input], pipeline: Pipeline, capture: Capture, tools: [String: String]
    ) -> ResultKey {
        var object = JSONObject()
        object["inputs"] = .array(inputs.map { .array([.string($0.path), .string($0.digest.hex)]) })
        object["pipeline"] = pipeline.resolved
        object["stages"] = .of(pipeline.steps.map(\.revision))
        object["format"] = .array([.string(capture.format), .of(capture.formatRevision)])
        object["tools"] = .array(tools.sorted { $0.key < $1.key }.map { .of([$0.key, $0.value]) })
        object["id"] = .string(capture.id)
        return ResultKey(text: Digest.of(JSONWriter.text(.object(object), pretty: false)).hex)
    }
}

extension Pipeline {
    /// A digest of everything in the pipeline that decides a result.
    public var digest: Digest {
        let revisions = JSONValue.of(steps.map(\.revision))
        return Digest.of(JSONWriter.text(.array([resolved, revisions]), pretty: false))
    }
}
