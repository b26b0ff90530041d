import Foundation
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

    /// `samples/README.md` says how the committed samples were made.
    private static let commands: [String] = {
        let readme = try? String(
            contentsOf: SharedData.checkout.appendingPathComponent("samples/README.md"), encoding: .utf8)
        return (readme ?? "").split(separator: "`").filter { $0.hasPrefix("scanmill sample samples/") }.map(String.init)
    }()

    /// They come out the same again.
    @Test(arguments: commands) func theCommittedSampleCanBeMadeAgain(_ command: String) throws {
        let folder = try TemporaryFolder()
        let words = command.split(separator: " ").map(String.init)
        let made = try Scanmill.run(Array(words.dropFirst()), in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let sample = words[2]
        let compared = try runCommand(
            ["diff", "-r", sample, SharedData.checkout.appendingPathComponent(sample).path], in: folder.path)
        #expect(compared.status == 0, "\(compared.output)")
    }

    @Test func everySampleIsMadeInThisWay() throws {
        let samples = SharedData.checkout.appendingPathComponent("samples")
        let names = try FileManager.default.contentsOfDirectory(atPath: samples.path).filter { $0 != "README.md" }
        let made = Self.commands.map { $0.split(separator: " ")[2].split(separator: "/")[1] }
        #expect(Set(made.map(String.init)).isSubset(of: names))
        #expect(made.count == Set(made).count)
    }
}
