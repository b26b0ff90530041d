import ScanModel

/// MultiScan's staging capture: `<id>.json`, `<id>.jsonl`, depth and confidence streams, motion files, and the pictures as
/// a video or as a folder of frames.
///
/// Source: multiscan, docs/staging_file_format.md, and the scanner apps' own recorders.
public enum MultiScanCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "multiscan",
        summary: "MultiScan staging capture: metadata, camera lines, depth and confidence streams, video or frames.",
        reads: [
            .color, .luma, .video, .pose, .intrinsics, .timestamp, .exposure, .recordedDepth, .recordedConfidence, .box,
            .motion,
        ],
        passesOver: [
            "`quaternion`, which the app computes wrongly", "what the server adds (meshes, segments)",
            "the second camera's video (`<id>-secondary.mp4`) and intrinsics, and the `extrinsics` between the two",
        ],
        writer: "write-staging",
        writingLoses: [
            "a depth sensor's own intrinsics", "a tilted bounding box",
            "depth beyond 8.191 m where it was recorded in millimetres",
        ], revision: 12)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let stem = stem(of: tree) else {
            return lostMetadata(of: tree).map {
                Recognition(format: name, reason: "\($0.file) is there, and \($0.stem).json is missing beside it")
            }
        }
        guard listsStreams(tree, "\(stem).json") == true else {
            return Recognition(format: name, reason: "\(stem).json is damaged, and a capture's files stand beside it")
        }
        let what = tree.entry("\(stem).jsonl") == nil ? "their files stand" : "camera lines stand"
        return Recognition(format: name, reason: "\(stem).json lists streams, and \(what) beside it")
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        guard let stem = stem(of: tree) else {
            if let (stem, file) = lostMetadata(of: tree) {
                // Without names, which differ from capture to capture: a bad copy loses the metadata of many.
                throw Problem(
                    .input, "the capture's metadata is missing",
                    notes: ["\(stem).json is missing beside \(file)", "it says what the capture's streams hold"],
                    fix: "copy the capture's .json file too"
                ).at(file: "\(stem).json")
            }
            throw Problem(.input, "there is no metadata with a list of streams", fix: "the folder must hold <id>.json")
        }
        var reader = MultiScanReader(tree: tree, stem: stem, rules: rules)
        return try reader.read()
    }

    public static func names(in tree: any CaptureTree) -> [String] {
        likelyNames(in: tree).filter { isMetadata(of: $0, in: tree) }
    }

    public static func likelyNames(in tree: any CaptureTree) -> [String] {
        let files = Set(tree.files(in: ""))
        return likelyStems(of: tree).filter { stem in
            [".jsonl", ".depth.zlib", ".mp4"].contains { files.contains(stem + $0) }
                || files.contains(primaryVideo(stem))
        }
    }

    /// The name of the metadata file that has other files of the capture beside it, which all of them share. Folders are
    /// renamed now and then, so it need not be the folder's; where several fit, the folder's wins.
    private static func stem(of tree: any CaptureTree) -> String? {
        let stems = likelyStems(of: tree).filter { isMetadata(of: $0, in: tree) }
        // As the file spells it: the folder's name may be equal in other Unicode characters.
        return stems.first { $0 == tree.name } ?? stems.first
    }

    /// The names of what may be metadata files.
    private static func likelyStems(of tree: any CaptureTree) -> [String] {
        // Files that were set aside have been reported already.
        let entries = tree.entries(in: "").filter { $0.kind != .other(.setAside) }
        let stems = entries.map(\.name).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
        if stems.isEmpty { return [] }
        let files = tree.files(in: "")
        // What names begin with, up to each of their dots, in a set: a folder may hold thousands of files.
        var beginnings = Set<Substring>()
        for name in files where !name.hasSuffix(".json") {
            for dot in name.indices where name[dot] == "." { beginnings.insert(name[..<dot]) }
        }
        let names = Set(files)
        return stems.filter { beginnings.contains($0[...]) || names.contains(primaryVideo($0)) }
    }

    /// An unreadable or damaged file counts as metadata where the capture's other files lie beside it: opening the
    /// capture then reports the damage.
    private static func isMetadata(of stem: String, in tree: any CaptureTree) -> Bool {
        guard let listsStreams = listsStreams(tree, "\(stem).json") else {
            return tree.byteCount(of: "\(stem).jsonl") != nil
        }
        return listsStreams || remains(of: stem, in: tree) != nil
    }

    /// The shared name of files without their metadata, and one of these files: the failure says what is missing.
    private static func lostMetadata(of tree: any CaptureTree) -> (stem: String, file: String)? {
        for name in tree.files(in: "") {
            guard let ending = endings.first(where: name.hasSuffix) else { continue }
            let stem = String(name.dropLast(ending.count))
            guard tree.entry("\(stem).json") == nil, let file = remains(of: stem, in: tree) else { continue }
            return (stem, file)
        }
        return nil
    }

    /// Endings of files that no other app writes.
    private static let endings = [".jsonl", ".depth.zlib"]

    /// One of the capture's files without its metadata: camera lines or depth.
    private static func remains(of stem: String, in tree: any CaptureTree) -> String? {
        let keys = ["\"timestamp\"", "\"intrinsics\"", "\"transform\""]
        if let start = tree.beginning(of: "\(stem).jsonl"), keys.allSatisfy(start.contains(subsequence:)) {
            return "\(stem).jsonl"
        }
        return tree.byteCount(of: "\(stem).depth.zlib") == nil ? nil : "\(stem).depth.zlib"
    }

    /// The wide camera's video in a recording with two cameras.
    static func primaryVideo(_ stem: String) -> String { "\(stem)-primary.mp4" }

    /// Nil when the file cannot be read.
    private static func listsStreams(_ tree: any CaptureTree, _ file: String) -> Bool? {
        guard let bytes = try? tree.bytes(of: file, limit: MultiScanReader.metadataLimit) else { return nil }
        // A damaged file is still this capture's metadata: opening it says what is wrong.
        guard let json = try? JSONValue.outline(bytes, file: file) else {
            return bytes.contains(subsequence: "\"streams\"")
        }
        return json["streams"]?.array != nil
    }
}
