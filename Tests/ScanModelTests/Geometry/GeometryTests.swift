import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct GeometryTests {
    @Test func vectorsByHand() {
        let (a, b) = (Vector3(1, 2, 3), Vector3(-4, 5, 0.5))
        #expect(a + b == Vector3(-3, 7, 3.5))
        #expect(a - b == Vector3(5, -3, 2.5))
        #expect(-a == Vector3(-1, -2, -3))
        #expect(a * 2 == Vector3(2, 4, 6))
        #expect(a / 2 == Vector3(0.5, 1, 1.5))
        #expect(a.dot(b) == 7.5)
        #expect(a.cross(b) == Vector3(1 - 15, -12 - 0.5, 5 + 8))
        #expect(Vector3(1, 0, 0).cross(Vector3(0, 1, 0)) == Vector3(0, 0, 1))
        #expect(Vector3(3, 4, 12).length == 13)
        #expect(Vector3(0, -5, 0).normalized == Vector3(0, -1, 0))
        #expect(a.components == [1, 2, 3])
        #expect(
            a.isFinite && !Vector3(.nan, 0, 0).isFinite && !Vector3(0, .infinity, 0).isFinite
                && !Vector3(0, 0, -.infinity).isFinite)
    }

    @Test func directionsThatAreAxesButForRounding() {
        let axes = [1.0, -1].flatMap { [Vector3($0, 0, 0), Vector3(0, $0, 0), Vector3(0, 0, $0)] }
        for axis in axes {
            let aside = Vector3(axis.y, axis.z, axis.x)
            #expect((axis + aside * 9e-7).snappedToAxis == axis)
            let tilted = axis + aside * 1.1e-6
            #expect(tilted.snappedToAxis == tilted)
        }
        #expect(Vector3.zero.snappedToAxis == .zero)
    }

    @Test func matricesByHand() {
        let m = Matrix3(rows: Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 10))
        #expect(m.columns.0 == Vector3(1, 4, 7))
        #expect(m.rows.1 == Vector3(4, 5, 6))
        #expect(m * Vector3(1, 0, -1) == Vector3(-2, -2, -3))
        #expect(m.transposed == Matrix3(columns: Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 10)))
        #expect(m.determinant == -3)
        #expect(m * .identity == m && Matrix3.identity * m == m)
        #expect((m * m).rows.0 == Vector3(1 + 8 + 21, 2 + 10 + 24, 3 + 12 + 30))
        #expect(!Matrix3(columns: Vector3(0, 0, 0), Vector3(0, .nan, 0), Vector3(0, 0, 1)).isFinite)
        #expect(Matrix3.identity.orthonormalityError == 0)
        #expect(Matrix3(columns: Vector3(2, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)).orthonormalityError == 3)
        #expect(Matrix3(columns: Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, -1)).orthonormalityError == 0)
    }

    @Test func aTurnAboutYIsRightHanded() {
        // A quarter turn takes z to x and x to −z.
        let quarter = Matrix3.rotation(aboutY: .pi / 2)
        #expect((quarter * Vector3(0, 0, 1) - Vector3(1, 0, 0)).length < 1e-15)
        #expect((quarter * Vector3(1, 0, 0) - Vector3(0, 0, -1)).length < 1e-15)
        let r = Matrix3.rotation(aboutY: 0.3)
        #expect(r.rows.0 == Vector3(cos(0.3), 0, sin(0.3)))
        #expect(r.rows.2 == Vector3(-sin(0.3), 0, cos(0.3)))
    }

    @Test func quaternionsByHand() {
        #expect(Quaternion(.identity) == Quaternion(w: 1, x: 0, y: 0, z: 0))
        // Half turns have w = 0, which is where a quotient by w would fail.
        let half = [Vector3(1, -1, -1), Vector3(-1, 1, -1), Vector3(-1, -1, 1)].map {
            Quaternion(Matrix3(columns: Vector3($0.x, 0, 0), Vector3(0, $0.y, 0), Vector3(0, 0, $0.z)))
        }
        #expect(
            half == [
                Quaternion(w: 0, x: 1, y: 0, z: 0), Quaternion(w: 0, x: 0, y: 1, z: 0),
                Quaternion(w: 0, x: 0, y: 0, z: 1),
            ])
        // A turn of 0.8 about y is (cos 0.4, 0, sin 0.4, 0).
        let turn = Quaternion(.rotation(aboutY: 0.8))
        #expect(abs(turn.w - cos(0.4)) + abs(turn.x) + abs(turn.y - sin(0.4)) + abs(turn.z) < 1e-15)
    }

    @Test func everyRotationComesBackThroughItsQuaternion() {
        var dice = SplitMix(seed: 1)
        for _ in 0..<2000 {
            let q = Quaternion.random(&dice)
            let m = q.matrix
            #expect(m.orthonormalityError < 1e-14)
            #expect(abs(m.determinant - 1) < 1e-14)
            let back = Quaternion(m)
            #expect(back.w >= 0)
            #expect(abs(back.w * back.w + back.x * back.x + back.y * back.y + back.z * back.z - 1) < 1e-14)
            // q and −q are the same rotation.
            let sign = q.w < 0 ? -1.0 : 1
            let distance =
                abs(back.w - sign * q.w) + abs(back.x - sign * q.x) + abs(back.y - sign * q.y)
                + abs(back.z - sign * q.z)
            #expect(distance < 1e-7 || abs(q.w) < 1e-7)
        }
    }

    @Test func aQuaternionTurnsAsHamiltonsProductDoes() {
        var dice = SplitMix(seed: 2)
        for _ in 0..<200 {
            let q = Quaternion.random(&dice)
            let v = Vector3.random(&dice)
            // v' = v + 2 · r × (r × v + w · v), with r = (x, y, z).
            let r = Vector3(q.x, q.y, q.z)
            let expected = v + r.cross(r.cross(v) + v * q.w) * 2
            #expect((q.matrix * v - expected).length < 1e-14)
            // The length of a quaternion does not matter.
            let longer = Quaternion(w: 7 * q.w, x: 7 * q.x, y: 7 * q.y, z: 7 * q.z)
            #expect((longer.matrix * v - expected).length < 1e-14)
        }
    }

    @Test func theNearestRotationIsTheNearest() {
        var dice = SplitMix(seed: 3)
        for _ in 0..<200 {
            let rotation = Quaternion.random(&dice).matrix
            #expect(distance(rotation.nearestRotation, rotation) < 1e-14)
            // Noise as of a recording in single precision, and far more.
            for noise in [1e-7, 1e-2, 0.2] {
                let seen = perturbed(rotation, noise, &dice)
                let nearest = seen.nearestRotation
                #expect(nearest.orthonormalityError < 1e-14)
                #expect(nearest.determinant > 0)
                // No rotation a little way off is nearer.
                let best = distance(nearest, seen)
                for _ in 0..<20 {
                    let q = Quaternion(w: 1, x: step(&dice), y: step(&dice), z: step(&dice))
                    #expect(distance(q.matrix * nearest, seen) >= best - 1e-12)
                }
            }
        }
        // A stretched rotation is that rotation.
        let turn = Matrix3.rotation(aboutY: 1)
        let stretched = Matrix3(columns: turn.columns.0 * 3, turn.columns.1 * 3, turn.columns.2 * 3)
        #expect(distance(stretched.nearestRotation, turn) < 1e-14)
    }

    private func step(_ dice: inout SplitMix) -> Double { Double.random(in: -0.01...0.01, using: &dice) }

    private func perturbed(_ m: Matrix3, _ noise: Double, _ dice: inout SplitMix) -> Matrix3 {
        let (a, b, c) = m.columns
        return Matrix3(columns: a + .random(&dice) * noise, b + .random(&dice) * noise, c + .random(&dice) * noise)
    }

    /// The Frobenius norm of the difference.
    private func distance(_ a: Matrix3, _ b: Matrix3) -> Double {
        let d = [a.columns.0 - b.columns.0, a.columns.1 - b.columns.1, a.columns.2 - b.columns.2]
        return d.map { $0.dot($0) }.reduce(0, +).squareRoot()
    }
}

extension Quaternion {
    /// Of unit length, in any direction alike.
    static func random(_ dice: inout SplitMix) -> Quaternion {
        while true {
            let v = (0..<4).map { _ in Double.random(in: -1...1, using: &dice) }
            let n = v.map { $0 * $0 }.reduce(0, +).squareRoot()
            if n > 0.1 && n <= 1 { return Quaternion(w: v[0] / n, x: v[1] / n, y: v[2] / n, z: v[3] / n) }
        }
    }
}

extension Vector3 {
    /// In a cube of two metres about the origin.
    static func random(_ dice: inout SplitMix) -> Vector3 {
        Vector3(
            Double.random(in: -1...1, using: &dice), Double.random(in: -1...1, using: &dice),
            Double.random(in: -1...1, using: &dice))
    }
}
