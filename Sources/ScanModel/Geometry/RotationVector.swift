import Glibc

// MARK: - As one vector along the axis, as long as the angle in radians

extension Matrix3 {
    /// The rotation vector of the rotation nearest to this matrix, of at most half a turn.
    package var rotationVector: Vector3 { Quaternion(nearestRotation).rotationVector }
}

extension Quaternion {
    public init(rotationVector r: Vector3) {
        let angle = r.length
        // sin(α/2) / α, which tends to ½.
        let factor = angle < 1e-9 ? 0.5 : sin(angle / 2) / angle
        self.init(w: cos(angle / 2), x: r.x * factor, y: r.y * factor, z: r.z * factor)
    }

    /// The rotation vector of this rotation, of at most half a turn.
    public var rotationVector: Vector3 {
        let axis = w < 0 ? Vector3(-x, -y, -z) : Vector3(x, y, z)
        let sine = axis.length
        return axis * (sine < 1e-12 ? 2 : 2 * atan2(sine, abs(w)) / sine)
    }
}
