import Glibc
import ScanModel

/// When runs were, by their names and the files that they have written.
extension RunRecord {
    /// `20261121T031500Z`: sorts by time as text.
    package static func stamp(_ clock: Int64) -> String {
        var seconds = time_t(clock / 1_000_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ value: Int32) -> String { (value < 10 ? "0" : "") + String(value) }
        return "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))T"
            + "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    }

    private static let stampLength = 16

    /// The second since 1970 that a ``stamp(_:)`` names; nil for any other text.
    package static func second(ofStamp text: Substring) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == stampLength, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else {
            return nil
        }
        let digits = bytes[..<8] + bytes[9..<15]
        guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
        func number(_ range: Range<Int>) -> Int32 { Array(digits)[range].reduce(0) { $0 * 10 + Int32($1 - 0x30) } }
        var parts = tm()
        parts.tm_year = number(0..<4) - 1900
        parts.tm_mon = number(4..<6) - 1
        parts.tm_mday = number(6..<8)
        parts.tm_hour = number(8..<10)
        parts.tm_min = number(10..<12)
        parts.tm_sec = number(12..<14)
        return Int64(timegm(&parts))
    }

    /// Of nanoseconds, which are negative before 1970.
    private static func wholeSeconds(_ time: Int64) -> Int64 {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? seconds - 1 : seconds
    }

    /// When a run wrote one of its files.
    package struct Time: Comparable {
        /// Since 1970.
        fileprivate let second: Int64
        /// The time of the file itself, which tells apart what was written within one second.
        fileprivate let modified: Int64

        /// What has no known time comes before all else.
        package static let longAgo = Time(second: .min, modified: .min)

        package static func < (earlier: Time, later: Time) -> Bool {
            (earlier.second, earlier.modified) < (later.second, later.modified)
        }
    }

    /// The time that the run itself noted, or the file's where that is earlier. A clock that is ahead of the disk's
    /// notes times that stay the latest for long, and the files of a copy are all as new as the copy. A time in the
    /// future was written under a clock that was ahead, and counts as long ago.
    package static func time(of file: String, in run: String, _ state: StateFolder, by now: Int64) -> Time? {
        let path = "\(state.runs)/\(run)/\(file)"
        guard let modified = FileSystem.modified(path) else { return nil }
        let noted = (file == outcomeName ? ended(path) : nil) ?? second(ofStamp: run.prefix(stampLength))
        let second = min(wholeSeconds(modified), noted ?? .max)
        if second > wholeSeconds(now) { return .longAgo }
        // Within a second the file's time decides, where it is of that second.
        return Time(second: second, modified: wholeSeconds(modified) == second ? modified : .min)
    }

    /// When an outcome says it was written, by its first bytes alone: it may cover many captures.
    private static func ended(_ path: String) -> Int64? {
        guard let file = try? RegularFile(path, name: path, fault: .environment) else { return nil }
        let words = String(decoding: file.beginning(64), as: UTF8.self).split(separator: "\"")
        return words.count > 3 && words[1] == "ended" ? second(ofStamp: words[3]) : nil
    }
}
