import Foundation
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

    /// Nobody between them reads what the lens changes beside depth, and an earlier stage has ended a pass.
    @Test(arguments: ["", "- filter-motion: {speed: 100}\n"]) func depthAboveUndistortIsUndistorted(_ between: String)
        throws
    {
        let folder = try TemporaryFolder()
        let made = try StageRun(
            "- synthesize: {frames: 3, rate: 10, picture-width: 64, picture-height: 48, depth-width: 64, depth-height: 48}\n"
                + "- decompress\n- write-transforms: {depth: true, color: png}", reading: "nowhere/made", probing: [])
        let path = "\(folder.path)/set"
        try FileManager.default.copyItem(atPath: "\(made.path)/nerf", toPath: path)
        let file = "\(path)/transforms.json"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let bent = text.replacing("{", with: "{\"camera_model\": \"OPENCV\", \"k1\": -0.3, ", maxReplacements: 1)
        try bent.write(toFile: file, atomically: true, encoding: .utf8)
        func sheet(_ stages: String) throws -> [UInt8] {
            let run = try StageRun(
                "- read: {rate: 10}\n\(stages)- write-contact-sheet: {of: depth}", reading: path, probing: [])
            return try run.bytes("set_contact_depth.jpg")
        }
        let first = try sheet("- undistort\n- decompress\n")
        #expect(try sheet("- decompress\n\(between)- undistort\n") == first)
        #expect(try sheet("- decompress\n") != first)
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
