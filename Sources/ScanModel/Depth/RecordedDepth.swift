/// How a recorder wrote the numbers of depth pixels.
public enum DepthEncoding: Hashable, Sendable {
    /// Little-endian half floats, metres (MultiScan iOS).
    case float16Metres
    /// Little-endian floats, metres.
    case float32Metres
    /// Little-endian unsigned 16-bit; metres = (value & mask) / unitsPerMetre; `invalid` means "no value", as 0 does.
    case uint16(unitsPerMetre: Double, mask: UInt16 = .max, invalid: UInt16? = nil)

    public var bytesPerPixel: Int {
        switch self {
        case .float16Metres, .uint16: 2
        case .float32Metres: 4
        }
    }
}

extension DepthEncoding {
    /// Whether its numbers are counts of a unit, rather than metres.
    package var hasUnits: Bool { if case .uint16 = self { true } else { false } }
}

extension RecordedDepth {
    /// With so much larger units, where it has any: its numbers stay, and so no precision is lost.
    package func multiplied(by scale: Double) -> RecordedDepth {
        guard case .uint16(let unitsPerMetre, let mask, let invalid) = encoding else { return self }
        var copy = self
        copy.encoding = .uint16(unitsPerMetre: unitsPerMetre / scale, mask: mask, invalid: invalid)
        return copy
    }
}

/// One frame of depth as recorded: what `decompress` turns into a ``DepthMap``.
public struct RecordedDepth: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    public var encoding: DepthEncoding
    /// `width * height * encoding.bytesPerPixel` bytes, row-major, top-left first.
    public var bytes: [UInt8]
    /// How many of the file's numbers such bytes cannot hold: they are 0 in ``bytes``.
    public var replaced = Replaced()

    public struct Replaced: Hashable, Sendable {
        /// Not a number, infinite or below 0: all mean "no value".
        public var missing = 0
        /// Too large.
        public var beyond = 0

        public init(missing: Int = 0, beyond: Int = 0) {
            self.missing = missing
            self.beyond = beyond
        }
    }

    public init(width: Int, height: Int, encoding: DepthEncoding, bytes: [UInt8]) {
        self.width = width
        self.height = height
        self.encoding = encoding
        self.bytes = bytes
    }
}
