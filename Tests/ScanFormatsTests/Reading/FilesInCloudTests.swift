import ScanFormats
import ScanModel
import Testing

@Suite struct FilesInCloudTests {
    private func warning(_ shots: WrittenCapture) throws -> String? {
        var capture = try shots.open(PictureFolderCapture.self)
        capture.noteFilesInCloud(in: try CaptureFormats.tree(at: shots.path))
        return capture.warnings.last
    }

    @Test func placeholdersAreNamed() throws {
        let shots = try WrittenCapture("shots")
        try shots.picture("images/0.png")
        #expect(try warning(shots) == nil)
        // What is there has been downloaded, and a name must have some text.
        for name in [".0.png.icloud", ".icloud"] { try shots.write("x", to: "images/\(name)") }
        #expect(try warning(shots) == nil)
        let way = "download the folder on the Mac, and copy the capture again"
        try shots.write("x", to: "images/.1.png.icloud")
        #expect(try warning(shots) == "images/1.png is still in iCloud: \(way)")
        // None of a folder's files has arrived.
        for name in ["0", "1"] { try shots.write("x", to: "depth/.\(name).png.icloud") }
        #expect(try warning(shots) == "3 files are still in iCloud, such as depth/0.png: \(way)")
        let inspection = try CaptureInspection.inspect(shots.path)
        #expect(inspection.findings.contains { $0.problem.summary.hasPrefix("3 files are still in iCloud") })
    }
}
