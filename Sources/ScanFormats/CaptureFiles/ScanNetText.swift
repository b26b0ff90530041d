import ScanModel

/// ScanNet's descriptions: lines of `key = value`, as in `<id>.txt` and `_info.txt`.
struct ScanNetText {
    /// No description is longer.
    static let sizeLimit = 1 << 20

    /// In the order of the file; for a key that occurs twice, the last value.
    private(set) var values = JSONObject()
    let file: String

    init(_ bytes: [UInt8], file: String) {
        self.file = file
        for line in NumberText.text(of: bytes).split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let key = Self.trimmed(parts[0])
            if !key.isEmpty { values[key] = .string(Self.trimmed(parts[1])) }
        }
    }

    /// Nil where there is no such key, or its value is empty.
    func text(_ key: String) -> String? {
        guard let text = values[key]?.string, !text.isEmpty else { return nil }
        return text
    }

    /// - Throws: when there is something else, or not `count` numbers.
    func numbers(_ key: String, count: Int) throws(Problem) -> [Double]? {
        guard let text = text(key) else { return nil }
        do throws(Problem) {
            return try NumberText.numbers(Array(text.utf8), count: count, file: file)
        } catch { throw Problem(.input, "`\(key)`: \(error.summary)").at(file: file) }
    }

    func number(_ key: String) throws(Problem) -> Double? { try numbers(key, count: 1)?.first }

    /// A number that has to be there.
    func required(_ key: String) throws(Problem) -> Double {
        if let number = try number(key) { return number }
        throw Problem(.input, "`\(key)` is missing").at(file: file)
    }

    /// A whole number in `range`; nil where there is none.
    func whole(_ key: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let number = try number(key) else { return nil }
        guard let whole = Int(exactly: number), range.contains(whole) else {
            throw Problem(.input, "`\(key)` is \(number), not a whole number of \(range)").at(file: file)
        }
        return whole
    }

    /// Two of them: the width and the height of a picture.
    func size(_ width: String, _ height: String) throws(Problem) -> PixelSize? {
        let sides = 1...PictureLimits.standard.side
        guard let w = try whole(width, in: sides), let h = try whole(height, in: sides) else { return nil }
        return PixelSize(w, h)
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop(while: \.isWhitespace).dropLast(while: \.isWhitespace))
    }
}
