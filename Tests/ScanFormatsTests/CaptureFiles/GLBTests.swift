import ScanFormats
import ScanModel
import TestSupport
import Testing

/// What Python's struct and json find in a GLB file.
@Suite struct GLBTests {
    private static let mesh = TriangleMesh(
        vertices: PointCloud(
            positions: [0, 0, 0, 2, 0, -1, 0, 3, 0, 5, 5, 5], colors: [0, 10, 11, 128, 188, 255, 1, 2, 3, 9, 9, 9],
            normals: [0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0]),
        triangles: [0, 1, 2, 2, 1, 3])

    private static func read(_ mesh: TriangleMesh, name: String = "desk") throws -> JSONValue {
        var sink = MemorySink()
        try GLB.write(mesh, name: name, to: &sink)
        let folder = try TemporaryFolder()
        _ = try folder.write(sink.bytes, to: "a.glb")
        let script = """
            import json, struct, sys
            data = open(sys.argv[1], 'rb').read()
            magic, version, total = struct.unpack_from('<4sII', data)
            assert magic == b'glTF' and version == 2 and total == len(data), (magic, version, total, len(data))
            length, kind = struct.unpack_from('<I4s', data, 12)
            assert kind == b'JSON' and length % 4 == 0, kind
            tree = json.loads(data[20:20 + length])
            size, kind = struct.unpack_from('<I4s', data, 20 + length)
            assert kind == b'BIN\\0' and size % 4 == 0, kind
            body = data[28 + length:]
            assert len(body) == size == tree['buffers'][0]['byteLength'], (len(body), size)
            code = {5123: 'H', 5125: 'I', 5126: 'f'}
            parts = {'SCALAR': 1, 'VEC3': 3, 'VEC4': 4}
            values = []
            for accessor in tree['accessors']:
                view = tree['bufferViews'][accessor['bufferView']]
                number = accessor['count'] * parts[accessor['type']]
                layout = '<%d%s' % (number, code[accessor['componentType']])
                assert struct.calcsize(layout) == view['byteLength'] and view['byteOffset'] % 4 == 0, view
                values.append(struct.unpack_from(layout, body, view['byteOffset']))
            primitive = tree['meshes'][0]['primitives'][0]
            found = {name: values[index] for name, index in primitive['attributes'].items()}
            found['indices'] = values[primitive['indices']]
            positions = tree['accessors'][primitive['attributes']['POSITION']]
            print(json.dumps({'values': found, 'min': positions.get('min'), 'max': positions.get('max'),
                              'name': tree['nodes'][0]['name'], 'unlit': tree.get('extensionsUsed', []),
                              'material': tree['materials'][primitive['material']]}))
            """
        let result = try runPython(script, [folder.path + "/a.glb"])
        #expect(result.status == 0, "\(result.errors)")
        return try JSONValue.parse(Array(result.output.utf8), file: "output")
    }

    @Test func everythingIsThere() throws {
        let found = try Self.read(Self.mesh, name: "Küche \"1\"")
        #expect(found["name"]?.string == "Küche \"1\"")
        let values = try #require(found["values"])
        #expect(values["POSITION"]?.doubles == [0, 0, 0, 2, 0, -1, 0, 3, 0, 5, 5, 5])
        #expect(found["min"]?.doubles == [0, 0, -1] && found["max"]?.doubles == [5, 5, 5])
        // An unknown normal is no vector of length 1, which glTF asks for.
        #expect(values["NORMAL"]?.doubles == [0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0])
        #expect(values["indices"]?.doubles == [0, 1, 2, 2, 1, 3])
        #expect(found["unlit"]?.array?.first?.string == "KHR_materials_unlit")
        #expect(found["material"]?["extensions"]?["KHR_materials_unlit"] != nil)
    }

    /// By IEC 61966-2-1: 10 / 255 / 12.92 = 0.0030353, ((11 / 255 + 0.055) / 1.055)^2.4 = 0.0033465, 128 is 0.2158605
    /// and 188 is 0.5028865, of 65,535 each.
    @Test func coloursAreLinear() throws {
        let found = try Self.read(Self.mesh)
        let colors = try #require(found["values"]?["COLOR_0"]?.doubles)
        #expect(Array(colors.prefix(8)) == [0, 199, 219, 65_535, 14_146, 32_957, 65_535, 65_535])
        #expect(colors.count == 16)
    }

    @Test func withoutColoursTheLightOfTheViewerCounts() throws {
        var mesh = Self.mesh
        mesh.vertices.colors = nil
        let found = try Self.read(mesh)
        #expect(found["values"]?["COLOR_0"] == nil)
        #expect(found["unlit"]?.array?.isEmpty == true)
        #expect(found["material"]?["extensions"] == nil)
    }

    /// More items than are written at once.
    @Test func largeOnesAreWholeToo() throws {
        let count = 10_000
        let mesh = TriangleMesh(
            vertices: PointCloud(positions: (0..<3 * count).map { Float($0) }),
            triangles: (0..<3 * count).map { UInt32($0 / 3) })
        let values = try #require(try Self.read(mesh)["values"])
        #expect(values["POSITION"]?.doubles == (0..<3 * count).map { Double($0) })
        #expect(values["indices"]?.doubles == (0..<3 * count).map { Double($0 / 3) })
    }
}
