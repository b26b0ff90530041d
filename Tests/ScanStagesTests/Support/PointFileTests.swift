import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PointFileTests {
    /// The points of a file, read with the reader of the format.
    private func cloud(_ bytes: [UInt8]) throws -> PointCloud {
        var reader = try PLYReader(MemorySource(bytes, name: "points.ply"))
        return try reader.next() ?? PointCloud()
    }

    @Test func framesAndOneCloudMakeTheSamePoints() throws {
        let parts = [[Float(1), 2, 3], [], [4, 5, 6, 7, 8, 9]]
        let frames = try StageRun("- write-ply", on: MemoryCapture(parts.map { .init(points: $0) }))
        let merged = try StageRun(
            "- voxel-downsample: {size: 0.5}\n- write-ply", on: MemoryCapture(parts.map { .init(points: $0) }))
        #expect(try cloud(frames.bytes("memory.ply")).positions == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(try cloud(merged.bytes("memory.ply")) == cloud(frames.bytes("memory.ply")))
    }

    @Test func theFirstFrameDecidesWhetherThereAreColours() throws {
        let run = try StageRun(
            "- write-ply",
            on: MemoryCapture([.init(points: [], colors: []), .init(points: [1, 2, 3], colors: [9, 8, 7])]))
        #expect(try cloud(run.bytes("memory.ply")) == PointCloud(positions: [1, 2, 3], colors: [9, 8, 7]))
    }
}
