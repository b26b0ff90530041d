extension RGBImage {
    /// The size of a picture that is smaller by a whole factor: rounded down, as nerfstudio's loader does.
    public static func downscaledSize(_ size: PixelSize, by factor: Int) -> PixelSize {
        PixelSize(max(1, size.width / factor), max(1, size.height / factor))
    }

    /// The picture made smaller by a whole factor, as ``downscaled(to:)`` does it.
    public func downscaled(by factor: Int) -> RGBImage {
        precondition(factor > 0)
        return downscaled(to: Self.downscaledSize(PixelSize(width, height), by: factor))
    }

    /// The picture made smaller by the mean over the area of each new pixel, rounded to the nearest. Where the size is no
    /// multiple of the new one, pixels on a border count by the part that lies inside; all of it in whole numbers, so that
    /// the result is exact.
    /// - Parameter new: no larger than the picture on either side.
    public func downscaled(to new: PixelSize) -> RGBImage {
        precondition(new.width > 0 && new.height > 0 && new.width <= width && new.height <= height)
        if new == PixelSize(width, height) { return self }
        let columns = AreaWeights(from: width, to: new.width)
        let rows = AreaWeights(from: height, to: new.height)
        let area = UInt64(width * height)
        let rowCount = new.width * 3
        let output = [UInt8](unsafeUninitializedCapacity: rowCount * new.height) { output, count in
            var line = [UInt32](repeating: 0, count: rowCount)
            var sums = [UInt64](repeating: 0, count: rowCount)
            pixels.withUnsafeBufferPointer { input in
                line.withUnsafeMutableBufferPointer { line in
                    sums.withUnsafeMutableBufferPointer { sums in
                        for y in 0..<new.height {
                            for i in 0..<rowCount { sums[i] = 0 }
                            for (row, weight) in rows.parts(of: y) {
                                columns.sum(input, row: row, width: width, into: line)
                                for i in 0..<rowCount { sums[i] &+= UInt64(line[i]) &* UInt64(weight) }
                            }
                            for i in 0..<rowCount { output[y * rowCount + i] = UInt8((sums[i] &+ area / 2) / area) }
                        }
                    }
                }
            }
            count = rowCount * new.height
        }
        return RGBImage(width: new.width, height: new.height, pixels: output)
    }
}

extension LumaImage {
    /// The nearest pixels: a mask has no values in between.
    public func nearest(width newWidth: Int, height newHeight: Int) -> LumaImage {
        LumaImage(
            width: newWidth, height: newHeight,
            pixels: NearestPixel.resized(pixels, PixelSize(width, height), to: PixelSize(newWidth, newHeight)))
    }
}

extension Gray16Image {
    /// The nearest pixels: depth, whether as metres or as units, must not be mixed.
    public func nearest(width newWidth: Int, height newHeight: Int) -> Gray16Image {
        Gray16Image(
            width: newWidth, height: newHeight,
            pixels: NearestPixel.resized(pixels, PixelSize(width, height), to: PixelSize(newWidth, newHeight)))
    }
}

extension DepthMap {
    /// The nearest pixels: depth between a thing and what is behind it would be nowhere.
    public func nearest(width newWidth: Int, height newHeight: Int) -> DepthMap {
        DepthMap(
            width: newWidth, height: newHeight,
            metres: NearestPixel.resized(metres, PixelSize(width, height), to: PixelSize(newWidth, newHeight)))
    }
}

private enum NearestPixel {
    /// Pixel u of the new picture is the one at floor((u + ½) · w / w').
    static func resized<Value>(_ values: [Value], _ size: PixelSize, to new: PixelSize) -> [Value] {
        if size == new { return values }
        let columns = (0..<new.width).map { min(size.width - 1, (2 * $0 + 1) * size.width / (2 * new.width)) }
        var result: [Value] = []
        result.reserveCapacity(new.width * new.height)
        for v in 0..<new.height {
            let row = min(size.height - 1, (2 * v + 1) * size.height / (2 * new.height)) * size.width
            for column in columns { result.append(values[row + column]) }
        }
        return result
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

    func parts(of index: Int) -> [(index: Int, weight: Int)] {
        let (low, high) = (index * from, (index + 1) * from)
        return (starts[index]...min(from - 1, starts[index + 1])).compactMap { old in
            let weight = min(high, (old + 1) * to) - max(low, old * to)
            return weight > 0 ? (old, weight) : nil
        }
    }

    /// Weighted sums of a row of red, green, blue.
    func sum(
        _ input: UnsafeBufferPointer<UInt8>, row: Int, width: Int, into line: UnsafeMutableBufferPointer<UInt32>
    ) {
        let base = row * width * 3
        for x in 0..<to {
            let (low, high) = (x * from, (x + 1) * from)
            var (r, g, b): (UInt32, UInt32, UInt32) = (0, 0, 0)
            var old = starts[x]
            let last = min(from - 1, starts[x + 1])
            while old <= last {
                let weight = UInt32(truncatingIfNeeded: max(0, min(high, (old &+ 1) &* to) &- max(low, old &* to)))
                let at = base &+ old &* 3
                r &+= UInt32(input[at]) &* weight
                g &+= UInt32(input[at &+ 1]) &* weight
                b &+= UInt32(input[at &+ 2]) &* weight
                old &+= 1
            }
            line[3 * x] = r
            line[3 * x + 1] = g
            line[3 * x + 2] = b
        }
    }
}
