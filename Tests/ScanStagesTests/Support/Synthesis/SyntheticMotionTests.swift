import Foundation
import ScanModel
import ScanStages
import Testing

@Suite struct SyntheticMotionTests {
    let truth: SyntheticTruth

    init() {
        var settings = SyntheticSettings()
        settings.frameCount = 90
        truth = SyntheticTruth(settings)
    }

    @Test func coversTheFramesAt60Hertz() throws {
        let times = Array(truth.motion.samples(.gravity).map(\.timestamp))
        #expect(try #require(times.first) < truth.timestamp(of: 0))
        let end = try #require(times.last) - truth.timestamp(of: 89)
        #expect((0...40_000_000).contains(end))
        for (a, b) in zip(times, times.dropFirst()) { #expect((16_666_666...16_666_667).contains(b - a)) }
        for kind in MotionKind.allCases { #expect(Array(truth.motion.samples(kind).map(\.timestamp)) == times) }
    }

    @Test func gravityIsDownAsTheCameraSeesIt() {
        for sample in truth.motion.samples(.gravity) {
            let down = pose(sample.timestamp).rotation.transposed * Vector3(0, -1, 0)
            #expect((sample.value - down).length < 1e-12)
        }
    }

    /// One step of 1/60 s with the rate at its middle, against the poses at its ends.
    @Test func rotationRateTurnsOnePoseIntoTheNext() {
        for sample in truth.motion.samples(.rotationRate) {
            let half = 1.0 / 120
            let before = pose(sample.timestamp, half: -half).rotation
            let after = pose(sample.timestamp, half: half).rotation
            let turned = before.transposed * after
            let angle = sample.value.length * 2 * half
            let measured = acos(min(1, (turned.columns.0.x + turned.columns.1.y + turned.columns.2.z - 1) / 2))
            #expect(abs(angle - measured) < 2e-4, "radians in a sixtieth of a second")
            // The axis of a small rotation is in the skew-symmetric part of the matrix.
            let axis = Vector3(
                turned.columns.1.z - turned.columns.2.y, turned.columns.2.x - turned.columns.0.z,
                turned.columns.0.y - turned.columns.1.x)
            #expect((axis / 2 - sample.value * (2 * half)).length < 2e-4)
        }
    }

    /// Acceleration summed up over half a second, against the difference of the velocities.
    @Test func accelerationChangesTheVelocity() {
        let samples = truth.motion.samples(.acceleration)
        for start in stride(from: 0, to: samples.count - 31, by: 7) {
            var change = Vector3.zero
            for i in start..<start + 30 {
                let (a, b) = (samples[i], samples[i + 1])
                let mean = (pose(a.timestamp).rotation * a.value + pose(b.timestamp).rotation * b.value) / 2
                change = change + mean * (9.80665 * Double(b.timestamp - a.timestamp) * 1e-9)
            }
            let expected = velocity(samples[start + 30].timestamp) - velocity(samples[start].timestamp)
            #expect((change - expected).length < 0.005, "metres per second")
        }
    }

    @Test func attitudeIsThePoseInAWorldWithZUp() {
        for sample in truth.motion.samples(.attitude) {
            let (roll, pitch, yaw) = (sample.value.x, sample.value.y, sample.value.z)
            let aboutZ = Matrix3(
                rows: Vector3(cos(yaw), -sin(yaw), 0), Vector3(sin(yaw), cos(yaw), 0), Vector3(0, 0, 1))
            let aboutX = Matrix3(
                rows: Vector3(1, 0, 0), Vector3(0, cos(pitch), -sin(pitch)), Vector3(0, sin(pitch), cos(pitch)))
            let turned = aboutZ * aboutX * .rotation(aboutY: roll)
            let zUp = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))
            let expected = zUp * pose(sample.timestamp).rotation
            #expect((turned.columns.0 - expected.columns.0).length < 1e-12)
            #expect((turned.columns.1 - expected.columns.1).length < 1e-12)
        }
    }

    @Test func theMagneticFieldStandsStillInTheWorld() {
        for sample in truth.motion.samples(.magneticField) {
            let field = pose(sample.timestamp).rotation * sample.value
            #expect((field - SyntheticMotion.magneticField).length < 1e-12)
        }
    }

    private func seconds(_ timestamp: Int64) -> Double { Double(timestamp - SyntheticTruth.start) * 1e-9 }

    private func pose(_ timestamp: Int64, half: Double = 0) -> Pose { truth.path.pose(at: seconds(timestamp) + half) }

    private func velocity(_ timestamp: Int64) -> Vector3 {
        (pose(timestamp, half: 5e-4).position - pose(timestamp, half: -5e-4).position) / 1e-3
    }
}
