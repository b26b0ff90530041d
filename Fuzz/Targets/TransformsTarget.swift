import ScanFormats
import ScanModel

extension FuzzTarget {
    /// `transforms.json` as apps write it and as trainers read it, with two pictures beside it.
    static let transforms = FuzzTarget("transforms") { bytes in
        let tree = ProjectTree(transforms: bytes)
        for format in [NeRFCaptureProject.self, TransformsDataset.self] as [any CaptureFormat.Type] {
            _ = format.recognise(tree)
            check(format, tree)
        }
    }

    private static func check(_ format: any CaptureFormat.Type, _ tree: ProjectTree) {
        do throws(Problem) {
            let capture = try format.open(tree, rules: ReadRules())
            for (index, frame) in capture.frames.enumerated() {
                expect(frame.index == index, "frames are numbered")
                if frame.isDropped { continue }
                expect(frame.pose?.defect == nil && frame.pose != nil, "kept frames have sound poses")
                // Of a lens that distorts, the pinhole that `undistort` makes of it.
                let camera = frame.intrinsics ?? capture.undistortions[index]?.camera
                expect(camera?.defect == nil && camera != nil, "and sound intrinsics")
                if let file = frame.pictureFile {
                    expect(tree.byteCount(of: file) != nil, "pictures are the project's")
                }
            }
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}

/// A project in memory.
private struct ProjectTree: CaptureTree {
    let transforms: [UInt8]
    var name: String { "project" }
    /// One pixel.
    private static let picture: [UInt8] =
        (try? PNG.encodeRGB(RGBImage(width: 1, height: 1, pixels: [1, 2, 3]))) ?? []

    private func content(_ file: String) -> [UInt8]? {
        switch file {
        case "transforms.json": transforms
        case "images/0.png", "images/1.png": Self.picture
        default: nil
        }
    }

    func entries(in folder: String) -> [CaptureEntry] {
        switch folder {
        case "":
            [
                CaptureEntry(name: "images", kind: .folder),
                CaptureEntry(name: "transforms.json", kind: .file(byteCount: Int64(transforms.count))),
            ]
        case "images":
            ["0.png", "1.png"].map {
                CaptureEntry(name: $0, kind: .file(byteCount: Int64(Self.picture.count)))
            }
        default: []
        }
    }

    func open(_ file: String) throws(Problem) -> any ByteSource {
        guard let bytes = content(file) else { throw Problem(.input, "there is no such file").at(file: file) }
        return MemorySource(bytes, name: file)
    }

    func location(of file: String) -> FileLocation? { nil }
}
