import ScanModel

/// A small file that an option names, such as a list of frames or a box, as it was before the first frame. It decides the
/// result, so it is one of the receipt's inputs and a part of the key.
struct OptionFile: Hashable, Sendable {
    var bytes: [UInt8]
    /// Where it lies on disk, if it does.
    var location: String?
    /// What it was like before it was read.
    var status: FileSystem.Status?

    private static let limit = 64 << 20

    /// Looks for the file beside the capture's own, and then beside the pipeline.
    init(_ path: String, of capture: Capture, _ input: CaptureInput) throws(Problem) {
        let isOutside = path.isAbsolutePath || path.pathParts.contains("..")
        if !isOutside && Self.isInCapture(path, capture) {
            location = capture.source.location(of: path)?.path
            status = location.flatMap(FileSystem.status(of:))
            bytes = try capture.source.bytes(of: path, limit: Self.limit)
            return
        }
        let full = Self.besidePipeline(path, input)
        location = full
        status = FileSystem.status(of: full)
        do throws(Problem) { bytes = try FileSystem.bytes(of: full, limit: Self.limit) } catch {
            throw Problem(
                error.fault, "cannot read the file that the option names",
                notes: [isOutside ? error.summary : "it is not in the capture, and at \(full): \(error.summary)"],
                fix: Self.wayToName(path)
            ).at(file: path)
        }
    }

    /// The same command may be given anywhere, so that where it is given is no place to look.
    private static func wayToName(_ path: String) -> String {
        !path.isAbsolutePath && FileSystem.exists(path)
            ? "name it by its whole path, \(FileSystem.absolute(path))"
            : "name it from the capture's folder, from the pipeline's, or by its whole path"
    }

    /// Whether the capture holds a file, listed by its reader or not. One that cannot be read for any reason but its
    /// absence counts as held, so that the pipeline's own does not silently take its place.
    private static func isInCapture(_ path: String, _ capture: Capture) -> Bool {
        do throws(Problem) {
            _ = try capture.source.open(path)
            return true
        } catch { return error.fault == .environment }
    }

    /// Where the files that a pipeline's options name lie, unless the capture holds them.
    static func allBesidePipeline(_ pipeline: Pipeline, _ input: CaptureInput) -> [String: String] {
        pipeline.steps.flatMap(\.uses.files).reduce(into: [:]) {
            $0[$1] = FileSystem.absolute(besidePipeline($1, input))
        }
    }

    static func besidePipeline(_ path: String, _ input: CaptureInput) -> String {
        FileSystem.path(path, from: input.pipelineFolder)
    }
}
