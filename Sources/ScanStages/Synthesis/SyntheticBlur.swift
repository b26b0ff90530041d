import ScanModel

extension RGBImage {
    /// The mean over (2 · radius + 1)² pixels, along rows and then along columns, rounded to the nearest both times;
    /// edge pixels are repeated beyond the picture.
    package func boxBlurred(radius: Int) -> RGBImage {
        let across = averaged(lines: (count: height, stride: width * 3), along: (count: width, stride: 3), radius)
        return across.averaged(lines: (count: 1, stride: 0), along: (count: height, stride: width * 3), radius)
    }

    /// The running mean along each line. The `stride` bytes of a step (3 channels, or a whole row) run side by side.
    private func averaged(
        lines: (count: Int, stride: Int), along steps: (count: Int, stride: Int), _ radius: Int
    ) -> RGBImage {
        let (width, last) = (steps.stride, steps.count - 1)
        // n / size as a multiplication: exact for n < 2²⁴ / size, and n is below 256 · size.
        let size = 2 * radius + 1
        precondition(size < 256)
        let inverse = UInt64((1 << 24) / size + 1)
        var sums = [UInt32](repeating: 0, count: width)
        var result = pixels
        pixels.withUnsafeBufferPointer { source in
            result.withUnsafeMutableBufferPointer { target in
                sums.withUnsafeMutableBufferPointer { sums in
                    for line in 0..<lines.count {
                        let start = line * lines.stride
                        for i in 0..<width { sums[i] = UInt32(radius) }
                        for k in -radius...radius {
                            let from = start + min(max(k, 0), last) * width
                            for i in 0..<width { sums[i] &+= UInt32(source[from &+ i]) }
                        }
                        for k in 0..<steps.count {
                            let to = start &+ k &* width
                            let entering = start &+ min(k &+ radius &+ 1, last) &* width
                            let leaving = start &+ max(k &- radius, 0) &* width
                            for i in 0..<width {
                                target[to &+ i] = UInt8(truncatingIfNeeded: (UInt64(sums[i]) &* inverse) >> 24)
                                sums[i] &+= UInt32(source[entering &+ i])
                                sums[i] &-= UInt32(source[leaving &+ i])
                            }
                        }
                    }
                }
            }
        }
        return RGBImage(width: self.width, height: height, pixels: result)
    }
}
