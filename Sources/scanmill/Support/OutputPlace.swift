import ScanFormats
import ScanModel
import ScanPipeline

/// Where commands that make something other than results may write it: samples, pictures, pages.
enum OutputPlace {
    /// Nothing is ever written into a recording or a result, nor among results.
    /// - Parameters:
    ///   - path: where something will be written.
    ///   - what: what will be written there: "the pictures".
    /// - Throws: a problem with fault `usage` when the path is one of these, or lies in a recording or a result.
    static func requireFree(_ path: String, for what: String) throws(Problem) {
        try PublishedResult.requireOutside(path, what)
        if FileSystem.exists(StateFolder(output: path).owner) {
            throw Problem(.usage, "\(what) would be written among results", fix: "name another folder").at(file: path)
        }
        guard let capture = FileSystem.realPath(path).flatMap(CaptureSearch.recording(around:)) else { return }
        throw Problem(
            .usage, "\(what) would be written into the capture \(capture)", fix: "name a folder outside of it"
        ).at(file: path)
    }
}
