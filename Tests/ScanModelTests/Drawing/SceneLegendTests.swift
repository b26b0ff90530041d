import ScanModel
import Testing

@Suite struct SceneLegendTests {
    private static func ink(_ image: RGBImage) -> Set<[Int]> {
        Set(
            (0..<image.height).flatMap { y in
                (0..<image.width).filter { image[$0, y] != .white }.map { [$0, y] }
            })
    }

    /// The bar's length is that of the metres it names.
    @Test(arguments: [(0.4, 1.0), (1.7, 1), (3, 1), (9, 5), (80, 20)])
    func theScaleBarIsAsLongAsItSays(extent: Double, pixelsOver: Double) throws {
        let axes = SceneView.Axes(up: nil, box: nil)
        let half = extent / 2
        let points = [Vector3(-half, -half, 0), Vector3(half, half, 0)]
        let view = SceneView(.front, axes: axes, fitting: points, size: PixelSize(400, 400))
        var image = RGBImage(width: 400, height: 400, color: .white)
        image.addLegend("", view: view, trail: nil, isMetric: true)
        let row = Self.ink(image).filter { $0[1] == 393 }.map { $0[0] }.sorted()
        let metres = Double(row.count) / (360 / extent)
        // A round number of metres, not more than a quarter of the picture.
        let round = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
        let nearest = try #require(round.min { abs($0 - metres) < abs($1 - metres) })
        #expect(abs(metres - nearest) < 0.51 / (360 / extent))
        #expect(row.count <= 100 && row.count > 36)
        #expect(row.last == 393)
    }

    @Test func perspectiveHasNoScaleBar() {
        let view = SceneView(
            .oblique, axes: SceneView.Axes(up: nil, box: nil), fitting: [.zero, Vector3(1, 1, 1)],
            size: PixelSize(200, 200))
        var image = RGBImage(width: 200, height: 200, color: .white)
        image.addLegend("", view: view, trail: nil, isMetric: true)
        #expect(Self.ink(image).isEmpty)
    }

    @Test func theTitleStandsInTheCorner() {
        let view = SceneView(
            .oblique, axes: SceneView.Axes(up: nil, box: nil), fitting: [.zero], size: PixelSize(200, 200))
        var image = RGBImage(width: 200, height: 200, color: .white)
        image.addLegend("above", view: view, trail: nil, isMetric: true)
        var expected = RGBImage(width: 200, height: 200, color: .white)
        expected.write("above", x: 6, y: 6, color: .black)
        #expect(Self.ink(image) == Self.ink(expected))
    }

    @Test func withoutTimesTheColoursAreFrames() {
        var frames = (0..<8).map { FrameFacts(index: $0) }
        for i in frames.indices { frames[i].pose = .identity }
        let view = SceneView(
            .oblique, axes: SceneView.Axes(up: nil, box: nil), fitting: [.zero], size: PixelSize(300, 200))
        var image = RGBImage(width: 300, height: 200, color: .white)
        image.addLegend("", view: view, trail: CameraTrail(frames, by: .speed), isMetric: true)
        var expected = RGBImage(width: 300, height: 200, color: .white)
        expected.write("frame 0", x: 6, y: 187, color: .black)
        let bar = 6 + BitmapFont.width(of: "frame 0", scale: 1) + 3
        expected.fill(x: bar, y: 188, width: 60, height: 4, .black)
        expected.write("7", x: bar + 63, y: 187, color: .black)
        #expect(Self.ink(image) == Self.ink(expected))
        // Where nothing is drawn, nothing has to be explained.
        var empty = RGBImage(width: 300, height: 200, color: .white)
        empty.addLegend("", view: view, trail: CameraTrail([], by: .time), isMetric: true)
        #expect(Self.ink(empty).isEmpty)
    }

    /// A metre in a second, or nobody knows what.
    @Test(arguments: [(true, "≥ 1 m/s"), (false, "≥ 1 /s")])
    func speedsHaveTheUnitOfTheWorld(_ isMetric: Bool, _ high: String) {
        var frames = (0..<2).map { FrameFacts(index: $0) }
        for i in 0..<2 {
            frames[i].pose = Pose(rotation: .identity, position: Vector3(Double(i), 0, 0))
            frames[i].timestamp = Int64(i) * 1_000_000_000
        }
        let key = Self.key(to: CameraTrail(frames, by: .speed), high, isMetric: isMetric)
        #expect(Self.ink(key.image) == Self.ink(key.expected))
    }

    /// The key to the colours of cameras that are seen in perspective, and what it is to look like: from 0 to `high`.
    private static func key(
        to trail: CameraTrail, _ high: String, isMetric: Bool = true
    ) -> (image: RGBImage, expected: RGBImage) {
        let view = SceneView(
            .oblique, axes: SceneView.Axes(up: nil, box: nil), fitting: [.zero], size: PixelSize(200, 200))
        var image = RGBImage(width: 200, height: 200, color: .white)
        image.addLegend("", view: view, trail: trail, isMetric: isMetric)
        var expected = RGBImage(width: 200, height: 200, color: .white)
        expected.write("0", x: 6, y: 187, color: .black)
        expected.fill(x: 14, y: 188, width: 60, height: 4, .black)
        expected.write(high, x: 77, y: 187, color: .black)
        return (image, expected)
    }

    @Test func theColoursOfTheCamerasAreExplained() {
        var frames = (0..<2).map { FrameFacts(index: $0) }
        for i in 0..<2 {
            frames[i].pose = .identity
            frames[i].timestamp = Int64(i) * 12_340_000_000
        }
        let (image, expected) = Self.key(to: CameraTrail(frames, by: .time), "12 s")
        #expect(Self.ink(image) == Self.ink(expected))
        #expect(image[14, 189] == ColorMap.turbo.color(at: 0) && image[73, 189] == ColorMap.turbo.color(at: 1))
    }
}
