import ArgumentParser
import Glibc
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages

struct SampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample", abstract: "Writes a synthetic capture whose ground truth is known exactly.",
        discussion: """
            A room with a table and a boxed object, as if filmed by hand, in MultiScan's staging layout or another \
            format. The stage `synthesize` and a writer make it; `scanmill stages synthesize` says what is in it. The \
            same options give the same bytes on every machine. NeRFCapture's capture is an archive in the folder, and \
            7-Scenes' is the folder seq-01 in it, with the id <folder>-seq-01.
            """)

    enum Pictures: String, CaseIterable, ExpressibleByArgument {
        case jpg, png, mp4

        /// The options of `write-staging` by which it stores them so.
        fileprivate var settings: (rgb: String, color: String) {
            switch self {
            case .jpg: ("frames", "copy")
            case .png: ("frames", "png")
            case .mp4: ("mp4", "copy")
            }
        }
    }

    @Argument(help: "The capture's folder; its last part becomes the capture's id.", completion: .directory)
    var folder: String
    @Option(help: "Number of frames.") var frames = 60
    @Option(help: "How MultiScan's pictures are stored: jpg (the default), png or mp4.") var rgb: Pictures?
    @Option(help: "The format: one of those that ScanMill writes, except ply.", completion: .writtenFormat)
    var format = MultiScanCapture.name
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Change an option of `synthesize` or the writer. Can be repeated.", valueName: "stage.option=value"),
        completion: .setting)
    var settings: [String] = []

    func run() throws {
        var parts = folder.pathParts.map(String.init)
        guard let id = parts.popLast() else {
            throw Console.exitCode(saying: Problem(.usage, "`\(folder)` does not name a folder"))
        }
        let parent = (folder.isAbsolutePath ? "/" : "") + parts.joined(separator: "/")
        let root = parent.isEmpty ? "." : parent
        let text = """
            name: sample
            stages:
              - synthesize: {frames: \(frames)}
            \(try writer())
            """
        let pipeline: Pipeline
        do {
            pipeline = try Pipeline.load(
                text: text, path: "scanmill sample", isEditable: false, settings: settings, library: .builtIn)
        } catch {
            // Nobody has written the lines in which they stand.
            for mistake in error.problems {
                Console.error(Problem(mistake.fault, mistake.summary, notes: mistake.notes, fix: mistake.fix).message())
            }
            throw ExitCode(ExitStatus.usage)
        }
        let receipt = try Console.orExit { () throws(Problem) in try Self.write(pipeline, id: id, root: root) }
        Console.out(
            "\(folder): \(receipt.capture.frames.count.counted("frame")), \(receipt.files.count.counted("file"))"
        )
    }

    /// The formats that ScanMill writes and that hold frames: a sample is not a cloud.
    static let formats = CaptureFormats.all.map { $0.card }.filter { $0.writer != nil && $0.reads != [.points] }

    /// The lines of the pipeline that write the format.
    private func writer() throws -> String {
        if format == MultiScanCapture.name {
            let hasPictures = value(of: "pictures").flatMap { OptionReader.flag($0) } ?? true
            let pictures = (rgb ?? .jpg).settings
            let stored = hasPictures ? pictures.rgb : "auto"
            return "  - write-staging: {depth: source, rgb: \(stored), color: \(pictures.color)}"
        }
        guard rgb == nil else {
            throw Console.exitCode(
                saying: Problem(
                    .usage, "`--rgb` is for MultiScan's pictures, and \(format) stores them in its own way",
                    fix: "take it out"))
        }
        guard let writer = Self.formats.first(where: { $0.name == format })?.writer else {
            let fix = NamedFormat.suggestion(for: format, among: Self.formats)
            let names = Self.formats.map(\.name).joined(separator: ", ")
            throw Console.exitCode(
                saying: Problem(
                    .usage, "`\(format)` is none of the formats that samples have", fix: fix ?? "they are \(names)"))
        }
        guard value(of: "depth") == "none" else { return "  - decompress\n  - \(writer)" }
        // These writers want depth unless they are told otherwise.
        let withoutDepth = [
            "write-scannet": "depth: false", "write-sens": "depth: false", "write-frames": "depth: none",
        ]
        let (name, options) = Self.parts(of: writer)
        let all = [options, withoutDepth[name]].compactMap(\.self).joined(separator: ", ")
        return "  - \(name)\(all.isEmpty ? "" : ": {\(all)}")"
    }

    /// What an option of `synthesize` is set to.
    private func value(of option: String) -> Substring? {
        settings.last { $0.hasPrefix("synthesize.\(option)=") }?.split(separator: "=", maxSplits: 1).last
    }

    /// A stage as a pipeline has it, `write-scannet: {layout: raw}`: its name, and what is in the braces.
    private static func parts(of stage: String) -> (name: String, options: String?) {
        let parts = stage.split(separator: ": ", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1].dropFirst().dropLast()) : nil)
    }

    /// Where a writer puts everything into a folder of its own, that folder is the capture and takes the outer one's
    /// place. Where the folder belongs to the format, such as Polycam's `keyframes/`, the capture is the whole.
    private static func lift(_ path: String) {
        let whole = CaptureFolder(path: path)
        let names = whole.entries(in: "")
        let aside = "\(path).\(FileSystem.randomName())"
        guard names.count == 1, let only = names.first, only.kind == .folder,
            CaptureFormats.recognise(whole) == nil,
            rename("\(path)/\(only.name)", aside) == 0
        else { return }
        rename(aside, rmdir(path) == 0 ? path : "\(path)/\(only.name)")
    }

    private static func write(_ pipeline: Pipeline, id: String, root: String) throws(Problem) -> Receipt {
        Allocator.keepFreedFrames()
        let path = "\(root)/\(id)"
        if var defect = OutputFolder.defect(ofID: id) {
            defect.fix = "name another folder"
            throw defect
        }
        try OutputPlace.requireFree(path, for: "the sample")
        if FileSystem.exists(path), (try? FileSystem.list(path))?.isEmpty != true {
            throw Problem(
                .usage, "something stands where the sample belongs", fix: "name another folder, or remove this"
            ).at(file: path)
        }
        let scratch = ScratchFolder(in: root)
        scratch.tidy()
        defer { scratch.tidy() }
        let output = try OutputFolder(root: root, id: id)
        do throws(Problem) {
            let runner = Runner(pipeline: pipeline, workers: 2, tool: Tool.nameAndVersion)
            let receipt = try runner.run(CaptureInput(id: id, path: path), into: output)
            try output.publish(receipt: receipt.bytes)
            // A sample is an input, not a result: the search for captures would pass over a folder with a receipt.
            unlink(ResultPlace(output.publishedPath).receipt)
            lift(output.publishedPath)
            return receipt
        } catch {
            output.abandon()
            throw error
        }
    }
}
