import ScanModel
import Testing

@Suite struct SceneViewTests {
    private static let yUp = SceneView.Axes(up: Vector3(0, 1, 0), box: nil)
    /// The corners of a cube of 2 m around (1, 2, 3).
    private static let cube = OrientedBox(
        center: Vector3(1, 2, 3), worldFromBox: .identity, halfSize: Vector3(1, 1, 1)
    ).corners

    private static func pixel(_ view: SceneView, _ x: Double, _ y: Double, _ z: Double) throws -> [Double] {
        let point = try #require(view.project(Vector3(x, y, z)))
        return [point.x, point.y].map { ($0 * 1e6).rounded() / 1e6 }
    }

    /// 90 of 100 pixels for 2 m: 45 a metre.
    @Test func theThreeOrthographicViews() throws {
        let size = PixelSize(100, 100)
        let above = SceneView(.above, axes: Self.yUp, fitting: Self.cube, size: size)
        #expect(try #require(above.scale) == 45)
        #expect(try Self.pixel(above, 1, 2, 3) == [50, 50])
        // +x to the right, and what is far from the viewer in front, −z, on top.
        #expect(try Self.pixel(above, 2, 9, 3) == [95, 50])
        #expect(try Self.pixel(above, 1, 2, 2) == [50, 5])
        let front = SceneView(.front, axes: Self.yUp, fitting: Self.cube, size: size)
        #expect(try Self.pixel(front, 2, 3, 7) == [95, 5])
        // From the right: +z, which is before the viewer in front, on the left.
        let side = SceneView(.side, axes: Self.yUp, fitting: Self.cube, size: size)
        #expect(try Self.pixel(side, 9, 3, 4) == [5, 5])
    }

    @Test func depthGrowsAwayFromTheViewer() throws {
        for (direction, near, far) in [
            (SceneView.Direction.above, Vector3(1, 3, 3), Vector3(1, 1, 3)),
            (.front, Vector3(1, 2, 4), Vector3(1, 2, 2)), (.side, Vector3(2, 2, 3), Vector3(0, 2, 3)),
        ] {
            let view = SceneView(direction, axes: Self.yUp, fitting: Self.cube, size: PixelSize(40, 30))
            let depths = try [near, far].map { try #require(view.project($0)).depth }
            #expect(abs(depths[1] - depths[0] - 2) < 1e-12)
        }
    }

    @Test func aWorldWithZUpIsLookedAtAlongY() throws {
        let axes = SceneView.Axes(up: Vector3(0, 0, 1), box: nil)
        #expect(axes.right == Vector3(1, 0, 0) && axes.front == Vector3(0, -1, 0))
        let front = SceneView(.front, axes: axes, fitting: Self.cube, size: PixelSize(100, 100))
        #expect(try Self.pixel(front, 2, -9, 4) == [95, 5])
        #expect(SceneView.Axes(up: nil, box: nil) == Self.yUp)
    }

    @Test(arguments: [Vector3(0, 1, 0), Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(0.48, 0.6, 0.64)])
    func theAxesAreRightHanded(up: Vector3) {
        let axes = SceneView.Axes(up: up, box: nil)
        let turn = Matrix3(columns: axes.right, axes.up, axes.front)
        #expect(turn.orthonormalityError < 1e-12 && abs(turn.determinant - 1) < 1e-12)
        #expect((axes.up - up).length < 1e-12)
    }

    @Test func aBoxShowsItsFrontFace() throws {
        let turn = Matrix3.rotation(aboutY: 0.7)
        let box = OrientedBox(center: .zero, worldFromBox: turn, halfSize: Vector3(1, 1, 1))
        let axes = SceneView.Axes(up: Vector3(0, 1, 0), box: box)
        let view = SceneView(.front, axes: axes, fitting: box.corners, size: PixelSize(100, 100))
        let front = try #require(view.project(turn * Vector3(0, 0, -1)))
        let back = try #require(view.project(turn * Vector3(0, 0, 1)))
        #expect(front.depth < back.depth)
        #expect(abs(front.x - 50) < 1e-9 && abs(back.x - 50) < 1e-9)
        // Its left face is on the viewer's right, as with a person whom one faces.
        #expect(try #require(view.project(turn * Vector3(-1, 0, 0))).x > 90)
    }

    @Test func inPerspectiveThingsFitAndGetSmallerWithDistance() throws {
        for size in [PixelSize(160, 120), PixelSize(90, 200)] {
            let view = SceneView(.oblique, axes: Self.yUp, fitting: Self.cube, size: size)
            #expect(view.scale == nil)
            let points = try Self.cube.map { try #require(view.project($0)) }
            // All inside, with a margin of a twentieth, and one on that margin.
            let shares = points.map {
                max(abs($0.x / Double(size.width) - 0.5), abs($0.y / Double(size.height) - 0.5)) * 2
            }
            #expect(abs((shares.max() ?? 0) - 0.9) < 1e-9)
            // The corner before, on the right, on top is the nearest; that behind, on the left, at the bottom the farthest.
            #expect(points.map(\.depth).min() == points[7].depth && points.map(\.depth).max() == points[0].depth)
            // A metre upwards is longer before than behind.
            let before = points[5].y - points[7].y
            let behind = points[0].y - points[2].y
            #expect(before > behind && behind > 0)
        }
    }

    @Test func behindTheEyeNothingIsSeen() throws {
        let view = SceneView(.oblique, axes: Self.yUp, fitting: Self.cube, size: PixelSize(100, 100))
        #expect(view.project(Vector3(1, 2, 3) + Vector3(0.55, 0.6, 0.8) * 1000) == nil)
        #expect(view.project(Vector3(1, 2, 3) - Vector3(0.55, 0.6, 0.8) * 1000) != nil)
    }

    @Test func twiceAsLargeIsTheSamePicture() throws {
        for direction in SceneView.Direction.allCases {
            let view = SceneView(direction, axes: Self.yUp, fitting: Self.cube, size: PixelSize(64, 48))
            for corner in Self.cube {
                let (small, large) = (try #require(view.project(corner)), try #require(view.doubled.project(corner)))
                #expect(abs(2 * small.x - large.x) < 1e-9 && abs(2 * small.y - large.y) < 1e-9)
                #expect(small.depth == large.depth)
            }
        }
    }

    @Test func aSinglePointAndNoneAtAllDoNoHarm() throws {
        for points in [[], [Vector3(4, 5, 6)]] {
            for direction in SceneView.Direction.allCases {
                let view = SceneView(direction, axes: Self.yUp, fitting: points, size: PixelSize(64, 48))
                let middle = try #require(view.project(points.first ?? .zero))
                #expect(abs(middle.x - 32) < 1e-6 && abs(middle.y - 24) < 1e-6)
            }
        }
    }

    @Test func theViewTurnsBehindCamerasThatLookOneWay() {
        let looking = { (angle: Double) in Pose(rotation: .rotation(aboutY: angle), position: .zero) }
        // A camera turned by 90° to the left looks along −x: whoever stands behind it stands at +x.
        let axes = Self.yUp.facing(as: [looking(.pi / 2 - 0.1), looking(.pi / 2 + 0.1)])
        #expect((axes.front - Vector3(1, 0, 0)).length < 1e-9)
        #expect(axes.up == Self.yUp.up && (axes.right - Vector3(0, 0, -1)).length < 1e-9)
        #expect(Self.yUp.facing(as: (0..<8).map { looking(Double($0) * .pi / 4) }) == Self.yUp)
        #expect(Self.yUp.facing(as: []) == Self.yUp)
    }
}
