import ScanModel

/// What the motion sensors of a camera on a ``SyntheticPath`` measure, at 60 Hz and on the clock of the frames.
///
/// Values are in the camera's axes (x right, y up, z back); a phone's own axes are these rotated by a quarter turn
/// about z. Rotation rate and acceleration are central differences of the path over 2 ms, which is off by less than 0.1
/// % for a tremor of 12 Hz. Units are iOS's.
package struct SyntheticMotion: Sendable {
    private static let sampleRate = 60.0
    private static let standardGravity = 9.80665
    /// µT, for a place in middle northern latitudes; magnetic north is −z.
    package static let magneticField = Vector3(0, -42, -22)
    private static let step = 0.001

    let path: SyntheticPath
    /// The first sample and the path's start (its 0 seconds), nanoseconds on the frames' clock.
    let first: Int64
    let start: Int64
    package let count: Int

    /// Samples from just before the first frame to just after the last one.
    init(path: SyntheticPath, from start: Int64, to end: Int64) {
        self.path = path
        self.start = start
        first = start - 8_000_000
        count = 2 + Int(Double(end - first) * 1e-9 * Self.sampleRate)
    }

    /// Made one by one as they are requested.
    package func samples(_ kind: MotionKind) -> LazyMapSequence<Range<Int>, MotionSample> {
        (0..<count).lazy.map { sample(kind, $0) }
    }

    private func sample(_ kind: MotionKind, _ number: Int) -> MotionSample {
        let timestamp = first + Int64((Double(number) * 1e9 / Self.sampleRate).rounded())
        return MotionSample(timestamp: timestamp, value: value(kind, at: Double(timestamp - start) * 1e-9))
    }

    private func value(_ kind: MotionKind, at seconds: Double) -> Vector3 {
        let cameraFromWorld = path.pose(at: seconds).rotation.transposed
        switch kind {
        case .gravity: return cameraFromWorld * Vector3(0, -1, 0)
        case .magneticField: return cameraFromWorld * Self.magneticField
        case .attitude: return Self.attitude(cameraFromWorld.transposed)
        case .acceleration: return cameraFromWorld * acceleration(at: seconds)
        case .rotationRate: return rotationRate(at: seconds)
        }
    }

    /// In the world, in G, without gravity.
    private func acceleration(at seconds: Double) -> Vector3 {
        let before = path.pose(at: seconds - Self.step).position
        let now = path.pose(at: seconds).position
        let after = path.pose(at: seconds + Self.step).position
        return (after - now * 2 + before) / (Self.step * Self.step * Self.standardGravity)
    }

    /// ω of Rᵀ · dR/dt = [ω]×, rad/s.
    private func rotationRate(at seconds: Double) -> Vector3 {
        let before = path.pose(at: seconds - Self.step).rotation.columns
        let now = path.pose(at: seconds).rotation.columns
        let after = path.pose(at: seconds + Self.step).rotation.columns
        let span = 2 * Self.step
        return Vector3(
            now.2.dot(after.1 - before.1), now.0.dot(after.2 - before.2), now.1.dot(after.0 - before.0)) / span
    }

    /// Roll, pitch and yaw of the camera in a world with z up, (x, −z, y) of ours, as Core Motion counts them:
    /// R = Rz(yaw) · Rx(pitch) · Ry(roll).
    private static func attitude(_ worldFromCamera: Matrix3) -> Vector3 {
        let (x, y, z) = worldFromCamera.columns
        return Vector3(
            PortableTrigonometry.arctangent(-x.y, z.y), PortableTrigonometry.arcsine(y.y),
            PortableTrigonometry.arctangent(-y.x, -y.z)
        )
    }
}
