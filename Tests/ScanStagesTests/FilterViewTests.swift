import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct FilterViewTests {
    /// The box is seen on 4 of 48 pixels, not at all, and from half a metre nearer on 16.
    private static var views: MemoryCapture {
        let nearer = Pose(rotation: .identity, position: Vector3(0, 0, -0.5))
        let away = Pose(rotation: .rotation(aboutY: .pi), position: .zero)
        var capture = MemoryCapture([Pose.identity, away, nearer].map { MemoryCapture.Item(pose: $0) })
        capture.box = OrientedBox(center: Vector3(0, 0, -4), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        return capture
    }

    @Test func picturesThatShowTooLittleOfTheBoxAreDropped() throws {
        let some = try StageRun("- filter-view", on: Self.views)
        #expect(some.kept == [0, 2])
        #expect(some.drops == ["1 filter-view: the box covers 0 of its picture, under 0.001"])
        let few = try StageRun("- filter-view: {at-least: 0.1}", on: Self.views)
        #expect(few.kept == [2])
        #expect(few.drops.first == "0 filter-view: the box covers 0.08 of its picture, under 0.1")
    }

    /// A picture of many pixels is looked at on a grid: the box covers (2/3 · 200)² of 400 × 300 pixels.
    @Test func largePicturesAreMeasuredOnAGrid() throws {
        var capture = Self.views
        for index in capture.items.indices {
            capture.items[index].intrinsics = CameraIntrinsics(
                fx: 200, fy: 200, cx: 200, cy: 150, width: 400, height: 300, pixelOrigin: .corner)
        }
        let share = 4.0 / 9 * 40_000 / 120_000
        #expect(try StageRun("- filter-view: {at-least: \(share - 0.01)}", on: capture).kept == [0, 2])
        #expect(try StageRun("- filter-view: {at-least: \(share + 0.01)}", on: capture).kept == [2])
    }

    /// A cup a metre away covers a 200th of its pictures.
    @Test func smallObjectsStay() throws {
        var capture = Self.views
        capture.box = OrientedBox(
            center: Vector3(0, 0, -1), worldFromBox: .identity, halfSize: Vector3(0.035, 0.035, 0.035))
        for index in capture.items.indices {
            capture.items[index].intrinsics = CameraIntrinsics(
                fx: 300, fy: 300, cx: 200, cy: 150, width: 400, height: 300, pixelOrigin: .corner)
        }
        #expect(try StageRun("- filter-view", on: capture).kept == [0, 2])
        #expect(try StageRun("- filter-view: {at-least: 0.01}", on: capture).kept == [2])
    }

    @Test func framesOfWhichNothingIsKnownAreDropped() throws {
        var capture = Self.views
        capture.items[0].pose = nil
        capture.items[1].intrinsics = nil
        let run = try StageRun("- filter-view", on: capture)
        #expect(run.drops == ["0 filter-view: it has no pose", "1 filter-view: it has no intrinsics"])
    }

    @Test func aBoxThatNoPictureShowsFailsTheCapture() throws {
        let problem = problem { _ = try StageRun("- filter-view: {at-least: 0.5}", on: Self.views) }
        #expect(problem?.fault == .input && problem?.summary == "the box covers less than 0.5 of every picture")
        let notes = ["at most, it covers 0.33", "the box measures 2, 2, 2 and has its middle at 0, 0, -4"]
        #expect(problem?.notes.prefix(2) == notes[...])
        #expect(problem?.fix?.contains("--set filter-view.at-least=0.05") == true)
        // A box that holds nothing is seen by none.
        var capture = Self.views
        capture.box?.halfSize = Vector3(-1, -1, -1)
        #expect(throws: Problem.self) { try StageRun("- filter-view", on: capture) }
    }

    /// The box of the synthetic table: 2 cm larger than the object.
    private static let boxOnTable = OrientedBox(
        center: Vector3(0.05, -0.545, -0.03), worldFromBox: .rotation(aboutY: 0.6435),
        halfSize: Vector3(0.18, 0.125, 0.13))

    private static func roundTheTable(with mistake: GeometryHypothesis, in frames: Range<Int>) throws -> MemoryCapture {
        var index = 0
        var capture = try CheckGeometryTests.capture { item in
            if frames.contains(index) { CheckGeometryTests.spoil(&item, mistake) }
            index += 1
        }
        capture.box = boxOnTable
        return capture
    }

    /// The stage stands above those that read depth, `check-geometry` among them.
    @Test(arguments: [GeometryHypothesis.cvAxes, .inverse, .inverseCV, .transposedRotation])
    func posesThatAreNotWhatTheFormatSaysAreNamed(_ mistake: GeometryHypothesis) throws {
        let wrong = try Self.roundTheTable(with: mistake, in: 0..<40)
        let remedy = "read the poses as what they are with  --set read.poses=\(mistake.rawValue)"
        let seems = "it seems that \(mistake.meaning()): corrected, 40 of 40 pictures show the middle of the box"
        let stages = "- filter-view: {at-least: 0.01}"
        if mistake == .cvAxes {
            let problem = problem { _ = try StageRun(stages, on: wrong) }
            #expect(problem?.notes.first == seems)
            #expect(problem?.fix == "\(remedy) , or look at the box and the poses with  scanmill inspect")
        } else {
            // By chance a few pictures show it.
            let run = try StageRun(stages, on: wrong)
            #expect(run.warnings == ["filter-view: \(seems); \(remedy)"] && (1...15).contains(run.kept.count))
        }
    }

    @Test func posesOfWhichAFewShowTheBoxByChanceAreDoubted() throws {
        let run = try StageRun("- filter-view", on: try Self.roundTheTable(with: .cvAxes, in: 3..<40))
        #expect(run.kept == [0, 1, 2])
        #expect(run.warnings.count == 1)
        // Where the camera looks away, nothing is said of the poses.
        let away = Pose(rotation: .rotation(aboutY: .pi), position: .zero)
        var capture = Self.views
        capture.items += (0..<9).map { _ in MemoryCapture.Item(pose: away) }
        let other = try StageRun("- filter-view", on: capture)
        #expect(other.kept == [0, 2] && other.warnings == [])
    }

    /// Transposed rotations change hardly anything for a level camera.
    @Test func aSmallBoxIsNoMistakeOfPoses() throws {
        let problem = problem {
            _ = try StageRun("- filter-view: {at-least: 0.5}", on: try Self.roundTheTable(with: .declared, in: 0..<40))
        }
        #expect(problem?.notes.first?.hasPrefix("at most, it covers ") == true, "\(problem as Any)")
    }

    @Test func posesThatWereTakenForOthersAreNamed() throws {
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        let problem = problem { _ = try StageRun("- read: {poses: cv-axes}\n- filter-view", reading: desk) }
        let way = "take `poses: cv-axes` out of `read`, if it was meant for other captures, or look at "
        #expect(problem?.fix?.hasPrefix(way) == true, "\(problem as Any)")
        #expect(problem?.notes.first?.hasPrefix("it seems that `poses: cv-axes` of `read` does not suit") == true)
        // What is nowhere in the pictures is no smaller object.
        #expect(problem?.fix?.contains("at-least") == false)
    }

    @Test func withoutABoxAllFramesStayIfToldSo() throws {
        var capture = Self.views
        capture.box = nil
        let problem = problem { _ = try StageRun("- filter-view", on: capture) }
        #expect(problem?.fix?.contains("--set filter-view.if-missing=pass") == true, "\(problem as Any)")
        let run = try StageRun("- filter-view: {if-missing: pass}", on: capture)
        #expect(run.kept == [0, 1, 2])
        let note = "filter-view: the capture has no box, so no frame was dropped by what it shows"
        #expect(run.receipt["notes"]?.array?.compactMap(\.string) == [note])
        var placeless = Self.views
        for index in placeless.items.indices { placeless.items[index].pose = nil }
        let other = try StageRun("- filter-view: {if-missing: pass}", on: placeless)
        #expect(other.kept == [0, 1, 2])
        #expect(other.receipt["notes"]?.array?.first?.string?.contains("has no pose") == true)
    }

    /// Of the box that a stage above has fitted.
    @Test func aBoxIsKnownBelowTheStageThatMakesIt() throws {
        var capture = Self.views
        capture.box = nil
        for index in capture.items.indices { capture.items[index].points = PointCloud(positions: [0, 0, -4]) }
        capture.unlisted["box.json"] = try BoundingBoxJSON.text(try #require(Self.views.box))
        let run = try StageRun(
            "- voxel-downsample\n- cull-by-box: {box: box.json}\n- filter-view\n- measure-motion", on: capture)
        #expect(run.kept == [0, 2])
    }
}
