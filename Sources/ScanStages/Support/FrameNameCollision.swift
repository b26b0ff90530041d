import ScanModel

extension FrameName {
    /// What to say when two frames would have files of one name.
    /// - Parameter time: after which they are named.
    static func collision(_ time: String) -> Problem {
        Problem(
            .input, "two frames have the time \(time), after which their files are named",
            fix: "drop one of them with select-frames")
    }
}
