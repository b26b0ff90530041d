/// Depth for readers that know no missing value.
extension DepthMap {
    /// The map with each pixel that has no depth given that of a nearest one that has, counted in steps up, down, left and
    /// right; the same map where no pixel has any.
    public func fillingHoles() -> DepthMap {
        guard validCount < metres.count else { return self }
        var filled = self
        // From all pixels with depth at once, a step at a time: each is reached first from a nearest one.
        var reached = metres.indices.filter { metres[$0] > 0 }
        reached.reserveCapacity(metres.count)
        func step(from: Int, to: Int) {
            if filled.metres[to] > 0 { return }
            filled.metres[to] = filled.metres[from]
            reached.append(to)
        }
        var next = 0
        while next < reached.count {
            let pixel = reached[next]
            let column = pixel % width
            if pixel >= width { step(from: pixel, to: pixel - width) }
            if column > 0 { step(from: pixel, to: pixel - 1) }
            if column + 1 < width { step(from: pixel, to: pixel + 1) }
            if pixel + width < metres.count { step(from: pixel, to: pixel + width) }
            next += 1
        }
        return filled
    }
}
