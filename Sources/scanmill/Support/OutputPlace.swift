import ScanFormats
import ScanModel
import ScanPipeline

/// Where commands may write that make something beside results: samples, pictures, pages.
enum OutputPlace {
    /// Nothing is ever written into a recording or a result.
    /// - Parameters:
    ///   - path: to be written.
    ///   - what: is to be written there: "the pictures".
    /// - Throws: a problem with fault `usage` when the path is one of these, or lies in one.
    static func requireFree(_ path: String, for what: String) throws(Problem) {
        try PublishedResult.requireOutside(path, what)
        guard let capture = FileSystem.realPath(path).flatMap(CaptureSearch.recording(around:)) else { return }
        throw Problem(
            .usage, "\(what) would be written into the capture \(capture)", fix: "name a folder outside of it"
        ).at(file: path)
    }
}
