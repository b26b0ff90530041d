import ScanModel
import Testing

@Suite struct SceneTests {
    private static let axes = SceneView.Axes(up: Vector3(0, 1, 0), box: nil)
    private static let red = RGBColor(255, 0, 0)
    private static let blue = RGBColor(0, 0, 255)

    /// Four corners, which decide what a view shows, and whatever else is given.
    private static func scene(
        _ points: [(Vector3, RGBColor)], box: OrientedBox? = nil, trail: CameraTrail? = nil
    ) -> (scene: Scene, fit: [Vector3]) {
        var cloud = PointCloud(colors: [])
        for (p, color) in points {
            cloud.positions += [Float(p.x), Float(p.y), Float(p.z)]
            cloud.colors? += [color.red, color.green, color.blue]
        }
        var scene = Scene(cloud: cloud, box: box, trail: trail, axes: axes)
        scene.pointSize = 4
        let fit = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1)).corners
        return (scene, fit)
    }

    private static func draw(_ direction: SceneView.Direction, _ given: (scene: Scene, fit: [Vector3])) -> RGBImage {
        given.scene.picture(SceneView(direction, axes: axes, fitting: given.fit, size: PixelSize(100, 100)))
    }

    @Test func aPointIsSeenFromEverySideWhereItIs() {
        let given = Self.scene([(Vector3(0.4, -0.2, 0.8), Self.red)])
        // 45 pixels a metre from the middle of 100.
        for (direction, x, y) in [(SceneView.Direction.above, 68, 86), (.front, 68, 59), (.side, 14, 59)] {
            let picture = Self.draw(direction, given)
            let found = (0..<100).flatMap { v in (0..<100).filter { picture[$0, v] == Self.red }.map { ($0, v) } }
            #expect(found.count >= 8)
            #expect(found.allSatisfy { abs($0.0 - x) <= 2 && abs($0.1 - y) <= 2 }, "\(direction) \(found)")
            #expect(picture[5, 5] == Scene.background)
        }
    }

    /// Also where few points fill the picture: 11 × 11 of them on 90 pixels, and 9 × 9 on 200.
    @Test(arguments: [(11, 100), (9, 222)]) func pointsCloseTheGapsBetweenThem(_ count: Int, _ size: Int) {
        var cloud = PointCloud(colors: [])
        for column in 0..<count {
            for row in 0..<count {
                let place = { (number: Int) in Float(number) / Float(count - 1) * 2 - 1 }
                cloud.positions += [place(column), 0, place(row)]
                cloud.colors? += [255, 0, 0]
            }
        }
        let scene = Scene(cloud: cloud, box: nil, trail: nil, axes: Self.axes)
        let view = SceneView(
            .above, axes: Self.axes, fitting: scene.extent(), size: PixelSize(size, size))
        let picture = scene.picture(view)
        let inside = size / 10..<size - size / 10
        #expect(inside.allSatisfy { y in inside.allSatisfy { picture[$0, y] == Self.red } })
    }

    @Test func theUpperPointHidesTheLowerFromAboveUnlessItIsTheCeiling() {
        var given = Self.scene([(Vector3(0, 0.8, 0), Self.red), (Vector3(0, 0, 0), Self.blue)])
        #expect(Self.draw(.above, given)[50, 50] == Self.red)
        given.scene.ceiling = 0.5
        #expect(Self.draw(.above, given)[50, 50].blue > 200)
        #expect(Self.draw(.above, given)[50, 50].red < 50)
        // From the front both are seen as before.
        #expect(Self.draw(.front, given)[50, 14] == Self.red)
        // What is in the box is no ceiling.
        given.scene.box = OrientedBox(
            center: Vector3(0, 0.5, 0), worldFromBox: .identity, halfSize: Vector3(0.4, 0.4, 0.4))
        #expect(Self.draw(.above, given)[50, 50] == Self.red)
    }

    /// The same solid, however much of the box its floor cuts off.
    @Test func whatIsBelowTheFloorIsNotDrawn() {
        let box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(0.4, 0.4, 0.4))
        var long = box
        long.floor = -0.4
        long.center.y -= 0.2
        long.halfSize.y += 0.2
        let pictures = [box, long].map { Self.draw(.front, Self.scene([(.zero, Self.red)], box: $0)) }
        #expect(pictures[0] == pictures[1])
        let scenes = [box, long].map { Self.scene([], box: $0).scene }
        #expect(scenes.allSatisfy { zip($0.extent(), box.corners).allSatisfy { ($0 - $1).length < 1e-12 } })
        #expect(scenes.allSatisfy { $0.extent(ofBoxAlone: true).count == 8 })
    }

    @Test func pointsWithoutColourGoFromVioletToYellow() {
        var cloud = PointCloud()
        for i in 0...100 { cloud.positions += [0, Float(i) / 50 - 1, 0] }
        var scene = Scene(cloud: cloud, box: nil, trail: nil, axes: Self.axes)
        scene.pointSize = 4
        let view = SceneView(.front, axes: Self.axes, fitting: scene.extent(), size: PixelSize(60, 60))
        let picture = scene.picture(view)
        let column = (4..<56).map { picture[30, $0] }
        #expect(column.first.map { $0.red > 200 && $0.green > 200 && $0.blue < 80 } == true)
        #expect(column.last.map { $0.green < 40 && $0.blue > 60 } == true)
        #expect(zip(column, column.dropFirst()).allSatisfy { $0.green >= $1.green })
    }

    @Test func theBoxIsDrawnAlongItsEdges() {
        let box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(0.8, 0.6, 0.4))
        let picture = Self.draw(.front, Self.scene([], box: box))
        // 36 and 27 pixels from the middle.
        for (x, y) in [(14, 50), (86, 50), (50, 23), (50, 77), (14, 23), (86, 77)] {
            let near = [(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)].map { picture[$0.0, $0.1] }
            #expect(near.contains { $0.red > 180 && $0.green < 60 }, "\(x) \(y) \(near)")
        }
        #expect(picture[50, 50] == Scene.background)
    }

    @Test func pointsInFrontOfTheBoxMakeItPale() {
        let box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(0.8, 0.6, 0.4))
        var wall: [(Vector3, RGBColor)] = []
        for x in 0...40 {
            for y in 0...40 {
                wall.append((Vector3(Double(x) / 20 - 1, Double(y) / 20 - 1, 0.9), RGBColor(128, 128, 128)))
            }
        }
        let picture = Self.draw(.front, Self.scene(wall, box: box))
        let edge = (21..<26).map { picture[50, $0] }.max { $0.red < $1.red }
        // 0.4 of magenta's 208 over 0.6 of grey's 128, twice, since the front's edges are seen over the back's: 179.
        #expect((edge?.red ?? 0) > 135 && (edge?.red ?? 255) <= 180)
        #expect((edge?.green ?? 255) < 100)
    }

    @Test func camerasStandWhereTheyAreAndLookWhereTheyLook() {
        // At the origin, looking along −z; half a turn to either side of the axis, 45°.
        var frames = (0..<2).map { FrameFacts(index: $0) }
        for i in 0..<2 {
            frames[i].pose = Pose(rotation: .identity, position: Vector3(Double(i) * 0.9, 0, 0))
            frames[i].intrinsics = CameraIntrinsics(
                fx: 50, fy: 50, cx: 50, cy: 50, width: 100, height: 100, pixelOrigin: .corner)
            frames[i].timestamp = Int64(i) * 1_000_000_000
        }
        var given = Self.scene([], trail: CameraTrail(frames, by: .time))
        given.scene.box = OrientedBox(
            center: Vector3(0, 0, 0), worldFromBox: .identity, halfSize: Vector3(5, 5, 5))
        let picture = Self.draw(.above, given)
        // The path from (50, 50) to the right; nothing to its left.
        #expect(picture[70, 50] != Scene.background)
        #expect(picture[30, 50] == Scene.background)
        // The pyramids are a twentieth of how far cameras and box reach: upwards in this view, as far as they are wide.
        let above = (0..<49).filter { picture[50, $0] != Scene.background }
        let below = (53..<100).filter { picture[50, $0] != Scene.background }
        #expect(!above.isEmpty && below.isEmpty)
    }

    /// The views are fitted to the pyramids, too.
    @Test func theLastCameraIsNotCutOff() {
        var frames = (0..<2).map { FrameFacts(index: $0) }
        for i in 0..<2 {
            frames[i].pose = Pose(rotation: .identity, position: Vector3(10 * Double(i), 0, 0))
            frames[i].intrinsics = CameraIntrinsics(
                fx: 50, fy: 50, cx: 50, cy: 50, width: 100, height: 100, pixelOrigin: .corner)
        }
        let scene = Scene(cloud: nil, box: nil, trail: CameraTrail(frames, by: .time), axes: Self.axes)
        // They are a twentieth of the way long, and see 45° to either side.
        let xs = scene.extent().map(\.x)
        #expect(abs((xs.min() ?? 0) + 0.5) < 1e-9 && abs((xs.max() ?? 0) - 10.5) < 1e-9)
    }

    /// Two cameras a metre above a box of 20 cm, 4 m apart: from above, and from the front on one side of it.
    @Test func aViewCloseToTheBoxMayShowNoCamera() {
        var frames = (0..<2).map { FrameFacts(index: $0) }
        func scene(_ places: [Vector3]) -> Scene {
            for i in 0..<2 { frames[i].pose = Pose(rotation: .identity, position: places[i]) }
            let box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(0.1, 0.1, 0.1))
            return Scene(box: box, trail: CameraTrail(frames, by: .time), axes: Self.axes)
        }
        func shows(_ direction: SceneView.Direction, _ scene: Scene, close: Bool = true) -> Bool {
            let points = scene.extent(ofBoxAlone: close)
            return scene.showsCameras(
                in: SceneView(direction, axes: Self.axes, fitting: points, size: PixelSize(100, 80)))
        }
        let beside = scene([Vector3(2, 1, 2), Vector3(-2, 1, 2)])
        #expect(SceneView.Direction.allCases.allSatisfy { shows($0, beside, close: false) })
        #expect(!shows(.above, beside) && !shows(.front, beside) && !shows(.side, beside))
        // The path crosses the picture, though neither camera is in it.
        let across = scene([Vector3(2, 1, 0), Vector3(-2, 1, 0)])
        #expect(shows(.above, across) && !shows(.front, across))
        #expect(!shows(.above, Scene(box: beside.box, trail: nil, axes: Self.axes)))
    }

    @Test func strayPointsDoNotDecideWhatIsShown() {
        var positions: [Float] = []
        for i in 0..<3000 { positions += [Float(i % 60) / 60, Float(i / 60) / 50, 0] }
        positions += [900, 900, 900, -700, 0, 0]
        let scene = Scene(cloud: PointCloud(positions: positions), box: nil, trail: nil, axes: Self.axes)
        let extent = scene.extent()
        #expect(extent.count > 2800)
        #expect(extent.allSatisfy { (0...1).contains($0.x) && (0...1).contains($0.y) })
    }

    @Test func theBoxAloneDecidesWhenAsked() {
        let box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        let cloud = PointCloud(positions: [50, 50, 50])
        let scene = Scene(cloud: cloud, box: box, trail: nil, axes: Self.axes)
        #expect(scene.extent(ofBoxAlone: true) == box.corners)
        #expect(scene.extent().contains(Vector3(50, 50, 50)))
    }

    @Test func pointsAreAsLargeAsTheirGapsWant() {
        // A grid of 5 cm on 2 m: without gaps, whatever the picture's size.
        var cloud = PointCloud()
        for x in 0...40 {
            for y in 0...40 { cloud.positions += [Float(x) / 20 - 1, Float(y) / 20 - 1, 0] }
        }
        let scene = Scene(cloud: cloud, box: nil, trail: nil, axes: Self.axes)
        for size in [60, 200, 400] {
            let view = SceneView(.front, axes: Self.axes, fitting: scene.extent(), size: PixelSize(size, size))
            let picture = scene.picture(view)
            let inner = (size / 10)..<(size * 9 / 10)
            for y in inner { #expect(!inner.contains { picture[$0, y] == Scene.background }, "\(size), row \(y)") }
        }
    }

    /// Walls at x = ±1 and z = ±1 that face inwards, without colours unless they are given, and a floor.
    private static func room(_ colors: [UInt8]? = nil) -> TriangleMesh {
        var mesh = TriangleMesh(vertices: PointCloud(colors: colors.map { _ in [] }))
        func add(_ corners: [Vector3]) {
            let first = UInt32(mesh.vertices.count)
            for corner in corners {
                mesh.vertices.positions += corner.components.map { Float($0) }
                if let colors { mesh.vertices.colors? += colors }
            }
            mesh.triangles += [0, 1, 2, 0, 2, 3].map { first + $0 }
        }
        for turn in 0..<4 {
            func place(_ x: Double, _ y: Double, _ z: Double) -> Vector3 {
                [Vector3(x, y, z), Vector3(z, y, -x), Vector3(-x, y, -z), Vector3(-z, y, x)][turn]
            }
            add([place(-1, 0, -1), place(1, 0, -1), place(1, 1, -1), place(-1, 1, -1)])
        }
        add([Vector3(-1, 0, -1), Vector3(-1, 0, 1), Vector3(1, 0, 1), Vector3(1, 0, -1)])
        mesh.setNormals()
        return mesh
    }

    private static func draw(_ direction: SceneView.Direction, _ mesh: TriangleMesh) -> RGBImage {
        let scene = Scene(mesh: mesh, box: nil, trail: nil, axes: axes)
        return scene.picture(
            SceneView(direction, axes: axes, fitting: scene.extent(), size: PixelSize(100, 100), scale: 40))
    }

    /// The wall on the viewer's side faces away: what is seen is the one behind it, which faces the light.
    @Test func aRoomIsSeenThroughTheWallsOnTheViewersSide() {
        let front = Self.draw(.front, Self.room())
        let light = Vector3(-0.4, 0.6, 1).normalized
        #expect(abs(Double(front[50, 50].red) - 215 * (0.4 + 0.6 * light.z)) <= 1, "\(front[50, 50])")
        #expect(front[50, 50].red == front[50, 50].green)
        // 40 pixels a metre: the wall is 80 wide and 40 high.
        let seen = (0..<100).flatMap { y in (0..<100).filter { front[$0, y] != Scene.background }.map { ($0, y) } }
        #expect(seen.allSatisfy { (9...90).contains($0.0) && (29...70).contains($0.1) } && seen.count > 3000)
        // What has nothing behind it is seen from its back: pale, and not quite grey.
        var wall = Self.room()
        wall.keep { $0.z > 0 }
        let behind = Self.draw(.front, wall)[50, 50]
        #expect(abs(Double(behind.red) - 232 * (0.8 + 0.2 * light.z)) <= 1 && behind.blue < behind.red, "\(behind)")
    }

    /// In its own colours only the light's smaller part is added.
    @Test func aSurfaceHasItsOwnColours() {
        let above = Self.draw(.above, Self.room([200, 100, 0]))
        let share = 0.7 + 0.3 * Vector3(-0.4, 0.6, 1).normalized.z
        let middle = above[50, 50]
        #expect(abs(Double(middle.red) - 200 * share) <= 1 && abs(Double(middle.green) - 100 * share) <= 1)
        #expect(middle.blue == 0)
    }
}
