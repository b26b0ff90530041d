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

    @Test func equalsPython() throws {
        let folder = try TemporaryFolder()
        let contents = [0, 1, 55, 56, 63, 64, 65, 1000, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 1_000_003].map {
            noise($0)
        }
        let paths = try contents.enumerated().map { try folder.write($1, to: "\($0)") }
        let expected = try pythonDigests(of: paths)
        try #require(expected.count == contents.count)
        for (bytes, hex) in zip(contents, expected) {
            #expect(Digest.of(bytes).hex == hex)
            let (digest, count) = try Digest.of(MemorySource(name: "x", bytes, step: 4099))
            #expect(digest.hex == hex)
            #expect(count == Int64(bytes.count))
        }
    }

    @Test func aSourceThatFails() {
        final class Broken: ByteSource {
            let name = "x"
            let byteCount: Int64? = nil
            func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
                throw Problem(.input, "torn")
            }
        }
        #expect(problem { _ = try Digest.of(Broken()) }?.summary == "torn")
    }
}
