import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct RenderCloudTests {
    /// A floor of 2 m of red points at y = 0, one blue point above it, and two cameras on one side.
    private static func capture(blue: [Float] = [0.5, 0.5, -0.5]) -> MemoryCapture {
        var positions: [Float] = []
        var colors: [UInt8] = []
        for x in -20...20 {
            for z in -20...20 {
                positions += [Float(x) / 20, 0, Float(z) / 20]
                colors += [255, 0, 0]
            }
        }
        var first = MemoryCapture.Item(points: positions, colors: colors)
        first.timestamp = 0
        first.pose = Pose(rotation: .identity, position: Vector3(-0.5, 1, 0.5))
        var second = MemoryCapture.Item(points: blue, colors: [0, 0, 255])
        second.timestamp = 2_000_000_000
        second.pose = Pose(rotation: .identity, position: Vector3(0.5, 1, 0.5))
        return MemoryCapture([first, second])
    }

    private static let merge = "- voxel-downsample: {size: 0.001}\n"

    private static func picture(_ run: StageRun, _ name: String) throws -> RGBImage {
        try PNG.decodeRGB(try run.bytes(name))
    }

    /// 100 pixels with 90 for 2 m.
    @Test func fromAboveThingsAreWhereTheyAre() throws {
        let run = try StageRun(
            Self.merge + "- render-cloud: {view: above, width: 100, height: 100, cameras: none}", on: Self.capture())
        #expect(run.files == ["memory_cloud_above.png"])
        let picture = try Self.picture(run, "memory_cloud_above.png")
        #expect((picture.width, picture.height) == (100, 100))
        #expect(picture[50, 50] == RGBColor(255, 0, 0))
        // x = 0.5, z = −0.5: right of the middle, and above it.
        let blue = picture[72, 27]
        #expect(blue.blue > 200 && blue.red < 60, "\(blue)")
        #expect(picture[72, 72] == RGBColor(255, 0, 0))
        #expect(picture[1, 50] == Scene.background)
        #expect(run.count("render-cloud", "points") == 41 * 41 + 1)
    }

    @Test func aSheetHasFourViews() throws {
        let run = try StageRun(
            Self.merge + "- render-cloud: {width: 402, height: 302, cameras: none}", on: Self.capture())
        #expect(run.files == ["memory_cloud.png"])
        let picture = try Self.picture(run, "memory_cloud.png")
        #expect((picture.width, picture.height) == (402, 302))
        // A line between the panels, and the floor in each of them: from the front and the side it is a stroke.
        #expect(picture[200, 80] == picture[201, 290] && picture[200, 80] != Scene.background)
        func reds(_ x: Range<Int>, _ y: Range<Int>) -> Int {
            y.reduce(0) { sum, v in sum + x.count { picture[$0, v].red > 200 && picture[$0, v].green < 50 } }
        }
        let panels = [
            reds(0..<200, 0..<150), reds(202..<402, 0..<150), reds(0..<200, 152..<302), reds(202..<402, 152..<302),
        ]
        #expect(
            panels[0] > 10_000 && panels[1] > 3000 && (100..<2000).contains(panels[2])
                && (100..<2000).contains(panels[3]))
    }

    /// A floor of 2 m by half a metre: lengths can be compared between the panels, and the front is not the side.
    @Test func thePanelsOfASheetShareOneScale() throws {
        var positions: [Float] = []
        for x in -20...20 {
            for z in -5...5 { positions += [Float(x) / 20, 0, Float(z) / 20] }
        }
        let red: [UInt8] = [255, 0, 0]
        let item = MemoryCapture.Item(
            points: positions, colors: (0..<positions.count / 3).flatMap { _ in red })
        let run = try StageRun(
            Self.merge + "- render-cloud: {width: 402, height: 302, cameras: none}", on: MemoryCapture([item]))
        let picture = try Self.picture(run, "memory_cloud.png")
        func isRed(_ x: Int, _ y: Int) -> Bool { picture[x, y].red > 200 && picture[x, y].green < 50 }
        func redSize(_ left: Int, _ top: Int) -> PixelSize {
            let columns = (left..<left + 200).count { x in (top..<top + 150).contains { isRed(x, $0) } }
            let rows = (top..<top + 150).count { y in (left..<left + 200).contains { isRed($0, y) } }
            return PixelSize(columns, rows)
        }
        // 90 pixels a metre in panels of 200 × 150, and half a point more on either side.
        let (above, front, side) = (redSize(0, 0), redSize(0, 152), redSize(202, 152))
        #expect(abs(above.width - 190) <= 6 && abs(above.height - 56) <= 6, "\(above)")
        #expect(abs(front.width - above.width) <= 2 && front.height < 20, "\(front)")
        #expect(abs(side.width - above.height) <= 2 && side.height < 20, "\(side)")
    }

    /// The blue point lies half a metre above the floor, to the right and towards the viewer in front.
    @Test func aSingleViewIsFromItsSide() throws {
        func picture(_ view: String) throws -> RGBImage {
            let run = try StageRun(
                Self.merge + "- render-cloud: {view: \(view), width: 100, height: 100, cameras: none}",
                on: Self.capture(blue: [0.5, 0.5, 0.3]))
            #expect(run.files == ["memory_cloud_\(view).png"])
            return try Self.picture(run, "memory_cloud_\(view).png")
        }
        func isBlue(_ color: RGBColor) -> Bool { color.blue > 200 && color.red < 60 }
        func redRows(_ picture: RGBImage) -> Int {
            (0..<100).count { y in (0..<100).contains { picture[$0, y].red > 200 && picture[$0, y].green < 50 } }
        }
        // 45 pixels a metre; what is nearer to the viewer in front is farther to the left from the right side.
        let side = try picture("side")
        #expect(isBlue(side[36, 27]) && !isBlue(side[72, 27]))
        #expect(redRows(side) < 12)
        // From the front, the right and above the floor is a surface. Where the point is seen follows from the focal
        // length of 120 pixels and the distance from which the floor fills nine tenths.
        let perspective = try picture("perspective")
        #expect(isBlue(perspective[58, 44]), "\(perspective[58, 44])")
        #expect(redRows(perspective) > 40)
    }

    @Test func theCamerasAloneNeedNoCloud() throws {
        // One step from left to right, of half a metre a second, or of half a unit: the fastest that there is.
        for isMetric in [true, false] {
            var capture = Self.capture()
            capture.isMetric = isMetric
            let run = try StageRun(
                "- render-cloud: {cloud: false, view: above, cameras: speed, width: 100, height: 100}", on: capture)
            #expect(run.files == ["memory_cameras_above.png"])
            let picture = try Self.picture(run, "memory_cameras_above.png")
            let isRed = { (y: Int) in picture[50, y].red > 100 && picture[50, y].blue < 40 && picture[50, y].green < 100
            }
            #expect((35..<65).contains(where: isRed) != isMetric)
        }
    }

    @Test func theBoxIsDrawnUnlessItShallNot() throws {
        var capture = Self.capture()
        capture.box = OrientedBox(center: Vector3(0, 0.5, 0), worldFromBox: .identity, halfSize: Vector3(0.5, 0.5, 0.5))
        func magenta(_ options: String) throws -> Int {
            let run = try StageRun(
                Self.merge + "- render-cloud: {view: above, width: 120, height: 120, cameras: none\(options)}",
                on: capture)
            let picture = try Self.picture(run, "memory_cloud_above.png")
            return (0..<120).reduce(0) { sum, y in
                sum
                    + (0..<120).count {
                        picture[$0, y].blue > 90 && picture[$0, y].red > 180 && picture[$0, y].green < 60
                    }
            }
        }
        #expect(try magenta("") > 100)
        #expect(try magenta(", box: false") == 0)
        // Around the box alone it is twice as large.
        #expect(try magenta(", around: box") > (try magenta("")) * 3 / 2)
    }

    @Test func whatHangsAboveTheCamerasIsHiddenFromAbove() throws {
        var capture = Self.capture()
        capture.items[0].points?.positions += [0, 1.5, 0]
        capture.items[0].points?.colors? += [0, 255, 0]
        for (ceiling, isSeen) in [("hide", false), ("show", true)] {
            let run = try StageRun(
                Self.merge
                    + "- render-cloud: {view: above, width: 100, height: 100, cameras: none, ceiling: \(ceiling)}",
                on: capture)
            #expect((try Self.picture(run, "memory_cloud_above.png")[50, 50].green > 200) == isSeen)
        }
        // What is in the box is what was filmed, whether its edges are drawn or not.
        capture.box = OrientedBox(center: Vector3(0, 1, 0), worldFromBox: .identity, halfSize: Vector3(0.3, 0.6, 0.3))
        let run = try StageRun(
            Self.merge + "- render-cloud: {view: above, width: 100, height: 100, cameras: none, box: false}",
            on: capture)
        #expect(try Self.picture(run, "memory_cloud_above.png")[50, 50].green > 200)
    }

    @Test func theBytesDoNotDependOnTheNumberOfWorkers() throws {
        let source = try MiniSource()
        let stages = """
            - read
            - decompress
            - unproject
            - voxel-downsample: {size: 0.05}
            - render-cloud: {width: 200, height: 150}
            - render-cloud: {width: 100, height: 100, view: perspective, cameras: speed}
            """
        let runs = try [1, 4].map { try PipelineRun(stages, on: source.path, workers: $0) }
        #expect(runs[0].files == ["mini_cloud.png", "mini_cloud_perspective.png"])
        #expect(runs[0].digests == runs[1].digests && runs[0].receipt == runs[1].receipt)
    }

    /// By a reader of PNG that is none of ours.
    @Test func othersReadThePicture() throws {
        let run = try StageRun(
            Self.merge + "- render-cloud: {view: front, width: 64, height: 64, cameras: none}", on: Self.capture())
        let read = try PythonReaders.run(
            "p = read_png(sys.argv[1]); p['rows'] = sum(map(sum, p['rows'])); print(json.dumps(p))",
            ["\(run.path)/memory_cloud_front.png"])
        let picture = try Self.picture(run, "memory_cloud_front.png")
        #expect(read["width"]?.integer == 64 && read["channels"]?.integer == 3)
        #expect(read["rows"]?.integer == Int64(picture.pixels.reduce(0) { $0 + Int($1) }))
    }

    /// As `report-coverage` names the box's faces: its right one lies at +x.
    @Test func theSideIsNamedAfterTheFaceThatIsSeen() {
        let box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        #expect(SceneDrawing.sideTitle(of: box, seenFrom: Vector3(1, 0, 0)) == "from the right")
        #expect(SceneDrawing.sideTitle(of: box, seenFrom: Vector3(-1, 0, 0)) == "from the left")
        #expect(SceneDrawing.sideTitle(of: nil, seenFrom: Vector3(-1, 0, 0)) == "from the right")
    }

    @Test func pictureSizesHaveALimit() {
        let stages = "- voxel-downsample\n- render-cloud: {width: 4096, height: 4096}"
        #expect(StageRun.mistakes(in: stages).contains("4096×4096 is more than 8 million pixels"))
    }

    @Test func coloursThatCannotGoBySpeedAreSaid() throws {
        var capture = MemoryCapture([MemoryCapture.Item(), MemoryCapture.Item()])
        let stages = "- render-cloud: {cloud: false, cameras: speed}"
        let warning =
            "render-cloud: the frames have no times that ascend, so the cameras are coloured in their order and not by speed"
        #expect(try StageRun(stages, on: capture).warnings == [warning])
        for index in 0..<2 { capture.items[index].timestamp = Int64(index) * 1_000_000_000 }
        #expect(try StageRun(stages, on: capture).warnings == [])
    }

    @Test func nothingToDrawIsSaid() throws {
        #expect(
            StageRun.mistakes(in: "- voxel-downsample\n- render-cloud: {cloud: false, cameras: none}")
                == ["with `cloud: false` and `cameras: none` nothing is drawn"])
        // A capture may bring a cloud along; this one does not.
        let source = try MiniSource()
        let problem = try PipelineRun.problem("- read\n- render-cloud", on: source.path)
        #expect(problem?.summary == "render-cloud needs cloud, and this capture has none")
        // A PLY file has no depth of which `unproject` could make points, but points that were not merged yet.
        #expect(problem?.fix?.hasSuffix("or of a PLY file's points, with `voxel-downsample` alone") == true)
        var capture = MemoryCapture([MemoryCapture.Item(points: [])])
        capture.items[0].pose = nil
        let run = try StageRun("- voxel-downsample\n- render-cloud", on: capture)
        #expect(run.files == [])
        #expect(run.warnings.contains { $0.contains("there is nothing to draw") })
    }
}
