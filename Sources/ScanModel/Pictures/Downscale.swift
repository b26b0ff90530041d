extension RGBImage {
    /// The picture made smaller by a whole factor, as ``downscaled(to:)`` does it.
    public func downscaled(by factor: Int) -> RGBImage { downscaled(by: [factor])[0] }

    /// The picture made smaller by each of several whole factors, as ``downscaled(to:)`` does it. With 2 among them, those
    /// of 2, 4, 8 and 16 that divide the size come out of one walk over the picture.
    public func downscaled(by factors: [Int]) -> [RGBImage] {
        precondition(factors.allSatisfy { $0 > 0 })
        let halved = BlockMeans.halved(self, by: factors)
        return factors.map { halved[$0] ?? downscaled(to: size.downscaled(by: $0)) }
    }

    /// The picture made smaller by the mean over the area of each new pixel, rounded to the nearest. Where the size is no
    /// multiple of the new one, pixels on a border count by the part that lies inside; all of it in whole numbers, so that
    /// the result is exact.
    /// - Parameter new: no larger than the picture on either side.
    public func downscaled(to new: PixelSize) -> RGBImage {
        precondition(new.width > 0 && new.height > 0 && new.width <= width && new.height <= height)
        if new == size { return self }
        let factor = width / new.width
        if PixelSize(new.width * factor, new.height * factor) == size, BlockMeans.divide(size, by: factor) {
            return BlockMeans.averaged(self, over: factor)
        }
        return RGBImage(
            width: new.width, height: new.height, pixels: AreaWeights.means(of: pixels, size, to: new, channels: 3))
    }
}

extension PixelSize {
    /// The size of a picture that is smaller by a whole factor: rounded down, as nerfstudio's loader does.
    package func downscaled(by factor: Int) -> PixelSize { PixelSize(max(1, width / factor), max(1, height / factor)) }

    /// The size of a picture of this size that was made smaller to lie within another, its shape kept; never larger.
    package func fitting(into other: PixelSize) -> PixelSize {
        if width <= other.width && height <= other.height { return self }
        if width * other.height >= height * other.width {
            return PixelSize(other.width, max(1, (height * other.width + width / 2) / width))
        }
        return PixelSize(max(1, (width * other.height + height / 2) / height), other.height)
    }
}

extension LumaImage {
    /// The brightness made smaller as ``RGBImage/downscaled(to:)`` does it.
    public func downscaled(to new: PixelSize) -> LumaImage {
        precondition(new.width > 0 && new.height > 0 && new.width <= width && new.height <= height)
        if new == size { return self }
        return LumaImage(
            width: new.width, height: new.height, pixels: AreaWeights.means(of: pixels, size, to: new, channels: 1))
    }

    /// The nearest pixels: a mask has no values in between.
    public func nearest(to new: PixelSize) -> LumaImage {
        LumaImage(
            width: new.width, height: new.height, pixels: NearestPixel.resized(pixels, size, to: new))
    }
}

extension Gray16Image {
    /// The nearest pixels: depth, whether as metres or as units, must not be mixed.
    public func nearest(to new: PixelSize) -> Gray16Image {
        Gray16Image(
            width: new.width, height: new.height, pixels: NearestPixel.resized(pixels, size, to: new))
    }
}

extension DepthMap {
    /// The nearest pixels: depth between a thing and what is behind it would be nowhere.
    public func nearest(to new: PixelSize) -> DepthMap {
        DepthMap(
            width: new.width, height: new.height, metres: NearestPixel.resized(metres, size, to: new))
    }
}

extension ConfidenceMap {
    /// The nearest pixels: levels must not be mixed.
    public func nearest(to new: PixelSize) -> ConfidenceMap {
        ConfidenceMap(
            width: new.width, height: new.height, values: NearestPixel.resized(values, size, to: new), range: range)
    }
}

/// Which pixels stand for which when a picture gets another size, smaller or larger, without mixing any.
enum NearestPixel {
    /// Of each of `new` pixels along an axis, which of the `old` ones it is: floor((u + ½) · old / new).
    static func sources(of old: Int, for new: Int) -> [Int] {
        (0..<new).map { min(old - 1, (2 * $0 + 1) * old / (2 * new)) }
    }

    fileprivate static func resized<Value: BitwiseCopyable>(
        _ values: [Value], _ size: PixelSize, to new: PixelSize
    ) -> [Value] {
        if size == new { return values }
        let columns = sources(of: size.width, for: new.width)
        let rows = sources(of: size.height, for: new.height)
        return [Value](unsafeUninitializedCapacity: new.width * new.height) { result, count in
            values.withUnsafeBufferPointer { values in
                guard let input = values.baseAddress, var output = result.baseAddress else { return }
                var before: Int?
                for row in rows {
                    if row == before {
                        output.update(from: output - new.width, count: new.width)
                    } else {
                        let line = input + row * size.width
                        for (place, column) in columns.enumerated() { output[place] = line[column] }
                    }
                    output += new.width
                    before = row
                }
            }
            count = new.width * new.height
        }
    }
}

/// How much of each old pixel lies in each new one along an axis, in units of 1 / new count of an old pixel: the parts of
/// one new pixel add up to the old count.
private struct AreaWeights {
    private let from: Int
    private let to: Int
    /// Of each new pixel, its first old one; one more at the end.
    private let starts: [Int]

    init(from: Int, to: Int) {
        self.from = from
        self.to = to
        starts = (0...to).map { $0 * from / to }
    }

    /// The old pixels of which parts may lie in a new one; none does of the last where they end together.
    @inline(__always)
    private func sources(of new: Int) -> Range<Int> { starts[new]..<min(from, starts[new + 1] + 1) }

    @inline(__always)
    private func weight(of old: Int, in new: Int) -> Int {
        max(0, min((new &+ 1) &* from, (old &+ 1) &* to) &- max(new &* from, old &* to))
    }

    /// The mean over the area of each new pixel, rounded to the nearest.
    @inline(__always)
    static func means(of pixels: [UInt8], _ size: PixelSize, to new: PixelSize, channels: Int) -> [UInt8] {
        let columns = AreaWeights(from: size.width, to: new.width)
        let rows = AreaWeights(from: size.height, to: new.height)
        let area = UInt64(size.width * size.height)
        let (oldCount, newCount) = (size.width * channels, new.width * channels)
        return [UInt8](unsafeUninitializedCapacity: newCount * new.height) { output, count in
            // Whole rows are added up first, which the compiler does for many values at once.
            var line = [UInt32](repeating: 0, count: oldCount)
            var sums = [UInt64](repeating: 0, count: newCount)
            pixels.withUnsafeBufferPointer { input in
                line.withUnsafeMutableBufferPointer { line in
                    sums.withUnsafeMutableBufferPointer { sums in
                        for y in 0..<new.height {
                            for i in 0..<oldCount { line[i] = 0 }
                            for row in rows.sources(of: y) {
                                let (start, weight) = (row * oldCount, UInt32(rows.weight(of: row, in: y)))
                                if weight == 0 { continue }
                                for i in 0..<oldCount { line[i] &+= UInt32(input[start &+ i]) &* weight }
                            }
                            columns.sum(line, into: sums, channels: channels)
                            for i in 0..<newCount { output[y * newCount + i] = UInt8((sums[i] &+ area / 2) / area) }
                        }
                    }
                }
            }
            count = newCount * new.height
        }
    }

    /// Weighted sums of a row, of its one channel or of red, green, blue.
    @inline(__always)
    func sum(
        _ line: UnsafeMutableBufferPointer<UInt32>, into sums: UnsafeMutableBufferPointer<UInt64>, channels: Int
    ) {
        for x in 0..<to {
            var (r, g, b): (UInt64, UInt64, UInt64) = (0, 0, 0)
            for old in sources(of: x) {
                let weight = UInt64(truncatingIfNeeded: weight(of: old, in: x))
                let at = old &* channels
                r &+= UInt64(line[at]) &* weight
                if channels == 3 {
                    g &+= UInt64(line[at &+ 1]) &* weight
                    b &+= UInt64(line[at &+ 2]) &* weight
                }
            }
            sums[channels * x] = r
            if channels == 3 { (sums[3 * x + 1], sums[3 * x + 2]) = (g, b) }
        }
    }
}
