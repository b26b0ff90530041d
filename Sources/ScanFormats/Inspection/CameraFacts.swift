import Glibc
import ScanModel

extension CaptureInspection {
    /// The recorder's clock, from the frames' timestamps.
    public struct Clock: Hashable, Sendable {
        /// Between two frames, a time that is more than half a median step too long.
        public struct Gap: Hashable, Sendable {
            /// The first frame after the gap.
            public var frame: Int
            /// From the last timestamp before the gap.
            public var seconds: Double
            /// How many frames seem to be missing from the recording.
            public var missingFrames: Int
        }

        public var timestampCount: Int
        /// Nanoseconds of the earliest and the latest timestamp.
        public var span: ClosedRange<Int64>
        /// Seconds; nil where no two timestamps are in order. Where most frames have the time of the one before, it is the
        /// mean.
        public var medianStep: Double?
        /// Frames per second as the recorder's description says.
        public var nominalRate: Double?
        /// The first gaps, up to a limit.
        public var gaps: [Gap] = []
        public var gapCount = 0
        /// Timestamps that are not later than the one before.
        public var backwardCount = 0

        /// Frames per second.
        public var rate: Double? { medianStep.map { 1 / $0 } }
        /// Seconds from the first frame to the last.
        public var duration: Double { Timestamp.seconds(from: span.lowerBound, to: span.upperBound) }

        /// - Returns: nil when no frame has a timestamp.
        init?(_ frames: [FrameFacts], nominalRate: Double?) {
            let stamps = frames.compactMap { facts in facts.timestamp.map { (frame: facts.index, time: $0) } }
            guard let first = stamps.map(\.time).min(), let last = stamps.map(\.time).max() else { return nil }
            timestampCount = stamps.count
            span = first...last
            self.nominalRate = nominalRate
            // A frame whose line cannot be read has no timestamp, so a step may span several frames.
            var steps: [(frame: Int, frames: Int, seconds: Double)] = []
            for (before, after) in zip(stamps, stamps.dropFirst()) {
                if after.time <= before.time { backwardCount += 1 }
                if after.time >= before.time {
                    let seconds = Timestamp.seconds(from: before.time, to: after.time)
                    steps.append((after.frame, after.frame - before.frame, seconds))
                }
            }
            let shares = steps.map { $0.seconds / Double($0.frames) }
            guard let median = shares.usualStep(median: Distribution(shares)?.median) else { return }
            medianStep = median
            for step in steps where step.seconds > (Double(step.frames) + 0.5) * median {
                gapCount += 1
                guard gaps.count < CaptureInspection.listLimit else { continue }
                let elapsed = Int(exactly: (step.seconds / median).rounded()) ?? .max
                gaps.append(Gap(frame: step.frame, seconds: step.seconds, missingFrames: elapsed - step.frames))
            }
        }
    }

    /// The path of the camera's centre through the world.
    public struct Path: Hashable, Sendable {
        public struct Speeds: Hashable, Sendable {
            /// Metres per second.
            public var median: Double
            public var highest: Double
            /// The frame at the end of the step with the highest speed.
            public var highestFrame: Int
        }

        /// Which way up the camera was held, from the mean of the world's up direction in camera axes.
        public struct Attitude: Hashable, Sendable {
            /// The camera axis nearest to up: `+y` for a picture that stands upright.
            public var axis: String
            /// Degrees between that axis and up.
            public var axisAngle: Double
            /// Degrees between the camera's own up, +y, and the world's.
            public var upAngle: Double
        }

        public var poseCount: Int
        /// The sum of the distances between the camera's centre in consecutive frames, metres.
        public var length: Double
        /// The least and the greatest coordinates of the camera's centre.
        public var low: Vector3
        public var high: Vector3
        /// Nil where fewer than two poses have timestamps in order.
        public var speeds: Speeds?
        /// Nil where the format does not say which way is up.
        public var attitude: Attitude?
        /// Which axes may be up by the way in which the camera was held, where the format does not say it.
        public var likelyUp: [WorldAxis]

        /// - Returns: nil when no frame has a pose.
        init?(_ frames: [FrameFacts], worldUp: Vector3?) {
            let poses = frames.compactMap(\.pose).filter { $0.defect == nil }
            guard let first = poses.first else { return nil }
            (low, high) = (first.position, first.position)
            for position in poses.lazy.map(\.position) {
                low = Vector3(min(low.x, position.x), min(low.y, position.y), min(low.z, position.z))
                high = Vector3(max(high.x, position.x), max(high.y, position.y), max(high.z, position.z))
            }
            let trajectory = Trajectory(frames)
            poseCount = trajectory.stationCount
            length = trajectory.length
            let speeds = trajectory.steps.compactMap { step in step.speed.map { (frame: step.to, value: $0) } }
            if let median = Distribution(speeds.map(\.value))?.median,
                let highest = speeds.max(by: { $0.value < $1.value })
            {
                self.speeds = Speeds(median: median, highest: highest.value, highestFrame: highest.frame)
            }
            attitude = worldUp.flatMap { Attitude(poses, up: $0) }
            likelyUp = worldUp == nil ? HeldUpright.axes(poses) : []
        }
    }

    /// The cameras of all frames, for pictures of `size`.
    public struct Intrinsics: Hashable, Sendable {
        public var cameraCount: Int
        /// Pixels; one number where all cameras are alike.
        public var fx: ClosedRange<Double>
        public var fy: ClosedRange<Double>
        public var cx: ClosedRange<Double>
        public var cy: ClosedRange<Double>
        public var size: PixelSize
        public var pixelOrigin: PixelOrigin
        /// The lenses that distort, each once, in the order of their frames.
        public var lenses: [LensDistortion]

        public var isConstant: Bool { [fx, fy, cx, cy].allSatisfy { $0.lowerBound == $0.upperBound } }

        /// Degrees, across and down, as a pinhole with the mean of the focal lengths' range sees; nil for wider lenses.
        public var fieldOfView: (horizontal: Double, vertical: Double)? {
            guard lenses.allSatisfy({ $0.projection == .perspective }) else { return nil }
            func angle(_ side: Int, _ focal: ClosedRange<Double>) -> Double {
                CameraIntrinsics.fieldOfView(across: side, focalLength: (focal.lowerBound + focal.upperBound) / 2)
            }
            return (angle(size.width, fx), angle(size.height, fy))
        }

        /// - Parameter frames: of the capture.
        /// - Returns: nil when none of them has intrinsics.
        init?(_ frames: [FrameFacts], of capture: Capture) {
            let bent = frames.compactMap { capture.undistortions[$0.index]?.recorded.lens }.filter { !$0.isStraight }
            var known: Set<LensDistortion> = []
            lenses = bent.filter { known.insert($0).inserted }
            let cameras = frames.compactMap { capture.recordedIntrinsics(of: $0.index) }.filter { $0.defect == nil }
            guard let first = cameras.first else { return nil }
            cameraCount = cameras.count
            func range(_ value: (CameraIntrinsics) -> Double) -> ClosedRange<Double> {
                cameras.reduce(value(first)...value(first)) {
                    min($0.lowerBound, value($1))...max($0.upperBound, value($1))
                }
            }
            fx = range(\.fx)
            fy = range(\.fy)
            cx = range(\.cx)
            cy = range(\.cy)
            size = first.size
            pixelOrigin = first.pixelOrigin
        }
    }
}

extension CaptureInspection.Path.Attitude {
    init?(_ poses: [Pose], up: Vector3) {
        let mean = HeldUpright.mean(of: up, in: poses)
        let axes: [(name: String, along: Double)] = [
            ("+x", mean.x), ("-x", -mean.x), ("+y", mean.y), ("-y", -mean.y), ("+z", mean.z), ("-z", -mean.z),
        ]
        guard mean.length > 1e-6, let nearest = axes.max(by: { $0.along < $1.along }) else { return nil }
        func degrees(_ along: Double) -> Double { acos(max(-1, min(1, along / mean.length))) * 180 / .pi }
        axis = nearest.name
        axisAngle = degrees(nearest.along)
        upAngle = degrees(mean.y)
    }
}
