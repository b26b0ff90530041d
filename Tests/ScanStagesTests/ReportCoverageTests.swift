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

    /// Cameras that look along −z, 90° across: two at a box of 2 m from z = 4, one past it with the box at its picture's
    /// edge, one that does not see it, and one from inside.
    private var capture: MemoryCapture {
        var capture = MemoryCapture(
            [Vector3(0, 0.1, 4), Vector3(0.5, 0.1, 4), Vector3(4.5, 0.1, 4), Vector3(7, 0, 4), Vector3(0, 0, 0)].map {
                var item = MemoryCapture.Item(timestamp: 0)
                item.pose = Pose(rotation: .identity, position: $0)
                return item
            })
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        return capture
    }

    @Test func sidesAreSeenInPicturesThatAreNotAimedAtThem() throws {
        let counts = try StageRun("- report-coverage", on: capture).counts("report-coverage")
        #expect(faces(counts) == ["front": 0, "left": 0, "right": 0, "bottom": 0, "top": 0, "back": 2, "miss": 2])
        #expect(counts["inside"]?.integer == 1 && counts["aim-goal"]?.integer == 10)
        // Of the right side, three quarters are in the third camera's picture; the other sides face away.
        let sides = try #require(counts["sides"]?.object)
        #expect(sides["back"] == .object(["views": .of(2), "share": .number(1), "nearest": .number(3)]))
        #expect(sides["right"] == .object(["views": .of(1), "share": .number(0.75), "nearest": .number(5.32)]))
        for face in ["front", "left", "bottom", "top"] {
            #expect(sides[face] == .object(["views": .of(0), "share": .number(0)]))
        }
        #expect(counts["pictures"] == .object(["all": .of(2), "part": .of(1), "none": .of(2)]))
        #expect(counts["goal"]?.integer == 3)
        let views = views(counts)
        #expect(views.count == 6 && views.allSatisfy { $0.count == 12 })
        #expect(views[2][6] == 2 && views[2][4] == 1 && views.joined().reduce(0, +) == 3)
        #expect(counts["gaps"]?.array?.count == 34)
        #expect(counts["gaps"]?.array?.contains(.of([2, 6])) == false)
        #expect(counts["share-seen"]?.double == 0.0556)
    }

    /// Then only the aim is known.
    @Test func withoutIntrinsicsNothingIsSaidOfSides() throws {
        var capture = capture
        for index in capture.items.indices { capture.items[index].intrinsics = nil }
        let counts = try StageRun("- report-coverage", on: capture).counts("report-coverage")
        for key in ["sides", "goal", "pictures", "distance", "ring"] { #expect(counts[key] == nil) }
        #expect(faces(counts)["back"] == 2 && faces(counts)["miss"] == 2)
        #expect(views(counts)[2][6] == 2 && views(counts).joined().reduce(0, +) == 2)
    }

    @Test func framesThatAreGoneDoNotCount() throws {
        let run = try StageRun("- select-frames: {exclude: [0, 3]}\n- report-coverage", on: capture)
        #expect(faces(run.counts("report-coverage")).values.reduce(0, +) == 2)
        #expect(run.counts("report-coverage")["pictures"] == .object(["all": .of(1), "part": .of(1), "none": .of(1)]))
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
    @Test(arguments: [1, 2]) func aMadeUpRoundsAimIsPythons(seed: Int) throws {
        let run = try StageRun(
            "- synthesize: {frames: 80, rate: 4, seed: \(seed), pictures: false, depth: none, confidence: none}\n"
                + "- report-coverage", reading: "nowhere/round")
        let box = try #require(run.capture.box)
        let (x, y, z) = box.worldFromBox.columns
        let expected = try PythonReaders.run(
            """
            poses, centre, axes, half = [json.loads(a) for a in sys.argv[1:]]
            dot = lambda a, b: sum(p * q for p, q in zip(a, b))
            hits = {}
            for pose in poses:
                o = [dot([pose[i][3] - centre[i] for i in range(3)], a) for a in axes]
                d = [dot([-pose[i][2] for i in range(3)], a) for a in axes]
                near, far = max(((-math.copysign(h, v) - p) / v, i) for i, (p, v, h) in enumerate(zip(o, d, half))), \
                    min((math.copysign(h, v) - p) / v for p, v, h in zip(o, d, half))
                if near[0] > far or near[0] < 0: name = "miss"
                else:
                    names = [("left", "right"), ("bottom", "top"), ("front", "back")][near[1]]
                    name = names[0 if d[near[1]] > 0 else 1]
                hits[name] = hits.get(name, 0) + 1
            print(json.dumps({"hits": hits}))
            """,
            [
                "\(run.capture.frames.compactMap { $0.pose?.rowMajorRows })", "\(box.center.components)",
                "\([x.components, y.components, z.components])", "\(box.halfSize.components)",
            ])
        let counts = run.counts("report-coverage")
        let hits = (expected["hits"]?.object?.members ?? []).reduce(into: [String: Int]()) {
            $0[$1.key] = $1.value.integer.map { Int($0) }
        }
        #expect(faces(counts).filter { $0.value > 0 } == hits)
        // A test in which all cameras miss would be none.
        #expect(hits.count >= 3 && (hits["miss"] ?? 0) < 54, "\(hits)")
        #expect(views(counts)[3...].joined().allSatisfy { $0 == 0 })
    }

    /// How cameras can go round an object.
    enum Orbit: String, CaseIterable { case ring, half, past, edge }

    /// A box on the ground, turned, and cameras 1.4 m round it; those of `past` look the other way, those of `edge` 0.9 m
    /// beside it.
    private func orbit(_ orbit: Orbit) -> MemoryCapture {
        let count = orbit == .ring ? 24 : 13
        let centre = Vector3(2, 0.12, -1)
        var capture = MemoryCapture(
            (0..<count).map { number in
                let turn = Double(number) / (orbit == .ring ? 24 : 12) * (orbit == .ring ? 2 : 1) * .pi
                let offset = Matrix3.rotation(aboutY: turn) * Vector3(0, 0.7 + 0.02 * Double(number % 5), 1.4)
                let beside = Matrix3.rotation(aboutY: turn) * Vector3(0.9, 0, 0)
                let target =
                    switch orbit {
                    case .ring, .half: centre
                    case .past: centre + offset * 2
                    case .edge: centre + beside
                    }
                var item = MemoryCapture.Item(timestamp: 0)
                item.pose = .camera(at: centre + offset, lookingAt: target)
                item.intrinsics = CameraIntrinsics(
                    fx: 50, fy: 51, cx: 31, cy: 25, width: 64, height: 48, pixelOrigin: .centre)
                return item
            })
        capture.box = OrientedBox(
            center: centre, worldFromBox: .rotation(aboutY: 0.4), halfSize: Vector3(0.16, 0.12, 0.11))
        return capture
    }

    /// By the angles at which each part is seen and the rays to the picture's edges, in Python.
    @Test(arguments: Orbit.allCases) func sidesOfOrbitsArePythons(kind: Orbit) throws {
        let capture = orbit(kind)
        let run = try StageRun("- report-coverage", on: capture)
        let box = try #require(run.capture.box)
        let (x, y, z) = box.worldFromBox.columns
        let expected = try PythonReaders.run(
            """
            poses, centre, axes, half = [json.loads(a) for a in sys.argv[1:]]
            dot = lambda a, b: sum(p * q for p, q in zip(a, b))
            names = {"left": (0, -1), "right": (0, 1), "bottom": (1, -1), "top": (1, 1), "front": (2, -1), "back": (2, 1)}
            edges = [90, 41.810315, 19.471221, 0, -19.471221, -41.810315, -90]
            counts = {name: [0] * 64 for name in names}
            pictures, ring, views, far = {"all": 0, "part": 0, "none": 0}, [], [[0] * 12 for _ in range(6)], []
            # The picture's edges as tangents, half a pixel beyond the first and the last pixel's centre.
            left, right, above, below = (-0.5 - 31) / 50, (63.5 - 31) / 50, (-0.5 - 25) / 51, (47.5 - 25) / 51
            for pose in poses:
                o = [dot([pose[i][3] - centre[i] for i in range(3)], a) for a in axes]
                turned, shown, sides, sidesShown = 0, 0, 0, 0
                for name, (axis, sign) in names.items():
                    others = [i for i in range(3) if i != axis]
                    for n in range(64):
                        p = [0, 0, 0]
                        p[axis] = sign * half[axis]
                        p[others[0]], p[others[1]] = (((k + 0.5) / 4 - 1) * half[i] for k, i in zip((n // 8, n % 8), others))
                        line = [a - b for a, b in zip(o, p)]
                        if math.degrees(math.acos(sign * line[axis] / math.hypot(*line))) >= 75: continue
                        world = [sum(p[k] * axes[k][i] for k in range(3)) + centre[i] - pose[i][3] for i in range(3)]
                        c = [sum(world[i] * pose[i][k] for i in range(3)) for k in range(3)]
                        isIn = c[2] < 0 and left <= c[0] / -c[2] <= right and above <= c[1] / c[2] <= below
                        turned, shown, counts[name][n] = turned + 1, shown + isIn, counts[name][n] + isIn
                        if axis != 1: sides, sidesShown = sides + 1, sidesShown + isIn
                pictures["none" if shown == 0 else "all" if shown == turned else "part"] += 1
                turn = math.degrees(math.atan2(o[0], -o[2])) % 360
                if sidesShown and 4 * sidesShown >= sides: ring.append(turn)
                if shown and 4 * shown >= turned:
                    up = math.degrees(math.asin(o[1] / math.hypot(*o)))
                    views[next(r for r in range(6) if up >= edges[r + 1])][round(turn / 30) % 12] += 1
                    far.append(math.hypot(*o))
            ring.sort()
            gap = max(((b - a) % 360 or 360 for a, b in zip(ring, ring[1:] + ring[:1])), default=360)
            print(json.dumps({"pictures": pictures, "gap": gap, "views": views, "far": max(far, default=0),
                "sides": {n: {"views": sorted(v)[32], "share": sum(1 for k in v if k) / 64} for n, v in counts.items()}}))
            """,
            [
                capture.poses, "\(box.center.components)", "\([x.components, y.components, z.components])",
                "\(box.halfSize.components)",
            ])
        let counts = run.counts("report-coverage")
        for face in ["front", "left", "right", "bottom", "top", "back"] {
            let (found, told) = (counts["sides"]?[face], expected["sides"]?[face])
            #expect(found?["views"]?.integer == told?["views"]?.integer, "\(face)")
            #expect(abs((found?["share"]?.double ?? -1) - (told?["share"]?.double ?? -2)) < 1e-3, "\(face)")
        }
        #expect(counts["pictures"] == expected["pictures"])
        #expect(counts["sphere"]?["views"] == expected["views"])
        let gap = try #require(counts["ring"]?["gap"]?.double)
        #expect(abs(gap - (expected["gap"]?.double ?? 0)) < 0.1)
        #expect(abs((counts["distance"]?["highest"]?.double ?? 0) - (expected["far"]?.double ?? 1)) < 1e-4)
        // What such orbits are for.
        let unseen = ["front", "left", "right", "top", "back"].filter {
            counts["sides"]?[$0]?["views"]?.integer ?? 0 < 3
        }
        switch kind {
        case .ring: #expect(unseen.isEmpty && gap < 20)
        case .half: #expect(!unseen.contains("top") && (1...2).contains(unseen.count) && abs(gap - 180) < 1)
        case .past: #expect(unseen.count == 5 && gap == 360 && counts["pictures"]?["none"]?.integer == 13)
        case .edge: #expect(counts["pictures"]?["part"]?.integer ?? 0 > 6 && faces(counts)["miss"] == 13)
        }
    }

    @Test(.enabled(if: SharedData.isThere), arguments: ["office", "office-video", "chair"])
    func realCapturesAgreeWithTheIndependentFigures(name: String) throws {
        let hits = try #require(try SharedData.expected("\(name).expected.json")["face_hits"] as? [String: Int])
        // The chair has no pictures, and so only its facts are looked at.
        let run = try StageRun("- read\n- report-coverage", reading: SharedData.path(name))
        #expect(faces(run.counts("report-coverage")) == hits)
    }
}
