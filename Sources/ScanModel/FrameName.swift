/// How files are named after frames.
package enum FrameName {
    /// Six digits, so that names sort as text in the order of the frames.
    package static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
