import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a NeRFCapture or HMC project as an archive.
public struct WriteZip: ParcelStage {
    public static let card = StageCard(
        name: "write-zip",
        summary: "Write <id>.zip, a project as NeRFCapture and HMC's app export it: transforms.json, images, the box.",
        details: """
            The archive holds one folder named after the capture's id, with `transforms.json`, `images/<n>.png`, where n
            counts the source's frames from 0, and `boundingbox.json` if the capture has a box. That file can hold only
            boxes turned about y; a tilted one is left out with a warning. Poses are camera-to-world with OpenGL's axes;
            a world with z up is turned to y up, which the project's readers expect. Each frame has its own intrinsics
            and its timestamp in seconds, and `file_path` has no extension, as the apps write it. The numbers at the top
            level, where the apps leave placeholders, are the first frame's.

            Pictures become PNG, which is what the project's readers look for; `color: copy` keeps JPEGs as they are. All
            files are stored uncompressed and with the same date, so that equal captures make equal archives.
            """,
        example: "- write-zip", revision: 7)

    let output: PictureOutput

    public init(_ options: inout OptionReader) { output = PictureOutput(&options, default: .png) }

    public var uses: Uses {
        Uses(
            frame: .init(needs: [.color, .pose, .intrinsics], wants: [.timestamp]), fold: .init(wants: [.box]),
            claims: ["{id}.zip"])
    }

    // MARK: - Each frame, in parallel

    /// The part of a frame that is ready when its turn comes.
    public struct Parcel: Sendable {
        let picture: PreparedPicture
    }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Parcel {
        _ = (try frame.facts.requiredPose, try frame.facts.requiredIntrinsics)
        let picture = try output.prepare(&frame, context)
        // Read now: when its turn comes, it is too late to drop the frame for a file that cannot be read.
        return Parcel(picture: try picture.loaded(context))
    }

    // MARK: - In frame order

    public struct Fold {
        fileprivate let file: OutputFile
        fileprivate var archive: ZipWriter
        fileprivate var frames: [FrameFacts] = []
    }

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        let file = try context.output.create("\(context.capture.id).zip")
        return Fold(file: file, archive: ZipWriter(file))
    }

    public func fold(
        _ parcel: Parcel, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        let picture = parcel.picture
        let name = "\(context.capture.id)/\(Self.picture(frame.facts)).\(picture.fileExtension)"
        try fold.archive.add(name, try picture.bytes(context))
        fold.frames.append(frame.facts)
    }

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        let turn = WorldTurn.yUp(capture)
        try fold.archive.add("\(capture.id)/transforms.json", Self.transforms(fold.frames, turn))
        if let box = capture.box, let text = try context.boundingBox(turn.apply(box)) {
            try fold.archive.add("\(capture.id)/boundingbox.json", text)
        }
        try fold.archive.close()
        try fold.file.close()
        context.count("frames", fold.frames.count)
        context.record(turn)
        context.warnUnlessUp(capture, "and the project's readers take y for it")
        context.warnUnlessMetric(capture, "the project may not be in metres")
    }

    private static func picture(_ frame: FrameFacts) -> String { "images/\(frame.index)" }

    private static func transforms(_ frames: [FrameFacts], _ turn: WorldTurn) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            if let camera = frames.first?.intrinsics { TransformsJSON.write(camera, countedFrom: .arKit, &json) }
            json.member("depth_integer_scale", .number(1))
            json.key("frames")
            json.array { json in
                for frame in frames {
                    guard let pose = frame.pose, let camera = frame.intrinsics else { continue }
                    json.object { json in
                        json.member("file_path", .string(picture(frame)))
                        if let time = frame.timestamp { json.member("timestamp", .number(Double(time) * 1e-9)) }
                        TransformsJSON.write(camera, countedFrom: .arKit, &json)
                        json.member("transform_matrix", .array(turn.apply(pose).rowMajorRows.map { .of($0) }))
                    }
                }
            }
        }
        return json.drain() + [UInt8(ascii: "\n")]
    }
}
