import ScanFormats
import ScanModel
import ScanPipeline

/// How writers put pictures out: copied as they are, or encoded.
struct PictureOutput: Sendable {
    enum Encoding: String, CaseIterable, Sendable { case copy, jpeg, png }

    let encoding: Encoding
    let quality: Int

    /// Declares the options `color` and `quality`.
    init(_ options: inout OptionReader, default encoding: Encoding) {
        self.encoding = options.choice(
            "color", "Copy pictures as they are (frames of a video become JPEG), or encode them.", default: encoding)
        quality = options.integer("quality", "Quality of JPEGs that are encoded.", default: 95, in: 1...100)
    }

    init(encoding: Encoding, quality: Int) {
        self.encoding = encoding
        self.quality = quality
    }

    /// Writes the frame's picture.
    /// - Parameter stem: the path without its extension.
    /// - Returns: the path with it.
    func write(_ frame: inout Frame, to stem: String, _ context: StageContext) throws(Problem) -> String {
        if encoding == .copy, case .file(let file)? = frame.picture {
            let path = "\(stem).\(Self.fileExtension(of: file))"
            try context.output.copy(file, of: context.capture, for: &frame, to: path)
            return path
        }
        let image = try frame.loadRGB(context)
        let isPNG = encoding == .png
        let path = "\(stem).\(isPNG ? "png" : "jpg")"
        let bytes = isPNG ? try PNG.encodeRGB(image) : try JPEG.encode(image, quality: quality, subsampling: .s444)
        try context.output.write(bytes, for: &frame, to: path)
        return path
    }

    private static func fileExtension(of file: String) -> String {
        let name = file.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".")
        return parts.count > 1 ? parts[parts.count - 1].lowercased() : "jpg"
    }
}

extension OutputFolder {
    /// Writes a file that belongs to one frame: it is taken back when the frame turns out to be bad.
    func write(_ bytes: [UInt8], for frame: inout Frame, to path: String) throws(Problem) {
        try write(bytes, to: path)
        frame.files.append(path)
    }

    /// Copies a file of a capture, for one frame.
    func copy(_ file: String, of capture: Capture, for frame: inout Frame, to path: String) throws(Problem) {
        try copy(file, of: capture, to: path)
        frame.files.append(path)
    }

    /// Copies a file of a capture.
    func copy(_ file: String, of capture: Capture, to path: String) throws(Problem) {
        if let location = capture.source.location(of: file) {
            try copy(location, name: file, to: path)
        } else {
            try copy(try capture.source.open(file), to: path)
        }
    }
}
