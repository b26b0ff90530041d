import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

// One after the other: one test counts what is open.
@Suite(.serialized) struct FFmpegTests {
    @Test func isFoundOnThePath() throws {
        let found = try FFmpeg.find()
        let path = try runCommand(["sh", "-c", "command -v ffmpeg; command -v ffprobe"]).output.split(separator: "\n")
        #expect([found.ffmpeg, found.ffprobe] == path.map(String.init))
    }

    @Test func saysItsVersion() throws {
        let version = try FFmpeg.find().version()
        let firstLine = try runCommand(["ffmpeg", "-version"]).output.prefix { $0 != "\n" }
        #expect(version.hasPrefix("ffmpeg version "))
        #expect(firstLine.hasPrefix(version + " "))
    }

    @Test func missingProgramIsAProblemOfTheMachine() throws {
        let folder = try TemporaryFolder()
        // Neither a folder nor a file that cannot be run counts.
        try folder.write("", to: "ffmpeg")
        try FileManager.default.createDirectory(at: folder.url("x/ffmpeg"), withIntermediateDirectories: true)
        let path = "\(folder.path):\(folder.path)/x::."
        let problem = #expect(throws: Problem.self) { try FFmpeg.find(in: path) }
        #expect(problem?.fault == .environment)
        #expect(
            problem?.message() == """
                error: ffmpeg was not found
                   = looked in PATH: \(path)
                   = fix: install it, on Debian and Ubuntu with: apt install ffmpeg
                """)
    }

    @Test func ffprobeIsNeededToo() throws {
        let folder = try TemporaryFolder()
        let fake = try TestVideo.fake("exit 0", in: folder)
        let problem = #expect(throws: Problem.self) { try FFmpeg.find(in: "\(folder.path)/bin") }
        #expect(problem?.summary == "ffprobe was not found")
        let empty = #expect(throws: Problem.self) { try fake.version() }
        #expect(empty?.summary == "\(fake.ffmpeg) does not say its version")
    }

    @Test func programThatCannotBeStartedIsNamed() throws {
        let folder = try TemporaryFolder()
        let broken = FFmpeg(ffmpeg: "\(folder.path)/gone", ffprobe: "\(folder.path)/gone")
        let problem = #expect(throws: Problem.self) { try broken.version() }
        #expect(problem?.fault == .environment)
        #expect(problem?.summary == "\(folder.path)/gone could not be started")
    }

    @Test func startsThatFailLeaveNothingOpen() throws {
        let gone = FFmpeg(ffmpeg: "/nowhere/gone", ffprobe: "/nowhere/gone")
        let before = try Self.descriptors()
        for _ in 0..<30 { #expect(throws: Problem.self) { try gone.version() } }
        // Other tests run at the same time, in this process.
        #expect(try Self.descriptors() - before < 40)
    }

    /// A queue may get its thread after that, when the descriptors' numbers are those of other files.
    @Test(.timeLimit(.minutes(20))) func aProgramThatNobodyWaitsForIsNotStarted() throws {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let pipes = try (0..<3).map { _ in
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            return ends
        }
        defer { for ends in pipes { close(ends[0]) } }
        let launch = Launch(pipes.map { $0[1] })
        #expect(launch.wait(seconds: 0) == nil)
        #expect(launch.takeEnds() == nil)
        // Until the other end is closed, reading waits.
        let rests = pipes.map { ends in
            var byte: UInt8 = 0
            return read(ends[0], &byte, 1)
        }
        #expect(rests == [0, 0, 0])
    }

    @Test func failureBringsTheProgramsWords() throws {
        let folder = try TemporaryFolder()
        let problem = #expect(throws: Problem.self) {
            try TestVideo.fake("echo 'library x is missing' >&2; exit 127", in: folder).version()
        }
        #expect(problem?.summary == "ffmpeg could not be run: exit status 127")
        #expect(problem?.notes == ["ffmpeg says: library x is missing"])
    }

    /// Nothing waits for ever for what will not come.
    @Test(.timeLimit(.minutes(20))) func aProgramThatHangsIsEnded() throws {
        let folder = try TemporaryFolder()
        let fake = try TestVideo.fake("sh -c 'sleep 999 # \(folder.path)'", in: folder)
        let hung = FFmpeg(ffmpeg: fake.ffmpeg, ffprobe: fake.ffprobe, patience: 1)
        let problem = #expect(throws: Problem.self) { try hung.version() }
        #expect(problem?.summary == "ffmpeg did nothing for 1 s and was killed")
        #expect(problem?.fault == .environment)
        while try !Self.runningCommands(naming: folder.path).isEmpty { usleep(10_000) }
    }

    /// A long video is copied without a word.
    @Test func aProgramWhoseFileGrowsDoesNotHang() throws {
        let folder = try TemporaryFolder()
        let path = folder.url("long.h264").path
        let fake = try TestVideo.fake("for i in 1 2 3 4 5 6 7 8; do echo $i >> \(path); sleep 0.5; done", in: folder)
        let patient = FFmpeg(ffmpeg: fake.ffmpeg, ffprobe: fake.ffprobe, patience: 3)
        try VideoEncoder.writeElementaryStream(of: "long.mp4", rate: 30, to: path, name: "long.h264", with: patient)
        #expect(try folder.bytes("long.h264").count == 16)
        // So is one that says something now and then.
        let talkative = try TestVideo.fake("for i in 1 2 3 4 5 6; do echo $i >&2; sleep 1; done", in: folder)
        let waiting = FFmpeg(ffmpeg: talkative.ffmpeg, ffprobe: talkative.ffprobe, patience: 3)
        try VideoEncoder.writeElementaryStream(of: "long.mp4", rate: 30, to: path, name: "long.h264", with: waiting)
        let stalling = try TestVideo.fake("echo 1 > \(path); sleep 999", in: folder)
        let hasty = FFmpeg(ffmpeg: stalling.ffmpeg, ffprobe: stalling.ffprobe, patience: 1)
        let problem = #expect(throws: Problem.self) {
            try VideoEncoder.writeElementaryStream(of: "long.mp4", rate: 30, to: path, name: "long.h264", with: hasty)
        }
        #expect(problem?.summary == "ffmpeg did nothing for 1 s and was killed")
    }

    /// 30 decoders that are let go of after one frame, and 30 encoders that are let go of before their end.
    @Test func nothingIsLeftBehind() async throws {
        let folder = try TemporaryFolder()
        let ffmpeg = try FFmpeg.find()
        let path = try TestVideo.gray("video.mp4", in: folder, frames: 200, size: "320x240")
        let input = VideoInput(path: path, name: "video.mp4")
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        let settings = VideoSettings(width: 320, height: 240, layout: .rgb24, nominalRate: 30)
        let before = try Self.descriptors()
        var pixels: [UInt8] = []
        for _ in 0..<30 {
            let decoder = try VideoDecoder(input, facts: facts, layout: .rgb24, with: ffmpeg)
            #expect(try decoder.nextFrame(into: &pixels))
            let output = folder.url("abandoned.mp4").path
            let encoder = try VideoEncoder(path: output, name: "abandoned.mp4", settings: settings, with: ffmpeg)
            try encoder.append(pixels, at: 0)
        }
        #expect(try Self.runningCommands(naming: folder.path) == [])
        #expect(!FileManager.default.fileExists(atPath: folder.url("abandoned.mp4").path))
        // Other tests run at the same time, in this process: only what has piled up counts. What Subprocess keeps of
        // an ended process goes a moment later.
        for _ in 0..<100 where try Self.descriptors() - before >= 40 || Self.zombies() >= 20 {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try Self.descriptors() - before < 40)
        #expect(try Self.zombies() < 20)
    }

    /// A wrapper script is gone at once, and what it started with it.
    @Test(.timeLimit(.minutes(20))) func whatAProgramStartedEndsWithIt() throws {
        let folder = try TemporaryFolder()
        let fake = try TestVideo.fake("sleep 1000 & sh -c 'sleep 999 # \(folder.path)'; wait", in: folder)
        let path = try TestVideo.gray("video.mp4", in: folder, frames: 3)
        let input = VideoInput(path: path, name: "video.mp4")
        do {
            let facts = try VideoProbe.probe(input, with: fake)
            let decoder = try VideoDecoder(input, facts: facts, layout: .luma, with: fake)
            #expect(decoder.complaints == [])
            // The script's own command line names the folder, too.
            while try Self.runningCommands(naming: folder.path).count < 2 { usleep(10_000) }
        }
        while try !Self.runningCommands(naming: folder.path).isEmpty { usleep(10_000) }
    }

    /// Synchronous calls from more tasks than there are threads for tasks.
    @Test(.timeLimit(.minutes(20))) func manyAtOnceDoNotBlockEachOther() async throws {
        let folder = try TemporaryFolder()
        let ffmpeg = try FFmpeg.find()
        let path = try TestVideo.gray("video.mp4", in: folder, frames: 50)
        let input = VideoInput(path: path, name: "video.mp4")
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let facts = try VideoProbe.probe(input, with: ffmpeg)
                    let first = try VideoDecoder(input, facts: facts, layout: .rgb24, with: ffmpeg)
                    let second = try VideoDecoder(input, facts: facts, layout: .luma, with: ffmpeg)
                    var count = 0
                    var (colors, lumas): ([UInt8], [UInt8]) = ([], [])
                    while try first.nextFrame(into: &colors), try second.nextFrame(into: &lumas) { count += 1 }
                    return count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 50, count: 16))
    }

    private static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private static func runningCommands(naming text: String) throws -> [String] {
        try processes("cmdline").filter { $0.contains(text) }
    }

    private static func zombies() throws -> Int {
        try processes("stat").count { $0.contains(") Z \(getpid()) ") }
    }

    /// What `/proc` says in `file` about every process.
    private static func processes(_ file: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.compactMap {
            FileManager.default.contents(atPath: "/proc/\($0)/\(file)").map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
