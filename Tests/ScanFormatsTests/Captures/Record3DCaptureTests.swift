import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct Record3DCaptureTests {
    private static let metadata =
        #"{"K": [1, 0, 0, 0, 1, 0, 2, 3, 1], "poses": [[0, 0, 0, 1, 0, 0, 0]], "w": 720, "h": 960}"#

    @Test func anArchiveIsKnownAndRefused() throws {
        let folder = try TemporaryFolder()
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1] + '/scan.r3d', 'w') as z:
                z.writestr('metadata', sys.argv[2])
                z.writestr('rgbd/0.jpg', 'x'); z.writestr('rgbd/0.depth', 'bvx2')
            """
        #expect(try runPython(script, [folder.path, Self.metadata]).status == 0)
        let tree = try CaptureFormats.tree(at: "\(folder.path)/scan.r3d")
        #expect(CaptureFormats.recognise(tree)?.format == "record3d")
        let problem = #expect(throws: Problem.self) { try Record3DCapture.open(tree, rules: ReadRules()) }
        #expect(
            problem?.message() == """
                error: this is a Record3D recording, whose depth ScanMill cannot unpack
                   = its archive keeps depth in Apple's LZFSE compression
                   = fix: record with an app that writes depth as PNG or DEFLATE (Stray Scanner, Polycam's raw data, MultiScan)
                """)
        // Found among others, so that it fails by its name.
        #expect(try CaptureSearch.captures(at: folder.path).map(\.id) == ["scan"])
    }

    @Test func soIsTheExport() throws {
        let export = try WrittenCapture()
        try export.write(Self.metadata, to: "metadata.json")
        try export.picture("rgb/0.jpg", isJPEG: true)
        try export.write([0x76, 0x2F, 0x31, 0x01], to: "depth/0.exr")
        #expect(export.recognition?.format == "record3d")
        #expect(
            try export.problem(Record3DCapture.self)?.notes == ["its export keeps depth as OpenEXR pictures"])
    }

    @Test func otherMetadataAreNot() throws {
        let other = try WrittenCapture()
        for text in ["{}", "", "[1]", #"{"K": 1}"#] {
            try other.write(text, to: "metadata")
            try other.write("x", to: "rgbd/0.jpg")
            #expect(other.recognition == nil)
        }
    }
}
