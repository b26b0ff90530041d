import ScanModel

/// A hand that carries a camera round the table, always looking near the object: the pose at any time.
///
/// An ellipse of 1.15 × 0.95 m about the room's y axis, with slow waves and a tremor added. It never comes nearer than
/// 0.3 m to anything. Smooth, so that motion sensors can be derived from it.
package struct SyntheticPath: Sendable {
    /// A sum of sine waves, each in one direction.
    private struct Sway: Sendable {
        var terms: [(direction: Vector3, perSecond: Double, phase: Double)] = []

        /// Adds a wave along each axis, with slightly different frequencies and random phases.
        mutating func add(_ amplitude: Vector3, perSecond: Double, _ random: inout SplitMix64) {
            let axes = [Vector3(amplitude.x, 0, 0), Vector3(0, amplitude.y, 0), Vector3(0, 0, amplitude.z)]
            for (axis, ratio) in zip(axes, [1, 0.83, 1.21]) {
                terms.append((axis, perSecond * ratio, random.unit()))
            }
        }

        func value(at seconds: Double) -> Vector3 {
            terms.reduce(.zero) {
                $0 + $1.direction * PortableTrigonometry.sine(turns: $1.perSecond * seconds + $1.phase)
            }
        }
    }

    private let lap: Double
    private let start: Double
    private var position = Sway()
    private var target = Sway()
    private var tilt = Sway()
    private let focusPhase: Double

    /// - Parameter lap: seconds for one lap round the table.
    package init(seed: UInt64, lap: Double) {
        var random = SplitMix64(seed: seed)
        self.lap = lap
        start = random.unit()
        focusPhase = random.unit()
        position.add(Vector3(0.06, 0.18, 0.06), perSecond: 1.3 / lap, &random)
        target.add(Vector3(0.2, 0.2, 0.2), perSecond: 1.1 / lap, &random)
        tilt.add(Vector3(0.04, 0, 0.04), perSecond: 1.7 / lap, &random)
        // Breath and steps, and the tremor of a hand at 8 to 12 Hz.
        position.add(Vector3(0.003, 0.005, 0.003), perSecond: 1.1, &random)
        position.add(Vector3(0.0002, 0.0003, 0.0002), perSecond: 9, &random)
        target.add(Vector3(0.004, 0.004, 0.004), perSecond: 0.9, &random)
        target.add(Vector3(0.001, 0.001, 0.001), perSecond: 9.5, &random)
        tilt.add(Vector3(0.003, 0, 0.003), perSecond: 1.3, &random)
    }

    /// The pose at a time in seconds from the first frame, which may be before it.
    package func pose(at seconds: Double) -> Pose {
        let turn = seconds / lap + start
        let orbit = Vector3(
            1.15 * PortableTrigonometry.cosine(turns: turn), 0.1, 0.95 * PortableTrigonometry.sine(turns: turn))
        let eye = orbit + position.value(at: seconds)
        let lookedAt = Vector3(0, -0.45, 0) + target.value(at: seconds)
        let back = (eye - lookedAt).normalized
        let right = (Vector3(0, 1, 0) + tilt.value(at: seconds)).cross(back).normalized
        return Pose(rotation: Matrix3(columns: right, back.cross(right).normalized, back), position: eye)
    }

    /// A phone's wide camera: 61° across, its focal length breathing by ±0.9 % as autofocus does, the principal point
    /// near the middle and counted from the corner.
    package func intrinsics(at seconds: Double, size: PixelSize) -> CameraIntrinsics {
        let focus = PortableTrigonometry.sine(turns: seconds / 7 + focusPhase)
        let (width, height) = (Double(size.width), Double(size.height))
        let focalLength = width * (0.8475 + 0.0075 * focus)
        return CameraIntrinsics(
            fx: focalLength, fy: focalLength, cx: width * (0.5017 + 0.0004 * focus),
            cy: height * (0.4977 - 0.0003 * focus), width: size.width, height: size.height, pixelOrigin: .corner)
    }
}
