import ScanFormats
import ScanPipeline

enum Tool {
    static let version = "0.1.0"
    /// The release date of that version, which the manual page shows.
    static let released = "2026-11-22"
    static let nameAndVersion = "scanmill \(version)"
}

extension ProgramVersions {
    static var installed: ProgramVersions {
        let ffmpeg = try? FFmpeg.find()
        let formats = CaptureFormats.all.map { ($0.card.name, $0.card.revision) }
        return ProgramVersions(
            tool: Tool.nameAndVersion, build: BuildID.ofThisProgram,
            formats: FormatRevisions(byName: Dictionary(formats, uniquingKeysWith: { first, _ in first })),
            paths: ffmpeg.map { [$0.ffmpeg, $0.ffprobe] } ?? []
        ) { name in (try? FFmpeg.toolVersions())?[name] }
    }
}
