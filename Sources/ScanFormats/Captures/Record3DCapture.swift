import ScanModel

/// A Record3D recording, as its own archive (`.r3d`) or as its "EXR + JPG" export: known, so that it can be refused by
/// name.
///
/// The archive keeps depth as Apple's LZFSE, which no library here unpacks, and the export keeps it as OpenEXR pictures.
///
/// Source: record3d, and nerfstudio's record3d_utils.py.
public enum Record3DCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "record3d", summary: "Record3D recording (.r3d or EXR + JPG): recognised, and refused.", reads: [],
        passesOver: ["everything: depth is LZFSE or OpenEXR, which ScanMill does not unpack"])

    private static let metadataLimit = 64 << 20

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let file = metadataFile(of: tree) else { return nil }
        return Recognition(format: name, reason: "\(file) has Record3D's keys, and its pictures stand beside it")
    }

    public static func open(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        let isExport = metadataFile(of: tree) == "metadata.json"
        throw Problem(
            .input, "this is a Record3D recording, whose depth ScanMill cannot unpack",
            notes: [
                isExport
                    ? "its export keeps depth as OpenEXR pictures"
                    : "its archive keeps depth in Apple's LZFSE compression"
            ],
            fix: "record with an app that writes depth as PNG or DEFLATE (Stray Scanner, Polycam's raw data, MultiScan)"
        )
    }

    /// The metadata, where they are Record3D's.
    private static func metadataFile(of tree: any CaptureTree) -> String? {
        for (file, folders) in [("metadata", ["rgbd"]), ("metadata.json", ["rgb", "depth"])]
        where tree.byteCount(of: file) != nil && folders.allSatisfy(tree.hasFolder) {
            guard let bytes = try? tree.bytes(of: file, limit: metadataLimit),
                let json = try? JSONValue.parse(bytes, file: file), json["K"] != nil, json["poses"] != nil
            else { continue }
            return file
        }
        return nil
    }
}
