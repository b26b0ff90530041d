import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Both layouts of `depth.bin`, made by Python's zlib and, byte by byte, by the letter of LZ4's block format.
@Suite struct ScanNetPPDepthTests {
    /// 4 × 3 pixels: frame n holds 1000 + n, 1001 + n, … mm.
    private static func values(_ frame: Int) -> [UInt16] { (0..<12).map { UInt16(1000 + frame + $0) } }

    private static func bytes(_ values: [UInt16]) -> [UInt8] {
        values.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    }

    private static func metres(_ values: [UInt16]) -> [UInt8] {
        values.flatMap { value in withUnsafeBytes(of: (Float(value) / 1000).bitPattern.littleEndian, Array.init) }
    }

    private static func sized(_ chunk: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(chunk.count).littleEndian, Array.init) + chunk
    }

    /// A block of literals alone: a token, more of the length, the bytes.
    private static func lz4(_ bytes: [UInt8]) -> [UInt8] {
        var block: [UInt8] = [UInt8(min(bytes.count, 15) << 4)]
        var rest = bytes.count - 15
        while rest >= 0 {
            block.append(UInt8(min(rest, 255)))
            rest -= 255
        }
        return block + bytes
    }

    private func layout(
        _ file: [UInt8], rules: ReadRules = ReadRules(), chunk: Int = .max
    ) throws -> ScanNetPPDepth.Layout {
        try ScanNetPPDepth.layout(of: "depth.bin", in: MemoryTree(["depth.bin": file], chunk: chunk), rules: rules)
    }

    private func frames(_ file: [UInt8], count: Int, wanted: Set<Int>? = nil, carries: Bool = false) throws -> [Frame] {
        let stream = ChunkStream(file: "depth.bin", size: PixelSize(4, 3), count: count)
        let track = try ChunkTrack(stream, MemoryTree(["depth.bin": file], chunk: 11), carriesPrevious: carries)
        var frames: [Frame] = []
        for index in 0..<count {
            var frame = Frame(FrameFacts(index: index))
            try track.advance(&frame, isWanted: wanted?.contains(index) ?? true)
            frames.append(frame)
        }
        _ = track.finish()
        return frames
    }

    @Test func chunksOfEitherKind() throws {
        let file =
            Self.sized(Self.lz4(Self.bytes(Self.values(0))))
            + Self.sized(try MultiScanSample.deflate(Self.metres(Self.values(1))))
            + (try ScanNetPPDepth.chunk(Gray16Image(width: 4, height: 3, pixels: Self.values(2))))
        for chunk in [3, .max] {
            #expect(try layout(file, chunk: chunk) == .chunks(count: 3, size: PixelSize(4, 3), truncation: nil))
        }
        let depth = try frames(file, count: 3).map { try DepthCodec.decode(try #require($0.recordedDepth)).map.metres }
        for number in 0..<3 {
            for (metres, value) in zip(depth[number], Self.values(number)) { #expect(metres == Float(value) / 1000) }
        }
    }

    @Test func chunksOnDiskAreFoundWithoutReadingThem() throws {
        let folder = try TemporaryFolder()
        let file = (0..<5).flatMap { Self.sized(Self.lz4(Self.bytes(Self.values($0)))) }
        try folder.write(file, to: "capture/depth.bin")
        let tree = CaptureFolder(path: "\(folder.path)/capture")
        let found = try ScanNetPPDepth.layout(of: "depth.bin", in: tree, rules: ReadRules())
        #expect(found == .chunks(count: 5, size: PixelSize(4, 3), truncation: nil))
    }

    @Test func theAppsOwnSizeComesFirst() throws {
        let frame = Gray16Image(width: 256, height: 192, pixels: (0..<256 * 192).map { UInt16($0 % 5000) })
        let chunk = try ScanNetPPDepth.chunk(frame)
        #expect(try layout(chunk + chunk) == .chunks(count: 2, size: PixelSize(256, 192), truncation: nil))
        let floats = try MultiScanSample.deflate(Self.metres(frame.pixels))
        #expect(try layout(Self.sized(floats)) == .chunks(count: 1, size: PixelSize(256, 192), truncation: nil))
    }

    /// The second tells that the file holds chunks.
    @Test func aFirstChunkThatIsDamaged() throws {
        let damaged = Self.sized([UInt8](repeating: 0xFF, count: 20))
        let sound = (1..<4).flatMap { Self.sized(Self.lz4(Self.bytes(Self.values($0)))) }
        #expect(try layout(damaged + sound) == .chunks(count: 4, size: PixelSize(4, 3), truncation: nil))
    }

    @Test func framesThatNobodyWantsAreSteppedOver() throws {
        let file = (0..<4).flatMap { Self.sized(Self.lz4(Self.bytes(Self.values($0)))) }
        let some = try frames(file, count: 4, wanted: [2])
        #expect(some.map { $0.recordedDepth?.bytes.first } == [nil, nil, UInt8(1002 & 255), nil])
        #expect(some[2].recordedDepthBefore == nil)
        let carried = try frames(file, count: 4, wanted: [2], carries: true)
        #expect(carried[2].recordedDepthBefore?.bytes.first == UInt8(1001 & 255))
    }

    @Test func aDamagedChunkCostsItsFrame() throws {
        let damaged = Array(Self.lz4(Self.bytes(Self.values(1))).dropLast(5))
        let file =
            Self.sized(Self.lz4(Self.bytes(Self.values(0)))) + Self.sized(damaged)
            + Self.sized(Self.lz4(Self.bytes(Self.values(2))))
        let all = try frames(file, count: 3, carries: true)
        #expect(all.map { $0.drop?.isBad } == [nil, true, nil])
        #expect(all[1].drop?.reason.hasPrefix("the frame's depth is damaged") == true)
        #expect(all[2].recordedDepth != nil && all[2].recordedDepthBefore == nil)
    }

    @Test func aFileThatBecameShorter() throws {
        let file = Self.sized(Self.lz4(Self.bytes(Self.values(0))))
        #expect(throws: Problem.self) { try frames(file, count: 2) }
        #expect(throws: Problem.self) { try frames(file, count: 2, wanted: []) }
    }

    @Test func oneStreamOfAllFrames() throws {
        let stream = try MultiScanSample.deflate((0..<3).flatMap { Self.metres(Self.values($0)) })
        #expect(try layout(stream) == .packed)
    }

    @Test func whatIsNoFileOfChunks() throws {
        let chunk = Self.sized(Self.lz4(Self.bytes(Self.values(0))))
        // They are cut off; the sizes are 0; they go beyond any frame; the first holds no frame of 4 : 3.
        let files: [[UInt8]] = [
            Array(chunk.dropLast()), [0, 0, 0, 0], [0, 0, 0, 0] + chunk, [255, 255, 255, 255], [1], [],
            Self.sized([1, 2, 3]), Self.sized(Self.lz4([1, 2, 3, 4, 5])), Self.sized(Self.lz4([])),
        ]
        for file in files { #expect(try layout(file) == .packed, "\(file.count)") }
    }

    /// One whole frame tells what the file is, and what comes behind it is cut off.
    @Test func aFileThatIsCutOff() throws {
        let chunk = Self.sized(Self.lz4(Self.bytes(Self.values(0))))
        for more in [[1], Array(chunk.dropLast())] as [[UInt8]] {
            guard case .chunks(1, _, let problem) = try layout(chunk + more) else {
                Issue.record("these are no chunks")
                continue
            }
            #expect(problem?.summary == "the depth file ends inside frame 1")
            #expect(problem?.place.byte == Int64(chunk.count))
            #expect(problem?.fix == "copy the file again")
        }
    }

    @Test func limitsCountBeforeAnythingIsUnpacked() throws {
        var rules = ReadRules()
        rules.maxFrames = 3
        let many: [UInt8] = Array(repeating: [1, 0, 0, 0, 7], count: 50).flatMap(\.self)
        let problem = #expect(throws: Problem.self) { try layout(many, rules: rules) }
        #expect(problem?.summary == "there are more than 3 chunks in the depth file")
        rules.maxPicturePixels = 6
        #expect(try layout(Self.sized(Self.lz4(Self.bytes(Self.values(0)))), rules: rules) == .packed)
    }
}
