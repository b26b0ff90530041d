import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct LZFSETests {
    private typealias Samples = LZFSESamples

    @Test func eachKindOfBlock() throws {
        #expect(Samples.lzvn.starts(with: "bvxn".utf8) && Samples.packed.starts(with: "bvx2".utf8))
        #expect(try LZFSE.decode(Samples.lzvn, limit: 700) == Samples.lzvnBytes)
        #expect(try LZFSE.decode(Samples.packed, limit: 12_000) == Samples.packedBytes)
        #expect(try LZFSE.decode(Samples.stored([1, 2, 3]), limit: 3) == [1, 2, 3])
        #expect(try LZFSE.decode(Samples.end, limit: 0) == [])
    }

    @Test func blocksFollowEachOther() throws {
        let parts = [Samples.packed, Samples.stored([9, 8]), Samples.lzvn, Samples.packed]
        let stream = parts.flatMap { $0.dropLast(4) } + Samples.end
        let expected = Samples.packedBytes + [9, 8] + Samples.lzvnBytes + Samples.packedBytes
        #expect(try LZFSE.decode(stream, limit: 100_000) == expected)
    }

    /// LZVN has two codes that do nothing; E3 copies three literals, and 06 ends.
    @Test func codesThatDoNothing() throws {
        let codes: [UInt8] = [0x0e, 0x16, 0xe3, 1, 2, 3, 0x16, 0x0e, 0x06, 0, 0, 0, 0, 0, 0, 0]
        let sizes: [UInt8] = [3, 0, 0, 0, UInt8(codes.count), 0, 0, 0]
        let block = Array("bvxn".utf8) + sizes + codes
        #expect(try LZFSE.decode(block + Samples.end, limit: 3) == [1, 2, 3])
    }

    private func reason(_ stream: [UInt8], limit: Int = 100_000) -> String? {
        do throws(Problem) { _ = try LZFSE.decode(stream, limit: limit, subject: "depth") } catch {
            #expect(error.fault == .input && error.summary.hasPrefix("depth damaged: "))
            return String(error.summary.dropFirst("depth damaged: ".count))
        }
        return nil
    }

    @Test func whatIsWrongIsSaid() {
        for (stream, size) in [(Samples.lzvn, 700), (Samples.packed, 12_000), (Samples.stored([1, 2, 3]), 3)] {
            #expect(reason(stream, limit: size - 1) == "it unpacks to more than it should")
            #expect(reason(stream.dropLast(4)) == "it ends early")
            #expect(reason(stream.dropLast(5)) == "it ends early")
        }
        #expect(reason([]) == "it ends early")
        #expect(reason(Array("PK..".utf8)) == "it does not begin as LZFSE does")
        #expect(reason(Array("bvx1....".utf8)) == "it has a block of a kind that no encoder writes (bvx1)")
        #expect(reason(Samples.packed.dropLast(4) + Array("bvx?".utf8)) == "its bytes are not LZFSE")
        // Another size than the block's own.
        var wrong = Samples.packed
        wrong[4] &+= 1
        #expect(reason(wrong) == "its bytes are not LZFSE")
    }

    /// 32 bytes that hold 40,000 literals and give nothing would keep a reader busy for minutes.
    @Test func blocksThatGiveNothingAreRefused() {
        func block(raw: UInt32, literals: UInt64, matches: UInt64) -> [UInt8] {
            var bytes = Array("bvx2".utf8)
            for value in [raw] { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
            // No unused bits, no payload, a header without frequencies.
            for value in [literals | matches << 40 | 7 << 60, 7 << 60, 32] {
                withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
            }
            return bytes
        }
        #expect(reason(block(raw: 0, literals: 40_000, matches: 0) + LZFSESamples.end) == "its bytes are not LZFSE")
        #expect(reason(block(raw: 1, literals: 8, matches: 0) + LZFSESamples.end) == "its bytes are not LZFSE")
        #expect(reason(block(raw: 9, literals: 0, matches: 10_000) + LZFSESamples.end) == "its bytes are not LZFSE")
    }

    @Test func everyCutIsNoticed() {
        for stream in [Samples.lzvn, Samples.packed] {
            for count in stride(from: 0, to: stream.count, by: 3) { #expect(reason(Array(stream[..<count])) != nil) }
        }
    }

    /// Whatever a changed bit makes of it, nothing is read or written where it should not be.
    @Test func everyChangedBitEnds() {
        for stream in [Samples.lzvn, Samples.packed] {
            for bit in stride(from: 0, to: 8 * stream.count, by: 5) {
                var changed = stream
                changed[bit / 8] ^= 1 << (bit % 8)
                if let bytes = try? LZFSE.decode(changed, limit: 12_000) { #expect(bytes.count <= 12_000) }
            }
        }
    }
}
