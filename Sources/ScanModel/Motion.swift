/// What a phone's motion sensors recorded.
public enum MotionKind: String, Hashable, Sendable, CaseIterable {
    /// Rotation rate, rad/s.
    case rotationRate = "rot"
    /// Acceleration: user acceleration in G (iOS, gravity removed) or raw in m/s² (Android).
    case acceleration = "acce"
    /// Magnetic field, µT.
    case magneticField = "mag"
    /// Attitude: roll, pitch, yaw; rad (iOS) or degrees (Android).
    case attitude = "atti"
    /// Gravity: G (iOS) or m/s² (Android).
    case gravity = "grav"
}

/// One sample of a motion sensor: nanoseconds on the clock of the camera lines, and three numbers.
public struct MotionSample: Hashable, Sendable {
    public var timestamp: Int64
    public var value: Vector3

    public init(timestamp: Int64, value: Vector3) {
        self.timestamp = timestamp
        self.value = value
    }
}
