import ScanModel

/// Where the cameras stand in the world, metres.
extension Capture {
    /// Of all frames, by index. What is no pose moves no other: its frame was dropped for it.
    var soundPoses: [Pose?] { frames.map { facts in facts.pose.flatMap { $0.defect == nil ? $0 : nil } } }

    /// Of the frames that are left.
    var cameraPositions: [Vector3] { keptFrames.compactMap(\.pose).map(\.position) }

    /// The origin where no frame has a pose.
    var meanCameraPosition: Vector3 {
        let positions = cameraPositions
        return positions.isEmpty ? .zero : positions.reduce(.zero, +) / Double(positions.count)
    }
}
