import ScanModel
import ScanPipeline

/// The capture's world seen from above: two horizontal axes, a to the right and b up on paper.
struct TopView {
    private let a: Vector3
    private let b: Vector3

    /// If the capture does not say which way is up, the mean of its cameras' own up directions is used.
    init(of capture: Capture) {
        var up = capture.worldUp ?? .zero
        if up.length == 0 {
            for pose in capture.frames.compactMap(\.pose) where pose.defect == nil { up = up + pose.rotation.columns.1 }
        }
        (a, b) = Floor.ground(up.length > 1e-6 ? up.normalized : Vector3(0, 1, 0))
    }

    private func place(_ point: Vector3) -> [JSONValue] {
        [Measurement.coordinate(a.dot(point)), Measurement.coordinate(b.dot(point))]
    }

    /// The camera's path over the remaining frames, and the footprint of the box.
    func record(_ capture: Capture, _ trajectory: Trajectory, _ context: StageContext) {
        let frames = capture.keptFrames.filter { $0.pose != nil }
        let track = frames.thinned(to: Measurement.listLimit).map { frame -> JSONValue in
            let speed = trajectory.rate(at: frame.index).map { Measurement.number($0.speed, digits: 4) } ?? .null
            return .array([.of(frame.index)] + place(frame.pose?.position ?? .zero) + [speed])
        }
        context.record("track", .array(track))
        guard let corners = capture.box?.corners else { return }
        // Once round the bottom face.
        context.record("box-outline", .array([0, 1, 5, 4].map { .array(place(corners[$0])) }))
    }
}
