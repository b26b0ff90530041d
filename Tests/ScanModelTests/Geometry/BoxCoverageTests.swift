import ScanModel
import Testing

@Suite struct BoxCoverageTests {
    private let box = OrientedBox(center: Vector3(1, 2, 3), worldFromBox: .identity, halfSize: Vector3(0.5, 0.5, 0.5))

    /// A camera that stands in a direction from the box's centre and looks at it.
    private func camera(towards direction: Vector3, of box: OrientedBox, distance: Double = 3) -> Pose {
        let back = (box.worldFromBox * direction).normalized
        let seed = abs(back.y) < 0.9 ? Vector3(0, 1, 0) : Vector3(1, 0, 0)
        let right = seed.cross(back).normalized
        return Pose(
            rotation: Matrix3(columns: right, back.cross(right), back), position: box.center + back * distance)
    }

    /// The row and column in which the only view stands.
    private func cell(_ direction: Vector3, _ box: OrientedBox) -> [Int] {
        var coverage = BoxCoverage(of: box)
        coverage.add(camera(towards: direction, of: box))
        for row in 0..<BoxCoverage.rows {
            for column in 0..<BoxCoverage.columns where coverage.views[row][column] == 1 { return [row, column] }
        }
        return []
    }

    @Test(arguments: [
        (Vector3(0, 0, -1), BoxFace.front), (Vector3(0, 0, 1), .back), (Vector3(-1, 0, 0), .left),
        (Vector3(1, 0, 0), .right), (Vector3(0, 1, 0), .top), (Vector3(0, -1, 0), .bottom),
    ])
    func eachFaceIsCountedWhereItIs(direction: Vector3, face: BoxFace) {
        var turned = box
        turned.worldFromBox = .rotation(aboutY: 0.7)
        for box in [box, turned] {
            var coverage = BoxCoverage(of: box)
            #expect(coverage.add(camera(towards: direction, of: box)) == face)
            #expect(coverage.faces == [face: 1] && coverage.cameraCount == 1)
        }
    }

    @Test func whoLooksPastOrStandsInsideIsNoView() {
        var coverage = BoxCoverage(of: box)
        #expect(coverage.add(Pose(rotation: .identity, position: Vector3(1, 9, 9))) == nil)
        #expect(coverage.add(Pose(rotation: .identity, position: Vector3(1.2, 2.1, 3))) == nil)
        #expect(coverage.missCount == 1 && coverage.insideCount == 1 && coverage.cameraCount == 2)
        #expect(coverage.views.joined().allSatisfy { $0 == 0 })
    }

    @Test func rowsGoDownAndColumnsRoundFromTheFront() {
        let small = 0.01
        #expect(cell(Vector3(0, small, -1), box) == [2, 0])
        #expect(cell(Vector3(1, small, 0), box) == [2, 3])
        #expect(cell(Vector3(0, small, 1), box) == [2, 6])
        #expect(cell(Vector3(-1, small, 0), box) == [2, 9])
        #expect(cell(Vector3(small, 1, 0), box)[0] == 0)
        #expect(cell(Vector3(small, -1, 0), box)[0] == 5)
        // The edges of the first column are half a sector to either side.
        let (near, far) = (0.26, 0.28)
        #expect(cell(Vector3(near, small, -1), box)[1] == 0 && cell(Vector3(far, small, -1), box)[1] == 1)
        #expect(cell(Vector3(-near, small, -1), box)[1] == 0 && cell(Vector3(-far, small, -1), box)[1] == 11)
        // Two thirds of the radius are the upper row's edge.
        #expect(cell(Vector3(0.7, 0.72, 0), box)[0] == 0 && cell(Vector3(0.77, 0.64, 0), box)[0] == 1)
    }

    @Test func cellsHaveTheSameArea() {
        // Directions spread evenly over the sphere (a Fibonacci lattice).
        var coverage = BoxCoverage(of: box)
        let count = 7200
        for number in 0..<count {
            let height = 1 - 2 * (Double(number) + 0.5) / Double(count)
            // The golden angle, by turning a vector, without any trigonometry of our own.
            let turn = Matrix3.rotation(aboutY: 2.399963229728653 * Double(number))
            let side = turn * Vector3((1 - height * height).squareRoot(), 0, 0)
            coverage.add(camera(towards: Vector3(side.x, height, side.z), of: box))
        }
        #expect(coverage.cameraCount == count && coverage.missCount == 0)
        #expect(coverage.views.joined().allSatisfy { (90...110).contains($0) })
        #expect(coverage.gaps.isEmpty)
    }

    /// The same solid, however much of the box its floor cuts off.
    @Test func whatIsBelowTheFloorIsNoPartOfTheBox() {
        var long = box
        long.floor = box.center.y - box.halfSize.y
        long.center.y -= 1
        long.halfSize.y += 1
        var (cut, whole) = (BoxCoverage(of: long), BoxCoverage(of: box))
        for back in [Vector3(0, 0.3, 1), Vector3(1, 0.9, 0), Vector3(0.2, -0.4, -1), Vector3(0, 1, 0.1)] {
            cut.add(camera(towards: back, of: box))
            whole.add(camera(towards: back, of: box))
        }
        #expect(cut.views == whole.views && cut.faces == whole.faces)
        #expect(whole.views.joined().reduce(0, +) == 4)
    }

    /// From where the centre would be without a floor above it.
    @Test func fromBelowItsFloorTheBottomIsSeen() {
        var cut = box
        cut.floor = box.center.y + box.halfSize.y / 2
        var coverage = BoxCoverage(of: cut)
        // Up, through the floor, and along it.
        for back in [Vector3(0, -1, 0), Vector3(0, 0, 1)] { coverage.add(camera(towards: back, of: box, distance: 0)) }
        #expect(coverage.cameraCount == 2 && coverage.faces == [.bottom: 1])
        #expect(coverage.views[5].reduce(0, +) == 1 && coverage.views.joined().reduce(0, +) == 1)
    }

    @Test func gapsAreCellsAboveTheMiddleThatNobodyLookedFrom() {
        var coverage = BoxCoverage(of: box)
        #expect(coverage.gaps.count == 36)
        coverage.add(camera(towards: Vector3(0, 0.01, -1), of: box))
        coverage.add(camera(towards: Vector3(0, -0.5, -1), of: box))
        #expect(coverage.gaps.count == 35)
        #expect(!coverage.gaps.contains { $0 == (2, 0) })
    }
}
