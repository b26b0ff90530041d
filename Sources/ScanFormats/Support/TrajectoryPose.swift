import ScanModel

/// A camera pose as seven numbers: the position in metres, then a quaternion x, y, z, w; camera-to-world, with OpenCV's
/// axes (x right, y down, z into the scene). TUM and Stray Scanner write it.
extension Pose {
    /// - Throws: when these cannot be a camera's pose.
    package init(trajectory numbers: [Double]) throws(Problem) {
        guard numbers.count == 7 else { throw Problem(.input, "a pose has 7 numbers, not \(numbers.count)") }
        let rotation = Quaternion(w: numbers[6], x: numbers[3], y: numbers[4], z: numbers[5])
        if let defect = rotation.defect { throw Problem(.input, defect) }
        let position = Vector3(numbers[0], numbers[1], numbers[2])
        self = Pose(rotation: rotation.matrix, position: position).withCVAxes
        if let defect { throw Problem(.input, defect) }
    }

    /// The same seven numbers, of the rotation nearest to the recorded one.
    package var trajectory: [Double] {
        let pose = withCVAxes
        let q = Quaternion(pose.rotation.nearestRotation)
        return pose.position.components + [q.x, q.y, q.z, q.w]
    }
}

extension Quaternion {
    /// Why it is no rotation; nil if it is one. Files round: four decimals change the length by up to 1e-4.
    var defect: String? {
        let length = (w * w + x * x + y * y + z * z).squareRoot()
        return abs(length - 1) < 1e-2 ? nil : "the quaternion is no rotation (its length is \(length))"
    }
}
