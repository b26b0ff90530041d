import ScanFormats
import ScanModel
import ScanPipeline

/// The camera's turning rate as the rotation-rate sensor felt it, for comparison with the poses'.
package enum IMUTurning {
    static func record(_ capture: Capture, _ trajectory: Trajectory, _ context: StageContext) {
        guard let file = capture.motionFiles.first(where: { $0.kind == .rotationRate }) else { return }
        let samples: ContiguousArray<MotionSample>
        do throws(Problem) {
            samples = try MotionStream.samples(try capture.source.open(file.path), kind: .rotationRate).samples
        } catch {
            // The sensor is an extra; a stage that needs the file will say what is wrong with it.
            return context.warn("the rotation-rate sensor was not looked at: \(error.oneLine)")
        }
        let felt = rates(samples, trajectory, capture.frames)
        let pairs = capture.keptFrames.compactMap { facts -> (felt: Double, seen: Double)? in
            guard let felt = felt[facts.index], let seen = trajectory.rate(at: facts.index) else { return nil }
            return (felt, seen.turning)
        }
        guard let distribution = Distribution(pairs.map(\.felt)) else { return }
        context.record("imu-turning-deg-per-s", Measurement.object(distribution))
        if let correlation = Distribution.rankCorrelation(pairs.map(\.felt), pairs.map(\.seen)) {
            context.record("imu-correlation", Measurement.number(correlation, digits: 3))
        }
    }

    /// Degrees per second by frame: the mean of the samples during the step that leads to it. Steps without a sample,
    /// as with a camera faster than the sensor, have none.
    package static func rates(
        _ samples: ContiguousArray<MotionSample>, _ trajectory: Trajectory, _ frames: [FrameFacts]
    ) -> [Int: Double] {
        var rates: [Int: Double] = [:]
        var next = 0
        for step in trajectory.steps where step.tellsSpeed {
            guard let start = frames[step.from].timestamp, let end = frames[step.to].timestamp else { continue }
            while next < samples.count, samples[next].timestamp <= start { next += 1 }
            var (sum, count) = (Vector3.zero, 0)
            while next < samples.count, samples[next].timestamp <= end {
                if samples[next].value.isFinite {
                    sum = sum + samples[next].value
                    count += 1
                }
                next += 1
            }
            if count > 0 { rates[step.to] = (sum / Double(count)).length * 180 / .pi }
        }
        return rates
    }
}
