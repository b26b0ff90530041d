import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct DeflateTests {
    @Test func blocksMakeOneStreamForPython() throws {
        let blocks = [
            slopes(98_304), [], slopes(1, seed: 2), slopes(70_000, seed: 3), [UInt8](repeating: 0, count: 98_304),
        ]
        let folder = try TemporaryFolder()
        for level in 0...9 {
            var stream: [UInt8] = []
            for block in blocks {
                stream += try block.withUnsafeBytes { try DeflateBlock.compress($0, level: level) }
            }
            stream += DeflateBlock.end
            try folder.write(stream, to: "\(level)")
            #expect(try Inflate.bytes(stream, limit: 1 << 20) == Array(blocks.joined()))
        }
        let script = """
            for level in range(10):
                d = zlib.decompressobj(-15)
                put(d.decompress(open(f'{sys.argv[1]}/{level}', 'rb').read()))
                assert d.eof and not d.unused_data
            """
        let streams = try python(script, [folder.path])
        #expect(streams.count == 10)
        for stream in streams { #expect(stream == Array(blocks.joined())) }
    }

    @Test func aBlockDoesNotDependOnTheOnesBefore() throws {
        let bytes = slopes(5000)
        let first = try bytes.withUnsafeBytes { try DeflateBlock.compress($0, level: 6) }
        let second = try bytes.withUnsafeBytes { try DeflateBlock.compress($0, level: 6) }
        #expect(first == second)
        #expect(try DeflateBlock.compress(bytes, level: 6) == first)
        #expect(try Inflate.bytes(second + DeflateBlock.end, limit: 5000) == bytes)
    }

    @Test func refusesLevelsThatZlibHasNot() {
        for level in [-1, 10, .max] {
            let problem = problem { () throws(Problem) in
                _ = try DeflateBlock.compress(UnsafeRawBufferPointer(start: nil, count: 0), level: level)
            }
            #expect(problem?.fault == .usage)
        }
    }

    @Test func inflatesAtOnce() throws {
        for wbits in [-15, 15] {
            let script = """
                for count in [0, 1, 65535, 65536, 65537, 614400]:
                    c = zlib.compressobj(6, zlib.DEFLATED, \(wbits))
                    put(data[:count])
                    put(c.compress(data[:count]) + c.flush())
                """
            let entries = try python(script, reading: slopes(614_400))
            #expect(entries.count == 12)
            for i in stride(from: 0, to: entries.count, by: 2) {
                let (bytes, compressed) = (entries[i], entries[i + 1])
                #expect(try Inflate.bytes(compressed, limit: bytes.count) == bytes)
                #expect(try Inflate.bytes(compressed, limit: 1 << 40) == bytes)
            }
        }
    }

    @Test func stopsAByteBehindTheLimit() throws {
        let bytes = [UInt8](repeating: 3, count: 4 << 20)
        let compressed = try pythonDeflate(bytes, wbits: 15)
        #expect(throws: Problem.self) { try Inflate.bytes(compressed, limit: -1) }
        for limit in [0, 1, 65_536, 100_000, bytes.count - 1] {
            let problem = problem { () throws(Problem) in
                _ = try Inflate.bytes(compressed, limit: limit, subject: "frame")
            }
            #expect(problem?.summary == "frame inflates to more than \(limit) bytes")
        }
    }

    @Test func saysWhatIsWrongWithoutAFile() throws {
        let compressed = try pythonDeflate(slopes(1000), wbits: 15)
        for (bytes, summary) in [
            ([], "frame is empty"), (Array(compressed.dropLast()), "frame truncated"),
            ([0xff] + compressed, "frame damaged"),
        ] {
            let problem = problem { () throws(Problem) in
                _ = try Inflate.bytes(bytes, limit: 1000, subject: "frame")
            }
            #expect(problem?.summary == summary)
            #expect(problem?.fault == .input)
            #expect(problem?.place.file == nil)
        }
    }
}
