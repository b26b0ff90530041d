import ScanModel
import Testing

@Suite struct RotationVectorTests {
    @Test(arguments: [
        Vector3(0.1, -0.2, 0.3), Vector3(3, 0, 0), Vector3(0, 1e-7, 0), Vector3(0, 0, -3.14159), .zero,
        Vector3(1e-14, 0, 0), Vector3(1.8, -1.8, 1.8),
    ]) func thereAndBack(_ vector: Vector3) {
        let back = Quaternion(rotationVector: vector).rotationVector
        #expect((back - vector).length < 1e-12)
    }

    @Test func itIsARotationAboutItsAxis() {
        let turned = Quaternion(rotationVector: Vector3(0, 0.5, 0)).matrix
        let expected = Matrix3.rotation(aboutY: 0.5)
        #expect((turned.columns.0 - expected.columns.0).length < 1e-15)
        #expect((turned.columns.2 - expected.columns.2).length < 1e-15)
    }

    @Test func moreThanHalfATurnIsTheOtherWayRound() {
        let back = Quaternion(rotationVector: Vector3(0, 0, 4)).rotationVector
        #expect(abs(back.z - (4 - 2 * Double.pi)) < 1e-12)
    }
}
