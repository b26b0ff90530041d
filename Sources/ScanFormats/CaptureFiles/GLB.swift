import Glibc
import ScanModel

/// Writes a surface as a binary glTF 2.0 file, which web viewers, Blender, game engines and phones read.
///
/// Positions are floats in metres with +y up, normals floats, colours 16-bit numbers, vertex numbers 32-bit ones. glTF's
/// colours of vertices are linear, so those of pictures, which are sRGB's, are converted. A coloured surface is
/// `KHR_materials_unlit`: the light of the room is in its colours already.
///
/// Source: Khronos, glTF 2.0 specification, sections 3.6, 3.7.2 and 4.4; IEC 61966-2-1 for sRGB.
public enum GLB {
    /// - Parameter name: what viewers call the surface.
    /// - Throws: besides the sink's failures, where the surface is too large for the format's 32-bit lengths.
    public static func write(_ mesh: TriangleMesh, name: String, to sink: inout some ByteSink) throws(Problem) {
        let columns = columns(of: mesh)
        var json = JSONWriter.text(.object(description(columns, name)), pretty: false)
        while json.count % 4 != 0 { json.append(UInt8(ascii: " ")) }
        let length = columns.reduce(0) { $0 + $1.byteCount }
        // The file's header, and one before each of its two chunks.
        let total = 12 + 8 + json.count + 8 + length
        guard let size = UInt32(exactly: total) else {
            throw Problem(
                .input, "the surface takes \(total) bytes, and a GLB file holds \(UInt32.max) at most",
                fix: "write it as PLY, or make the voxels larger")
        }
        try sink.write(words(signature, 2, size) + words(UInt32(json.count), jsonChunk) + json)
        try sink.write(words(UInt32(length), binaryChunk))
        for column in columns {
            for start in stride(from: 0, to: column.count, by: itemsPerWrite) {
                try sink.write(column.bytes(start..<min(start + itemsPerWrite, column.count)))
            }
        }
    }

    /// "glTF", "JSON" and "BIN" in little-endian order.
    private static let (signature, jsonChunk, binaryChunk): (UInt32, UInt32, UInt32) = (
        0x4654_6C67, 0x4E4F_534A, 0x004E_4942
    )
    private static let itemsPerWrite = 4096

    private static func words(_ values: UInt32...) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values { bytes.append(littleEndian: value) }
        return bytes
    }

    /// Values of one kind, one item after another: what a buffer view holds and an accessor describes.
    private struct Column {
        /// The vertices' attribute; nil for the list of vertex numbers.
        let attribute: String?
        let componentType: ComponentType
        let type: String
        let count: Int
        let bytesPerItem: Int
        /// Least and greatest values, which positions must have.
        var bounds: (least: [Double], greatest: [Double])?
        let bytes: (Range<Int>) -> [UInt8]

        var byteCount: Int { count * bytesPerItem }

        enum ComponentType: Int {
            case unsignedShort = 5123
            case unsignedInt = 5125
            case float = 5126
        }
    }

    private static func columns(of mesh: TriangleMesh) -> [Column] {
        let vertices = mesh.vertices
        var columns = [vectors("POSITION", vertices.positions)]
        columns[0].bounds = bounds(of: vertices.positions)
        if let normals = vertices.normals { columns.append(vectors("NORMAL", normals.withoutZeroVectors)) }
        if let colors = vertices.colors { columns.append(linear(colors)) }
        columns.append(
            Column(
                attribute: nil, componentType: .unsignedInt, type: "SCALAR", count: mesh.triangles.count,
                bytesPerItem: 4
            ) { range in
                var bytes: [UInt8] = []
                for vertex in mesh.triangles[range] { bytes.append(littleEndian: vertex) }
                return bytes
            })
        return columns
    }

    private static func vectors(_ attribute: String, _ values: [Float]) -> Column {
        Column(
            attribute: attribute, componentType: .float, type: "VEC3", count: values.count / 3, bytesPerItem: 12
        ) { range in
            var bytes: [UInt8] = []
            for value in values[3 * range.lowerBound..<3 * range.upperBound] { bytes.append(littleEndian: value) }
            return bytes
        }
    }

    /// Four components, since each item has to begin at a multiple of four bytes; the last is the opacity.
    private static func linear(_ colors: [UInt8]) -> Column {
        let levels = (0..<256).map { level -> UInt16 in
            let value = Double(level) / 255
            let light = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
            return UInt16((light * 65_535).rounded())
        }
        return Column(
            attribute: "COLOR_0", componentType: .unsignedShort, type: "VEC4", count: colors.count / 3, bytesPerItem: 8
        ) { range in
            var bytes: [UInt8] = []
            for vertex in range {
                for channel in 0..<3 { bytes.append(littleEndian: levels[Int(colors[3 * vertex + channel])]) }
                bytes.append(littleEndian: UInt16.max)
            }
            return bytes
        }
    }

    private static func bounds(of positions: [Float]) -> (least: [Double], greatest: [Double])? {
        guard positions.count >= 3 else { return nil }
        var (least, greatest) = (Array(positions[..<3]), Array(positions[..<3]))
        for (number, value) in positions.enumerated() {
            least[number % 3] = min(least[number % 3], value)
            greatest[number % 3] = max(greatest[number % 3], value)
        }
        return (least.map(Double.init), greatest.map(Double.init))
    }

    private static func description(_ columns: [Column], _ name: String) -> JSONObject {
        var offset = 0
        var attributes = JSONObject()
        var (accessors, views): ([JSONValue], [JSONValue]) = ([], [])
        for (number, column) in columns.enumerated() {
            if let attribute = column.attribute { attributes[attribute] = .of(number) }
            accessors.append(
                .object([
                    "bufferView": .of(number), "componentType": .of(column.componentType.rawValue),
                    "normalized": column.componentType == .unsignedShort ? .bool(true) : nil,
                    "count": .of(column.count), "type": .string(column.type),
                    "min": column.bounds.map { .of($0.least) }, "max": column.bounds.map { .of($0.greatest) },
                ]))
            views.append(
                .object([
                    "buffer": .of(0), "byteOffset": .of(offset), "byteLength": .of(column.byteCount),
                    // ARRAY_BUFFER and ELEMENT_ARRAY_BUFFER.
                    "target": .of(column.attribute == nil ? 34_963 : 34_962),
                ]))
            offset += column.byteCount
        }
        let primitive: JSONObject = [
            "attributes": .object(attributes), "indices": .of(columns.count - 1), "material": .of(0),
        ]
        let isColored = attributes["COLOR_0"] != nil
        let unlit = "KHR_materials_unlit"
        return [
            "asset": .object(["version": .string("2.0"), "generator": .string("ScanMill")]),
            "extensionsUsed": isColored ? .of([unlit]) : nil,
            "scene": .of(0),
            "scenes": .array([.object(["nodes": .of([0])])]),
            "nodes": .array([.object(["mesh": .of(0), "name": .string(name)])]),
            "meshes": .array([.object(["primitives": .array([.object(primitive)])])]),
            "materials": .array([
                .object([
                    "pbrMetallicRoughness": .object(["metallicFactor": .of(0), "roughnessFactor": .of(1)]),
                    "extensions": isColored ? .object([unlit: .object([:])]) : nil,
                ])
            ]),
            "accessors": .array(accessors), "bufferViews": .array(views),
            "buffers": .array([.object(["byteLength": .of(offset)])]),
        ]
    }
}

extension [Float] {
    /// glTF knows no unknown normals: up stands for these.
    fileprivate var withoutZeroVectors: [Float] {
        var vectors = self
        for at in stride(from: 0, to: count, by: 3) where self[at] == 0 && self[at + 1] == 0 && self[at + 2] == 0 {
            vectors[at + 1] = 1
        }
        return vectors
    }
}
