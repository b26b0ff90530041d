import Foundation
import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct MeasureMotionTests {
    /// A camera that looks along −z and goes along x by these ways, a tenth of a second each.
    private func walk(_ ways: [Double], _ change: (Int, inout MemoryCapture.Item) -> Void = { _, _ in })
        -> MemoryCapture
    { .walk(ways, from: Vector3(0, 1, -2), change) }

    private func measure(_ capture: MemoryCapture, _ options: String = "", above: String = "") throws -> JSONObject {
        let run = try StageRun("\(above)- measure-motion\(options.isEmpty ? "" : ": \(options)")", on: capture)
        #expect(run.warnings.isEmpty)
        return run.counts("measure-motion")
    }

    private func numbers(_ value: JSONValue?) -> [Double] {
        ["lowest", "median", "p90", "highest"].compactMap { value?[$0]?.double }
    }

    private func track(_ counts: JSONObject) -> [[Double]] {
        (counts["track"]?.array ?? []).map { ($0.array ?? []).map { $0.double ?? -1 } }
    }

    // MARK: - Speeds

    @Test func theFramesSpeedsAndTheWay() throws {
        let counts = try measure(walk([0.01, 0.02, 0.03, 0.06]))
        #expect(counts["path-length-m"]?.double == 0.12)
        #expect(counts["seconds"]?.double == 0.4)
        // The first frame has the speed of the step behind it: 0.1, 0.1, 0.2, 0.3, 0.6.
        #expect(numbers(counts["speed-m-per-s"]) == [0.1, 0.2, 0.48, 0.6])
        #expect(numbers(counts["turning-deg-per-s"]) == [0, 0, 0, 0])
        #expect(track(counts).map(\.last) == [0.1, 0.1, 0.2, 0.3, 0.6])
        #expect(counts["jump-count"]?.integer == 0 && counts["jumps"]?.array == [])
        #expect(counts["lost-tracking"]?.integer == 0)
    }

    @Test func thinningDoesNotChangeHowFastTheCameraWas() throws {
        let ways = [0.01, 0.02, 0.03, 0.06, 0.01, 0.03]
        let all = track(try measure(walk(ways)))
        let some = track(try measure(walk(ways), above: "- select-every: {step: 2, offset: 1}\n"))
        #expect(some == [all[1], all[3], all[5]])
        let counts = try measure(walk(ways), above: "- select-every: {step: 2, offset: 1}\n")
        #expect(numbers(counts["speed-m-per-s"]) == [0.1, 0.1, 0.26, 0.3])
        #expect(counts["path-length-m"]?.double == 0.16)
    }

    @Test func bandsAreCounted() throws {
        let capture = walk([0.001, 0.001, 0.03, 0.08, 0.001]) { number, item in
            // The last step turns by 4°, which is 40°/s: neither slow nor fast.
            if number == 5 { item.pose?.rotation = .rotation(aboutY: 4 * .pi / 180) }
        }
        let counts = try measure(capture)
        #expect(counts["too-fast"]?.integer == 0 && counts["too-slow"]?.integer == 3)
        #expect(counts["limits"]?["too-fast"]?.double == 1 && counts["limits"]?["too-slow"]?.double == 0.02)
        let strict = try measure(
            capture, "{too-fast: 0.2, too-fast-turning: 30, too-slow: 0.005, too-slow-turning: 50}")
        #expect(strict["too-fast"]?.integer == 3 && strict["too-slow"]?.integer == 0)
        let limits = ["too-fast", "too-fast-turning", "too-slow", "too-slow-turning"].map {
            strict["limits"]?[$0]?.double
        }
        #expect(limits == [0.2, 30, 0.005, 50])
        // Its last frame hardly moves: whether it turns decides.
        #expect(try measure(capture, "{too-slow-turning: 39}")["too-slow"]?.integer == 3)
        #expect(try measure(capture, "{too-slow-turning: 41}")["too-slow"]?.integer == 4)
    }

    /// The angle between rotations by the trace of their quotient, in Python.
    @Test func aMadeUpCapturesRatesArePythons() throws {
        let run = try StageRun(
            "- synthesize: {frames: 90, rate: 25, gap-every: 11, pictures: false}\n- measure-motion",
            reading: "nowhere/round")
        let frames = run.capture.frames
        let expected = try PythonReaders.run(
            """
            poses, times = json.loads(sys.argv[1]), json.loads(sys.argv[2])
            def angle(a, b):
                return math.degrees(math.acos(min(1, (sum(a[i][j] * b[i][j] for i in range(3) for j in range(3)) - 1) / 2)))
            steps = [(b[1] - a[1]) * 1e-9 for a, b in zip(enumerate(times), enumerate(times[1:], 1))]
            speed = [math.dist([r[3] for r in a[:3]], [r[3] for r in b[:3]]) / s for a, b, s in zip(poses, poses[1:], steps)]
            turning = [angle(a, b) / s for a, b, s in zip(poses, poses[1:], steps)]
            def spread(v):
                v = sorted([v[0]] + v)
                def q(share):
                    p = share * (len(v) - 1)
                    return v[int(p)] + (v[min(int(p) + 1, len(v) - 1)] - v[int(p)]) * (p % 1)
                return [v[0], q(0.5), q(0.9), v[-1]]
            print(json.dumps([spread(speed), spread(turning)]))
            """, ["\(frames.compactMap { $0.pose?.rowMajorRows })", "\(frames.compactMap(\.timestamp))"])
        let counts = run.counts("measure-motion")
        for (found, wanted) in [
            (numbers(counts["speed-m-per-s"]), expected.array?[0].doubles ?? []),
            (numbers(counts["turning-deg-per-s"]), expected.array?[1].doubles ?? []),
        ] {
            #expect(found.count == 4)
            #expect(zip(found, wanted).allSatisfy { abs($0 / $1 - 1) < 1e-4 }, "\(found), not \(wanted)")
        }
    }

    @Test(.enabled(if: SharedData.isThere), arguments: ["office", "office-video"])
    func realCapturesAgreeWithTheIndependentFigures(name: String) throws {
        let expected = try SharedData.expected("\(name).expected.json")
        let counts = try StageRun("- read\n- measure-motion", reading: SharedData.path(name)).counts("measure-motion")
        let length = try #require(expected["path_length_m"] as? Double)
        #expect(abs(try #require(counts["path-length-m"]?.double) / length - 1) < 1e-5)
        let steps = try #require(expected["speed_mps"] as? [Double])
        let speeds = try #require(Distribution([steps[0]] + steps))
        let wanted = [speeds.lowest, speeds.median, speeds.quantile(0.9), speeds.highest]
        #expect(zip(numbers(counts["speed-m-per-s"]), wanted).allSatisfy { abs($0 / $1 - 1) < 1e-4 })
        #expect(numbers(counts["speed-m-per-s"]).count == 4)
        for entry in track(counts) {
            let frame = Int(entry[0])
            #expect(abs(entry[3] / steps[max(0, frame - 1)] - 1) < 1e-3)
        }
        #expect(counts["jump-count"]?.integer == 0)
        #expect(counts["box-outline"]?.array?.count == 4)
    }

    // MARK: - Jumps and lost tracking

    @Test func jumpsAreListed() throws {
        let counts = try measure(walk([0.01, 0.75, 0.01, 0.02]))
        #expect(counts["jump-count"]?.integer == 1)
        let jump = try #require(counts["jumps"]?.array?.first)
        #expect(jump["frame"]?.integer == 2 && jump["metres"]?.double == 0.75 && jump["degrees"]?.double == 0)
        #expect(counts["path-length-m"]?.double == 0.04)
        #expect(numbers(counts["speed-m-per-s"]).last == 0.2)
        #expect(try measure(walk([0.01, 0.75, 0.01]), "{jump-speed: 8}")["jump-count"]?.integer == 0)
        #expect(jump["back"] == nil)
        let glitch = try measure(walk([0.01, 0.75, -0.74, 0.02]))
        #expect(glitch["jumps"]?.array?.map { $0["back"]?.bool ?? false } == [false, true])
        let many = try measure(walk((0..<120).map { $0 % 2 == 0 ? 0.01 : 0.9 }))
        #expect(many["jump-count"]?.integer == 60 && many["jumps"]?.array?.count == 50)
    }

    @Test func turningJumpsAreListed() throws {
        // 45° in a tenth of a second are 450°/s.
        let capture = walk([0.01, 0.01, 0.01]) { number, item in
            if number >= 2 { item.pose?.rotation = .rotation(aboutY: .pi / 4) }
        }
        let counts = try measure(capture)
        let jump = try #require(counts["jumps"]?.array?.first)
        #expect(counts["jump-count"]?.integer == 1)
        #expect(jump["frame"]?.integer == 2 && jump["metres"]?.double == 0.01 && jump["degrees"]?.double == 45)
        #expect(try measure(capture, "{jump-turning: 449}")["jump-count"]?.integer == 1)
        #expect(try measure(capture, "{jump-turning: 451}")["jump-count"]?.integer == 0)
    }

    @Test func lostTrackingIsCounted() throws {
        let capture = walk([0.01, 0.01, 0.01, 0.01]) { number, item in
            if number == 2 || number == 3 { item.pose = nil }
            if number == 2 { item.drop = Drop(stage: "read", reason: "tracking was lost") }
        }
        let counts = try measure(capture)
        #expect(counts["lost-tracking"]?.integer == 2)
        #expect(track(counts).map(\.first) == [0, 1, 4])
        let bad = walk([0.01, 0.01]) { number, item in
            if number == 1 {
                item.pose = nil
                item.drop = Drop(stage: "read", reason: "the camera line is blank", isBad: true)
            }
        }
        #expect(try measure(bad)["lost-tracking"]?.integer == 0)
    }

    // MARK: - Seen from above

    @Test func theTrackIsSeenFromAboveAndNotMirrored() throws {
        var capture = walk([0.01])
        capture.box = OrientedBox(
            center: Vector3(1, 0, -3), worldFromBox: .identity, halfSize: Vector3(0.5, 0.25, 0.125))
        let counts = try measure(capture)
        // y up: a is x, b is −z.
        #expect(track(counts).map { Array($0[1...2]) } == [[0, 2], [0.01, 2]])
        let outline = (counts["box-outline"]?.array ?? []).compactMap(\.doubles)
        #expect(outline == [[0.5, 3.125], [1.5, 3.125], [1.5, 2.875], [0.5, 2.875]])
        capture.worldUp = Vector3(0, 0, 1)
        #expect(track(try measure(capture)).map { Array($0[1...2]) } == [[0, 1], [0.01, 1]])
        // The cameras' own up, which is y.
        capture.worldUp = nil
        #expect(track(try measure(capture)).map { Array($0[1...2]) } == [[0, 2], [0.01, 2]])
    }

    @Test func aLongTrackIsThinned() throws {
        let counts = try measure(walk(Array(repeating: 0.01, count: 999)))
        let frames = track(counts).compactMap(\.first)
        #expect(frames.count == 256 && frames.first == 0 && frames.last == 999)
        let steps = zip(frames, frames.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { (3...4).contains($0) })
    }

    // MARK: - What cannot be measured

    @Test func withoutTimesTheWayIsMeasured() throws {
        let counts = try measure(walk([0.01, 0.02]) { $1.timestamp = nil })
        #expect(counts["path-length-m"]?.double == 0.03)
        #expect(counts["not-measured"]?.string?.hasPrefix("speeds") == true)
        #expect(counts["speed-m-per-s"] == nil && counts["seconds"] == nil && counts["too-fast"] == nil)
        #expect((counts["track"]?.array ?? []).map { $0.array?.last } == [.null, .null, .null])
        #expect(counts["is-metric"] == nil)
        var unknown = walk([0.01, 0.02]) { $1.timestamp = nil }
        unknown.isMetric = false
        #expect(try measure(unknown)["is-metric"] == .bool(false))
    }

    @Test func withoutPosesNothingIs() throws {
        let counts = try measure(walk([0.01, 0.02]) { $1.pose = nil })
        #expect(counts.keys == ["not-measured"])
        #expect(counts["not-measured"]?.string == "the frames have no poses")
    }

    @Test func speedsInAnUnknownUnitAreNoReasonToBlame() throws {
        var capture = walk([0.01, 7, 0.01, 0.02])
        capture.isMetric = false
        let run = try StageRun("- measure-motion", on: capture)
        let counts = run.counts("measure-motion")
        #expect(run.warnings.count == 1 && run.warnings[0].contains("unit is unknown"))
        #expect(counts["jump-count"]?.integer == 0 && counts["too-fast"]?.integer == 0)
        #expect(counts["too-slow"]?.integer == 5)
        #expect(numbers(counts["speed-m-per-s"]).last == 70)
    }

    // MARK: - The rotation-rate sensor

    @Test func theSensorFeelsWhatThePosesSay() throws {
        let run = try StageRun(
            "- synthesize: {frames: 120, rate: 20, pictures: false}\n- measure-motion", reading: "nowhere/round")
        let counts = run.counts("measure-motion")
        let (felt, seen) = (numbers(counts["imu-turning-deg-per-s"]), numbers(counts["turning-deg-per-s"]))
        #expect(felt.count == 4)
        // Three samples a step do not follow a tremor of 9.5 Hz all the way.
        #expect(abs(felt[1] / seen[1] - 1) < 0.05)
        #expect(try #require(counts["imu-correlation"]?.double) > 0.9)
    }

    @Test func samplesBelongToTheStepInWhichTheyWereTaken() {
        let frames = (0...3).map { number in
            var facts = FrameFacts(index: number)
            facts.timestamp = Int64(number) * 100
            facts.pose = Pose(rotation: .identity, position: .zero)
            return facts
        }
        let radians = Double.pi / 180
        let samples: ContiguousArray = [
            MotionSample(timestamp: 0, value: Vector3(99, 0, 0)),
            MotionSample(timestamp: 50, value: Vector3(radians, 0, 0)),
            MotionSample(timestamp: 100, value: Vector3(0, radians, 0)),
            MotionSample(timestamp: 210, value: Vector3(.nan, 0, 0)),
            MotionSample(timestamp: 220, value: Vector3(0, 0, -3 * radians)),
            MotionSample(timestamp: 301, value: Vector3(99, 0, 0)),
        ]
        let rates = IMUTurning.rates(samples, Trajectory(frames), frames)
        #expect(rates.keys.sorted() == [1, 3])
        #expect(abs((rates[1] ?? 0) - 0.5.squareRoot()) < 1e-12 && abs((rates[3] ?? 0) - 3) < 1e-12)
    }

    @Test func aDamagedSensorFileIsAWarning() throws {
        let source = try MiniSource()
        try source.write(Array("ply\nnonsense\n".utf8), to: "recorded.rot")
        let run = try PipelineRun("- read\n- measure-motion", on: source.path)
        #expect(run.warnings.contains { $0.hasPrefix("measure-motion: the rotation-rate sensor was not looked at: ") })
        #expect(run.counts("measure-motion")["path-length-m"] != nil)
    }
}
