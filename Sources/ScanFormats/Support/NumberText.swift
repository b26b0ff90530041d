import ScanModel

/// Numbers separated by white space, as poses and intrinsics are in text files.
enum NumberText {
    /// No such file is longer.
    static let sizeLimit = 1 << 16

    /// A small file's text, without a byte order mark.
    static func text(of bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).withoutByteOrderMark
    }

    /// - Throws: `input`, when there is something else, or not `count` numbers.
    static func numbers(_ bytes: [UInt8], count: Int, file: String) throws(Problem) -> [Double] {
        var numbers: [Double] = []
        for word in text(of: bytes).split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
            guard let number = number(word) else {
                throw Problem(.input, "expected a number, found “\(word.prefix(40))”").at(file: file)
            }
            numbers.append(number)
        }
        if numbers.count == count { return numbers }
        throw Problem(.input, "expected \(count) numbers, found \(numbers.count)").at(file: file)
    }

    /// Infinities and not-a-numbers are numbers here: recorders write them where they lost track.
    private static func number(_ word: some StringProtocol) -> Double? {
        if let number = Double(word) { return number }
        // As Microsoft's library prints what is not finite: 1.#INF, -1.#IND.
        return word.contains(".#") ? .nan : nil
    }

    /// Rows of numbers separated by spaces, each in the shortest form that reads back as the same number.
    static func text(_ rows: [[Double]]) -> [UInt8] {
        Array(rows.map { $0.map(short).joined(separator: " ") + "\n" }.joined().utf8)
    }

    private static func short(_ number: Double) -> String {
        Int64(exactly: number).map { $0.magnitude < 1 << 53 ? String($0) : "\(number)" } ?? "\(number)"
    }
}
