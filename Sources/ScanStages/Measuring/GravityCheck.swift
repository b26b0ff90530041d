import ScanFormats
import ScanModel
import ScanPipeline

/// Whether the poses' down is that of the gravity sensor.
package enum GravityCheck {
    /// How far they may differ, degrees.
    private static let tolerance = 15.0
    /// How far a sample may be from its frame in time, nanoseconds.
    private static let nearness = 5e7

    static func record(_ capture: Capture, _ context: StageContext) {
        guard let up = capture.worldUp, let file = capture.motionFiles.first(where: { $0.kind == .gravity }) else {
            return
        }
        var samples: ContiguousArray<MotionSample>
        do throws(Problem) {
            let (found, facts) = try MotionStream.samples(try capture.source.open(file.path), kind: .gravity)
            samples = found
            // At rest Android's sensor reads what holds the device up (SensorEvent, TYPE_GRAVITY), iOS's what pulls it down.
            if facts.layout == .bigEndian {
                for index in samples.indices { samples[index].value = -samples[index].value }
            }
        } catch {
            // The sensor only corroborates; a stage that needs the file will say what is wrong with it.
            return context.warn("gravity was not compared: \(error.oneLine)")
        }
        guard let (turns, angle) = compare(samples, capture.keptFrames, up) else { return }
        context.record("gravity-angle-degrees", .number(angle))
        context.record("gravity-quarter-turns", .of(turns))
        if angle > tolerance {
            context.warn(
                "the gravity sensor is at least \(angle.rounded(decimals: 1))° off the poses' down: the world may not be "
                    + "upright"
            )
        }
    }

    /// The median angle between the sensor's gravity and the poses' down, in degrees, and the quarter turns about the
    /// optical axis between the sensor and the camera with which it is smallest.
    /// - Parameter up: of the world, of any length.
    package static func compare(
        _ samples: ContiguousArray<MotionSample>, _ frames: [FrameFacts], _ up: Vector3
    ) -> (turns: Int, angle: Double)? {
        var angles: [[Double]] = Array(repeating: [], count: 4)
        var at = 0
        for frame in frames {
            guard let time = frame.timestamp, let pose = frame.pose else { continue }
            while at + 1 < samples.count, samples[at + 1].timestamp <= time { at += 1 }
            guard at < samples.count, abs(Double(samples[at].timestamp) - Double(time)) < nearness else { continue }
            let sensed = samples[at].value
            let down = pose.rotation.transposed * -up
            guard sensed.length > 0, sensed.isFinite else { continue }
            var turned = sensed
            for turns in 0..<4 {
                angles[turns].append(turned.angle(to: down))
                turned = Vector3(-turned.y, turned.x, turned.z)
            }
        }
        let medians = angles.compactMap(\.middle)
        guard let best = medians.indices.min(by: { medians[$0] < medians[$1] }) else { return nil }
        return (best, medians[best] * 180 / .pi)
    }
}
