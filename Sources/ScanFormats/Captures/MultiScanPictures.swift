import ScanModel

// The pictures of a MultiScan capture: a video or files, and the cameras that fit them.
extension MultiScanReader {
    mutating func readPictures(_ metadata: ScanMetadata) throws(Problem) {
        let primary = MultiScanCapture.primaryVideo(stem)
        let isDual = tree.byteCount(of: primary) != nil && tree.byteCount(of: "\(stem).mp4") == nil
        let video = isDual ? primary : "\(stem).mp4"
        if isDual { capture.findings["passed-over"] = .of(["\(stem)-secondary.mp4"]) }
        let pictures = PictureFolder.find(in: tree)
        var size = metadata.colorStream?.size
        if tree.byteCount(of: video) != nil {
            try readVideo(video)
            size = capture.colorSize
        } else if let pictures {
            // ScanMill counts its own pictures from 0.
            try pictures.attach(to: &capture, countedFrom: isOwn ? 0 : nil, rules: rules)
            try capture.checkPictures(in: tree, rules: rules)
            size = capture.colorSize
        } else {
            // Pictures that are there but cannot be read have been reported already.
            let isSetAside = PictureFolder.folders.contains { tree.entry($0)?.kind == .other(.setAside) }
            let stream = isSetAside ? nil : metadata.colorStream
            let (others, remedy) = picturesOfOtherKinds(video)
            let noFolder = "there is no folder color/, rgb/ or images/ with pictures\(others)"
            let isListed = Self.isListed(stream)
            if isListed, let ending = stream?.fileExtension?.lowercased(), PictureFolder.extensions.contains(ending) {
                let reason = "\(noFolder), though the metadata lists colour as .\(ending) files"
                lacks(.color, video, stream, reason, fix: remedy ?? "copy the folder with the .\(ending) files too")
            } else {
                let listed = isListed ? ", though the metadata lists a colour stream" : ""
                lacks(.color, video, stream, "\(tree.absence(of: video))\(listed), and \(noFolder)", fix: remedy)
            }
        }
        if let recorded = metadata.colorStream?.size, let size {
            do throws(Problem) { try fitIntrinsics(from: recorded, to: size) } catch {
                throw error.at(file: capture.video?.file ?? pictures?.folder)
            }
        }
        if metadata.colorStream?.size == nil { setIntrinsicsSize(size) }
        capture.colorSize = size
    }

    /// Pictures or a video of a kind that the app does not write, and what makes them readable.
    private func picturesOfOtherKinds(_ video: String) -> (found: String, fix: String?) {
        if let other = tree.entries(in: "").map(\.name).first(where: { $0.lowercased() == "\(stem.lowercased()).mov" })
        {
            let command = VideoProbe.commandToWrap(other, as: video)
            return ("; \(other) is not read", "make it the video that the app writes:  \(command)")
        }
        for folder in PictureFolder.folders {
            let endings = Set(tree.originals(in: folder).compactMap { $0.split(separator: ".").last?.lowercased() })
            guard let ending = endings.subtracting(PictureFolder.extensions).sorted().first else { continue }
            return ("; those of \(folder)/ are .\(ending)", "convert the pictures of \(folder)/ to JPEG or PNG")
        }
        return ("", nil)
    }

    /// The metadata does not say which picture size the intrinsics are for; the pictures do, where there are any.
    private mutating func setIntrinsicsSize(_ size: PixelSize?) {
        for index in capture.frames.indices {
            if let size {
                capture.frames[index].intrinsics?.width = size.width
                capture.frames[index].intrinsics?.height = size.height
            } else {
                capture.frames[index].intrinsics = nil
            }
        }
        if size == nil && lineCount > 0 {
            capture.absences[.intrinsics] =
                "the size of the pictures that they are for is not known: \(stem).json has no resolution for the colour stream"
        }
    }

    private mutating func readVideo(_ file: String) throws(Problem) {
        guard let shown = try capture.readVideo(file, in: tree, rules) else { return }
        let facts = try capture.wholeVideo(shown, of: file, expecting: lineCount, in: tree, rules)
        source.video = VideoStream(file: file, facts: facts)
        if lineCount > 0 { try capture.pair(facts, of: file, with: "camera lines", each: "camera line", rules) }
    }

    /// Pictures that were resized after recording: the intrinsics follow, if the shape is the same.
    private mutating func fitIntrinsics(from recorded: PixelSize, to size: PixelSize) throws(Problem) {
        if recorded == size { return }
        guard recorded.hasShape(of: size) else {
            throw Problem(
                .input, "the pictures are \(size), and the metadata says \(recorded)",
                notes: recorded == PixelSize(size.height, size.width)
                    ? ["they look turned by 90° against their intrinsics"] : [],
                fix:
                    "correct `resolution` ([height, width]) in \(stem).json, or export the pictures as they were recorded"
            )
        }
        capture.warnings.append(
            "the pictures are \(size), and the metadata says \(recorded); the intrinsics were scaled")
        for index in capture.frames.indices {
            capture.frames[index].intrinsics = capture.frames[index].intrinsics?.resized(to: size)
        }
    }

    /// Frames that are nothing but numbers, where neither camera lines nor picture files say how many there are.
    mutating func numberFrames(_ metadata: ScanMetadata) {
        let (depth, color) = (metadata.depthStream, metadata.colorStream)
        // Depth from two cameras has fewer frames than the capture.
        let stream = depth?.isStereo == true ? color ?? depth : depth ?? color
        let said = stream?.frameCount ?? 0
        let count = source.video?.facts.frameCount ?? min(said, rules.maxFrames)
        capture.frames = (0..<count).map(FrameFacts.init(index:))
    }

    /// Without camera lines the metadata's camera is used, which the earlier app computes from the field of view, with the
    /// principal point (w − 1) / 2, (h − 1) / 2.
    mutating func setNominalCamera(_ metadata: ScanMetadata) {
        guard var camera = metadata.colorStream?.intrinsics, camera.defect == nil else { return }
        if let size = capture.colorSize { camera = camera.resized(to: size) }
        for index in capture.frames.indices { capture.frames[index].intrinsics = camera }
        capture.absences[.intrinsics] = nil
        capture.warnings.append(
            "the intrinsics were computed from the nominal field of view: the camera was not calibrated")
    }
}
