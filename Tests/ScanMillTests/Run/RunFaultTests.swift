import Foundation
import TestSupport
import Testing

/// What is the machine's fault is tried again by the next run, and never noted as the capture's; and what a reader went by
/// decides a result, also where no stage uses it.
@Suite struct RunFaultTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let cloud = "{read: {bad-frame-limit: 0.5}}, decompress, unproject: {color: false}, write-ply"

    @Test func aMendedPictureIsNoticedThoughNoStageUsesPictures() throws {
        try MiniCapture().write(in: folder)
        let picture = "mini/color/000003.png"
        let whole = try folder.bytes(picture)
        try folder.write(Array(whole.prefix(whole.count / 2)), to: picture)
        try runCommand(["sleep", "2.1"]).require(0)
        let first = try folder.run(Self.cloud)
        #expect(first.output.contains("done     mini  6 of 7 frames"), "\(first.output)\(first.errors)")
        #expect(try folder.run(Self.cloud).output.contains("1 up to date"))
        // In its place: no folder's time tells.
        let handle = try FileHandle(forWritingTo: folder.url(picture))
        try handle.write(contentsOf: whole)
        try handle.close()
        let second = try folder.run(Self.cloud)
        #expect(second.output.contains("done     mini  7 frames"), "\(second.output)\(second.errors)")
    }

    @Test func withoutFfmpegNoCameraIsGuessed() throws {
        let sample = ["sample", "stray", "--frames", "6", "--format", "stray-scanner"]
        #expect(try Scanmill.run(sample, in: folder.path).status == 0)
        let arguments = ["stray", "-o", "out"]
        let without = try folder.run(Self.cloud, arguments, environment: ["PATH": "\(folder.path)/no-tools"])
        #expect(without.status == 3, "\(without.output)\(without.errors)")
        #expect(without.errors.contains("ffprobe was not found") || without.errors.contains("ffmpeg was not found"))
        // Nor is one shown, or doubted.
        let seen = try Scanmill.run(
            ["inspect", "stray"], in: folder.path, environment: ["PATH": "\(folder.path)/no-tools"])
        #expect(seen.status == 3 && !seen.output.contains("Intrinsics\n"), "\(seen)")
        #expect(seen.output.contains("Problems\n  error: ffmpeg was not found\n"), "\(seen)")
        #expect(
            seen.output.components(separatedBy: "error: ").count == 2 && !seen.output.contains("warning: "), "\(seen)")
        #expect(!seen.output.contains("intrinsics       the capture has none"), "\(seen)")
        let with = try folder.run(Self.cloud, arguments)
        #expect(with.status == 0, "\(with.output)\(with.errors)")
    }

    @Test(arguments: [
        "echo 'ffmpeg: error while loading shared libraries: libx.so: cannot open' >&2; exit 127", "exit 126",
        "echo '[error] mini.mp4: Stale file handle' >&2; exit 1",
        // It got no thread.
        "echo '[rawvideo @ 0x55d0c8a0] [error] ff_frame_thread_encoder_init failed' >&2; exit 1",
        // What is wrong with a video, it says.
        "exit 1",
    ])
    func anFfmpegThatDoesNotWorkIsNotTheVideosFault(_ behaviour: String) throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        let path = try folder.fakeFFmpeg(else: behaviour)
        let scores = "read, filter-blur: {window: 3}"
        let broken = try folder.run(scores, environment: path)
        #expect(broken.status == 3, "\(broken.output)\(broken.errors)")
        #expect(broken.errors.contains("pids.max") == behaviour.contains("thread"), "\(broken.errors)")
        let mended = try folder.run(scores)
        #expect(mended.output.contains("done     mini"), "\(mended.output)\(mended.errors)")
    }

    /// It concerns all captures.
    @Test func theMachinesFaultOutranksADamagedCapture() throws {
        try MiniCapture(id: "a").write(in: folder)
        try folder.write("{", to: "a/recorded.json")
        var video = MiniCapture(id: "b")
        video.pictures = .mp4
        try video.write(in: folder)
        let path = try folder.fakeFFmpeg(else: "exit 126")
        let run = try folder.run("read, filter-blur: {window: 3}", ["a", "b", "-o", "out"], environment: path)
        #expect(run.status == 3 && run.errors.contains("2 captures failed:\n"), "\(run)")
    }

    /// ffmpeg's reader of Matroska calls damage so, too.
    @Test func anInputOutputErrorOfAFileThatCanBeRead() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        let says = "echo '[error] mini.mp4: Input/output error' >&2; exit 1"
        let path = try folder.fakeFFmpeg(else: says)
        let readable = try folder.run("read, filter-blur: {window: 3}", environment: path)
        #expect(readable.status == 1, "\(readable.output)\(readable.errors)")
        #expect(readable.errors.contains("says: mini.mp4: Input/output error"), "\(readable.errors)")
    }

    @Test func aVideoThatCannotBeReadIsNotDamaged() throws {
        guard Strace.isThere else { return }
        try MiniCapture(pictures: .mp4).write(in: folder)
        try folder.write("name: trouble\nstages: [read, {filter-blur: {window: 3}}]\n", to: "trouble.yaml")
        let result = try run("mini", failing: "read,pread64", on: "mini/recorded.mp4", with: "error=EIO")
        #expect(result?.status == 3, "\(result?.output ?? "")\(result?.errors ?? "nothing was injected")")
    }

    @Test func moreThreadsThanHelpAreNotAskedOfFfmpeg() throws {
        try MiniCapture(pictures: .mp4).write(in: folder)
        let many = try folder.run("read, filter-blur: {window: 3}", ["mini", "-o", "out", "--jobs", "99999999999"])
        #expect(many.output.contains("done     mini"), "\(many.output)\(many.errors)")
    }

    /// Runs `trouble.yaml` while calls of the system on one path fail.
    /// - Returns: nil where no call was made that should have failed.
    private func run(
        _ capture: String, failing calls: String, on path: String, with fault: String
    ) throws -> CommandResult? {
        let result = try runCommand(
            [
                "strace", "-f", "-o", "calls", "-P", path, "-e", "trace=\(calls)", "-e", "inject=\(calls):\(fault)",
                Scanmill.path, "run", "trouble.yaml", capture, "-o", "out", "--force", "--no-report", "--jobs", "1",
            ], in: folder.path)
        return String(decoding: try folder.bytes("calls"), as: UTF8.self).contains("(INJECTED)") ? result : nil
    }

    /// A read that fails in the middle of an archive.
    @Test func anArchiveThatCannotBeReadIsNotDamaged() throws {
        guard Strace.isThere else { return }
        let sample = ["sample", "room", "--frames", "6"]
        #expect(try Scanmill.run(sample, in: folder.path).status == 0)
        try runCommand(["python3", "-m", "zipfile", "-c", "room.zip", "room/"], in: folder.path).require(0)
        try folder.write("name: trouble\nstages: [\(Self.cloud)]\n", to: "trouble.yaml")
        var blamed = 0
        for number in [3, 12, 25, 40] {
            let fault = "error=EIO:when=\(number)+"
            guard let result = try run("room.zip", failing: "read,pread64", on: "room.zip", with: fault) else {
                continue
            }
            blamed += 1
            #expect(result.status == 3, "\(number): \(result.output)\(result.errors)")
        }
        #expect(blamed >= 3)
        let whole = try folder.run(Self.cloud, ["room.zip", "-o", "out", "--force"])
        #expect(whole.output.contains("done     room  6 frames"), "\(whole.output)\(whole.errors)")
    }

    /// Captures may have been missed in it: the others are run, and the night was not a good one.
    @Test func aFolderThatCannotBeListedToItsEndIsNamed() throws {
        guard Strace.isThere else { return }
        try MiniCapture().write(in: folder)
        let moves = "mkdir -p night/b && cp -r mini night/a && mv mini night/b/"
        try runCommand(["sh", "-c", moves], in: folder.path).require(0)
        try folder.write("name: trouble\nstages: [\(Self.cloud)]\n", to: "trouble.yaml")
        let answer = try run("night", failing: "getdents64", on: "night/b", with: "error=EIO:when=2+")
        let result = try #require(answer)
        #expect(result.status == 3, "\(result.output)")
        #expect(result.output.contains("2 captures: 1 done, 1 failed"), "\(result.output)")
        #expect(
            result.errors.contains("error: the folder could not be listed to its end\n  --> night/b\n"),
            "\(result.errors)")
        #expect(result.errors.contains(": Input/output error\n   = fix: look at the kernel's log"), "\(result.errors)")
    }

    /// A file server that forgets a picture for a moment, while it is copied.
    @Test func aPictureThatIsOutOfReachIsNoBadFrame() throws {
        guard Strace.isThere else { return }
        try MiniCapture().write(in: folder)
        let stages = "{read: {bad-frame-limit: 0.5}}, write-transforms"
        try folder.write("name: trouble\nstages: [\(stages)]\n", to: "trouble.yaml")
        var injected = 0
        for number in 1...6 {
            let (picture, fault) = ("mini/color/000003.png", "error=ESTALE:when=\(number)")
            guard let result = try run("mini", failing: "openat", on: picture, with: fault) else { break }
            injected += 1
            #expect(result.status == 3, "\(number): \(result.output)\(result.errors)")
        }
        #expect(injected >= 3)
    }

    @Test func aResultCannotHoldWhatIsRemovedFromIt() throws {
        try MiniCapture().write(in: folder)
        let stages = "read, decompress, unproject: {color: false}, write-ply: {file: .scratch/a.ply}"
        let result = try folder.run(stages)
        #expect(result.status != 0)
        #expect(result.errors.contains("a result cannot hold .scratch"), "\(result.errors)")
    }

    @Test(arguments: ["--log", "--metrics"]) func nothingIsWrittenIntoACapture(_ option: String) throws {
        try MiniCapture().write(in: folder)
        let refused = try folder.run("read, decompress", ["mini", "-o", "out", option, "mini/notes"])
        #expect(refused.status == 2)
        #expect(refused.errors.contains("would be written into the capture mini"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/mini/notes"))
        #expect(try folder.run("read, decompress", ["mini", "-o", "out", option, "notes"]).status == 0)
    }

    @Test func whatIsNeededIsNamedOnce() throws {
        try MiniCapture().write(in: folder)
        let result = try folder.run("read, crop: {above: 0, around: 2}, write-ply")
        #expect(result.errors.contains("crop needs cloud, and this capture has none"), "\(result.errors)")
    }

    /// The page is what people open in the morning.
    @Test func aNightOfWhichNothingCouldBeginHasAReport() throws {
        try MiniCapture().write(in: folder)
        try runCommand(["sh", "-c", "mkdir in in/mon in/tue; cp -r mini in/mon; cp -r mini in/tue"], in: folder.path)
            .require(0)
        let result = try folder.run("read, decompress", ["in", "-o", "out"])
        #expect(result.status == 1)
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/.scanmill/report.html"), "\(result.output)")
    }
}
