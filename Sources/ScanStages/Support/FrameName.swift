/// How writers name files after frames.
enum FrameName {
    /// Six digits, so that names sort as text in the order of the frames.
    static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
