import ScanFormats
import ScanModel
import Testing

@Suite struct PLYHeaderTests {
    private func header(_ text: String) throws(Problem) -> PLYHeader {
        try PLYReader(MemorySource(Array(text.utf8), name: "a.ply")).header
    }

    @Test func readsElementsAndProperties() throws {
        let text = """
            ply
            format binary_big_endian 1.0
            comment made by hand
            obj_info  two  spaces
            element vertex 12
            property double x
            property float32\ty
            property int16 z
            property uchar red
            property uchar green
            property uchar blue
            element face 3
            property list uchar int vertex_indices
            end_header

            """
        let header = try header(text)
        #expect(header.format == .binaryBigEndian)
        #expect(header.elements.map(\.name) == ["vertex", "face"])
        #expect(header.elements.map(\.count) == [12, 3])
        #expect(header.elements[0].properties.map(\.offset) == [0, 8, 12, 14, 15, 16])
        #expect(header.elements[0].properties.map(\.type) == [.float64, .float32, .int16, .uint8, .uint8, .uint8])
        #expect(header.elements[0].byteCount == 17)
        #expect(!header.elements[0].hasLists)
        #expect(header.elements[1].hasLists)
        #expect(header.byteCount == Int64(text.utf8.count))
    }

    @Test func namesWhatIsWrong() throws {
        let start = "ply\nformat ascii 1.0\n"
        let table: [(String, String, Int?)] = [
            ("", "the file is no PLY file: its first line is not “ply”", 1),
            ("plx\n", "the file is no PLY file: its first line is not “ply”", 1),
            ("ply\nformat utf8 1.0\n", "the format “utf8 1.0” is not known", 2),
            ("ply\nend_header\n", "the header names no format", 2),
            (start + "element vertex -1\n", "expected “element NAME COUNT”, found “element vertex -1”", 3),
            (
                start + "element vertex 99999999999999999999\n",
                "expected “element NAME COUNT”, found “element vertex 99999999999999999999”", 3
            ),
            (
                start + "element vertex 2000000000000\n",
                "expected “element NAME COUNT”, found “element vertex 2000000000000”", 3
            ),
            (start + "property float x\n", "the property “float x” makes no sense here", 3),
            (start + "element vertex 1\nproperty half x\n", "the property “half x” makes no sense here", 4),
            (
                start + "element vertex 1\nproperty float x\nproperty float x\n",
                "the property “float x” makes no sense here", 5
            ),
            (start + "vertex 3\n", "a PLY header has no line “vertex 3”", 3),
            (start + "comment " + String(repeating: "x", count: 5000), "a PLY header has no line that long", 3),
            (start + String(repeating: "comment x\n", count: 200_000), "the header has no end", 104_858),
            (start, "the PLY header has no “end_header”", nil),
        ]
        for (text, summary, line) in table {
            let problem = #expect(throws: Problem.self) { try header(text) }
            #expect(problem?.summary == summary, "\(text.prefix(60))")
            #expect(problem?.place.line == line)
            #expect(problem?.place.file == "a.ply")
        }
        let properties = (0..<5000).map { "property float p\($0)\n" }.joined()
        let many = #expect(throws: Problem.self) { try header(start + "element vertex 1\n" + properties) }
        #expect(many?.summary == "too many properties")
    }
}
