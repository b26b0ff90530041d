/// Where the pixels of a new picture were recorded, row by row.
///
/// Apart from two products, what a lens does to a direction depends only on its distance from the axis, so the costly
/// part is looked up: around each of ``steps`` it is a straight line to within a millionth.
struct RecordedPlaces {
    /// Places are given in 64ths of a pixel; OpenCV's remap makes do with 32nds.
    static let bits: Int32 = 6
    static let one: UInt32 = 1 << bits

    /// The pixel that is nearest to a place.
    @inline(__always)
    static func nearest(_ place: Int32) -> Int { Int((place &+ Int32(one / 2)) >> bits) }

    private let size: PixelSize
    private let old: CameraIntrinsics
    private let new: CameraIntrinsics
    private let lens: LensDistortion
    /// ``LensDistortion/factors(_:)`` at each step of r², and how fast they grow there. `sideways` is stored squared,
    /// the only way it is used.
    private let outward: [SIMD2<Float>]
    /// Empty if it is 1 everywhere, or not needed.
    private let sideways: [SIMD2<Float>]
    private let stepsPerSquare: Float

    private static let steps = 4096

    /// - Parameter size: of the map, at any size.
    init(_ undistortion: Undistortion, of size: PixelSize) {
        self.size = size
        old = undistortion.recorded.intrinsics.resized(to: size).counted(from: .centre)
        new = undistortion.camera.resized(to: size).counted(from: .centre)
        let lens = undistortion.recorded.lens
        self.lens = lens
        // Rows end with pixels that make their number a multiple of four.
        let x = max(abs(new.cx), abs(Double(size.width + 2) - new.cx)) / new.fx
        let y = max(abs(new.cy), abs(Double(size.height - 1) - new.cy)) / new.fy
        let step = max((x * x + y * y) * 1.000_01, 1e-12) / Double(Self.steps)
        stepsPerSquare = Float(1 / step)
        // Neighbours share the places half-way between them.
        let halves = (0...2 * Self.steps + 3).map { lens.factors(Double($0) * step / 2) }
        outward = Self.lines(through: halves.map(\.outward))
        let isPlain = lens.projection == .perspective && !lens.isRadialFirst && lens.prism == .zero
        sideways = isPlain || !lens.bendsSideways ? [] : Self.lines(through: halves.map { $0.sideways * $0.sideways })
    }

    /// Every second value, and by how much the values grow from half a step before it to half a step after it.
    private static func lines(through halves: [Double]) -> [SIMD2<Float>] {
        stride(from: 0, to: halves.count - 1, by: 2).map { place in
            let slope = place == 0 ? 2 * (halves[1] - halves[0]) : halves[place + 1] - halves[place - 1]
            return SIMD2(Float(halves[place]), Float(slope))
        }
    }

    /// Calls `body` with each row: x and y of each of its pixels in 64ths of a recorded pixel, from the centre of the
    /// top-left one, within the picture.
    @inline(__always)
    func eachRow(_ body: (Int, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Void) {
        let quarters = (size.width + 3) / 4
        let directions = (0..<quarters).map { quarter in
            SIMD4<Float>((0..<4).map { Float((Double(4 * quarter + $0) - new.cx) / new.fx) })
        }
        withUnsafeTemporaryAllocation(of: SIMD4<Int32>.self, capacity: 2 * quarters) { places in
            guard let xs = places.baseAddress else { return }
            let ys = xs + quarters
            for row in 0..<size.height {
                find(row, directions, xs, ys)
                xs.withMemoryRebound(to: Int32.self, capacity: 4 * quarters) { xs in
                    ys.withMemoryRebound(to: Int32.self, capacity: 4 * quarters) { ys in body(row, xs, ys) }
                }
            }
        }
    }

    /// - Parameter directions: x of a row's pixels, at distance 1 in front of the new camera.
    private func find(
        _ row: Int, _ directions: [SIMD4<Float>], _ xs: UnsafeMutablePointer<SIMD4<Int32>>,
        _ ys: UnsafeMutablePointer<SIMD4<Int32>>
    ) {
        let parts = Float(Self.one)
        let (right, bottom) = (Float(size.width - 1) * parts, Float(size.height - 1) * parts)
        let (fx, fy) = (Float(old.fx) * parts, Float(old.fy) * parts)
        let (cx, cy) = (Float(old.cx) * parts, Float(old.cy) * parts)
        let (p1, p2) = (Float(lens.tangential.x), Float(lens.tangential.y))
        let prism = SIMD4<Float>(lens.prism)
        let y = Float((Double(row) - new.cy) / new.fy)
        let y2 = y * y
        outward.withUnsafeBufferPointer { outward in
            sideways.withUnsafeBufferPointer { sideways in
                directions.withUnsafeBufferPointer { directions in
                    for quarter in 0..<directions.count {
                        let x = directions[quarter]
                        let x2 = x * x
                        let r2 = x2 + y2
                        let step = r2 * stepsPerSquare
                        // Nothing is looked up beyond the table, whatever the numbers.
                        let number = Self.rounded(step)
                        let whole = number.replacing(with: Int32(Self.steps), where: number .> Int32(Self.steps))
                        let rest = step - SIMD4<Float>(whole)
                        let q = Self.value(of: outward, at: whole, rest)
                        let xy = x * (2 * y)
                        var u = p1 * xy + p2 * (r2 + 2 * x2)
                        var v = p1 * (r2 + 2 * y2) + p2 * xy
                        if !sideways.isEmpty {
                            let square = Self.value(of: sideways, at: whole, rest)
                            let t2 = square * r2
                            u = square * u + t2 * (prism.x + t2 * prism.y)
                            v = square * v + t2 * (prism.z + t2 * prism.w)
                        }
                        xs[quarter] = Self.rounded(Self.within(fx * (x * q + u) + cx, right))
                        ys[quarter] = Self.rounded(Self.within(fy * (y * q + v) + cy, bottom))
                    }
                }
            }
        }
    }

    /// - Parameter rest: how far beyond the steps, in steps.
    @inline(__always)
    private static func value(
        of lines: UnsafeBufferPointer<SIMD2<Float>>, at steps: SIMD4<Int32>, _ rest: SIMD4<Float>
    ) -> SIMD4<Float> {
        let (a, b) = (lines[Int(steps[0])], lines[Int(steps[1])])
        let (c, d) = (lines[Int(steps[2])], lines[Int(steps[3])])
        return SIMD4(a.x, b.x, c.x, d.x) + rest * SIMD4(a.y, b.y, c.y, d.y)
    }

    @inline(__always)
    private static func within(_ values: SIMD4<Float>, _ most: Float) -> SIMD4<Float> {
        // NaN is not within either.
        values.replacing(with: 0, where: .!(values .>= 0)).replacing(with: most, where: values .> most)
    }

    /// - Parameter values: from 0 to 2²², so that with 2²³ added the last bit of a float stands for 1. A plain
    ///   conversion costs several times as much, because it checks whether every number fits.
    @inline(__always)
    private static func rounded(_ values: SIMD4<Float>) -> SIMD4<Int32> {
        let raised = values + 0x1p23
        return unsafeBitCast(raised, to: SIMD4<Int32>.self) & 0x3f_ffff
    }
}
