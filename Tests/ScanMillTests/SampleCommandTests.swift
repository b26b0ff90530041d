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

    /// `samples/README.md` says how the committed samples were made; they come out the same again.
    @Test func theCommittedSampleCanBeMadeAgain() throws {
        let readme = try String(
            contentsOf: SharedData.checkout.appendingPathComponent("samples/README.md"), encoding: .utf8)
        let command = try #require(readme.split(separator: "`").first { $0.hasPrefix("scanmill sample samples/desk") })
        let folder = try TemporaryFolder()
        let made = try Scanmill.run(command.split(separator: " ").dropFirst().map(String.init), in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let compared = try runCommand(
            ["diff", "-r", "samples/desk", SharedData.checkout.appendingPathComponent("samples/desk").path],
            in: folder.path)
        #expect(compared.status == 0, "\(compared.output)")
    }
}
