import ScanModel

/// A small file that an option names, such as a list of frames or a box, as it was before the first frame. It decides the
/// result, so it is one of the receipt's inputs and a part of the key.
package struct OptionFile: Hashable, Sendable {
    var bytes: [UInt8]
    /// Where it lies on disk, as far as it does.
    var location: String?

    private static let limit = 64 << 20

    /// Looks for the file beside the capture's own, and then beside the pipeline.
    init(_ path: String, of capture: Capture, _ input: CaptureInput) throws(Problem) {
        if Self.holds(capture, path) {
            bytes = try capture.source.bytes(of: path, limit: Self.limit)
            location = capture.source.location(of: path)?.path
            return
        }
        let full = Self.besidePipeline(path, input)
        do throws(Problem) { bytes = try FileSystem.bytes(of: full, limit: Self.limit) } catch {
            throw Problem(
                error.fault, "cannot read the file that the option names", notes: [error.summary],
                fix: "the path starts at the capture's folder, or at the pipeline's"
            ).at(file: path)
        }
        location = full
    }

    /// Whether the capture has such a file, listed by its reader or not. One that cannot be read for another reason than
    /// that it is not there counts too, so that the pipeline's own does not silently take its place.
    private static func holds(_ capture: Capture, _ path: String) -> Bool {
        if path.hasPrefix("/") || path.split(separator: "/").contains("..") { return false }
        do throws(Problem) {
            _ = try capture.source.open(path)
            return true
        } catch { return error.fault == .environment }
    }

    static func besidePipeline(_ path: String, _ input: CaptureInput) -> String {
        path.hasPrefix("/") ? path : "\(input.pipelineFolder)/\(path)"
    }
}
