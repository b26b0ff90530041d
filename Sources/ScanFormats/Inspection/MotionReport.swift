import ScanModel

extension CaptureInspection {
    /// One motion sensor's file.
    public struct Motion: Hashable, Sendable {
        public var kind: MotionKind
        public var file: String
        public var facts: MotionFacts
        /// Seconds from the camera's first timestamp to the first sample, and from the camera's last to the last sample;
        /// nil where there are no samples or no timestamps.
        public var startOffset: Double?
        public var endOffset: Double?
    }

    mutating func lookAtMotion(of capture: Capture) {
        for file in capture.motionFiles {
            do throws(Problem) {
                let facts = try MotionStream.read(try capture.source.open(file.path), kind: file.kind)
                var entry = Motion(kind: file.kind, file: file.path, facts: facts)
                note(warnings: facts.warnings.map { Problem(.input, $0).at(file: file.path) })
                if let clock, let first = facts.first?.timestamp, let last = facts.last?.timestamp {
                    entry.startOffset = Timestamp.seconds(from: clock.span.lowerBound, to: first)
                    entry.endOffset = Timestamp.seconds(from: clock.span.upperBound, to: last)
                    if last < clock.span.lowerBound || first > clock.span.upperBound {
                        note(warnings: [Self.otherTime.at(file: file.path)])
                    }
                }
                motion.append(entry)
            } catch {
                note(errors: [error.at(file: file.path)])
            }
        }
    }

    private static let otherTime = Problem(
        .input, "no motion sample falls into the time of the camera lines",
        notes: ["the file may belong to another recording, or its clock is not the camera's"],
        fix: "copy the file of this capture")
}
