/// Takes numbers from little-endian bytes, one after the other. Past the last byte everything is 0.
struct LittleEndianCursor {
    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    mutating func integer<Value: FixedWidthInteger>(as type: Value.Type = Value.self) -> Value {
        let size = MemoryLayout<Value>.size
        defer { position += size }
        guard position >= 0, position <= bytes.count - size else { return 0 }
        return bytes.withUnsafeBytes {
            Value(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Value.self))
        }
    }

    mutating func float() -> Float { Float(bitPattern: integer()) }
    mutating func double() -> Double { Double(bitPattern: integer()) }
    mutating func floats(_ count: Int) -> [Float] { (0..<count).map { _ in float() } }
}

extension [UInt8] {
    /// Appends a number as ``LittleEndianCursor`` takes it.
    mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    mutating func append(littleEndian value: Float) { append(littleEndian: value.bitPattern) }
    mutating func append(littleEndian value: Double) { append(littleEndian: value.bitPattern) }
}
