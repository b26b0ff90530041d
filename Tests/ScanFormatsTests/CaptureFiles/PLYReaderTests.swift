import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PLYReaderTests {
    private func read(
        _ bytes: [UInt8], chunk: Int = 1 << 16, limit: Int = 1000
    ) throws(Problem) -> (cloud: PointCloud, reader: PLYReader) {
        var reader = try PLYReader(MemorySource(bytes, name: "a.ply", chunk: chunk), chunk: chunk)
        var cloud = PointCloud(of: reader.properties)
        while let part = try reader.next(limit) {
            #expect(part.count <= limit)
            cloud.append(part)
        }
        return (cloud, reader)
    }

    /// A file that Python packs: `script` gets an open binary file `f`.
    private func pythonFile(_ script: String) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try folder.write("", to: "a.ply")
        let result = try runPython(
            "import struct, sys\nf = open(sys.argv[1], 'wb')\n" + script, [folder.path + "/a.ply"])
        #expect(result.status == 0, "\(result.errors)")
        return try folder.bytes("a.ply")
    }

    private let expected: PointCloud = {
        var cloud = PointCloud(colors: [])
        for i in 0..<50 {
            cloud.positions += [Float(i) * 0.1, Float(-i), 1 / Float(i + 1)]
            cloud.colors? += [UInt8(i), UInt8(255 - i), 7]
        }
        return cloud
    }()

    /// Wherever they stand.
    @Test func blankLinesArePassedOver() throws {
        let text = """
            ply
            format ascii 1.0
            element camera 2
            property float t
            element vertex 2
            property float x
            property float y
            property float z
            end_header

            7
            \u{20}
            8

            1 2 3

            4 5 6

            """
        var (cloud, reader) = try read(Array(text.utf8))
        #expect(cloud.positions == [1, 2, 3, 4, 5, 6])
        #expect(try reader.hasMore() == false)
    }

    @Test func aLineWithoutEndIsNoPoint() throws {
        let header = [
            "ply", "format ascii 1.0", "element vertex 1", "property float x", "property float y", "property float z",
        ]
        let text = (header + ["end_header", "1 2 " + String(repeating: "3", count: 1 << 20), "4 5 6", ""]).joined(
            separator: "\n")
        let problem = #expect(throws: Problem.self) { try read(Array(text.utf8)) }
        #expect(problem?.summary == "a point's line is longer than 1048576 bytes")
        #expect(problem?.place.line == 8)
    }

    @Test(arguments: [("<", "binary_little_endian"), (">", "binary_big_endian")], [1, 13, 64, 65536])
    func readsBothByteOrdersAndSkipsTheRest(order: (String, String), chunk: Int) throws {
        let bytes = try pythonFile(
            """
            o = '\(order.0)'
            f.write(b'ply\\nformat \(order.1) 1.0\\nelement camera 2\\nproperty float64 t\\nelement vertex 50\\n'
              b'property uchar blue\\nproperty float z\\nproperty double nx\\nproperty float x\\nproperty uchar green\\n'
              b'property float y\\nproperty uchar red\\nproperty short w\\n'
              b'element face 1\\nproperty list uchar int vertex_indices\\nend_header\\n')
            f.write(struct.pack(o + 'dd', 1, 2))
            one = lambda v: struct.unpack('f', struct.pack('f', v))[0]
            for i in range(50):
              f.write(struct.pack(o + 'BfdfBfBh', 7, 1 / (i + 1), 9.5, one(i) * one(0.1), 255 - i, -i, i, 3))
            f.write(struct.pack(o + 'Biii', 3, 0, 1, 2))
            """)
        for limit in [1, 7, 1000] {
            let (cloud, reader) = try read(bytes, chunk: chunk, limit: limit)
            #expect(cloud == expected)
            #expect(reader.pointCount == 50)
            #expect(reader.warnings == [])
        }
    }

    @Test(arguments: [1, 13, 65536])
    func readsText(chunk: Int) throws {
        let bytes = try pythonFile(
            """
            one = lambda v: struct.unpack('f', struct.pack('f', v))[0]
            f.write(b'ply\\r\\nformat ascii 1.0\\r\\nelement camera 1\\r\\nproperty list uchar int ids\\r\\n'
              b'element vertex 50\\r\\nproperty float x\\r\\nproperty float y\\r\\nproperty float z\\r\\n'
              b'property uchar red\\r\\nproperty uchar green\\r\\nproperty uchar blue\\r\\nend_header\\r\\n2 5 6\\r\\n')
            for i in range(50):
              x = one(one(i) * one(0.1))
              f.write(b'%r %d\\t%r  %d %d %d\\r\\n' % (x, -i, one(1 / (i + 1)), i, 255 - i, 7))
              if i == 20: f.write(b'\\r\\n')
            """)
        #expect(try read(bytes, chunk: chunk).cloud == expected)
    }

    @Test func readsEveryType() throws {
        let names = ["char", "uint8", "short", "ushort", "int", "uint32", "float32", "float64"]
        let folder = try TemporaryFolder()
        let script = """
            import struct, sys
            for name, code in zip(sys.argv[2:], "bBhHiIfd"):
              for order, format in (("<", "little"), (">", "big")):
                header = f"ply\\nformat binary_{format}_endian 1.0\\nelement vertex 1\\n"
                header += "".join(f"property {name} {axis}\\n" for axis in "xyz") + "end_header\\n"
                with open(f"{sys.argv[1]}/{name}.{format}", "wb") as f:
                  f.write(header.encode() + struct.pack(order + 3 * code, 1, 2, 113 if name[0] == "u" else -113))
            """
        let result = try runPython(script, [folder.path] + names)
        #expect(result.status == 0, "\(result.errors)")
        for name in names {
            for format in ["little", "big"] {
                let positions = try read(try folder.bytes("\(name).\(format)")).cloud.positions
                #expect(positions == [1, 2, name.hasPrefix("u") ? 113 : -113], "\(name) \(format)")
            }
        }
    }

    /// As floats in either byte order, as doubles and in text, of any length; what is no direction is an unknown one.
    @Test func readsNormals() throws {
        let expected = PointCloud(
            positions: [1, 2, 3, 4, 5, 6, 7, 8, 9], colors: [1, 2, 3, 4, 5, 6, 7, 8, 9],
            normals: [0, 0.6, -0.8, 0, 0, 0, 0.6, 0, 0.8])
        let points =
            "[(1, 2, 3, 0, .6, -.8, 1, 2, 3), (4, 5, 6, 0, float('inf'), 1, 4, 5, 6), (7, 8, 9, 3, 0, 4, 7, 8, 9)]"
        for (type, code, format, order) in [
            ("float", "f", "binary_little_endian", "<"), ("float", "f", "binary_big_endian", ">"),
            ("double", "d", "binary_little_endian", "<"), ("float", "", "ascii", ""),
        ] {
            let bytes = try pythonFile(
                """
                f.write(b'ply\\nformat \(format) 1.0\\nelement vertex 3\\n')
                for n in ['float x', 'float y', 'float z', '\(type) nx', '\(type) ny', '\(type) nz']:
                  f.write(f'property {n}\\n'.encode())
                f.write(b'property uchar red\\nproperty uchar green\\nproperty uchar blue\\nend_header\\n')
                for p in \(points):
                  f.write(struct.pack('\(order)fff' + 3 * '\(code)' + 'BBB', *p) if '\(code)' else
                    (' '.join(map(str, p)) + '\\n').encode())
                """)
            #expect(try read(bytes).cloud == expected, "\(type) \(format)")
        }
    }

    /// As Open3D's tensors are written, in either byte order and in text.
    @Test(
        arguments: [
            ("ushort", "H", [0, 257, 65535], [65534, 128, 129]),
            ("float", "f", [0, 1 / 255, 1], [0.999, 0.00197, -0.5]),
            ("double", "d", [0, 1 / 255, 1], [0.999, 0.00197, -0.5]),
        ] as [(String, String, [Double], [Double])])
    func readsColorsOfOtherTypes(type: String, code: String, one: [Double], other: [Double]) throws {
        let isInteger = code == "H"
        let cast = isInteger ? "int" : "float"
        for (format, order) in [("binary_little_endian", "<"), ("binary_big_endian", ">"), ("ascii", "")] {
            let bytes = try pythonFile(
                """
                f.write(b'ply\\nformat \(format) 1.0\\nelement vertex 2\\nproperty float x\\nproperty float y\\n'
                  b'property float z\\nproperty \(type) red\\nproperty \(type) green\\nproperty \(type) blue\\n'
                  b'end_header\\n')
                for p, c in [((1, 2, 3), \(one)), ((4, 5, 6), \(other))]:
                  c = [\(cast)(v) for v in c]
                  f.write(struct.pack('\(order)fff\(code)\(code)\(code)', *p, *c) if '\(order)' else
                    (' '.join(map(str, (*p, *c))) + '\\n').encode())
                """)
            let (cloud, reader) = try read(bytes)
            #expect(cloud.positions == [1, 2, 3, 4, 5, 6])
            #expect(cloud.colors == [0, 1, 255, 255, isInteger ? 0 : 1, isInteger ? 1 : 0], "\(type) \(format)")
            #expect(reader.warnings == [])
        }
    }

    /// Of floats that go up to 255, nobody can tell the dark ones.
    @Test func colorsThatAreTooBright() throws {
        let header = ["x", "y", "z", "red", "green", "blue"].map { "property float \($0)\n" }.joined()
        let text = "ply\nformat ascii 1.0\nelement vertex 3\n\(header)end_header\n"
        let folder = try TemporaryFolder()
        let path = try folder.write(text + "1 2 3 0 0.5 1\n4 5 6 0 127 255\n7 8 9 1 1 nan\n", to: "a.ply")
        let capture = try PLYCapture.open(try CaptureFormats.tree(at: path), rules: ReadRules())
        let track = try #require(try capture.source.tracks(for: [.points], of: capture).first)
        var frame = Frame(capture.frames[0])
        try track.advance(&frame, isWanted: true)
        #expect(frame.points?.colors == [0, 128, 255, 0, 255, 255, 255, 255, 0])
        #expect(
            try track.finish().warnings == [
                "the colours of 1 point were cut to 1: floats should be from 0 to 1, so all colours may be wrong"
            ])
    }

    /// Their nx, ny and nz are all 0.
    @Test func splatsHaveNoNormals() throws {
        let header = ["x", "y", "z", "nx", "ny", "nz", "f_dc_0", "opacity"].map { "property float \($0)\n" }.joined()
        let text = "ply\nformat ascii 1.0\nelement vertex 1\n\(header)end_header\n1 2 3 0 0 0 4 5\n"
        let (cloud, reader) = try read(Array(text.utf8))
        #expect(cloud == PointCloud(positions: [1, 2, 3]))
        #expect(reader.warnings.count == 1 && reader.warnings[0].hasPrefix("the file is a scene of Gaussian splats"))
    }

    /// Programs write colours with a decimal point where the header has whole numbers.
    @Test func aColorThatIsNotOfItsTypeIsNamed() throws {
        let position = ["x", "y", "z"].map { "property float \($0)\n" }.joined()
        func problem(_ type: String, _ point: String) throws -> Problem? {
            let colors = ["red", "green", "blue"].map { "property \(type) \($0)\n" }.joined()
            let text = "ply\nformat ascii 1.0\nelement vertex 1\n\(position)\(colors)end_header\n\(point)\n"
            return #expect(throws: Problem.self) { try read(Array(text.utf8)) }
        }
        let bytes = try problem("uchar", "0 0 0 255.0 0 0")
        #expect(bytes?.summary == "“red” is 255.0, and the header calls it a whole number of 8 bits")
        #expect(
            bytes?.fix == "write whole numbers up to 255, or numbers from 0 to 1 and call it float in the header")
        #expect(bytes?.place.line == 11)
        let words = try problem("ushort", "0 0 0 1 70000 0")
        #expect(words?.summary == "“green” is 70000, and the header calls it a whole number of 16 bits")
        #expect(words?.fix?.hasPrefix("write whole numbers up to 65535") == true)
        let coordinate = try problem("uchar", "0 y 0 255.0 0 0")
        #expect(coordinate?.summary == "expected the numbers of a point, found “0 y 0 255.0 0 0”")
        let float = try problem("float", "0 0 0 red 0 0")
        #expect(float?.summary == "expected the numbers of a point, found “0 0 0 red 0 0”")
    }

    @Test func leavesOutPointsThatAreNotFinite() throws {
        let bytes = try pythonFile(
            """
            f.write(b'ply\\nformat binary_little_endian 1.0\\nelement vertex 4\\nproperty double x\\nproperty double y\\n'
              b'property double z\\nproperty uchar red\\nproperty uchar green\\nproperty uchar blue\\nend_header\\n')
            n = float('nan')
            for p in [(1, 2, 3, 4, 5, 6), (n, 0, 0, 1, 1, 1), (0, 1e300, 0, 1, 1, 1), (7, 8, 9, 10, 11, 12)]:
              f.write(struct.pack('<dddBBB', *p))
            """)
        let (cloud, reader) = try read(bytes)
        #expect(cloud == PointCloud(positions: [1, 2, 3, 7, 8, 9], colors: [4, 5, 6, 10, 11, 12]))
        #expect(reader.notFiniteCount == 2)
        let text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
        let ascii = try read(Array((text + "end_header\n1 2 nan\n4 5 6\n").utf8))
        #expect(ascii.cloud.positions == [4, 5, 6])
        #expect(ascii.reader.notFiniteCount == 1)
    }

    @Test func namesWhereAFileEnds() throws {
        let header = PLYWriter.header(count: 5, .colors)
        let whole = header + [UInt8](repeating: 0, count: 75)
        #expect(try read(whole).cloud.count == 5)
        for length in header.count..<whole.count {
            let problem = #expect(throws: Problem.self) { try read(Array(whole[..<length]), chunk: 8) }
            let points = (length - header.count) / 15
            #expect(problem?.summary == "the PLY file ends after \(points) of 5 points")
            #expect(problem?.place.byte == Int64(length))
            #expect(problem?.place.byteCount == Int64(length))
        }
        for length in 0..<header.count {
            #expect(throws: Problem.self) { try read(Array(header[..<length])) }
        }
        let text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
        let short = #expect(throws: Problem.self) { try read(Array((text + "end_header\n1 2 3\n").utf8)) }
        #expect(short?.summary == "the PLY file ends after 1 of 2 points")
        let few = #expect(throws: Problem.self) { try read(Array((text + "end_header\n1 2 3\n4 5\n").utf8)) }
        #expect(few?.summary == "a point has 3 numbers, not 2")
        #expect(few?.place.line == 9)
        let word = #expect(throws: Problem.self) { try read(Array((text + "end_header\n1 2 x\n").utf8)) }
        #expect(word?.summary == "expected the numbers of a point, found “1 2 x”")
    }

    @Test func refusesWhatItDoesNotRead() throws {
        func file(_ elements: String) -> [UInt8] {
            Array("ply\nformat binary_little_endian 1.0\n\(elements)end_header\n".utf8)
        }
        let xyz = "property float x\nproperty float y\nproperty float z\n"
        let table = [
            ("element face 1\nproperty int a\n", "the PLY file has no points: no element is called “vertex”"),
            ("element vertex 1\nproperty float x\nproperty float y\n", "the points have no x, y and z"),
            (
                "element vertex 1\n\(xyz)property list int int a\n",
                "the points have a list among their properties, which is not read"
            ),
            (
                "element chunk 1\nproperty float min_x\nelement vertex 1\nproperty uint packed_position\n",
                "the points are packed (“packed_position”), which is not read"
            ),
            (
                "element face 1\nproperty list uchar int i\nelement vertex 1\n\(xyz)",
                "the element “face” before the points has lists, which is not read"
            ),
        ]
        for (elements, summary) in table {
            let problem = #expect(throws: Problem.self) { try read(file(elements)) }
            #expect(problem?.summary == summary)
            // The file is sound: nothing comes of copying it again.
            let isPacked = summary.contains("packed")
            #expect(
                problem?.isOfPipeline == isPacked
                    && problem?.fix?.contains("splat-transform") == (isPacked ? true : nil))
        }
        let int = "property int red\nproperty int green\nproperty int blue\n"
        let gray = try PLYReader(MemorySource(file("element vertex 0\n\(xyz)\(int)"), name: "a"))
        #expect(gray.properties == [])
        #expect(
            gray.warnings == [
                "the colours are not read: red, green and blue have to be there as bytes, 16-bit numbers or floats"
            ])
        for names in ["r g b", "diffuse_red diffuse_green diffuse_blue"] {
            let colors = names.split(separator: " ").map { "property uchar \($0)\n" }.joined()
            let other = try PLYReader(MemorySource(file("element vertex 0\n\(xyz)\(colors)"), name: "a"))
            #expect(other.properties == [] && other.warnings == gray.warnings)
        }
        let plain = try PLYReader(MemorySource(file("element vertex 0\n\(xyz)property float nx\n"), name: "a"))
        #expect(plain.warnings == [])
    }

    @Test func aHugeCountCostsNothing() throws {
        let header = PLYWriter.header(count: 1 << 40, .colors)
        let problem = #expect(throws: Problem.self) { try read(header + [UInt8](repeating: 0, count: 15), limit: .max) }
        #expect(problem?.summary == "the PLY file ends after 1 of 1099511627776 points")
        let skipped = "element a 1099511627776\n" + (0..<4000).map { "property double p\($0)\n" }.joined()
        let text =
            "ply\nformat binary_little_endian 1.0\n" + skipped
            + "element vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
        #expect(throws: Problem.self) { try read(Array(text.utf8)) }
    }

    @Test func randomDamageNeverCrashes() throws {
        var sink = MemorySink()
        try sink.write(PLYWriter.header(count: 50, [.normals, .colors]))
        var writer = PLYWriter([.normals, .colors])
        try writer.write(expected, to: &sink)
        var random = SplitMix(seed: 8)
        for _ in 0..<5000 {
            var damaged = sink.bytes
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                damaged[Int.random(in: 0..<200, using: &random)] = UInt8.random(in: 0...0x7F, using: &random)
            }
            do throws(Problem) {
                let cloud = try read(damaged).cloud
                let bad = (cloud.positions + (cloud.normals ?? [])).first { !$0.isFinite }
                #expect(bad == nil)
            } catch { #expect(error.fault == .input) }
        }
    }
}
