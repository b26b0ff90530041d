/// How a ``DistanceVolume`` divides the world.
public struct VolumeLayout: Hashable, Sendable {
    /// Metres between two samples of the volume.
    public let voxel: Double
    /// Metres in front of and behind a surface within which distances are told apart.
    public let truncation: Double

    /// Samples along each side of a block.
    static let side = 8
    static let rows = side * side
    static let samples = side * rows

    var block: Double { voxel * Double(Self.side) }

    public init(voxel: Double, truncation: Double) {
        precondition(voxel > 0 && truncation > 0)
        self.voxel = voxel
        self.truncation = truncation
    }

    /// The depth beyond which neighbouring pixels of a camera lie more than a block apart: metres.
    func reach(of camera: CameraIntrinsics) -> Double { block * min(camera.fx, camera.fy) }

    /// The depth beyond which what a camera saw is no surface: every pixel would open blocks of its own, and a value that
    /// means "nothing measured" would take all memory. Nearer, as far as sensors measure, it may be surface however small
    /// the voxels are.
    func farthest(of camera: CameraIntrinsics) -> Double { max(10, reach(of: camera)) }

    /// All blocks within the truncation of a point, along the ray on which it was seen, and a voxel to each side.
    /// - Parameter farthest: the depth up to which points count.
    func blocks(
        around points: PointCloud, seenFrom eye: Vector3, depths: [Float], upTo farthest: Float
    ) -> [BlockIndex] {
        var found = BlockSet()
        let perMetre = Float(1 / block)
        let margin = Float(1) / Float(Self.side)
        let reach = Float(truncation)
        let eye = (Float(eye.x), Float(eye.y), Float(eye.z))
        var last: BlockRange?
        points.positions.withUnsafeBufferPointer { positions in
            for i in depths.indices where depths[i] <= farthest {
                let (x, y, z) = (positions[3 &* i], positions[3 &* i &+ 1], positions[3 &* i &+ 2])
                // Half the way along the ray, half the extent along each axis, and the middle, in blocks.
                let share = reach / depths[i] * perMetre
                let way = ((x - eye.0) * share, (y - eye.1) * share, (z - eye.2) * share)
                let half = (abs(way.0) + margin, abs(way.1) + margin, abs(way.2) + margin)
                let middle = (x * perMetre, y * perMetre, z * perMetre)
                let range = BlockRange(around: middle, half)
                let longest = max(half.0, half.1, half.2)
                if longest <= 2 {
                    // Neighbouring pixels mostly reach the same blocks.
                    if range == last { continue }
                    last = range
                }
                // Farther out, single precision no longer tells samples apart.
                guard range.low.isInReach, range.high.isInReach else { continue }
                if longest <= 2 {
                    found.insert(range)
                    continue
                }
                // Of the box around a ray that is long and slanted, few blocks lie on the ray.
                let pieces = longest.rounded(.up)
                let part = (abs(way.0) / pieces + margin, abs(way.1) / pieces + margin, abs(way.2) / pieces + margin)
                for piece in stride(from: 1 / pieces - 1, to: 1, by: 2 / pieces) {
                    let middle = (middle.0 + piece * way.0, middle.1 + piece * way.1, middle.2 + piece * way.2)
                    found.insert(BlockRange(around: middle, part))
                }
            }
        }
        return found.blocks
    }
}

/// A box of blocks.
struct BlockRange: Equatable {
    let low: BlockIndex
    let high: BlockIndex

    /// Those that a box touches.
    /// - Parameters:
    ///   - middle: of the box, in blocks.
    ///   - half: of its sides.
    @inline(__always)
    init(around middle: (Float, Float, Float), _ half: (Float, Float, Float)) {
        low = BlockIndex(
            x: (middle.0 - half.0).block, y: (middle.1 - half.1).block, z: (middle.2 - half.2).block)
        high = BlockIndex(
            x: (middle.0 + half.0).block, y: (middle.1 + half.1).block, z: (middle.2 + half.2).block)
    }
}

extension Float {
    /// The block that begins at or below it; far out of reach, if it is more than 2²² or no number. It may be the one
    /// below where this is a whole number.
    @inline(__always)
    fileprivate var block: Int32 { Int32(bitPattern: (self - 0.5).roundedBits) }
}

/// The number of a block of a ``DistanceVolume`` along each axis, counted from the world's origin.
package struct BlockIndex: Hashable, Sendable {
    package let x: Int32
    package let y: Int32
    package let z: Int32

    func advanced(_ dx: Int, _ dy: Int, _ dz: Int) -> BlockIndex {
        BlockIndex(x: x &+ Int32(dx), y: y &+ Int32(dy), z: z &+ Int32(dz))
    }

    /// Whether it is among the numbers that blocks have.
    var isInReach: Bool {
        let range: Range<Int32> = -1_000_000..<1_000_000
        return range.contains(x) && range.contains(y) && range.contains(z)
    }

    /// 21 bits for each axis: blocks are numbered from −2²⁰ to 2²⁰ − 1.
    var packed: UInt64 {
        func bits(_ value: Int32) -> UInt64 { UInt64(truncatingIfNeeded: value) & 0x1F_FFFF }
        return bits(x) << 42 | bits(y) << 21 | bits(z)
    }
}

/// Blocks, each of them once, in the order in which they were put in. Swift's own sets hash with care for hostile keys, which
/// takes as long as all the rest of preparing a frame.
struct BlockSet {
    private(set) var blocks: [BlockIndex] = []
    /// Numbers of blocks plus 1; 0 is an empty slot. A power of two long, at least twice as long as `blocks`.
    private var slots = [Int32](repeating: 0, count: 4096)

    mutating func insert(_ block: BlockIndex) {
        let mask = slots.count - 1
        var at = block.packed.fibonacciHash & mask
        while slots[at] != 0 {
            if blocks[Int(slots[at]) - 1] == block { return }
            at = (at + 1) & mask
        }
        blocks.append(block)
        slots[at] = Int32(blocks.count)
        if 2 * blocks.count > slots.count { grow() }
    }

    mutating func insert(_ range: BlockRange) {
        let (low, high) = (range.low, range.high)
        for z in low.z...high.z {
            for y in low.y...high.y {
                for x in low.x...high.x { insert(BlockIndex(x: x, y: y, z: z)) }
            }
        }
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: 4 * slots.count)
        let mask = slots.count - 1
        for (index, block) in blocks.enumerated() {
            var at = block.packed.fibonacciHash & mask
            while slots[at] != 0 { at = (at + 1) & mask }
            slots[at] = Int32(index + 1)
        }
    }
}
