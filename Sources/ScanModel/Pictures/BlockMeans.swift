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
        var results = sides.map { side in
            let size = PixelSize(image.width / side, image.height / side)
            return RGBImage(
                width: size.width, height: size.height,
                pixels: [UInt8](repeating: 0, count: size.width * size.height * 3))
        }
        let strip = Strip(width: image.width, deepest: deepest)
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: strip.capacity) { memory in
            image.pixels.withUnsafeBufferPointer { pixels in
                guard let memory = memory.baseAddress, let pixels = pixels.baseAddress else { return }
                for number in 0..<image.height >> deepest {
                    let top = pixels + number * strip.byteCount
                    for level in 1...deepest {
                        let rows = strip.rows(level)
                        let wanted = sides.firstIndex(of: 1 << level)
                        for row in 0..<rows {
                            strip.addUp(row, level, of: top, in: memory)
                            guard let wanted else { continue }
                            results[wanted].pixels.withUnsafeMutableBufferPointer { output in
                                guard let output = output.baseAddress else { return }
                                let count = strip.count(level)
                                average(
                                    memory + strip.place(row, level), count, of: level,
                                    into: output + (number * rows + row) * count)
                            }
                        }
                    }
                }
            }
        }
        return Dictionary(uniqueKeysWithValues: zip(sides, results))
    }

    /// As many rows of pixels as the largest block has, and where the sums of their blocks lie in memory: level 1 has
    /// those of 2 × 2 pixels, and each further one those of four blocks of the level before.
    private struct Strip {
        let width: Int
        /// The largest block's level.
        let deepest: Int
        /// Where each level's sums begin; before those of level 1 there is room for a row in between.
        private var starts: [Int]

        init(width: Int, deepest: Int) {
            (self.width, self.deepest) = (width, deepest)
            starts = [0]
            for level in 0...deepest {
                starts.append(starts[level] + (level == 0 ? 1 : rows(level)) * stride(level))
            }
        }

        /// The numbers that all sums take.
        var capacity: Int { starts[deepest + 1] }
        /// The pixels' bytes.
        var byteCount: Int { count(0) << deepest }
        func rows(_ level: Int) -> Int { 1 << (deepest - level) }
        /// The sums in a row, three for each block.
        func count(_ level: Int) -> Int { (width >> level) * 3 }
        /// One behind each row, which `addQuarters` writes to.
        func stride(_ level: Int) -> Int { count(level) + 1 }
        func place(_ row: Int, _ level: Int) -> Int { starts[level] + row * stride(level) }

        /// Makes a row of a level's sums, out of two rows of pixels, or of sums of the level before.
        /// - Parameter top: the first of the strip's pixels.
        @inline(__always)
        func addUp(
            _ row: Int, _ level: Int, of top: UnsafePointer<UInt8>, in memory: UnsafeMutablePointer<UInt16>
        ) {
            let target = memory + place(row, level)
            if level == 1 {
                let source = top + 2 * row * count(0)
                BlockMeans.addQuarters(source, source + count(0), count(1), by: memory, into: target)
            } else {
                let source = memory + place(2 * row, level - 1)
                BlockMeans.addQuarters(source, source + stride(level - 1), count(level), by: memory, into: target)
            }
        }
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
