import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct DigestTests {
    /// FIPS 180-4's examples.
    @Test func publishedExamples() {
        #expect(Digest.of([]).hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(Digest.of(Array("abc".utf8)).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    /// What a damaged file may have in the place of one.
    @Test func whatIsNoDigest() {
        let hex = Digest.of([]).hex
        #expect(Digest(hex: hex) == Digest.of([]))
        let shorter = String(hex.dropLast())
        let other: [String] = [
            "", "-", shorter, hex + "0", hex.uppercased(), shorter + "g", shorter + "\0", hex.dropLast(2) + "\u{e9}",
            shorter + "\u{e9}",
        ]
        for text in other { #expect(Digest(hex: text) == nil, "\(text)") }
    }

    @Test func equalsPython() throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        let folder = try TemporaryFolder()
        let contents = [0, 1, 55, 56, 63, 64, 65, 1000, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 1_000_003].map {
            noise($0)
        }
        let paths = try contents.enumerated().map { try folder.write($1, to: "\($0)") }
        let expected = try pythonDigests(of: paths)
        try #require(expected.count == contents.count)
        for (bytes, hex) in zip(contents, expected) {
            #expect(Digest.of(bytes).hex == hex)
            let read = Digest.of(MemorySource(name: "x", bytes, step: 4099), through: buffer)
            #expect(read.digest.hex == hex)
            #expect(read.byteCount == Int64(bytes.count) && read.problem == nil)
        }
    }

    /// Its digest is that of what came before.
    @Test func aSourceThatFails() {
        final class Torn: ByteSource, @unchecked Sendable {
            let name = "x"
            let byteCount: Int64 = 4
            private var isTorn = false
            func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
                if isTorn { throw Problem(.input, "torn") }
                isTorn = true
                buffer.copyBytes(from: "abc".utf8)
                return 3
            }
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 16)
        defer { buffer.deallocate() }
        let read = Digest.of(Torn(), through: buffer)
        #expect(read.digest == Digest.of(Array("abc".utf8)) && read.byteCount == 3)
        #expect(read.problem?.summary == "torn")
    }
}
