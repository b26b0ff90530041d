/// The means over blocks of pixels of which a picture has a whole number, rounded to the nearest, halves up: what the way
/// over weights gives too (``RGBImage/downscaled(to:)``), in a fraction of the time.
enum BlockMeans {
    /// The largest block's side: its column sums have to fit into 16 bits, and its division is exact.
    private static let largestSide = 64

    static func divide(_ size: PixelSize, by side: Int) -> Bool {
        side <= largestSide && size.width.isMultiple(of: side) && size.height.isMultiple(of: side)
    }

    /// The mean of each block of `side` × `side` pixels. First whole rows are added up, which the compiler does for many
    /// values at once, then the columns of the few rows that are left.
    static func averaged(_ image: RGBImage, over side: Int) -> RGBImage {
        precondition(divide(image.size, by: side))
        if let halved = halved(image, by: [side])[side] { return halved }
        let (newWidth, newHeight) = (image.width / side, image.height / side)
        let rowBytes = image.width * 3
        let area = UInt32(side * side)
        // ⌊n · inverse / 2³²⌋ = ⌊n / area⌋ for n up to 2²⁰ and areas up to 2¹².
        let inverse = (UInt64(1) << 32) / UInt64(area) + 1
        let output = [UInt8](unsafeUninitializedCapacity: newWidth * newHeight * 3) { output, count in
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: rowBytes) { sums in
                image.pixels.withUnsafeBufferPointer { input in
                    guard let sums = sums.baseAddress, var source = input.baseAddress, var target = output.baseAddress
                    else { return }
                    for _ in 0..<newHeight {
                        addRows(side, of: rowBytes, at: source, into: sums)
                        source += side * rowBytes
                        averageColumns(side, of: newWidth, sums, area / 2, inverse, into: target)
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
        var i = 0
        while i < rowBytes {
            sums[i] = UInt16(source[i])
            i &+= 1
        }
        for row in 1..<max(1, rows) {
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

/// Blocks of 2, 4, 8 and 16 pixels a side, by far the most usual. The sum of a block is that of its four quarters, so that
/// each size costs a quarter of the one below; no mean is made of other means, which would be rounded twice.
extension BlockMeans {
    /// A sum of 16 × 16 bytes is the largest that fits into 16 bits.
    private static let largestHalving = 16

    /// The pictures that are smaller by those of the factors that are 2, 4, 8 or 16 and of which the picture has whole blocks;
    /// none where 2 is not among them.
    ///
    /// Goes down the picture in strips as high as the largest block: their sums stay in the cache.
    static func halved(_ image: RGBImage, by factors: [Int]) -> [Int: RGBImage] {
        let sides = Set(factors).filter {
            $0 > 1 && $0 <= largestHalving && $0.nonzeroBitCount == 1 && divide(image.size, by: $0)
        }.sorted()
        // Without halves among them, whole rows at once are faster.
        guard sides.first == 2, let deepest = sides.last?.trailingZeroBitCount else { return [:] }
        var results = sides.map { factor in
            let size = PixelSize(image.width / factor, image.height / factor)
            return RGBImage(
                width: size.width, height: size.height,
                pixels: [UInt8](repeating: 0, count: size.width * size.height * 3))
        }
        // One behind each row, which `addQuarters` writes to.
        let strides = (0...deepest).map { (image.width >> $0) * 3 + 1 }
        let rows = (0...deepest).map { 1 << (deepest - $0) }
        // A strip's sums at each level, and before them one row in between.
        var starts = [0, strides[0]]
        for level in 1...deepest { starts.append(starts[level] + rows[level] * strides[level]) }
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: starts[deepest + 1]) { sums in
            image.pixels.withUnsafeBufferPointer { pixels in
                guard let sums = sums.baseAddress, let pixels = pixels.baseAddress else { return }
                let rowBytes = image.width * 3
                for strip in 0..<image.height >> deepest {
                    for level in 1...deepest {
                        let wanted = sides.firstIndex(of: 1 << level)
                        let count = (image.width >> level) * 3
                        for row in 0..<rows[level] {
                            let target = sums + starts[level] + row * strides[level]
                            if level == 1 {
                                let source = pixels + (strip << deepest + 2 * row) * rowBytes
                                addQuarters(source, source + rowBytes, count, by: sums, into: target)
                            } else {
                                let source = sums + starts[level - 1] + 2 * row * strides[level - 1]
                                addQuarters(source, source + strides[level - 1], count, by: sums, into: target)
                            }
                            guard let wanted else { continue }
                            results[wanted].pixels.withUnsafeMutableBufferPointer { output in
                                guard let output = output.baseAddress else { return }
                                let y = strip << (deepest - level) + row
                                average(target, count, of: level, into: output + y * count)
                            }
                        }
                    }
                }
            }
        }
        return Dictionary(uniqueKeysWithValues: zip(sides, results))
    }

    /// One row of sums of two by two pixels, out of two rows.
    /// - Parameters:
    ///   - count: the sums, three for each pair of pixels.
    ///   - line: room for twice as many.
    ///   - target: room for one more.
    @inline(__always)
    private static func addQuarters<Value: FixedWidthInteger>(
        _ upper: UnsafePointer<Value>, _ lower: UnsafePointer<Value>, _ count: Int,
        by line: UnsafeMutablePointer<UInt16>, into target: UnsafeMutablePointer<UInt16>
    ) {
        // Of all neighbours, also those that belong to two blocks: without gaps it goes many at once.
        var i = 0
        while i < 2 &* count &- 3 {
            line[i] =
                UInt16(truncatingIfNeeded: upper[i]) &+ UInt16(truncatingIfNeeded: upper[i &+ 3])
                &+ UInt16(truncatingIfNeeded: lower[i]) &+ UInt16(truncatingIfNeeded: lower[i &+ 3])
            i &+= 1
        }
        // Three of every six sums are blocks. Four are moved, which is one step, and the next three replace the fourth.
        var (source, target) = (UnsafeRawPointer(line), UnsafeMutableRawPointer(target))
        i = 0
        while i < count {
            target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
            source += 12
            target += 6
            i &+= 3
        }
    }

    private static func average(
        _ sums: UnsafePointer<UInt16>, _ count: Int, of level: Int, into output: UnsafeMutablePointer<UInt8>
    ) {
        let shift = UInt16(2 * level)
        let half = UInt16(1) << (shift - 1)
        var i = 0
        while i < count {
            // The largest sum is 65,280, and 128 more still fit.
            output[i] = UInt8(truncatingIfNeeded: (sums[i] &+ half) &>> shift)
            i &+= 1
        }
    }
}
