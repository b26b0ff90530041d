/// How many depth pixels lie how far away.
///
/// Bins of 5 mm up to 20 m, and one for everything farther: quantiles within 20 m are accurate to 5 mm.
public struct DepthHistogram: Hashable, Sendable {
    /// Metres.
    private static let binSize = 0.005
    /// In bins, 2.5 µm: whole millimetres rounded to single precision must not fall short of their bin.
    private static let slack: Float = 0.0005
    private static let perMetre: Float = 200
    private static let binCount = 4000

    /// The last one holds all that is farther; empty until there is a pixel.
    private var bins: [Int] = []
    public private(set) var pixelCount = 0
    /// Pixels with depth.
    public private(set) var validCount = 0
    /// Of the pixels with depth, metres; infinite and 0 without one.
    public private(set) var lowest = Double.infinity
    public private(set) var highest = 0.0

    public init() {}

    public mutating func add(_ depth: DepthMap) {
        if bins.isEmpty { bins = Array(repeating: 0, count: Self.binCount + 1) }
        var (valid, low, high) = (0, Float.infinity, Float(0))
        depth.metres.withUnsafeBufferPointer { metres in
            bins.withUnsafeMutableBufferPointer { bins in
                for i in 0..<metres.count {
                    let z = metres[i]
                    guard z > 0 else { continue }
                    valid &+= 1
                    low = min(low, z)
                    high = max(high, z)
                    bins[Int(min(z * Self.perMetre + Self.slack, Float(Self.binCount)))] &+= 1
                }
            }
        }
        pixelCount += depth.metres.count
        validCount += valid
        lowest = min(lowest, Double(low))
        highest = max(highest, Double(high))
    }

    public mutating func add(_ other: DepthHistogram) {
        if bins.isEmpty {
            bins = other.bins
        } else {
            for (i, n) in other.bins.enumerated() where n > 0 { bins[i] += n }
        }
        pixelCount += other.pixelCount
        validCount += other.validCount
        lowest = min(lowest, other.lowest)
        highest = max(highest, other.highest)
    }

    public var shareWithDepth: Double { pixelCount == 0 ? 0 : Double(validCount) / Double(pixelCount) }

    /// The depth below which a share of the pixels with depth lie, metres; nil where there are none.
    public func quantile(_ share: Double) -> Double? {
        guard validCount > 0 else { return nil }
        // Half a pixel in: share 0 is the middle of the first pixel.
        let rank = share * Double(validCount - 1) + 0.5
        var below = 0
        for (bin, count) in bins.enumerated() where count > 0 {
            if rank <= Double(below + count) {
                let start = Double(bin) * Self.binSize
                let end = bin < Self.binCount ? start + Self.binSize : highest
                let value = start + (end - start) * (rank - Double(below)) / Double(count)
                return max(lowest, min(highest, value))
            }
            below += count
        }
        return highest
    }

    /// The same in at most `limit` wider bins from 0 on, of 5, 10, 25 or 50 cm, 1 or 2 m.
    ///
    /// They reach far enough for all but a thousandth of the pixels; the last one also holds what is farther.
    public func coarse(atMost limit: Int) -> (step: Double, pixels: [Int]) {
        guard validCount > 0, let end = quantile(0.999) else { return (Self.binSize * 10, []) }
        let factors = [10, 20, 50, 100, 200, 400]
        let widest = factors[factors.count - 1]
        // What is farther goes into the last one anyway.
        let needed = Int(min(end / Self.binSize, Double(limit * widest))) + 1
        let factor = factors.first { (needed + $0 - 1) / $0 <= limit } ?? widest
        let count = max(1, min(limit, (needed + factor - 1) / factor))
        var pixels = Array(repeating: 0, count: count)
        for (bin, n) in bins.enumerated() where n > 0 { pixels[min(bin / factor, count - 1)] += n }
        return (Double(factor) / Double(Self.perMetre), pixels)
    }
}
