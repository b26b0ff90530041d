import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct InspectCommandTests {
    private let sample: InspectSample

    init() throws { sample = try InspectSample() }

    private func inspect(_ arguments: String...) throws -> CommandResult {
        try Scanmill.run(["inspect"] + arguments, in: sample.folder.path)
    }

    private func json(_ arguments: String...) throws -> JSONValue {
        try JSONValue.parse(
            Array(try Scanmill.run(["inspect", "--json"] + arguments, in: sample.folder.path).output.utf8),
            file: "stdout")
    }

    /// The size of files as the report shows it, in its column: how well Python's zlib packs depends on the machine.
    private func size(_ names: [String]) throws -> String {
        let bytes = try names.map { try sample.folder.bytes("mini/\($0)").count }.reduce(0, +)
        let text = bytes < 1000 ? "\(bytes) B" : "\((Double(bytes) / 100).rounded() / 10) kB"
        return String(repeating: " ", count: max(0, 6 - text.count)) + text
    }

    /// It may be sound, and a run that needs it ends with 3 too.
    @Test func aMaskThatMayNotBeRead() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copySample("transforms")
        let text = String(decoding: try folder.bytes("transforms/transforms.json"), as: UTF8.self)
        let picture = "\"file_path\": \"images/000003.jpg\""
        try folder.write(
            text.replacing(picture, with: "\(picture), \"mask_path\": \"a.png\""), to: "transforms/transforms.json")
        try folder.write("x", to: "transforms/a.png")
        #expect(chmod(folder.path, 0o755) == 0 && chmod("\(path)/a.png", 0o000) == 0)
        let what = "a mask that may not be read"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        let result = try runCommand(tool + ["inspect", "transforms"], in: folder.path)
        #expect(result.status == 3, "\(result)")
        #expect(result.output.contains("a.png") && !result.output.contains("copy the masks again"), "\(result)")
    }

    @Test func aSoundCaptureReadsLikeThis() throws {
        let depth = try size(["mini.depth.zlib"])
        let confidence = try size(["mini.confidence.zlib"])
        let pictures = try size((0..<40).map { "color/0000\($0 < 10 ? "0" : "")\($0).png" })
        let result = try inspect("mini")
        #expect(result.status == 0)
        #expect(result.errors == "")
        #expect(
            result.output == """
                  capture          mini
                  format           multiscan
                  variant          iOS
                  recognised by    mini.json lists streams, and camera lines stand beside it
                  device           iPad8,10, bench
                  frames           40, of which 40 are whole
                  world            in metres

                Files                                   size  frames  per second  pixels
                  boundingbox.json      box            580 B
                  mini.confidence.zlib  confidence    \(confidence)      40              4×3
                  mini.depth.zlib       depth         \(depth)      40              4×3
                  mini.json             description    748 B
                  mini.jsonl            camera lines  5.6 kB      40       30.00
                  mini.rot              motion        2.7 kB      80       60.00
                  color/                pictures      \(pictures)      40              8×6

                Pictures
                  count            40
                  size             \(pictures)
                  folders          color/
                  pixels           8×6 (40 pictures)
                  damaged          none

                Clock
                  timestamps       40
                  rate             30.00 frames/s
                  nominal rate     30.00 frames/s
                  median step      33.333 ms
                  duration         1.300 s
                  gaps             none

                Path
                  poses            40
                  length           0.390 m
                  median speed     0.300 m/s
                  highest speed    0.300 m/s at frame 7
                  lowest x, y, z   0.000, 0.000, 0.000 m
                  highest x, y, z  0.390, 0.000, 0.000 m
                  nearest to up    camera +y, 0.0° off
                  camera's own up  0.0° off

                Intrinsics
                  cameras          40
                  over time        changing from frame to frame
                  for pictures of  8×6
                  fx               100.00 to 139.00 px
                  fy               100.00 to 139.00 px
                  cx               4.00 px
                  cy               3.00 px
                  pixel origin     centre
                  field of view    3.8° × 2.9°

                Depth
                  frames           40
                  pixels           4×3
                  valid            91.0 % (437 of 480 pixels)
                  range            1.004 to 1.468 m
                  median           1.236 m
                  not a depth      1 NaN, 1 infinite, 1 negative

                Confidence
                  value  level   pixels   share
                      0  low        160  33.3 %
                      1  medium     160  33.3 %
                      2  high       160  33.3 %

                Motion (start counted from the first frame, end from the last)
                  file  measures       layout  samples  per second   starts     ends
                  rot   rotation rate  iOS          80       60.00  0.000 s  0.017 s

                Box
                  centre           0.250, 0.000, -2.000 m
                  size             1.000, 1.000, 1.000 m
                  turn about y     0.0°
                  cameras facing   front 0, back 40, left 0, right 0, bottom 0, top 0, past it 0, from inside 0

                Problems
                  none

                """)
    }

    /// Lines that a terminal breaks once more are no table and no list. Wide ones get no wider lines than a file does.
    @Test func linesFitTheTerminal() throws {
        func widest(on columns: Int) throws -> [Int] {
            let script =
                PseudoTerminal.script(rows: 24, columns: columns, stdout: "end")
                    + """
                    lines = text.split('\\r\\n')
                    print(max(map(len, lines)), sum('cameras facing' in line for line in lines))
                    """
            let result = try runCommand(
                ["python3", "-c", script, Scanmill.path, "inspect", "mini"], in: sample.folder.path)
            return result.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        }
        let (narrow, wide) = (try widest(on: 80), try widest(on: 200))
        #expect(narrow.count == 2 && narrow[0] <= 80 && narrow[1] == 1, "\(narrow)")
        #expect(wide.count == 2 && wide[0] > 80 && wide[0] <= 100, "\(wide)")
    }

    /// Between two values there is no medium level, also where damage makes up many others.
    @Test func confidenceOfTwoValues() throws {
        let range = "\"depth_confidence_value_range\": [0, 1]"
        try sample.replace("\"streams\":", by: "\(range), \"streams\":", in: "mini.json")
        try sample.edit("mini.confidence.zlib") { _ in StoredDeflate.raw((0..<480).map { UInt8($0 % 12) }) }
        let rows = try json("mini")["confidence"]?.array
        #expect(rows?.map { $0["level"]?.string } == ["low", "high"])
        #expect(rows?.map { $0["pixels"]?.integer } == [40, 440])
    }

    @Test func theJSONHasTheSameFacts() throws {
        let json = try json("mini")
        #expect(json["format"] == .string("multiscan"))
        #expect(json["frames"] == .object(["source": .of(40), "whole": .of(40)]))
        #expect(json["path"]?["length-m"]?.double.map { abs($0 - 0.39) < 1e-12 } == true)
        #expect(json["intrinsics"]?["fx-px"]?.doubles == [100, 139])
        #expect(json["depth"]?["not-depths"]?["negative"] == .integer(1))
        #expect(json["confidence"]?.array?.map { $0["pixels"]?.integer } == [160, 160, 160])
        #expect(json["box"]?["cameras-facing"]?["back"] == .integer(40))
        #expect(json["problems"] == .array([]))
        // Every heading of the text is a member, in the same order.
        let headings = try inspect("mini").output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        let titles = headings.map { String($0.prefix { $0.isLetter }).lowercased() }
        #expect(json.object?.keys.filter(titles.contains) == titles)
    }

    @Test func linesAreAtMostAHundredColumns() throws {
        for line in try inspect("mini").output.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    }

    // MARK: - Problems and exit codes

    @Test func problemsComeLastWithPlaceAndFix() throws {
        // A stored block that announces 40 frames of 24 bytes, and 37 and a half of them.
        let block: [UInt8] = [1, 0xC0, 0x03, 0x3F, 0xFC] + [UInt8](repeating: 0x3C, count: 900)
        try sample.edit("mini.depth.zlib") { _ in block }
        try sample.replaceLine(5, of: "mini.jsonl", by: "[")
        let result = try inspect("mini/")
        #expect(result.status == 1)
        let problems = try #require(result.output.range(of: "\n\nProblems\n"))
        #expect(
            result.output[problems.upperBound...] == """
                  error: depth stream truncated
                    --> mini/mini.depth.zlib at byte 905 of 905
                     = the file ends before its compressed data does
                     = it ended inside frame 37 (12 of 24 bytes); metadata says 40 frames, the camera lines 40
                     = fix: copy the file again from the device, or keep the whole frames with  --set read.truncated=keep-whole
                  warning: a bad frame would be dropped
                     = frame 4: expected an object, found a list (mini.jsonl:5:1 at byte 555)
                     = fix: copy the capture again if it was whole once; a run goes on without them

                """)
    }

    @Test func problemsHaveTheirPlaceInJSONToo() throws {
        try sample.edit("mini.depth.zlib") { $0.dropLast(40) }
        let problem = try #require(try json("mini")["problems"]?.array?.first)
        #expect(problem["weight"] == .string("error"))
        #expect(problem["message"] == .string("depth stream truncated"))
        #expect(problem["file"] == .string("mini.depth.zlib"))
        #expect(problem["byte"] == problem["of-bytes"])
        #expect(problem["notes"]?.array?.count == 2)
        #expect(problem["fix"]?.string?.hasPrefix("copy the file again") == true)
    }

    /// The path of a capture that is a file names that file already.
    @Test func aCaptureThatIsAFileIsNamedOnce() throws {
        let sens = SharedData.checkout.appendingPathComponent("samples/sens/sens.sens")
        let bytes = [UInt8](try Data(contentsOf: sens))
        try sample.folder.write(Array(bytes.prefix(bytes.count * 3 / 4)), to: "in/cut.sens")
        let result = try inspect("in/cut.sens")
        #expect(result.output.contains("--> in/cut.sens at byte "), "\(result.output)")
    }

    @Test func warningsAloneDoNotFail() throws {
        try sample.replaceLine(5, of: "mini.jsonl", by: "[")
        let result = try inspect("mini")
        #expect(result.status == 0)
        #expect(result.output.contains("\n  warning: a bad frame would be dropped\n"))
    }

    /// What `inspect` calls an error is what `run` fails with.
    @Test func anErrorIsWhatARunFailsWith() throws {
        for i in 20..<40 { try sample.remove("color/0000\(i).png") }
        try sample.folder.write("stages: [read, write-transforms]", to: "pipeline.yaml")
        let run = try Scanmill.run(["run", "pipeline.yaml", "mini", "-o", "out"], in: sample.folder.path)
        let inspection = try inspect("mini")
        #expect(run.status == 1)
        #expect(inspection.status == 1)
        for line in [
            "error: the streams differ in length by 20 frames", "= camera lines: 40, pictures: 20",
            "= allowed: at most 3",
        ] {
            #expect(run.errors.contains(line))
            #expect(inspection.output.contains(line))
        }
    }

    @Test func oneFrameIsWhole() throws {
        try MiniCapture(id: "one", frameCount: 1).write(in: sample.folder)
        let output = try inspect("one").output
        #expect(output.firstMatch(of: #/\n +frames +1, of which 1 is whole\n/#) != nil, "\(output)")
    }

    /// Both say what to copy, and a run does not advise to want less.
    @Test func anIncompleteCopyIsNamed() throws {
        for i in 0..<40 { try sample.remove("color/0000\(i < 10 ? "0" : "")\(i).png") }
        try sample.folder.write("stages: [read, filter-blur: {window: 5}]", to: "pipeline.yaml")
        let run = try Scanmill.run(["run", "pipeline.yaml", "mini", "-o", "out"], in: sample.folder.path)
        #expect(run.errors.contains("error: filter-blur needs color, and this capture has none\n"))
        #expect(run.errors.contains("   = fix: copy mini.mp4 too\n"), "\(run.errors)")
        let inspection = try inspect("mini")
        #expect(inspection.status == 0)
        #expect(inspection.output.contains("\n  frames           40, of which 0 are whole\n"))
        #expect(inspection.output.contains("     = fix: copy mini.mp4 too\n"))
    }

    /// Not taken for a plain folder of pictures: both commands name the file that was not copied.
    @Test func lostMetadataAreNamed() throws {
        try sample.remove("mini.json")
        try sample.folder.write("stages: [read, filter-blur: {window: 5}]", to: "pipeline.yaml")
        let run = try Scanmill.run(["run", "pipeline.yaml", "mini", "-o", "out"], in: sample.folder.path)
        let message = "error: the capture's metadata is missing\n"
        let note = "   = mini.json is missing beside mini.jsonl\n"
        #expect(run.status == 1)
        #expect(run.errors.contains("\(message)  --> mini/mini.json, stage read\n\(note)"), "\(run.errors)")
        let inspection = try inspect("mini")
        #expect(inspection.status == 1)
        #expect(inspection.output.contains(" multiscan\n"))
        #expect(inspection.output.contains("\n  \(message)"))
        #expect(inspection.output.contains("\n  \(note)"), "\(inspection.output)")
        #expect(inspection.output.contains("     = fix: copy the capture's .json file too\n"))
    }

    /// What holds several things is called by all of them.
    @Test(arguments: [
        ("sens", ["pictures, depth, motion", "pictures"]),
        ("scannet-raw", ["depth", "video", "motion", "description"]),
    ]) func filesAreCalledByWhatTheyHold(_ format: String, _ contents: [String]) throws {
        let samples = SharedData.checkout.appendingPathComponent("samples").path
        let files = try #require(try json("\(samples)/\(format)")["files"]?.array)
        let named = files.compactMap { $0["content"]?.string }.filter { $0 != "not read" }
        #expect(Set(named) == Set(contents), "\(named)")
    }

    @Test func ofACloudTheNumberOfItsPointsIsShown() throws {
        try sample.folder.write(
            "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
                + "end_header\n0 0 0\n1 2 3\n", to: "cloud.ply")
        let file = try #require(try json("cloud.ply")["files"]?.array?.first)
        #expect(file["content"]?.string == "points" && file["frames"]?.integer == 2, "\(file)")
    }

    @Test func formatsSayWhatTheyRead() throws {
        let text = try Scanmill.run(["formats"]).output
        #expect(
            text.contains("and set `read: {format: ply}`.\n                reads points\n"), "\(text)")
    }

    @Test func oneFormatIsShownWithWhatIsLost() throws {
        let one = try Scanmill.run(["formats", "tum"])
        #expect(one.output.hasPrefix("tum\n  TUM RGB-D"), "\(one.output)")
        #expect(one.output.contains("\n  reads pictures, poses, intrinsics, time, depth\n"), "\(one.output)")
        #expect(one.output.contains("\n  cannot hold ") && one.output.contains("which way is up"), "\(one.output)")
        let near = try Scanmill.run(["formats", "polycm"])
        #expect(near.status == 2)
        #expect(near.errors.contains("there is no format `polycm`\n   = fix: did you mean `polycam`"), "\(near.errors)")
    }

    private func formats(_ arguments: String...) throws -> JSONValue {
        try JSONValue.parse(try Scanmill.run(["formats", "--json"] + arguments).outputBytes, file: "stdout")
    }

    @Test func formatsAreThereForPrograms() throws {
        let all = try #require(try formats().array)
        #expect(all.contains { $0["name"]?.string == "video" && $0["writer"] == nil })
        let one = try formats("tum")
        #expect(all.contains(one))
        #expect(one["reads"] == .of(["color", "pose", "intrinsics", "timestamp", "recorded-depth"]), "\(one)")
        #expect(one["writer"]?.string == "write-tum" && one["cannot-hold"]?.array?.isEmpty == false, "\(one)")
    }

    @Test func whatIsNoCaptureIsAUsageError() throws {
        let nothing = try inspect("none")
        #expect(nothing.status == 2)
        #expect(nothing.output == "")
        #expect(
            nothing.errors == """
                error: there is nothing at this path
                  --> none
                   = fix: check the path

                """)
        let file = try inspect("mini/mini.json")
        #expect(file.status == 2)
        #expect(
            file.errors == """
                error: this file is not a capture in a format that ScanMill reads
                  --> mini/mini.json
                   = fix: it is one of the files of mini; name that:  scanmill inspect mini

                """)
        let folder = try inspect(".")
        #expect(folder.status == 2)
        #expect(
            folder.errors == """
                error: this folder is not a capture, it holds a capture
                  --> .
                   = one is ./mini
                   = fix: name one of them:  scanmill inspect ./mini

                """)
    }

    /// What it led to may be on a disk that is away, as a run says, too.
    @Test func aLinkToNothingIsTheEnvironments() throws {
        let path = "\(sample.folder.path)/away"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere")
        let link = try inspect("away")
        #expect(link.status == 3)
        #expect(
            link.errors == """
                error: this is a link to nothing
                  --> away
                   = fix: mount or restore what it leads to, or remove the link

                """)
    }

    /// The machine stands in the way, and not the capture: what it keeps back is named, and what helps is said once.
    @Test func whatNeedsAProgramThatIsMissing() throws {
        let folder = sample.folder.path
        let path = SharedData.checkout.appendingPathComponent("samples/stray-scanner").path
        let environment = ["PATH": "\(folder)/no-tools"]
        let result = try Scanmill.run(["inspect", path], in: folder, environment: environment)
        #expect(result.status == 3)
        let problems = try #require(result.output.range(of: "\n\nProblems\n"))
        #expect(
            result.output[problems.upperBound...] == """
                  error: ffmpeg was not found
                    --> \(path)/rgb.mp4
                     = looked in PATH: \(folder)/no-tools
                     = a pipeline that uses no intrinsics and no pictures runs without it
                     = fix: install it, on Debian and Ubuntu with: apt install ffmpeg

                """)
        #expect(result.output.components(separatedBy: "apt install").count == 2, "\(result.output)")

        let printed = try Scanmill.run(["inspect", path, "--json"], in: folder, environment: environment)
        #expect(printed.status == 3)
        let json = try JSONValue.parse(Array(printed.output.utf8), file: "stdout")
        #expect(json["missing"]?["intrinsics"] == .string("ffmpeg was not found"))
        #expect(json["missing"]?["pictures"] == .string("ffmpeg was not found"))
        let found = try #require(json["problems"]?.array)
        #expect(found.map { $0["weight"]?.string } == ["error"] && found.map { $0["fault"]?.string } == ["environment"])
        #expect(found.first?["file"] == .string("rgb.mp4"))
    }

    /// A capture may stand in a folder full of other things.
    @Test func namesAtTheTopAreCutOff() throws {
        for number in 0..<22 { try sample.write("x", to: "note\(number).txt") }
        #expect(try inspect("mini").output.contains("\n  not listed       2 names at the top\n"))
        #expect(try json("mini")["unlisted-files"] == .integer(2))
    }

    @Test func theHelpSaysTheExitCodes() throws {
        let help = try Scanmill.run(["inspect", "--help"]).output
        for code in ["0 a run can use", "1 a run under", "2 this is not a capture", "3 the environment"] {
            #expect(help.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(code))
        }
    }

    // MARK: - Real captures

    @Test(.enabled(if: SharedData.isThere), arguments: ["office", "office-video", "ipad", "fox"])
    func realCapturesAreInspected(name: String) throws {
        let path = SharedData.path(name)
        let text = try Scanmill.run(["inspect", path])
        #expect(text.status == 0)
        #expect(text.errors == "")
        let result = try Scanmill.run(["inspect", path, "--json"])
        #expect(result.status == 0)
        #expect(try JSONValue.parse(Array(result.output.utf8), file: "stdout")["capture"] == .string(name))
    }

    @Test(.enabled(if: SharedData.isThere)) func whatIsMissingIsListed() throws {
        let result = try Scanmill.run(["inspect", SharedData.path("ipad")])
        #expect(
            result.output.hasSuffix(
                """
                Missing
                  pictures         ipad.mp4 is missing, though the metadata lists a colour stream, and there is no
                                   folder color/, rgb/ or images/ with pictures
                  depth            ipad.depth.zlib is missing, though the metadata lists a depth stream
                  confidence       ipad.confidence.zlib is missing, though the metadata lists a confidence stream
                  box              boundingbox.json is missing
                  motion           there are no files ipad.rot, .acce, .mag, .atti, .grav

                Problems
                  warning: ipad.mp4 is missing, though the metadata lists a colour stream, and there is no folder color/, rgb/ or images/ with pictures
                     = fix: copy ipad.mp4 too
                  warning: ipad.confidence.zlib is missing, though the metadata lists a confidence stream
                     = fix: copy ipad.confidence.zlib too
                  warning: ipad.depth.zlib is missing, though the metadata lists a depth stream
                     = fix: copy ipad.depth.zlib too

                """))
        #expect(result.output.contains("\n                   before frame 10 (0.0333 s, 1 frame missing)\n"))
    }
}
