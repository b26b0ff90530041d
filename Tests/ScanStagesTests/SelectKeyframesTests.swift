import ScanModel
import TestSupport
import Testing

@Suite struct SelectKeyframesTests {
    /// A camera at these places along x, turned about y by these degrees, its picture so sharp.
    private func capture(_ views: [(x: Double, degrees: Double, sharpness: Double?)]) -> MemoryCapture {
        MemoryCapture(
            views.map { view in
                var item = MemoryCapture.Item(timestamp: 0)
                item.pose = Pose(
                    rotation: .rotation(aboutY: view.degrees * .pi / 180), position: Vector3(view.x, 0, 3))
                item.sharpness = view.sharpness
                return item
            })
    }

    private func along(_ places: [Double], _ sharpness: [Double?] = []) -> MemoryCapture {
        capture(places.enumerated().map { ($1, 0, sharpness.isEmpty ? nil : sharpness[$0]) })
    }

    private func run(_ options: String, _ capture: MemoryCapture) throws -> StageRun {
        try StageRun("- select-keyframes: {\(options)}", on: capture)
    }

    @Test func withoutScoresTheFirstOfEachNeighbourhoodStays() throws {
        let run = try run("distance: 0.1", along([0, 0.04, 0.09, 0.15, 0.2, 0.31]))
        #expect(run.kept == [0, 3, 5])
        #expect(run.count("select-keyframes", "neighbourhoods") == 3)
        // 0.09 is nearer to 0 than it is far from it; 0.2 is 5 cm from 0.15.
        #expect(run.drops.map { $0.suffix(39) }.allSatisfy { $0.hasSuffix("stands for its neighbourhood") })
        #expect(run.drops[2] == "4 select-keyframes: frame 3 stands for its neighbourhood")
    }

    @Test func withScoresTheSharpestDoesAndTiesGoToTheFirst() throws {
        let run = try run("distance: 0.1", along([0, 0.04, 0.09, 0.15, 0.2], [5, 9, 7, 4, 4]))
        #expect(run.kept == [1, 3])
        // One that was not scored is behind any that was.
        #expect(try self.run("distance: 0.1", along([0, 0.04, 0.09], [nil, 0, nil])).kept == [1])
    }

    @Test func turningMakesAnotherNeighbourhood() throws {
        let turned = capture([(0, 0, nil), (0, 8, nil), (0, 12, nil), (0, 21, nil), (0, -9, nil)])
        // 8° are 4° from 12°, but that one was not yet there.
        #expect(try run("angle: 10", turned).kept == [0, 2])
        #expect(try run("angle: 5", turned).kept == [0, 1, 3, 4])
        #expect(try run("angle: 180", turned).kept == [0])
    }

    @Test func whoComesBackJoinsThoseOfTheFirstTime() throws {
        #expect(try run("distance: 0.1", along([0, 0.2, 0.4, 0.2, 0.01], [1, 2, 3, 9, 8])).kept == [2, 3, 4])
    }

    @Test func aFrameBelongsToTheNearestOfSeveral() throws {
        // 0.15 is a neighbour of 0.1 and of 0.19, and nearer to the latter.
        let run = try run("distance: 0.08", along([0.1, 0.19, 0.15], [1, 2, 9]))
        #expect(run.kept == [0, 2])
        #expect(run.drops == ["1 select-keyframes: frame 2 stands for its neighbourhood"])
    }

    @Test func framesWithoutAPoseAreDropped() throws {
        var capture = along([0, 1, 2])
        capture.items[1].pose = nil
        #expect(try run("distance: 0.1", capture).drops == ["1 select-keyframes: it has no pose"])
    }

    // MARK: - The quota

    /// All look at the back of a box from 3 m in front of it, but for the last, which looks past.
    private func boxed(_ places: [Double], _ sharpness: [Double?] = []) -> MemoryCapture {
        var capture = along(places, sharpness)
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        return capture
    }

    @Test func theQuotaTakesTheFarthestBack() throws {
        // One neighbourhood of four; 0.9 is the farthest from 0, then 0.5.
        let run = try run("distance: 2, per-face: 3", boxed([0, 0.1, 0.5, 0.9]))
        #expect(run.kept == [0, 2, 3])
        #expect(run.count("select-keyframes", "taken-back-for-faces") == 2)
        #expect(try self.run("distance: 2, per-face: 2", boxed([0, 0.1, 0.5, 0.9])).kept == [0, 3])
        // Behind 0.95, 0.9 is near and 0.5 far.
        #expect(try self.run("distance: 2, per-face: 3", boxed([0, 0.5, 0.9, 0.95])).kept == [0, 1, 3])
        // Two as far: the sharper one.
        #expect(try self.run("distance: 2, per-face: 2", boxed([0, -0.5, 0.5], [9, 1, 2])).kept == [0, 2])
    }

    @Test func aFaceThatWasHardlySeenKeepsAllItHas() throws {
        let run = try run("distance: 2, per-face: 10", boxed([0, 0.1, 0.2, 5]))
        #expect(run.kept == [0, 1, 2, 3])
        // Frame 3 looks past the box: it stays for its own neighbourhood, and no face asks for more of it.
        #expect(try self.run("distance: 2, per-face: 10", boxed([0, 5, 5.1])).kept == [0, 1])
    }

    @Test func withoutABoxTheQuotaIsIgnored() throws {
        let run = try run("distance: 2, per-face: 3", along([0, 0.1]))
        #expect(run.kept == [0])
        #expect(run.warnings == ["select-keyframes: the capture has no box, so `per-face` was ignored"])
    }

    /// By trying all: whatever the order, each frame that goes has one that stays nearby, by way and angle to a founder.
    @Test func everyFrameIsNearOneThatStays() throws {
        var dice = SplitMix(seed: 83)
        let views = (0..<300).map { _ in
            (
                Double.random(in: 0...1, using: &dice), Double.random(in: 0...60, using: &dice),
                Optional(Double.random(in: 0...100, using: &dice))
            )
        }
        let kept = try run("distance: 0.1, angle: 10", capture(views)).kept
        #expect(kept.count > 20 && kept.count < 150)
        for view in views {
            // Both are within one measure of the founder.
            #expect(kept.contains { abs(views[$0].0 - view.0) <= 0.2 && abs(views[$0].1 - view.1) <= 20 })
        }
    }

    /// The leader algorithm as it stands in books, which looks at all founders: the frame that stands for each one's.
    private func leaders(_ views: [(position: Vector3, degrees: Double)], distance: Double, angle: Double) -> [Int] {
        var founders: [Int] = []
        return views.indices.map { place in
            let apart = founders.map { founder in
                max(
                    (views[place].position - views[founder].position).length / distance,
                    abs(views[place].degrees - views[founder].degrees) / angle)
            }
            if let nearest = apart.min(), nearest <= 1, let first = apart.firstIndex(of: nearest) {
                return founders[first]
            }
            founders.append(place)
            return place
        }
    }

    @Test(arguments: [(0.05, 180.0), (0.3, 20), (0.3, 180), (4, 5)])
    func allAroundTheOriginTheNearestFounderIsFound(limits: (distance: Double, angle: Double)) throws {
        var dice = SplitMix(seed: 84)
        let views = (0..<600).map { _ in
            (
                position: Vector3(
                    .random(in: -1...1, using: &dice), .random(in: -0.5...0.5, using: &dice),
                    .random(in: -1...1, using: &dice)),
                degrees: Double.random(in: 0...60, using: &dice)
            )
        }
        var capture = capture(views.map { (0, $0.degrees, nil) })
        for (place, view) in views.enumerated() { capture.items[place].pose?.position = view.position }
        let run = try run("distance: \(limits.distance), angle: \(limits.angle)", capture)
        let leaders = leaders(views, distance: limits.distance, angle: limits.angle)
        #expect(run.kept == views.indices.filter { leaders[$0] == $0 })
        #expect(
            run.drops.sorted()
                == views.indices.filter { leaders[$0] != $0 }.map {
                    "\($0) select-keyframes: frame \(leaders[$0]) stands for its neighbourhood"
                }.sorted())
    }
}
