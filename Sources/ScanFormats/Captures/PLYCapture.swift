import ScanModel

/// A PLY file of points: a capture that is only a cloud, for cropping and thinning large ones.
///
/// Its frames are slices of the file, so that no more than a few of them are in memory at once. PLY says nothing about
/// units or which way is up: coordinates are taken as metres and left as they are.
public enum PLYCapture: CaptureFormat {
    /// Points per slice.
    public static let sliceCount = 1 << 16

    public static let card = FormatCard(
        name: "ply",
        summary: """
            PLY point cloud, text or binary: points, their normals and colours (bytes, 16-bit numbers, or floats from 0 to \
            1), in slices of \(sliceCount) that serve as frames. Name the file itself as INPUT, and set \
            `read: {format: ply}`.
            """,
        reads: [.points], passesOver: ["faces", "other point properties"], writer: "write-ply",
        writingLoses: ["everything but points, their normals and colours"], origin: .derived, revision: 3)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let file = file(in: tree) else { return nil }
        return Recognition(format: name, reason: "\(file) begins as a PLY file does")
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        guard let file = file(in: tree) else {
            throw Problem(.input, "this is not a PLY file", fix: "name the PLY file itself as the capture")
        }
        var reader = try PLYReader(try tree.open(file))
        var capture = Capture(of: tree, as: Self.self, rules)
        capture.variant = reader.header.format.rawValue
        capture.list(file, in: tree, [.points])
        if reader.pointCount == 0 { throw Problem(.input, "the PLY file holds no points").at(file: file) }
        let slices = (reader.pointCount - 1) / sliceCount + 1
        try rules.check(frames: slices, of: "slices of \(sliceCount) points")
        capture.frames = (0..<slices).map(FrameFacts.init(index:))
        capture.channels = [.points]
        capture.warnings = reader.warnings
        try reader.requireLength()
        // A file that cannot be read says so when its points are wanted.
        if let first = try? reader.next(1), let doubt = first.coarseness { capture.warnings.append(doubt) }
        capture.findings["points"] = .of(reader.pointCount)
        let others: [Channel] = [
            .pose, .intrinsics, .timestamp, .color, .recordedDepth, .recordedConfidence, .motion, .video,
        ]
        let reason = "a PLY file has only points"
        capture.lacks([.box], reason, advice: "give a box in a file, with `box: FILE`")
        capture.lacks(
            others, reason,
            advice: "take a pipeline that begins with `read: {format: ply}` and works on points alone, such as with "
                + "`cull-by-box`, `voxel-downsample` and `write-ply`")
        capture.source = PLYSource(tree: tree, file: file)
        return capture
    }

    /// A file in a folder is not a capture: folders of scans hold meshes and results too.
    private static func file(in tree: any CaptureTree) -> String? {
        guard let single = tree as? OneFile, let source = try? single.open(single.file) else { return nil }
        var start = [UInt8](repeating: 0, count: 4)
        guard (try? source.read(into: &start)) == 4, start.starts(with: Array("ply".utf8)) else { return nil }
        return start[3] == UInt8(ascii: "\n") || start[3] == UInt8(ascii: "\r") ? single.file : nil
    }
}

private struct PLYSource: CaptureSource {
    let tree: any CaptureTree
    let file: String

    func tracks(for channels: Set<Channel>, of capture: Capture) throws(Problem) -> [any FrameTrack] {
        channels.contains(.points) ? [try PLYTrack(tree, file: file, scale: capture.pointScale)] : []
    }

    func prepare(_ frame: inout Frame, for channels: Set<Channel>) {}

    func location(of file: String) -> FileLocation? { tree.location(of: file) }

    func open(_ file: String) throws(Problem) -> any ByteSource { try tree.open(file) }
}

/// The points during one pass, slice by slice.
private final class PLYTrack: FrameTrack, @unchecked Sendable {
    // One frame at a time: the pass hands them over in order.
    let name: String
    private var reader: PLYReader
    private let scale: Double

    init(_ tree: any CaptureTree, file: String, scale: Double) throws(Problem) {
        name = file
        self.scale = scale
        reader = try PLYReader(try tree.open(file))
    }

    func advance(_ frame: inout Frame, isWanted: Bool) throws(Problem) {
        let end = reader.readCount + PLYCapture.sliceCount
        var slice = PointCloud(of: reader.properties)
        while reader.readCount < end, let part = try reader.next(end - reader.readCount) {
            if slice.count == 0 { slice = part } else { slice.append(part) }
        }
        guard isWanted else { return }
        if scale != 1 { slice.scale(by: scale) }
        frame.points = slice
    }

    func finish() throws(Problem) -> TrackEnd {
        var end = TrackEnd()
        let lost = reader.notFiniteCount
        if lost > 0 {
            let points = lost.counted("point", "was", "were")
            end.warnings.append("\(points) left out: a coordinate is not a finite number")
        }
        if let doubt = reader.colorDoubt { end.warnings.append(doubt) }
        if try reader.hasMore() { end.warnings.append(reader.excess) }
        return end
    }
}
