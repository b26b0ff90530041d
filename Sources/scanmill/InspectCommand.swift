import ArgumentParser
import ScanFormats
import ScanModel
import ScanPipeline

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Shows what is in a capture, and what is wrong with it.",
        discussion: """
            Files with their sizes, frame counts and rates; the camera's clock, path and intrinsics; depth and confidence \
            statistics; motion sensors; the box; what is missing; and problems, each with its place and a fix. A damaged \
            capture is inspected as far as possible. Pictures are not decoded unless `--pictures` asks for some to \
            look at: a thumbnail, a contact sheet with frame numbers, coloured depth and confidence of some frames, \
            the cloud with the box and the cameras, and the cameras' path from above, as far as the capture has them. \
            They are made by the stages of the same names, from up to 120 evenly spaced frames.

            Exit codes: 0 a run can use the capture (there may be warnings), 1 a run under the default rules would fail \
            (there are errors), 2 this is not a capture, 3 the environment stood in the way (permission, I/O, a missing \
            tool).
            """)

    @Argument(help: "A capture: a folder, an archive, or a file that is one.", completion: .capture) var capture: String
    @Option(
        help: ArgumentHelp(
            "Write pictures of what is in it to a folder, which cannot be inside the capture.", valueName: "folder"),
        completion: .directory)
    var pictures: String?
    @Flag(help: "Print the same as JSON.") var json = false

    func run() throws {
        Allocator.keepFreedFrames()
        if let pictures {
            try Console.orExit { () throws(Problem) in try InspectPictures.requireOutside(pictures, of: capture) }
        }
        let inspection: CaptureInspection
        do throws(Problem) { inspection = try CaptureInspection.inspect(capture) } catch {
            throw NamedPath.exitCode(saying: error, of: capture)
        }
        var sheet = FactSheet(inspection, root: String(capture.withoutSlashBehind))
        var isHindered = false
        if let pictures {
            let drawn = try Console.orExit { () throws(Problem) in
                try InspectPictures.draw(inspection, capture: capture, into: pictures)
            }
            sheet.add(drawn, folder: pictures)
            isHindered = drawn.isHindered
        }
        if json { Console.out(sheet.json) } else { Console.out(sheet.text(width: FactSheet.shownWidth)) }
        let faults = inspection.errors.map(\.problem.fault)
        if isHindered || faults.contains(.environment) { throw ExitCode(ExitStatus.environment) }
        if !faults.isEmpty { throw ExitCode(ExitStatus.capturesFailed) }
    }
}
