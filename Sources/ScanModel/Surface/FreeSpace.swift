/// Where there is nothing: how many frames looked through each block of a ``DistanceVolume``.
///
/// A frame names as few cubes as fill the space through which it looked, so their number grows with that space's surface, not
/// with its volume.
struct FreeSpace: Sendable {
    private var counts: [BlockCube: Int] = [:]
    private var highestLevel = 0

    mutating func add(_ cubes: [BlockCube]) {
        for cube in cubes {
            counts[cube, default: 0] += 1
            highestLevel = max(highestLevel, cube.level)
        }
    }

    /// How many frames looked through a block.
    func count(of block: BlockIndex) -> Int {
        if counts.isEmpty { return 0 }
        return (0...highestLevel).reduce(0) { $0 + counts[BlockCube(around: block, level: $1), default: 0] }
    }
}

/// A cube of 2ˡᵉᵛᵉˡ blocks along each side.
package struct BlockCube: Hashable, Sendable {
    /// In its own sides, from the world's origin.
    package let x: Int
    package let y: Int
    package let z: Int
    package let level: Int

    /// Of the largest there are.
    static let lastLevel = 20

    init(x: Int, y: Int, z: Int, level: Int) {
        (self.x, self.y, self.z, self.level) = (x, y, z, level)
    }

    init(around block: BlockIndex, level: Int) {
        self.init(x: Int(block.x) >> level, y: Int(block.y) >> level, z: Int(block.z) >> level, level: level)
    }

    /// One of the eight cubes of half its side.
    func part(_ number: Int) -> BlockCube {
        BlockCube(x: 2 * x + number & 1, y: 2 * y + number >> 1 & 1, z: 2 * z + number >> 2, level: level - 1)
    }
}

/// Looks for the blocks through which a frame saw. That is a block of which all pixels onto which it falls, grown by a voxel
/// on all sides, have seen something farther away: so no surface that the frame saw is nearer to any of its samples than a
/// voxel, however slanted it is. A few pixels may have no depth, as along edges; of a thin thing that is seen without depth
/// they would be more. Beyond the depth at which a pixel covers a block a frame says nothing.
///
/// Cubes are halved where that is true of a part of them alone: an octree. However far away the frame saw something, and
/// however wildly its depth changes from pixel to pixel, their number is bounded by that of the pixels times the focal
/// length.
struct FreeSpaceSearch {
    private let layout: VolumeLayout
    private let axes: PixelAxes
    private let depths: DepthPyramid
    /// The depth beyond which a pixel covers more than a block.
    private let reach: Float
    /// Of a cube of each level.
    private let corners: [CubeCorners]
    private var found: [BlockCube] = []

    /// The cubes, none of which lies in another.
    static func cubes(of frame: VolumeFrame, in layout: VolumeLayout) -> [BlockCube] {
        guard let farthest = frame.depth.metres.max(), farthest > 0 else { return [] }
        var search = FreeSpaceSearch(frame, layout)
        let reach = Double(min(farthest, search.reach))
        for cube in layout.cubes(before: frame.view, farthest: reach) { search.look(at: cube) }
        return search.found
    }

    private init(_ frame: VolumeFrame, _ layout: VolumeLayout) {
        let axes = PixelAxes(frame.view)
        (self.layout, self.axes) = (layout, axes)
        depths = DepthPyramid(frame.depth)
        reach = Float(layout.reach(of: frame.view.camera))
        corners = (0...BlockCube.lastLevel).map { CubeCorners(axes, level: $0, layout) }
    }

    private mutating func look(at cube: BlockCube) {
        switch sight(of: cube) {
        case .clear: found.append(cube)
        case .blocked: return
        case .partly:
            if cube.level == 0 { return }
            if cube.level > 3 { Heartbeat.beat() }
            for part in 0..<8 { look(at: cube.part(part)) }
        }
    }

    private enum Sight {
        /// The frame has looked through all of it.
        case clear
        /// It has looked through no block of it.
        case blocked
        case partly
    }

    /// The share of a block's pixels that may have no depth.
    private static let mostHoles: Float = 0.0625

    private func sight(of cube: BlockCube) -> Sight {
        let side = layout.side(of: cube.level)
        let middle = Vector3(Double(cube.x) + 0.5, Double(cube.y) + 0.5, Double(cube.z) + 0.5) * side - axes.eye
        let corners = corners[cube.level]
        let middleDepth = Float(axes.z.dot(middle))
        let depth = corners.z + middleDepth
        let (near, far) = depth.extremes
        if far <= 0 || near > reach { return .blocked }
        // As far from the middle of the picture as they fall, times their depth.
        let (u, v) = (corners.u + Float(axes.u.dot(middle)), corners.v + Float(axes.v.dot(middle)))
        if near <= 0 { return isBeside(u, v, depth) ? .blocked : .partly }
        let inverse = 1 / depth
        let columns = PixelRange(u * inverse + axes.center.u, below: depths.size.width)
        let rows = PixelRange(v * inverse + axes.center.v, below: depths.size.height)
        guard let columns, let rows else { return .blocked }
        let seen = depths.range(columns, rows)
        if seen.farthest <= middleDepth + corners.leastDepth { return .blocked }
        // All of its blocks fall between the same pixels, so each of them would be compared with the same ones. One of
        // these saw something nearer.
        if seen.nearest <= near && columns.isNarrow && rows.isNarrow { return .blocked }
        let isClear = seen.nearest > far && seen.holes <= mostHoles(of: cube, near, far) * seen.pixels
        return isClear && columns.isWhole && rows.isWhole ? .clear : .partly
    }

    /// The share of a cube's pixels that may have no depth: if all of these belong to one of its blocks, the farthest, they
    /// are no more than that may have.
    private func mostHoles(of cube: BlockCube, _ near: Float, _ far: Float) -> Float {
        if cube.level == 0 { return Self.mostHoles }
        let share = near / far / Float(1 << cube.level)
        return Self.mostHoles * share * share
    }

    /// Whether a cube that reaches behind the camera lies wholly beyond one side of what it sees.
    private func isBeside(_ u: SIMD8<Float>, _ v: SIMD8<Float>, _ depth: SIMD8<Float>) -> Bool {
        func isBeside(_ places: SIMD8<Float>, _ center: Float, _ count: Int) -> Bool {
            let fromFirst = places + depth * center
            let fromLast = places + depth * (center - Float(count - 1))
            return fromFirst.extremes.greatest < 0 || fromLast.extremes.least > 0
        }
        return isBeside(u, axes.center.u, depths.size.width) || isBeside(v, axes.center.v, depths.size.height)
    }
}

/// What a cube's eight corners add to what ``PixelAxes`` gives for its middle.
private struct CubeCorners {
    let u: SIMD8<Float>
    let v: SIMD8<Float>
    let z: SIMD8<Float>
    /// The depth that a pixel must have seen at least if a block of the cube is to be clear: that of the farthest corner of
    /// the nearest of them, as ``z`` counts it.
    let leastDepth: Float

    init(_ axes: PixelAxes, level: Int, _ layout: VolumeLayout) {
        let half = layout.side(of: level) / 2 + layout.voxel
        func values(_ axis: Vector3) -> SIMD8<Float> {
            let x = SIMD8<Float>(-1, 1, -1, 1, -1, 1, -1, 1) * Float(axis.x * half)
            let y = SIMD8<Float>(-1, -1, 1, 1, -1, -1, 1, 1) * Float(axis.y * half)
            let z = SIMD8<Float>(-1, -1, -1, -1, 1, 1, 1, 1) * Float(axis.z * half)
            return x + y + z
        }
        (u, v, z) = (values(axes.u), values(axes.v), values(axes.z))
        let perHalf = axes.z.components.reduce(0) { $0 + $1.magnitude }
        leastDepth = Float(perHalf * (layout.block + 2 * layout.voxel - half))
    }
}

extension SIMD8<Float> {
    /// The least and the greatest. What the standard library has for it looks at one value at a time.
    @inline(__always)
    fileprivate var extremes: (least: Float, greatest: Float) {
        let four = (low: lowHalf, high: highHalf)
        let isLess = four.low .< four.high
        let least = four.high.replacing(with: four.low, where: isLess)
        let greatest = four.low.replacing(with: four.high, where: isLess)
        return (
            Swift.min(Swift.min(least.x, least.y), Swift.min(least.z, least.w)),
            Swift.max(Swift.max(greatest.x, greatest.y), Swift.max(greatest.z, greatest.w))
        )
    }
}

/// The pixels of a row or a column between whose centres something falls. A pixel's depth is that of its centre. Beside it a
/// slanted surface may be nearer than there, but then it is nearer still at the next centre: so both are looked at.
struct PixelRange {
    let first: Int
    let last: Int
    /// Whether it falls nowhere else.
    let isWhole: Bool
    /// Whether it falls between two neighbours.
    var isNarrow: Bool { last - first <= 1 }

    /// - Parameter places: of its corners; pixel 0 has its centre at 0.
    /// - Returns: nil if it falls beside all pixels.
    @inline(__always)
    init?(_ places: SIMD8<Float>, below count: Int) {
        let (least, greatest) = places.extremes
        let end = Float(count - 1)
        guard greatest >= 0, least <= end else { return nil }
        first = Int(max(least, 0))
        last = Int(min(greatest.rounded(.up), end))
        isWhole = least >= 0 && greatest <= end
    }
}

extension VolumeLayout {
    /// Metres along each side of a cube.
    fileprivate func side(of level: Int) -> Double { block * Double(1 << level) }

    /// At most eight cubes, which hold all that a frame can have looked through.
    /// - Parameters:
    ///   - view: of its depth map, in pixels whose centres are at whole numbers.
    ///   - farthest: of its depth, metres.
    fileprivate func cubes(before view: CameraView, farthest: Double) -> [BlockCube] {
        let (camera, pose) = (view.camera, view.pose)
        // The eye, and what the outermost pixels see there.
        var ends = [pose.position]
        for u in [0, Double(camera.width - 1)] {
            for v in [0, Double(camera.height - 1)] {
                let ray = Vector3((u - camera.cx) / camera.fx, -(v - camera.cy) / camera.fy, -1)
                ends.append(pose.position + pose.rotation * ray * farthest)
            }
        }
        // Farther out than 2²⁰ blocks there are none.
        let reach = side(of: BlockCube.lastLevel)
        func extent(_ part: (Vector3) -> Double) -> ClosedRange<Double>? {
            let values = ends.map(part)
            guard let low = values.min(), let high = values.max(), low > -reach, high < reach else { return nil }
            return low...high
        }
        guard let x = extent(\.x), let y = extent(\.y), let z = extent(\.z) else { return [] }
        let longest = [x, y, z].map { $0.upperBound - $0.lowerBound }.max() ?? 0
        let level = (0...BlockCube.lastLevel).first { side(of: $0) >= longest }
        guard let level else { return [] }
        let length = side(of: level)
        func numbers(_ extent: ClosedRange<Double>) -> ClosedRange<Int> {
            Int((extent.lowerBound / length).rounded(.down))...Int((extent.upperBound / length).rounded(.down))
        }
        return numbers(z).flatMap { z in
            numbers(y).flatMap { y in numbers(x).map { BlockCube(x: $0, y: y, z: z, level: level) } }
        }
    }
}
