import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Copies that look sound and are not: files twice, numbers that contradict each other, files that go on or end too early.
@Suite struct SilentDamageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What `inspect` says of a copy of a sample that was changed.
    private func findings(_ sample: String, _ change: (String) throws -> Void) throws -> [CaptureInspection.Finding] {
        let path = try folder.copySample(sample)
        let before = try CaptureInspection.inspect(path).findings
        try change(path)
        return try CaptureInspection.inspect(path).findings.filter { !before.contains($0) }
    }

    private func summaries(_ sample: String, _ change: (String) throws -> Void) throws -> [String] {
        try findings(sample, change).map(\.problem.summary)
    }

    private func edit(_ file: String, _ change: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: file))
        change(&data)
        try data.write(to: URL(fileURLWithPath: file))
    }

    private func copy(_ from: String, _ to: String) throws {
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    @Test func twoFilesOfOneNumber() throws {
        let said = try summaries("stray-scanner") { try copy("\($0)/depth/000004.png", "\($0)/depth/1.png") }
        #expect(said == ["1.png and 000001.png in depth/ have the same number: the first was taken"])
    }

    @Test func twoFramesOfOneTime() throws {
        let said = try summaries("3d-scanner-app") { path in
            let frames = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }
                .filter { $0.hasPrefix("frame_") }.sorted()
            try edit("\(path)/\(frames[5])") { $0 = FileManager.default.contents(atPath: "\(path)/\(frames[4])") ?? $0 }
        }
        #expect(said.contains { $0.hasPrefix("1 frame has the time of the frame before, first frame 5") }, "\(said)")
    }

    @Test(arguments: ["cameras", "images", "points3D"]) func aModelThatGoesOn(_ file: String) throws {
        let found = try findings("colmap") { try edit("\($0)/sparse/0/\(file).bin") { $0 += $0 } }
        let count = file == "cameras" ? "12 cameras" : file == "images" ? "12 images" : "0 points"
        #expect(found.contains { $0.problem.summary.contains("the file goes on after its \(count)") }, "\(found)")
    }

    @Test func aCameraThatIsThereTwice() throws {
        let found = try findings("colmap") { path in
            for name in ["cameras", "images", "points3D"] {
                try FileManager.default.removeItem(atPath: "\(path)/sparse/0/\(name).bin")
            }
            try edit("\(path)/sparse/0/cameras.txt") { $0 += Data("1 PINHOLE 128 96 1 1 64 48\n".utf8) }
        }
        #expect(found.contains { $0.weight == .error && $0.problem.summary == "camera 1 is there twice" }, "\(found)")
    }

    @Test(arguments: [(3, "3 points of sparse/0/points3D.txt were"), (1, "1 point of sparse/0/points3D.txt was")])
    func pointsOfAModelThatAreNowhere(_ count: Int, _ lost: String) throws {
        let said = try summaries("colmap") { path in
            for name in ["cameras", "images", "points3D"] {
                try FileManager.default.removeItem(atPath: "\(path)/sparse/0/\(name).bin")
            }
            let points = (1...5).map { "\($0) 0 \($0 <= count ? "nan" : "1") 2 9 9 9 0.5\n" }.joined()
            try edit("\(path)/sparse/0/points3D.txt") { $0 += Data(points.utf8) }
        }
        #expect(said.contains("\(lost) left out: a coordinate is not a finite number"), "\(said)")
    }

    @Test func noFrameIsLeft() throws {
        let found = try findings("tum") { try edit("\($0)/groundtruth.txt") { $0 = Data("# nothing\n".utf8) } }
        #expect(found.contains { $0.weight == .error && $0.problem.summary == "no frame is left of 12" }, "\(found)")
    }

    @Test func masksThatCannotBeRead() throws {
        let found = try findings("colmap") { path in
            try FileManager.default.createDirectory(atPath: "\(path)/masks", withIntermediateDirectories: true)
            for frame in 0..<12 {
                let name = "\(path)/masks/0000\(frame < 10 ? "0" : "")\(frame).jpg.png"
                try Data("x".utf8).write(to: URL(fileURLWithPath: name))
            }
        }
        #expect(found.contains { $0.problem.summary == "12 masks cannot be read" }, "\(found)")
    }

    /// Of which a run without masks knows nothing.
    @Test func masksOfAnotherSizeThanTheirPictures() throws {
        let mask = LumaImage(width: 64, height: 48, pixels: Array(repeating: 255, count: 64 * 48))
        let bytes = try PNG.encodeGray8(mask)
        let found = try findings("colmap") { path in
            try FileManager.default.createDirectory(atPath: "\(path)/masks", withIntermediateDirectories: true)
            for frame in 0..<12 {
                let name = "\(path)/masks/0000\(frame < 10 ? "0" : "")\(frame).jpg.png"
                try Data(bytes).write(to: URL(fileURLWithPath: name))
            }
        }
        #expect(found.map(\.weight) == [.warning], "\(found)")
        let problem = try #require(found.first?.problem)
        #expect(problem.summary == "the masks of 12 frames are not of their pictures' size")
        #expect(problem.notes == ["frames 0 to 11: the mask is 64×48, and the picture 128×96"])
        #expect(problem.fix?.contains("with `masks: recorded` refuse these frames") == true)
    }

    @Test func aCloudThatEndsTooEarly() throws {
        let cloud = PointCloud(positions: (0..<300).map(Float.init))
        var bytes = PLYWriter.header(count: 100, [])
        for value in cloud.positions { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += Array($0) } }
        try folder.write(Array(bytes.dropLast(30)), to: "cut.ply")
        let found = try CaptureInspection.inspect("\(folder.path)/cut.ply")
        #expect(found.errors.map(\.problem.summary) == ["the PLY file ends after 97 of 100 points"])
    }

    /// The rest of a frame is no part of the next one: each has its length before it.
    @Test func depthOfASizeThatIsTooSmall() throws {
        let found = try findings("scannet-raw") { path in
            let text = "\(path)/scannet-raw.txt"
            try edit(text) {
                $0 = Data(
                    String(decoding: $0, as: UTF8.self).replacing(#/depthHeight = \d+/#, with: "depthHeight = 8").utf8)
            }
        }
        #expect(found.contains { "\($0.problem)".contains("the depth frame is of another size") }, "\(found)")
    }
}
