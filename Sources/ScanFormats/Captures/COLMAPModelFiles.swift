import ScanModel

/// The files of a COLMAP model: where they lie, and in which form. Where there are both forms, the binary one is read,
/// as in COLMAP.
struct COLMAPModelFiles {
    /// With the extension of its files.
    enum Form: String, CaseIterable {
        case binary = "bin"
        case text = "txt"
    }

    var folder: String
    var form: Form

    static let usualFolders = ["sparse/0", "sparse"]

    init?(in tree: any CaptureTree) {
        // nerfstudio keeps the model below `colmap/`, beside `images/`. A folder that merely holds a capture called
        // `colmap` is no capture itself.
        let below = tree.hasFolder("images") ? ["colmap/sparse/0"] : []
        for folder in Self.usualFolders + below + [""] {
            guard let model = COLMAPModelFiles(in: tree, folder: folder) else { continue }
            self = model
            return
        }
        return nil
    }

    init?(in tree: any CaptureTree, folder: String) {
        let forms = Form.allCases.map { COLMAPModelFiles(folder: folder, form: $0) }
        guard let found = forms.first(where: { $0.isThere(in: tree) }) else { return nil }
        self = found
    }

    private init(folder: String, form: Form) { (self.folder, self.form) = (folder, form) }

    func isThere(in tree: any CaptureTree) -> Bool {
        ["cameras", "images"].allSatisfy { tree.byteCount(of: file($0)) != nil }
    }

    /// The same model's text form, where the binary one is read.
    var text: COLMAPModelFiles? { form == .binary ? COLMAPModelFiles(folder: folder, form: .text) : nil }

    /// Nil where the file with the images cannot be read.
    func imageCount(in tree: any CaptureTree) -> Int? {
        guard let source = try? tree.open(file("images")) else { return nil }
        return try? COLMAPModelReader.imageCount(of: source, isText: form == .text)
    }

    func file(_ name: String) -> String { (folder.isEmpty ? "" : "\(folder)/") + "\(name).\(form.rawValue)" }

    // MARK: - What its files hold

    /// Called with the number and the file of a text's last line where it lacks the line feed of the others.
    typealias OpenLine = (_ line: Int, _ file: String) -> Void

    func cameras(
        in tree: any CaptureTree, _ openLine: OpenLine = { _, _ in }
    ) throws(Problem) -> [UInt32: COLMAPModelReader.Camera] {
        let file = file("cameras")
        let source = try tree.open(file)
        return switch form {
        case .binary: try COLMAPModelReader.cameras(binary: source)
        case .text: try COLMAPModelReader.cameras(text: source) { openLine($0, file) }
        }
    }

    func images(
        in tree: any CaptureTree, limit: Int, _ openLine: OpenLine = { _, _ in }
    ) throws(Problem) -> [COLMAPModel.Image] {
        let file = file("images")
        let source = try tree.open(file)
        return switch form {
        case .binary: try COLMAPModelReader.images(binary: source, limit: limit)
        case .text: try COLMAPModelReader.images(text: source, limit: limit) { openLine($0, file) }
        }
    }

    func points(
        in tree: any CaptureTree, limit: Int, _ openLine: OpenLine = { _, _ in }
    ) throws(Problem) -> PointCloud {
        let file = file("points3D")
        let source = try tree.open(file)
        return switch form {
        case .binary: try COLMAPModelReader.points(binary: source, limit: limit)
        case .text: try COLMAPModelReader.points(text: source, limit: limit) { openLine($0, file) }
        }
    }
}
