/// How files are named after frames.
package enum FrameName {
    /// Six digits, or as many as an app uses, so that names sorted as text are in frame order.
    package static func padded(_ number: Int, to count: Int = 6) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
