import Foundation
import ScanModel
import Testing

@Suite struct HeldUprightTests {
    /// Cameras on a circle in a world with z up, which look inward.
    /// - Parameters:
    ///   - arc: how far they go round, degrees.
    ///   - tilt: how far they look down, degrees.
    ///   - roll: how far the camera is turned about its view, degrees.
    private func circle(_ arc: Double, tilt: Double, roll: Double = 0) -> [Pose] {
        (0..<36).map { number in
            let (turn, down) = (Double(number) / 36 * arc * .pi / 180, tilt * .pi / 180)
            let backward = Vector3(cos(turn) * cos(down), sin(turn) * cos(down), sin(down))
            let right = Vector3(-sin(turn), cos(turn), 0)
            let up = backward.cross(right)
            let (c, s) = (cos(roll * .pi / 180), sin(roll * .pi / 180))
            return Pose(
                rotation: Matrix3(columns: right * c + up * s, up * c - right * s, backward), position: backward * 2)
        }
    }

    private func turned(_ poses: [Pose], by rotation: Matrix3) -> [Pose] {
        poses.map { Pose(rotation: rotation * $0.rotation, position: rotation * $0.position) }
    }

    @Test func theMeanIsAsLongAsTheDirectionIsSteady() {
        let poses = circle(360, tilt: 30)
        let up = HeldUpright.mean(of: Vector3(0, 0, 1), in: poses)
        #expect((up - Vector3(0, 0.75.squareRoot(), 0.5)).length < 1e-12)
        #expect(HeldUpright.mean(of: Vector3(1, 0, 0), in: poses).length < 1e-12)
        #expect(HeldUpright.mean(of: Vector3(1, 0, 0), in: []) == .zero)
    }

    @Test(arguments: [0.0, 30, 60, 88]) func theVerticalIsFound(_ tilt: Double) {
        let poses = circle(300, tilt: tilt)
        #expect(HeldUpright.axes(poses) == [.z])
        // (x, y, z) → (x, −z, y), and upside down.
        let yDown = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))
        #expect(HeldUpright.axes(turned(poses, by: yDown)) == [.minusY])
        #expect(HeldUpright.axes(turned(poses, by: yDown.transposed)) == [.y])
    }

    @Test func aCameraOnItsSideMayHaveEitherEndAbove() {
        #expect(HeldUpright.axes(circle(300, tilt: 20, roll: 90)) == [.z, .minusZ])
        #expect(HeldUpright.axes(circle(300, tilt: 20, roll: 180)) == [.minusZ])
        // From straight above it does not matter which side is up.
        #expect(HeldUpright.axes(circle(300, tilt: 88, roll: 90)) == [.z])
    }

    @Test func adviceNamesAllThatMayBeUp() {
        let option = { (axis: WorldAxis) in "--up \(axis.rawValue)" }
        #expect([WorldAxis]().advice(option) == "such as  --up z")
        #expect([WorldAxis.minusY].advice(option) == "probably  --up -y")
        #expect([WorldAxis.y, .minusY].advice(option) == " --up y  or  --up -y")
    }

    @Test func aCameraThatDoesNotTurnTellsNothing() {
        #expect(HeldUpright.axes(circle(20, tilt: 20)) == [])
        #expect(HeldUpright.axes([]) == [])
    }
}
