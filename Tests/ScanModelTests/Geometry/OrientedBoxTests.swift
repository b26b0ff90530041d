import ScanModel
import TestSupport
import Testing

@Suite struct OrientedBoxTests {
    private let box = OrientedBox(
        center: Vector3(1, 2, 3), worldFromBox: .rotation(aboutY: 0.5), halfSize: Vector3(0.5, 1, 2))

    @Test func cornersAreLeftBottomFrontFirst() {
        let plain = OrientedBox(center: Vector3(10, 20, 30), worldFromBox: .identity, halfSize: Vector3(1, 2, 3))
        #expect(plain.corners.count == 8)
        #expect(plain.corners[0] == Vector3(9, 18, 27))
        #expect(plain.corners[1] == Vector3(11, 18, 27))
        #expect(plain.corners[2] == Vector3(9, 22, 27))
        #expect(plain.corners[4] == Vector3(9, 18, 33))
        #expect(plain.corners[7] == Vector3(11, 22, 33))
    }

    @Test func insideIsBetweenAllFaces() {
        #expect(box.contains(box.center))
        var dice = SplitMix(seed: 6)
        var inside = 0
        for _ in 0..<5000 {
            // A point given in the box's own axes is inside when no coordinate is beyond half the size.
            let own = Vector3(
                Double.random(in: -1...1, using: &dice), Double.random(in: -2...2, using: &dice),
                Double.random(in: -4...4, using: &dice))
            let expected = abs(own.x) < 0.5 && abs(own.y) < 1 && abs(own.z) < 2
            #expect(box.contains(box.center + box.worldFromBox * own) == expected)
            inside += expected ? 1 : 0
        }
        #expect(inside > 400)
    }

    @Test func facesBelongToTheBox() {
        let plain = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 2, 3))
        #expect(plain.corners.allSatisfy(plain.contains))
        #expect(!plain.contains(Vector3(1.0.nextUp, 0, 0)))
        #expect(!plain.contains(Vector3(0, -2.0.nextUp, 0)))
        #expect(!plain.contains(Vector3(0, 0, 3.0.nextUp)))
    }

    @Test func aFloorCutsTheBox() {
        var cut = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        cut.floor = -0.25
        #expect(cut.contains(Vector3(0, -0.25, 0)))
        #expect(!cut.contains(Vector3(0, (-0.25).nextDown, 0)))
        #expect(cut.contains(Vector3(0, 1, 0)))
        // From y = −0.25 to 1; a floor below the box leaves it as it is.
        #expect(cut.endingOnItsFloor?.center == Vector3(0, 0.375, 0))
        #expect(cut.endingOnItsFloor?.halfSize == Vector3(1, 0.625, 1))
        cut.floor = -3
        #expect(cut.endingOnItsFloor?.center == .zero && cut.endingOnItsFloor?.halfSize == Vector3(1, 1, 1))
    }

    @Test func grownByAMargin() {
        let grown = box.grown(by: 0.25, bottom: 0)
        #expect(grown.halfSize == Vector3(0.75, 1.25, 2.25))
        #expect(grown.center == box.center && grown.worldFromBox == box.worldFromBox)
        #expect(box.grown(by: -0.25, bottom: 0).halfSize == Vector3(0.25, 0.75, 1.75))
        #expect(box.grown(by: 0, bottom: 0) == box)
    }

    @Test func bottomMovesOneFace() {
        let lower = box.grown(by: 0, bottom: 0.5)
        // From y = 1…3 to 0.5…3.
        #expect(lower.center == Vector3(1, 1.75, 3))
        #expect(lower.halfSize == Vector3(0.5, 1.25, 2))
        let higher = box.grown(by: 0, bottom: -0.5)
        #expect(higher.center == Vector3(1, 2.25, 3))
        #expect(higher.halfSize == Vector3(0.5, 0.75, 2))
        // Together: 1 − ¼ − ½ … 3 + ¼.
        let both = box.grown(by: 0.25, bottom: 0.5)
        #expect(both.center.y - both.halfSize.y == 0.25 && both.center.y + both.halfSize.y == 3.25)
    }

    @Test func aClampedFloorMovesWithBottomAloneAndNothingCutsBeforeIt() {
        var dice = SplitMix(seed: 7)
        for _ in 0..<500 {
            var box = OrientedBox(
                center: Vector3(0, Double.random(in: -1...1, using: &dice), 0), worldFromBox: .rotation(aboutY: 1),
                halfSize: Vector3(1, 1, 1))
            // The floor has raised the bottom corners, so the bottom face lies below it.
            let floor = box.center.y - Double.random(in: 0...1, using: &dice)
            box.floor = floor
            let margin = Double.random(in: -0.9...0.5, using: &dice)
            let bottom = Double.random(in: -0.5...0.5, using: &dice)
            let grown = box.grown(by: margin, bottom: bottom)
            #expect(grown.floor == floor - bottom)
            #expect(grown.center.y - grown.halfSize.y <= floor - bottom + 1e-12)
            #expect(abs(grown.center.y + grown.halfSize.y - (box.center.y + 1 + margin)) < 1e-12)
            #expect(abs(grown.halfSize.x - (1 + margin)) < 1e-12)
        }
    }

    /// As in worlds where y is not up, of whose boxes no floor can be said.
    @Test func aBottomThatIsTheFloorMovesWithBottomAlone() throws {
        var cut = OrientedBox(center: .zero, worldFromBox: .rotation(aboutY: 1), halfSize: Vector3(1, 1, 1))
        #expect(!cut.isBottomClamped && cut.cutByAFloor == cut)
        cut.floor = -0.25
        let ending = try #require(cut.endingOnItsFloor)
        #expect(ending.isBottomClamped)
        for (margin, bottom) in [(0.5, 0), (-0.25, 0), (0, 0.5), (0.25, -0.125)] as [(Double, Double)] {
            let expected = cut.grown(by: margin, bottom: bottom).cutByItsFloor
            #expect(ending.grown(by: margin, bottom: bottom) == expected, "\(margin), \(bottom)")
        }
        // And back: a floor above the bottom of a box.
        let back = ending.cutByAFloor
        #expect(back.floor == -0.25 && back.center.y - back.halfSize.y < -0.25 && !back.isBottomClamped)
        #expect(back.cutByItsFloor == ending)
        // A floor below the box clamps nothing.
        cut.floor = -3
        #expect(cut.endingOnItsFloor?.isBottomClamped == false)
    }

    @Test func whatIsNoBox() {
        func defect(_ change: (inout OrientedBox) -> Void) -> String? {
            var box = box
            change(&box)
            return box.defect
        }
        #expect(box.defect == nil)
        #expect(defect { $0.center.y = .nan } == "the box is not finite")
        #expect(defect { $0.worldFromBox.columns.0.x = .infinity } == "the box is not finite")
        #expect(defect { $0.halfSize.z = .infinity } == "the box is not finite")
        #expect(defect { $0.floor = .nan } == "the box is not finite")
        #expect(defect { $0.halfSize.x = -0.1 } == "the box has a negative size")
        #expect(defect { $0.halfSize.x = 0 } == nil)
        #expect(defect { $0.center.z = 1.7e308 } == "the box reaches more than 10,000 km")
        #expect(defect { $0.halfSize.y = 1.1e7 } == "the box reaches more than 10,000 km")
    }
}
