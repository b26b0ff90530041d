import Glibc
import ScanModel

extension CaptureInspection {
    /// The bounding box, and how well the camera looked at it.
    public struct Box: Hashable, Sendable {
        public var box: OrientedBox
        /// By the cameras' central rays.
        public var coverage: BoxCoverage

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
        }
    }
}
