/// Points summed up in cubes of one size, aligned to the world's origin.
///
/// The grids of single frames are made in parallel; they are merged in frame order, so the sums, and with them the
/// centroids' last bits, do not depend on the number of workers. Voxels keep the order in which they were first met.
///
/// An open-addressing hash table with linear probing over packed keys: 21 bits per coordinate, so a world may be two
/// million voxels wide.
public struct VoxelGrid: Sendable {
    /// Metres.
    public let size: Double
    public private(set) var count = 0
    /// How many points lay too far out for their voxel to have a number; they are left out.
    public private(set) var outOfRange = 0
    public private(set) var hasColor = false
    public private(set) var hasNormals = false

    /// The packed cube numbers, in the order in which they were first met; beyond `count` is spare room.
    private var keys: [UInt64] = []
    /// As long as `keys`.
    private var sums: [Sum] = []
    /// The sums of the points' normals: as long as `keys` once a point has one, before that empty.
    private var normals: [SIMD3<Float>] = []
    /// Indices into `keys`, plus 1; 0 is an empty slot. A power of two long, and at least twice as many as there
    /// are voxels.
    private var slots: [Int32] = []

    private struct Sum {
        var x = 0.0
        var y = 0.0
        var z = 0.0
        var red: Int64 = 0
        var green: Int64 = 0
        var blue: Int64 = 0
        var points: Int64 = 0

        static func += (a: inout Sum, b: Sum) {
            a.x += b.x
            a.y += b.y
            a.z += b.z
            a.red &+= b.red
            a.green &+= b.green
            a.blue &+= b.blue
            a.points &+= b.points
        }
    }

    /// Cubes are numbered from −half + 1 to half − 1 along each axis.
    private static let half = 1_048_576.0
    /// How many points or voxels are added between two looks at the room that is left.
    private static let batch = 1024

    public init(size: Double) {
        precondition(size > 0)
        self.size = size
    }

    /// Adds every point of a cloud.
    public mutating func add(_ cloud: PointCloud) {
        if cloud.colors != nil { hasColor = true }
        if cloud.normals != nil { hasNormals = true }
        cloud.positions.withUnsafeBufferPointer { positions in
            Self.withPointer(to: cloud.colors) { colors in
                Self.withPointer(to: cloud.normals) { normals in
                    for start in stride(from: 0, to: cloud.count, by: Self.batch) {
                        let points = start..<min(start + Self.batch, cloud.count)
                        makeRoom(for: points.count)
                        add(points, of: positions, colors, normals)
                    }
                }
            }
        }
    }

    private static func withPointer<Value>(to values: [Value]?, _ body: (UnsafeBufferPointer<Value>?) -> Void) {
        guard let values else { return body(nil) }
        values.withUnsafeBufferPointer { body($0) }
    }

    /// Adds another grid's sums; the sizes must be equal.
    public mutating func merge(_ other: VoxelGrid) {
        precondition(other.size == size)
        hasColor = hasColor || other.hasColor
        hasNormals = hasNormals || other.hasNormals
        outOfRange += other.outOfRange
        for start in stride(from: 0, to: other.count, by: Self.batch) {
            let voxels = start..<min(start + Self.batch, other.count)
            makeRoom(for: voxels.count)
            other.keys.withUnsafeBufferPointer { keys in
                other.sums.withUnsafeBufferPointer { sums in
                    withTable { table in
                        for i in voxels {
                            let index = table.find(keys[i])
                            table.sums[index] += sums[i]
                            if !other.normals.isEmpty { table.normals?[index] += other.normals[i] }
                        }
                    }
                }
            }
        }
    }

    /// One point per voxel that at least `minPoints` points fell into: their centroid, their mean colour, and the direction
    /// of the sum of their normals.
    public func cloud(minPoints: Int = 1) -> PointCloud {
        let voxels = (0..<count).lazy.filter { sums[$0].points >= minPoints }
        var cloud = PointCloud(colors: hasColor ? [] : nil, normals: hasNormals ? [] : nil)
        cloud.positions.reserveCapacity(count * 3)
        cloud.colors?.reserveCapacity(count * 3)
        cloud.normals?.reserveCapacity(count * 3)
        for voxel in voxels {
            let sum = sums[voxel]
            let n = Double(sum.points)
            cloud.positions += [Float(sum.x / n), Float(sum.y / n), Float(sum.z / n)]
            if hasColor {
                for channel in [sum.red, sum.green, sum.blue] {
                    cloud.colors?.append(UInt8(truncatingIfNeeded: (2 * channel + sum.points) / (2 * sum.points)))
                }
            }
            if hasNormals {
                let normal = normals.isEmpty ? .zero : normals[voxel]
                let length = (normal * normal).sum().squareRoot()
                let unit = length > 0 ? normal / length : .zero
                cloud.normals? += [unit.x, unit.y, unit.z]
            }
        }
        return cloud
    }

    private mutating func add(
        _ points: Range<Int>, of positions: UnsafeBufferPointer<Float>, _ colors: UnsafeBufferPointer<UInt8>?,
        _ normals: UnsafeBufferPointer<Float>?
    ) {
        let size = size
        var lost = 0
        withTable { table in
            for i in points {
                let x = Double(positions[3 &* i])
                let y = Double(positions[3 &* i &+ 1])
                let z = Double(positions[3 &* i &+ 2])
                // A division, not a product with the inverse: on a face the product may be one unit in the last place
                // off, and the point would fall into a different cube than with any other tool.
                guard let key = Self.key(x / size, y / size, z / size) else {
                    lost &+= 1
                    continue
                }
                let index = table.find(key)
                table.sums[index].x += x
                table.sums[index].y += y
                table.sums[index].z += z
                table.sums[index].points &+= 1
                if let colors {
                    table.sums[index].red &+= Int64(colors[3 &* i])
                    table.sums[index].green &+= Int64(colors[3 &* i &+ 1])
                    table.sums[index].blue &+= Int64(colors[3 &* i &+ 2])
                }
                if let normals {
                    table.normals?[index] += SIMD3(normals[3 &* i], normals[3 &* i &+ 1], normals[3 &* i &+ 2])
                }
            }
        }
        outOfRange += lost
    }

    /// The packed number of the cube in which a point lies, whose coordinates are counted in cubes; nil for points too
    /// far out or not finite.
    @inline(__always)
    private static func key(_ x: Double, _ y: Double, _ z: Double) -> UInt64? {
        let low = 1 - half
        guard x >= low, x < half, y >= low, y < half, z >= low, z < half else { return nil }
        return floor(x) << 42 | floor(y) << 21 | floor(z)
    }

    /// The next whole number below, plus 2²⁰, of a value in −2²⁰…2²⁰. The sum with 1.5 · 2⁵² is rounded to a whole number
    /// and has it in its lowest bits: a few instructions, where the C library's `floor` is a call for each coordinate.
    @inline(__always)
    private static func floor(_ value: Double) -> UInt64 {
        let shift = 0x1.8p52
        let sum = value + shift
        return sum.bitPattern &- shift.bitPattern &+ 1 << 20 &- (sum - shift > value ? 1 : 0)
    }
}

// MARK: - The hash table

extension VoxelGrid {
    /// The table as direct pointers, which are valid until room has to be made.
    private struct Table {
        let keys: UnsafeMutablePointer<UInt64>
        let sums: UnsafeMutablePointer<Sum>
        /// Nil where no point has a normal.
        let normals: UnsafeMutablePointer<SIMD3<Float>>?
        let slots: UnsafeMutablePointer<Int32>
        let mask: Int
        var count: Int

        /// The index of a voxel, which is added if need be.
        @inline(__always)
        mutating func find(_ key: UInt64) -> Int {
            var at = key.fibonacciHash & mask
            while true {
                let number = Int(slots[at])
                if number == 0 {
                    keys[count] = key
                    count &+= 1
                    slots[at] = Int32(truncatingIfNeeded: count)
                    return count &- 1
                }
                if keys[number &- 1] == key { return number &- 1 }
                at = (at &+ 1) & mask
            }
        }
    }

    private mutating func withTable(_ body: (inout Table) -> Void) {
        keys.withUnsafeMutableBufferPointer { keys in
            sums.withUnsafeMutableBufferPointer { sums in
                normals.withUnsafeMutableBufferPointer { normals in
                    slots.withUnsafeMutableBufferPointer { slots in
                        guard let keys = keys.baseAddress, let sums = sums.baseAddress, let first = slots.baseAddress
                        else { return }
                        var table = Table(
                            keys: keys, sums: sums, normals: normals.isEmpty ? nil : normals.baseAddress, slots: first,
                            mask: slots.count - 1, count: count)
                        body(&table)
                        count = table.count
                    }
                }
            }
        }
    }

    /// Makes sure that there is room for so many more voxels.
    private mutating func makeRoom(for more: Int) {
        let needed = count + more
        if needed > keys.count {
            let room = max(needed, 2 * keys.count) - keys.count
            keys.append(contentsOf: repeatElement(0, count: room))
            sums.append(contentsOf: repeatElement(Sum(), count: room))
        }
        if hasNormals && normals.count < keys.count {
            normals.append(contentsOf: repeatElement(.zero, count: keys.count - normals.count))
        }
        if slots.count >= 2 * needed { return }
        var length = max(slots.count, 1024)
        while length < 2 * needed { length *= 4 }
        slots = Array(repeating: 0, count: length)
        for number in 0..<count {
            var at = keys[number].fibonacciHash & (length - 1)
            while slots[at] != 0 { at = (at + 1) & (length - 1) }
            slots[at] = Int32(number + 1)
        }
    }
}

extension UInt64 {
    /// Fibonacci hashing: the upper bits of the product are well mixed.
    @inline(__always)
    var fibonacciHash: Int { Int(truncatingIfNeeded: (self &* 0x9E37_79B9_7F4A_7C15) >> 32) }
}
