import ScanModel
import TestSupport
import Testing

@Suite struct PredictBlurTests {
    /// A camera that goes along x by these ways, a tenth of a second each, and exposes for 50 ms.
    private func walk(_ ways: [Double], _ change: (Int, inout MemoryCapture.Item) -> Void = { _, _ in })
        -> MemoryCapture
    { .walk(ways, exposure: 50_000_000, change) }

    private func predicted(_ run: StageRun) -> [Double] {
        (run.counts("predict-blur")["predicted"]?.array ?? []).compactMap { $0.array?.last?.double }
    }

    private func sources(_ run: StageRun) -> [String] {
        ["exposure-from", "distance-from"].flatMap {
            (run.counts("predict-blur")[$0]?.array ?? []).compactMap(\.string)
        }
    }

    @Test func blurIsFocalLengthTimesSpeedTimesExposureOverDistance() throws {
        let run = try StageRun("- predict-blur: {distance: 2}", on: walk([0.1, 0.1, 0.3]))
        // 4 px · 1 m/s · 0.05 s / 2 m, and with the central difference 0.1 · 4 / 2 · …
        let expected = [0.1, 0.1, 0.2, 0.3]
        #expect(zip(predicted(run), expected).allSatisfy { abs($0 - $1) < 1e-9 } && predicted(run).count == 4)
        #expect(zip(run.capture.frames, expected).allSatisfy { abs(($0.predictedBlur ?? 0) - $1) < 1e-12 })
        let counts = run.counts("predict-blur")["pixels"]
        #expect(
            counts?["lowest"]?.double == 0.1 && counts?["median"]?.double == 0.15 && counts?["highest"]?.double == 0.3)
        #expect(sources(run) == ["recorded", "option"])
    }

    /// One that predicts nothing leaves nothing of a stage above.
    @Test func thePredictionIsTheLastStages() throws {
        let still = walk([0.1, 0.1]) { $1.exposure = nil }
        let run = try StageRun("- predict-blur: {distance: 2, exposure: 10}\n- predict-blur", on: still)
        #expect(run.capture.frames.allSatisfy { $0.predictedBlur == nil })
        #expect(run.warnings.contains { $0.hasPrefix("predict-blur[2]: no blur was predicted") })
    }

    @Test func depthOfTheFrameCountsBeforeTheDistance() throws {
        let capture = walk([0.1, 0.1]) { number, item in
            item.depth = DepthMap(width: 4, height: 1, metres: number == 1 ? [0, 0, 0, 0] : [0, 1, 1, 7])
        }
        let run = try StageRun("- predict-blur: {distance: 4}", on: capture)
        #expect(
            zip(predicted(run), [0.2, 0.05, 0.2]).allSatisfy { abs($0 / $1 - 1) < 0.01 } && predicted(run).count == 3)
        #expect(sources(run) == ["recorded", "depth", "option"])
    }

    @Test func withoutADistanceTurningAloneIsTaken() throws {
        let still = try StageRun("- predict-blur", on: walk([0.1, 0.1]))
        #expect(predicted(still) == [0, 0, 0] && sources(still) == ["recorded", "none"])
        let turning = walk([0.1, 0.1]) { $1.pose?.rotation = .rotation(aboutY: Double($0) / 100) }
        // A little more than 4 px · 0.1 rad/s · 0.05 s: the sides of the picture are farther from the camera.
        let blurs = predicted(try StageRun("- predict-blur", on: turning))
        #expect(blurs.allSatisfy { (0.02...0.035).contains($0) } && blurs.count == 3)
    }

    @Test func theOptionStandsInForAnExposureThatIsNotRecorded() throws {
        let capture = walk([0.1, 0.1, 0.1]) { if $0 != 1 { $1.exposure = nil } }
        let run = try StageRun("- predict-blur: {distance: 2, exposure: 10}", on: capture)
        #expect(zip(predicted(run), [0.02, 0.1, 0.02, 0.02]).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(sources(run) == ["option", "recorded", "option"])
        let without = try StageRun("- predict-blur: {distance: 2}", on: walk([0.1]) { $1.exposure = nil })
        #expect(
            without.warnings == [
                "predict-blur: no blur was predicted: the capture does not record its exposure; give it with `exposure`"
            ])
        #expect(without.counts("predict-blur").keys == ["not-measured"])
    }

    @Test func whatWasDroppedStillTellsHowFastTheCameraWas() throws {
        let ways = [0.1, 0.1, 0.3, 0.05]
        let all = predicted(try StageRun("- predict-blur: {distance: 2}", on: walk(ways)))
        let run = try StageRun("- select-frames: {include: [1, 3]}\n- predict-blur: {distance: 2}", on: walk(ways))
        #expect(predicted(run) == [all[1], all[3]])
        #expect(run.capture.frames.map { $0.predictedBlur != nil } == [false, true, false, true, false])
    }

    @Test func correlationIsThatWithThePicturesOwnScore() throws {
        let ways = [0.01, 0.02, 0.03, 0.04, 0.05]
        let sharp = walk(ways) { $1.sharpness = 100 / Double($0 + 1) }
        let run = try StageRun("- predict-blur: {distance: 1}", on: sharp)
        #expect(run.counts("predict-blur")["correlation"]?.double == -1)
        // Scores that a stage below takes are not those of the stages above.
        let picture = RGBImage(width: 8, height: 6, pixels: (0..<144).map { UInt8($0) })
        let scored = walk(ways) {
            $1.sharpness = 100 / Double($0 + 1)
            $1.pixels = picture
        }
        let below = try StageRun("- predict-blur: {distance: 1}\n- measure-blur", on: scored)
        #expect(below.counts("predict-blur")["correlation"]?.double == -1)
        #expect(
            try StageRun("- predict-blur: {distance: 1}", on: walk(ways)).counts("predict-blur")["correlation"] == nil)
    }

    /// Points that stand still in the world, seen from the frames before and behind: an eighth of a second of a hand that
    /// trembles, at 240 frames a second so that its way between two frames is straight.
    @Test func aMadeUpHandsBlurIsWhatReprojectionInPythonSays() throws {
        let run = try StageRun(
            """
            - synthesize: {frames: 40, rate: 240, pictures: false, seed: 5, depth-width: 32, depth-height: 24}
            - decompress
            - predict-blur: {exposure: 16}
            """, reading: "nowhere/round", workers: 2, probing: [.depth])
        let frames = run.frames
        let depths = frames.compactMap {
            Distribution(($0.depth?.metres ?? []).filter { $0 > 0 }.map(Double.init))?.median
        }
        let cameras = frames.compactMap { $0.intrinsics.map { [$0.fx, $0.fy, $0.cx, $0.cy] } }
        let expected = try PythonReaders.run(
            """
            poses, times, cameras, depths = [json.loads(a) for a in sys.argv[1:]]
            def seen(pose, k, p):
                d = [p[i] - pose[i][3] for i in range(3)]
                x, y, z = (sum(pose[i][j] * d[i] for i in range(3)) for j in range(3))
                return k[0] * x / -z + k[2], k[3] + k[1] * y / z
            result = []
            for n in range(1, len(poses) - 1):
                pose, k = poses[n], cameras[n]
                z = depths[n]
                total = 0
                for row in range(5):
                    for column in range(5):
                        u, v = 640 * (column + .5) / 5, 480 * (row + .5) / 5
                        c = ((u - k[2]) / k[0] * z, -(v - k[3]) / k[1] * z, -z)
                        p = [sum(pose[i][j] * c[j] for j in range(3)) + pose[i][3] for i in range(3)]
                        assert math.dist(seen(pose, k, p), (u, v)) < 1e-6
                        total += math.dist(seen(poses[n - 1], k, p), seen(poses[n + 1], k, p))
                result.append(total / 25 / ((times[n + 1] - times[n - 1]) * 1e-9) * 0.016)
            print(json.dumps(result))
            """,
            [
                "\(frames.compactMap { $0.pose?.rowMajorRows })", "\(frames.compactMap(\.timestamp))", "\(cameras)",
                "\(depths)",
            ])
        let wanted = try #require(expected.doubles)
        let found = Array(predicted(run).dropFirst().dropLast())
        #expect(found.count == 38 && wanted.count == 38)
        for (a, b) in zip(found, wanted) { #expect(abs(a / b - 1) < 0.005, "\(a), not \(b)") }
        #expect(try #require(wanted.max()) > 0.5)
    }

    @Test func theResultDoesNotDependOnTheWorkers() throws {
        let stages =
            "- synthesize: {frames: 20, pictures: false, depth-width: 32, depth-height: 24}\n- decompress\n"
            + "- predict-blur: {exposure: 10}"
        let receipts = try [1, 2, 8].map {
            try StageRun(stages, reading: "nowhere/round", workers: $0).bytes("receipt.json")
        }
        #expect(receipts[1] == receipts[0] && receipts[2] == receipts[0])
    }

    /// A camera line's exposure of 16.666666 ms, depth of about 2 m, and a way of (25, 0, −12.5) cm a frame.
    @Test func exposureAndDepthComeFromTheCapturesOwnFiles() throws {
        let source = try MiniSource()
        let run = try PipelineRun("- read\n- decompress\n- predict-blur: {jump-speed: 9}", on: source.path)
        let counts = run.counts("predict-blur")
        #expect(counts["exposure-from"] == .of(["recorded"]) && counts["distance-from"] == .of(["depth"]))
        // To the last one it took 193 ms: 30.75 px · 0.25 m / 193 ms · 16.67 ms / 2.35 m across, and a little from
        // going forward.
        let last = try #require(counts["predicted"]?.array?.last?.doubles)
        #expect(last.first == Double(source.mini.frameCount - 1))
        #expect(abs(last[1] - 0.2825) < 0.01, "\(last)")
        #expect(run.warnings.filter { $0.hasPrefix("predict-blur") }.isEmpty)
    }

    /// Poses, focal lengths and exposures as a device recorded them.
    @Test(.enabled(if: SharedData.isThere)) func aDevicesOwnExposure() throws {
        let run = try StageRun("- read\n- predict-blur: {distance: 1.5}", reading: SharedData.path("ipad"))
        #expect(sources(run) == ["recorded", "option"])
        #expect(run.capture.frames.allSatisfy { $0.exposure == 16_666_666 })
        let pixels = run.counts("predict-blur")["pixels"]
        #expect(try #require(pixels?["median"]?.double) > 0.5)
        #expect(predicted(run).count == 256)
    }
}
