import Foundation
import ScanModel
import TestSupport
import Testing

/// Captures that are ZIP archives, through the tool.
@Suite struct ArchiveRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// `in/mini.zip` with, and without, compression, beside the folder that it was made of.
    private func pack(_ mini: MiniCapture, compressed: Bool) throws {
        try mini.write(in: folder)
        let script = """
            import os, sys, zipfile
            top, name, method = sys.argv[1], sys.argv[2], int(sys.argv[3])
            os.makedirs(top + '/in', exist_ok=True)
            with zipfile.ZipFile(f'{top}/in/{name}.zip', 'w', method) as z:
                for base, _, files in os.walk(f'{top}/{name}'):
                    for f in sorted(files):
                        path = os.path.join(base, f)
                        z.write(path, os.path.relpath(path, top))
            """
        let result = try runPython(script, [folder.path, mini.id, compressed ? "8" : "0"])
        #expect(result.status == 0, "\(result.errors)")
    }

    private func digests(_ path: String) throws -> String {
        try runCommand(["sh", "-c", "find . -type f ! -name receipt.json | sort | xargs sha256sum"], in: path).output
    }

    @Test(arguments: [MiniCapture.Pictures.png, .mp4], [false, true])
    func givesWhatItsFolderGives(pictures: MiniCapture.Pictures, compressed: Bool) throws {
        var mini = MiniCapture()
        mini.pictures = pictures
        try pack(mini, compressed: compressed)
        let pipeline = """
            name: both
            stages:
              - read
              - select-frames: {exclude: 2}
              - decompress
              - unproject
              - write-ply
              - write-frames: {step: 1}
              - write-staging
            """
        try folder.write(pipeline, to: "both.yaml")
        for input in ["in", "mini"] {
            let result = try Scanmill.run(
                ["run", "both.yaml", input, "-o", "out-\(input)", "-q"], in: folder.path)
            #expect(result.status == 0, "\(result.errors)")
        }
        let fromArchive = try digests("\(folder.path)/out-in/mini")
        #expect(fromArchive == (try digests("\(folder.path)/out-mini/mini")))
        #expect(fromArchive.contains("mini.ply"))
        // Digests of the same files, by the same names.
        let receipts = try ["in", "mini"].map {
            try JSONValue.parse(try folder.bytes("out-\($0)/mini/receipt.json"), file: "receipt.json")
        }
        #expect(receipts[0] == receipts[1])
        let again = try Scanmill.run(["run", "both.yaml", "in", "-o", "out-in"], in: folder.path)
        #expect(again.output == "1 capture: 1 up to date; results are in out-in\n")
    }

    @Test func aBombIsNamedAndTheNightGoesOn() throws {
        try pack(MiniCapture(), compressed: true)
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1], 'w', 8) as z: z.writestr('scan.json', bytes(64 << 20))
            """
        #expect(try runPython(script, ["\(folder.path)/in/bomb.zip"]).status == 0)
        try folder.write("name: list\nstages:\n  - read\n", to: "list.yaml")
        let result = try Scanmill.run(["run", "list.yaml", "in", "-o", "out"], in: folder.path)
        #expect(result.status == 1)
        #expect(result.errors.contains("bytes for each of the archive's"))
        #expect(result.errors.contains("in/bomb.zip"))
        #expect(result.output.contains("2 captures: 1 done, 1 failed"))
    }

    @Test func isInspected() throws {
        try pack(MiniCapture(), compressed: true)
        let result = try Scanmill.run(["inspect", "in/mini.zip"], in: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("recorded.depth.zlib"))
    }
}
