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

    /// A hand that carries the camera round the table, by slabs and angles in Python.
    @Test(arguments: [1, 2]) func aMadeUpRoundsViewsArePythons(seed: Int) throws {
        let run = try StageRun(
            "- synthesize: {frames: 80, rate: 4, seed: \(seed), pictures: false, depth: none, confidence: none}\n"
                + "- report-coverage", reading: "nowhere/round")
        let box = try #require(run.capture.box)
        let (x, y, z) = box.worldFromBox.columns
        let expected = try PythonReaders.run(
            """
            poses, centre, axes, half = [json.loads(a) for a in sys.argv[1:]]
            dot = lambda a, b: sum(p * q for p, q in zip(a, b))
            hits, views, edges = {}, [[0] * 12 for _ in range(6)], [90, 41.810315, 19.471221, 0, -19.471221, -41.810315, -90]
            for pose in poses:
                o = [dot([pose[i][3] - centre[i] for i in range(3)], a) for a in axes]
                d = [dot([-pose[i][2] for i in range(3)], a) for a in axes]
                near, far = max(((-math.copysign(h, v) - p) / v, i) for i, (p, v, h) in enumerate(zip(o, d, half))), \
                    min((math.copysign(h, v) - p) / v for p, v, h in zip(o, d, half))
                if near[0] > far or near[0] < 0: name = "miss"
                else:
                    names = [("left", "right"), ("bottom", "top"), ("front", "back")][near[1]]
                    name = names[0 if d[near[1]] > 0 else 1]
                    up = math.degrees(math.asin(o[1] / math.hypot(*o)))
                    row = next(r for r in range(6) if up >= edges[r + 1])
                    turn = math.degrees(math.atan2(o[0], -o[2]))
                    views[row][round(turn / 30) % 12] += 1
                hits[name] = hits.get(name, 0) + 1
            print(json.dumps({"hits": hits, "views": views}))
            """,
            [
                "\(run.capture.frames.compactMap { $0.pose?.rowMajorRows })", "\(box.center.components)",
                "\([x.components, y.components, z.components])", "\(box.halfSize.components)",
            ])
        let counts = run.counts("report-coverage")
        #expect(counts["sphere"]?["views"] == expected["views"])
        let hits = (expected["hits"]?.object?.members ?? []).reduce(into: [String: Int]()) {
            $0[$1.key] = $1.value.integer.map { Int($0) }
        }
        #expect(faces(counts).filter { $0.value > 0 } == hits)
        // A test in which all cameras miss would be none.
        #expect(hits.count >= 3 && (hits["miss"] ?? 0) < 54, "\(hits)")
        #expect(views(counts)[3...].joined().allSatisfy { $0 == 0 })
    }

    @Test(.enabled(if: SharedData.isThere), arguments: ["office", "office-video", "chair"])
    func realCapturesAgreeWithTheIndependentFigures(name: String) throws {
        let hits = try #require(try SharedData.expected("\(name).expected.json")["face_hits"] as? [String: Int])
        // The chair has no pictures, and so only its facts are looked at.
        let run = try StageRun("- read\n- report-coverage", reading: SharedData.path(name))
        #expect(faces(run.counts("report-coverage")) == hits)
    }
}
