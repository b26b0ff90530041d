import Foundation
import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

/// A capture's source on disk: the files of a folder, or a single file.
struct DiskSource: CaptureSource {
    let folder: String
    let isArchive: Bool
    let version: String

    func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] { [] }
    func prepare(_ frame: inout Frame, for channels: Set<Channel>) {}
    /// A capture in a single file stands for an archive, whose entries are not on disk as such; one that ends with
    /// `.stored` stands for an archive that holds its entry uncompressed, after the first byte.
    func location(of file: String) -> FileLocation? {
        let path = "\(folder)/\(file)"
        if isArchive {
            guard file.hasSuffix(".stored"), let count = FileSystem.regularSize(of: path) else { return nil }
            return FileLocation(path: path, range: 1..<count)
        }
        return FileLocation(path: path)
    }
    func open(_ file: String) throws(Problem) -> any ByteSource {
        let bytes = try FileSystem.bytes(of: "\(folder)/\(file)", limit: .max)
        let isPart = location(of: file)?.range != nil
        return MemorySource(name: file, Array(bytes.dropFirst(isPart ? 1 : 0)), step: 1 << 16)
    }
    func toolVersions(for channels: Set<Channel>) -> [String: String] { ["decoder": version] }
}

/// Captures on disk, and a pipeline that copies their `frames.txt`: one frame per line; a line `bad` is a bad frame, and
/// `@` with a number is one with that time.
/// They may have a `picture.jpg`, which no stage uses; six numbers in it are fx, fy, cx, cy, width and height of all
/// frames' cameras, and the word `centre` says that their pixels are counted from a pixel's centre.
final class DiskFixture: Sendable {
    let folder = Mutex<TemporaryFolder?>(nil)
    let path: String
    private let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    /// What sources were asked to open.
    let log = Log()
    /// The versions that programs and formats claim to have.
    let versions = Mutex((scanmill: "scanmill 0", tool: "1", format: 1, stage: 1))

    var output: String { path + "/out" }
    var state: StateFolder { StateFolder(output: output) }

    init() throws {
        let fresh = try TemporaryFolder()
        path = fresh.path
        folder.withLock { $0 = fresh }
    }

    /// Writes a file as if last changed some minutes ago, in a folder as if last changed an hour ago.
    func write(_ text: String, to name: String, minutesAgo: Double = 60) throws {
        let url = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        try age(name, minutes: minutesAgo)
        try age(FileSystem.parent(of: name), minutes: 60)
    }

    /// Sets the time of the last change of a file or folder.
    func age(_ name: String, minutes: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: start.addingTimeInterval(-60 * minutes)], ofItemAtPath: "\(path)/\(name)")
    }

    func capture(_ id: String, frames: String = "one\ntwo\n") throws -> CaptureInput {
        try write(frames, to: "in/\(id)/frames.txt")
        return input(id)
    }

    func input(_ id: String) -> CaptureInput { CaptureInput(id: id, path: "\(path)/in/\(id)", pipelineFolder: path) }

    var library: StageLibrary {
        let log = log
        let (_, tool, format, revision) = versions.withLock { $0 }
        let read = Mock.finish("read", .init(makes: [.frames], mayMake: [.box])) { (capture, context) throws(Problem) in
            let isFolder = FileSystem.isFolder(context.input.path)
            let folder = isFolder ? context.input.path : FileSystem.parent(of: context.input.path)
            let name = isFolder ? "frames.txt" : String(context.input.path.split(separator: "/").last ?? "")
            let text = String(decoding: try FileSystem.bytes(of: "\(folder)/\(name)", limit: .max), as: UTF8.self)
            let lines = text.split(separator: "\n")
            for (index, line) in lines.enumerated() {
                var facts = FrameFacts(index: index)
                if line == "bad" { facts.drop = Drop(stage: "read", reason: "the line is bad", isBad: true) }
                if line.hasPrefix("@") { facts.timestamp = Int64(line.dropFirst()) }
                capture.frames.append(facts)
            }
            capture.format = "lines"
            capture.formatRevision = format
            capture.channels = [.frames]
            if tool.isEmpty { capture.missingPrograms = ["decoder"] }
            capture.files = [InputFile(path: name, byteCount: Int64(text.utf8.count))]
            if let count = FileSystem.regularSize(of: "\(folder)/picture.jpg") {
                capture.files.append(InputFile(path: "picture.jpg", byteCount: count, channels: [.color]))
                let camera = try Self.camera(of: "\(folder)/picture.jpg")
                for index in capture.frames.indices { capture.frames[index].intrinsics = camera }
            }
            let source = DiskSource(folder: folder, isArchive: !isFolder, version: tool)
            capture.source = LoggedSource(source: source, log: log)
        }
        var shown = Mock.fold("write", claims: ["{id}.txt"]).ending { (list, capture, context) throws(Problem) in
            try context.output.write(Array("\(list.count) frames".utf8), to: "deep/\(capture.id).txt")
        }
        // So that it may also come before `pick`.
        shown.bindsFrames = false
        let write = shown
        return StageLibrary([
            read.entry,
            StageLibrary.Entry(card: StageCard(name: "pick", summary: "", details: "", example: "")) { options in
                let file = options.text("file", "A file.")
                let isOptional = options.flag("optional", "Whether a capture without the file passes.", default: false)
                var pick = Mock.finish("pick", .init(needs: [.frames], drops: true)) {
                    (capture, context) throws(Problem) in
                    guard let file, !context.lacks(file), let first = try context.file(file).first else { return }
                    capture.drop(Int(first) - 48, stage: context.label, reason: "named by the file")
                }
                pick.uses.files = file.map { [$0] } ?? []
                if isOptional { pick.uses.withoutFile = .passes }
                return pick.entry.make(&options)
            },
            StageLibrary.Entry(
                card: StageCard(name: "write", summary: "", details: "", example: "", revision: revision)
            ) { options in
                _ = options.integer("level", "A level.", default: 1, in: 0...9)
                if revision > 2 { _ = options.flag("sharp", "Whether to be sharp.", default: false) }
                return write.entry.make(&options)
            },
        ])
    }

    private static func camera(of picture: String) throws(Problem) -> CameraIntrinsics? {
        let text = String(decoding: try FileSystem.bytes(of: picture, limit: .max), as: UTF8.self)
        let k = text.split(separator: " ").compactMap { Double($0) }
        guard k.count == 6 else { return nil }
        return CameraIntrinsics(
            fx: k[0], fy: k[1], cx: k[2], cy: k[3], width: Int(k[4]), height: Int(k[5]),
            pixelOrigin: text.contains("centre") ? .centre : .corner)
    }

    var programs: ProgramVersions {
        let (scanmill, tool, _, _) = versions.withLock { $0 }
        return ProgramVersions(tool: scanmill, paths: ["\(path)/decoder"]) {
            $0 == "decoder" && !tool.isEmpty ? tool : nil
        }
    }

    func pipeline(_ text: String = "stages: [read, write]") throws -> Pipeline {
        try Pipeline.load(text: text, path: "\(path)/p.yaml", library: library)
    }

    func job(
        _ input: CaptureInput, _ text: String = "stages: [read, write]", forced: Bool = false, replaces: Bool = false
    ) -> CaptureJob {
        // A run claims the folder before its first capture.
        if let pipeline = (try? pipeline(text)) ?? (try? pipeline()) {
            _ = try? state.claim(for: pipeline, replacing: false)
        }
        return CaptureJob(
            input: input, pipelineText: text, pipelinePath: "\(path)/p.yaml", settings: [], output: output, workers: 2,
            isForced: forced, replaces: replaces)
    }

    /// - Parameter isAtOnce: whether it runs right after the files were written; otherwise an hour later, since a
    ///   file's change time (ctime) cannot be set.
    @discardableResult
    func run(
        _ input: CaptureInput, _ text: String = "stages: [read, write]", forced: Bool = false, replaces: Bool = false,
        isAtOnce: Bool = false
    ) throws -> CaptureEnding {
        var isBusy = false
        defer { if !isBusy { _ = comesFree(input.id) } }
        let ending = try CaptureWork.run(
            job(input, text, forced: forced, replaces: replaces), library: library, tool: programs.tool,
            looked: wallClock() + (isAtOnce ? 0 : 3_600_000_000_000)
        ) { _ in }
        isBusy = ending == .busy
        return ending
    }

    /// Runs a capture to which something happens once its files have been looked at.
    func run(_ input: CaptureInput, meanwhile: @escaping @Sendable () throws -> Void) throws -> CaptureEnding {
        let isDone = Mutex(false)
        defer {
            #expect(isDone.withLock { $0 })
            _ = comesFree(input.id)
        }
        return try CaptureWork.run(
            job(input), library: library, tool: programs.tool, looked: wallClock() + 3_600_000_000_000
        ) { _ in
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { try? meanwhile() }
        }
    }

    /// Makes a result look as earlier versions left it, which recorded no revisions.
    func forgetRevisions(of id: String) throws {
        let path = state.inputs(id)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let older = text.replacing(#/,\s*"revisions": \[[^\]]*\]/#, with: "")
        if older == text { throw TestError("no revisions are kept") }
        try older.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Runs `body` as a user who owns all of this and is not root, who may do everything. Only in a test that has a process
    /// of its own, since a user is the whole process's.
    func asPlainUser(_ body: () throws -> Void) throws {
        if geteuid() != 0 { return try body() }
        try runCommand(["chown", "-R", "65534", path]).require(0)
        precondition(seteuid(65534) == 0)
        defer { precondition(seteuid(0) == 0) }
        try body()
    }

    /// Waits until nobody holds a capture's lock. A process that another test is just starting holds copies of all
    /// descriptors, and so of a lock that was just released, until it has executed its program.
    func comesFree(_ id: String) -> Bool {
        for _ in 0..<1000 {
            if !StateLock.isHeld(id, in: state) { return true }
            usleep(10_000)
        }
        return false
    }

    func plan(
        _ inputs: [CaptureInput], _ text: String = "stages: [read, write]",
        _ change: (inout BatchPlan.Rules) -> Void = { _ in }
    ) throws -> [BatchPlan.Decision] {
        var rules = BatchPlan.Rules()
        change(&rules)
        return BatchPlan(inputs, pipeline: try pipeline(text), output: output, rules: rules, programs: programs)
            .entries.map(\.decision)
    }

    /// Every file below OUT with its bytes, except what depends on the clock.
    func results() -> [String: [UInt8]] {
        let names = FileManager.default.enumerator(atPath: output)?.allObjects as? [String] ?? []
        return names.reduce(into: [:]) { list, name in
            if name.hasPrefix(".scanmill") || FileSystem.isFolder("\(output)/\(name)") { return }
            list[name] = (try? Data(contentsOf: URL(fileURLWithPath: "\(output)/\(name)"))).map { [UInt8]($0) }
        }
    }
}

/// Notes what is opened.
private struct LoggedSource: CaptureSource {
    let source: DiskSource
    let log: Log

    func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] { [] }
    func prepare(_ frame: inout Frame, for channels: Set<Channel>) {}
    func location(of file: String) -> FileLocation? { source.location(of: file) }
    func toolVersions(for channels: Set<Channel>) -> [String: String] {
        source.toolVersions(for: channels).filter { !$0.value.isEmpty }
    }
    func open(_ file: String) throws(Problem) -> any ByteSource {
        log.add(file)
        return try source.open(file)
    }
}
