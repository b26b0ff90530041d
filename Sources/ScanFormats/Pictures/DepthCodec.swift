internal import CScanMill
import ScanModel

/// Depth pixels between their recorded form and metres.
public enum DepthCodec {
    /// How many recorded pixels were not valid depths, and became 0 ("no value"). −0 is not counted.
    public struct Repaired: Hashable, Sendable {
        public var nan: Int
        /// Also distances beyond 65,504 m, which floats can hold and no sensor sees.
        public var infinite: Int
        public var negative: Int
        /// Numbers in the file that 16 bits cannot hold: `RecordedDepth.Replaced.beyond`.
        public var beyond: Int
        /// Numbers in the file that stand for no value: `RecordedDepth.Replaced.missing`.
        public var missing: Int

        /// What may be damage. What stands for no value is none, and NaN neither: Apple's depth marks holes with it.
        public var doubtful: Int { infinite + negative + beyond }

        public init(nan: Int = 0, infinite: Int = 0, negative: Int = 0, beyond: Int = 0, missing: Int = 0) {
            self.nan = nan
            self.infinite = infinite
            self.negative = negative
            self.beyond = beyond
            self.missing = missing
        }

        public static func += (sum: inout Repaired, more: Repaired) {
            sum.nan += more.nan
            sum.infinite += more.infinite
            sum.negative += more.negative
            sum.beyond += more.beyond
            sum.missing += more.missing
        }
    }

    /// Why a frame's bytes cannot be depth; nil where they may be. Recorders write no negative depth; wrong bytes do, half of
    /// the time.
    /// - Parameter pixels: in the frame.
    package static func damage(_ repaired: Repaired, of pixels: Int) -> Problem? {
        guard repaired.negative + repaired.infinite > max(64, pixels / 10) else { return nil }
        return Problem(
            .input,
            "the depth is damaged here: more than a tenth of the frame's pixels are negative or infinite",
            fix: "copy the file again from the device")
    }

    /// Unpacks a frame. Integers become the single-precision number nearest to (value & mask) / unitsPerMetre.
    /// - Throws: `input` when the bytes are not those of `width` × `height` pixels, or `unitsPerMetre` is not a
    ///   positive number.
    public static func decode(_ recorded: RecordedDepth) throws(Problem) -> (map: DepthMap, repaired: Repaired) {
        let count = try pixelCount(recorded)
        var repaired = sm_repaired()
        let metres = [Float](unsafeUninitializedCapacity: count) { metres, initialized in
            recorded.bytes.withUnsafeBytes { bytes in
                switch recorded.encoding {
                case .float16Metres:
                    repaired = sm_metres_from_halves(bytes.baseAddress, count, metres.baseAddress)
                case .float32Metres:
                    repaired = sm_metres_from_floats(bytes.baseAddress, count, metres.baseAddress)
                case .uint16(let unitsPerMetre, let mask, let invalid):
                    sm_metres_from_units(
                        bytes.baseAddress, count, unitsPerMetre, mask, invalid.map { Int32($0) } ?? -1,
                        metres.baseAddress)
                }
            }
            initialized = count
        }
        var all = Repaired(repaired)
        all += Repaired(beyond: recorded.replaced.beyond, missing: recorded.replaced.missing)
        return (DepthMap(width: recorded.width, height: recorded.height, metres: metres), all)
    }

    /// How many of a frame's whole numbers have bits above the mask, which unpacking cuts off.
    package static func countBeyondMask(_ recorded: RecordedDepth) -> Int {
        guard case .uint16(_, let mask, _) = recorded.encoding, mask != .max else { return 0 }
        return count(in: recorded) { $0 & ~mask != 0 }
    }

    /// Metres of the largest whole number that a frame's file can hold, if more than a hundredth of the frame has it and
    /// nothing says that it means "no value": farther things were cut off there.
    package static func cutOff(_ recorded: RecordedDepth) -> Double? {
        guard case .uint16(let unitsPerMetre, .max, let invalid) = recorded.encoding, invalid != .max else {
            return nil
        }
        let isCutOff = count(in: recorded) { $0 == .max } * 100 > recorded.width * recorded.height
        return isCutOff ? Double(UInt16.max) / unitsPerMetre : nil
    }

    /// How many of a frame's whole numbers are so.
    @inline(__always) private static func count(in recorded: RecordedDepth, where isSo: (UInt16) -> Bool) -> Int {
        recorded.bytes.withUnsafeBytes { bytes in
            var count = 0
            for place in stride(from: 0, to: bytes.count - 1, by: 2) {
                let number = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self))
                count &+= isSo(number) ? 1 : 0
            }
            return count
        }
    }

    /// Packs a frame. Halves and integers are rounded to the nearest, ties to even; values that the encoding cannot
    /// hold (above 65,504 m; above the mask, 65,535, or equal to `invalid`) become 0 and are counted.
    /// - Throws: `usage` when `unitsPerMetre` is not a positive number.
    public static func encode(
        _ map: DepthMap, as encoding: DepthEncoding
    ) throws(Problem) -> (bytes: [UInt8], overflow: Int) {
        if let defect = encoding.defect { throw Problem(.usage, defect) }
        let count = map.metres.count
        var overflow = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count * encoding.bytesPerPixel) { bytes, initialized in
            // An array's storage is aligned for any of these.
            let target = UnsafeMutableRawPointer(bytes.baseAddress)
            switch encoding {
            case .float16Metres:
                overflow = sm_halves_from_metres(map.metres, count, target?.assumingMemoryBound(to: UInt16.self))
            case .float32Metres:
                map.metres.withUnsafeBytes { UnsafeMutableRawBufferPointer(bytes).copyMemory(from: $0) }
            case .uint16(let unitsPerMetre, let mask, let invalid):
                overflow = sm_units_from_metres(
                    map.metres, count, unitsPerMetre, mask, invalid.map { Int32($0) } ?? -1,
                    target?.assumingMemoryBound(to: UInt16.self))
            }
            initialized = count * encoding.bytesPerPixel
        }
        return (bytes, overflow)
    }

    /// How metres become whole millimetres.
    public enum Rounding: String, Hashable, Sendable, CaseIterable {
        /// To the nearest, ties to even, of the product in double precision.
        case nearest
        /// As the MultiScan server's Python does it: the product in half precision (steps of up to 32 mm), truncated.
        case multiscan
    }

    /// Whole millimetres, for 16-bit depth pictures. Values too large for them become 0 and are counted: above
    /// 65.535 m, for `multiscan` above 65.504 m.
    public static func millimetres(
        _ map: DepthMap, rounding: Rounding = .nearest
    ) -> (image: Gray16Image, overflow: Int) {
        if rounding == .nearest { return picture(map, unitsPerMetre: 1000) }
        let count = map.metres.count
        var overflow = 0
        let pixels = [UInt16](unsafeUninitializedCapacity: count) { pixels, initialized in
            overflow = sm_multiscan_millimetres(map.metres, count, pixels.baseAddress)
            initialized = count
        }
        return (Gray16Image(width: map.width, height: map.height, pixels: pixels), overflow)
    }

    /// Whole units, rounded to the nearest, ties to even. Values too large for 16 bits become 0 and are counted.
    public static func picture(_ map: DepthMap, unitsPerMetre: Double) -> (image: Gray16Image, overflow: Int) {
        let count = map.metres.count
        var overflow = 0
        let pixels = [UInt16](unsafeUninitializedCapacity: count) { pixels, initialized in
            overflow = sm_units_from_metres(map.metres, count, unitsPerMetre, .max, -1, pixels.baseAddress)
            initialized = count
        }
        return (Gray16Image(width: map.width, height: map.height, pixels: pixels), overflow)
    }

    private static func pixelCount(_ recorded: RecordedDepth) throws(Problem) -> Int {
        if let defect = recorded.encoding.defect { throw Problem(.input, defect) }
        let (width, height) = (recorded.width, recorded.height)
        let (pixels, isTooMany) = width.multipliedReportingOverflow(by: height)
        let (bytes, isTooLarge) = pixels.multipliedReportingOverflow(by: recorded.encoding.bytesPerPixel)
        guard width >= 0, height >= 0, !isTooMany, !isTooLarge, bytes == recorded.bytes.count else {
            throw Problem(
                .input,
                "a depth frame of \(recorded.bytes.count.counted("byte")) is not one of \(width) × \(height) pixels",
                notes: ["a pixel has \(recorded.encoding.bytesPerPixel) bytes"])
        }
        return pixels
    }

    /// The conversion of halves without the processor's own instruction for it, for comparison.
    package static func metresPortably(fromHalves halves: [UInt16]) -> (metres: [Float], repaired: Repaired) {
        var metres = [Float](repeating: 0, count: halves.count)
        let repaired = sm_metres_from_halves_portable(halves, halves.count, &metres)
        return (metres, Repaired(repaired))
    }
}

extension DepthCodec.Repaired {
    fileprivate init(_ counts: sm_repaired) {
        self.init(nan: counts.nan, infinite: counts.infinite, negative: counts.negative)
    }
}

extension DepthEncoding {
    /// Why no depth can be in this encoding, or nil.
    fileprivate var defect: String? {
        guard case .uint16(let unitsPerMetre, _, _) = self else { return nil }
        // With fewer, depths would be too large to compute with floats.
        return unitsPerMetre >= 1e-3 && unitsPerMetre.isFinite ? nil : "depth of \(unitsPerMetre) units a metre"
    }
}
