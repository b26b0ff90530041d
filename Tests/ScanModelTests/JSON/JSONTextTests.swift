import ScanModel
import Testing

@Suite struct JSONTextTests {
    private func string(_ text: String) throws -> String? {
        try JSONValue.parse(Array(text.utf8), file: "a").string
    }

    @Test func resolvesEscapes() throws {
        #expect(try string(#""\"\\\/\b\f\n\r\t""#) == "\"\\/\u{8}\u{C}\n\r\t")
        #expect(try string(#""\u00e9\u00C9\u20AC""#) == "éÉ€")
        #expect(try string(#""\uD83D\uDE00""#) == "😀")
        #expect(try string(#""\uDBFF\uDFFF\uD800\uDC00""#) == "\u{10FFFF}\u{10000}")
        #expect(try string(#""\u0000""#) == "\0")
        #expect(try string("\"multiscan’s iPad Pro\"") == "multiscan’s iPad Pro")
    }

    @Test func everyScalarSurvives() throws {
        var text = ""
        for value in UInt32(0)...0x10FFFF {
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        let read = try JSONValue.parse(JSONWriter.text(.string(text)), file: "a").string
        #expect(read.map { $0.utf8.elementsEqual(text.utf8) } == true)
    }
}
