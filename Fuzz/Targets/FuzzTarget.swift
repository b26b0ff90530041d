/// A reader as a fuzzer sees it: it answers any bytes with a value or a ``Problem``, soon and in little memory.
///
/// To fuzz another reader, add a file with a ``FuzzTarget`` beside the others, name it in ``all``, add a few seeds to
/// `Seeds.all` in the tests, and write them into `Fuzz/corpus/<name>/`, as `SeedTests` says.
public struct FuzzTarget: Sendable {
    /// The name of the folder below `Fuzz/corpus`.
    public let name: String
    /// Ends the process when the reader contradicts itself.
    public let run: @Sendable ([UInt8]) -> Void

    public static let all = [
        depthStream,
        inflate,
        cameraLines,
        metadata,
        boundingBox,
        motion,
        transforms,
        zip,
        pipeline,
        ply,
        jpeg,
        png,
        odometry,
        scanNetPPDepth,
        scanNetPPPoses,
        sens,
        shiftCodec,
        lzfse,
        colmap,
        exr,
    ]

    init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.run = run
    }
}

/// A promise that no input may break; a fuzzer reports the end of the process as a finding.
func expect(_ condition: Bool, _ promise: String) {
    if !condition { fatalError("broken promise: \(promise)") }
}
