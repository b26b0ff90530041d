import ScanModel

/// How writers name files after frames.
package enum FrameName {
    /// Six digits, so that names sort as text in the order of the frames.
    package static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// What to say when two frames would have files of one name.
    /// - Parameter time: after which they are named.
    static func collision(_ time: String) -> Problem {
        Problem(
            .input, "two frames have the time \(time), after which their files are named",
            fix: "drop one of them with select-frames")
    }
}
