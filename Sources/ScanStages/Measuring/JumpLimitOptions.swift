import ScanModel
import ScanPipeline

/// What counts as a jump of the path: the options of all stages that look for jumps.
extension Trajectory.JumpLimits {
    /// Declares the options that decide what a jump is.
    init(_ options: inout OptionReader) {
        let usual = Trajectory.JumpLimits()
        self.init(
            speed: options.number(
                "jump-speed", "A step of more than 5 cm that is faster than this is a jump.", default: usual.speed,
                in: 0...1e6, unit: "m/s"),
            turning: options.number(
                "jump-turning", "A step of more than 10° that is faster than this is a jump.", default: usual.turning,
                in: 0...1e6, unit: "°/s"))
    }

    /// The limits for a capture: if its unit may not be a metre, speeds say nothing.
    func applied(to capture: Capture) -> Trajectory.JumpLimits {
        capture.isMetric ? self : Trajectory.JumpLimits(speed: .infinity, turning: turning)
    }
}
