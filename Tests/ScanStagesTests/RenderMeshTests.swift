import ScanFormats
import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct RenderMeshTests {
    /// A wall of 8 × 6 pixels of ¼ m, one metre in front of the camera, which looks along −z.
    private static var wall: MemoryCapture {
        MemoryCapture((0..<2).map { _ in .init(depth: (0..<48).map { _ in 1 }, height: 6) })
    }

    private static let fuse = "- fuse-depth: {voxel: 0.1, min-piece: 0, color: false}\n"
    private static let front = "- render-mesh: {view: front, width: 100, height: 100, cameras: none"

    private static func picture(_ run: StageRun, _ name: String) throws -> RGBImage {
        try PNG.decodeRGB(try run.bytes(name))
    }

    private static func paintedCount(_ picture: RGBImage) -> Int {
        (0..<100).reduce(0) { sum, y in sum + (0..<100).count { picture[$0, y] != Scene.background } }
    }

    /// The wall faces the viewer in front; nothing of it is seen from above, and of the box only edges.
    @Test func aSurfaceIsSeenFromItsFront() throws {
        let run = try StageRun(Self.fuse + Self.front + "}", on: Self.wall)
        #expect(run.files == ["memory_mesh_front.png"] && run.warnings == [])
        #expect(run.count("render-mesh", "triangles") == run.capture.mesh?.triangleCount)
        let picture = try Self.picture(run, "memory_mesh_front.png")
        #expect((picture.width, picture.height) == (100, 100))
        #expect(Self.paintedCount(picture) > 2000)
        let middle = picture[50, 50]
        #expect(middle.red == middle.green && middle.green == middle.blue && (150..<206).contains(Int(middle.red)))
    }

    @Test func aSheetHasFourViewsOfIt() throws {
        let run = try StageRun(
            Self.fuse + "- render-mesh: {width: 402, height: 302, cameras: none}", on: Self.wall)
        #expect(run.files == ["memory_mesh.png"])
        let picture = try Self.picture(run, "memory_mesh.png")
        func painted(_ left: Int, _ top: Int) -> Int {
            (top + 30..<top + 130).reduce(0) { sum, y in
                sum + (left..<left + 200).count { picture[$0, y] != Scene.background }
            }
        }
        // From above and from the side the wall is seen along its surface.
        #expect(painted(0, 0) < 1500 && painted(202, 152) < 1500)
        #expect(painted(202, 0) > 3000 && painted(0, 152) > 3000)
    }

    @Test func inGrey() throws {
        let scene =
            "- synthesize: {frames: 4, picture-width: 64, picture-height: 48, depth-width: 64, depth-height: 48}\n"
            + "- decompress\n- fuse-depth: {voxel: 0.05}\n"
        func colours(_ options: String) throws -> Int {
            let run = try StageRun(
                scene
                    + "- render-mesh: {view: perspective, width: 100, height: 100, box: false, cameras: none\(options)}",
                reading: "nowhere/a")
            let picture = try Self.picture(run, "a_mesh_perspective.png")
            // But for the background, which is not quite grey.
            return (20..<80).reduce(0) { sum, y in
                sum + (0..<100).count { abs(Int(picture[$0, y].red) - Int(picture[$0, y].blue)) > 6 }
            }
        }
        #expect(try colours("") > 300)
        #expect(try colours(", colors: false") == 0)
    }

    @Test func withTheBoxAndTheCameras() throws {
        var capture = Self.wall
        capture.box = OrientedBox(center: Vector3(0, 0, -1), worldFromBox: .identity, halfSize: Vector3(0.3, 0.3, 0.3))
        func picture(_ options: String) throws -> RGBImage {
            let run = try StageRun(Self.fuse + Self.front + options + "}", on: capture)
            return try Self.picture(run, "memory_mesh_front.png")
        }
        #expect(try picture("") != picture(", box: false"))
        #expect(try picture("") != picture(", around: box"))
    }

    @Test func theBytesDoNotDependOnTheNumberOfWorkers() throws {
        let source = try MiniSource()
        let stages = "- read\n- decompress\n- fuse-depth: {voxel: 0.05}\n- render-mesh: {width: 200, height: 150}"
        let runs = try [1, 4].map { try PipelineRun(stages, on: source.path, workers: $0) }
        #expect(runs[0].files == ["mini_mesh.png"])
        #expect(runs[0].digests == runs[1].digests && runs[0].receipt == runs[1].receipt)
    }

    @Test func nothingToDrawIsSaid() throws {
        #expect(
            PipelineRun.mistakes("- read\n- decompress\n- render-mesh").first
                == "`render-mesh` needs mesh, which no stage before it makes; put `fuse-depth` above it")
        let run = try StageRun(
            Self.fuse + "- crop: {above: 5, from: origin, if-empty: warn}\n- render-mesh", on: Self.wall)
        #expect(run.files == [])
        #expect(run.warnings.contains { $0.hasPrefix("render-mesh: nothing is drawn: ") }, "\(run.warnings)")
    }
}
