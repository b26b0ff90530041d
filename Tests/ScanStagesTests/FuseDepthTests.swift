import ScanFormats
import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct FuseDepthTests {
    private static let scene =
        "- synthesize: {frames: 40, rate: 2, picture-width: 64, picture-height: 48, depth-width: 128, depth-height: 96}\n"
        + "- decompress\n- mask-range: {far: 3}\n"

    private static func run(_ options: String, _ more: String = "", workers: Int = 1) throws -> StageRun {
        try StageRun(
            "\(scene)\(more)- fuse-depth: {\(options)}\n- write-mesh", reading: "nowhere/a", workers: workers)
    }

    private static func distances(_ mesh: TriangleMesh) -> [Double] {
        let room = SyntheticRoom()
        return (0..<mesh.vertices.count).map { room.distanceToSurface(mesh.vertices[$0]) }.sorted()
    }

    /// Half floats of up to 3 m are off by 0.7 mm, a depth pixel is up to 3 cm wide, and thin things such as the table's top
    /// and legs are thicker by up to the truncation.
    @Test func theMeshLiesOnTheSurfacesOfTheRoom() throws {
        let run = try Self.run("voxel: 0.03")
        let mesh = try #require(run.capture.mesh)
        #expect(run.count("fuse-depth", "triangles") == mesh.triangleCount && mesh.triangleCount > 20_000)
        #expect(run.count("fuse-depth", "vertices") == mesh.vertices.count)
        #expect(run.count("write-mesh", "triangles") == mesh.triangleCount)
        let distances = Self.distances(mesh)
        #expect(distances[distances.count / 2] < 0.002, "\(distances[distances.count / 2])")
        #expect(distances[distances.count * 9 / 10] < 0.01, "\(distances[distances.count * 9 / 10])")
        #expect(distances[distances.count * 99 / 100] < 0.05, "\(distances[distances.count * 99 / 100])")
        #expect((distances.last ?? 1) < 0.12, "\(distances.last ?? 1)")
        let area = try #require(run.counts("fuse-depth")["area"]?.double)
        #expect(abs(area - mesh.area) < 1e-9)
        // Seen from within: the normals of the floor look up.
        let normals = try #require(mesh.vertices.normals)
        let floor = (0..<mesh.vertices.count).filter { abs(mesh.vertices[$0].y - SyntheticRoom.floorHeight) < 0.002 }
        let up = floor.filter { normals[3 * $0 + 1] > 0.95 }
        #expect(floor.count > 100 && up.count > floor.count * 9 / 10)
    }

    @Test func workersMakeNoDifference() throws {
        let (one, many) = (try Self.run("voxel: 0.05"), try Self.run("voxel: 0.05", workers: 4))
        #expect(try one.bytes("a_mesh.ply") == many.bytes("a_mesh.ply"))
    }

    /// The object alone, which nobody can see from below.
    @Test func aBoxAboveLeavesTheObject() throws {
        let run = try Self.run("voxel: 0.02", "- cull-by-box: {depth: true, pixel-centre: half}\n")
        let mesh = try #require(run.capture.mesh)
        let room = SyntheticRoom()
        let box = room.boundingBox(isClamped: false)
        let limit = box.grown(by: 0.03, bottom: 0)
        #expect((0..<mesh.vertices.count).allSatisfy { limit.contains(mesh.vertices[$0]) })
        // Top and sides of 32 × 24 × 22 cm: 0.33 m².
        #expect(abs(mesh.area - 0.33) < 0.06, "\(mesh.area)")
    }

    /// Below it, the mesh is cut, which then has been carved by all that was seen past the object.
    @Test func aBoxBelowLeavesTheObject() throws {
        let run = try StageRun(
            "\(Self.scene)- fuse-depth: {voxel: 0.02}\n- cull-by-box: {margin: 0.02, bottom: -0.02}\n- write-mesh",
            reading: "nowhere/a")
        let mesh = try #require(run.capture.mesh)
        let box = try #require(run.capture.box).grown(by: 0.021, bottom: 0)
        #expect((0..<mesh.vertices.count).allSatisfy { box.contains(mesh.vertices[$0]) })
        #expect(abs(mesh.area - 0.33) < 0.06, "\(mesh.area)")
        let counts = run.counts("cull-by-box")
        #expect(counts["triangles-in"] == run.counts("fuse-depth")["triangles"])
        #expect(run.count("cull-by-box", "triangles-out") == mesh.triangleCount)
        #expect(run.count("cull-by-box", "vertices-out") == mesh.vertices.count)
        #expect(abs((counts["area-out"]?.double ?? 0) - mesh.area) < 1e-9)
        #expect(run.count("write-mesh", "triangles") == mesh.triangleCount)
        // There is no cloud, and no pixel was counted.
        #expect(counts["points-in"] == nil && counts["pixels-in"] == nil)
    }

    /// The mesh and the cloud of it, without a box from the capture.
    @Test func cutsBelowActOnTheMeshAsOnTheCloud() throws {
        let run = try StageRun(
            Self.scene + """
                - fuse-depth: {voxel: 0.03}
                - sample-mesh: {spacing: 0.03}
                - find-floor
                - crop: {above: 0.03, from: floor, around: 0.8, centre: focus}
                - fit-box
                - cull-by-box: {margin: 0.02}
                - write-mesh
                - write-ply
                """, reading: "nowhere/a")
        let (mesh, cloud) = (try #require(run.capture.mesh), try #require(run.capture.cloud))
        let box = try #require(run.capture.box).grown(by: 0.021, bottom: 0)
        let least = SyntheticRoom.floorHeight + 0.02
        for points in [mesh.vertices, cloud] {
            #expect(points.count > 100)
            #expect((0..<points.count).allSatisfy { box.contains(points[$0]) && points[$0].y > least })
        }
        #expect(run.count("crop", "triangles-out") == run.count("cull-by-box", "triangles-in"))
        #expect(run.count("crop", "triangles-in") ?? 0 > 4 * mesh.triangleCount)
    }

    @Test func ofAMeshThatIsCutAwayNothingIsLeft() throws {
        let stages = "- fuse-depth: {voxel: 0.1, min-piece: 0}\n"
        func failure(_ cut: String) -> Problem? {
            problem { _ = try StageRun(stages + cut + "\n- write-mesh", on: Self.wall(2)) }
        }
        let high = failure("- crop: {above: 50, from: origin}")
        #expect(high?.summary == "no triangle lies within the limits")
        #expect(high?.notes.first?.hasPrefix("the mesh reaches from -") == true, "\(high?.notes ?? [])")
        // A second cut has nothing to add.
        let cuts = "- crop: {above: 50, from: origin, if-empty: warn}\n- cull-by-box: {if-empty: warn}\n"
        var boxed = Self.wall(2)
        boxed.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(0.1, 0.1, 0.1))
        let run = try StageRun(stages + cuts + "- write-mesh: {file: \"{id}.glb\"}", on: boxed)
        #expect(run.capture.mesh?.triangleCount == 0 && !run.files.contains { $0.hasSuffix(".glb") })
        #expect(
            run.warnings == [
                "crop: no triangle lies within the limits, so nothing is left",
                "write-mesh: no file is written: crop left nothing of it",
            ])
        let outside = problem { _ = try StageRun(stages + "- cull-by-box\n- write-mesh", on: boxed) }
        #expect(outside?.summary == "no triangle of the capture lies in the box")
    }

    /// The points of frames would stay as they are beside a mesh that is cut.
    @Test func cropNeedsACloudWherePointsAreMade() {
        let stages = "- decompress\n- unproject\n- fuse-depth\n- crop: {above: 0, from: origin}\n- write-mesh"
        let mistakes = StageRun.mistakes(in: stages + "\n- write-ply")
        #expect(mistakes.contains("`crop` needs cloud, which no stage before it makes"), "\(mistakes)")
    }

    @Test func coloursComeFromThePictures() throws {
        let run = try Self.run("voxel: 0.05")
        let colors = try #require(run.capture.mesh?.vertices.colors)
        #expect(Set(colors).count > 20)
        let bare = try Self.run("voxel: 0.05, color: false")
        #expect(bare.capture.mesh?.vertices.colors == nil)
        #expect(bare.capture.mesh?.triangles == run.capture.mesh?.triangles)
        #expect(bare.capture.mesh?.vertices.positions == run.capture.mesh?.vertices.positions)
    }

    /// 8 × 6 pixels at 1 m, a pixel being ¼ m: a wall that `times` frames see.
    private static func wall(_ times: Int, _ depths: [Float]? = nil) -> MemoryCapture {
        MemoryCapture((0..<times).map { _ in .init(depth: depths ?? (0..<48).map { _ in 1 }, height: 6) })
    }

    @Test func aSurfaceHasToBeSeenSoOften() throws {
        let stages = "- fuse-depth: {voxel: 0.1, min-piece: 0, min-frames: 3}"
        let run = try StageRun(stages + "\n- write-mesh", on: Self.wall(3))
        #expect(run.capture.mesh?.triangleCount ?? 0 > 50)
        let few = problem { _ = try StageRun(stages + "\n- write-mesh", on: Self.wall(2)) }
        #expect(few?.summary == "2 frames with depth cannot show a surface that 3 have seen")
        #expect(
            few?.fix == "keep more frames above fuse-depth, or accept one with  --set fuse-depth.min-frames=1")
        // Two walls, each of which one frame has seen.
        var apart = Self.wall(2)
        apart.items[1].pose = Pose(rotation: .identity, position: Vector3(0, 0, -50))
        let other = problem { _ = try StageRun("- fuse-depth: {voxel: 0.1}\n- write-mesh", on: apart) }
        #expect(other?.summary == "no surface was seen by 2 frames from the same side")
    }

    @Test func smallPiecesAreCounted() throws {
        // Two columns of a wall of two metres, far from each other.
        let depths: [Float] = (0..<48).map { $0 % 8 == 0 || $0 % 8 > 4 ? 1 : 0 }
        func stages(_ least: Int) -> String {
            "- fuse-depth: {voxel: 0.1, min-piece: \(least), min-frames: 1}\n- write-mesh"
        }
        let all = try StageRun(stages(0), on: Self.wall(1, depths))
        #expect(all.count("fuse-depth", "small-pieces") == 0)
        let triangles = try #require(all.count("fuse-depth", "triangles"))
        let large = try StageRun(stages(triangles / 2), on: Self.wall(1, depths))
        #expect(large.count("fuse-depth", "small-pieces") == 1)
        #expect(large.count("fuse-depth", "triangles") ?? 0 < triangles)
        let none = problem { _ = try StageRun(stages(100_000), on: Self.wall(1, depths)) }
        #expect(
            none?.summary == "all pieces of the surface have fewer than 100000 triangles: nothing would be left of it")
    }

    @Test func withoutDepthThereIsNoSurface() {
        for (mask, fix) in [
            ("", "see with  scanmill inspect  whether the recorded depth is empty"),
            ("- mask-range: {near: 0.1, far: 5}\n", "loosen the masks and boxes above fuse-depth"),
        ] {
            let failure = problem {
                _ = try StageRun("\(mask)- fuse-depth\n- write-mesh", on: Self.wall(2, (0..<48).map { _ in 0 }))
            }
            #expect(failure?.summary == "no pixel with depth is left, so there is no surface")
            #expect(failure?.fix == fix)
        }
    }

    /// The stage above only passes it on.
    @Test func aBoxThatMayLeaveNothingDoesNotSaveTheSurface() {
        var capture = Self.wall(2)
        capture.box = OrientedBox(center: Vector3(50, 0, 0), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        let cull = "- cull-by-box: {depth: true, pixel-centre: half, if-empty: warn}\n"
        let failure = problem { _ = try StageRun(cull + "- fuse-depth\n- write-mesh", on: capture) }
        #expect(failure?.fault == .input && failure?.summary == "no pixel with depth is left, so there is no surface")
        #expect(failure?.fix == "loosen the masks and boxes above fuse-depth")
    }

    /// Larger than all that was filmed: no larger one helps, nor does a frame fewer.
    @Test func voxelsThatAreTooLarge() {
        for frames in [2, 1] {
            let failure = problem {
                _ = try StageRun("- fuse-depth: {voxel: 50, min-frames: \(frames)}\n- write-mesh", on: Self.wall(3))
            }
            #expect(failure?.summary.hasPrefix("no surface was seen by \(frames) frame") == true)
            #expect(failure?.fix?.contains("voxels must be smaller than what was filmed") == true)
            #expect(failure?.fix?.contains("min-frames=1") == (frames > 1))
        }
    }

    /// Depth of another unit, or a fault in the stream: 3 % of the pixels see something 655 m away. The number of cubes along
    /// their lines of sight would grow with the cube of that: it took hours.
    @Test(.timeLimit(.minutes(5))) func farPixelsCostLittle() throws {
        let size = PixelSize(96, 72)
        let metres = (0..<size.width * size.height).map { pixel -> Float in pixel * 7919 % 97 < 3 ? 655 : 2 }
        let capture = MemoryCapture((0..<3).map { _ in .init(depth: metres, height: size.height) })
        let run = try StageRun("- fuse-depth\n- write-mesh", on: capture)
        #expect(run.count("fuse-depth", "triangles") ?? 0 > 1000)
        // Nor are they surface: each would be one of its own.
        #expect(run.count("fuse-depth", "pixels") == 3 * metres.count)
        #expect(run.count("fuse-depth", "pixels-too-far") == 3 * metres.count { $0 == 655 })
        #expect(
            run.warnings == [
                "fuse-depth: 3.1 % of 20736 depth pixels are so far away that one covers more than eight voxels, and became "
                    + "no surface; see with  scanmill inspect  whether they mean “nothing measured”, or make the voxels larger"
            ])
        let near = metres.map { $0 == 655 ? 0 : $0 }
        let without = MemoryCapture((0..<3).map { _ in .init(depth: near, height: size.height) })
        let bare = try StageRun("- fuse-depth: {carve: false}\n- write-mesh", on: without)
        #expect(
            try StageRun("- fuse-depth: {carve: false}\n- write-mesh", on: capture).count("fuse-depth", "area")
                == bare.count("fuse-depth", "area"))
        let all = MemoryCapture((0..<3).map { _ in .init(depth: metres.map { _ in 655 }, height: size.height) })
        let failure = problem { _ = try StageRun("- fuse-depth\n- write-mesh", on: all) }
        #expect(failure?.summary == "all depth is so far away that one pixel covers more than eight voxels")
    }

    /// One damaged number would have the surface of its frame fill all memory.
    @Test func aFrameThatSeesToTheSideIsLeftOut() throws {
        let camera = CameraIntrinsics(fx: 90, fy: 90, cx: 48, cy: 36, width: 96, height: 72, pixelOrigin: .corner)
        let items = (0..<4).map { number in
            var item = MemoryCapture.Item(depth: Array(repeating: 2, count: 96 * 72), height: 72)
            var own = camera
            if number == 2 { own.cx = 100_000 }
            item.intrinsics = own
            return item
        }
        var capture = MemoryCapture(items)
        capture.badFrameLimit = 0.5
        let run = try StageRun("- fuse-depth\n- write-mesh", on: capture)
        #expect(run.kept == [0, 1, 3])
        #expect(
            run.capture.frames[2].drop?.reason.hasPrefix(
                "its depth would reach 89.9° away from the camera's axis, beyond any pinhole camera") == true,
            "\(run.capture.frames[2].drop?.reason ?? "")")
    }

    /// Of the box around a ray few blocks lie on it: a wide view of a wall takes no more than what is near the wall.
    @Test func slantedRaysTakeFewBlocks() {
        let layout = VolumeLayout(voxel: 0.01, truncation: 0.05)
        let camera = CameraIntrinsics(fx: 4, fy: 4, cx: 48, cy: 36, width: 96, height: 72, pixelOrigin: .centre)
        let depth = DepthMap(width: 96, height: 72, metres: Array(repeating: 0.3, count: 96 * 72))
        let points = Unprojection(camera: camera, pose: .identity, width: 96, height: 72, centre: .integer)
            .points(of: depth)
        let frame = VolumeFrame(
            depth, points: points, view: CameraView(camera: camera, pose: .identity), centre: .integer, in: layout)
        // Each point lies in a block that was found, and so does what is a truncation before and behind it on its ray.
        let found = Set(frame.blocks.map { [$0.x, $0.y, $0.z] })
        for index in 0..<points.count {
            for share in [1.0, 1 - 0.05 / 0.3, 1 + 0.05 / 0.3] {
                let place = points[index] * share
                let block: [Int32] = place.components.map { Int32(($0 / 0.08).rounded(.down)) }
                #expect(found.contains(block), "\(index)")
            }
        }
        // The boxes around the rays hold 24,885.
        #expect(found.count < 22_000, "\(found.count)")
    }

    /// However small the voxels are, what a sensor can measure is surface.
    @Test func soundDepthBeyondSmallVoxels() throws {
        let metres = Array(repeating: Float(2), count: 96 * 72)
        let capture = MemoryCapture((0..<2).map { _ in .init(depth: metres, height: 72) })
        let run = try StageRun("- fuse-depth: {voxel: 0.004, min-piece: 0}\n- write-mesh", on: capture)
        #expect(run.count("fuse-depth", "pixels-too-far") == nil && run.warnings == [])
        #expect(run.count("fuse-depth", "triangles") ?? 0 > 1000)
    }

    @Test func anUnknownUnitIsSaid() throws {
        var capture = Self.wall(2)
        capture.isMetric = false
        let run = try StageRun("- fuse-depth: {voxel: 0.1, min-piece: 0}\n- write-mesh", on: capture)
        #expect(run.warnings == ["fuse-depth: the world's unit is unknown: a voxel of 0.1 m may be anything"])
    }

    /// A wall at each of the distances, and somebody 0.8 m away before the first of them.
    private static func passing(_ times: Int, before walls: [Float]) -> MemoryCapture {
        MemoryCapture(
            walls.enumerated().map { number, wall in
                let isThere = { (pixel: Int) in
                    number < times && (30..<60).contains(pixel % 96) && (24..<48).contains(pixel / 96)
                }
                return .init(depth: (0..<96 * 72).map { isThere($0) ? 0.8 : wall }, height: 72)
            })
    }

    @Test func whatIsLookedThroughIsCarvedAway() throws {
        func nearest(_ options: String) throws -> (height: Float?, run: StageRun) {
            let capture = Self.passing(2, before: [2, 2, 2, 2, 2])
            let run = try StageRun("- fuse-depth: {voxel: 0.04\(options)}\n- write-mesh", on: capture)
            let positions = run.capture.mesh?.vertices.positions ?? []
            return (stride(from: 2, to: positions.count, by: 3).map { positions[$0] }.max(), run)
        }
        let (height, run) = try nearest("")
        #expect(abs((height ?? 0) + 2) < 0.01)
        #expect(run.count("fuse-depth", "carved-blocks") ?? 0 >= 4)
        let (kept, other) = try nearest(", carve: false")
        #expect(abs((kept ?? 0) + 0.8) < 0.01)
        #expect(other.count("fuse-depth", "carved-blocks") == nil)
    }

    @Test func aSurfaceThatIsCarvedAwayWhollyIsSaid() {
        let failure = problem {
            let capture = Self.passing(2, before: [2, 3, 4, 5, 6])
            _ = try StageRun("- fuse-depth: {voxel: 0.04}\n- write-mesh", on: capture)
        }
        #expect(
            failure?.summary == "more frames looked through the surface than saw it, so it was carved away")
        #expect(
            failure?.fix == "put check-geometry above, or leave it uncarved with  --set fuse-depth.carve=false")
    }

    /// Something was carved away, and something else is why nothing is left.
    @Test func carvingIsNotBlamedForOthers() {
        let failure = problem {
            let capture = Self.passing(2, before: [2, 2, 2, 2, 2])
            _ = try StageRun("- fuse-depth: {voxel: 0.04, min-piece: 1000000}\n- write-mesh", on: capture)
        }
        #expect(
            failure?.summary
                == "all pieces of the surface have fewer than 1000000 triangles: nothing would be left of it")
    }

    /// Nothing moves in the room.
    @Test func carvingLeavesWhatStands() throws {
        let (carved, whole) = (try Self.run("voxel: 0.04"), try Self.run("voxel: 0.04, carve: false"))
        #expect(carved.count("fuse-depth", "carved-blocks") == 0)
        #expect(try carved.bytes("a_mesh.ply") == whole.bytes("a_mesh.ply"))
    }
}
