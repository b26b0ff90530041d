import ScanModel

extension CaptureInspection {
    /// One motion sensor.
    public struct Motion: Hashable, Sendable {
        public var kind: MotionKind
        /// The file on disk that holds its samples, which may hold those of others too.
        public var file: String
        public var facts: MotionFacts
        /// Seconds from the camera's first timestamp to the beginning of ``MotionFacts/span``, and from the camera's last to
        /// its end; nil where there are no samples or no timestamps.
        public var startOffset: Double?
        public var endOffset: Double?
    }

    mutating func lookAtMotion(of capture: Capture) {
        // Files that are made of one file mostly share its faults, which are said once.
        var failures: [Problem] = []
        var doubts: [(problem: Problem, kinds: [MotionKind])] = []
        for file in capture.motionFiles {
            let place = file.source ?? file.path
            do throws(Problem) {
                let facts = try MotionStream.read(try capture.source.open(file.path), kind: file.kind)
                var entry = Motion(kind: file.kind, file: place, facts: facts)
                var problems = facts.warnings.map { Problem(.input, $0).at(file: place) }
                if let clock, let span = facts.span {
                    entry.startOffset = Timestamp.seconds(from: clock.span.lowerBound, to: span.lowerBound)
                    entry.endOffset = Timestamp.seconds(from: clock.span.upperBound, to: span.upperBound)
                    if !span.overlaps(clock.span) { problems.append(Self.otherTime(of: place, in: capture)) }
                }
                for problem in problems {
                    if let index = doubts.firstIndex(where: { $0.problem == problem }) {
                        doubts[index].kinds.append(file.kind)
                    } else {
                        doubts.append((problem, [file.kind]))
                    }
                }
                motion.append(entry)
            } catch {
                let failure = error.at(file: place)
                if !failures.contains(failure) { failures.append(failure) }
            }
        }
        note(errors: failures)
        note(
            warnings: doubts.map { problem, kinds in
                let sources = capture.motionFiles.filter { $0.source == problem.place.file }
                if kinds.count >= sources.count { return problem }
                return problem.noting("in the samples of \(kinds.map(\.rawValue).listed) alone")
            })
    }

    private static func otherTime(of place: String, in capture: Capture) -> Problem {
        let summary = "no motion sample falls into the time of the camera lines"
        let isOwnFile = capture.files.contains { $0.path == place && $0.channels.contains(.motion) }
        if !isOwnFile { return Problem(.input, summary, notes: ["their clock is not the camera's"]).at(file: place) }
        return Problem(
            .input, summary, notes: ["the file may belong to another recording, or its clock is not the camera's"],
            fix: "copy the file of this capture"
        ).at(file: place)
    }
}
