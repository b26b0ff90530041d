import ScanFormats
import ScanModel
import ScanPipeline

/// How writers put pictures out: copied as they are, or encoded.
struct PictureOutput: Sendable {
    enum Encoding: String, CaseIterable, Sendable { case copy, jpeg, png }

    let encoding: Encoding
    let quality: Int
    /// Whether the result's readers rely on red, green and blue. Greyscale and palette PNGs, which loaders written in
    /// Python take as they are, are then encoded anew instead of copied.
    private var wantsColorChannels = false

    /// Declares the options `color` and `quality`.
    /// - Parameter areFiles: whether pictures are written as files; where they become a video, these options do nothing.
    init(_ options: inout OptionReader, default encoding: Encoding, areFiles: Bool = true) {
        self.encoding = options.choice("color", Self.help, default: encoding)
        quality = Self.quality(&options, isUsed: !areFiles || self.encoding != .png)
        for name in ["color", "quality"] { options.warn(name, unless: areFiles, "where pictures are files") }
    }

    /// Declares the same options for a stage whose pictures a trainer loads.
    static func forTraining(_ options: inout OptionReader) -> PictureOutput {
        var output = PictureOutput(&options, default: .copy)
        output.wantsColorChannels = true
        return output
    }

    /// Declares the same options for a stage that can do without pictures; nil for `color: none`.
    static func optional(_ options: inout OptionReader, default encoding: OptionalEncoding) -> PictureOutput? {
        let encoding = options.choice("color", "\(help) `none` writes no pictures.", default: encoding)
        let quality = quality(&options, isUsed: [.copy, .jpeg].contains(encoding))
        return Encoding(rawValue: encoding.rawValue).map { PictureOutput(encoding: $0, quality: quality) }
    }

    enum OptionalEncoding: String, CaseIterable, Sendable { case copy, jpeg, png, none }

    init(encoding: Encoding, quality: Int) {
        self.encoding = encoding
        self.quality = quality
    }

    private static let help =
        "Copy pictures as they are (a changed picture keeps its kind of file, frames of a video become JPEG), or encode "
        + "them."

    /// Declares the option `quality` alone.
    /// - Parameter isUsed: whether there can be JPEGs. Frames of a video become JPEGs where pictures are copied.
    static func quality(_ options: inout OptionReader, isUsed: Bool) -> Int {
        let quality = options.integer("quality", "Quality of encoded JPEGs.", default: 95, in: 1...100)
        options.warn("quality", unless: isUsed, "where JPEGs are written")
        return quality
    }

    /// Writes the frame's picture.
    /// - Parameter stem: the path without its extension.
    /// - Returns: the path with it.
    func write(_ frame: inout Frame, to stem: String, _ context: StageContext) throws(Problem) -> String {
        try write(try prepare(&frame, context), of: &frame, to: stem, context)
    }

    /// Writes the frame's picture, and its smaller pictures beside it in the same kind of file: trainers look for the same
    /// names.
    /// - Parameter stem: the path without its extension.
    /// - Returns: the picture's path with it.
    func writeWithDownscaled(_ frame: inout Frame, to stem: String, _ context: StageContext) throws(Problem) -> String {
        let picture = try prepare(&frame, context)
        let path = try write(picture, of: &frame, to: stem, context)
        if !frame.downscaled.isEmpty { try Self.warnOfTransparency(frame, context) }
        for small in frame.downscaled {
            let bytes = try small.picture.encoded(as: picture.isPNG ? .png : .jpeg(quality: quality))
            try context.output.write(bytes, for: &frame, to: DownscaledPicture.path(of: path, factor: small.factor))
        }
        return path
    }

    private func write(
        _ picture: PreparedPicture, of frame: inout Frame, to stem: String, _ context: StageContext
    ) throws(Problem) -> String {
        let path = try picture.write(to: stem, context)
        frame.files.append(path)
        return path
    }

    /// What becomes of the pixels of a picture that a mask says to ignore.
    enum CutOut: Sendable { case transparent, black }

    /// Writes the frame's picture, and its smaller pictures beside it, as PNGs that are cut out by masks.
    /// - Parameters:
    ///   - masks: of the picture (factor 1) and of each smaller one.
    ///   - stem: the path without its extension.
    /// - Returns: the path with it.
    static func write(
        _ frame: inout Frame, _ cutOut: CutOut, by masks: [MaskOutput.Mask], to stem: String, _ context: StageContext
    ) throws(Problem) -> String {
        try warnOfTransparency(frame, context)
        let path = "\(stem).png"
        for mask in masks {
            let small = frame.downscaled.first { $0.factor == mask.factor }
            let picture = if let small { small.picture } else { try frame.loadRGB(context) }
            let bytes =
                switch cutOut {
                case .transparent: try PNG.encodeRGBA(picture, alpha: mask.image)
                case .black: try PNG.encodeRGB(picture.masked(by: mask.image))
                }
            try context.output.write(
                bytes, for: &frame,
                to: small.map { DownscaledPicture.path(of: path, factor: $0.factor) } ?? path)
        }
        return path
    }

    /// Does all of the work for writing the frame's picture except writing it: for a stage that learns the picture's
    /// name only when the frame's turn comes.
    func prepare(_ frame: inout Frame, _ context: StageContext) throws(Problem) -> PreparedPicture {
        var isPNG = encoding == .png
        if encoding == .copy, case .file(let file)? = frame.picture {
            let head = try Self.beginning(of: file, context)
            isPNG = PNG.isPNG(head)
            if !wantsColorChannels || PNG.colorType(head)?.hasColorChannels != false {
                return PreparedPicture(copying: file, isPNG: isPNG)
            }
            context.count("pictures-made-rgb", 1)
        } else if encoding == .copy, let file = frame.pictureFile {
            // Changed since it was read: what was lossless stays so.
            isPNG = PNG.isPNG(try Self.beginning(of: file, context))
        }
        try Self.warnOfTransparency(frame, context)
        let kind: PictureEncoding = isPNG ? .png : .jpeg(quality: quality)
        if let known = frame.encodedPictures[kind] { return PreparedPicture(encoded: known, isPNG: isPNG) }
        let bytes = try frame.loadRGB(context).encoded(as: kind)
        if context.wanted.contains(.color) { frame.encodedPictures[kind] = bytes }
        return PreparedPicture(encoded: bytes, isPNG: isPNG)
    }

    /// Pictures are decoded to colours alone: transparent pixels get the colour that lies beneath.
    private static func warnOfTransparency(_ frame: Frame, _ context: StageContext) throws(Problem) {
        if case .file(let file)? = frame.picture { try warnOfTransparency(of: file, context) }
    }

    /// The same for a stage that decodes the files of these frames' pictures by itself.
    static func warnOfTransparency(of frames: [FrameFacts], _ context: StageContext) throws(Problem) {
        for file in frames.lazy.compactMap(\.pictureFile) {
            do throws(Problem) {
                if try warnOfTransparency(of: file, context) { return }
            } catch {
                // The stage that decodes a damaged file will say what it costs.
                if error.fault != .input { throw error }
            }
        }
    }

    @discardableResult
    private static func warnOfTransparency(of file: String, _ context: StageContext) throws(Problem) -> Bool {
        guard PNG.colorType(try beginning(of: file, context))?.hasAlpha == true else { return false }
        context.warn("pictures have an alpha channel, which is left out where they are changed or encoded")
        return true
    }

    private static func beginning(of file: String, _ context: StageContext) throws(Problem) -> [UInt8] {
        var source = BufferedSource(try context.capture.source.open(file), chunk: 64)
        try source.fill(PNG.headByteCount)
        return try source.withBytes(source.unread.prefix(PNG.headByteCount)) { (bytes) throws(Problem) in Array(bytes) }
    }
}
