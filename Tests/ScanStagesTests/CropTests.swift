import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct CropTests {
    /// What cannot be read is given all the same.
    @Test func aHeightThatIsNoNumber() {
        #expect(StageRun.mistakes(in: "- crop: {above: 2cm}") == ["`above` takes a number, not `2cm`"])
        #expect(StageRun.mistakes(in: "- crop") == ["crop has nothing to do"])
    }

    /// Points at 1 m steps, through a grid that leaves each by itself.
    private func kept(_ options: String, _ points: [[Float]], positions: [Vector3] = [.zero]) throws -> [[Float]] {
        var items = positions.map { MemoryCapture.Item(pose: Pose(rotation: .identity, position: $0)) }
        items[0].points = PointCloud(positions: Array(points.joined()))
        let run = try StageRun("- voxel-downsample: {size: 0.001}\n- crop: \(options)", on: MemoryCapture(items))
        let cloud = try #require(run.capture.cloud)
        return (0..<cloud.count).map { i in (0..<3).map { cloud.positions[3 * i + $0] } }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
    }

    @Test func cutsByHeight() throws {
        let points: [[Float]] = (-3...3).map { [0, Float($0), 0] }
        #expect(try kept("{above: -1, below: 2}", points).map { $0[1] } == [-1, 0, 1, 2])
        #expect(try kept("{above: 1.5}", points).map { $0[1] } == [2, 3])
        #expect(try kept("{below: -2}", points).map { $0[1] } == [-3, -2])
    }

    @Test func cutsByDistanceOnTheGround() throws {
        let points: [[Float]] = [[0, 9, 0], [3, 0, 4], [3, 5, 4.01], [-5, 0, 0]]
        #expect(try kept("{around: 5, centre: origin}", points) == [[-5, 0, 0], [0, 9, 0], [3, 0, 4]])
        // The cameras' middle is at (−1, 0, 0).
        let cameras = [Vector3(-3, 1, 0), Vector3(1, -1, 0)]
        #expect(try kept("{around: 4}", points, positions: cameras) == [[-5, 0, 0], [0, 9, 0]])
    }

    /// Points are floats: 0.02 of a cloud is a little less than 0.02.
    @Test func pointsOnTheLimitStay() throws {
        let points: [[Float]] = [[0, 0.019, 0], [0, 0.02, 0], [0, 0.021, 0]]
        #expect(try kept("{above: 0.02}", points).map { $0[1] } == [0.02, 0.021])
        #expect(try kept("{below: 0.02}", points).map { $0[1] } == [0.019, 0.02])
        let beside: [[Float]] = [[0.3, 0, 0], [0.31, 0, 0]]
        #expect(try kept("{around: 0.3, centre: origin}", beside) == [[0.3, 0, 0]])
    }

    /// A camera of a frame that was dropped has no part in the middle.
    @Test func theMiddleIsThatOfTheFramesThatAreLeft() throws {
        var items = [Vector3.zero, Vector3(100, 0, 0)].map {
            MemoryCapture.Item(pose: Pose(rotation: .identity, position: $0))
        }
        items[0].points = PointCloud(positions: [1, 0, 0, 50, 0, 0])
        let run = try StageRun(
            "- select-frames: {exclude: [1]}\n- voxel-downsample: {size: 0.001}\n- crop: {around: 4}",
            on: MemoryCapture(items))
        #expect(run.capture.cloud?.positions == [1, 0, 0])
    }

    @Test func heightsStartAtTheFloorThatWasFound() throws {
        var points: [[Float]] = []
        for x in 0..<60 { for z in 0..<60 { points.append([Float(x) * 0.02, -1.2, Float(z) * 0.02]) } }
        points += [[0, -0.9, 0], [0, -0.5, 0]]
        var items = [MemoryCapture.Item(pose: .identity)]
        items[0].points = PointCloud(positions: Array(points.joined()))
        let stages = "- voxel-downsample: {size: 0.001}\n- find-floor\n"
        let run = try StageRun(stages + "- crop: {above: 0.2, below: 0.5}", on: MemoryCapture(items))
        #expect(run.capture.cloud?.count == 1)
        let world = try StageRun(stages + "- crop: {above: -0.6, from: origin}", on: MemoryCapture(items))
        #expect(world.capture.cloud?.count == 1)
    }

    /// The world's origin is where the app was started: heights from there are no heights above a floor.
    @Test func aFloorThatWasNotFoundIsSaid() throws {
        var items = [MemoryCapture.Item(pose: .identity)]
        items[0].points = PointCloud(positions: [0, 0.5, 0, 0, -0.5, 0])
        let stages = "- voxel-downsample: {size: 0.001}\n- find-floor\n"
        func warnings(_ crop: String) throws -> [String] {
            try StageRun(stages + crop, on: MemoryCapture(items)).warnings.filter { $0.hasPrefix("crop") }
        }
        #expect(
            try warnings("- crop: {above: 0}") == [
                "crop: heights were counted from the world's origin, for lack of a floor: find-floor found none; "
                    + "`from: floor` fails such captures"
            ])
        #expect(try warnings("- crop: {above: 0, from: origin}").isEmpty)
        #expect(try warnings("- crop: {around: 1}").isEmpty)
        // A second search that finds one.
        let found = try StageRun(
            "- synthesize: {frames: 20, rate: 2, picture-width: 64, picture-height: 48, depth-width: 64, depth-height: 48}\n"
                + "- decompress\n- unproject\n- voxel-downsample\n- find-floor: {min-area: 100000}\n- find-floor\n"
                + "- crop: {above: 0.02}", reading: "nowhere/room")
        #expect(found.warnings.count { $0.hasPrefix("crop") } == 0, "\(found.warnings)")
        let problem = problem { _ = try warnings("- crop: {above: 0, from: floor}") }
        #expect(problem?.summary == "no floor was found to count heights from")
    }

    @Test func optionsThatLeaveNothingAreRefused() {
        #expect(
            StageRun.mistakes(in: "- crop: {above: 2, below: 1}").contains(
                "`above: 2` and `below: 1` leave nothing"))
        #expect(StageRun.mistakes(in: "- crop").contains("crop has nothing to do"))
    }

    /// Cameras on a quarter of a circle about (5, 0, 0), 2 m away, of which a few look elsewhere.
    private var arc: [Pose] {
        (0..<20).map { number in
            let angle = Double(number) / 19 * .pi / 2
            let place = Vector3(5, 1, 0) + Matrix3.rotation(aboutY: angle) * Vector3(0, 0, 2)
            return .camera(at: place, lookingAt: number % 7 == 3 ? Vector3(9, 1, 4) : Vector3(5, 0.2, 0))
        }
    }

    private func crop(_ options: String, _ poses: [Pose]) throws -> StageRun {
        var items = poses.map { MemoryCapture.Item(pose: $0) }
        // At the object, beside it, and amid the cameras.
        items[0].points = PointCloud(positions: [5, 0.2, 0, 5.5, 0, 0.5, 6, 0, 1.8])
        return try StageRun("- voxel-downsample: {size: 0.001}\n- crop: \(options)", on: MemoryCapture(items))
    }

    @Test func theFocusIsWhereTheCamerasLook() throws {
        let amid = try crop("{around: 1}", arc)
        #expect(amid.capture.cloud?.positions == [6, 0, 1.8])
        #expect(amid.counts("crop")["focus"] == nil)
        let run = try crop("{around: 1, centre: focus}", arc)
        #expect(run.capture.cloud?.count == 2)
        #expect(run.capture.cloud?.positions.max() == 5.5)
        let focus = try #require(run.counts("crop")["focus"]?.doubles)
        #expect(zip(focus, [5, 0.2, 0]).allSatisfy { abs($0 - $1) < 0.01 }, "\(focus)")
        #expect(run.warnings.isEmpty && amid.warnings.isEmpty)
    }

    @Test func withoutAFocusTheMeanOfTheCamerasIsTakenAloud() throws {
        let rest = "so there is no one place that they look at: `around` was measured from the mean of their places"
        let ahead = arc.map { Pose(rotation: .identity, position: $0.position) }
        let parallel = try crop("{around: 1, centre: focus}", ahead)
        #expect(parallel.warnings == ["crop: the cameras look in nearly the same direction, \(rest)"])
        #expect(parallel.capture.cloud?.positions == [6, 0, 1.8])
        let outwards = arc.map { Pose.camera(at: $0.position, lookingAt: $0.position * 2 - Vector3(5, 1, 0)) }
        let outward = try crop("{around: 1, centre: focus}", outwards)
        #expect(outward.warnings == ["crop: most cameras look outwards, \(rest)"])
    }

    @Test(arguments: ["{above: 0}", "{around: 1, centre: origin}"])
    func withoutAnUpwardDirectionThereIsNothingToMeasure(_ options: String) throws {
        var capture = MemoryCapture([.init(points: [0, 0, 0, 1, 0, 0])])
        capture.worldUp = nil
        let stages = "- voxel-downsample: {size: 0.001}\n- crop: \(options)"
        let problem = problem { _ = try StageRun(stages, on: capture) }
        #expect(
            problem?.summary == "the capture does not say which way is up, so there are no heights and no ground")
        #expect(problem?.fault == .input && problem?.place.stage == "crop")
        #expect(
            problem?.fix
                == "say which way is up, such as  --set read.up=z  or use a pipeline without crop for captures like this one, or cut with a box in a file: `cull-by-box: {box: FILE}`"
        )
    }

    /// Without a limit of height no floor is needed, whatever `from` says.
    @Test func distanceAloneNeedsNoFloor() throws {
        let run = try crop("{around: 2, centre: origin, from: floor, if-empty: warn}", [.identity])
        #expect(run.count("crop", "points-out") == 0)
    }

    /// Nobody wants a result without points that counts as done.
    @Test func aCaptureOfWhichNothingIsLeftFails() throws {
        let gone = problem { _ = try crop("{above: 1}", [.identity]) }
        #expect(gone?.summary == "no point lies within the limits")
        #expect(gone?.notes == ["the cloud reaches from 0 to 0.2 m above the world's origin"])
        #expect(
            gone?.fix
                == "if a stage above has cut away what was to stay, mend that; otherwise loosen `above`, or accept an "
                + "empty result with  --set crop.if-empty=warn")
        let far = problem { _ = try crop("{around: 0.1, centre: origin}", [.identity]) }
        #expect(far?.notes == ["the nearest point is 5 m from the centre"])
        let twice = "{around: 0.1, centre: origin, if-empty: warn}\n- crop: {below: 1}"
        let before = problem { _ = try crop(twice, [.identity]) }
        #expect(before?.summary == "the stages above left no point of the capture")
        let run = try crop("{above: 1, if-empty: warn}", [.identity])
        #expect(run.warnings == ["crop: no point lies within the limits, so nothing is left"])
        // Who comes below an empty cloud need not say so again.
        let below = "\n- crop: {below: 9, from: origin, if-empty: warn}\n- write-ply"
        let again = try crop("{above: 1, if-empty: warn}" + below, [.identity])
        let told = again.warnings.filter { $0.contains("left") }
        #expect(told == ["crop[1]: no point lies within the limits, so nothing is left"], "\(again.warnings)")
    }

    /// Why the capture brought no cloud along is not why there is none of the one that was made.
    @Test func anEmptyCloudIsSaidWhateverTheReaderSays() throws {
        var capture = MemoryCapture([.init(points: [0, 0, 0, 1, 0, 0])])
        capture.absences[.cloud] = "transforms.json names no points"
        let empty = "- voxel-downsample: {size: 0.001}\n- crop: {above: 500, from: origin, if-empty: warn}\n- write-ply"
        let said = ["crop: no point lies within the limits, so nothing is left"]
        #expect(try StageRun(empty, on: capture).warnings.filter { $0.contains("left") } == said)
        // What a box above has said is not said again.
        let crop = "- crop: {below: 9, from: origin, if-empty: warn}\n"
        let cull = "- voxel-downsample\n\(crop)- cull-by-box: {keep: outside, if-empty: warn}\n\(crop)- write-ply"
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(9, 9, 9))
        let culled = try StageRun(cull, on: capture)
        let told = culled.warnings.filter { $0.contains("left") }
        #expect(told == ["cull-by-box: every point lies in the box, so nothing is left"], "\(culled.warnings)")
    }

    /// Before a frame is read: nobody waits for a failure that is certain.
    @Test(arguments: [
        ("find-floor", "so no plane is known to be horizontal"),
        ("crop: {around: 1}", "so there are no heights and no ground"),
        ("fit-box", "so no box is known to be upright"),
    ]) func anUnknownUpIsToldWhenTheCaptureIsOpened(_ stage: String, _ consequence: String) throws {
        let text = "stages:\n- read\n- decompress\n- unproject\n- voxel-downsample\n- \(stage)\n- write-ply\n"
        let steps = try Pipeline.load(text: text, path: "p.yaml", library: .builtIn).steps
        var capture = Capture(id: "a")
        capture.channels = [.frames, .pose, .intrinsics, .recordedDepth, .color]
        let lack = CaptureCheck.firstLack(of: capture, in: steps)
        #expect(lack?.summary == "the capture does not say which way is up, \(consequence)")
        #expect(lack?.place.stage == String(stage.prefix { $0 != ":" }))
        capture.worldUp = Vector3(0, 1, 0)
        #expect(CaptureCheck.firstLack(of: capture, in: steps) == nil)
    }

    /// A cloud without cameras.
    @Test func withoutPosesTheOriginIsACentre() throws {
        var item = MemoryCapture.Item(points: [0, 0, 0, 1, 0, 0])
        item.pose = nil
        let stages = "- voxel-downsample\n- crop: {around: 1}"
        let problem = problem { _ = try StageRun(stages, on: MemoryCapture([item])) }
        #expect(problem?.fix == "do without `centre: cameras` with  --set crop.centre=origin")
    }

    @Test func heightsFromTheWorldsOriginAreSaidBeforehand() throws {
        func warnings(_ stages: String) throws -> [String] {
            let above = "name: p\nstages:\n- read\n- decompress\n- unproject\n- voxel-downsample\n"
            let text = above + stages + "\n- write-ply\n"
            return try Pipeline.load(text: text, path: "p.yaml", library: .builtIn).warnings.map(\.summary)
        }
        #expect(
            try warnings("- crop: {below: 2}") == [
                "heights are counted from the world's origin, where the app was started or a camera stood"
            ])
        for stages in ["- crop: {below: 2, from: origin}", "- crop: {around: 2}", "- find-floor\n- crop: {below: 2}"] {
            #expect(try warnings(stages) == [], "\(stages)")
        }
    }
}
