/// Points summed up in cubes of one size, aligned to the world's origin.
///
/// A grid of one frame is made in parallel with others; grids are merged in frame order, so the sums, and with them the
/// centroids' last bits, do not depend on the number of workers. Voxels keep the order in which they were first met.
///
/// An open-addressing hash with linear probing over packed keys: 21 bits a coordinate, so a world may be two million
/// voxels wide.
public struct VoxelGrid: Sendable {
    /// Metres.
    public let size: Double
    public private(set) var count = 0
    /// Points that lie too far out for their voxel to have a number; they are left out.
    public private(set) var outOfRange = 0
    public private(set) var hasColor = false

    /// The packed cube numbers, in the order of first meeting.
    private var keys: [UInt64] = []
    private var sums: [Sum] = []
    /// Numbers of `keys` + 1; 0 is an empty slot. A power of two long.
    private var slots: [Int32] = []

    private struct Sum {
        var x = 0.0
        var y = 0.0
        var z = 0.0
        var red: Int64 = 0
        var green: Int64 = 0
        var blue: Int64 = 0
        var points: Int64 = 0
    }

    private static let half = 1_048_576.0

    public init(size: Double) {
        precondition(size > 0)
        self.size = size
        slots = Array(repeating: 0, count: 1024)
    }

    /// Adds every point of a cloud.
    public mutating func add(_ cloud: PointCloud) {
        let points = cloud.count
        if cloud.colors != nil { hasColor = true }
        cloud.positions.withUnsafeBufferPointer { positions in
            for i in 0..<points {
                let x = Double(positions[3 &* i])
                let y = Double(positions[3 &* i &+ 1])
                let z = Double(positions[3 &* i &+ 2])
                let index = slot(x, y, z)
                if index < 0 { continue }
                sums[index].x += x
                sums[index].y += y
                sums[index].z += z
                sums[index].points &+= 1
                if let colors = cloud.colors {
                    sums[index].red &+= Int64(colors[3 &* i])
                    sums[index].green &+= Int64(colors[3 &* i &+ 1])
                    sums[index].blue &+= Int64(colors[3 &* i &+ 2])
                }
            }
        }
    }

    /// Adds another grid's sums; the sizes must be equal.
    public mutating func merge(_ other: VoxelGrid) {
        precondition(other.size == size)
        hasColor = hasColor || other.hasColor
        outOfRange += other.outOfRange
        for (key, sum) in zip(other.keys, other.sums) {
            let index = find(key)
            sums[index].x += sum.x
            sums[index].y += sum.y
            sums[index].z += sum.z
            sums[index].red &+= sum.red
            sums[index].green &+= sum.green
            sums[index].blue &+= sum.blue
            sums[index].points &+= sum.points
        }
    }

    /// One point a voxel: the centroid and the mean colour of the points in it.
    public var cloud: PointCloud {
        var positions: [Float] = []
        positions.reserveCapacity(count * 3)
        for sum in sums {
            let n = Double(sum.points)
            positions += [Float(sum.x / n), Float(sum.y / n), Float(sum.z / n)]
        }
        guard hasColor else { return PointCloud(positions: positions) }
        var colors: [UInt8] = []
        colors.reserveCapacity(count * 3)
        for sum in sums {
            for channel in [sum.red, sum.green, sum.blue] {
                colors.append(UInt8(truncatingIfNeeded: (2 * channel + sum.points) / (2 * sum.points)))
            }
        }
        return PointCloud(positions: positions, colors: colors)
    }

    private mutating func slot(_ x: Double, _ y: Double, _ z: Double) -> Int {
        // A division, not a product with the inverse: on a face the product may be one unit in the last place off, and
        // the point would fall into another cube than everybody else's.
        let (gx, gy, gz) = ((x / size).rounded(.down), (y / size).rounded(.down), (z / size).rounded(.down))
        guard abs(gx) < Self.half, abs(gy) < Self.half, abs(gz) < Self.half else {
            outOfRange += 1
            return -1
        }
        let bias = 1 << 20
        let key = UInt64(Int(gx) &+ bias) << 42 | UInt64(Int(gy) &+ bias) << 21 | UInt64(Int(gz) &+ bias)
        return find(key)
    }

    private mutating func find(_ key: UInt64) -> Int {
        if count &* 2 >= slots.count { grow() }
        let mask = slots.count &- 1
        // Fibonacci hashing: the upper bits of the product are well mixed.
        var at = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while true {
            let number = Int(slots[at])
            if number == 0 {
                slots[at] = Int32(count + 1)
                keys.append(key)
                sums.append(Sum())
                count += 1
                return count - 1
            }
            if keys[number &- 1] == key { return number &- 1 }
            at = (at &+ 1) & mask
        }
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 4)
        let mask = slots.count - 1
        for (number, key) in keys.enumerated() {
            var at = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
            while slots[at] != 0 { at = (at + 1) & mask }
            slots[at] = Int32(number + 1)
        }
    }
}
