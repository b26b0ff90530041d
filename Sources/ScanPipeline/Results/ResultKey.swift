import ScanModel

/// What decides a result: two runs with the same key give the same bytes.
///
/// It is made of the digests of the input files that are used, what the reader found out about the frames (also from
/// files that no stage uses: pictures decide which frames are bad, and what size the cameras are for), the pipeline's
/// stages with their options that are not at their defaults, the revision of each stage and of the format, and the
/// versions of other programs where they are used. ScanMill's own version is recorded beside it but is no part of it,
/// or every release would run terabytes again.
public struct ResultKey: Hashable, Sendable {
    /// SHA-256, hexadecimal.
    public var text: String

    public init(text: String) { self.text = text }

    static func make(
        inputs: [Receipt.File], pipeline: Pipeline, capture: Capture, tools: [String: String]
    ) -> ResultKey {
        var object = JSONObject()
        object["inputs"] = .array(inputs.map { .array([.string($0.path), .string($0.digest.hex)]) })
        object["pipeline"] = pipeline.decisive
        object["stages"] = .of(pipeline.steps.map(\.revision))
        object["format"] = .array([.string(capture.format), .of(capture.formatRevision)])
        object["tools"] = .array(tools.sorted { $0.key < $1.key }.map { .of([$0.key, $0.value]) })
        object["id"] = .string(capture.id)
        object["frames"] = .string(capture.framesDigest.hex)
        return ResultKey(text: Digest.of(JSONValue.object(object)).hex)
    }
}

extension Pipeline {
    /// A digest of everything in the pipeline that decides a result.
    public var digest: Digest { Digest.of(JSONValue.array([decisive, .of(steps.map(\.revision))])) }
}

extension Capture {
    /// A digest of what the reader says of each frame, except for words.
    fileprivate var framesDigest: Digest {
        var digester = Digester()
        for frame in frames {
            var numbers: [UInt64] = []
            numbers.append(frame)
            numbers.withUnsafeBytes { digester.update($0) }
        }
        return digester.finish()
    }
}

extension [UInt64] {
    fileprivate mutating func append(_ frame: FrameFacts) {
        append(UInt64(frame.index))
        append(frame.isDropped ? 1 : 0)
        append(time: frame.timestamp)
        append(time: frame.exposure)
        append(frame.pose == nil ? 0 : 1)
        if let pose = frame.pose {
            let (x, y, z) = pose.rotation.columns
            for vector in [x, y, z, pose.position] { for value in vector.components { append(value.bitPattern) } }
        }
        append(frame.intrinsics == nil ? 0 : 1)
        if let camera = frame.intrinsics {
            for value in [camera.fx, camera.fy, camera.cx, camera.cy] { append(value.bitPattern) }
            for count in [camera.width, camera.height, camera.pixelOrigin == .corner ? 0 : 1] { append(UInt64(count)) }
        }
    }

    private mutating func append(time: Int64?) {
        append(time == nil ? 0 : 1)
        append(UInt64(bitPattern: time ?? 0))
    }
}
