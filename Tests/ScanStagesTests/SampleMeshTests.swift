import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct SampleMeshTests {
    private static let scene =
        "- synthesize: {frames: 40, rate: 2, picture-width: 64, picture-height: 48, depth-width: 128, depth-height: 96}\n"
        + "- decompress\n- mask-range: {far: 3}\n- fuse-depth: {voxel: 0.05}\n"

    private static func run(_ stages: String) throws -> StageRun { try StageRun(scene + stages, reading: "nowhere/a") }

    @Test func theCloudLiesOnTheMesh() throws {
        let run = try Self.run("- sample-mesh: {spacing: 0.05}\n- write-ply\n- write-mesh")
        let mesh = try #require(run.capture.mesh)
        let count = try #require(run.count("sample-mesh", "points"))
        #expect(abs(Double(count) - mesh.area / 0.0025) <= 1)
        #expect(run.count("write-ply", "points") == count)
        var reader = try PLYReader(
            MemorySource(try run.bytes("a.ply"), name: "a.ply", chunk: 1 << 16), chunk: 1 << 16)
        #expect(reader.properties == [.colors, .normals])
        let cloud = try #require(try reader.next(10_000_000))
        let room = SyntheticRoom()
        let distances = (0..<cloud.count).map { room.distanceToSurface(cloud[$0]) }.sorted()
        #expect(distances[distances.count / 2] < 0.005, "\(distances[distances.count / 2])")
        #expect(distances[distances.count * 9 / 10] < 0.03, "\(distances[distances.count * 9 / 10])")
        // What a surface faces is where it was seen from: the floor looks up.
        let normals = try #require(cloud.normals)
        let floor = (0..<cloud.count).filter { abs(cloud[$0].y - SyntheticRoom.floorHeight) < 0.002 }
        #expect(floor.count > 100 && floor.count { normals[3 * $0 + 1] > 0.9 } > floor.count * 9 / 10)
    }

    /// Pictures, initial points and boxes take it for any other cloud.
    @Test func itServesWhereverACloudDoes() throws {
        let run = try Self.run(
            "- sample-mesh: {spacing: 0.1}\n- cull-by-box\n- render-cloud\n- write-colmap")
        let points = try #require(run.count("sample-mesh", "points"))
        let left = try #require(run.capture.cloud).count
        #expect(left > 5 && left < points / 10)
        let lines = String(decoding: try run.bytes("colmap/sparse/0/points3D.txt"), as: UTF8.self)
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == left)
        #expect(run.files.contains("a_cloud.png"))
    }

    @Test func voxelsEvenItOut() throws {
        let run = try Self.run("- sample-mesh: {spacing: 0.02}\n- voxel-downsample: {size: 0.1}\n- write-ply")
        let points = try #require(run.count("sample-mesh", "points"))
        #expect(run.count("voxel-downsample", "points") == points)
        let voxels = try #require(run.count("voxel-downsample", "voxels"))
        #expect(voxels > 100 && voxels < points / 5 && run.count("write-ply", "points") == voxels)
    }

    /// Those of the depth itself are made for nobody then.
    @Test func pointsAboveItAreInVain() throws {
        let stages = "read, decompress, unproject, fuse-depth, sample-mesh, voxel-downsample, write-ply"
        let pipeline = try Pipeline.load(text: "stages: [\(stages)]\n", path: "test.yaml", library: .builtIn)
        let warnings = pipeline.warnings.map(\.summary)
        #expect(warnings.contains { $0.hasPrefix("`unproject` works on points, which ") }, "\(warnings)")
    }

    @Test func withoutAMeshItSaysHowToMakeOne() {
        #expect(
            StageRun.mistakes(in: "- sample-mesh\n- write-ply") == [
                "`sample-mesh` needs mesh, which no stage before it makes"
            ])
    }

    @Test func tooManyPointsAreRefused() throws {
        let failure = problem { _ = try Self.run("- sample-mesh: {spacing: 0.0001}\n- write-ply") }
        #expect(failure?.summary.hasPrefix("the mesh would get ") == true, "\(failure?.summary ?? "none")")
        let fix = try #require(failure?.fix)
        #expect(fix.hasPrefix("space them farther apart, with  --set sample-mesh.spacing=0.000"), "\(fix)")
    }

    @Test func aMeshThatGetsNoPointIsWarnedOf() throws {
        let run = try Self.run("- sample-mesh: {spacing: 50}\n- write-mesh")
        #expect(run.count("sample-mesh", "points") ?? 0 == 0)
        #expect(run.warnings.contains { $0.hasPrefix("sample-mesh: a mesh of ") }, "\(run.warnings)")
    }
}
