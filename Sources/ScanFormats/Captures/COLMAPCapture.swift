import ScanModel

/// A COLMAP model with its pictures: `sparse/0/{cameras,images,points3D}.{bin,txt}` and `images/`. A model elsewhere in
/// `sparse/` is read where it is the only one, and so are an undistorted one, `dense/sparse` with `dense/images/`, and
/// the automatic reconstructor's `dense/0/sparse`.
///
/// The world has no unit and no up. Where a lens distorts, `undistort` turns the cameras into pinholes.
public enum COLMAPCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "colmap", summary: "COLMAP model, text or binary, with its pictures; its world has no unit.",
        reads: [.color, .pose, .intrinsics, .cloud, .mask, .split],
        passesOver: ["observations and tracks", "rigs", "depth maps"], writer: "write-colmap",
        writingLoses: [
            "depth, which `depth: true` writes beside the model but which is not read back", "confidence",
            "timestamps", "the bounding box", "motion", "that its unit is the metre",
            "which way is up",
        ], origin: .derived, poseAxes: .openCV, revision: 15)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let model = COLMAPModelFiles(in: tree) else { return nil }
        let place = model.folder.isEmpty ? "the folder" : "\(model.folder)/"
        let ending = model.form.rawValue
        return Recognition(format: name, reason: "\(place) holds cameras.\(ending) and images.\(ending)")
    }

    public static func isPart(_ tree: any CaptureTree) -> Bool { true }

    /// `lamp/dense` is called `lamp`: COLMAP's undistorter gives its output the same name in each workspace.
    public static func id(of name: String, in scene: String) -> String? {
        ["dense", "undistorted"].contains(name) ? scene : nil
    }

    public static func remains(of tree: any CaptureTree) -> Recognition? {
        for folder in COLMAPModelFiles.usualFolders {
            let entries = tree.entries(in: folder)
            // What is wrong with a file that was set aside has been said.
            if entries.contains(where: { $0.kind == .other(.setAside) }) { continue }
            let names = Set(entries.map(\.name))
            let files = ["cameras", "images", "points3D"].flatMap { ["\($0).bin", "\($0).txt"] }.filter(names.contains)
            if !files.isEmpty {
                return Recognition(
                    format: name, reason: "\(folder)/ holds \(files.listed), and not cameras and images of one form")
            }
        }
        let several = COLMAPModelFiles.others(in: tree).map(\.folder)
        return several.isEmpty ? nil : Recognition(format: name, reason: "\(several.listed) hold a model each")
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        guard let model = COLMAPModelFiles(in: tree) else {
            let several = COLMAPModelFiles.others(in: tree).map(\.folder)
            if !several.isEmpty {
                throw Problem(
                    .input, "there are \(several.count) COLMAP models, and none of them is called 0",
                    notes: ["they are \(several.listed(most: 8))"],
                    fix: "move all but the one that is meant out of the capture, or call that one 0; for the pictures "
                        + "alone  --set read.format=frames")
            }
            throw Problem(
                .input, "there is no COLMAP model: cameras.bin or cameras.txt beside images.bin or images.txt",
                notes: remains(of: tree).map { [$0.reason] } ?? [], fix: "copy the whole model")
        }
        var reader = COLMAPReader(tree: tree, model: model, rules: rules)
        return try reader.read()
    }

    static let maskFolder = "masks"
    /// The lists that nerfstudio's loader takes, and another name that it tries for the validation list.
    static let splitLists = COLMAPModel.splitLists + [("validation_list.txt", .validation)]
}

private struct COLMAPReader {
    let tree: any CaptureTree
    let model: COLMAPModelFiles
    let rules: ReadRules
    private var capture: Capture
    private var source: TreeSource
    /// Why cameras that took images cannot be used, by their numbers in the model.
    private var refused: [UInt32: String] = [:]
    /// Whether the model's quaternions have the length 1, as COLMAP writes them. Its reader takes others too, by their
    /// directions.
    private var hasUnitQuaternions = true

    init(tree: any CaptureTree, model: COLMAPModelFiles, rules: ReadRules) {
        self.tree = tree
        self.model = model
        self.rules = rules
        capture = Capture(of: tree, as: COLMAPCapture.self, rules)
        source = TreeSource(tree, rules)
    }

    mutating func read() throws(Problem) -> Capture {
        capture.variant = model.form == .binary ? "binary" : "text"
        capture.isMetric = false
        let (cameraFile, imageFile) = (model.file("cameras"), model.file("images"))
        for file in [cameraFile, imageFile] { capture.list(file, in: tree, []) }
        let cameras = try model.cameras(in: tree) { capture.noteOpenLine($0, of: $1) }
        var images = try model.images(in: tree, limit: rules.maxFrames) { capture.noteOpenLine($0, of: $1) }
        if images.isEmpty {
            throw Problem(.input, "the model has no images", fix: "reconstruct it again").at(file: imageFile)
        }
        let text = model.otherForm
        let isOther = text.form == .text && text.isThere(in: tree) && differs(text, from: cameras, images)
        if isOther {
            capture.warnings.append(
                "\(cameraFile) and \(imageFile) were read, as COLMAP reads them, and \(text.file("cameras")) and "
                    + "\(text.file("images")), which differ from them, were not; if these are newer, move the others "
                    + "elsewhere")
        }
        noteLargerModels(than: images.count)
        let used = try usedCameras(cameras, of: images, cameraFile)
        images.sort { PictureFolder.precedesNaturally($0.name, $1.name) }
        hasUnitQuaternions = images.contains { $0.quaternionDefect == nil }
        for (index, image) in images.enumerated() { try add(image, index, used[image.camera]) }
        if let pictures = COLMAPPictures(of: images, in: tree, home: model.home) {
            try attach(pictures, of: images, used)
            takeMasks(images, of: pictures)
        } else {
            let folder = "images".path(in: model.home)
            capture.losesPictures(.color, images.map { "\(folder)/\($0.name)" }, listedIn: "the model", in: tree)
        }
        try takeSplits(images)
        try readPoints(orOtherForm: !isOther)
        capture.channels.insert(.pose)
        capture.deriveIntrinsicsChannel()
        capture.lacks(
            [.timestamp, .recordedDepth, .recordedConfidence, .motion, .box], "a COLMAP model has none")
        capture.source = source
        return capture
    }

    /// Whether a text model differs from the binary one beside it. The numbers in COLMAP's own text files are exact.
    private func differs(
        _ text: COLMAPModelFiles, from cameras: [UInt32: COLMAPModelReader.Camera],
        _ images: [COLMAPModel.Image]
    ) -> Bool {
        guard (try? text.cameras(in: tree)).map(comparable) == comparable(cameras) else { return true }
        // With many observations, the file takes longer to read than everything else.
        guard let count = tree.byteCount(of: text.file("images")), count < 32 << 20 else { return false }
        return (try? text.images(in: tree, limit: rules.maxFrames)).map(Set.init) != Set(images)
    }

    /// The same cameras with infinity for what is not a number, which would differ from itself.
    private func comparable(_ cameras: [UInt32: COLMAPModelReader.Camera]) -> [UInt32: COLMAPModelReader.Camera] {
        cameras.mapValues { camera in
            var copy = camera
            copy.parameters = camera.parameters.map { $0.isNaN ? .infinity : $0 }
            return copy
        }
    }

    /// COLMAP makes several models where pictures are not connected, and the first need not be the largest.
    /// - Parameter count: the number of images in the model that was read.
    private mutating func noteLargerModels(than count: Int) {
        let parts = model.folder.pathParts
        guard parts.last == "0" else { return }
        let above = parts.dropLast().joined(separator: "/")
        let others = tree.entries(in: above).filter { $0.kind == .folder && $0.name != "0" && Int($0.name) != nil }
            .compactMap { entry -> (folder: String, count: Int)? in
                let other = COLMAPModelFiles(in: tree, folder: "\(above)/\(entry.name)")
                return other?.imageCount(in: tree).map { (other?.folder ?? "", $0) }
            }
        guard let largest = others.max(by: { $0.count < $1.count }), largest.count > count else { return }
        capture.warnings.append(
            "\(largest.folder)/ holds a model of \(largest.count) images, and \(model.folder)/, which was read, one of "
                + "\(count): to take the larger one, move \(model.folder)/ elsewhere and call the other one 0")
    }

    /// The cameras that took any of the images. Those whose numbers are no camera's are left out, and cost their images
    /// alone: RealityScan writes `-nan(ind)` for single cameras.
    /// - Throws: when one of them has a lens that cannot be undone.
    private mutating func usedCameras(
        _ cameras: [UInt32: COLMAPModelReader.Camera], of images: [COLMAPModel.Image], _ file: String
    ) throws(Problem) -> [UInt32: CalibratedCamera] {
        var used: [UInt32: CalibratedCamera] = [:]
        for id in Set(images.map(\.camera)).sorted() {
            do throws(Problem) {
                guard let camera = try cameras[id]?.calibrated() else { continue }
                if let defect = camera.intrinsics.defect ?? camera.lens.defect {
                    refused[id] = "camera \(id) cannot be used: \(defect) (\(file))"
                } else {
                    used[id] = camera
                }
            } catch {
                throw error.noting("it is camera \(id)").at(file: file)
            }
        }
        return used
    }

    /// - Parameter camera: nil where the model lacks the one that the image names, or it cannot be used.
    private mutating func add(
        _ image: COLMAPModel.Image, _ index: Int, _ camera: CalibratedCamera?
    ) throws(Problem) {
        capture.frames.append(FrameFacts(index: index))
        if let defect = image.pose.defect ?? (hasUnitQuaternions ? image.quaternionDefect : nil) {
            capture.drop(index, whileReading: defect, isBad: true)
        } else if let camera {
            capture.frames[index].pose = image.pose
            do throws(Problem) { try capture.setCamera(camera, of: index, for: nil) } catch {
                try capture.drop(index, for: error.at(file: image.name.shortened))
            }
        } else if let refusal = refused[image.camera] {
            let file = model.file("cameras")
            capture.drop(index, whileReading: refusal, isBad: true, fix: "correct \(file), or copy it again")
        } else {
            capture.drop(
                index, whileReading: "\(image.name.shortened): the model has no camera \(image.camera)", isBad: true)
        }
    }

    private mutating func attach(
        _ pictures: COLMAPPictures, of images: [COLMAPModel.Image], _ cameras: [UInt32: CalibratedCamera]
    ) throws(Problem) {
        var takers: [String: [String]] = [:]
        let names = images.enumerated().map { index, image in
            capture.frames[index].isDropped ? nil : pictures.name(of: image)
        }
        let looks = PictureLook.each(named: names, in: pictures.folder, of: tree, rules)
        for (index, image) in images.enumerated() where !capture.frames[index].isDropped {
            do throws(Problem) {
                guard let look = try looks[index].get() else {
                    let lack = tree.lack(
                        ofPicture: pictures.name(of: image), in: pictures.folder,
                        otherwise: "\(image.name.shortened) is not there")
                    capture.drop(index, whileReading: lack.reason, isBad: true, fix: lack.fix)
                    continue
                }
                takers[look.path, default: []].append(image.name.shortened)
                let size = try capture.attachPicture(look, to: index)
                if let camera = cameras[image.camera] { try capture.setCamera(camera, of: index, for: size) }
            } catch { try capture.drop(index, for: error.at(file: image.name.shortened)) }
        }
        if let twins = takers.filter({ $0.value.count > 1 }).min(by: { $0.key < $1.key }) {
            capture.warnings.append(
                "\(twins.key) is the picture of \(twins.value.count) images of the model, \(twins.value.prefix(2).joined(separator: " and ")) "
                    + "among them: their own pictures may be missing")
        }
        if pictures.folder == "input", tree.hasFolder("distorted") {
            capture.warnings.append(
                "the pictures of input/ were taken, since there are none in images/: beside distorted/, they are those "
                    + "from before the undistortion, and the model is of undistorted ones; copy images/ too")
        }
        capture.channels.insert(.color)
        capture.deriveColorSize()
        // Pictures that could not be registered: common in reconstructions, and no damage.
        let prefix = pictures.folder.isEmpty ? "" : "\(pictures.folder)/"
        capture.noteUnlisted(
            besides: images.map { prefix + pictures.name(of: $0) }, in: tree, "is not in the model")
    }

    /// Masks in a folder of their own. For the picture `a.jpg`, COLMAP calls the mask `a.jpg.png`, nerfstudio `a.png`.
    private mutating func takeMasks(_ images: [COLMAPModel.Image], of pictures: COLMAPPictures) {
        let folder = COLMAPCapture.maskFolder.path(in: model.home)
        guard tree.hasFolder(folder) else { return }
        let masks = images.map { image -> FrameMasks.File? in
            for name in pictures.maskedNames(of: image) {
                for mask in ["\(name).png", "\(name.pictureStem).png"] {
                    if let file = try? tree.file(named: "\(folder)/\(mask)") { return FrameMasks.File(path: file) }
                }
            }
            return nil
        }
        if masks.allSatisfy({ $0 == nil }), !PictureFolder.pictures(in: tree, folder).isEmpty {
            capture.warnings.append(
                "the pictures in \(folder)/ are not used, since none is called after an image of the model: the mask of "
                    + "a.jpg is a.jpg.png or a.png")
        }
        capture.takeMasks(masks, named: masks.map { $0?.path }, listedIn: "the model", to: &source)
    }

    /// Lists of pictures beside the model, as nerfstudio's loader takes them.
    private mutating func takeSplits(_ images: [COLMAPModel.Image]) throws(Problem) {
        var lists: [Capture.SplitList] = []
        for (file, split) in COLMAPCapture.splitLists where tree.byteCount(of: file) != nil {
            let bytes: [UInt8]
            do throws(Problem) { bytes = try tree.bytes(of: file, limit: 64 << 20) } catch {
                return try capture.loses(.split, "list of pictures", in: file, for: error)
            }
            let names = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map {
                String($0).withSlashes
            }
            if names.isEmpty { continue }
            capture.list(file, in: tree, [.split])
            lists.append(Capture.SplitList(name: file, split: split, pictures: names))
        }
        capture.takeSplits(lists, of: images.map(\.name), besides: images.map { _ in nil })
    }

    /// Points are extra: a model without them is still a model. COLMAP writes their file even if it holds none. Where the
    /// model's own form of it is missing, the other one will do.
    /// - Parameter orOtherForm: whether that one is not known to be of another model.
    private mutating func readPoints(orOtherForm: Bool) throws(Problem) {
        func isThere(_ model: COLMAPModelFiles) -> Bool { tree.byteCount(of: model.file("points3D")) != nil }
        let source = orOtherForm && !isThere(model) && isThere(model.otherForm) ? model.otherForm : model
        let file = source.file("points3D")
        guard isThere(source) else {
            return capture.loses(.cloud, tree.absence(of: file), fix: "copy \(file) too")
        }
        capture.list(file, in: tree, [.cloud])
        var cloud: PointCloud
        do throws(Problem) {
            cloud = try source.points(in: tree, limit: rules.maxPoints) { capture.noteOpenLine($0, of: $1) }
        } catch { return try capture.loses(.cloud, "points", in: file, for: error) }
        capture.leaveOutPointsOfNoPlace(of: &cloud, in: file)
        if cloud.count == 0 {
            capture.absences[.cloud] = "\(file) holds no points"
            return
        }
        capture.cloud = cloud
        capture.channels.insert(.cloud)
    }
}
