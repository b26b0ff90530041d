import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Stages that change pixels below those that unpack them.
@Suite struct OutdatedPixelsTests {
    private static let scene =
        "- synthesize: {frames: 2, picture-width: 64, picture-height: 48, depth-width: 32, depth-height: 24}\n"

    /// Depth and confidence are turned like the pictures, whoever reads them.
    @Test func whatWasUnpackedAboveATurnIsTurnedToo() throws {
        let writer = "- write-frames: {color: none, confidence: colors}"
        let late = try StageRun(
            "\(Self.scene)- decompress\n- turn: {quarter-turns: 1}\n\(writer)", reading: "nowhere/scene", probing: [])
        let early = try StageRun(
            "\(Self.scene)- turn: {quarter-turns: 1}\n- decompress\n\(writer)", reading: "nowhere/scene", probing: [])
        let files = (early.receipt["files"]?.array ?? []).compactMap { $0["path"]?.string }
        #expect(files.count == 4)
        for file in files { #expect(try late.bytes(file) == early.bytes(file), "\(file)") }
        let depth = try #require(files.first { $0.contains("depth") })
        let size = try PNG.decodeGray16(try late.bytes(depth)).size
        #expect(size == PixelSize(24, 32))
    }

    /// Switched off, the stage does nothing to a lens that is to be undone below it.
    @Test func aTurnByNothingLeavesTheLens() throws {
        let folder = try TemporaryFolder()
        let frames = (0..<2).map {
            #"{"file_path": "\#($0).png", "transform_matrix": [[1,0,0,\#($0)],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}"#
        }
        try folder.write(
            #"{"camera_model": "OPENCV", "w": 60, "h": 40, "fl_x": 50, "fl_y": 50, "cx": 30, "cy": 20, "k1": -0.1, "#
                + #""frames": [\#(frames.joined(separator: ","))]}"#, to: "set/transforms.json")
        for n in 0..<2 {
            try folder.write(try PNG.encodeRGB(RGBImage(width: 60, height: 40, color: .white)), to: "set/\(n).png")
        }
        let run = try StageRun(
            "- read\n- turn: {quarter-turns: 0}\n- undistort\n- write-transforms", reading: "\(folder.path)/set",
            probing: [.pose])
        #expect(run.frames.count == 2 && run.frames.allSatisfy { $0.intrinsics != nil })
    }
}
