/// How far each depth pixel can be trusted, as recorded: `range` is the recorder's worst and best value.
public struct ConfidenceMap: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// `width * height` values.
    public var values: [UInt8]
    /// iOS: 0...2 (low, medium, high); Android: 0...255.
    public var range: ClosedRange<Int>

    public init(width: Int, height: Int, values: [UInt8], range: ClosedRange<Int>) {
        precondition(values.count == width * height)
        self.width = width
        self.height = height
        self.values = values
        self.range = range
    }

    /// The smallest recorded value that counts as `level` of 0 (low), 1 (medium), 2 (high): a value v passes when
    /// (v − lo) / (hi − lo) ≥ level / 3. So 2 of 0...2 and 170 of 0...255 are "high".
    public static func threshold(level: Int, in range: ClosedRange<Int>) -> Int {
        let span = range.upperBound - range.lowerBound
        return range.lowerBound + (level * span + 2) / 3
    }
}

extension ConfidenceMap {
    /// Whether there are values outside the recorder's range.
    public var hasStrays: Bool {
        var (low, high): (UInt8, UInt8) = (.max, .min)
        values.withUnsafeBufferPointer { values in
            for value in values {
                low = min(low, value)
                high = max(high, value)
            }
        }
        return !values.isEmpty && !(range.contains(Int(low)) && range.contains(Int(high)))
    }

    /// The number of pixels of each level: low, medium, high.
    public var levelCounts: [Int] {
        let medium = Self.threshold(level: 1, in: range)
        let high = Self.threshold(level: 2, in: range)
        return values.withUnsafeBufferPointer { values in
            var (atLeastMedium, atLeastHigh): (Int32, Int32) = (0, 0)
            // A loop over indices would not become vector instructions.
            var i = 0
            while i < values.count {
                atLeastMedium &+= Int32(values[i]) >= Int32(medium) ? 1 : 0
                atLeastHigh &+= Int32(values[i]) >= Int32(high) ? 1 : 0
                i &+= 1
            }
            return [values.count - Int(atLeastMedium), Int(atLeastMedium - atLeastHigh), Int(atLeastHigh)]
        }
    }
}
