import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// The depth that datasets name, and its unit.
extension TransformsDatasetTests {
    @Test func depthIsInItsOwnUnit() throws {
        let image = Gray16Image(width: 2, height: 1, pixels: [1000, 0])
        try folder.write(try PNG.encodeGray16(image), to: "d/depth/a.png")
        try picture("a.png")
        for (key, top, metres) in [
            ("depth_file_path", [:], Float(1)), ("depth_path", ["integer_depth_scale": 0.0002], Float(0.2)),
        ] as [(String, [String: Any], Float)] {
            try write([frame("a.png", with: [key: "depth/a.png"])], Self.lens.merging(top) { $1 })
            let capture = try open()
            #expect(capture.isMetric && capture.depthSize == PixelSize(2, 1))
            var frame = Frame(capture.frames[0])
            try capture.source.prepare(&frame, for: [.recordedDepth])
            let recorded = try #require(frame.recordedDepth)
            #expect(try DepthCodec.decode(recorded).map.metres == [metres, 0])
        }
    }

    /// What nerfstudio makes of a COLMAP model with --use-sfm-depth has depth in the model's own unit.
    @Test func depthOfACOLMAPModelIsInNoUnit() throws {
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/depth/a.png")
        try picture("a.png")
        try write([frame("a.png", with: ["depth_file_path": "depth/a.png", "colmap_im_id": 7])], Self.lens)
        let capture = try open()
        #expect(!capture.isMetric && capture.channels.contains(.recordedDepth))
        // 50 of a metric one would be no room.
        try depth("depth/a.png", 50_000)
        let doubts = try CaptureInspection.inspect("\(folder.path)/d").findings.map(\.problem.summary)
        #expect(!doubts.contains { $0.hasPrefix("half of the depth is beyond") })
    }

    /// instant-ngp passes depth over then: a unit that is made up would be a wrong scale.
    @Test(arguments: [-1, 0.0, 2000]) func depthWithoutAUnitIsLeftOut(_ unit: Double) throws {
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/depth/a.png")
        try picture("a.png")
        try write(
            [frame("a.png", with: ["depth_path": "depth/a.png"])],
            Self.lens.merging(["integer_depth_scale": unit]) { $1 })
        let capture = try open()
        #expect(!capture.isMetric && !capture.channels.contains(.recordedDepth))
        #expect(capture.warnings.contains { $0.hasPrefix("“integer_depth_scale” in transforms.json is no unit") })
        #expect(!capture.frames[0].isDropped)
    }

    @Test func oneDamagedDepthPictureCostsItsFrameAlone() throws {
        try write(["a", "b"].map { frame("\($0).png", with: ["depth_file_path": "depth/\($0).png"]) }, Self.lens)
        for name in ["a", "b"] { try picture("\(name).png") }
        try folder.write([1, 2, 3], to: "d/depth/a.png")
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/depth/b.png")
        let capture = try open()
        #expect(capture.depthSize == PixelSize(2, 1))
        #expect(capture.channels.contains(.recordedDepth))
    }

    /// Frames with a picture and a depth map each, 8×6.
    private func writeWithDepth(_ names: [String]) throws {
        try write(names.map { frame("\($0).png", with: ["depth_file_path": "depth/\($0).png"]) }, Self.lens)
        for name in names {
            try picture("\(name).png")
            try depth("depth/\(name).png", 1000)
        }
    }

    /// Two of the first three say which size is the usual one.
    @Test func aFirstDepthPictureOfAnotherSizeIsTheOddOne() throws {
        try writeWithDepth(["a", "b", "c"])
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/depth/a.png")
        #expect(try open().depthSize == PixelSize(8, 6))
    }

    /// As a portrait picture among landscape ones has it: nothing is damaged, and nothing to be copied again.
    @Test func depthOfAnotherSizeIsNoDamage() throws {
        try writeWithDepth(["a", "b", "c"])
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 1, height: 2, pixels: [1000, 0])), to: "d/depth/c.png")
        let capture = try open()
        let problem = #expect(throws: Problem.self) { _ = try capture.loaded([.recordedDepth]) }
        #expect(problem?.place.file == "depth/c.png")
        #expect(
            problem?.summary
                == "this depth map is 1×2, the usual one 8×6, and all depth maps of a capture must have one size")
        #expect(
            problem?.fix == "leave such frames out with select-frames, or leave out the stages that use depth")
    }

    @Test func depthThatIsNotThereIsSaid() throws {
        let depth = { (n: Int) in ["depth_file_path": "depths/\(n).png"] }
        try write((0..<4).map { frame("images/\($0).png", with: $0 == 3 ? [:] : depth($0)) }, Self.lens)
        for n in 0..<4 { try picture("images/\(n).png") }
        let pixels = [UInt16](repeating: 1500, count: 12)
        try folder.write(try PNG.encodeGray16(Gray16Image(width: 4, height: 3, pixels: pixels)), to: "d/depths/1.png")
        let capture = try open()
        #expect(capture.gaps == [.recordedDepth: [0, 2]])
        #expect(
            capture.warnings == [
                "2 of 4 frames have no depth, though the capture lists it: frames 0, 2",
                "1 of 4 frames has no depth, and none is listed: frame 3",
            ])
        #expect(capture.depthSize == PixelSize(4, 3) && capture.files.count { $0.path.hasPrefix("depths/") } == 1)
    }

    /// Those who want no depth have their frames all the same.
    @Test func depthThatLeadsOutOfTheCapture() throws {
        try write([frame("a.png", with: ["depth_file_path": "../depths/a.png"])], Self.lens)
        try picture("a.png")
        let capture = try open()
        #expect(capture.dropReasons == [nil] && !capture.channels.contains(.recordedDepth))
        #expect(capture.absences[.recordedDepth]?.reason.contains("leads out of the capture") == true)
    }

    private func depth(_ file: String, _ first: UInt16) throws {
        let image = Gray16Image(width: 8, height: 6, pixels: Array(repeating: first, count: 48))
        try folder.write(try PNG.encodeGray16(image), to: "d/\(file)")
    }

    /// instant-ngp's unit leads to the saved world, which was scaled; nerfstudio's millimetres are those of the sensor.
    @Test(
        arguments: [
            (["integer_depth_scale": 0.001], 2.0), (["integer_depth_scale": 0.001, "applied_scale": 0.25], 8),
            (["aabb_scale": 4, "applied_scale": 0.25], 2), (["applied_scale": 0.25], 2),
            (["depth_unit_scale_factor": 0.01], 20), (["depth_unit_scale_factor": 0.01, "applied_scale": 0.25], 20),
            (["depth_unit_scale_factor": 0.01, "integer_depth_scale": 0.001], 2),
        ] as [([String: Double], Double)])
    func depthIsInMetresOfTheOriginalWorld(_ top: [String: Double], _ metres: Double) throws {
        let more: [String: Any] = top
        try write([frame("a.png", with: ["depth_file_path": "depths/a.png"])], Self.lens.merging(more) { $1 })
        try picture("a.png")
        try depth("depths/a.png", 2000)
        let capture = try open()
        #expect(capture.warnings == [])
        let recorded = try #require(try capture.loaded([.recordedDepth])[0].recordedDepth)
        #expect(recorded.first == Float(metres))
    }

    /// A NumPy array of one row.
    private func array(_ values: [Float], type: String = "<f4", _ file: String) throws {
        let head = "{'descr': '\(type)', 'fortran_order': False, 'shape': (1, \(values.count)), }\n"
        var bytes: [UInt8] = [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(head.utf8.count), 0] + Array(head.utf8)
        for value in values { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += Array($0) } }
        try folder.write(bytes, to: "d/\(file)")
    }

    /// Rounded to the file's unit, nothing would be left of them.
    @Test func arraysOfMetresAreNotRounded() throws {
        let named = frame("a.png", with: ["depth_file_path": "depths/a.npy"])
        try write([named], Self.lens.merging(["depth_unit_scale_factor": 1]) { $1 })
        try picture("a.png")
        try array([1.25, .nan, 3.5], "depths/a.npy")
        let capture = try open()
        let recorded = try #require(try capture.loaded([.recordedDepth])[0].recordedDepth)
        #expect(try DepthCodec.decode(recorded).map.metres == [1.25, 0, 3.5])
        try write([named], Self.lens.merging(["depth_unit_scale_factor": 0]) { $1 })
        let other = try open()
        #expect(!other.channels.contains(.recordedDepth))
        #expect(other.warnings.contains { $0.hasPrefix("“depth_unit_scale_factor” in transforms.json is no unit") })
    }

    @Test func arraysOfOtherNumbersAreToBeConverted() throws {
        try write([frame("a.png", with: ["depth_file_path": "depths/a.npy"])], Self.lens)
        try picture("a.png")
        try array([1000, 2000], type: ">f4", "depths/a.npy")
        let capture = try open()
        #expect(capture.absences[.recordedDepth]?.reason.contains("numbers of type >f4") == true)
        #expect(
            capture.remedies[.recordedDepth] == "convert each array: np.save(path, np.load(path).astype('<f4'))")
    }

    @Test func depthOfInstantNGPWithoutAUnitIsSaid() throws {
        try write(
            [frame("a.png", with: ["depth_path": "depths/a.png"])], Self.lens.merging(["aabb_scale": 4]) { $1 })
        try picture("a.png")
        try depth("depths/a.png", 2000)
        let capture = try open()
        #expect(
            capture.warnings == [
                "transforms.json names depth by depth_path and has no integer_depth_scale: its numbers were taken for "
                    + "millimetres; instant-ngp itself passes such depth over"
            ])
        #expect(try capture.loaded([.recordedDepth])[0].recordedDepth?.first == 2)
    }

    /// Drawings of depth: no frame is bad for them, and none has depth.
    @Test func depthOf8BitsIsNoDepth() throws {
        try write(
            ["a", "b"].map { frame("\($0).png", with: ["depth_file_path": "depths/\($0).png"]) }, Self.lens)
        for name in ["a", "b"] {
            try picture("\(name).png")
            let gray = LumaImage(width: 8, height: 6, pixels: Array(repeating: 9, count: 48))
            try folder.write(try PNG.encodeGray8(gray), to: "d/depths/\(name).png")
        }
        try picture("depths/b.png")
        let capture = try open()
        #expect(!capture.channels.contains(.recordedDepth) && capture.dropReasons == [nil, nil])
        #expect(
            capture.absences[.recordedDepth]?.reason
                == "none of the depth pictures can be read: not a depth picture: it has 1 × 8 bits a pixel, not 1 × 16 "
                + "(depths/a.png)")
        #expect(capture.remedies[.recordedDepth] == "export the depth with 16 bits, or leave it out")
        // One that is sound, and the others are bad ones.
        try depth("depths/b.png", 2000)
        #expect(try open().channels.contains(.recordedDepth))
    }

    /// All poses scaled: that is what is wrong, and not that there is no depth.
    @Test func badFramesHaveTheirDepthAllTheSame() throws {
        let scaled = [[2.0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]]
        try write(
            [frame("a.png", with: ["depth_file_path": "depth/a.png", "transform_matrix": scaled])], Self.lens)
        try picture("a.png")
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [1000, 0])), to: "d/depth/a.png")
        let capture = try open()
        #expect(capture.frames[0].drop?.reason.hasPrefix("the pose is not a rotation") == true)
        #expect(capture.channels.contains(.recordedDepth) && capture.absences[.recordedDepth] == nil)
    }
}
