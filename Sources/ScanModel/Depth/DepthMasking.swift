/// Zeroing depth pixels. Each kernel passes once over the pixels, counts on the way, and is written as a plain
/// branch-free loop, which the compiler turns into vector instructions.
extension DepthMap {
    /// How many pixels had depth before a mask, and how many have it afterwards.
    public struct MaskCount: Hashable, Sendable {
        public var before: Int
        public var after: Int

        public init(before: Int, after: Int) {
            self.before = before
            self.after = after
        }
    }

    /// Zeroes pixels nearer than `near` or farther than `far`, metres; depths equal to a bound are kept.
    public mutating func mask(near: Float, far: Float) -> MaskCount { keep { z, _ in z >= near && z <= far } }

    /// Zeroes pixels whose confidence is below `threshold`, as recorded; see ``ConfidenceMap/threshold(level:in:)``.
    /// - Precondition: both maps have the same size.
    public mutating func mask(confidence: ConfidenceMap, atLeast threshold: Int) -> MaskCount {
        precondition(confidence.width == width && confidence.height == height)
        let threshold = Int32(clamping: threshold)
        return confidence.values.withUnsafeBufferPointer { values in keep { _, i in Int32(values[i]) >= threshold } }
    }

    /// Zeroes pixels that differ by more than `limit` metres from the same pixel of an earlier map, or that had no depth
    /// there.
    /// - Precondition: both maps have the same size.
    public mutating func mask(jumpsFrom earlier: DepthMap, over limit: Float) -> MaskCount {
        precondition(earlier.size == size)
        // A difference of exactly the limit is a difference of two rounded numbers.
        let limit = limit + Self.roundingSlack
        return earlier.metres.withUnsafeBufferPointer { earlier in
            keep { z, i in abs(z - earlier[i]) <= limit && earlier[i] > 0 }
        }
    }

    /// Metres: more than the single-precision error in a difference of depths below 65 m, less than any sensor's step.
    private static let roundingSlack: Float = 0.00001

    /// - Parameter isKept: takes a depth and its pixel's number. It is inlined into each caller's loop.
    @inline(__always)
    private mutating func keep(_ isKept: (Float, Int) -> Bool) -> MaskCount {
        metres.withUnsafeMutableBufferPointer { pixels in
            let count = pixels.count
            var (before, after): (Int32, Int32) = (0, 0)
            var i = 0
            while i < count {
                let z = pixels[i]
                let kept: Float = isKept(z, i) ? z : 0
                before &+= z > 0 ? 1 : 0
                after &+= kept > 0 ? 1 : 0
                pixels[i] = kept
                i &+= 1
            }
            return MaskCount(before: Int(before), after: Int(after))
        }
    }

    /// Pixels with depth.
    public var validCount: Int {
        metres.withUnsafeBufferPointer { metres in
            guard let pixels = metres.baseAddress else { return 0 }
            let end = metres.count
            var count: Int32 = 0
            var i = 0
            while i < end {
                count &+= pixels[i] > 0 ? 1 : 0
                i &+= 1
            }
            return Int(count)
        }
    }
}
