import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct BoundingBoxJSONTests {
    /// A box as the app would write it, with the corners' y clamped to `floor`, and some parts exchanged.
    private func text(
        center: [Double] = [1, 2, 3], size: [Double] = [2, 4, 6], angle: Double = 0.3, floor: Double? = nil,
        change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> [UInt8] {
        func object(_ v: [Double]) -> [String: Double] { ["x": v[0], "y": v[1], "z": v[2]] }
        var positions: [String: Any] = [:]
        for (y, top) in [("top", 1.0), ("bot", -1.0)] {
            for (x, right) in [("left", -1.0), ("right", 1.0)] {
                for (z, back) in [("front", -1.0), ("back", 1.0)] {
                    let (px, pz) = (right * size[0] / 2, back * size[2] / 2)
                    var corner = [
                        center[0] + cos(angle) * px + sin(angle) * pz, center[1] + top * size[1] / 2,
                        center[2] - sin(angle) * px + cos(angle) * pz,
                    ]
                    if let floor, top < 0 { corner[1] = max(corner[1], floor) }
                    positions["\(y)_\(x)_\(z)"] = object(corner)
                }
            }
        }
        var root: [String: Any] = [
            "center": object(center), "rad_rot_about_y": angle, "positions": positions,
            "entity_anchor_4x4": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        ]
        change(&root)
        return [UInt8](try JSONSerialization.data(withJSONObject: root))
    }

    private func near(_ a: Vector3, _ b: Vector3, _ tolerance: Double) -> Bool { (a - b).length <= tolerance }

    // MARK: Real boxes

    @Test(.enabled(if: SharedData.isThere))
    func readsTheOfficeBox() throws {
        let file = try BoundingBoxJSON(try SharedData.bytes("office/boundingbox.json"), file: "boundingbox.json")
        #expect(file.warnings == [])
        #expect(near(file.box.halfSize * 2, Vector3(1.94, 0.83, 1.43), 1e-6))
        #expect(near(file.box.center, Vector3(-0.4998139441013336, -0.8689471483230591, -2.3452327251434326), 0))
        #expect(file.box.worldFromBox == .rotation(aboutY: 0.4363323152065277))
        #expect(file.box.floor == nil)
        // Corners outside by a millimetre are outside, inside by a millimetre inside.
        let positions = try #require(
            JSONValue.parse(try SharedData.bytes("office/boundingbox.json"), file: "b")["positions"]?.object)
        for (_, corner) in positions.members {
            let values = ["x", "y", "z"].compactMap { corner[$0]?.double }
            let offset = Vector3(values[0], values[1], values[2]) - file.box.center
            #expect(file.box.contains(file.box.center + offset * 0.999))
            #expect(!file.box.contains(file.box.center + offset * 1.001))
        }
    }

    @Test(.enabled(if: SharedData.isThere))
    func readsTheChairBox() throws {
        let file = try BoundingBoxJSON(try SharedData.bytes("chair/boundingbox.json"), file: "boundingbox.json")
        let expected = try #require(try SharedData.expected("chair.expected.json")["box"] as? [String: Any])
        let extent = try #require(expected["extent"] as? [Double])
        let center = try #require(expected["center"] as? [Double])
        #expect(near(file.box.halfSize * 2, Vector3(extent[0], extent[1], extent[2]), 1e-7))
        #expect(file.box.center == Vector3(center[0], center[1], center[2]))
        #expect(file.box.worldFromBox == .identity)
        #expect(file.warnings == [])
    }

    /// Sizes and turn from the corners alone, by Python.
    @Test(.enabled(if: SharedData.isThere), arguments: ["office", "office-video", "chair", "fox"])
    func agreesWithPythonOnRealBoxes(name: String) throws {
        let script = """
            import json, math, sys
            p = {k: tuple(v[a] for a in "xyz") for k, v in json.load(open(sys.argv[1]))["positions"].items()}
            a, b, c, d = (p[k] for k in ("bot_left_back", "bot_right_back", "top_left_back", "bot_left_front"))
            print(math.dist(a, b), math.dist(a, c), math.dist(a, d), math.atan2(a[2] - b[2], b[0] - a[0]))
            """
        let python = try runPython(script, [SharedData.path("\(name)/boundingbox.json")])
        let numbers = python.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        try #require(numbers.count == 4)
        let file = try BoundingBoxJSON(try SharedData.bytes("\(name)/boundingbox.json"), file: "boundingbox.json")
        #expect(file.warnings == [])
        #expect(file.box.floor == nil)
        #expect(near(file.box.halfSize * 2, Vector3(numbers[0], numbers[1], numbers[2]), 1e-6))
        #expect(near(file.box.worldFromBox.columns.0, Matrix3.rotation(aboutY: numbers[3]).columns.0, 1e-6))
    }

    // MARK: Layout

    @Test func frontIsMinusZAndLeftIsMinusX() throws {
        let box = try BoundingBoxJSON(try text(angle: .pi / 2), file: "b").box
        // Turned by 90° about +y the box's own −z points along the world's −x, its own −x along +z.
        #expect(near(box.worldFromBox * Vector3(0, 0, -1), Vector3(-1, 0, 0), 1e-15))
        #expect(near(box.worldFromBox * Vector3(-1, 0, 0), Vector3(0, 0, 1), 1e-15))
        #expect(near(box.halfSize, Vector3(1, 2, 3), 1e-12))
        let written = try JSONValue.parse(try BoundingBoxJSON.text(box), file: "b")
        let front = try #require(written["positions"]?["top_left_front"]?.object)
        #expect(front.keys == ["x", "y", "z"])
        #expect(abs((front["x"]?.double ?? 0) - (1 - 3)) < 1e-12)
        #expect(abs((front["y"]?.double ?? 0) - (2 + 2)) < 1e-12)
        #expect(abs((front["z"]?.double ?? 0) - (3 + 1)) < 1e-12)
    }

    @Test func writesTheAppsKeys() throws {
        let box = OrientedBox(center: Vector3(1, 2, 3), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        let value = try JSONValue.parse(try BoundingBoxJSON.text(box), file: "b")
        #expect(value.object?.keys == ["center", "rad_rot_about_y", "positions", "entity_anchor_4x4"])
        #expect(
            value["positions"]?.object?.keys == [
                "top_left_front", "top_right_front", "bot_right_front", "bot_left_front", "top_left_back",
                "top_right_back", "bot_right_back", "bot_left_back",
            ])
        #expect(value["entity_anchor_4x4"]?.array?[1].doubles == [0, 1, 0, 0])
    }

    @Test func whatIsWrittenReadsBack() throws {
        var random = SplitMix(seed: 4)
        for round in 0..<1000 {
            let numbers = (0..<6).map { _ in Double.random(in: -5...5, using: &random) }
            let center = Vector3(numbers[0], numbers[1], numbers[2])
            let half = Vector3(abs(numbers[3]), abs(numbers[4]), abs(numbers[5]))
            let angle = Double.random(in: -Double.pi...Double.pi, using: &random)
            // Some of them cut by a floor between their bottom and their top.
            let floor = round % 3 == 0 ? center.y + half.y * Double.random(in: -0.9...0.9, using: &random) : nil
            let box = OrientedBox(
                center: center, worldFromBox: .rotation(aboutY: angle), halfSize: half, floor: floor)
            let back = try BoundingBoxJSON(try BoundingBoxJSON.text(box), file: "b")
            #expect(near(back.box.center, center, 1e-12))
            #expect(near(back.box.halfSize, half, 1e-12))
            #expect(near(back.box.worldFromBox.columns.0, box.worldFromBox.columns.0, 1e-12))
            #expect(back.box.floor == floor)
            #expect(back.warnings == [])
        }
    }

    @Test func aFloorBelowTheBoxIsNoFloor() throws {
        let box = OrientedBox(
            center: Vector3(0, 0, 0), worldFromBox: .identity, halfSize: Vector3(1, 1, 1), floor: -3)
        #expect(try BoundingBoxJSON(try BoundingBoxJSON.text(box), file: "b").box.floor == nil)
    }

    // MARK: Floor, disagreement, defects

    @Test func clampedCornersCutTheBox() throws {
        let file = try BoundingBoxJSON(try text(floor: 1.25), file: "b")
        #expect(near(file.box.halfSize, Vector3(1, 2, 3), 1e-12))
        #expect(file.box.floor == 1.25)
        #expect(file.warnings == [])
        #expect(file.box.contains(Vector3(1, 1.25, 3)))
        #expect(!file.box.contains(Vector3(1, 1.24, 3)))
        // Clamped to the very bottom, or below it, is not clamped.
        #expect(try BoundingBoxJSON(try text(floor: 0), file: "b").box.floor == nil)
        #expect(try BoundingBoxJSON(try text(floor: -1), file: "b").warnings == [])
    }

    @Test func aFloorAboveTheTopLeavesNothing() throws {
        let file = try BoundingBoxJSON(try text(floor: 9), file: "b")
        #expect(file.box.floor == 9)
        #expect(file.warnings.last == "the box has no volume, so nothing is inside it")
        #expect(!file.box.contains(Vector3(1, 2, 3)))
    }

    @Test func reportsCornersThatDoNotFit() throws {
        let wrong = try text { root in
            var positions = root["positions"] as? [String: Any] ?? [:]
            positions["top_right_back"] = ["x": 9, "y": 4, "z": 6]
            root["positions"] = positions
        }
        let file = try BoundingBoxJSON(wrong, file: "b")
        #expect(file.warnings.count == 1)
        #expect(
            file.warnings[0].hasPrefix("the box's corners do not fit its centre and turn: top_right_back is off by 6."))
        // The other way round is the commonest mistake of a writer.
        let turned = try BoundingBoxJSON(try text { $0["rad_rot_about_y"] = -0.3 }, file: "b")
        #expect(turned.warnings.count == 1)
        let moved = try BoundingBoxJSON(try text { $0["center"] = ["x": 1, "y": 2, "z": 3.001] }, file: "b")
        #expect(moved.warnings.first?.contains("is off by 0.001;") == true)
    }

    @Test func namesWhatIsMissing() throws {
        func without(_ corner: String, _ key: String?) throws -> [UInt8] {
            try text { root in
                var positions = root["positions"] as? [String: Any] ?? [:]
                var point = positions[corner] as? [String: Any] ?? [:]
                if let key { point[key] = nil }
                positions[corner] = key == nil ? nil : point
                root["positions"] = positions
            }
        }
        let table: [([UInt8], String)] = [
            (try without("bot_left_back", nil), "“positions.bot_left_back” is missing; expected x, y and z"),
            (try without("top_left_back", "y"), "“positions.top_left_back.y” is missing; expected a number"),
            (try text { $0["center"] = NSNull() }, "“center” is null; expected x, y and z"),
            (try text { $0["center"] = ["x": "1", "y": 2, "z": 3] }, "“center.x” is “1”; expected a number"),
            (try text { $0["rad_rot_about_y"] = "0" }, "“rad_rot_about_y” is “0”; expected a number"),
            (try text { $0["positions"] = nil }, "“positions.top_left_front” is missing; expected x, y and z"),
            (
                try text { $0["entity_anchor_4x4"] = [[1, 0, 0, 0]] },
                "“entity_anchor_4x4” is [[1, 0, 0, 0]]; expected four columns of four numbers"
            ),
            (Array("[]".utf8), "the text is []; expected an object"),
            (
                Array("{\"center\":{\"x\":NaN}}".utf8),
                "invalid JSON: NaN is not a number in JSON (Python's json writes it unless told allow_nan=False)"
            ),
        ]
        for (bytes, summary) in table {
            let problem = #expect(throws: Problem.self) { try BoundingBoxJSON(bytes, file: "boundingbox.json") }
            #expect(problem?.summary == summary)
            #expect(problem?.place.file == "boundingbox.json")
        }
    }

    @Test func refusesWhatItCannotPlace() throws {
        let anchored = try text { root in
            root["entity_anchor_4x4"] = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0.5, 0, 1]]
        }
        let problem = #expect(throws: Problem.self) { try BoundingBoxJSON(anchored, file: "b.json") }
        #expect(
            problem?.message() == """
                error: the box is attached to an anchor away from the world's origin, so its place is unknown
                  --> b.json
                   = “entity_anchor_4x4[3][1]” is 0.5; the matrix has to be the identity
                   = fix: make entity_anchor_4x4 the identity if the corners are world coordinates
                """)
        let flat = Array("{\"center\":[0,0,0],\"top_left_front\":[1,2,3]}".utf8)
        let model = #expect(throws: Problem.self) { try BoundingBoxJSON(flat, file: "model_boundingbox.json") }
        #expect(
            model?.summary
                == "the box is the fitted parallelepiped of a model_boundingbox.json, which has no right angles")
        #expect(throws: Problem.self) { try BoundingBoxJSON(try text(size: [1e300, 1e300, 1e300]), file: "b") }
    }

    @Test func refusesToWriteATiltedBox() throws {
        let c = cos(0.1)
        let s = sin(0.1)
        let tilted = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, c, -s), Vector3(0, s, c))
        let box = OrientedBox(center: .zero, worldFromBox: tilted, halfSize: Vector3(1, 1, 1))
        let problem = #expect(throws: Problem.self) { try BoundingBoxJSON.text(box) }
        #expect(problem?.summary == "the box is tilted, and boundingbox.json holds only boxes turned about y")
        // By rounding alone it is not.
        for (angle, isTilted) in [(3e-8, false), (9e-7, false), (1.1e-6, true)] {
            let (c, s) = (cos(angle), sin(angle))
            let axes = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, c, -s), Vector3(0, s, c))
            let nearly = OrientedBox(center: .zero, worldFromBox: axes, halfSize: Vector3(1, 1, 1), floor: -0.5)
            #expect(((try? BoundingBoxJSON.text(nearly)) == nil) == isTilted, "\(angle)")
            #expect((nearly.endingOnItsFloor == nil) == isTilted, "\(angle)")
        }
        let nan = OrientedBox(center: Vector3(.nan, 0, 0), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        #expect(throws: Problem.self) { try BoundingBoxJSON.text(nan) }
    }
}
