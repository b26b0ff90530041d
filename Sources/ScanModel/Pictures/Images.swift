/// A colour picture: 8-bit red, green, blue, interleaved, row-major, top-left pixel first.
public struct RGBImage: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// `width * height * 3` bytes.
    public var pixels: [UInt8]

    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 3)
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}

/// A colour picture as most videos record it: luma for every pixel, and chroma for every two by two of them. Its colours
/// are 8-bit red, green and blue of the same size.
public struct YUVImage: PixelSized, Hashable, Sendable {
    /// Both are even.
    public var width: Int
    public var height: Int
    /// The luma plane, row-major, top-left pixel first, then the planes of U and V, each of half the width and height:
    /// `width * height * 3 / 2` bytes.
    public var planes: [UInt8]
    public var encoding: YUVEncoding

    public init(width: Int, height: Int, planes: [UInt8], encoding: YUVEncoding) {
        precondition(width.isMultiple(of: 2) && height.isMultiple(of: 2) && planes.count == width * height * 3 / 2)
        self.width = width
        self.height = height
        self.planes = planes
        self.encoding = encoding
    }
}

/// Which colours the numbers of a ``YUVImage`` stand for.
public struct YUVEncoding: Hashable, Sendable {
    /// How much of red, green and blue is in luma: by the standard that says so.
    public enum Matrix: CaseIterable, Sendable { case bt601, bt709, bt2020, fcc, smpte240m }

    public var matrix: Matrix
    /// Whether luma runs from 0 to 255 and not from 16 to 235.
    public var isFullRange: Bool

    public init(matrix: Matrix, isFullRange: Bool) {
        self.matrix = matrix
        self.isFullRange = isFullRange
    }
}

/// A grey picture or a mask: 8 bits a pixel, row-major, top-left pixel first.
public struct LumaImage: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// `width * height` bytes.
    public var pixels: [UInt8]

    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height)
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// 255 where there was 0, and the other way round.
    public var inverted: LumaImage { LumaImage(width: width, height: height, pixels: pixels.map { 255 - $0 }) }
}

/// Depth along the optical axis (z-depth, not ray length), in metres; 0 means "no value". Row-major, top-left first.
/// Values are finite and never negative: whoever makes a map sees to that.
public struct DepthMap: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// `width * height` values.
    public var metres: [Float]

    public init(width: Int, height: Int, metres: [Float]) {
        precondition(metres.count == width * height)
        self.width = width
        self.height = height
        self.metres = metres
    }
}

/// How far each depth pixel can be trusted, as recorded: `range` is what the recorder calls worst and best.
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
    /// Whether there are values that the recorder's range does not have.
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

    /// The pixels of each level: low, medium, high.
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
