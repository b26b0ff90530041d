import Dispatch
import Glibc
import ScanModel
import Subprocess

/// The two programs that read and write videos, `ffmpeg` and `ffprobe`, found on PATH.
public struct FFmpeg: Hashable, Sendable {
    /// Where `ffmpeg` is.
    public let ffmpeg: String
    /// Where `ffprobe` is.
    public let ffprobe: String
    /// Seconds after which a program that neither reads nor writes is taken to hang, and is ended.
    public let patience: Int

    public init(ffmpeg: String, ffprobe: String, patience: Int = RunResources.usualPatience) {
        self.ffmpeg = ffmpeg
        self.ffprobe = ffprobe
        self.patience = patience
    }

    /// Looks both programs up.
    /// - Parameters:
    ///   - searchPath: folders with colons between them; nil for the environment's PATH. Relative folders are passed over:
    ///     what runs must not depend on the working directory.
    ///   - patience: as ``patience``.
    /// - Throws: a problem with fault `environment` when one of the two is missing.
    public static func find(
        in searchPath: String? = nil, patience: Int = RunResources.usualPatience
    ) throws(Problem) -> FFmpeg {
        let folders = searchPath ?? getenv("PATH").map { String(cString: $0) } ?? ""
        func locate(_ name: String) throws(Problem) -> String {
            for folder in folders.split(separator: ":") where folder.isAbsolutePath {
                let path = "\(folder)/\(name)"
                var facts = stat()
                if stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 { return path }
            }
            throw Problem(
                .environment, "\(name) was not found",
                notes: ["looked in PATH: \(folders.isEmpty ? "(empty)" : folders)"],
                fix: "install it, on Debian and Ubuntu with: apt install ffmpeg")
        }
        return FFmpeg(ffmpeg: try locate("ffmpeg"), ffprobe: try locate("ffprobe"), patience: patience)
    }

    /// The same for work on a capture, which says how patient to be.
    public static func find(for capture: Capture) throws(Problem) -> FFmpeg {
        try find(patience: capture.resources.patience)
    }

    func start(_ arguments: [String], log: FFmpegLog) throws(Problem) -> RunningTool {
        try RunningTool(ffmpeg, arguments, log: log, patience: patience)
    }

    func startProbe(_ arguments: [String], log: FFmpegLog) throws(Problem) -> RunningTool {
        try RunningTool(ffprobe, arguments, log: log, patience: patience)
    }

    /// What a stage or format that uses ffmpeg says it needs: results may change with the version, so it belongs in
    /// receipts and keys.
    /// - Parameter facts: of a video that was already probed. Where both programs lie in one folder they have the same
    ///   version, which ffprobe has then already given.
    public static func toolVersions(probed facts: VideoFacts? = nil) throws(Problem) -> [String: String] {
        let found = try find()
        if let version = facts?.probeVersion, found.isOneInstallation { return ["ffmpeg": "ffmpeg version \(version)"] }
        return ["ffmpeg": try found.version()]
    }

    /// The same for a stage that writes videos, where the capture's own video may have been probed already.
    public static func toolVersions(for capture: Capture) throws(Problem) -> [String: String] {
        if let known = try capture.source.toolVersions(for: [.color])["ffmpeg"] { return ["ffmpeg": known] }
        return try toolVersions()
    }

    private var isOneInstallation: Bool {
        func folder(_ path: String) -> Substring {
            let path = CaptureFolder.realPath(path)
            return path[..<(path.lastSlash ?? path.startIndex)]
        }
        return folder(ffmpeg) == folder(ffprobe)
    }

    /// What the program calls itself, as in "ffmpeg version 5.1.9-0+deb12u1".
    public func version() throws(Problem) -> String {
        var tool = try start(["-version"], log: FFmpegLog(replacing: "", with: ""))
        let output = tool.readAll()
        try tool.finish().check(tool)
        let firstLine = String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard firstLine.hasPrefix("ffmpeg version ") else {
            throw Problem(
                .environment, "\(ffmpeg) does not say its version", notes: ["its first line is: \(firstLine)"],
                fix: "put the real ffmpeg first on PATH")
        }
        return firstLine.split(separator: " ").prefix(3).joined(separator: " ")
    }
}

extension RunningTool {
    /// Starts the program and returns its process id, together with what lets go of it once its end is known.
    ///
    /// Subprocess is asynchronous and ScanMill's workers are not. The task runs on a queue of its own, because the
    /// caller may block one of the few threads on which tasks run otherwise. Where the system gives a queue no thread, it
    /// asks again and again, and nothing would ever come of the task.
    /// - Parameter launch: has the program's ends of its pipes.
    /// - Throws: a problem with fault `environment` when the program cannot be started.
    static func start(
        _ executable: String, _ arguments: [String], _ launch: Launch
    ) throws(Problem) -> (process: pid_t, reaping: AsyncStream<Never>.Continuation) {
        try RunThreads.requireForProgram()
        let (held, reaping) = AsyncStream.makeStream(of: Never.self)
        Task(executorPreference: QueueExecutor()) {
            guard let ends = launch.takeEnds() else { return }
            do {
                var options = PlatformOptions()
                // A Ctrl-C at the terminal is for ScanMill, which itself finishes or drops what it is doing.
                options.processGroupID = 0
                _ = try await run(
                    .path(.init(executable)), arguments: .init(arguments),
                    environment: .inherit.updating(["AV_LOG_FORCE_NOCOLOR": "1", "FFREPORT": nil]),
                    platformOptions: options,
                    input: .fileDescriptor(.init(rawValue: ends[0]), closeAfterSpawningProcess: true),
                    output: .fileDescriptor(.init(rawValue: ends[1]), closeAfterSpawningProcess: true),
                    error: .fileDescriptor(.init(rawValue: ends[2]), closeAfterSpawningProcess: true)
                ) { execution in
                    launch.report(.success(execution.processIdentifier.value))
                    for await _ in held {}
                }
            } catch {
                launch.report(.failure(error))
            }
        }
        switch launch.wait() {
        case .success(let process): return (process, reaping)
        case .failure(let error):
            let isRefused = "\(error)".contains(systemText(EAGAIN))
            throw Problem(
                .environment, "\(executable) could not be started", notes: ["the system says: \(error)"],
                fix: isRefused
                    ? RunThreads.fix : "check that it can be run by hand, with: \(executable) -version")
        case nil:
            reaping.finish()
            throw Problem(
                .environment, "\(executable) could not be started within \(Launch.limit) s", fix: RunThreads.fix)
        }
    }
}

private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "scanmill.program")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
