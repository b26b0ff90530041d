import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct CameraLinesTests {
    private func read(_ bytes: [UInt8], limit: Int = 1 << 20, chunk: Int = 1 << 16) throws -> [Result<
        CameraLine, Problem
    >] {
        var lines = CameraLines(MemorySource(bytes, name: "a.jsonl", chunk: chunk), lineLimit: limit, chunk: chunk)
        var results: [Result<CameraLine, Problem>] = []
        while let result = try lines.next() { results.append(result) }
        return results
    }

    private func timestamps(_ text: String, chunk: Int = 1 << 16) throws -> [Int64?] {
        try read(Array(text.utf8), chunk: chunk).map { try? $0.get().timestamp }
    }

    private func line(_ timestamp: Int) -> String { cameraLine(timestamp: "\(timestamp)") }

    // MARK: Reading

    @Test(arguments: [1, 7, 100, 65536])
    func forgivesHowLinesEnd(chunk: Int) throws {
        let (a, b) = (line(1), line(2))
        for text in [
            "\(a)\n\(b)\n", "\(a)\n\(b)", "\(a)\r\n\(b)\r\n", "\u{FEFF}\(a)\n\(b)\n", "\(a)\n\(b)\n\n \r\n\t\n",
            "  \(a)  \n\(b)\t\n",
        ] {
            #expect(try timestamps(text, chunk: chunk) == [1, 2])
        }
        #expect(try timestamps("") == [])
        #expect(try timestamps("\n\r\n") == [])
        #expect(try timestamps("\u{FEFF}") == [])
    }

    @Test func aBlankLineKeepsItsPlace() throws {
        let results = try read(Array("\n\(line(1))\n\n \n\(line(2))\n\n".utf8))
        #expect(results.map { try? $0.get().timestamp } == [nil, 1, nil, nil, 2])
        let problems = results.compactMap { if case .failure(let problem) = $0 { problem } else { nil } }
        #expect(problems.map(\.summary) == Array(repeating: "the camera line is blank", count: 3))
        #expect(problems.map(\.place.line) == [1, 3, 4])
    }

    @Test func aBadLineFailsAlone() throws {
        let results = try read(Array("\(line(1))\n{\"timestamp\":\n\(line(3))\n".utf8))
        #expect(results.map { try? $0.get().timestamp } == [1, nil, 3])
        let problem = #expect(throws: Problem.self) { try results[1].get() }
        let start = line(1).utf8.count + 1
        #expect(
            problem?.message() == """
                error: invalid JSON: the text ends where a value is expected
                  --> a.jsonl:2:14 at byte \(start + 13)
                """)
    }

    @Test func knowsWhereEachLineStands() throws {
        let text = "\u{FEFF}\(line(1))\r\n\n\(line(22))\n"
        let bytes = Array(text.utf8)
        for case .success(let record) in try read(bytes, chunk: 10) {
            let raw = bytes[Int(record.span.offset)..<Int(record.span.offset) + record.span.count]
            #expect(String(decoding: raw, as: UTF8.self) == line(Int(record.timestamp)))
        }
    }

    @Test func aLongLineFailsWithoutBeingKept() throws {
        // 100 MB in one line, from a source that makes it up as it is read.
        final class LongLine: ByteSource {
            let name = "a.jsonl"
            let byteCount: Int64 = 100_000_000
            nonisolated(unsafe) var left = 100_000_000
            nonisolated(unsafe) var tail = Array("\n".utf8)
            init(tail: String) { self.tail += Array(tail.utf8) }
            func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
                if left > 0 {
                    let count = min(left, buffer.count)
                    buffer.baseAddress?.initializeMemory(as: UInt8.self, repeating: 0x61, count: count)
                    left -= count
                    return count
                }
                let count = min(tail.count, buffer.count)
                buffer.copyBytes(from: tail.prefix(count))
                tail.removeFirst(count)
                return count
            }
        }
        func peakKiB() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            return Int(line.filter(\.isNumber)) ?? 0
        }
        let before = try peakKiB()
        var lines = CameraLines(LongLine(tail: line(2)))
        let first = #expect(throws: Problem.self) { try lines.next()?.get() }
        #expect(first?.summary == "the camera line has 100000000 bytes; the limit is 1048576")
        #expect(first?.place.line == 1)
        #expect(try lines.next()?.get().timestamp == 2)
        #expect(try lines.next() == nil)
        #expect(try peakKiB() - before < 50_000 || Sanitizer.isOn)
    }

    @Test(
        .enabled(if: SharedData.isThere),
        arguments: [("ipad/ipad", 354), ("office/office", 40), ("office-video/office-video", 200)])
    func agreesWithPythonOnRealLines(name: String, count: Int) throws {
        let script = """
            import json, sys
            for line in open(sys.argv[1]):
                o = json.loads(line)
                k, m = o["intrinsics"], o["transform"]
                print(o["timestamp"], o["exposure_duration"], *(x.hex() for x in map(float, [k[0], k[4], k[6], k[7]] +
                    [m[i] / m[15] for i in (0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14)])))
            """
        let python = try runPython(script, [SharedData.path(name + ".jsonl")])
        let expected = python.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let bytes = try SharedData.bytes(name + ".jsonl")
        let records = try read(bytes, chunk: 1000).map { try $0.get() }
        #expect(records.count == count)
        #expect(expected.count == count)
        for (record, line) in zip(records, expected) {
            #expect(String(record.timestamp) == line[0])
            #expect(record.exposure.map(String.init) == line[1])
            let pose = record.pose
            let (a, b, c) = pose.rotation.columns
            let numbers =
                [record.fx, record.fy, record.cx, record.cy]
                + [a, b, c, pose.position].flatMap(\.components)
            #expect(numbers == line[2...].map { strtod($0, nil) })
            #expect(record.defect == nil)
            #expect(record.sourceFrame == nil)
        }
        // The spans are the file, cut at its line feeds.
        #expect(records.allSatisfy { bytes[Int($0.span.offset) + $0.span.count] == 10 })
        #expect(Int(records.reduce(0) { $0 + $1.span.count + 1 }) == bytes.count)
    }

    @Test(.enabled(if: SharedData.isThere))
    func randomDamageNeverCrashes() throws {
        let bytes = Array(try SharedData.bytes("ipad/ipad.jsonl").prefix(2000))
        var random = SplitMix(seed: 11)
        for _ in 0..<3000 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            for case .success(let record) in try read(damaged, chunk: 333) { #expect(record.timestamp >= 0) }
        }
    }

    // MARK: Writing

    @Test func addsTheSourceFrameAndNothingElse() throws {
        let table = [
            ("{\"a\":1}", "{\"a\":1,\"source_frame\":7}"), ("{}", "{\"source_frame\":7}"),
            (" { \"a\" : {} } ", " { \"a\" : {} ,\"source_frame\":7} "),
            // A number that is there already makes room.
            ("{\"source_frame\":123,\"a\":1}", "{\"source_frame\":7,\"a\":1}"),
            (
                "{\"a\":{\"source_frame\":1},\"source_frame\" : null }",
                "{\"a\":{\"source_frame\":1},\"source_frame\" : 7 }"
            ),
            ("{\"b\":\"}\",\"t\":1.50e+00}", "{\"b\":\"}\",\"t\":1.50e+00,\"source_frame\":7}"),
        ]
        for (line, expected) in table {
            let rewritten = try CameraLines.rewrite(Array(line.utf8), addingSourceFrame: 7)
            #expect(String(decoding: rewritten, as: UTF8.self) == expected)
        }
        for line in ["", "[]", "{\"a\":1", "{\"a\":1}}"] {
            #expect(throws: Problem.self) { try CameraLines.rewrite(Array(line.utf8), addingSourceFrame: 7) }
        }
    }

    @Test(.enabled(if: SharedData.isThere))
    func rewrittenRealLinesReadBack() throws {
        let bytes = try SharedData.bytes("ipad/ipad.jsonl")
        for (index, result) in try read(bytes).enumerated() {
            let record = try result.get()
            let raw = Array(bytes[Int(record.span.offset)..<Int(record.span.offset) + record.span.count])
            let once = try CameraLines.rewrite(raw, addingSourceFrame: index)
            let again = try CameraLines.rewrite(once, addingSourceFrame: index * 3)
            #expect(once.starts(with: raw.dropLast()))
            for (text, number) in [(once, index), (again, index * 3)] {
                var back = try #require(try read(text).first).get()
                #expect(back.sourceFrame == number)
                (back.sourceFrame, back.span) = (nil, record.span)
                #expect(back == record)
            }
        }
    }

    @Test(.enabled(if: SharedData.isThere))
    func eulerAnglesAreTheRecorders() throws {
        let bytes = try SharedData.bytes("ipad/ipad.jsonl")
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        var worst = 0.0
        for (result, text) in zip(try read(bytes), lines) {
            let record = try result.get()
            let camera = record.intrinsics(width: 1920, height: 1440)
            let written = try CameraLines.line(timestamp: 1, intrinsics: camera, pose: record.pose)
            let mine = try #require(JSONValue.parse(written, file: "a")["euler_angles"]?.doubles)
            let recorded = try #require(JSONValue.parse(Array(text.utf8), file: "a")["euler_angles"]?.doubles)
            for (a, b) in zip(mine, recorded) { worst = max(worst, abs(remainder(a - b, 2 * Double.pi))) }
        }
        // Both sides are single precision.
        #expect(worst < 4e-7)
    }

    @Test func writesMultiScansOwnLayout() throws {
        let camera = CameraIntrinsics(
            fx: 585, fy: 586, cx: 320.5, cy: 240.5, width: 640, height: 480, pixelOrigin: .corner)
        let pose = Pose(rotation: .rotation(aboutY: 0.5), position: Vector3(1, 2, 3))
        let bytes = try CameraLines.line(
            timestamp: 280_670_466_266_040, intrinsics: camera, pose: pose, exposure: 16_666_666,
            extra: ["source_frame": .integer(4)])
        let value = try JSONValue.parse(bytes, file: "a")
        #expect(
            value.object?.keys
                == ["timestamp", "intrinsics", "transform", "euler_angles", "exposure_duration", "source_frame"])
        #expect(!bytes.contains(UInt8(ascii: "\n")))
        // ARKit counts from the centre, so a principal point counted from the corner moves by half a pixel.
        #expect(value["intrinsics"]?.doubles == [585, 0, 0, 0, 586, 0, 320, 240, 1])
        #expect(value["transform"]?.doubles == pose.columnMajor)
        #expect(value["euler_angles"]?.doubles == [0, 0.5, 0])
        let record = try #require(try read(bytes).first).get()
        #expect(record.pose == pose)
        #expect(record.intrinsics(width: 640, height: 480) == camera.counted(from: .centre))
        #expect(record.exposure == 16_666_666)
        #expect(record.sourceFrame == 4)
        #expect(record.defect == nil)
    }

    /// Yaw and roll turn about one axis then, and zeros alone tell neither.
    @Test func aCameraThatLooksStraightDownKeepsItsTurn() throws {
        let camera = CameraIntrinsics(fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1, pixelOrigin: .arKit)
        let down = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0))
        let pose = Pose(rotation: .rotation(aboutY: 0.5) * down, position: .zero)
        let line = try CameraLines.line(timestamp: 0, intrinsics: camera, pose: pose)
        let angles = try #require(JSONValue.parse(line, file: "a")["euler_angles"]?.doubles)
        for (angle, expected) in zip(angles, [-Double.pi / 2, 0.5, 0]) { #expect(abs(angle - expected) < 1e-12) }
    }

    @Test func anglesGiveTheRotationBack() throws {
        func rotation(_ angle: Double, _ a: Int, _ b: Int) -> Matrix3 {
            var rows = [[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]
            (rows[a][a], rows[b][b], rows[a][b], rows[b][a]) = (cos(angle), cos(angle), -sin(angle), sin(angle))
            let vectors = rows.map { Vector3($0[0], $0[1], $0[2]) }
            return Matrix3(rows: vectors[0], vectors[1], vectors[2])
        }
        let camera = CameraIntrinsics(fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1, pixelOrigin: .arKit)
        for pitch in [-Double.pi / 2, -1.57, -1, 0, 0.3, 1.5707, Double.pi / 2] {
            for yaw in stride(from: -3.0, through: 3, by: 0.75) {
                for roll in stride(from: -3.0, through: 3, by: 0.75) {
                    let r = Matrix3.rotation(aboutY: yaw) * rotation(pitch, 1, 2) * rotation(roll, 0, 1)
                    let pose = Pose(rotation: r, position: .zero)
                    let line = try CameraLines.line(timestamp: 0, intrinsics: camera, pose: pose)
                    let e = try #require(JSONValue.parse(line, file: "a")["euler_angles"]?.doubles)
                    let back = Matrix3.rotation(aboutY: e[1]) * rotation(e[0], 1, 2) * rotation(e[2], 0, 1)
                    let error =
                        zip(
                            [r.columns.0, r.columns.1, r.columns.2], [back.columns.0, back.columns.1, back.columns.2]
                        ).map { ($0 - $1).length }.max() ?? 1
                    #expect(error < 1e-12, "\(pitch) \(yaw) \(roll)")
                }
            }
        }
    }

    @Test func refusesToWriteImpossibleCameras() throws {
        let good = CameraIntrinsics(fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1, pixelOrigin: .arKit)
        var bad = good
        bad.fx = .nan
        #expect(throws: Problem.self) { try CameraLines.line(timestamp: 0, intrinsics: bad, pose: .identity) }
        let pose = Pose(rotation: .identity, position: Vector3(.infinity, 0, 0))
        #expect(throws: Problem.self) { try CameraLines.line(timestamp: 0, intrinsics: good, pose: pose) }
    }

    /// What is written is read again.
    @Test func refusesToWriteTimesThatNoLineHas() throws {
        let camera = CameraIntrinsics(fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1, pixelOrigin: .arKit)
        let write = { (time: Int64) throws(Problem) -> [UInt8] in
            try CameraLines.line(timestamp: time, intrinsics: camera, pose: .identity)
        }
        for time in [-1, 4_000_000_000_000_000_001] as [Int64] {
            let problem = problem { () throws(Problem) in _ = try write(time) }
            #expect(problem?.summary == "a camera line cannot have the time \(time) ns")
        }
        for time in [0, 4_000_000_000_000_000_000] as [Int64] {
            let line = try write(time)
            #expect(try line.withUnsafeBufferPointer { try CameraLine($0, file: "a") }.timestamp == time)
        }
    }

    @Test func aCameraThatMovedKeepsWhatElseWasRecorded() throws {
        let camera = CameraIntrinsics(fx: 3, fy: 4, cx: 5, cy: 6, width: 8, height: 8, pixelOrigin: .arKit)
        let pose = Pose(rotation: .rotation(aboutY: 0.5), position: Vector3(1, 2, 3))
        let recorded = """
            {"quaternion": [1, 0, 0, 0], "my_key": {"a": [1, null]}, "timestamp": 7, "exposure_duration": 9, \
            "transform": [1], "rotationQuaternion_from_androidSensor": [0], "transformMatrices_from_androidSensorPose": []}
            """
        let line = try CameraLines.rewrite(
            Array(recorded.utf8), timestamp: 8, intrinsics: camera, pose: pose, sourceFrame: 2)
        let value = try JSONValue.parse(line, file: "a")
        #expect(
            value.object?.keys == [
                "my_key", "timestamp", "exposure_duration", "transform", "intrinsics", "euler_angles", "source_frame",
            ])
        #expect(value["my_key"] == .object(["a": .array([.integer(1), .null])]))
        let record = try #require(try read(line).first).get()
        #expect(record.pose == pose && record.timestamp == 8 && record.exposure == 9 && record.sourceFrame == 2)
        #expect(record.intrinsics(width: 8, height: 8) == camera)
    }
}
