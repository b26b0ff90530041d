extension RGBImage {
    /// The size of a picture that is smaller by a whole factor: rounded down, as nerfstudio's loader does.
    public static func downscaledSize(_ size: PixelSize, by factor: Int) -> PixelSize {
        PixelSize(max(1, size.width / factor), max(1, size.height / factor))
    }

    /// The picture made smaller by a whole factor, as ``downscaled(to:)`` does it.
    public func downscaled(by factor: Int) -> RGBImage {
        precondition(factor > 0)
        return downscaled(to: Self.downscaledSize(size, by: factor))
    }

    /// The size with a given width and the same shape; never larger.
    public static func downscaledSize(_ size: PixelSize, toWidth width: Int) -> PixelSize {
        size.fitting(into: PixelSize(width, size.height))
    }

    /// The picture made smaller by the mean over the area of each new pixel, rounded to the nearest. Where the size is no
    /// multiple of the new one, pixels on a border count by the part that lies inside; all of it in whole numbers, so that
    /// the result is exact.
    /// - Parameter new: no larger than the picture on either side.
    public func downscaled(to new: PixelSize) -> RGBImage {
        precondition(new.width > 0 && new.height > 0 && new.width <= width && new.height <= height)
        if new == size { return self }
        let factor = width / new.width
        if width == new.width * factor && height == new.height * factor && factor <= Self.largestBlock {
            return averaged(over: factor)
        }
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

extension RGBImage {
    /// The largest factor of ``averaged(over:)``: its column sums have to fit into 16 bits, and its division is exact.
    private static let largestBlock = 64

    /// The mean of each block of `factor` × `factor` pixels, rounded to the nearest, halves up: what the way over weights
    /// gives too, in a fraction of the time. First whole rows are added up, which the compiler does for many values at
    /// once, then the columns of the few rows that are left.
    private func averaged(over factor: Int) -> RGBImage {
        let (newWidth, newHeight) = (width / factor, height / factor)
        let rowBytes = width * 3
        let area = UInt32(factor * factor)
        // ⌊n · inverse / 2³²⌋ = ⌊n / area⌋ for n up to 2²⁰ and areas up to 2¹².
        let inverse = (UInt64(1) << 32) / UInt64(area) + 1
        let output = [UInt8](unsafeUninitializedCapacity: newWidth * newHeight * 3) { output, count in
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: rowBytes) { sums in
                pixels.withUnsafeBufferPointer { input in
                    guard let sums = sums.baseAddress, var source = input.baseAddress, var target = output.baseAddress
                    else { return }
                    for _ in 0..<newHeight {
                        Self.addRows(factor, of: rowBytes, at: source, into: sums)
                        source += factor * rowBytes
                        Self.averageColumns(factor, of: newWidth, sums, area / 2, inverse, into: target)
                        target += newWidth * 3
                    }
                }
            }
            count = newWidth * newHeight * 3
        }
        return RGBImage(width: newWidth, height: newHeight, pixels: output)
    }

    private static func addRows(
        _ rows: Int, of rowBytes: Int, at source: UnsafePointer<UInt8>, into sums: UnsafeMutablePointer<UInt16>
    ) {
        let second = source + rowBytes
        var i = 0
        while i < rowBytes {
            sums[i] = UInt16(source[i]) &+ UInt16(second[i])
            i &+= 1
        }
        for row in 2..<max(2, rows) {
            let line = source + row * rowBytes
            i = 0
            while i < rowBytes {
                sums[i] &+= UInt16(line[i])
                i &+= 1
            }
        }
    }

    private static func averageColumns(
        _ columns: Int, of width: Int, _ sums: UnsafePointer<UInt16>, _ half: UInt32, _ inverse: UInt64,
        into target: UnsafeMutablePointer<UInt8>
    ) {
        var (source, target) = (sums, target)
        if columns == 2 {
            // By far the most usual factor; its four pixels fit into the sums' own type.
            for _ in 0..<width {
                target[0] = UInt8(truncatingIfNeeded: (source[0] &+ source[3] &+ 2) >> 2)
                target[1] = UInt8(truncatingIfNeeded: (source[1] &+ source[4] &+ 2) >> 2)
                target[2] = UInt8(truncatingIfNeeded: (source[2] &+ source[5] &+ 2) >> 2)
                source += 6
                target += 3
            }
            return
        }
        for _ in 0..<width {
            var (r, g, b) = (half, half, half)
            var column = 0
            while column < columns {
                r &+= UInt32(source[0])
                g &+= UInt32(source[1])
                b &+= UInt32(source[2])
                source += 3
                column &+= 1
            }
            target[0] = UInt8(truncatingIfNeeded: (UInt64(r) &* inverse) >> 32)
            target[1] = UInt8(truncatingIfNeeded: (UInt64(g) &* inverse) >> 32)
            target[2] = UInt8(truncatingIfNeeded: (UInt64(b) &* inverse) >> 32)
            target += 3
        }
    }
}

extension PixelSize {
    /// The size of a picture of this size that was made smaller to lie within another, its shape kept.
    package func fitting(into other: PixelSize) -> PixelSize {
        if width <= other.width && height <= other.height { return self }
        if width * other.height >= height * other.width {
            return PixelSize(other.width, max(1, (height * other.width + width / 2) / width))
        }
        return PixelSize(max(1, (width * other.height + height / 2) / height), other.height)
    }
}

extension LumaImage {
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
package enum NearestPixel {
    /// Of each of `new` pixels along an axis, which of the `old` ones it is: floor((u + ½) · old / new).
    package static func sources(of old: Int, for new: Int) -> [Int] {
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
