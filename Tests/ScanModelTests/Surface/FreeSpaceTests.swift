import Foundation
import ScanModel
import Testing

/// What frames look through, and what is carved away therefore.
@Suite struct FreeSpaceTests {
    private static let camera = CameraIntrinsics(
        fx: 60, fy: 64, cx: 31, cy: 25, width: 64, height: 48, pixelOrigin: .centre)
    private static let layout = VolumeLayout(voxel: 0.01, truncation: 0.04)
    /// Metres along each side of a block.
    private static let block = 0.08

    private static func frame(
        _ pose: Pose, in layout: VolumeLayout = layout, carves: Bool = true, _ metres: (_ u: Int, _ v: Int) -> Float
    ) -> VolumeFrame {
        let depth = DepthMap(
            width: camera.width, height: camera.height,
            metres: (0..<camera.height).flatMap { v in (0..<camera.width).map { metres($0, v) } })
        let unprojection = Unprojection(
            camera: camera, pose: pose, width: depth.width, height: depth.height, centre: .integer)
        return VolumeFrame(
            depth, points: unprojection.points(of: depth), view: CameraView(camera: camera, pose: pose),
            centre: .integer, carves: carves, in: layout)
    }

    private static func volume(_ frames: [VolumeFrame]) -> DistanceVolume {
        var volume = DistanceVolume(layout, hasColor: false)
        for frame in frames { volume.add(frame) }
        return volume
    }

    /// A slanted wall with a pillar before it, and a hole.
    private static func depth(_ u: Int, _ v: Int) -> Float {
        if (40..<44).contains(u) && (30..<36).contains(v) { return 0 }
        return (20..<26).contains(u) ? 0.9 : 1.5 + 0.01 * Float(u) + 0.004 * Float(v)
    }

    private static let turned = Pose(
        rotation: Matrix3(
            rows: Vector3(0.36, 0.48, -0.8), Vector3(-0.8, 0.6, 0), Vector3(0.48, 0.64, 0.6)),
        position: Vector3(0.3, -2.1, 1.7))

    /// What the pixels have seen onto which a cube falls, grown by a voxel.
    private static func sight(_ corner: Vector3, _ side: Double) -> (isClear: Bool, holes: Double)? {
        let view = CameraView(camera: camera, pose: turned)
        let ends = [-layout.voxel, side + layout.voxel]
        let corners = ends.flatMap { z in
            ends.flatMap { y in ends.map { view.project(corner + Vector3($0, y, z)) } }
        }
        let places = corners.compactMap { $0 }
        guard places.count == 8 else { return nil }
        func pixels(_ values: [Double]) -> ClosedRange<Int> {
            Int((values.min() ?? 0).rounded(.down))...Int((values.max() ?? 0).rounded(.up))
        }
        let (columns, rows) = (pixels(places.map(\.u)), pixels(places.map(\.v)))
        guard columns.lowerBound >= 0, columns.upperBound < camera.width else { return nil }
        guard rows.lowerBound >= 0, rows.upperBound < camera.height else { return nil }
        let seen = rows.flatMap { v in columns.map { depth($0, v) } }
        let farthest = Float(places.map(\.depth).max() ?? 0)
        return (seen.allSatisfy { $0 == 0 || $0 > farthest }, Double(seen.count { $0 == 0 }) / Double(seen.count))
    }

    @Test func aFrameTellsWhatItLookedThrough() {
        let cubes = Self.frame(Self.turned, Self.depth).freeCubes
        func corner(_ x: Int, _ y: Int, _ z: Int, _ side: Double) -> Vector3 {
            Vector3(Double(x), Double(y), Double(z)) * side
        }
        var found: Set<[Int]> = []
        for cube in cubes {
            let count = 1 << cube.level
            let side = Self.block * Double(count)
            #expect(Self.sight(corner(cube.x, cube.y, cube.z, side), side)?.isClear == true)
            for z in 0..<count {
                for y in 0..<count {
                    for x in 0..<count {
                        // No cube lies in another.
                        #expect(
                            found.insert([cube.x * count + x, cube.y * count + y, cube.z * count + z]).inserted)
                    }
                }
            }
        }
        #expect(cubes.contains { $0.level > 0 } && cubes.contains { $0.level == 0 })
        // Also of a block in a large cube, only a few pixels have no depth; they are counted in somewhat larger rectangles.
        for block in found {
            let holes = Self.sight(corner(block[0], block[1], block[2], Self.block), Self.block)?.holes ?? 1
            #expect(holes < 0.15, "\(block): \(holes)")
        }
        // All blocks around the eye, as far as it sees.
        let eye = [0.3, -2.1, 1.7].map { Int($0 / Self.block) }
        var clear: Set<[Int]> = []
        for z in eye[2] - 32...eye[2] + 32 {
            for y in eye[1] - 32...eye[1] + 32 {
                for x in eye[0] - 32...eye[0] + 32 {
                    guard let sight = Self.sight(corner(x, y, z, Self.block), Self.block) else { continue }
                    if sight.isClear && sight.holes == 0 { clear.insert([x, y, z]) }
                }
            }
        }
        let missed = clear.subtracting(found).count
        #expect(clear.count > 300 && missed < clear.count / 4, "\(missed) of \(clear.count)")
    }

    /// Of a thin thing that is seen without depth the pixels would be more.
    @Test func aFewPixelsMayHaveNoDepth() {
        func cubes(_ isHole: (Int, Int) -> Bool) -> Int {
            Self.frame(.identity) { u, v in isHole(u, v) ? 0 : 2 }.freeCubes.count
        }
        // One in 64, and one in 5.
        #expect(cubes { u, v in (u + 8 * v) % 64 == 0 } > 100)
        #expect(cubes { u, v in (u + 2 * v) % 5 == 0 } == 0)
    }

    @Test func withoutBeingAskedItTellsNothing() {
        #expect(Self.frame(.identity, carves: false) { _, _ in 2 }.freeCubes.isEmpty)
        #expect(Self.frame(.identity) { _, _ in 0 }.freeCubes.isEmpty)
        // So far out that there are no blocks.
        #expect(
            Self.frame(Pose(rotation: .identity, position: Vector3(9e5, 0, 0))) { _, _ in 2 }.freeCubes.isEmpty)
    }

    private static func isSomebody(_ u: Int, _ v: Int) -> Bool { (24..<40).contains(u) && (16..<32).contains(v) }

    /// Of a wall before which somebody stands in some frames.
    private static func heights(_ somebody: Int, of all: Int, carves: Bool) -> [Float] {
        let frames = (0..<all).map { number in
            frame(.identity, carves: carves) { u, v in number < somebody && isSomebody(u, v) ? 0.6 : 1.2 }
        }
        let positions = volume(frames).surface(minFrames: 2).mesh.vertices.positions
        return stride(from: 2, to: positions.count, by: 3).map { positions[$0] }
    }

    @Test func whatMoreFramesLookedThroughThanSawIsCarvedAway() {
        #expect(Self.heights(3, of: 8, carves: false).contains { $0 > -0.7 })
        let carved = Self.heights(3, of: 8, carves: true)
        #expect(!carved.isEmpty && carved.allSatisfy { $0 < -1.1 })
        // As many saw it as did not, and more.
        #expect(Self.heights(4, of: 8, carves: true) == Self.heights(4, of: 8, carves: false))
        #expect(Self.heights(5, of: 8, carves: true).contains { $0 > -0.7 })
    }

    @Test func whatIsCarvedIsCounted() {
        let frames = (0..<8).map { number in
            Self.frame(.identity) { u, v in number < 3 && Self.isSomebody(u, v) ? 0.6 : 1.2 }
        }
        let volume = Self.volume(frames)
        #expect(volume.surface(minFrames: 2).carvedBlocks > 5)
        // Too few saw it anyway.
        #expect(volume.surface(minFrames: 4).carvedBlocks == 0)
        let wall = Self.volume(frames.map { _ in Self.frame(.identity) { _, _ in 1.2 } })
        #expect(wall.surface(minFrames: 1).carvedBlocks == 0)
    }

    /// Far away the pixels of a frame lie a metre apart on the floor, which is nearer between their centres than at them.
    @Test func aFloorIsNotLookedThroughBetweenPixels() {
        let layout = VolumeLayout(voxel: 0.002, truncation: 0.008)
        let pose = Pose(rotation: .identity, position: Vector3(0, 1.4, 0))
        let frame = Self.frame(pose, in: layout) { _, v in v > 25 ? Float(1.4 * 64 / Double(v - 25)) : 0 }
        let floor = frame.freeCubes.filter { $0.y < 0 }
        #expect(floor.isEmpty && frame.freeCubes.count > 1000, "\(floor.count) of \(frame.freeCubes.count)")
    }

    /// Half of the frames see the floor at a grazing angle: their rays pass close above it for a long way.
    @Test func aFloorStaysAsItIs() {
        func floor(_ pitch: Double) -> Pose {
            let (sine, cosine) = (sin(pitch), cos(pitch))
            return Pose(
                rotation: Matrix3(rows: Vector3(1, 0, 0), Vector3(0, cosine, -sine), Vector3(0, sine, cosine)),
                position: Vector3(0, 0.5, 0))
        }
        func frames(_ carves: Bool) -> [VolumeFrame] {
            [-1.4, -0.25, -1.3, -0.22, -1.35, -0.3].map { pitch in
                let pose = floor(pitch)
                return Self.frame(pose, carves: carves) { u, v in
                    let ray = pose.rotation * Vector3((Double(u) - 31) / 60, -(Double(v) - 25) / 64, -1)
                    return ray.y < -0.02 ? Float(-0.5 / ray.y) : 0
                }
            }
        }
        let carved = Self.volume(frames(true))
        #expect(carved.surface().mesh.triangleCount > 1000)
        #expect(carved.surface().mesh == Self.volume(frames(false)).surface().mesh)
    }
}
