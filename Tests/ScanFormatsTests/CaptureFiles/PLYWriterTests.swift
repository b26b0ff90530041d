import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PLYWriterTests {
    private func cloud(_ count: Int, hasColor: Bool) -> PointCloud {
        var random = SplitMix(seed: UInt64(count))
        return PointCloud(
            positions: (0..<3 * count).map { _ in Float.random(in: -100...100, using: &random) },
            colors: hasColor ? (0..<3 * count).map { _ in UInt8.random(in: 0...255, using: &random) } : nil)
    }

    private func file(_ clouds: [PointCloud], hasColor: Bool) throws -> [UInt8] {
        var sink = MemorySink()
        try sink.write(PLYWriter.header(count: clouds.map(\.count).reduce(0, +), hasColor: hasColor))
        var writer = PLYWriter(hasColor: hasColor)
        for cloud in clouds { try writer.write(cloud, to: &sink) }
        #expect(writer.count == clouds.map(\.count).reduce(0, +))
        return sink.bytes
    }

    @Test func writesThisHeader() {
        let header = PLYWriter.header(count: 12, hasColor: true)
        #expect(
            String(decoding: header, as: UTF8.self) == """
                ply
                format binary_little_endian 1.0
                element vertex 12
                property float x
                property float y
                property float z
                property uchar red
                property uchar green
                property uchar blue
                end_header

                """)
        #expect(!String(decoding: PLYWriter.header(count: 0, hasColor: false), as: UTF8.self).contains("uchar"))
    }

    @Test func aReservedHeaderNeverChangesItsLength() throws {
        let counts = [0, 9, 10, 123_456, 1 << 40, Int.max]
        let headers = counts.map { PLYWriter.reservedHeader(count: $0, hasColor: true) }
        #expect(Set(headers.map(\.count)).count == 1)
        // Written over in place, it is a good file.
        var bytes = PLYWriter.reservedHeader(count: 0, hasColor: false)
        var sink = MemorySink()
        var writer = PLYWriter(hasColor: false)
        try writer.write(cloud(1000, hasColor: false), to: &sink)
        bytes += sink.bytes
        let header = PLYWriter.reservedHeader(count: writer.count, hasColor: false)
        bytes.replaceSubrange(0..<header.count, with: header)
        var reader = try PLYReader(MemorySource(bytes, name: "a.ply"))
        #expect(try reader.next() == cloud(1000, hasColor: false))
    }

    @Test(arguments: [false, true], [0, 1, 4095, 4096, 4097, 10_000])
    func whatIsWrittenReadsBack(hasColor: Bool, count: Int) throws {
        let cloud = cloud(count, hasColor: hasColor)
        var reader = try PLYReader(MemorySource(try file([cloud], hasColor: hasColor), name: "a.ply"))
        var back = PointCloud(colors: hasColor ? [] : nil)
        while let part = try reader.next(3000) {
            back.positions += part.positions
            if let colors = part.colors { back.colors? += colors }
        }
        #expect(back == cloud)
        #expect(reader.hasColor == hasColor)
    }

    /// Python's `struct` reads the same numbers.
    @Test(arguments: [false, true])
    func pythonReadsIt(hasColor: Bool) throws {
        let clouds = [cloud(5000, hasColor: hasColor), cloud(0, hasColor: hasColor), cloud(77, hasColor: hasColor)]
        let folder = try TemporaryFolder()
        let path = try folder.write(try file(clouds, hasColor: hasColor), to: "a.ply")
        let script = """
            import struct, sys
            data = open(sys.argv[1], "rb").read()
            end = data.index(b"end_header\\n") + 11
            record = struct.Struct("<fffBBB" if b"uchar red" in data[:end] else "<fff")
            count = int(data[:end].split(b"element vertex ")[1].split()[0])
            assert len(data) == end + count * record.size
            for p in record.iter_unpack(data[end:]): print(*struct.unpack("III", struct.pack("fff", *p[:3])), *p[3:])
            """
        let result = try runPython(script, [path])
        #expect(result.status == 0, "\(result.errors)")
        var expected: [String] = []
        for cloud in clouds {
            for i in 0..<cloud.count {
                var words = cloud.positions[3 * i..<3 * i + 3].map { String($0.bitPattern) }
                if let colors = cloud.colors { words += colors[3 * i..<3 * i + 3].map { String($0) } }
                expected.append(words.joined(separator: " "))
            }
        }
        #expect(result.output.split(separator: "\n").map(String.init) == expected)
    }

    @Test func pointsWithoutColourAreBlackAmongOthers() throws {
        let bytes = try file([cloud(2, hasColor: true), cloud(1, hasColor: false)], hasColor: true)
        #expect(bytes.suffix(3) == [0, 0, 0])
    }
}
