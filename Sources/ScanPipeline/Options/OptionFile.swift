import ScanModel

/// A small file that an option names, such as a list of frames or a box, as it was before the first frame. It decides the
/// result, so it is one of the receipt's inputs and a part of the key.
struct OptionFile: Hashable, Sendable {
    /// Nil where it is in neither place, and the stage does without.
    var bytes: [UInt8]?
    /// Where it lies on disk, if it does; where it would lie beside the pipeline, if it is not there.
    var location: String?
    /// What it was like before it was read.
    var status: FileSystem.Status?

    private static let limit = 64 << 20

    /// Looks for the file beside the capture's own, and then beside the pipeline.
    /// - Parameters:
    ///   - path: as the option has it.
    ///   - step: whose option it is.
    init(_ path: String, of capture: Capture, _ input: CaptureInput, for step: Pipeline.Step) throws(Problem) {
        let name = Self.name(path, input)
        let isOutside = name.isAbsolutePath || name.pathParts.contains("..")
        if !isOutside && Self.isInCapture(name, capture) {
            location = capture.source.location(of: name)?.path
            status = location.flatMap(FileSystem.status(of:))
            bytes = try capture.source.bytes(of: name, limit: Self.limit)
            return
        }
        let full = Self.besidePipeline(path, input)
        location = full
        // A link to a disk that is away tonight is there.
        if step.uses.withoutFile == .passes, try !FileSystem.isThere(full) { return }
        status = FileSystem.status(of: full)
        do throws(Problem) { bytes = try FileSystem.bytes(of: full, limit: Self.limit, fault: .input) } catch {
            let isOfMachine = error.fault == .environment
            var fix = isOfMachine ? error.fix : Self.wayToName(path, name)
            if case .fails(let setting?) = step.uses.withoutFile, !FileSystem.exists(full) {
                fix = fix.map { "\($0), or do without it with  \(ShellWord.setting(step.label, setting))" }
            }
            throw Problem(
                isOfMachine ? .environment : .usage, "cannot read the file that the option names",
                notes: [isOutside ? error.summary : "it is not in the capture, and at \(full): \(error.summary)"],
                fix: fix
            ).at(file: name)
        }
    }

    /// How to name a file so that it is found. In the working folder it is not, even if it lies there: the same command
    /// may be given anywhere.
    private static func wayToName(_ path: String, _ name: String) -> String {
        if !path.isAbsolutePath && FileSystem.exists(name) {
            return "name it by its full path, \(FileSystem.absolute(path))"
        }
        return OptionText.namesCapture(path)
            ? "write that file for this capture"
            : "give its path relative to the capture's folder or the pipeline's, or its full path"
    }

    /// What the file that an option names is called for one capture.
    static func name(_ path: String, _ input: CaptureInput) -> String { OptionText.path(path, ofCapture: input.id) }

    /// Whether the capture holds a file, listed by its reader or not. One that cannot be read for any reason but its
    /// absence counts as held, so that the pipeline's own does not silently take its place.
    private static func isInCapture(_ path: String, _ capture: Capture) -> Bool {
        do throws(Problem) {
            _ = try capture.source.open(path)
            return true
        } catch { return error.fault == .environment }
    }

    /// Where the files that a pipeline's options name lie, unless the capture holds them, by their names.
    static func allBesidePipeline(_ pipeline: Pipeline, _ input: CaptureInput) -> [String: String] {
        pipeline.steps.flatMap(\.uses.files).reduce(into: [:]) {
            $0[name($1, input)] = FileSystem.absolute(besidePipeline($1, input))
        }
    }

    /// - Parameter path: as the option has it.
    static func besidePipeline(_ path: String, _ input: CaptureInput) -> String {
        FileSystem.path(name(path, input), from: input.pipelineFolder)
    }
}
