import ScanModel
import TestSupport
import Testing

@Suite struct ReportCoverageTests {
    private func faces(_ counts: JSONObject) -> [String: Int] {
        (counts["faces"]?.object?.members ?? []).reduce(into: [:]) { $0[$1.key] = $1.value.integer.map { Int($0) } }
    }

    private func views(_ counts: JSONObject) -> [[Int]] {
        (counts["sphere"]?["views"]?.array ?? []).map { ($0.array ?? []).compactMap { $0.integer.map { Int($0) } } }
    }

    /// Cameras that look along −z from z = 4: at a box of 2 m, past it, and from inside.
    private var capture: MemoryCapture {
        var capture = MemoryCapture(
            [Vector3(0, 0.1, 4), Vector3(0.5, 0.1, 4), Vector3(5, 0, 4), Vector3(0, 0, 0)].map {
                var item = MemoryCapture.Item(timestamp: 0)
                item.pose = Pose(rotation: .identity, position: $0)
                return item
            })
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        return capture
    }

    @Test func facesAndSphereCountTheSameCameras() throws {
        let counts = try StageRun("- report-coverage", on: capture).counts("report-coverage")
        #expect(faces(counts) == ["front": 0, "left": 0, "right": 0, "bottom": 0, "top": 0, "back": 2, "miss": 1])
        #expect(counts["inside"]?.integer == 1 && counts["goal"]?.integer == 10)
        let views = views(counts)
        #expect(views.count == 6 && views.allSatisfy { $0.count == 12 })
        #expect(views[2][6] == 2 && views.joined().reduce(0, +) == 2)
        #expect(counts["gaps"]?.array?.count == 35)
        #expect(counts["gaps"]?.array?.contains(.of([2, 6])) == false)
        #expect(counts["share-seen"]?.double == 0.0278)
    }

    @Test func framesThatAreGoneDoNotCount() throws {
        let run = try StageRun("- select-frames: {exclude: [0, 3]}\n- report-coverage", on: capture)
        #expect(faces(run.counts("report-coverage")).values.reduce(0, +) == 2)
    }

    @Test func withoutABoxOrPosesTheReceiptSaysSoQuietly() throws {
        var boxless = capture
        boxless.box = nil
        let run = try StageRun("- report-coverage", on: boxless)
        #expect(run.counts("report-coverage") == ["not-measured": .string("the capture has no box")])
        var unposed = capture
        for index in unposed.items.indices { unposed.items[index].pose = nil }
        let other = try StageRun("- report-coverage", on: unposed)
        #expect(other.counts("report-coverage") == ["not-measured": .string("the frames have no poses")])
        #expect(run.warnings.isEmpty && other.warnings.isEmpty)
    }

    /// Once round the table in 40 frames: no gap at the height of the camera, and nothing from below.
    @Test func aRoundAboutTheBoxLeavesNoGapAtItsHeight() throws {
        let run = try StageRun(
            "- synthesize: {frames: 40, rate: 2, pictures: false, depth: none, confidence: none}\n- report-coverage",
            reading: "nowhere/round")
        let counts = run.counts("report-coverage")
        let views = views(counts)
        #expect(views[3...].joined().allSatisfy { $0 == 0 })
        let columns = (0..<12).map { column in views[..<3].reduce(0) { $0 + $1[column] } }
        #expect(columns.count { $0 > 0 } >= 10, "\(views)")
        let faces = faces(counts)
        #expect(faces.values.reduce(0, +) == 40 && faces["bottom"] == 0)
        #expect(views.joined().reduce(0, +) == 40 - (faces["miss"] ?? 0))
    }

    @Test(.enabled(if: SharedData.isThere), arguments: ["office", "office-video", "chair"])
    func realCapturesAgreeWithTheIndependentFigures(name: String) throws {
        let hits = try #require(try SharedData.expected("\(name).expected.json")["face_hits"] as? [String: Int])
        // The chair has no pictures, and so only its facts are looked at.
        let run = try StageRun("- read\n- report-coverage", reading: SharedData.path(name))
        #expect(faces(run.counts("report-coverage")) == hits)
    }
}
