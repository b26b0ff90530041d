import ArgumentParser
import Glibc
import ScanModel
import ScanPipeline

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs captures through a pipeline.",
        discussion: """
            INPUT is a capture (a folder, a ZIP archive of one, a .r3d or a .sens file), or a folder to search for \
            captures; results, PLY files and videos are captures if they are named, and videos also with `--format \
            video` or a pipeline that begins with `read: {format: video}`, such as video-frames. Each capture is \
            published as OUT/<id>/ in one step, complete with its receipt.json, or not at all. Whatever happened, run \
            the same command again: captures whose result is up to date are passed over.

            Exit codes: \(ExitStatus.inBrief).
            """)

    @OptionGroup var batch: BatchOptions
    @Option(help: "Cores to use in total, for captures side by side and for the frames of each.") var jobs: Int?
    @Option(
        help: ArgumentHelp(
            "Begin no capture after the next time that the clock shows this, such as 06:00.", valueName: "time"))
    var until: TimeOfDay?
    @Option(
        help: ArgumentHelp("Begin no capture while less than this, such as 20G, is free for OUT.", valueName: "size"))
    var minFree: ByteSize?
    @Option(
        help: ArgumentHelp(
            """
            Memory to plan with, such as 16G: as many captures run at once as fit into it, going by what captures took \
            in earlier runs. None is killed for exceeding it; see --capture-memory.
            """, valueName: "size"))
    var maxMemory: ByteSize?
    @Option(
        help: ArgumentHelp(
            "Kill a capture that takes more memory than this, such as 8G, ffmpeg's included.", valueName: "size"))
    var captureMemory = Self.usualCaptureMemory
    @Option(help: ArgumentHelp("Kill a capture that makes no progress for this long, such as 10m.", valueName: "time"))
    var patience = Self.usualPatience
    @Option(
        help: ArgumentHelp(
            """
            Run this command when the run has ended, with SCANMILL_STATUS and SCANMILL_OUT set. SIGINT, SIGTERM and \
            SIGHUP are passed on to it, and it then has 5 seconds; if a signal ended the run, it has 5 seconds from its \
            start.
            """, valueName: "command")
    )
    var onFinish: String?
    @Option(
        help: ArgumentHelp("Append what happens to this file, one JSON object per line.", valueName: "file"),
        completion: .file())
    var log: String?
    @Option(
        help: ArgumentHelp("Write figures to this file in Prometheus' text format.", valueName: "file"),
        completion: .file())
    var metrics: String?
    @Flag(help: "Write no report when the run has ended.") var noReport = false
    @Flag(
        name: .shortAndLong,
        help:
            """
            Say nothing unless something failed, was salvaged, was lost on the way, has wrong geometry, has fewer \
            frames than the result that it replaces, is still arriving, was left for lack of disk space, or is new or \
            has changed and was left for lack of time; results were made again because of an update; or something is \
            odd about the run as a whole.
            """
    )
    var quiet = false

    private static let usualCaptureMemory = ByteSize(bytes: 8_000_000_000)
    private static let usualPatience = Duration.seconds(600)

    /// Whether stdout is kept for JSON, or for nothing.
    var isSilent: Bool { quiet || batch.json }

    /// What is kept of the command, to run any of the captures again.
    var asRun: RunRecord.Command {
        // Without `--force` an older result that is up to date would be left as it is.
        var words =
            (batch.force ? ["--force"] : []) + (batch.replace ? ["--replace"] : [])
            + batch.formats.flatMap { ["--format", $0] }
        if captureMemory.bytes != Self.usualCaptureMemory.bytes {
            words += ["--capture-memory", captureMemory.argument]
        }
        if patience != Self.usualPatience { words += ["--patience", "\(patience.components.seconds)s"] }
        let isShort = batch.isShort
        return RunRecord.Command(
            pipeline: batch.pipeline, settings: batch.settings, further: words, output: batch.output,
            inputs: isShort ? batch.inputs : [], choice: isShort ? batch.choice : [], tool: Tool.nameAndVersion)
    }

    func validate() throws {
        if batch.inputs.isEmpty { throw ValidationError("Name at least one INPUT.") }
        if patience < .seconds(1) { throw ValidationError("`--patience` takes a time of at least 1 second.") }
        if captureMemory.bytes == 0 {
            throw ValidationError("`--capture-memory` must be more than nothing, such as 8G.")
        }
        // Both may go to one device, such as /dev/stderr: nothing is replaced there.
        let place = { (path: String) in FileSystem.realPath(path) ?? FileSystem.absolute(path) }
        if let log, let metrics, place(log).utf8.elementsEqual(place(metrics).utf8), !FileSystem.isSpecial(log) {
            throw ValidationError("`--log` and `--metrics` are the same file, and the metrics would replace the log.")
        }
        if let jobs, jobs < 1 { throw ValidationError("`--jobs` takes a whole number of at least 1.") }
    }

    func run() async throws {
        // A reader that went away is no reason to die, not even before the run begins.
        signal(SIGPIPE, SIG_IGN)
        try NamedPath.requireOrder(of: batch)
        let code: Int32
        do {
            let night = try Night.begin(self)
            code = await RunEnding.of(night, self)
        } catch let error as ExitCode where error.rawValue == ExitStatus.environment {
            code = await RunEnding.ofUnbegun(self, error.rawValue)
        }
        if code != 0 { throw ExitCode(code) }
    }
}
