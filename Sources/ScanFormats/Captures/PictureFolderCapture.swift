import ScanModel

/// A plain folder of numbered pictures, without poses: enough to score, choose and copy frames.
public enum PictureFolderCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "frames", summary: "A folder with numbered pictures in color/, rgb/ or images/; no poses, no depth.",
        reads: [.color], writer: "write-frames", writingLoses: ["everything but pictures and depth"], revision: 2)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let pictures = PictureFolder.find(in: tree) else { return nil }
        return Recognition(format: name, reason: "\(pictures.folder)/ holds \(pictures.pictures.count) pictures")
    }

    public static func open(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        guard let pictures = PictureFolder.find(in: tree) else {
            throw Problem(.input, "there are no pictures in color/, rgb/ or images/")
        }
        var capture = Capture(id: tree.name)
        capture.format = name
        capture.isMetric = false
        capture.maxPicturePixels = rules.maxPicturePixels
        try pictures.attach(to: &capture, rules: rules)
        capture.checkPictures(in: tree, rules: rules)
        noteUnread(in: tree, &capture)
        capture.lacks(
            [.pose, .intrinsics, .timestamp, .recordedDepth, .recordedConfidence, .box, .motion],
            "a plain folder of pictures has none")
        capture.source = TreeSource(tree: tree)
        return capture
    }

    /// Of poses and depth that lie there nobody shall hear that there are none.
    private static func noteUnread(in tree: any CaptureTree, _ capture: inout Capture) {
        let hasPoses = PosedPictures.folders(in: tree) != nil
        if hasPoses {
            capture.loses(
                .pose, "pose/ is not read: intrinsic/, which makes it a ScanNet scan, is missing",
                fix: "copy intrinsic/ too")
            capture.absences[.intrinsics] = "intrinsic/ is missing"
        }
        if !tree.entries(in: "depth").isEmpty {
            capture.absences[.recordedDepth] =
                "depth/ is not read: "
                + (hasPoses ? "intrinsic/ is missing" : "beside plain pictures nothing tells its unit")
        }
    }
}
