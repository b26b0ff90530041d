import ScanModel

/// Where the cameras of the frames that are left stand in the world, metres.
extension Capture {
    var cameraPositions: [Vector3] { keptFrames.compactMap(\.pose).map(\.position) }

    /// The origin where no frame has a pose.
    var meanCameraPosition: Vector3 {
        let positions = cameraPositions
        return positions.isEmpty ? .zero : positions.reduce(.zero, +) / Double(positions.count)
    }
}
