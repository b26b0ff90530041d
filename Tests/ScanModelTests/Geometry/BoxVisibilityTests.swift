import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct BoxVisibilityTests {
    private let box = OrientedBox(center: Vector3(1, 2, 3), worldFromBox: .identity, halfSize: Vector3(0.2, 0.3, 0.1))
    /// 53° across.
    private let camera = CameraIntrinsics(
        fx: 100, fy: 100, cx: 50, cy: 40, width: 100, height: 80, pixelOrigin: .corner)

    private func seen(_ box: OrientedBox, _ poses: [Pose]) -> BoxVisibility {
        var visibility = BoxVisibility(of: box)
        for pose in poses { visibility.add(pose, camera) }
        return visibility
    }

    /// A camera 2 m from the centre and aimed at it, by degrees from the front to the right and upwards.
    private func pose(_ azimuth: Double, _ elevation: Double = 0) -> Pose {
        let (a, e) = (azimuth * .pi / 180, elevation * .pi / 180)
        let direction = Vector3(sin(a) * cos(e), sin(e), -cos(a) * cos(e))
        return .camera(at: box.center + direction * 2, lookingAt: box.center)
    }

    @Test func aSideIsSeenThatNoCameraIsAimedAt() {
        // From the front, aimed half a metre beside the box.
        let pose = Pose.camera(at: Vector3(1, 2, 1), lookingAt: Vector3(1.5, 2, 3))
        #expect(box.encounter(from: pose.position, along: -pose.rotation.columns.2) == .miss)
        let visibility = seen(box, [pose, pose, pose])
        let front = visibility[.front]
        #expect(front.views == 3 && front.share == 1 && abs((front.nearest ?? 0) - 1.9) < 1e-12)
        for face in [BoxFace.back, .left, .right, .top, .bottom] {
            #expect(visibility[face].views == 0 && visibility[face].share == 0 && visibility[face].nearest == nil)
        }
        #expect(visibility.wholeCount == 3 && visibility.partCount == 0 && visibility.absentCount == 0)
    }

    @Test func aSideIsNotSeenFromFlatBesideIt() {
        // The right side from 86° and from 71° off its normal.
        #expect(seen(box, [pose(10)])[.right].views == 0)
        #expect(seen(box, [pose(25)])[.right].share == 1)
    }

    @Test func whatLiesBeyondThePicturesEdgeIsNotSeen() {
        // The picture's right edge goes down the middle of the front: half of its columns are in it.
        let pose = Pose(rotation: .rotation(aboutY: .pi), position: Vector3(1, 2, 0.9))
        let middle = CameraIntrinsics(
            fx: 100, fy: 100, cx: 100, cy: 40, width: 100, height: 80, pixelOrigin: .corner)
        var visibility = BoxVisibility(of: box)
        let isView = visibility.add(pose, middle)
        #expect(isView)
        #expect(visibility[.front].share == 0.5)
        #expect(visibility.partCount == 1)
        // A box behind the camera is in no picture.
        let isViewFromBehind = visibility.add(Pose(rotation: .identity, position: Vector3(1, 2, 0.9)), middle)
        #expect(!isViewFromBehind)
        #expect(visibility.absentCount == 1)
    }

    /// The same camera, its pixels counted from the first one's centre.
    @Test func theOriginOfPixelsIsTheCameras() {
        var (a, b) = (BoxVisibility(of: box), BoxVisibility(of: box))
        let near = Pose.camera(at: Vector3(1, 2, 2.4), lookingAt: Vector3(1, 2, 3))
        a.add(near, camera)
        b.add(near, camera.counted(from: .centre))
        #expect(a[.front] == b[.front])
        #expect((0.3...0.9).contains(a[.front].share))
    }

    @Test func theGapOfAHalfRingIsNamed() {
        let visibility = seen(box, stride(from: -90.0, through: 90, by: 10).map { pose($0, 20) })
        #expect(abs(visibility.gap.size - 180) < 1e-9 && abs(visibility.gap.middle - 180) < 1e-9)
        #expect(abs(visibility.gap.from - 90) < 1e-9 && abs(visibility.gap.to - 270) < 1e-9)
        #expect(visibility[.back].share == 0 && visibility[.front].views >= 9)
        let ring = seen(box, stride(from: 0.0, to: 360, by: 10).map { pose($0, 35) })
        #expect(abs(ring.gap.size - 10) < 1e-9)
        for face in [BoxFace.front, .back, .left, .right, .top] { #expect(ring[face].views >= BoxVisibility.goal) }
        #expect(ring.distances.count == 36 && ring.distances.allSatisfy { abs($0 - 2) < 1e-9 })
    }

    /// So little to the left of the front that rounding makes it 360°.
    @Test func azimuthsAreBelow360() {
        var visibility = BoxVisibility(
            of: OrientedBox(center: .zero, worldFromBox: .identity, halfSize: box.halfSize))
        for place in [Vector3(-1e-17, 0, -2), Vector3(2, 0, 0)] {
            visibility.add(.camera(at: place, lookingAt: .zero), camera)
        }
        #expect(visibility.gap.to == 0 && abs(visibility.gap.size - 270) < 1e-9)
    }

    @Test func fromAboveThereIsNoPlaceInTheRing() {
        let visibility = seen(box, [pose(30, 89)])
        #expect(visibility[.top].share == 1 && visibility.wholeCount == 1)
        #expect(visibility.gap.size == 360 && visibility.gap.from == 0)
        #expect(seen(box, []).gap.size == 360 && seen(box, [pose(30)]).gap.size == 360)
    }

    @Test func belowAFloorThereIsNoBox() {
        var cut = box
        cut.floor = 2.2
        // Of 0.6 m, 0.1 m is left.
        let visibility = seen(cut, [pose(0, 0)])
        #expect(visibility[.front].share == 1)
        let nearest = visibility[.front].nearest ?? 0
        #expect(abs(nearest - (1.9 * 1.9 + 0.25 * 0.25).squareRoot()) < 1e-9)
        // A box that lies on its edge, and a picture that ends at the floor: what is below it counts for nothing.
        var tilted = box
        let (c, s) = (cos(Double.pi / 4), sin(Double.pi / 4))
        tilted.worldFromBox = Matrix3(rows: Vector3(c, -s, 0), Vector3(s, c, 0), Vector3(0, 0, 1))
        tilted.floor = 2
        var above = camera
        above.cy = 80
        var half = BoxVisibility(of: tilted)
        half.add(Pose(rotation: .rotation(aboutY: .pi), position: Vector3(1, 2, 0.9)), above)
        #expect(half[.front].share == 1 && half.wholeCount == 1)
        // From inside, no side is seen.
        #expect(seen(box, [Pose(rotation: .identity, position: box.center)]).absentCount == 1)
    }
}
