import Glibc
import ScanModel

extension CaptureInspection {
    /// The bounding box, and how well the camera looked at it.
    public struct Box: Hashable, Sendable {
        public var box: OrientedBox
        /// By the cameras' central rays.
        public var coverage: BoxCoverage
        /// Whether all cameras are aimed past the box, and no picture shows its middle either.
        var isShownNowhere = false

        /// Whole sizes along the box's own axes: width, height, depth.
        public var size: Vector3 { box.halfSize * 2 }

        /// The rotation about +y, degrees; the whole rotation, unless the box is tilted.
        public var yaw: Double {
            let back = box.worldFromBox.columns.2
            return atan2(back.x, back.z) * 180 / .pi
        }

        init(_ box: OrientedBox, seenBy frames: [FrameFacts]) {
            self.box = box
            coverage = BoxCoverage(of: box)
            for pose in frames.compactMap(\.pose) where pose.defect == nil { coverage.add(pose) }
            let views = frames.compactMap(\.view)
            isShownNowhere =
                !views.isEmpty && coverage.missCount == coverage.cameraCount && !views.contains { $0.shows(box.center) }
        }
    }
}
