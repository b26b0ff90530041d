import ScanModel
import ScanStages
import Testing

@Suite struct WorldTurnTests {
    /// Up need not be an axis, as in a dataset that another program has levelled, or turned by some degrees.
    @Test func anyUpIsBroughtToAnAxis() {
        let (y, z) = (Vector3(0, 1, 0), Vector3(0, 0, 1))
        #expect(WorldTurn.bringing(y, to: z) == .yUpToZUp && WorldTurn.bringing(z, to: y) == .zUpToYUp)
        #expect(WorldTurn.bringing(z, to: z) == .none)
        #expect(WorldTurn.bringing(Vector3(1e-9, 1, 0).normalized, to: z) == .yUpToZUp)
        for up in [
            Vector3(0.1, 0.9, -0.2), Vector3(-3, 0.5, 1), Vector3(0, 0, -1), Vector3(0, -1, 0), Vector3(0, -1, 1e-4),
        ] {
            let turn = WorldTurn.bringing(up.normalized, to: z)
            #expect((turn.rotation * up.normalized - z).length < 1e-12)
            let (a, b, c) = turn.rotation.rows
            #expect((a.cross(b) - c).length < 1e-12 && abs(a.dot(b)) < 1e-12 && abs(a.length - 1) < 1e-12)
        }
    }

    @Test func yBecomesZ() {
        let turn = WorldTurn.yUpToZUp
        #expect(turn.rotation * Vector3(0, 1, 0) == Vector3(0, 0, 1))
        #expect(turn.rotation * Vector3(1, 2, 3) == Vector3(1, -3, 2))
        #expect(turn.rotation.determinant == 1)
        #expect(turn.rows == [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0]])
        #expect(WorldTurn.none.rows == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    }

    @Test func posesAndPointsTurnTogether() {
        let pose = Pose(rotation: .rotation(aboutY: 0.7), position: Vector3(1, 2, 3))
        let inCamera = Vector3(0.5, -0.25, -2)
        let world = pose.apply(inCamera)
        let turned = WorldTurn.yUpToZUp.apply(pose).apply(inCamera)
        #expect((turned - Vector3(world.x, -world.z, world.y)).length < 1e-15)
        let cloud = PointCloud(positions: [1, 2, 3, -4, 5, -6], colors: [1, 2, 3, 4, 5, 6])
        #expect(
            WorldTurn.yUpToZUp.apply(cloud) == PointCloud(positions: [1, -3, 2, -4, 6, 5], colors: [1, 2, 3, 4, 5, 6]))
        #expect(WorldTurn.none.apply(cloud) == cloud)
        let facing = PointCloud(positions: [1, 2, 3], normals: [0, 1, 0])
        #expect(WorldTurn.yUpToZUp.apply(facing) == PointCloud(positions: [1, -3, 2], normals: [0, 0, 1]))
        #expect(WorldTurn.none.apply(pose) == pose)
    }

    @Test func aBoxTurnsWithItsPoints() {
        let axes = Matrix3(columns: Vector3(0.6, 0.8, 0), Vector3(0, 0, 1), Vector3(0.8, -0.6, 0))
        let box = OrientedBox(center: Vector3(1, 2, 3), worldFromBox: axes, halfSize: Vector3(0.5, 1, 0.25))
        let turned = WorldTurn.zUpToYUp.apply(box)
        for (before, after) in zip(box.corners, turned.corners) {
            #expect((after - Vector3(before.x, before.z, -before.y)).length < 1e-15)
        }
        var clamped = box
        clamped.floor = 1.5
        #expect(WorldTurn.none.apply(clamped) == clamped)
    }

    /// Boxes hold numbers that come from single precision.
    @Test func aFloorIsTheBottomFaceAfterwards() throws {
        let axes = Matrix3(columns: Vector3(0.8, 1e-8, 0.6), Vector3(1e-8, 0.9999999, -2e-8), Vector3(-0.6, 0, 0.8))
        let box = OrientedBox(
            center: Vector3(1, 2, 3), worldFromBox: axes, halfSize: Vector3(0.5, 1, 0.25), floor: 1.5)
        let turned = WorldTurn.yUpToZUp.apply(box)
        #expect(turned.floor == nil)
        for height in [0.9, 1.1, 1.499, 1.501, 2.9, 3.1] {
            let point = Vector3(1, height, 3)
            let there = WorldTurn.yUpToZUp.rotation * point
            #expect(turned.contains(there) == box.contains(point), "\(height)")
            // No margin moves it.
            let grown = (turned.grown(by: 0.2, bottom: 0), box.grown(by: 0.2, bottom: 0))
            #expect(grown.0.contains(there) == grown.1.contains(point), "\(height)")
        }
        var tilted = box
        tilted.worldFromBox = Matrix3(columns: Vector3(0.6, 0.8, 0), Vector3(-0.8, 0.6, 0), Vector3(0, 0, 1))
        #expect(tilted.endingOnItsFloor == nil)
    }

    @Test func pointsKeepEveryBit() {
        let values: [Float] = [0.1, -1e-30, 3e30, .leastNonzeroMagnitude, 16_777_216, -0.3]
        let turned = WorldTurn.yUpToZUp.apply(PointCloud(positions: values)).positions
        #expect(turned == [0.1, -3e30, -1e-30, .leastNonzeroMagnitude, 0.3, 16_777_216])
    }
}
