import ScanModel

/// A quick look at a picture file: its start and its end, no pixels.
struct PictureLook: Sendable {
    /// A picture's size, and its orientation as ``Capture/orientations`` has it.
    typealias Header = (size: PixelSize, orientation: Int)

    let path: String
    let byteCount: Int64
    /// What its header says, or why it cannot be a whole picture.
    let result: Result<Header, Problem>

    private init(_ path: String, _ tree: any CaptureTree, _ limits: PictureLimits) {
        self.path = path
        var opened: (any ByteSource)?
        do throws(Problem) {
            let source = try tree.openInPlace(path)
            opened = source
            result = .success(try Self.header(of: source, limits: limits))
        } catch { result = .failure(error) }
        byteCount = opened?.byteCount ?? tree.byteCount(of: path) ?? 0
    }

    /// Looks at files, several of them at once: on a network share each look takes several round trips.
    static func each(of paths: [String], in tree: any CaptureTree, _ rules: ReadRules) -> [PictureLook] {
        let limits = rules.pictureLimits
        return Parallel.map(paths.count, workers: rules.resources.threads) { PictureLook(paths[$0], tree, limits) }
    }

    /// Finds the pictures that a list names and looks at them, several at once.
    /// - Parameters:
    ///   - names: as ``CaptureTree/picture(_:in:)`` takes them; nil where none is wanted.
    ///   - folder: where the names begin.
    /// - Returns: for each name what was found, nil where nothing is there, and a problem where that cannot be told or the
    ///   name leads out of the capture.
    static func each(
        named names: [String?], in folder: String = "", of tree: any CaptureTree, _ rules: ReadRules
    ) -> [Result<PictureLook?, Problem>] {
        let limits = rules.pictureLimits
        return Parallel.map(names.count, workers: rules.resources.threads) { number in
            guard let name = names[number] else { return .success(nil) }
            do throws(Problem) {
                return .success(try tree.picture(name, in: folder).map { PictureLook($0, tree, limits) })
            } catch { return .failure(error) }
        }
    }
}

extension PictureLook {
    /// How much of a large file's start and end is read: first as little as nearly all cameras need, then more, since
    /// thumbnails and profiles may come before a picture's own header, and notes after its end.
    private static let parts = [(head: 4 << 10, tail: 1 << 10), (head: 256 << 10, tail: JPEG.tailBytes)]

    /// A picture's size from its header, if it looks whole. Only the start and the end of a large file are read.
    static func size(of source: any ByteSource, limits: PictureLimits = .standard) throws(Problem) -> PixelSize {
        try header(of: source, limits: limits).size
    }

    /// What a picture's header says, if it looks whole. Only the start and the end of a large file are read.
    private static func header(of source: any ByteSource, limits: PictureLimits) throws(Problem) -> Header {
        try stepwise(source, needsTail: true) { (head, tail, offset) throws(Problem) in
            try header(head, tail: tail, at: offset, limits)
        }
    }

    /// A file's beginning, with the whole header of a picture that is a PNG.
    /// - Throws: when that header is damaged, or the picture is larger than `limits` allow.
    static func beginning(of source: any ByteSource, limits: PictureLimits) throws(Problem) -> [UInt8] {
        try stepwise(source, needsTail: false) { (head, _, _) throws(Problem) in
            if PNG.isPNG(head) { _ = try PNG.header(head, limits: limits) }
            return head
        }
    }

    /// What `look` finds in as little of a picture file as it needs: where it throws, it gets more, and the whole file
    /// in the end.
    /// - Parameters:
    ///   - source: at its start.
    ///   - needsTail: whether `look` needs the file's end, too. Of a source that is no file it gets everything at once
    ///     then.
    ///   - look: gets the file's start, its end, and where in the file that begins; an empty end where it needs none.
    private static func stepwise<Found>(
        _ source: any ByteSource, needsTail: Bool,
        _ look: (_ head: [UInt8], _ tail: [UInt8], _ offset: Int) throws(Problem) -> Found
    ) throws(Problem) -> Found {
        let total = source.byteCount
        let file = source as? FileSource
        var start = BufferedSource(source, chunk: parts[0].head)
        var problem: Problem?
        for part in parts where total > Int64(part.head + part.tail) && (file != nil || !needsTail) {
            let offset = total - Int64(part.tail)
            let tail = needsTail ? try file?.bytes(at: offset, count: part.tail) ?? [] : []
            let head = try start.peek(part.head)
            do throws(Problem) { return try look(head, tail, Int(offset)) } catch { problem = error }
        }
        if problem == nil {
            let bytes = try source.readAll(limit: PictureLimits.fileBytes)
            return try look(bytes, bytes, 0)
        }
        if let problem, total > Int64(PictureLimits.fileBytes) { throw problem }
        // One more than is expected, as a source that is damaged may notice at its end only.
        let bytes = try start.peek(Int(total) + 1)
        return try look(bytes, bytes, 0)
    }

    /// - Parameters:
    ///   - tail: the whole file, or its end.
    ///   - offset: where in the file `tail` begins.
    private static func header(
        _ head: [UInt8], tail: [UInt8], at offset: Int, _ limits: PictureLimits
    ) throws(Problem) -> Header {
        if PNG.isPNG(head) {
            let header = try PNG.header(head, limits: limits)
            if let defect = PNG.cutDefect(tail) { throw Problem(.input, "PNG truncated", notes: [defect]) }
            return (header.size, 1)
        }
        if let foreign = ForeignPicture.problem(head) { throw foreign }
        guard head.starts(with: JPEG.start) else {
            throw Problem(
                .input, head.isEmpty ? "the picture is empty" : "the picture begins neither as a JPEG nor as a PNG")
        }
        let last = tail.suffix(JPEG.tailBytes)
        if let defect = JPEG.cutDefect(head, Array(last), at: offset + last.startIndex) {
            throw Problem(.input, "JPEG truncated or damaged: \(defect)")
        }
        let header = try JPEG.colorHeader(head, limits)
        return (header.size, JPEG.exifOrientation(head) ?? 1)
    }
}

extension Capture {
    /// Gives a frame its picture.
    /// - Returns: the picture's size.
    /// - Throws: when the picture is not whole, or the machine is at fault.
    mutating func attachPicture(_ look: PictureLook, to index: Int) throws(Problem) -> PixelSize {
        frames[index].pictureFile = look.path
        files.append(InputFile(path: look.path, byteCount: look.byteCount, channels: [.color], stake: .frame(index)))
        let (size, orientation) = try look.result.get()
        orientations[index] = orientation
        return size
    }

    /// Looks at the start and the end of each frame's picture file: its size, and whether it is whole.
    /// - Returns: the size of each picture that is.
    @discardableResult
    mutating func checkPictures(in tree: any CaptureTree, rules: ReadRules) throws(Problem) -> [Int: PixelSize] {
        let pictures = frames.compactMap { frame in frame.pictureFile.map { (frame: frame.index, path: $0) } }
        var found: [Int: PixelSize] = [:]
        for (picture, look) in zip(pictures, PictureLook.each(of: pictures.map(\.path), in: tree, rules)) {
            do throws(Problem) { found[picture.frame] = try attachPicture(look, to: picture.frame) } catch {
                try drop(picture.frame, for: error.at(file: picture.path))
            }
        }
        // Most pictures are right; the one with another size is the odd one.
        guard let usual = found.values.map(Optional.init).counted.first?.size else { return found }
        colorSize = usual
        for (index, size) in found.sorted(by: { $0.key < $1.key }) where size != usual {
            drop(index, whileReading: "the picture is \(size), and the others are \(usual)", isBad: true)
        }
        return found
    }
}
