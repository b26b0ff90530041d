import FoundationEssentials
import Glibc
import ScanModel
import ScanPipeline

/// Figures of a run in Prometheus' text format, for the node exporter's textfile collector.
enum RunMetrics {
    /// Where the figures go: a symbolic link stays one, and the file that it leads to is replaced.
    private static func place(of path: String) -> String { FileSystem.realPath(path) ?? path }

    /// Checks that figures can be written there before a night is spent.
    static func require(_ named: String) throws(Problem) {
        let path = place(of: named)
        if FileSystem.isFolder(path) {
            throw Problem(.environment, "the figures cannot be written: this is a folder", fix: "name a file in it")
                .at(file: path)
        }
        let summary = "the figures cannot be written"
        // What is no file is written in place, and a file is replaced by renaming.
        if FileSystem.isSpecial(path) { return try FileSystem.requireAccess(to: path, W_OK, summary) }
        let folder = FileSystem.parent(of: path)
        if FileSystem.isFolder(folder) { return try FileSystem.requireAccess(to: folder, W_OK | X_OK, summary) }
        throw Problem(
            .environment, "the figures cannot be written: there is no folder \(folder)",
            fix: "make the folder, or name another file"
        ).at(file: path)
    }

    /// Whose figures these are, as labels of every series: the collector takes no two files with one series. One pipeline
    /// may be run into several folders.
    /// - Parameters:
    ///   - pipeline: its name; nil where that is not known.
    ///   - output: OUT, as it was given.
    static func labels(pipeline: String?, output: String) -> String {
        let labels: [(String, String?)] = [("pipeline", pipeline), ("output", FileSystem.absolute(output))]
        return labels.compactMap { name, value in value.map { "\(name)=\"\(escaped($0))\"" } }.joined(separator: ",")
    }

    /// As Prometheus' text format wants a label's value.
    private static func escaped(_ text: String) -> String {
        // By scalars: a quote with an accent behind it, and CR LF, are Characters of their own.
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    /// - Parameters:
    ///   - withoutCapture: how many files and folders held no capture.
    ///   - status: the exit code with which the run is about to end.
    ///   - labels: of every series.
    static func write(
        _ outcomes: [CaptureOutcome], withoutCapture: Int, seconds: Double, status: Int32, labels: String,
        to path: String
    ) throws(Problem) {
        var text = """
            # HELP scanmill_captures Captures of the last run by how they ended.
            # TYPE scanmill_captures gauge

            """
        let counts = Dictionary(grouping: outcomes, by: \.ending.kind).mapValues(\.count)
        for kind in CaptureEnding.Kind.allCases {
            text += "scanmill_captures{\(labels),ended=\"\(kind.rawValue)\"} \(counts[kind] ?? 0)\n"
        }
        let done = outcomes.compactMap { outcome in if case .done(let summary) = outcome.ending { summary } else { nil }
        }
        for (name, help, value) in [
            (
                "frames_source", "Frames in the captures that were done in the last run.",
                Double(done.reduce(0) { $0 + $1.frameCount })
            ),
            (
                "captures_salvaged", "Captures of the last run that were salvaged: only what was whole was kept.",
                Double(done.count { !$0.forgiven.isEmpty })
            ),
            (
                "captures_doubtful", "Captures of the last run that were done, but about which even a quiet run warns.",
                Double(done.count(where: \.isDoubtful))
            ),
            (
                "without_capture", "Files and folders in which the last run found no capture.", Double(withoutCapture)
            ),
            ("frames_kept", "Frames that were kept in the last run.", Double(done.reduce(0) { $0 + $1.framesKept })),
            ("written_bytes", "Bytes published in the last run.", Double(done.reduce(0) { $0 + $1.byteCount })),
            ("run_seconds", "How long the last run took.", seconds),
            ("run_status", "The exit code of the last run.", Double(status)),
            ("run_end_seconds", "When the last run ended, seconds since 1970.", Date().timeIntervalSince1970),
        ] {
            text += "# HELP scanmill_\(name) \(help)\n# TYPE scanmill_\(name) gauge\n"
            text += "scanmill_\(name){\(labels)} \(value)\n"
        }
        // In one step, because the collector reads whenever it likes; but a device or a pipe stays what it is.
        if FileSystem.isSpecial(path) {
            try FileSystem.overwrite(path, with: Array(text.utf8))
        } else {
            try FileSystem.replace(place(of: path), with: Array(text.utf8))
        }
    }
}
