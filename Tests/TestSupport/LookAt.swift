import ScanModel

extension Pose {
    /// A camera that looks at a point, with its x axis level in a y-up world.
    public static func camera(at position: Vector3, lookingAt target: Vector3) -> Pose {
        let back = (position - target).normalized
        let seed = abs(back.y) < 0.999 ? Vector3(0, 1, 0) : Vector3(0, 0, 1)
        let right = seed.cross(back).normalized
        return Pose(rotation: Matrix3(columns: right, back.cross(right), back), position: position)
    }
}
