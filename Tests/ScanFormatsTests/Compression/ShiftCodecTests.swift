import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct ShiftCodecTests {
    /// The formula for every shift, by Python's whole numbers: 1134.8335 is 11348335 / 10000.
    @Test func everyShiftIsTheNumberThatTheFormulaGives() throws {
        let script = "print([3000000000 // (11348335 - 10000 * s) if 0 < s < 1104 else 0 for s in range(2048)])"
        let expected = try JSONSerialization.jsonObject(with: Data(try runPython(script).outputBytes)) as? [Int]
        let codes = (0..<2048).map { shift in
            "0111" + String(repeating: "0", count: 11 - String(shift, radix: 2).count) + String(shift, radix: 2)
        }
        let decoded = try ShiftCodec.decode(ByteText.bits(codes.joined()), count: 2048)
        #expect(decoded.map { Int($0) } == expected)
        #expect((decoded[1], decoded[1103], decoded[1104]) == (264, 9424, 0))
    }

    @Test func everyCode() throws {
        let bits = "0111 00000001010  11 11 10 01101 01100 00 010 00001 010 11111"
        // 10, 11, 12, 11, 13, 11, 11, then 6 and 36 times more.
        let shifts = [10, 11, 12, 11, 13, 11, 11] + Array(repeating: 11, count: 42)
        let expected = shifts.map { UInt16(300_000 / (1134.8335 - Double($0))) }
        #expect(try ShiftCodec.decode(ByteText.bits(bits), count: expected.count) == expected)
    }

    @Test func aRunIsClippedAtTheFramesEnd() throws {
        // What a reader that believes the run would write behind its buffer.
        let bytes = ByteText.bits("0111 00000000001 010 11111")
        #expect(try ShiftCodec.decode(bytes, count: 3) == [264, 264, 264])
        #expect(try ShiftCodec.decode(bytes, count: 37).count == 37)
        #expect(throws: Problem.self) { try ShiftCodec.decode(bytes, count: 40) }
    }

    /// One pixel ends in its second byte. Sixteen bytes more may pad a block; what was read ahead counts too.
    @Test func theBytesGoOnBehindTheFrame() throws {
        let pixel = ByteText.bits("0111 00000000001")
        #expect(pixel.count == 2)
        let padded = pixel + [UInt8](repeating: 0, count: 16)
        #expect(try ShiftCodec.decode(padded, count: 1) == [264])
        let problem = #expect(throws: Problem.self) { try ShiftCodec.decode(padded + [0], count: 1) }
        #expect(problem?.notes == ["after its 1 pixel, 17 of its 19 bytes are left"])
    }

    @Test func theBytesEndBeforeTheFrame() throws {
        for (bytes, held) in [([UInt8](), 0), ([0], 4), ([0x78], 0), ([0x70, 0x02], 1), ([0x00, 0x40], 9)] {
            let problem = #expect(throws: Problem.self) { try ShiftCodec.decode(bytes, count: 100) }
            #expect(problem?.fault == .input, "\(bytes)")
            let all = bytes.count == 1 ? "1 byte holds" : "\(bytes.count) bytes hold"
            #expect(problem?.notes == ["its \(all) \(held) of 100 pixels"], "\(bytes)")
        }
        // Below zero and above what eleven bits can say is no depth, and no trap.
        #expect(try ShiftCodec.decode(ByteText.bits("10 10 10 10"), count: 4) == [0, 0, 0, 0])
        #expect(try ShiftCodec.decode(ByteText.bits("0111 11111111111 11 11"), count: 3) == [0, 0, 0])
    }

    @Test func noiseNeverTraps() throws {
        var dice = SplitMix(seed: 3)
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...200, using: &dice)).map { _ in UInt8.random(in: 0...255, using: &dice) }
            if let decoded = try? ShiftCodec.decode(bytes, count: 500) {
                #expect(decoded.count == 500 && decoded.allSatisfy { $0 <= 9424 })
            }
        }
    }

    @Test func whatWasEncodedComesBack() throws {
        var dice = SplitMix(seed: 4)
        // Every depth that there is, in runs, in small steps, and anyhow.
        let all = (1...ShiftCodec.largest).map { Float(UInt16(300_000 / (1134.8335 - Double($0)))) / 1000 }
        var metres = all + all.reversed()
        for _ in 0..<400 {
            let value = all.randomElement(using: &dice) ?? 1
            metres += Array(repeating: value, count: Int.random(in: 1...90, using: &dice))
        }
        metres += [0, 0, 0]
        let (bytes, beyond) = ShiftCodec.encode(DepthMap(width: metres.count, height: 1, metres: metres))
        #expect(beyond == 0)
        let decoded = try ShiftCodec.decode(bytes, count: metres.count)
        #expect(decoded == metres.map { UInt16(($0 * 1000).rounded()) })
    }

    @Test func theReachEndsHalfAStepBehindTheLast() {
        #expect(ShiftCodec.reach == 260...9567.5)
    }

    @Test func depthsGoToTheNearestStep() throws {
        // The last step is 287 mm, and half of it reaches to 9.5675 m.
        let metres: [Float] = [0.1, 0.2599, 0.261, 1, 2, 4, 9.424, 9.56, 9.57, .infinity]
        let (bytes, beyond) = ShiftCodec.encode(DepthMap(width: metres.count, height: 1, metres: metres))
        #expect(beyond == 4)
        let decoded = try ShiftCodec.decode(bytes, count: metres.count)
        #expect(decoded.prefix(3) == [0, 0, 264] && decoded.suffix(4) == [9424, 9424, 0, 0])
        for (metres, millimetres) in zip(metres, decoded).dropFirst(3).prefix(3) {
            // Half a step, and the cut to whole millimetres.
            let step = Double(metres * metres) / 0.3
            #expect(abs(Double(millimetres) - Double(metres) * 1000) <= step / 2 + 1)
        }
    }
}
