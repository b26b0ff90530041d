import ScanFormats
import ScanModel
import ScanPipeline

/// A picture on its way into the output.
enum PreparedPicture: Sendable {
    /// A file of the capture, to be copied.
    case file(String, fileExtension: String)
    case encoded([UInt8], fileExtension: String)

    var fileExtension: String {
        switch self {
        case .encoded(_, let fileExtension), .file(_, let fileExtension): fileExtension
        }
    }

    /// The picture as a file holds it.
    func bytes(_ context: StageContext) throws(Problem) -> [UInt8] {
        switch self {
        case .encoded(let bytes, _): bytes
        case .file(let file, _): try context.capture.source.bytes(of: file, limit: PictureLimits.fileBytes)
        }
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
        switch self {
        case .file(let file, _): try context.output.copy(file, of: context.capture, to: path)
        case .encoded(let bytes, _): try context.output.write(bytes, to: path)
        }
    }
}
