import ScanModel

/// The source of a `.sens` capture. Payloads are read from their place in the file, in any order. To stages that copy
/// pictures, each is a file of its own: `color/000012.jpg` is a byte range of the `.sens` file.
struct SensSource: CaptureSource {
    enum Pictures: Hashable, Sendable {
        case jpeg, png, raw

        /// What the pictures are: told by how the first one begins, else by the header. Pixels may begin like anything.
        /// - Parameters:
        ///   - start: the first bytes of the first picture.
        ///   - byteCount: how many it has.
        init?(_ header: SensHeader, start: [UInt8], byteCount: Int) {
            if header.colorCompression == .raw, byteCount == header.rawPictureByteCount {
                self = .raw
            } else if PNG.isPNG(start) {
                self = .png
            } else if start.starts(with: [0xFF, 0xD8]) {
                self = .jpeg
            } else {
                switch header.colorCompression {
                case .raw: self = .raw
                case .png: self = .png
                case .jpeg: self = .jpeg
                case .unknown: return nil
                }
            }
        }
    }

    let tree: any CaptureTree
    let file: FileSource
    /// Where the file lies on disk.
    let location: FileLocation
    let header: SensHeader
    /// By frame.
    var color: [ByteSpan] = []
    var depth: [ByteSpan] = []
    var pictures: Pictures?
    var motion: ScanNetMotion?
    var limits = PictureLimits.standard

    /// Nothing has to be walked in order.
    func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] { [] }

    func prepare(_ frame: inout Frame, for channels: Set<Channel>) throws(Problem) {
        try frame.attachDepth(for: channels) { (index) throws(Problem) in try depth(of: index) }
        if channels.contains(.color) { frame.picture = try picture(of: frame.facts.index) }
    }

    // MARK: - Pictures

    func pictureName(_ index: Int) -> String {
        "color/\(FrameName.padded(index)).\(pictures == .png ? "png" : "jpg")"
    }

    private func picture(of index: Int) throws(Problem) -> Picture? {
        guard let pictures, color.indices.contains(index), color[index].count > 0 else { return nil }
        // Copying decodes nothing, so damage has to be seen from outside.
        try checkPicture(of: index)
        let name = pictureName(index)
        if pictures != .raw { return .file(name) }
        do throws(Problem) { return .pixels(try rawPicture(index)) } catch { throw placed(error, in: name) }
    }

    /// Looks at a frame's picture from outside: its size, and whether it is whole.
    /// - Throws: what a run says when it comes to the picture.
    func checkPicture(of index: Int) throws(Problem) {
        guard let pictures, color.indices.contains(index), color[index].count > 0 else { return }
        let size = header.colorSize
        let name = pictureName(index)
        do throws(Problem) {
            if pictures == .raw {
                if color[index].count == header.rawPictureByteCount { return }
                throw Problem(.input, "\(color[index].count.counted("byte", "is", "are")) no picture of \(size) pixels")
            }
            let found = try PictureLook.size(of: try open(name), limits: limits)
            if found != size { throw Problem(.input, "the picture is \(found), and the header says \(size)") }
        } catch { throw placed(error, in: name) }
    }

    /// A picture lies on disk as a stretch of the file alone: nobody could look at it or copy it under its name.
    func placed(_ problem: Problem, in name: String) -> Problem {
        guard let span = span(of: name), problem.place.file == nil || problem.place.file == name else {
            return problem.at(file: name)
        }
        var placed = problem
        placed.place.file = file.name
        // The picture's own bytes are counted from its start.
        placed.place.byte = span.offset + (problem.place.byte ?? 0)
        placed.place.byteCount = file.byteCount
        if problem.fix?.hasPrefix(PictureDamage.wayToMend) == true { placed.fix = "copy the file again" }
        return placed
    }

    private func rawPicture(_ index: Int) throws(Problem) -> RGBImage {
        let size = header.colorSize
        return RGBImage(width: size.width, height: size.height, pixels: try file.bytes(of: color[index]))
    }

    // MARK: - Depth

    /// A frame's depth; nil where it has none.
    private func depth(of index: Int) throws(Problem) -> RecordedDepth? {
        guard depth.indices.contains(index), depth[index].count > 0 else { return nil }
        let span = depth[index]
        let size = header.depthSize
        guard span.count <= PictureLimits.fileBytes else {
            throw Problem(.input, "a depth frame of \(span.count.counted("byte"))").at(
                file: file.name, byte: span.offset, of: file.byteCount)
        }
        let payload = try file.bytes(of: span)
        do throws(Problem) {
            return try Self.decode(payload, header)
                .map { RecordedDepth(width: size.width, height: size.height, encoding: $0.encoding, bytes: $0.bytes) }
        } catch {
            // The payload's own bytes are counted from its start.
            var problem = error
            problem.place.byte = span.offset + (error.place.byte ?? 0)
            problem.place.byteCount = file.byteCount
            throw problem.at(file: file.name)
        }
    }

    /// Unpacks a payload to 16-bit numbers; nil where the compression is unknown.
    static func decode(
        _ payload: [UInt8], _ header: SensHeader
    ) throws(Problem) -> (encoding: DepthEncoding, bytes: [UInt8])? {
        let count = header.depthSize.width * header.depthSize.height
        let bytes: [UInt8]
        switch header.depthCompression {
        case .unknown: return nil
        case .raw: bytes = payload
        case .zlib: bytes = try Inflate.bytes(payload, limit: 2 * count, subject: "depth frame")
        case .occipital:
            bytes = try ShiftCodec.decode(payload, count: count).withUnsafeBytes { Array($0) }
        }
        guard bytes.count == 2 * count else {
            throw Problem(
                .input, "the depth frame is damaged",
                notes: ["it has \(bytes.count.counted("byte")), and \(header.depthSize) pixels have \(2 * count)"],
                fix: "copy the file again")
        }
        return (.uint16(unitsPerMetre: Double(header.depthShift)), bytes)
    }

    // MARK: - Files

    func location(of name: String) -> FileLocation? {
        // Files that are made from records have no location.
        if motion?.files.contains(where: { $0.path == name }) == true { return nil }
        guard let span = span(of: name) else { return tree.location(of: name) }
        let start = (location.range?.lowerBound ?? 0) + span.offset
        return FileLocation(path: location.path, range: start..<start + Int64(span.count))
    }

    func open(_ name: String) throws(Problem) -> any ByteSource {
        if let samples = motion?.open(name) { return samples }
        guard span(of: name) != nil, let location = location(of: name) else { return try tree.open(name) }
        return try FileSource(location, name: name)
    }

    func place(_ name: String) throws(Problem) -> FileLocation {
        if let location = location(of: name) { return location }
        return try tree.place(name)
    }

    private func span(of name: String) -> ByteSpan? {
        guard name.hasPrefix("color/"), let index = Int(name.dropFirst(6).prefix { $0 != "." }),
            color.indices.contains(index), pictureName(index) == name
        else { return nil }
        return color[index]
    }
}
