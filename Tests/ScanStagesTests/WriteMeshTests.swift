import ScanFormats
import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct WriteMeshTests {
    /// A wall of 8 × 6 pixels of ¼ m, one metre in front of the camera: z = −1.
    private static var wall: MemoryCapture {
        MemoryCapture((0..<2).map { _ in .init(depth: (0..<48).map { _ in 1 }, height: 6) })
    }

    private static let fuse = "- fuse-depth: {voxel: 0.1, min-piece: 0, color: false}\n"

    private static func points(_ run: StageRun, _ file: String) throws -> PointCloud {
        var reader = try PLYReader(MemorySource(try run.bytes(file), name: file, chunk: 1 << 16), chunk: 1 << 16)
        var cloud = PointCloud(of: reader.properties)
        while let part = try reader.next(1000) { cloud.append(part) }
        return cloud
    }

    @Test func plyHoldsTheMesh() throws {
        let run = try StageRun(Self.fuse + "- write-mesh", on: Self.wall)
        #expect(run.files == ["memory_mesh.ply"])
        let mesh = try #require(run.capture.mesh)
        #expect(try Self.points(run, "memory_mesh.ply") == mesh.vertices)
        let text = String(decoding: try run.bytes("memory_mesh.ply").prefix(400), as: UTF8.self)
        #expect(text.contains("\nelement face \(mesh.triangleCount)\nproperty list uchar int vertex_indices\n"))
    }

    /// (x, y, −1) becomes (x, 1, y) where z is up, in millimetres.
    @Test func inMillimetresWithZUp() throws {
        let run = try StageRun(Self.fuse + "- write-mesh: {unit: mm, up: z, file: \"cad/{id}.ply\"}", on: Self.wall)
        let cloud = try Self.points(run, "cad/memory.ply")
        #expect(cloud.count > 0 && (0..<cloud.count).allSatisfy { abs(cloud[$0].y - 1) < 1e-3 })
        #expect(run.counts("write-mesh")["applied-transform"] != nil)
        let text = String(decoding: try run.bytes("cad/memory.ply").prefix(80), as: UTF8.self)
        #expect(text.contains("\ncomment unit mm\n"))
    }

    @Test func glbHasYUp() throws {
        let run = try StageRun(Self.fuse + "- write-mesh: {file: \"{id}.glb\"}", on: Self.wall)
        let bytes = try run.bytes("memory.glb")
        #expect(bytes.prefix(4) == Array("glTF".utf8)[...])
        #expect(run.warnings == [] && run.counts("write-mesh")["applied-transform"] == nil)
        var turned = Self.wall
        turned.worldUp = Vector3(0, 0, 1)
        let other = try StageRun(Self.fuse + "- write-mesh: {file: \"{id}.glb\"}", on: turned)
        #expect(other.counts("write-mesh")["applied-transform"] != nil)
        #expect(try other.bytes("memory.glb") != bytes)
        var unknown = Self.wall
        unknown.worldUp = nil
        let third = try StageRun(Self.fuse + "- write-mesh: {file: \"{id}.glb\"}", on: unknown)
        #expect(third.warnings.count == 1)
        #expect(
            third.warnings[0].hasPrefix(
                "write-mesh: the capture does not say which way is up, and viewers take y for it; say it"))
        #expect(try third.bytes("memory.glb") == bytes)
    }

    @Test func optionsThatContradictEachOtherAreMistakes() {
        let stages = Self.fuse + "- write-mesh: "
        #expect(StageRun.mistakes(in: stages + "{file: a.obj}") == ["`file` does not end in .ply or .glb"])
        #expect(StageRun.mistakes(in: stages + "{file: a.glb, unit: mm}") == ["glTF is always in metres"])
        #expect(
            StageRun.mistakes(in: "- write-mesh").first == "`write-mesh` needs mesh, which no stage before it makes")
    }

    /// Both may stand in one pipeline, and are made in one pass.
    @Test func cloudAndMeshOfOnePass() throws {
        let run = try StageRun(
            "- unproject\n- voxel-downsample: {size: 0.1}\n\(Self.fuse)- write-ply\n- write-mesh\n"
                + "- write-mesh: {file: \"{id}.glb\"}", on: Self.wall)
        #expect(run.files == ["memory.glb", "memory.ply", "memory_mesh.ply"])
    }
}
