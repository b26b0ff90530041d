import ScanModel

/// Depth or confidence as one picture file per frame.
struct FramePictures: Sendable {
    /// By the frame's index, relative to the capture; nil where a frame has none.
    var paths: [String?]
    /// All have this size.
    var size: PixelSize

    /// A frame's depth; nil where it has none.
    /// - Throws: when the picture is damaged, holds no depth of this encoding, or has another size.
    func depth(
        of index: Int, as encoding: DepthEncoding, in tree: any CaptureTree, _ limits: PictureLimits
    ) throws(Problem) -> RecordedDepth? {
        guard let path = path(of: index) else { return nil }
        do throws(Problem) {
            let depth = try DepthPicture.recorded(
                try tree.bytes(of: path, limit: PictureLimits.fileBytes), as: encoding, limits: limits)
            try check(depth.size, "depth")
            return depth
        } catch { throw error.at(file: path) }
    }

    /// A frame's confidence, 0...2; nil where it has none.
    /// - Parameter levels: what each number in the pictures stands for, if not for itself.
    /// - Throws: when the picture is damaged, holds no confidence, or has another size.
    func confidence(
        of index: Int, levels: [UInt8]?, in tree: any CaptureTree, _ limits: PictureLimits
    ) throws(Problem) -> ConfidenceMap? {
        guard let path = path(of: index) else { return nil }
        do throws(Problem) {
            let image = try Self.levels(try tree.bytes(of: path, limit: PictureLimits.fileBytes), limits)
            try check(image.size, "confidence")
            let values = levels.map { levels in image.pixels.map { levels[Int($0)] } } ?? image.pixels
            return ConfidenceMap(width: image.width, height: image.height, values: values, range: 0...2)
        } catch { throw error.at(file: path) }
    }

    /// The numbers as they are stored: scaled as in pictures, 16 bits would turn every level into the lowest, and 2
    /// bits every level above 0 into the highest.
    private static func levels(_ bytes: [UInt8], _ limits: PictureLimits) throws(Problem) -> LumaImage {
        let header = try PNG.header(bytes, limits: limits)
        if header.channels == 1, header.bitDepth < 8 {
            var image = try PNG.decodeGray8(bytes, limits: limits)
            // With 1, 2 and 4 bits the largest number became 255.
            let scale = UInt8(255 / ((1 << header.bitDepth) - 1))
            for index in image.pixels.indices { image.pixels[index] /= scale }
            return image
        }
        guard header.channels == 1, header.bitDepth == 16 else { return try PNG.decodeGray8(bytes, limits: limits) }
        let image = try PNG.decodeGray16(bytes, limits: limits)
        if let beyond = image.pixels.first(where: { $0 > 255 }) {
            throw Problem(.input, "no confidence: the picture holds the number \(beyond), and 255 is the largest")
        }
        return LumaImage(width: image.width, height: image.height, pixels: image.pixels.map { UInt8($0) })
    }

    private func path(of index: Int) -> String? { paths.indices.contains(index) ? paths[index] : nil }

    /// The file need not be damaged: an app may turn some of its pictures.
    private func check(_ own: PixelSize, _ channel: String) throws(Problem) {
        guard own != size else { return }
        throw Problem(
            .input,
            "this \(channel) map is \(own), the usual one \(size), and all \(channel) maps of a capture must have one "
                + "size",
            fix: "leave such frames out with select-frames, or leave out the stages that use \(channel)")
    }
}

extension FramePictures {
    /// Pictures whose size is that of two of the first three that can be read: the first may be the odd one.
    /// - Parameter encoding: that of depth; nil for confidence.
    /// - Returns: nil when there is none.
    /// - Throws: when none can be read, or none can hold such content, as a visualisation of depth cannot, or they are
    ///   larger than the rules allow.
    init?(
        _ paths: [String?], _ encoding: DepthEncoding?, in tree: any CaptureTree, _ rules: ReadRules
    ) throws(Problem) {
        var problem: Problem?
        var sizes: [PixelSize] = []
        for case let path? in paths where sizes.count < 2 || (sizes.count == 2 && sizes[0] != sizes[1]) {
            do throws(Problem) {
                // A capture may have thousands that are not depth, and each of them is looked at.
                let bytes =
                    encoding == .float32Metres
                    ? try tree.bytes(of: path, limit: PictureLimits.fileBytes)
                    : try PictureLook.beginning(of: try tree.openInPlace(path), limits: rules.pictureLimits)
                sizes.append(try Self.size(of: bytes, encoding, rules.pictureLimits))
            } catch { problem = problem ?? error.at(file: path) }
        }
        guard let first = sizes.first else {
            if let problem { throw problem }
            return nil
        }
        let isFirstOdd = sizes.count == 3 && sizes[1] == sizes[2]
        self.init(paths: paths, size: isFirstOdd ? sizes[1] : first)
    }

    private static func size(
        of bytes: [UInt8], _ encoding: DepthEncoding?, _ limits: PictureLimits
    ) throws(Problem) -> PixelSize {
        switch encoding {
        case nil: try PNG.header(bytes, limits: limits).size
        case .float32Metres: try OpenEXR.size(bytes, limits: limits)
        default: try DepthPicture.size(bytes, limits: limits)
        }
    }
}
