import ScanFormats
import ScanModel
import TestSupport
import Testing

/// What `cull-by-box` fails a capture for, but for a box that holds nothing.
@Suite struct CullByBoxRefusalTests {
    private let cube = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))

    @Test func everythingLiesInTheBoxThatIsCutOut() throws {
        var capture = MemoryCapture([.init(points: [0, 0, 0, 0.5, 0, 0]), .init(points: [0, 0.5, 0])])
        capture.box = cube
        let problem = problem { _ = try StageRun("- cull-by-box: {keep: outside}", on: capture) }
        #expect(problem?.fault == .input && problem?.summary == "every point lies in the box")
        #expect(
            problem?.notes.prefix(2) == [
                "the box measures 2, 2, 2 and has its middle at 0, 0, 0", "3 points were looked at",
            ])
        #expect(problem?.fix?.hasSuffix("--set cull-by-box.if-empty=warn") == true)
        let run = try StageRun("- cull-by-box: {keep: outside, if-empty: warn}", on: capture)
        #expect(run.warnings == ["cull-by-box: every point lies in the box, so nothing is left"])
        #expect(run.count("cull-by-box", "points-in") == 3 && run.count("cull-by-box", "points-out") == 0)
    }

    /// It is told when the capture is opened, before a bad picture is.
    @Test func marginsThatLeaveNothingAreToldEarly() throws {
        var item = MemoryCapture.Item(points: [0, 0, 0])
        item.file = "0.png"
        var capture = MemoryCapture([item])
        capture.files["0.png"] = [0]
        capture.files["box.json"] = try BoundingBoxJSON.text(cube)
        capture.onBadFrame = .fail
        capture.box = cube
        for box in ["capture", "box.json"] {
            let stages = "- downscale: {factors: [2]}\n- cull-by-box: {margin: -10, box: \(box)}"
            let problem = problem { _ = try StageRun(stages, on: capture) }
            #expect(problem?.summary == "`margin: -10` leaves nothing of the box", "\(box)")
            #expect(try StageRun.refusal(stages, of: capture)?.summary == problem?.summary, "\(box)")
        }
        capture.files["box.json"] = Array("{".utf8)
        let broken = "- cull-by-box: {box: box.json}"
        let refusal = try StageRun.refusal(broken, of: capture)
        #expect(refusal?.place.file == "box.json" && refusal?.place.stage == "cull-by-box")
        let failure = problem { _ = try StageRun(broken, on: capture) }
        #expect(refusal?.summary == failure?.summary)
    }

    /// No setting of the stage above it saves the capture.
    @Test func aLackThatNoSettingMendsIsTold() throws {
        let capture = MemoryCapture([.init(points: [0, 0, 0])])
        let refusal = try StageRun.refusal("- filter-view\n- cull-by-box", of: capture)
        #expect(refusal?.summary == "cull-by-box needs box, and this capture has none")
        let alone = try StageRun.refusal("- filter-view", of: capture)
        #expect(alone?.fix == "do without `if-missing: fail` with  --set filter-view.if-missing=pass")
    }

    /// Its margins are those of the box that a stage above makes.
    @Test(arguments: ["fit-box", "cull-by-box: {box: box.json}"])
    func marginsThatLeaveNothingOfABoxThatIsReplaced(_ stage: String) throws {
        // Twenty-seven points a metre apart, of which the recorded box holds the middle one.
        var positions: [Float] = []
        for n in 0..<27 {
            let (column, row, layer) = (n % 3, n / 3 % 3, n / 9)
            positions += [Float(column - 1), Float(row - 1), Float(layer - 1)]
        }
        var capture = MemoryCapture([.init(points: positions)])
        capture.files["box.json"] = try BoundingBoxJSON.text(cube)
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(0.1, 0.1, 0.1))
        let stages = "- voxel-downsample: {size: 0.001}\n- \(stage)\n- cull-by-box: {margin: -0.9}"
        let run = try StageRun(stages, on: capture, probing: [.cloud])
        #expect(run.capture.cloud?.positions == [0, 0, 0])
    }

    /// Above `unproject` there is nothing to cull yet, which only shows where the reader gives no cloud of its own.
    @Test func whereThereAreNoPointsTheFixTellsWhatMakesThem() throws {
        var capture = MemoryCapture([.init()])
        capture.box = cube
        let problem = problem { _ = try StageRun("- cull-by-box", on: capture) }
        #expect(problem?.summary == "cull-by-box needs cloud or points, and this capture has none")
        #expect(problem?.fix == "make points of the depth above it, with `decompress` and `unproject`")
    }
}
