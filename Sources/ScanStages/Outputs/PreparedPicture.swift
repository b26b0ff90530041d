import ScanFormats
import ScanModel
import ScanPipeline

/// A picture on its way into the output, a PNG or a JPEG.
struct PreparedPicture: Sendable {
    private enum Content: Sendable {
        /// Of the capture, to be copied.
        case file(String)
        case encoded([UInt8])
    }

    private var content: Content
    let isPNG: Bool
    /// What it is, whatever a copied file is called: many readers go by it.
    let fileExtension: String

    /// - Parameter file: of the capture.
    init(copying file: String, isPNG: Bool) {
        content = .file(file)
        self.isPNG = isPNG
        fileExtension = isPNG ? "png" : Self.extensionOfJPEG(file)
    }

    init(encoded bytes: [UInt8], isPNG: Bool) {
        content = .encoded(bytes)
        self.isPNG = isPNG
        fileExtension = isPNG ? "png" : "jpg"
    }

    private static func extensionOfJPEG(_ file: String) -> String {
        let parts = (file.pathName ?? "").split(separator: ".")
        return parts.count > 1 && parts[parts.count - 1].lowercased() == "jpeg" ? "jpeg" : "jpg"
    }

    /// The picture as a file holds it.
    func bytes(_ context: StageContext) throws(Problem) -> [UInt8] {
        switch content {
        case .encoded(let bytes): bytes
        case .file(let file): try context.capture.source.bytes(of: file, limit: PictureLimits.fileBytes)
        }
    }

    /// The same picture with its bytes read, so that writing it cannot fail for a file that cannot be read.
    func loaded(_ context: StageContext) throws(Problem) -> PreparedPicture {
        var picture = self
        picture.content = .encoded(try bytes(context))
        return picture
    }

    /// - Parameter stem: the path without its extension.
    /// - Returns: the path with it.
    @discardableResult
    func write(to stem: String, _ context: StageContext) throws(Problem) -> String {
        let path = "\(stem).\(fileExtension)"
        try write(as: path, context)
        return path
    }

    /// Writes the picture under a name with an extension of its own.
    func write(as path: String, _ context: StageContext) throws(Problem) {
        switch content {
        case .file(let file): try context.output.copy(file, of: context.capture, to: path)
        case .encoded(let bytes): try context.output.write(bytes, to: path)
        }
    }
}
