import ScanModel

/// Points as they are collected from a PLY file.
struct PLYPoints {
    private(set) var cloud: PointCloud
    /// Points left out because a coordinate is not finite.
    private(set) var notFiniteCount = 0
    /// Points whose colour, as floats, is above 1.
    private(set) var clippedCount = 0
    private let properties: PointCloud.Properties

    init(_ properties: PointCloud.Properties) {
        self.properties = properties
        cloud = PointCloud(of: properties)
    }

    mutating func reserve(_ count: Int) {
        cloud.positions.reserveCapacity(3 * count)
        cloud.normals?.reserveCapacity(3 * count)
        cloud.colors?.reserveCapacity(3 * count)
    }

    /// What a colour is multiplied by to be from 0 to 255. Only its type tells: the brightest is the largest number of an
    /// unsigned integer, and 1 of a float, as in Open3D's tensor-based point clouds.
    /// - Returns: nil for a type that colours do not have.
    static func colorScale(_ type: PLYHeader.Scalar) -> Float? {
        switch type {
        case .uint8: 1
        case .uint16: 255 / 65_535
        case .float32, .float64: 255
        default: nil
        }
    }

    /// - Parameters:
    ///   - vectors: x, y, z, and nx, ny, nz.
    ///   - color: 0–255.
    mutating func append(_ vectors: InlineArray<6, Float>, _ color: InlineArray<3, Float>) {
        guard vectors[0].isFinite, vectors[1].isFinite, vectors[2].isFinite else {
            notFiniteCount += 1
            return
        }
        let normal = Self.unit(SIMD3(vectors[3], vectors[4], vectors[5]))
        if max(color[0], color[1], color[2]) > 255.5 { clippedCount += 1 }
        for axis in 0..<3 {
            cloud.positions.append(vectors[axis])
            cloud.normals?.append(normal[axis])
            // What is not a number is dark.
            cloud.colors?.append(color[axis] > 0 ? UInt8(min(color[axis] + 0.5, 255)) : 0)
        }
    }

    /// A normal of length 1, or 0, 0, 0 of what is no direction.
    private static func unit(_ normal: SIMD3<Float>) -> SIMD3<Float> {
        let square = (normal * normal).sum()
        guard square > 0, square.isFinite else { return .zero }
        // One that is of length 1 but for rounding stays as it is, bit by bit.
        return abs(square - 1) < 1e-5 ? normal : normal / square.squareRoot()
    }

    /// Takes points out of binary records.
    /// - Parameter places: of x, y, z, with normals of nx, ny, nz, and with colours of red, green, blue.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer, count: Int, stride: Int, _ places: [PLYHeader.Property], isBigEndian: Bool
    ) {
        let floats = places.prefix(properties.contains(.normals) ? 6 : 3)
        let colors = places[floats.count...]
        // What nearly every program writes, ScanMill among them.
        if !isBigEndian, floats.allSatisfy({ $0.type == .float32 }), colors.allSatisfy({ $0.type == .uint8 }) {
            let offsets = places.map(\.offset)
            return append(RecordsOfFloats(bytes: bytes, count: count, stride: stride, offsets: offsets))
        }
        for i in 0..<count {
            var vectors = InlineArray<6, Float>(repeating: 0)
            for (number, place) in floats.enumerated() {
                vectors[number] = Self.float(bytes, i * stride + place.offset, place.type, isBigEndian)
            }
            var color = InlineArray<3, Float>(repeating: 0)
            for (channel, place) in colors.enumerated() {
                let value = Self.float(bytes, i * stride + place.offset, place.type, isBigEndian)
                color[channel] = value * (Self.colorScale(place.type) ?? 0)
            }
            append(vectors, color)
        }
    }

    private mutating func append(_ records: RecordsOfFloats) {
        let positions = records.positions
        notFiniteCount += records.count - positions.count / 3
        cloud.positions += positions
        if properties.contains(.normals) {
            var normals = records.values(at: 3, of: Float.self)
            for at in stride(from: 0, to: normals.count, by: 3) {
                let unit = Self.unit(SIMD3(normals[at], normals[at + 1], normals[at + 2]))
                (normals[at], normals[at + 1], normals[at + 2]) = (unit.x, unit.y, unit.z)
            }
            cloud.normals?.append(contentsOf: normals)
        }
        if properties.contains(.colors) {
            cloud.colors?.append(
                contentsOf: records.values(at: properties.contains(.normals) ? 6 : 3, of: UInt8.self))
        }
    }

    /// Binary records whose coordinates are floats in the machine's own byte order.
    private struct RecordsOfFloats {
        let bytes: UnsafeRawBufferPointer
        let count: Int
        let stride: Int
        /// Of x, y, z and what else is read.
        let offsets: [Int]

        /// x, y, z of each point whose coordinates are finite.
        var positions: [Float] {
            gather { _, position, out in (out[0], out[1], out[2]) = position }
        }

        /// Three values of each point whose coordinates are finite.
        func values<Value: BitwiseCopyable>(at place: Int, of type: Value.Type) -> [Value] {
            let (a, b, c) = (offsets[place], offsets[place + 1], offsets[place + 2])
            return gather { record, _, out in
                out[0] = bytes.loadUnaligned(fromByteOffset: record &+ a, as: type)
                out[1] = bytes.loadUnaligned(fromByteOffset: record &+ b, as: type)
                out[2] = bytes.loadUnaligned(fromByteOffset: record &+ c, as: type)
            }
        }

        /// Lets `take` write three values of each point: they are overwritten where a coordinate is not finite.
        @inline(__always)
        private func gather<Value>(
            _ take: (_ record: Int, _ position: (Float, Float, Float), _ out: UnsafeMutablePointer<Value>) -> Void
        ) -> [Value] {
            let (ox, oy, oz) = (offsets[0], offsets[1], offsets[2])
            return [Value](unsafeUninitializedCapacity: 3 * count) { out, written in
                guard var target = out.baseAddress else { return }
                let start = target
                var record = 0
                for _ in 0..<count {
                    let x = bytes.loadUnaligned(fromByteOffset: record &+ ox, as: Float.self)
                    let y = bytes.loadUnaligned(fromByteOffset: record &+ oy, as: Float.self)
                    let z = bytes.loadUnaligned(fromByteOffset: record &+ oz, as: Float.self)
                    take(record, (x, y, z), target)
                    // Only infinities and NaN are not 0 when multiplied by 0.
                    target += (x * 0 + y * 0 + z * 0) == 0 ? 3 : 0
                    record &+= stride
                }
                written = target - start
            }
        }
    }

    @inline(__always)
    private static func float(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ type: PLYHeader.Scalar, _ isBigEndian: Bool
    ) -> Float {
        func load<T: FixedWidthInteger>(_: T.Type) -> T {
            let value = bytes.loadUnaligned(fromByteOffset: offset, as: T.self)
            return isBigEndian ? T(bigEndian: value) : T(littleEndian: value)
        }
        return switch type {
        case .float32: Float(bitPattern: load(UInt32.self))
        case .float64: Float(Double(bitPattern: load(UInt64.self)))
        case .int8: Float(load(Int8.self))
        case .uint8: Float(load(UInt8.self))
        case .int16: Float(load(Int16.self))
        case .uint16: Float(load(UInt16.self))
        case .int32: Float(load(Int32.self))
        case .uint32: Float(load(UInt32.self))
        case .int64: Float(load(Int64.self))
        case .uint64: Float(load(UInt64.self))
        }
    }
}
