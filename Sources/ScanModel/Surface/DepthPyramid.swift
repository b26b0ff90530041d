/// A min-max pyramid: what parts of a depth map hold, from maps of half, a quarter… of its size.
struct DepthPyramid {
    let size: PixelSize
    /// Halved once, twice…
    private var levels: [Level]

    struct Level {
        let width: Int
        let height: Int
        /// Row by row.
        let ranges: [DepthRange]
    }

    init(_ map: DepthMap) {
        size = map.size
        let metres = map.metres
        levels = [.halved(map.width, map.height) { DepthRange(metres[$0]) }]
        while let last = levels.last, max(last.width, last.height) > 2 {
            levels.append(.halved(last.width, last.height) { last.ranges[$0] })
        }
    }

    /// Of a rectangle, or of a somewhat larger one around it.
    func range(_ columns: PixelRange, _ rows: PixelRange) -> DepthRange {
        var halvings = 1
        // At most four values along each axis are compared.
        while max(columns.last - columns.first, rows.last - rows.first) >> halvings > 2 { halvings += 1 }
        let width = levels[halvings - 1].width
        let (left, right) = (columns.first >> halvings, columns.last >> halvings)
        return levels[halvings - 1].ranges.withUnsafeBufferPointer { ranges in
            var sum = DepthRange()
            for row in rows.first >> halvings...rows.last >> halvings {
                for column in left...right { sum.add(ranges[row &* width &+ column]) }
            }
            return sum
        }
    }
}

extension DepthPyramid.Level {
    /// Two by two ranges in one.
    /// - Parameter range: at a place of a map of that size, row by row.
    @inline(__always)
    fileprivate static func halved(_ width: Int, _ height: Int, _ range: (Int) -> DepthRange) -> Self {
        let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
        let ranges = [DepthRange](unsafeUninitializedCapacity: columns * rows) { buffer, count in
            for row in 0..<rows {
                // A last row or column that is single is its own pair.
                let (upper, lower) = (2 * row * width, min(2 * row + 1, height - 1) * width)
                for column in 0..<columns {
                    let (left, right) = (2 &* column, min(2 &* column &+ 1, width &- 1))
                    var sum = range(upper &+ left)
                    sum.add(range(upper &+ right))
                    sum.add(range(lower &+ left))
                    sum.add(range(lower &+ right))
                    buffer.initializeElement(at: row &* columns &+ column, to: sum)
                }
            }
            count = columns * rows
        }
        return Self(width: columns, height: rows, ranges: ranges)
    }
}

/// The depth of some pixels.
struct DepthRange {
    /// Without those that have no depth; infinite without any.
    var nearest: Float = .infinity
    var farthest: Float = 0
    var pixels: Float = 0
    /// Those without depth.
    var holes: Float = 0

    @inline(__always)
    mutating func add(_ other: DepthRange) {
        nearest = min(nearest, other.nearest)
        farthest = max(farthest, other.farthest)
        pixels += other.pixels
        holes += other.holes
    }
}

extension DepthRange {
    /// Of one pixel.
    @inline(__always)
    init(_ metres: Float) {
        let isHole = metres <= 0
        self.init(nearest: isHole ? .infinity : metres, farthest: metres, pixels: 1, holes: isHole ? 1 : 0)
    }
}
