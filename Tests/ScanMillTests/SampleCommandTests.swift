import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct SampleCommandTests {
    @Test(arguments: ["jpg", "png", "mp4"])
    func aSampleIsACapture(_ kind: String) throws {
        let folder = try TemporaryFolder()
        let made = try Scanmill.run(
            [
                "sample", "made/here", "--frames", "6", "--rgb", kind, "--set", "synthesize.picture-width=64",
                "--set", "synthesize.picture-height=48", "--set", "synthesize.depth-width=16",
                "--set", "synthesize.depth-height=12",
            ], in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        // An input, not a result: no receipt, nothing hidden beside it.
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/made/here").sorted()
        #expect(!names.contains("receipt.json"))
        #expect(names.contains(kind == "mp4" ? "here.mp4" : "color"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/made") == ["here"])
        let inspected = try Scanmill.run(["inspect", "made/here", "--json"], in: folder.path)
        #expect(inspected.status == 0, "\(inspected.errors)")
    }

    /// Of several the last one counts.
    @Test(arguments: [["false"], ["no"], ["true", "false"]]) func aSampleWithoutPictures(_ words: [String]) throws {
        let folder = try TemporaryFolder()
        let settings = words.flatMap { ["--set", "synthesize.pictures=\($0)"] }
        let made = try Scanmill.run(["sample", "made", "--frames", "2"] + settings, in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/made")
        #expect(names.contains("made.depth.zlib") && !names.contains("color"))
    }

    /// What was begun of it goes, with the folders that were made for it.
    @Test func aSampleThatCannotBeMadeLeavesNothing() throws {
        let folder = try TemporaryFolder()
        let path = try folder.fakeFFmpeg(version: "FFMPEG -version", else: "exit 1")
        try FileManager.default.createDirectory(at: folder.url("place"), withIntermediateDirectories: false)
        let made = try Scanmill.run(
            ["sample", "made", "--frames", "2", "--rgb", "mp4"], in: folder.url("place").path, environment: path)
        #expect(made.status == 3 && made.output == "", "\(made)")
        #expect(made.errors.hasPrefix("error: ffmpeg could not write the video\n  --> made.mp4"), "\(made)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url("place").path) == [])
    }

    /// `samples/README.md` says how the committed samples were made.
    private static let commands: [String] = {
        let readme = try? String(
            contentsOf: SharedData.checkout.appendingPathComponent("samples/README.md"), encoding: .utf8)
        return (readme ?? "").split(separator: "`").filter { $0.hasPrefix("scanmill sample samples/") }.map(String.init)
    }()

    @Test func everySampleIsInTheList() throws {
        let folder = SharedData.checkout.appendingPathComponent("samples").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "README.md" }
        let listed = Self.commands.compactMap {
            $0.split(separator: " ").dropFirst(2).first?.dropFirst("samples/".count)
        }
        #expect(listed.map(String.init).sorted() == names.sorted())
    }

    /// A cloud holds no frames, and plain pictures are in every other sample.
    @Test func everyFormatThatIsWrittenHasASample() {
        let named = Self.commands.map { command in
            let words = command.split(separator: " ")
            return words.firstIndex(of: "--format").map { String(words[$0 + 1]) } ?? MultiScanCapture.name
        }
        let written = CaptureFormats.all.map { $0.card }.filter { $0.writer != nil }.map(\.name)
        let expected = Set(written).subtracting(["ply", "frames"])
        let missing = expected.subtracting(named).sorted()
        #expect(missing == [], "make one with `scanmill sample`, and list its command in samples/README.md")
    }

    /// Everybody who clones the project fetches them.
    @Test func theCommittedSamplesAreSmall() throws {
        let folder = SharedData.checkout.appendingPathComponent("samples").path
        let sizes = try runCommand(["find", folder, "-type", "f", "-printf", "%s\n"]).output
        let bytes = sizes.split(separator: "\n").compactMap { Int($0) }
        #expect(bytes.count > 100 && bytes.reduce(0, +) < 3 << 20)
    }

    /// They come out the same again, but for videos, which every version of ffmpeg encodes in its own way.
    @Test(arguments: commands) func theCommittedSampleCanBeMadeAgain(_ command: String) throws {
        let arguments = command.split(separator: " ").dropFirst().map(String.init)
        let folder = try TemporaryFolder()
        let made = try Scanmill.run(arguments, in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let committed = SharedData.checkout.appendingPathComponent(arguments[1]).path
        let compared = try runCommand(
            ["diff", "-r", "-x", "*.h264", "-x", "*.mp4", "-x", "*.mkv", arguments[1], committed], in: folder.path)
        #expect(compared.status == 0, "\(compared.output)")
    }

    @Test func everyFormatHasSamplesWithoutDepth() throws {
        let folder = try TemporaryFolder()
        let formats = CaptureFormats.all.map { $0.card }.filter { $0.writer != nil && $0.name != "ply" }.map(\.name)
        for format in formats {
            let words = ["--format", format, "--frames", "2", "--set", "synthesize.depth=none"]
            let confidence = ["--set", "synthesize.confidence=none"]
            let made = try Scanmill.run(["sample", format] + words + confidence, in: folder.path)
            #expect(made.status == 0, "\(format): \(made.errors)")
        }
    }

    @Test func aFormatThatNobodyWritesIsNamed() throws {
        let made = try Scanmill.run(["sample", "made", "--format", "record3d"])
        #expect(made.status == 2)
        let none = "error: `record3d` is none of the formats that samples have\n   = fix: they are multiscan, "
        #expect(made.errors.hasPrefix(none), "\(made.errors)")
        // A cloud is written, too, and holds no frames.
        let cloud = try Scanmill.run(["sample", "made", "--format", "ply"])
        #expect(cloud.status == 2 && cloud.errors.contains("`ply` is none of the formats that samples have"))
        #expect(!made.errors.contains("ply"))
        // One of them has the word in its description, and most are recorded with it.
        let phone = try Scanmill.run(["sample", "made", "--format", "iphone"])
        #expect(phone.errors.contains("\n   = fix: they are multiscan, "), "\(phone.errors)")
    }

    /// There is no file into a copy of which a stage could go.
    @Test func settingsOfStagesThatASampleDoesNotHave() throws {
        let made = try Scanmill.run(["sample", "made", "--set", "write-colmap.quality=90"])
        #expect(made.status == 2)
        #expect(made.errors.contains("fix: its stages are synthesize, write-staging\n"), "\(made.errors)")
    }

    /// Nobody has written the pipeline's lines.
    @Test func aNumberOfFramesThatIsNone() throws {
        let made = try Scanmill.run(["sample", "made", "--frames", "0", "--set", "synthesize.picture-width=64"])
        #expect(made.status == 2 && made.errors.hasPrefix("error: `frames` is 0, which is not "), "\(made.errors)")
        #expect(made.errors.hasSuffix("   = asked for with  --set synthesize.picture-width=64\n"), "\(made.errors)")
        #expect(made.errors.split(separator: "\n").count == 2, "\(made.errors)")
    }

    /// Formats go by other names, too.
    @Test(arguments: [
        ("nerfstudio", "`transforms` (nerfstudio, instant-ngp or Blender dataset)"),
        ("hmc", "`nerfcapture` (NeRFCapture or HMC project)"), ("Stray", "`stray-scanner`"),
    ]) func aFormatByAnotherName(_ name: String, _ meant: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("name: t\nstages: [read]\n", to: "t.yaml")
        let run = ["run", "t.yaml", ".", "-o", "out"]
        for command in [["sample", "made"], run] {
            let result = try Scanmill.run(command + ["--format", name], in: folder.path)
            let fix = "   = fix: did you mean \(meant)?\n"
            #expect(result.status == 2 && result.errors.hasSuffix(fix), "\(command): \(result.errors)")
        }
    }

    @Test func aPictureFormatThatIsNotTakenIsRefused() throws {
        let folder = try TemporaryFolder()
        let made = try Scanmill.run(["sample", "made", "--format", "tum", "--rgb", "png"], in: folder.path)
        #expect(made.status == 2)
        #expect(
            made.errors.contains("`--rgb` is for MultiScan's pictures, and tum stores them in its own way"),
            "\(made.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/made"))
    }
}
