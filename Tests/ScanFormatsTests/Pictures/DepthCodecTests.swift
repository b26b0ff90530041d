import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct DepthCodecTests {
    private func bytes<Number>(_ numbers: [Number]) -> [UInt8] { numbers.withUnsafeBytes { Array($0) } }

    private func numbers<Number>(_ bytes: [UInt8], of type: Number.Type) -> [Number] {
        bytes.withUnsafeBytes { buffer in
            (0..<buffer.count / MemoryLayout<Number>.size).map {
                buffer.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Number>.size, as: type)
            }
        }
    }

    private func row(_ metres: [Float]) -> DepthMap { DepthMap(width: metres.count, height: 1, metres: metres) }

    private func recorded(_ bytes: [UInt8], _ encoding: DepthEncoding) -> RecordedDepth {
        RecordedDepth(width: bytes.count / encoding.bytesPerPixel, height: 1, encoding: encoding, bytes: bytes)
    }

    /// All 65,536 halves as Python unpacks them; what is no depth is 0.
    @Test func decodesEveryHalfAsPythonDoes() throws {
        let halves = (0...UInt16.max).map { $0 }
        let script = """
            import math
            values = [struct.unpack('<e', struct.pack('<H', h))[0] for h in range(65536)]
            clean = [v if math.isfinite(v) and v > 0 else 0.0 for v in values]
            put(struct.pack('<65536f', *clean))
            """
        let expected = numbers(try python(script)[0], of: UInt32.self)
        let (map, repaired) = try DepthCodec.decode(recorded(bytes(halves), .float16Metres))
        #expect(map.metres.map(\.bitPattern) == expected)
        // Of either sign: 1,023 payloads of NaN and one infinity; 31,743 finite negatives.
        #expect(repaired == DepthCodec.Repaired(nan: 2046, infinite: 2, negative: 31_743))
        #expect(repaired.doubtful == 31_745)
        let portable = DepthCodec.metresPortably(fromHalves: halves)
        #expect(portable.metres.map(\.bitPattern) == expected)
        #expect(portable.repaired == repaired)
    }

    /// Lengths that are no multiple of the vector's, each with something bad in its last pixel.
    @Test func decodesRowsOfAnyLength() throws {
        for count in 0...40 {
            var halves = (0..<count).map { UInt16(0x3c00 + $0) }
            if count > 0 { halves[count - 1] = 0xbc00 }
            let (map, repaired) = try DepthCodec.decode(recorded(bytes(halves), .float16Metres))
            #expect(map.metres == halves.indices.map { $0 == count - 1 ? 0 : 1 + Float($0) / 1024 })
            #expect(repaired == DepthCodec.Repaired(negative: count > 0 ? 1 : 0))
        }
    }

    @Test func negativeZeroIsZero() throws {
        let (map, repaired) = try DepthCodec.decode(recorded(bytes([0x8000, 0x3c00] as [UInt16]), .float16Metres))
        #expect(map.metres.map(\.bitPattern) == [0, Float(1).bitPattern])
        #expect(repaired == DepthCodec.Repaired())
        let floats = try DepthCodec.decode(recorded(bytes([-0.0, 2.5] as [Float]), .float32Metres))
        #expect(floats.map.metres.map(\.bitPattern) == [0, Float(2.5).bitPattern])
        #expect(floats.repaired == DepthCodec.Repaired())
    }

    @Test func decodesFloats() throws {
        let values: [Float] = [
            1.5, .nan, -.nan, .infinity, -.infinity, -1, -.leastNonzeroMagnitude, .leastNonzeroMagnitude, 3e38, 65_504,
            65_504.01,
        ]
        let (map, repaired) = try DepthCodec.decode(recorded(bytes(values), .float32Metres))
        #expect(map.metres == [1.5, 0, 0, 0, 0, 0, 0, .leastNonzeroMagnitude, 0, 65_504, 0])
        // No sensor sees farther than halves can say.
        #expect(repaired == DepthCodec.Repaired(nan: 2, infinite: 4, negative: 2))
    }

    /// Negative and infinite pixels are damage beyond a tenth of the frame, and beyond 64; NaN is how some say "no
    /// value".
    @Test(arguments: [
        (DepthCodec.Repaired(negative: 1000), 10_000, false), (DepthCodec.Repaired(negative: 1001), 10_000, true),
        (DepthCodec.Repaired(infinite: 1001), 10_000, true),
        (DepthCodec.Repaired(infinite: 500, negative: 500), 10_000, false),
        (DepthCodec.Repaired(infinite: 500, negative: 501), 10_000, true),
        (DepthCodec.Repaired(nan: 10_000), 10_000, false),
        (DepthCodec.Repaired(nan: 9000, negative: 1000), 10_000, false),
        (DepthCodec.Repaired(negative: 64), 100, false), (DepthCodec.Repaired(negative: 65), 100, true),
    ])
    func aTenthOfNegativePixelsIsDamage(_ repaired: DepthCodec.Repaired, _ pixels: Int, _ isDamage: Bool) {
        let problem = DepthCodec.damage(repaired, of: pixels)
        #expect((problem != nil) == isDamage)
        if let problem {
            #expect(problem.fault == .input)
            #expect(problem.summary.hasPrefix("the depth is damaged here: more than a tenth"))
        }
    }

    @Test func decodesIntegers() throws {
        let units: [UInt16] = [0, 1, 999, 1000, 8191, 8192, 65_534, 65_535]
        let plain = try DepthCodec.decode(recorded(bytes(units), .uint16(unitsPerMetre: 1000)))
        #expect(plain.map.metres == units.map { Float(Double($0) / 1000) })
        #expect(plain.repaired == DepthCodec.Repaired())
        // Android: 13 bits of distance, three of confidence.
        let android = try DepthCodec.decode(recorded(bytes(units), .uint16(unitsPerMetre: 1000, mask: 0x1fff)))
        #expect(android.map.metres == [0, 0.001, 0.999, 1, 8.191, 0, 8.190, 8.191])
        // 7-Scenes: 65535 is no value.
        let scenes = try DepthCodec.decode(recorded(bytes(units), .uint16(unitsPerMetre: 5000, invalid: 65_535)))
        #expect(scenes.map.metres == units.map { $0 == 65_535 ? 0 : Float(Double($0) / 5000) })
    }

    @Test func refusesFramesOfAnotherSize() {
        for (width, height, count) in [(2, 2, 7), (2, 2, 9), (-1, -4, 8), (.max, 2, 4), (.max / 2, 1, 4), (0, 0, 2)] {
            let frame = RecordedDepth(
                width: width, height: height, encoding: .float16Metres, bytes: [UInt8](repeating: 0, count: count))
            #expect(problem { () throws(Problem) in _ = try DepthCodec.decode(frame) }?.fault == .input)
        }
        for unitsPerMetre in [0, -1, .nan, .infinity] {
            let frame = recorded([0, 0], .uint16(unitsPerMetre: unitsPerMetre))
            #expect(problem { () throws(Problem) in _ = try DepthCodec.decode(frame) }?.fault == .input)
            let map = row([1])
            let problem = problem { () throws(Problem) in
                _ = try DepthCodec.encode(map, as: .uint16(unitsPerMetre: unitsPerMetre))
            }
            #expect(problem?.fault == .usage)
        }
    }

    @Test func encodesHalvesAsPythonDoes() throws {
        // Every half but the last two, the middle between it and the next (a tie), and the floats on either side of it.
        var values: [Float] = []
        for half in stride(from: UInt16(0), to: 0x7bfe, by: 1) {
            let portable = DepthCodec.metresPortably(fromHalves: [half, half + 1]).metres
            let tie = (portable[0] + portable[1]) / 2
            values += [portable[0], tie.nextDown, tie, tie.nextUp]
        }
        values += [65_472, 65_504, 1e-9, .leastNonzeroMagnitude, 0]
        let script = """
            n = len(data) // 4
            put(struct.pack('<%de' % n, *struct.unpack('<%df' % n, data)))
            """
        let expected = try python(script, reading: bytes(values))[0]
        let (encoded, overflow) = try DepthCodec.encode(row(values), as: .float16Metres)
        #expect(encoded == expected)
        #expect(overflow == 0)
    }

    @Test func valuesThatDoNotFitBecomeZeroAndAreCounted() throws {
        let values: [Float] = [65_504, 65_504.01, 1e9, .infinity, .nan, -3, 1]
        let halves = try DepthCodec.encode(row(values), as: .float16Metres)
        #expect(numbers(halves.bytes, of: UInt16.self) == [0x7bff, 0, 0, 0, 0, 0, 0x3c00])
        #expect(halves.overflow == 3)

        let metres: [Float] = [65.535, 65.5354, 65.536, 1e30, .infinity, .nan, -3, 0.0004, 1.0006]
        let units = try DepthCodec.encode(row(metres), as: .uint16(unitsPerMetre: 1000))
        #expect(numbers(units.bytes, of: UInt16.self) == [65_535, 65_535, 0, 0, 0, 0, 0, 0, 1001])
        #expect(units.overflow == 3)

        let masked = try DepthCodec.encode(row([8.191, 8.192, 8]), as: .uint16(unitsPerMetre: 1000, mask: 0x1fff))
        #expect(numbers(masked.bytes, of: UInt16.self) == [8191, 0, 8000])
        #expect(masked.overflow == 1)
        let invalid = try DepthCodec.encode(row([8, 9, 0]), as: .uint16(unitsPerMetre: 1000, invalid: 9000))
        #expect(numbers(invalid.bytes, of: UInt16.self) == [8000, 0, 0])
        #expect(invalid.overflow == 1)
    }

    @Test func encodingAndDecodingAreInverse() throws {
        let halves = (0..<UInt16(0x7c00)).map { $0 }
        for encoding in [DepthEncoding.float16Metres, .float32Metres] {
            let map = try DepthCodec.decode(recorded(bytes(halves), .float16Metres)).map
            let again = try DepthCodec.decode(
                recorded(DepthCodec.encode(map, as: encoding).bytes, encoding)
            ).map
            #expect(again == map)
        }
        let encoding = DepthEncoding.uint16(unitsPerMetre: 5000, invalid: 65_535)
        let units = bytes((0..<UInt16.max).map { $0 })
        let map = try DepthCodec.decode(recorded(units, encoding)).map
        #expect(try DepthCodec.encode(map, as: encoding).bytes == units)
    }

    @Test func millimetresAreRoundedToTheNearestAndTiesToEven() {
        let (image, overflow) = DepthCodec.millimetres(row([0.5625, 0.0625, 0.1875, 1.2344, 65.535, 65.536, 0]))
        #expect(image.pixels == [562, 62, 188, 1234, 65_535, 0, 0])
        #expect(overflow == 1)
    }

    /// The product in half precision has steps of 32 near the end: 65.504 m is the last that fits.
    @Test func multiscanMillimetresAreThoseOfHalfPrecision() throws {
        let halves = (0..<UInt16(0x7c00)).map { $0 }
        let metres = DepthCodec.metresPortably(fromHalves: halves).metres
        let script = """
            import math
            half = lambda v: struct.unpack('<e', struct.pack('<e', v))[0]
            def millimetres(h):
                try: return int(half(struct.unpack('<e', struct.pack('<H', h))[0] * 1000))
                except OverflowError: return 0
            put(struct.pack('<31744H', *[millimetres(h) for h in range(31744)]))
            """
        let expected = numbers(try python(script)[0], of: UInt16.self)
        let (image, overflow) = DepthCodec.millimetres(row(metres), rounding: .multiscan)
        #expect(image.pixels == expected)
        #expect(overflow == expected.indices.filter { expected[$0] == 0 && metres[$0] > 1 }.count)
        #expect(image.pixels.max() == 65_504)
    }

    /// The sums of a real capture's millimetres behind the masks "confidence at least 2, 0.1 to 10 m" and "changed by at
    /// most 5 cm since the frame before".
    @Test(.enabled(if: SharedData.isThere)) func reproducesTheReferenceSums() throws {
        let expected = try SharedData.expected("office.expected.json")
        let sums = try #require(expected["depth_png16_mm_sum_k2_delta"] as? [String: Int])
        let depth = InflateStream(try FileSource(path: SharedData.path("office/office.depth.zlib"), name: "depth"))
        let confidence = InflateStream(
            try FileSource(path: SharedData.path("office/office.confidence.zlib"), name: "confidence"))
        var (nearest, multiscan, valid) = (0, 0, 0)
        var before: DepthMap?
        for _ in 0..<40 {
            var depthBytes = [UInt8](repeating: 0, count: 98_304)
            var levels = [UInt8](repeating: 0, count: 49_152)
            #expect(try read(depth, into: &depthBytes) == 98_304)
            #expect(try read(confidence, into: &levels) == 49_152)
            let frame = RecordedDepth(width: 256, height: 192, encoding: .float16Metres, bytes: depthBytes)
            let (map, repaired) = try DepthCodec.decode(frame)
            #expect(repaired == DepthCodec.Repaired())
            var masked = map
            for i in map.metres.indices {
                let jumps = before.map { abs(Double(map.metres[i]) - Double($0.metres[i])) > 0.05 } ?? false
                let inRange = (0.1...10).contains(Double(map.metres[i]))
                if jumps || !inRange || levels[i] < 2 { masked.metres[i] = 0 } else { valid += 1 }
            }
            before = map
            nearest += DepthCodec.millimetres(masked).image.pixels.reduce(0) { $0 + Int($1) }
            multiscan += DepthCodec.millimetres(masked, rounding: .multiscan).image.pixels.reduce(0) { $0 + Int($1) }
        }
        #expect(valid == (expected["valid"] as? [String: Int])?["k2_delta"])
        #expect(nearest == sums["round"])
        #expect(multiscan == sums["multiscan_f16"])
    }
}
