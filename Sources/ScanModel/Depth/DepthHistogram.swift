/// How many depth pixels lie how far away.
///
/// Bins of 5 mm up to 20 m, and beyond of at most a 512th of the distance: quantiles are as accurate as that.
public struct DepthHistogram: Hashable, Sendable {
    /// Metres.
    private static let binSize = 0.005
    /// In bins, 2.5 µm: whole millimetres rounded to single precision must not fall short of their bin.
    private static let slack: Float = 0.0005
    private static let perMetre: Float = 200
    private static let nearCount = 4000
    /// Metres: from here on there is a bin for each exponent of a float with the first nine bits of its fraction.
    private static let far: Float = 20
    private static let cutBits = 14
    private static let firstFar = Int(far.bitPattern >> cutBits)
    /// Up to 65,536 m, which is more than half floats hold; the last one has all that is farther.
    private static let farCount = Int(Float(65_536).bitPattern >> cutBits) - firstFar + 1

    /// First the near ones, then the far ones; empty until there is a pixel.
    private var bins: [Int] = []
    public private(set) var pixelCount = 0
    /// Pixels with depth.
    public private(set) var validCount = 0
    /// Of the pixels with depth, metres; infinite and 0 without one.
    public private(set) var lowest = Double.infinity
    public private(set) var highest = 0.0

    public init() {}

    public mutating func add(_ depth: DepthMap) {
        if bins.isEmpty { bins = Array(repeating: 0, count: Self.nearCount + Self.farCount) }
        var (valid, low, high) = (0, Float.infinity, Float(0))
        depth.metres.withUnsafeBufferPointer { metres in
            bins.withUnsafeMutableBufferPointer { bins in
                for i in 0..<metres.count {
                    let z = metres[i]
                    guard z > 0 else { continue }
                    valid &+= 1
                    low = min(low, z)
                    high = max(high, z)
                    bins[Self.bin(of: z)] &+= 1
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
                let (start, end) = bounds(of: bin)
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
        let step = Double(factor) / Double(Self.perMetre)
        for (bin, n) in bins.enumerated() where n > 0 {
            let place = bin < Self.nearCount ? bin / factor : Int(bounds(of: bin).start / step)
            pixels[min(place, count - 1)] += n
        }
        return (step, pixels)
    }

    /// The bin of a depth. What is within the slack of 20 m falls into the first far one.
    @inline(__always)
    private static func bin(of z: Float) -> Int {
        z < far
            ? Int(z * perMetre + slack) : nearCount + min(Int(z.bitPattern >> cutBits) - firstFar, farCount - 1)
    }

    /// Where a bin begins and ends, metres; the last one ends with the farthest pixel.
    private func bounds(of bin: Int) -> (start: Double, end: Double) {
        if bin < Self.nearCount {
            let start = Double(bin) * Self.binSize
            return (start, start + Self.binSize)
        }
        func start(ofFar bin: Int) -> Double {
            Double(Float(bitPattern: UInt32(bin - Self.nearCount + Self.firstFar) << Self.cutBits))
        }
        return (start(ofFar: bin), bin + 1 < bins.count ? start(ofFar: bin + 1) : highest)
    }
}
