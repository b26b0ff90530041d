import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Pictures that stand upright beside depth that lies on its side.
@Suite struct DepthOrientationTests {
    private static let refusal = "depth of 4×3 does not fit pictures of 6×8"

    /// A dataset of nerfstudio's with one frame, whose depth is 4×3.
    private func dataset(pictures width: Int, _ height: Int) throws -> WrittenCapture {
        let dataset = try WrittenCapture()
        try dataset.write(
            """
            {"fl_x": 9, "fl_y": 9, "cx": \(width / 2), "cy": \(height / 2), "w": \(width), "h": \(height), "frames": [
            {"file_path": "images/0.png", "depth_file_path": "depth/0.png",
            "transform_matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}]}
            """, to: "transforms.json")
        try dataset.picture("images/0.png", width, height)
        try dataset.depth("depth/0.png", first: 1000)
        return dataset
    }

    @Test func oneOfThemWasTurned() throws {
        let problem = try dataset(pictures: 6, 8).problem(TransformsDataset.self)
        #expect(problem?.summary == Self.refusal && problem?.fault == .input && problem?.place.file == "depth")
        #expect(problem?.fix == "copy pictures and depth again as the app wrote them: one of them was turned since")
    }

    /// Shapes may differ, and a square lies no way.
    @Test(arguments: [(8, 6), (16, 9), (6, 6)]) func whatLiesAlikeIsRead(_ width: Int, _ height: Int) throws {
        #expect(try dataset(pictures: width, height).open(TransformsDataset.self).depthSize == PixelSize(4, 3))
    }

    /// It can be looked at, as far as it goes.
    @Test func aLookAtThem() throws {
        let dataset = try dataset(pictures: 6, 8)
        let inspection = try CaptureInspection.inspect(dataset.path)
        #expect(inspection.errors.map(\.problem.summary) == [Self.refusal])
        #expect(inspection.depth?.frameCount == 1 && inspection.pictures?.count == 1)
    }

    @Test func otherFormatsRefuseThemToo() throws {
        let sequence = try WrittenCapture()
        try sequence.write("1.0 rgb/1.png\n", to: "rgb.txt")
        try sequence.write("1.0 depth/1.png\n", to: "depth.txt")
        try sequence.write("1.0 0 0 0 0 0 0 1\n", to: "groundtruth.txt")
        try sequence.picture("rgb/1.png", 6, 8)
        try sequence.depth("depth/1.png", first: 5000)
        #expect(try sequence.problem(TUMCapture.self)?.summary == Self.refusal)
    }
}
