import ScanModel
import TestSupport
import Testing

@Suite struct PoseTests {
    /// Rows of a 4 × 4 matrix: a quarter turn about y, exactly, and (10, 20, 30).
    private let pose = Pose(
        rotation: Matrix3(rows: Vector3(0, 0, 1), Vector3(0, 1, 0), Vector3(-1, 0, 0)), position: Vector3(10, 20, 30))

    @Test func numbersInBothOrders() {
        let rows: [Double] = [0, 0, 1, 10, 0, 1, 0, 20, -1, 0, 0, 30, 0, 0, 0, 1]
        let columns: [Double] = [0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 10, 20, 30, 1]
        #expect(Pose(rowMajor: rows) == pose)
        #expect(Pose(rowMajor: Array(rows.prefix(12))) == pose)
        #expect(Pose(columnMajor: columns) == pose)
        #expect(pose.columnMajor == columns)
        #expect(Array(pose.rowMajorRows.joined()) == rows)
    }

    @Test func theLastNumberDividesAll() {
        let half = Pose(columnMajor: pose.columnMajor.map { $0 * 2 })
        #expect(half == pose)
        #expect(Pose(rowMajor: Array(pose.rowMajorRows.joined()).map { $0 * 2 }) == pose)
        // As a real recording has it.
        let recorded = Pose(columnMajor: pose.columnMajor.map { $0 * 0.99999982 })
        #expect((recorded.position - pose.position).length < 1e-13)
        #expect(recorded.rotation.orthonormalityError < 1e-15)
        // A row of zeros there makes no pose, and no trap.
        #expect(Pose(columnMajor: Array(repeating: 0, count: 16)).defect == "the pose is not finite")
    }

    @Test func aMatrixThatWasWrittenTheOtherWayShowsInItsLastRow() {
        #expect(Pose.layoutDefect(rowMajor: Array(pose.rowMajorRows.joined())) == nil)
        #expect(
            Pose.layoutDefect(rowMajor: pose.columnMajor)?.contains("the last row of the matrix is not 0 0 0 1") == true
        )
        // Twelve numbers lack that row; NaN in it is no 0.
        #expect(Pose.layoutDefect(rowMajor: Array(pose.rowMajorRows.joined().prefix(12))) == nil)
        var numbers = Array(pose.rowMajorRows.joined())
        numbers[13] = .nan
        #expect(Pose.layoutDefect(rowMajor: numbers) != nil)
    }

    @Test func pointsOfTheCameraInTheWorld() {
        // (x, y, z) → (z, y, −x), then (10, 20, 30) further.
        #expect(pose.apply(Vector3(1, 2, 3)) == Vector3(13, 22, 29))
        #expect(pose.apply(.zero) == pose.position)
        #expect(Pose.identity.apply(Vector3(1, 2, 3)) == Vector3(1, 2, 3))
    }

    @Test func openCVsAxesAreRightDownForward() {
        let cv = pose.withCVAxes
        #expect(cv.position == pose.position)
        #expect(cv.rotation.columns.0 == pose.rotation.columns.0)
        #expect(cv.rotation.columns.1 == -pose.rotation.columns.1)
        #expect(cv.rotation.columns.2 == -pose.rotation.columns.2)
        #expect(cv.withCVAxes == pose)
        // A point 2 m ahead and 1 m below: (0, −1, −2) with +Y up, (0, 1, 2) with y down.
        #expect(cv.apply(Vector3(0, 1, 2)) == pose.apply(Vector3(0, -1, -2)))
    }

    @Test func whatCannotBeACamera() {
        func defect(_ change: (inout Pose) -> Void) -> String? {
            var pose = pose
            change(&pose)
            return pose.defect
        }
        #expect(pose.defect == nil)
        #expect(defect { $0.position.x = .nan } == "the pose is not finite")
        #expect(defect { $0.rotation.columns.2.y = .infinity } == "the pose is not finite")
        #expect(defect { $0.position.z = 1.1e7 } == "the camera is more than 10,000 km from the origin")
        #expect(defect { $0.position.z = 0.9e7 } == nil)
        #expect(defect { $0.rotation.columns.1 = .zero } == "the pose is singular (determinant 0.0)")
        #expect(defect { $0.rotation.columns.1.y = -1 } == "the pose is mirrored: its axes are left-handed")
        #expect(defect { $0.rotation.columns.1.y = 1.25 } == "the pose is not a rotation (|RᵀR − I| = 0.5625)")
        #expect(defect { $0.rotation.columns.1.y = 1.001 } == nil)
    }
}
