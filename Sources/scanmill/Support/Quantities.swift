import ArgumentParser
import FoundationEssentials
import Glibc
import ScanPipeline

/// A length of time as people write it: `90s`, `10m`, `2h`, or whole seconds.
extension Duration: @retroactive ExpressibleByArgument {
    public init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        let unit = argument.last.flatMap { units[$0] }
        guard let number = Int64(unit == nil ? argument : String(argument.dropLast())), number >= 0, number < 1 << 40
        else { return nil }
        self = .seconds(number * (unit ?? 1))
    }

    public var defaultValueDescription: String {
        let seconds = components.seconds
        return seconds.isMultiple(of: 60) ? "\(seconds / 60)m" : "\(seconds)s"
    }
}

/// Bytes as people write them: `500M`, `20G`, `1.5TB`, `16GiB`, or a whole number.
struct ByteSize: ExpressibleByArgument, Sendable {
    var bytes: Int64

    var defaultValueDescription: String { Console.size(bytes) }

    init(bytes: Int64) { self.bytes = bytes }

    /// The size as an argument that is read back the same: small numbers need a unit.
    var argument: String { bytes < 1_000_000 ? "\(Double(bytes) / 1000)k" : String(bytes) }

    init?(argument: String) {
        let powers: [Character: Double] = ["k": 1, "K": 1, "M": 2, "G": 3, "T": 4]
        var text = Substring(argument.hasSuffix("B") ? argument.dropLast() : argument[...])
        let isBinary = text.hasSuffix("i")
        if isBinary { text = text.dropLast() }
        let power = text.last.flatMap { powers[$0] }
        guard let number = Double(power == nil ? text : text.dropLast()), number >= 0, power != nil || !isBinary else {
            return nil
        }
        let bytes = number * pow(isBinary ? 1024 : 1000, power ?? 0)
        // Nobody who writes 20 means 20 bytes.
        guard bytes < 9e18, bytes == 0 || bytes >= 1e6 || power != nil else { return nil }
        self.bytes = Int64(bytes)
    }
}

/// A time of day, `06:00`.
struct TimeOfDay: ExpressibleByArgument, Sendable {
    var hour: Int32
    var minute: Int32

    init?(argument: String) {
        let parts = argument.split(separator: ":").map { Int32($0) }
        guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0..<24).contains(hour),
            (0..<60).contains(minute)
        else { return nil }
        self.hour = hour
        self.minute = minute
    }

    /// When the local clock shows it next, seconds since 1970.
    var next: Int { LocalTime.next(hour: hour, minute: minute, after: time(nil)) }
}

/// What is valid in the place of a quantity that cannot be read.
enum Quantity {
    private static let kinds = [
        ("--until <time>", "write a time of day such as 06:00 or 23:30"),
        (" <time>", "write a length of time such as 90s, 10m, 2h or 1d"),
        (" <size>", "write a size such as 500M, 20G, 1.5TB or 16GiB"),
        ("--jobs <jobs>", "write a whole number such as 4"),
    ]

    /// The library's message, which says only that a value is invalid, with what is not.
    static func explained(_ message: String) -> String {
        var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (place, valid) in kinds {
            let line = lines.firstIndex { $0.contains(" is invalid for '--") && $0.hasSuffix("\(place)'") }
            guard let line else { continue }
            lines[line] += ": \(valid)"
            break
        }
        return lines.joined(separator: "\n")
    }
}
