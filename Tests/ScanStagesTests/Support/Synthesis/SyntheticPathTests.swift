import ScanModel
import ScanStages
import Testing

@Suite struct SyntheticPathTests {
    static let times = stride(from: -1, to: 130, by: 0.0871)

    @Test(arguments: [0, 1, 77, UInt64.max])
    func staysInTheRoomAndLooksAtTheObject(seed: UInt64) {
        let room = SyntheticRoom()
        let path = SyntheticPath(seed: seed, lap: 20)
        for time in Self.times {
            let pose = path.pose(at: time)
            #expect(pose.rotation.orthonormalityError < 1e-12)
            #expect(abs(pose.rotation.determinant - 1) < 1e-12)
            #expect(room.walls.contains(pose.position))
            #expect(room.distanceToSurface(pose.position) > 0.3)
            let ray = (room.object.center - pose.position).normalized
            #expect(ray.dot(-pose.rotation.columns.2) > 0.9, "the object is within 26° of the optical axis")
            #expect(pose.rotation.columns.1.y > 0.5, "the camera is held upright")
        }
    }

    @Test(arguments: [5.0, 20, 300])
    func isAsSmoothAsAHand(lap: Double) {
        let path = SyntheticPath(seed: 5, lap: lap)
        for time in Self.times {
            let now = path.pose(at: time)
            let next = path.pose(at: time + 0.001)
            let speed = (next.position - now.position).length / 0.001
            #expect(speed < 8.5 / lap + 0.12, "metres per second")
            let turned = now.rotation.transposed * next.rotation
            #expect(turned.columns.0.x + turned.columns.1.y + turned.columns.2.z > 3 - 1e-5, "no jump in direction")
        }
    }

    @Test func aLapGoesRoundTheTable() {
        let path = SyntheticPath(seed: 1, lap: 20)
        var quadrants: Set<Int> = []
        for time in stride(from: 0, to: 20, by: 0.5) {
            let position = path.pose(at: time).position
            quadrants.insert((position.x < 0 ? 1 : 0) + (position.z < 0 ? 2 : 0))
        }
        #expect(quadrants.count == 4)
    }

    @Test func theFocalLengthBreathes() {
        let path = SyntheticPath(seed: 1, lap: 20)
        let cameras = Self.times.map { path.intrinsics(at: $0, size: PixelSize(1920, 1440)) }
        #expect(cameras.allSatisfy { $0.defect == nil && $0.fx == $0.fy && $0.pixelOrigin == .corner })
        let focalLengths = cameras.map(\.fx)
        // What was seen in one real recording at this size: 1612.8 to 1641.3.
        #expect((focalLengths.min() ?? 0) > 1612 && (focalLengths.max() ?? 0) < 1642)
        #expect((focalLengths.max() ?? 0) - (focalLengths.min() ?? 0) > 20)
        #expect(cameras.allSatisfy { abs($0.cx - 960) < 10 && abs($0.cy - 720) < 10 })
    }
}
