import Glibc
import ScanModel

/// What ffmpeg and ffprobe wrote to their standard error under ``arguments(for:)``, kept short: the last lines that report
/// an error, and the number of frames that were decoded wrong.
///
/// Memory addresses are taken out and the file's address is replaced by its name in the capture, so that the same
/// error gives the same words on every machine.
struct FFmpegLog: Sendable {
    /// The last error lines, each once, oldest first, together at most about 4 KiB.
    private(set) var lines: [String] = []
    /// How many lines ffmpeg itself calls errors: a library's or a wrapper's words have no level.
    private(set) var errorCount = 0
    /// How many frames the decoder handed out although parts of them were missing and had to be guessed.
    private(set) var damagedFrames = 0

    /// The least severe level that is logged.
    enum Level: String { case warning, error }

    /// Make ffmpeg and ffprobe write what is understood here: each line with its level, and repeated lines each time,
    /// since all damaged frames give the same one.
    static func arguments(for level: Level) -> [String] {
        ["-hide_banner", "-loglevel", "repeat+level+\(level.rawValue)"]
    }

    private let address: String
    private let name: String
    private var unfinished: [UInt8] = []

    /// - Parameters:
    ///   - address: how the file was named to ffmpeg.
    ///   - name: how people know it.
    init(replacing address: String, with name: String) {
        self.address = address
        self.name = name
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                endLine()
            } else if unfinished.count < Self.longestLine {
                unfinished.append(byte)
            }
        }
    }

    mutating func endLine() {
        defer { unfinished.removeAll(keepingCapacity: true) }
        let line = String(decoding: unfinished, as: UTF8.self)
        if line.contains("[warning] ") {
            if line.contains("corrupt decoded frame") { damagedFrames += 1 }
            return
        }
        if line.allSatisfy(\.isWhitespace) { return }
        var text = Self.withoutAddresses(line).replacing(address, with: name)
        for level in ["[error] ", "[fatal] ", "[panic] "] where text.contains(level) {
            text = text.replacing(level, with: "", maxReplacements: 1)
            errorCount += 1
        }
        if lines.contains(text) { return }
        lines.append(text)
        while lines.count > 1, lines.reduce(0, { $0 + $1.utf8.count }) > Self.most { lines.removeFirst() }
    }

    /// A line that speaks of the machine rather than the video, and what to do: a disk or a file server that failed, a
    /// library that is missing, threads that were refused.
    /// - Parameters:
    ///   - tool: the program.
    ///   - input: what was read: ffmpeg calls some damage an input/output error too, which is the machine's fault only
    ///     where the file cannot be read in other ways either.
    func machineTrouble(of tool: String, reading input: VideoInput?) -> (line: String, fix: String)? {
        func line(withAny words: [String]) -> String? { lines.last { line in words.contains(where: line.contains) } }
        func words(_ codes: [Int32]) -> [String] { codes.map { systemText($0) } }
        if let refusal = line(withAny: words([EAGAIN]) + Self.refusals) {
            return (refusal, "\(RunThreads.fix), or use fewer with --jobs")
        }
        let named = words([ESTALE, ETIMEDOUT, EMFILE, ENFILE]) + ["error while loading shared libraries"]
        let unsure = input?.isReadable == true ? [] : words([EIO])
        return line(withAny: named + unsure).map {
            ($0, "look at the kernel's log, and try it by hand:  \(tool) -version")
        }
    }

    /// What ffmpeg says where it gets no threads or memory. To hand out decoded frames it uses an encoder that cannot fail
    /// otherwise.
    private static let refusals = ["ff_frame_thread_encoder_init failed", "Error while opening encoder"]

    /// Whether the file is a video in a format that ``VideoInput/options`` do not let ffmpeg read.
    var refusesVideo: Bool {
        lines.contains { line in
            line.contains("Format not on whitelist") && !Self.lists.contains(where: line.contains)
        }
    }

    /// Formats that are no videos, but name other files.
    private static let lists = ["[hls]", "[concat]", "[dash]", "[imf]"]

    /// The last lines, as notes of a problem.
    func notes(from tool: String) -> [String] {
        lines.suffix(3).map { "\(tool) says: \($0)" }
    }

    private static let most = 4096
    private static let longestLine = 1000

    /// "[h264 @ 0x55cb8d493c80] text" becomes "[h264] text".
    private static func withoutAddresses(_ line: String) -> String {
        var parts = line.split(separator: " @ 0x", omittingEmptySubsequences: false)
        for index in parts.indices.dropFirst() { parts[index] = parts[index].drop(while: \.isHexDigit) }
        return parts.joined()
    }
}
