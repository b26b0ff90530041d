import ScanModel
import TestSupport
import Testing

@Suite struct CameraFocusTests {
    private let target = Vector3(1000, 2, -500)

    /// Cameras on an arc about the target, all aimed at it.
    private func arc(_ degrees: ClosedRange<Double>, _ count: Int) -> [Pose] {
        (0..<count).map { number in
            let share = Double(number) / Double(count - 1)
            let angle = (degrees.lowerBound + share * (degrees.upperBound - degrees.lowerBound)) * .pi / 180
            let offset = Matrix3.rotation(aboutY: angle) * Vector3(0, 0.6 + 0.1 * share, 1.2)
            return .camera(at: target + offset, lookingAt: target)
        }
    }

    private func distance(_ focus: CameraFocus) -> Double {
        guard case .point(let point) = focus else { return .infinity }
        return (point - target).length
    }

    @Test(arguments: [-180.0...160, -45...45, -10...10]) func isWhereAllAxesMeet(degrees: ClosedRange<Double>) {
        #expect(distance(CameraFocus(of: arc(degrees, 12))) < 1e-6)
    }

    /// A sixth of the cameras look at another place; the least squares alone would be 0.6 m off.
    @Test func aFewThatLookElsewhereDoNotPullIt() {
        var poses = arc(-45...45, 30)
        for number in stride(from: 0, to: 30, by: 6) {
            poses[number] = .camera(at: poses[number].position, lookingAt: target + Vector3(1.5, 0.1, 0.5))
        }
        #expect(distance(CameraFocus(of: poses)) < 0.03)
    }

    @Test func parallelAxesMeetNowhere() {
        let poses = (0..<10).map { Pose(rotation: .identity, position: Vector3(Double($0) * 0.1, 0, 0)) }
        #expect(CameraFocus(of: poses) == .parallel)
        // An axis has two ends.
        let turned = Pose(rotation: .rotation(aboutY: .pi), position: Vector3(0, 0, -5))
        #expect(CameraFocus(of: poses + [turned]) == .parallel)
        #expect(CameraFocus(of: arc(-2...2, 12)) == .parallel)
        #expect(CameraFocus(of: Array(poses.prefix(1))) == .parallel && CameraFocus(of: []) == .parallel)
        // One looks away from the place where it would cross the others, so it does not count.
        let away = Pose.camera(at: Vector3(5, 0, -2), lookingAt: Vector3(9, 0, -2))
        #expect(CameraFocus(of: poses + [away]) == .parallel)
    }

    /// All axes meet in one place, at which only half of the cameras look.
    @Test func halfOfTheCamerasAreNotMost() {
        func poses(_ away: Int) -> [Pose] {
            arc(-180...90, 4).enumerated().map { number, pose in
                number >= away ? pose : .camera(at: pose.position, lookingAt: pose.position * 2 - target)
            }
        }
        #expect(distance(CameraFocus(of: poses(1))) < 1e-6)
        #expect(CameraFocus(of: poses(2)) == .outward)
    }

    @Test func camerasThatLookOutwardsHaveNone() {
        let poses = arc(-180...160, 12).map { pose in
            Pose.camera(at: pose.position, lookingAt: pose.position + (pose.position - target))
        }
        #expect(CameraFocus(of: poses) == .outward)
    }

    /// Axes that miss one another: by steps that halve, in plain Python, from the sum of the distances alone.
    @Test func isWherePythonFindsTheLeastSumOfDistances() throws {
        var random = SplitMix(seed: 5)
        let poses = arc(-60...60, 15).map { pose in
            let shift = (0..<3).map { _ in Double.random(in: -0.2...0.2, using: &random) }
            return Pose.camera(at: pose.position, lookingAt: target + Vector3(shift[0], shift[1], shift[2]))
        }
        let script = """
            import json, math, sys
            axes = json.loads(sys.argv[1])
            def cost(p):
                total = 0
                for o, d in axes:
                    r = [p[i] - o[i] for i in range(3)]
                    c = [r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]]
                    total += math.sqrt(sum(v * v for v in c) + least * least)
                return total
            p = [sum(o[i] for o, _ in axes) / len(axes) for i in range(3)]
            for _ in range(4):
                least = sum(math.dist(p, o) for o, _ in axes) / len(axes) / 100
                best, step = cost(p), 1.0
                while step > 1e-7:
                    moved = False
                    for n in range(26):
                        v = [(n if n < 13 else n + 1) // 3 ** i % 3 - 1 for i in range(3)]
                        q = [p[i] + step * v[i] for i in range(3)]
                        if cost(q) < best: p, best, moved = q, cost(q), True
                    if not moved: step /= 2
            print(json.dumps(p))
            """
        let axes = poses.map { [$0.position.components, (-$0.rotation.columns.2).components] }
        let result = try runPython(script, ["\(axes)"])
        try #require(result.status == 0, "\(result.errors)")
        let numbers = result.output.dropFirst().dropLast(2).split(separator: ",").compactMap {
            Double($0.drop { $0 == " " })
        }
        try #require(numbers.count == 3)
        guard case .point(let found) = CameraFocus(of: poses) else {
            Issue.record("there is no point")
            return
        }
        #expect((found - Vector3(numbers[0], numbers[1], numbers[2])).length < 1e-4)
        #expect((found - target).length < 0.3)
    }

    @Test func aBoxIsAsFarAsItsNearestPlace() {
        let box = OrientedBox(
            center: Vector3(1, 0, 0), worldFromBox: .rotation(aboutY: .pi / 2), halfSize: Vector3(1, 2, 3))
        #expect(box.distance(to: Vector3(1, 1, 0)) == 0)
        // Its z lies along x.
        #expect(abs(box.distance(to: Vector3(5, 0, 0)) - 1) < 1e-12)
        #expect(abs(box.distance(to: Vector3(7, 6, 0)) - 5) < 1e-12)
    }
}
