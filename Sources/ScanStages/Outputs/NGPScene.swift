import ScanFormats
import ScanModel
import ScanPipeline

/// What of a scene decides how it lies in instant-ngp's cube: an even sample of its points.
struct NGPScene {
    private var sample = EvenSample<Vector3>(limit: 200_000)

    /// - Parameter count: about how many of these points count.
    mutating func add(_ points: PointCloud, about count: Int) {
        points.sample(about: count).forEach { sample.append($0) }
    }

    /// The cube's place: about the box or, without one, about the points, or else the cameras.
    /// - Parameters:
    ///   - cameras: where they stand, turned already.
    ///   - turn: of the world in which the points and the box lie.
    func volume(
        cameras: [Vector3], box: OrientedBox?, _ turn: WorldTurn, _ context: StageContext
    ) -> TransformsJSON.Volume? {
        let points = sample.elements.map { turn.rotation * $0 }
        let axes = (0..<3).map { axis in Distribution(points.map { $0.components[axis] }) }
        // Without the outermost share at each end of each axis, where strays lie.
        func trimmed(by share: Double) -> [Vector3] {
            let limits = axes.map { $0?.range(without: share) ?? 0...0 }
            return points.filter { point in
                zip(point.components, limits).allSatisfy { value, limit in limit.contains(value) }
            }
        }
        let cloud = trimmed(by: 0.01)
        let corners = box.map { $0.cutByItsFloor.corners.map { turn.rotation * $0 } }
        let volume = TransformsJSON.Volume(
            focus: corners ?? (cloud.isEmpty ? cameras : cloud),
            everything: (corners ?? []) + trimmed(by: 0.001) + cameras)
        if volume?.leavesOut == true {
            context.warn(
                "the scene is more than 128 times as large as what is to fill instant-ngp's cube, and `aabb_scale` goes no "
                    + "further: cameras or points lie outside of it")
        }
        return volume
    }
}
