import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PLYWriterTests {
    private static let kinds: [PointCloud.Properties] = [[], .colors, .normals, [.normals, .colors]]

    private func cloud(_ count: Int, _ properties: PointCloud.Properties) -> PointCloud {
        var random = SplitMix(seed: UInt64(count))
        func float() -> Float { Float.random(in: -100...100, using: &random) }
        let positions = (0..<3 * count).map { _ in float() }
        var normals: [Float] = []
        for _ in 0..<count {
            let direction = SIMD3(float(), float(), float())
            let unit = direction / (direction * direction).sum().squareRoot()
            normals += [unit.x, unit.y, unit.z]
        }
        let bytes = (0..<3 * count).map { _ in UInt8.random(in: 0...255, using: &random) }
        return PointCloud(
            positions: positions, colors: properties.contains(.colors) ? bytes : nil,
            normals: properties.contains(.normals) ? normals : nil)
    }

    private func file(_ clouds: [PointCloud], _ properties: PointCloud.Properties) throws -> [UInt8] {
        var sink = MemorySink()
        try sink.write(PLYWriter.header(count: clouds.map(\.count).reduce(0, +), properties))
        var writer = PLYWriter(properties)
        for cloud in clouds { try writer.write(cloud, to: &sink) }
        #expect(writer.count == clouds.map(\.count).reduce(0, +))
        return sink.bytes
    }

    @Test func writesThisHeader() {
        let header = PLYWriter.header(count: 12, [.normals, .colors])
        #expect(
            String(decoding: header, as: UTF8.self) == """
                ply
                format binary_little_endian 1.0
                element vertex 12
                property float x
                property float y
                property float z
                property float nx
                property float ny
                property float nz
                property uchar red
                property uchar green
                property uchar blue
                end_header

                """)
        let bare = String(decoding: PLYWriter.header(count: 0, []), as: UTF8.self)
        #expect(!bare.contains("uchar") && !bare.contains("nx"))
    }

    @Test func aUnitThatIsNotTheMetreIsSaid() throws {
        for unit in LengthUnit.allCases {
            let header = PLYWriter.header(count: 1, [], unit: unit)
            #expect(String(decoding: header, as: UTF8.self).contains("unit") == (unit != .metre))
            let reader = try PLYReader(MemorySource(header + Array(repeating: 0, count: 12), name: "a.ply"))
            #expect(reader.header.unit == unit)
        }
    }

    @Test func aReservedHeaderNeverChangesItsLength() throws {
        let counts = [0, 9, 10, 123_456, 1 << 40, Int.max]
        let headers = counts.map { PLYWriter.reservedHeader(count: $0, .colors) }
        #expect(Set(headers.map(\.count)).count == 1)
        // Written over in place, it is a good file.
        var bytes = PLYWriter.reservedHeader(count: 0, [])
        var sink = MemorySink()
        var writer = PLYWriter([])
        try writer.write(cloud(1000, []), to: &sink)
        bytes += sink.bytes
        let header = PLYWriter.reservedHeader(count: writer.count, [])
        bytes.replaceSubrange(0..<header.count, with: header)
        var reader = try PLYReader(MemorySource(bytes, name: "a.ply"))
        #expect(try reader.next() == cloud(1000, []))
    }

    @Test(arguments: kinds, [0, 1, 4095, 4096, 4097, 10_000])
    func whatIsWrittenReadsBack(_ properties: PointCloud.Properties, count: Int) throws {
        let cloud = cloud(count, properties)
        var reader = try PLYReader(MemorySource(try file([cloud], properties), name: "a.ply"))
        var back = PointCloud(of: properties)
        while let part = try reader.next(3000) { back.append(part) }
        #expect(back == cloud)
        #expect(reader.properties == properties)
    }

    /// Python's `struct` reads the same numbers.
    @Test(arguments: kinds)
    func pythonReadsIt(_ properties: PointCloud.Properties) throws {
        let clouds = [5000, 0, 77].map { cloud($0, properties) }
        let folder = try TemporaryFolder()
        let path = try folder.write(try file(clouds, properties), to: "a.ply")
        let script = """
            import struct, sys
            data = open(sys.argv[1], "rb").read()
            end = data.index(b"end_header\\n") + 11
            names = [line.split()[2] for line in data[:end].decode().splitlines() if line.startswith("property")]
            floats = sum(name in ("x", "y", "z", "nx", "ny", "nz") for name in names)
            record = struct.Struct("<" + "I" * floats + "B" * (len(names) - floats))
            count = int(data[:end].split(b"element vertex ")[1].split()[0])
            assert len(data) == end + count * record.size
            wanted = [name for name in ["x", "y", "z", "red", "green", "blue", "nx", "ny", "nz"] if name in names]
            for p in record.iter_unpack(data[end:]): print(*[p[names.index(name)] for name in wanted])
            """
        let result = try runPython(script, [path])
        #expect(result.status == 0, "\(result.errors)")
        var expected: [String] = []
        for cloud in clouds {
            for i in 0..<cloud.count {
                let place = 3 * i..<3 * i + 3
                var words = cloud.positions[place].map { String($0.bitPattern) }
                words += cloud.colors?[place].map { String($0) } ?? []
                words += cloud.normals?[place].map { String($0.bitPattern) } ?? []
                expected.append(words.joined(separator: " "))
            }
        }
        #expect(result.output.split(separator: "\n").map(String.init) == expected)
    }

    @Test func pointsWithoutColourAreBlackAmongOthers() throws {
        let bytes = try file([cloud(2, .colors), cloud(1, [])], .colors)
        #expect(bytes.suffix(3) == [0, 0, 0])
    }
}
