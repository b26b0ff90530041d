import Glibc
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages

/// The pictures of `inspect --pictures`: small pipelines of the stages that any pipeline can have, one for each picture
/// or two, so that damage to one stream does not cost the pictures of the others.
struct InspectPictures {
    /// Files that were written, with what they show.
    private(set) var written: [(file: String, content: String)] = []
    /// What was not made, and why.
    private(set) var notWritten: [(content: String, reason: String)] = []
    /// Whether the machine, not the capture, is to blame for some of that.
    private(set) var isHindered = false

    /// Draws whatever can be drawn.
    /// - Parameters:
    ///   - capture: the capture's path.
    ///   - folder: where the pictures go; it is made. Files of the same names are replaced.
    /// - Throws: when the folder cannot be made or written to.
    static func draw(
        _ inspection: CaptureInspection, capture: String, into folder: String
    ) throws(Problem) -> InspectPictures {
        var pictures = InspectPictures()
        let folder = folder.isEmpty ? "." : folder
        let scratch = ScratchFolder(in: folder)
        // Nothing but the pictures is left in the folder.
        defer { scratch.tidy() }
        for job in jobs(for: inspection) {
            if let missing = inspection.missing.first(where: { job.needs.contains($0.channel) }) {
                pictures.notWritten.append((job.content, missing.reason))
                continue
            }
            // They are made in a folder below: a picture appears whole or not at all.
            scratch.tidy()
            let work = try OutputFolder(root: folder, id: "inspect-\(UInt32.random(in: .min ... .max))")
            defer { work.abandon() }
            do throws(Problem) {
                let warnings = try run(job.stages, on: capture, id: inspection.id, into: work)
                let files = try takeFiles(of: work, into: folder)
                pictures.written += files.map { ($0, job.content(of: $0)) }
                if files.isEmpty { pictures.notWritten.append((job.content, warnings.first ?? "nothing was drawn")) }
            } catch {
                if error.fault == .environment { pictures.isHindered = true }
                let reason =
                    if let otherwise = job.otherwise { error.notes.first ?? otherwise } else {
                        ([error.oneLine] + error.notes.prefix(1)).joined(separator: "; ")
                    }
                pictures.notWritten.append((job.content, reason))
            }
        }
        return pictures
    }

    // MARK: - What is drawn

    private struct Job {
        var content: String
        /// What the files show, by the endings of their names.
        var parts: [(ending: String, content: String)] = []
        /// What must all be there to draw anything.
        var needs: Set<Channel> = []
        /// The stages after the reader, one each.
        var stages: [String]
        /// The reason when nothing better is known.
        var otherwise: String?

        func content(of file: String) -> String { parts.first { file.hasSuffix($0.ending) }?.content ?? content }
    }

    /// Rules that show as much of a damaged capture as possible.
    private static let reader = "read: {mismatch: shortest, truncated: keep-whole, min-whole: 0, bad-frame-limit: 1}"

    private static func jobs(for inspection: CaptureInspection) -> [Job] {
        // Metres compare across captures; in other units only this capture's own depth tells what is far.
        let median = inspection.depth?.median ?? 2
        let colors = inspection.isMetric ? "" : ", near: 0, far: \(number(2.5 * median))"
        return [
            Job(
                content: "thumbnail and contact sheet",
                parts: [
                    ("_thumb.jpg", "the sharpest of the frames below"), ("", "up to 120 frames with their numbers"),
                ],
                needs: [.color],
                stages: [
                    "select-every: {count: 120}", "filter-blur: {at-least: 0}", "write-thumbnail",
                    "write-contact-sheet",
                ]),
            Job(
                content: "depth of up to 24 frames", needs: [.recordedDepth],
                stages: [
                    "select-every: {count: 24}", "decompress",
                    "write-contact-sheet: {of: depth, count: 24, columns: 6\(colors)}",
                ]),
            Job(
                content: "confidence of up to 24 frames", needs: [.recordedConfidence],
                stages: [
                    "select-every: {count: 24}", "decompress",
                    "write-contact-sheet: {of: confidence, count: 24, columns: 6}",
                ]),
            cloud(of: inspection, median: median),
            path(of: inspection),
        ]
    }

    private static func path(of inspection: CaptureInspection) -> Job {
        let hasTimes = !inspection.missing.contains { $0.channel == .timestamp }
        return Job(
            content: "the cameras' path from above, coloured \(hasTimes ? "by speed" : "in the order of the frames")",
            needs: [.pose],
            stages: ["render-cloud: {cloud: false, view: above, cameras: \(hasTimes ? "speed" : "time")}"])
    }

    /// The cloud from depth, or else the capture's own.
    private static func cloud(of inspection: CaptureInspection, median: Double) -> Job {
        let content = "the cloud from four sides, with the box and the cameras"
        if inspection.missing.contains(where: { $0.channel == .recordedDepth }) {
            return Job(
                content: content, stages: ["render-cloud"], otherwise: "the capture has neither depth nor points")
        }
        // About two million pixels at most from 60 frames, and one point per hundredth of the usual distance.
        let pixels = inspection.depth.map { Double($0.size.width * $0.size.height) } ?? 640 * 480
        let every = max(1, Int((pixels * 60 / 2e6).squareRoot().rounded(.up)))
        return Job(
            content: content, needs: [.pose, .intrinsics],
            stages: [
                "select-every: {count: 60}", "decompress", "unproject: {every: \(every)}",
                "voxel-downsample: {size: \(number(median / 100))}", "render-cloud",
            ])
    }

    /// With two significant figures, within what the options take.
    private static func number(_ value: Double) -> String {
        value.isFinite && value > 0 ? min(max(value, 1e-4), 100).shortText(digits: 2) : "1"
    }

    // MARK: - Where it goes

    /// What is inspected is never written to, and neither is a result.
    /// - Throws: when the folder is a capture or a result, or lies in one.
    static func requireOutside(_ folder: String, of capture: String) throws(Problem) {
        if let inner = FileSystem.realPath(folder), let outer = FileSystem.realPath(capture),
            FileSystem.lies(inner, in: outer)
        {
            throw Problem(
                .usage, "the pictures would be written into the capture", notes: ["what is inspected is never changed"],
                fix: "name a folder outside of it"
            ).at(file: folder)
        }
        try OutputPlace.requireFree(folder, for: "the pictures")
    }

    /// - Parameter work: where they write.
    /// - Returns: what the stages warn about.
    private static func run(
        _ stages: [String], on capture: String, id: String, into work: OutputFolder
    ) throws(Problem) -> [String] {
        let text = "name: inspect\nstages:\n" + ([reader] + stages).map { "  - \($0)\n" }.joined()
        let pipeline: Pipeline
        do throws(PipelineMistakes) {
            pipeline = try Pipeline.load(text: text, path: "scanmill inspect", settings: [], library: .builtIn)
        } catch { throw error.first }
        var runner = Runner(pipeline: pipeline, workers: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), tool: "")
        runner.takesDigests = false
        return try runner.run(CaptureInput(id: id, path: capture), into: work).warnings
    }

    /// Moves what was written to its place.
    /// - Returns: the names.
    private static func takeFiles(of work: OutputFolder, into folder: String) throws(Problem) -> [String] {
        let names = work.files.map(\.path)
        for name in names where rename("\(work.workPath)/\(name)", "\(folder)/\(name)") != 0 {
            throw Problem.system("cannot write the picture", path: "\(folder)/\(name)", code: errno)
        }
        return names
    }
}

extension FactSheet {
    /// - Parameter folder: as the user wrote it.
    mutating func add(_ pictures: InspectPictures, folder: String) {
        add(
            "written", "Written to \(folder)",
            [Column(key: "file", title: "file"), Column(key: "shows", title: "shows")],
            pictures.written.map { [.text($0.file), .text($0.content)] })
        add(
            "not-written", "Not written",
            [Column(key: "picture", title: "picture"), Column(key: "reason", title: "because")],
            pictures.notWritten.map { [.text($0.content), .text($0.reason)] })
    }
}
