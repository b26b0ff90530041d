import Foundation
import KernelTwins
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct InflateStreamTests {
    /// A stream and what it inflates to.
    struct Sample: Sendable, CustomTestStringConvertible {
        var name: String
        var compressed: [UInt8]
        var bytes: [UInt8]
        var testDescription: String { name }
        var isWrapped: Bool { Inflate.isWrapped(compressed[0], compressed[1]) }

        func stream(cut: Int? = nil, extra: [UInt8] = [], chunk: Int = .max) -> InflateStream {
            let bytes = compressed.prefix(cut ?? compressed.count) + extra
            let source = MemorySource(Array(bytes), name: "s", chunk: chunk)
            return InflateStream(source, subject: "depth stream")
        }

        /// As zlib inflates it: up to `limit` bytes, and whether the stream ended properly.
        func byZlib(_ limit: Int) -> (bytes: [UInt8], isSound: Bool) {
            var isSound: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
                count = twin_inflate(
                    compressed, compressed.count, isWrapped ? 1 : 0, output.baseAddress, output.count, &isSound)
            }
            return (bytes, isSound != 0)
        }
    }

    /// All three kinds of block, raw and wrapped: small enough to be cut at every byte.
    static let samples: [Sample] = {
        let short = slopes(1500)
        let flat = [UInt8](repeating: 7, count: 700)
        // Name, bytes, level, window bits (−15 raw, 15 wrapped), strategy (4 makes fixed codes).
        let kinds: [(String, [UInt8], Int, Int, Int)] = [
            ("dynamic", short, 6, -15, 0), ("fixed", short, 6, -15, 4), ("stored", short, 0, -15, 0),
            ("flat", flat, 6, -15, 0), ("wrapped", short, 6, 15, 0), ("wrapped, stored", flat, 0, 15, 0),
            ("nothing", [], 6, -15, 0), ("nothing, wrapped", [], 6, 15, 0),
        ]
        do {
            return try kinds.map { name, bytes, level, wbits, strategy in
                Sample(
                    name: name, compressed: try pythonDeflate(bytes, wbits: wbits, level: level, strategy: strategy),
                    bytes: bytes)
            }
        } catch {
            Issue.record("Python cannot compress: \(error)")
            return []
        }
    }()

    @Test(arguments: samples)
    func readsInPiecesOfAnySize(sample: Sample) throws {
        for (chunk, size) in [(1, 1), (1, 4096), (2, 3), (3, 101), (7, 13), (1000, 1), (.max, 5), (.max, 65536)] {
            let stream = sample.stream(chunk: chunk)
            let (bytes, problem) = drain(stream, size: size)
            #expect(problem == nil)
            #expect(bytes == sample.bytes)
            #expect(try stream.isAtEnd())
            #expect(stream.isFinished)
            #expect(stream.position == Int64(sample.bytes.count))
            #expect(stream.compressedPosition == Int64(sample.compressed.count))
            #expect(stream.trailingBytes == 0)
        }
    }

    @Test(arguments: samples)
    func saysAtEveryCutThatTheStreamIsTruncated(sample: Sample) throws {
        for cut in 0..<sample.compressed.count {
            for chunk in [1, .max] {
                let stream = sample.stream(cut: cut, chunk: chunk)
                let (bytes, problem) = drain(stream, size: 64)
                #expect(sample.bytes.starts(with: bytes))
                #expect(problem?.fault == .input)
                #expect(problem?.summary == (cut == 0 ? "depth stream is empty" : "depth stream truncated"))
                #expect(problem?.place.byte == Int64(cut))
                #expect(problem?.place.byteCount == Int64(cut))
                #expect(problem?.place.file == "s")
                #expect(stream.position == Int64(bytes.count))
            }
        }
    }

    /// A reader that asks for exactly the bytes it expects has them all before the last block ends.
    @Test func seesACutBehindTheLastByteOfData() throws {
        for sample in Self.samples where !sample.bytes.isEmpty {
            let stream = sample.stream(cut: sample.compressed.count - 1)
            var buffer = [UInt8](repeating: 0, count: sample.bytes.count)
            let whole = try? read(stream, into: &buffer)
            // The wrapper's checksum stands behind all data; without it the last byte may hold the end of a code.
            if whole != nil || sample.name.contains("wrapped") { #expect(buffer == sample.bytes) }
            let problem = problem { () throws(Problem) in _ = try stream.isAtEnd() }
            #expect(problem?.summary == "depth stream truncated")
        }
    }

    @Test(arguments: samples)
    func countsWhatFollowsTheStream(sample: Sample) throws {
        for count in [1, 2, 7, 8, 9, 300] {
            for chunk in [1, 5, .max] {
                let extra = slopes(count, seed: 9)
                let stream = sample.stream(extra: extra, chunk: chunk)
                let (bytes, problem) = drain(stream)
                #expect(problem == nil)
                #expect(bytes == sample.bytes)
                #expect(stream.compressedPosition == Int64(sample.compressed.count))
                #expect(stream.trailingBytes == Int64(count))
            }
        }
    }

    /// Behind the first 32 KiB, ISA-L reads ahead of the end of raw data.
    @Test func countsWhatFollowsALongStream() throws {
        let bytes = slopes(50_000)
        let long = Sample(name: "long", compressed: try pythonDeflate(bytes, wbits: -15), bytes: bytes)
        for count in [1, 7, 8, 300] {
            let stream = long.stream(extra: slopes(count, seed: 9))
            #expect(drain(stream).bytes == bytes)
            #expect(stream.compressedPosition == Int64(long.compressed.count))
            #expect(stream.trailingBytes == Int64(count))
        }
    }

    /// Raw DEFLATE has no checksum, so a flipped bit may go unnoticed; it must neither crash nor run on. zlib refuses a
    /// block whose codes leave gaps, ISA-L only a symbol that falls into one, so zlib may stop sooner, but never later.
    @Test(arguments: samples)
    func agreesWithZlibOnEveryFlippedBit(sample: Sample) throws {
        var noticed = 0
        for bit in 0..<sample.compressed.count * 8 {
            var flipped = sample
            flipped.compressed[bit / 8] ^= 1 << (bit % 8)
            let limit = sample.bytes.count + 1
            // A flipped bit in the wrapper's header makes raw DEFLATE of it.
            if flipped.isWrapped != sample.isWrapped { continue }
            let (bytes, problem) = drain(flipped.stream(), size: limit, limit: limit)
            let zlib = flipped.byZlib(limit)
            #expect(bytes.starts(with: zlib.bytes), "bit \(bit)")
            if zlib.isSound { #expect(problem == nil && bytes == zlib.bytes, "bit \(bit)") }
            if problem != nil || bytes.count != sample.bytes.count { noticed += 1 }
            // Not that the bytes are right: now and then Adler-32 is the same for other bytes.
            if sample.name.hasPrefix("wrapped"), problem == nil, bytes.count < limit {
                #expect(zlib.isSound, "bit \(bit)")
            }
        }
        #expect(noticed > 0)
    }

    @Test func givesAllThatComesBeforeDamageAndNamesItsByte() throws {
        let bytes = slopes(150_000)
        let sound = try bytes.withUnsafeBytes { try DeflateBlock.compress($0, level: 6) }
        // A block of the fourth kind, which does not exist.
        let compressed = sound + [0x07] + slopes(1000)
        for size in [1, 10_000, 98_304, 1 << 20] {
            let source = MemorySource(compressed, name: "x.zlib")
            let stream = InflateStream(source, subject: "depth stream")
            let (given, problem) = drain(stream, size: size)
            #expect(given == bytes)
            #expect(stream.position == Int64(bytes.count))
            #expect(problem?.summary == "depth stream damaged")
            #expect(problem?.place.file == "x.zlib")
            #expect(problem?.place.byteCount == Int64(compressed.count))
            let byte = try #require(problem?.place.byte)
            #expect(byte > sound.count && byte <= sound.count + 8)
            // The same problem from then on.
            #expect(drain(stream).problem == problem)
        }
    }

    /// However the bytes come and go, nothing of a match that reaches back before the start is given out.
    @Test func aMatchBeforeTheStartGivesNothing() throws {
        // A block of fixed codes: “a” three times, then 258 bytes from ten bytes back.
        let bits = "110" + String(repeating: "10010001", count: 3) + "11000101" + "00110" + "10"
        var packed = [UInt8](repeating: 0, count: 60)
        for (place, bit) in bits.utf8.enumerated() { packed[place / 8] |= (bit & 1) << (place % 8) }
        for chunk in [1, 3, 16, .max] {
            for size in [1, 7, 4096] {
                let stream = InflateStream(MemorySource(packed, name: "x", chunk: chunk))
                let (bytes, problem) = drain(stream, size: size)
                #expect(bytes == [97, 97, 97])
                #expect(problem?.notes.first?.contains("DEFLATE") == true)
            }
        }
    }

    @Test func noticesAWrongChecksum() throws {
        var sample = Self.samples[4]
        sample.compressed[sample.compressed.count - 1] ^= 1
        let (_, problem) = drain(sample.stream())
        #expect(problem?.summary == "depth stream damaged")
    }

    /// What the checksum leaves in the registers would slow down all that the thread does next.
    @Test(.enabled(if: twin_upper_halves_are_told() != 0, "this processor does not tell which registers are in use"))
    func leavesTheRegistersClear() throws {
        let bytes = slopes(1 << 20)
        let stream = InflateStream(MemorySource(try pythonDeflate(bytes, wbits: 15), name: "s", chunk: .max))
        var buffer = [UInt8](repeating: 0, count: bytes.count)
        #expect(try read(stream, into: &buffer) == bytes.count)
        #expect(twin_upper_halves_in_use() == 0)
    }

    @Test func refusesAPresetDictionary() throws {
        let script = """
            c = zlib.compressobj(6, zlib.DEFLATED, 15, 8, 0, b'depth depth depth')
            put(c.compress(b'depth depth') + c.flush())
            """
        let sample = Sample(name: "dictionary", compressed: try python(script)[0], bytes: [])
        let (bytes, problem) = drain(sample.stream())
        #expect(bytes.isEmpty)
        #expect(problem?.notes.first?.contains("preset dictionary") == true)
    }

    @Test func stopsWhereTheCallerStops() throws {
        // 100 MiB of zeros in some 100 kB.
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        let block = try zeros.withUnsafeBytes { try DeflateBlock.compress($0, level: 9) }
        let bomb = Array((0..<100).map { _ in block }.joined()) + DeflateBlock.end
        let stream = InflateStream(MemorySource(bomb, name: "bomb"), chunkBytes: 1024)
        var frame = [UInt8](repeating: 1, count: 98_304)
        #expect(try read(stream, into: &frame) == frame.count)
        #expect(try !stream.isAtEnd())
        #expect(stream.position == 98_304)
        #expect(stream.compressedPosition <= 1024)
        #expect(!stream.isFinished)
        #expect(stream.trailingBytes == 0)
        // The byte that was looked at is not lost.
        #expect(try read(stream, into: &frame) == frame.count)
        #expect(stream.position == 2 * 98_304)
    }

    @Test func skips() throws {
        let bytes = slopes(200_000)
        let compressed = try pythonDeflate(bytes, wbits: -15)
        let stream = InflateStream(MemorySource(compressed, name: "s"))
        #expect(try stream.skip(150_001) == 150_001)
        var next = [UInt8](repeating: 0, count: 10)
        #expect(try read(stream, into: &next) == 10)
        #expect(next == Array(bytes[150_001..<150_011]))
        #expect(try stream.skip(0) == 0)
        #expect(try stream.skip(1_000_000) == 49_989)
        #expect(try stream.isAtEnd())
    }

    /// ISA-L counts its output in 32 bits.
    @Test func readsBeyondFourGiB() throws {
        // Nearly all of it are matches 30,011 bytes back.
        var bytes = slopes(30_011)
        while bytes.count < 3_001_100 { bytes += bytes.prefix(30_011) }
        let block = try bytes.withUnsafeBytes { try DeflateBlock.compress($0, level: 9) }
        let times = (4 << 30) / bytes.count + 20
        let source = RepeatingSource(block: block, times: times, end: DeflateBlock.end)
        let stream = InflateStream(source)
        // So that one call ends 1,000 bytes behind 2³², where a match reaches back before it.
        #expect(try stream.skip(1000) == 1000)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var isWhole = true
        while stream.position < 4 << 30 { isWhole = try isWhole && read(stream, into: &buffer) == buffer.count }
        #expect(isWhole)
        #expect(stream.position == 4 << 30 + 1000)
        #expect(try read(stream, into: &buffer) == buffer.count)
        let start = Int((stream.position - Int64(buffer.count)) % Int64(bytes.count))
        #expect(buffer[..<1000] == bytes[start..<start + 1000])
        _ = try stream.skip(.max)
        #expect(stream.position == Int64(times) * Int64(bytes.count))
        #expect(try stream.isAtEnd())
        #expect(stream.trailingBytes == 0)
    }

    @Test func reportsAnEmptyFileWhenItIsRead() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](), to: "empty.zlib")
        let stream = InflateStream(try FileSource(path: path, name: "empty.zlib"), subject: "depth stream")
        #expect(drain(stream).problem?.oneLine == "depth stream is empty (empty.zlib at byte 0 of 0)")
    }

    @Test func movesBetweenThreads() async throws {
        let sample = Self.samples[0]
        let stream = sample.stream()
        let first = await Task.detached { drain(stream, size: 100, limit: 100).bytes }.value
        let second = await Task.detached { drain(stream).bytes }.value
        #expect(first + second == sample.bytes)
    }

    @Test(.enabled(if: SharedData.isThere), arguments: [("depth", 98_304), ("confidence", 49_152)])
    func inflatesARealCapture(of stream: (name: String, frameBytes: Int)) throws {
        let expected = try SharedData.expected("office.expected.json")
        let path = SharedData.path("office/office.\(stream.name).zlib")
        let inflate = InflateStream(try FileSource(path: path, name: "office.\(stream.name).zlib"))
        var all: [UInt8] = []
        var frame = [UInt8](repeating: 0, count: stream.frameBytes)
        for _ in 0..<40 {
            #expect(try read(inflate, into: &frame) == stream.frameBytes)
            all += frame
        }
        #expect(try inflate.isAtEnd())
        #expect(inflate.trailingBytes == 0)
        #expect(all.count == (expected["inflated_bytes"] as? [String: Int])?[stream.name])
        let digest = try python("import hashlib; put(hashlib.sha256(data).hexdigest().encode())", reading: all)[0]
        #expect(
            String(decoding: digest, as: UTF8.self) == (expected["inflated_sha256"] as? [String: String])?[stream.name])
    }
}

/// The same bytes many times over, without holding them.
private final class RepeatingSource: ByteSource, @unchecked Sendable {
    let name = "repeated"
    let byteCount: Int64
    private let block: [UInt8]
    private var left: Int
    private let end: [UInt8]
    private var offset = 0

    init(block: [UInt8], times: Int, end: [UInt8]) {
        byteCount = Int64(block.count * times + end.count)
        self.block = block
        left = times
        self.end = end
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let current = left > 0 ? block : end
        if left < 0 { return 0 }
        let count = min(buffer.count, current.count - offset)
        buffer.copyBytes(from: current[offset..<offset + count])
        offset += count
        if offset == current.count { (offset, left) = (0, left - 1) }
        return count
    }
}
