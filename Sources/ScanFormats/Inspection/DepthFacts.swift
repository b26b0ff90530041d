import ScanModel

extension CaptureInspection {
    /// The depth of all whole frames together.
    public struct Depth: Hashable, Sendable {
        /// Whole frames in the stream.
        public var frameCount: Int
        public var size: PixelSize
        public var pixelCount: Int
        /// Pixels with a depth, which is more than 0.
        public var validCount: Int
        /// Of the valid pixels, metres; nil where there is none.
        public var range: ClosedRange<Double>?
        /// Of the valid pixels, metres. Exact for half floats, otherwise up to 0.05 % too small.
        public var median: Double?
        /// Pixels whose value was not a depth, and which count as having none.
        public var repaired: DepthCodec.Repaired

        public var validShare: Double { pixelCount == 0 ? 0 : Double(validCount) / Double(pixelCount) }
    }

    /// The confidence of all whole frames together.
    public struct Confidence: Hashable, Sendable {
        /// Whole frames in the stream.
        public var frameCount: Int
        public var size: PixelSize
        public var pixelCount: Int
        /// What the recorder calls worst and best.
        public var range: ClosedRange<Int>
        /// How many pixels have each value, 0 to 255.
        public var counts: [Int]

        /// The pixels of each level, low, medium and high, as `mask-confidence` counts them.
        public var levelCounts: [Int] {
            let medium = ConfidenceMap.threshold(level: 1, in: range)
            let high = ConfidenceMap.threshold(level: 2, in: range)
            return [counts[..<medium], counts[medium..<high], counts[high...]].map { $0.reduce(0, +) }
        }

        /// Pixels whose value is not in ``range``.
        public var strayCount: Int {
            counts[..<range.lowerBound].reduce(0, +) + counts[(range.upperBound + 1)...].reduce(0, +)
        }
    }
}

/// Gathers depth frame by frame, in 4 MB however many there are: a ``DepthHistogram`` is smaller, and less exact.
struct DepthTally {
    private(set) var frameCount = 0
    private(set) var pixelCount = 0
    private(set) var validCount = 0
    private(set) var repaired = DepthCodec.Repaired()
    private var size = PixelSize(0, 0)
    private var low = Float.infinity
    private var high: Float = 0
    /// Valid depths by the upper bits of their pattern: 8 bits of exponent, 11 of mantissa. Half floats have 10, so each
    /// of theirs has a bin of its own.
    private var bins = [Int](repeating: 0, count: 1 << 19)
    private static let lowerBits: UInt32 = 12

    /// - Throws: where the frame's bytes cannot be depth; the part that can be is counted all the same.
    mutating func add(_ recorded: RecordedDepth) throws(Problem) {
        let (map, repaired) = try DepthCodec.decode(recorded)
        self.repaired += repaired
        frameCount += 1
        pixelCount += map.metres.count
        size = map.size
        var (valid, low, high) = (0, low, high)
        map.metres.withUnsafeBufferPointer { metres in
            bins.withUnsafeMutableBufferPointer { bins in
                // This excludes −0, which would have no bin.
                for depth in metres where depth > 0 {
                    valid &+= 1
                    low = min(low, depth)
                    high = max(high, depth)
                    bins[Int(depth.bitPattern >> Self.lowerBits)] &+= 1
                }
            }
        }
        validCount += valid
        (self.low, self.high) = (low, high)
        if let damage = DepthCodec.damage(repaired, of: map.metres.count) { throw damage }
    }

    func facts(extraFrames: Int) -> CaptureInspection.Depth {
        CaptureInspection.Depth(
            frameCount: frameCount + extraFrames, size: size, pixelCount: pixelCount, validCount: validCount,
            range: validCount == 0 ? nil : Double(low)...Double(high), median: median, repaired: repaired)
    }

    private var median: Double? {
        guard validCount > 0 else { return nil }
        return (value(ofRank: (validCount - 1) / 2) + value(ofRank: validCount / 2)) / 2
    }

    /// The depth of this rank, as precisely as its bin tells: the bin's lower bound, but at least the nearest depth.
    private func value(ofRank rank: Int) -> Double {
        var below = 0
        for (bin, count) in bins.enumerated() where count > 0 {
            below += count
            if below > rank { return Double(max(low, Float(bitPattern: UInt32(bin) << Self.lowerBits))) }
        }
        return 0
    }
}

/// Gathers confidence frame by frame.
struct ConfidenceTally {
    private(set) var frameCount = 0
    private var size = PixelSize(0, 0)
    private var range = 0...2
    private var counts = [Int](repeating: 0, count: 256)

    mutating func add(_ map: ConfidenceMap) {
        frameCount += 1
        size = map.size
        range = map.range
        map.values.withUnsafeBufferPointer { values in
            counts.withUnsafeMutableBufferPointer { counts in
                for value in values { counts[Int(value)] &+= 1 }
            }
        }
    }

    func facts(extraFrames: Int) -> CaptureInspection.Confidence {
        CaptureInspection.Confidence(
            frameCount: frameCount + extraFrames, size: size, pixelCount: counts.reduce(0, +), range: range,
            counts: counts)
    }
}
