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
        let others = Self.others(in: tree)
        let first = others.first { $0.folder == "dense/0/sparse" }
        guard let model = first ?? (others.count == 1 ? others[0] : nil) else { return nil }
        self = model
    }

    /// The models elsewhere, beside a folder of pictures, in the first place that has any: where the mapper puts its
    /// further ones, the undistorter its only one, and the automatic reconstructor those with undistorted pictures.
    static func others(in tree: any CaptureTree) -> [COLMAPModelFiles] {
        // Without pictures, the folders may hold captures of their own.
        guard PictureFolder.folders.contains(where: tree.hasFolder) else { return [] }
        let places = [
            tree.folders(in: "sparse"), ["dense/sparse"], tree.folders(in: "dense").map { "\($0)/sparse" },
        ]
        let models = places.lazy.map { $0.compactMap { COLMAPModelFiles(in: tree, folder: $0) } }
        return models.first { !$0.isEmpty } ?? []
    }

    /// The folder of a model that is not read where it lies; nil where there is none. A folder with pictures beside its
    /// model is a capture of its own, whose cameras may be others.
    static func unreadFolder(in tree: any CaptureTree) -> String? {
        tree.folders(in: "").filter { folder in !PictureFolder.folders.contains { tree.hasFolder("\(folder)/\($0)") } }
            .flatMap { folder in [folder] + usualFolders.map { "\(folder)/\($0)" } }
            .first { COLMAPModelFiles(in: tree, folder: $0) != nil }
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

    /// The same model's other form.
    var otherForm: COLMAPModelFiles { COLMAPModelFiles(folder: folder, form: form == .binary ? .text : .binary) }

    /// Nil where the file with the images cannot be read.
    func imageCount(in tree: any CaptureTree) -> Int? {
        guard let source = try? tree.open(file("images")) else { return nil }
        return try? COLMAPModelReader.imageCount(of: source, isText: form == .text)
    }

    /// The folder that holds ``folder`` and its pictures in `images/`: what was undistorted has pictures of its own.
    var home: String { folder.hasPrefix("dense/") ? folder.folderPath : "" }

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

extension CaptureTree {
    /// The paths of the folders in a folder.
    fileprivate func folders(in folder: String) -> [String] {
        entries(in: folder).filter { $0.kind == .folder }.map { $0.name.path(in: folder) }
    }
}
