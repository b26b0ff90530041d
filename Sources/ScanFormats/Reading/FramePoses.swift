import ScanModel

extension FrameFacts {
    /// Takes a recorded pose. Where tracking was lost, which recorders mark with −∞ and other tools with NaN or zeros, the
    /// frame is dropped but does not count as bad.
    /// - Parameters:
    ///   - m: camera to world, of a camera with OpenCV's axes: sixteen numbers, row-major.
    ///   - rigFromColor: where the colour camera is on what the pose is of, with our axes.
    mutating func setPose(_ m: [Double], rigFromColor: Pose) {
        if Self.isLost(m) {
            drop = drop ?? Drop(whileReading: Self.lost)
            return
        }
        let pose = Pose(rowMajor: m).withCVAxes * rigFromColor
        if let defect = pose.defect ?? Pose.layoutDefect(rowMajor: m) {
            drop = drop ?? Drop(whileReading: defect, isBad: true)
        } else {
            self.pose = pose
        }
    }

    static let lost = "tracking was lost"

    private static func isLost(_ m: [Double]) -> Bool { m.contains { !$0.isFinite } || m.allSatisfy { $0 == 0 } }
}

extension Capture {
    /// If no frame at all was tracked, the frames are kept and the capture has no poses.
    mutating func derivePoseChannel(without reason: String) {
        if frames.contains(where: { $0.pose != nil }) {
            channels.insert(.pose)
            return
        }
        for index in frames.indices where frames[index].drop?.reason == FrameFacts.lost { frames[index].drop = nil }
        absences[.pose] = Absence(reason)
    }
}
