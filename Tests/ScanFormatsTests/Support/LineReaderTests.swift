import ScanFormats
import ScanModel
import Testing

@Suite struct LineReaderTests {
    /// Every line as (text, number, offset, byte count), or `nil` for its text when it is too long.
    private func lines(
        of text: [UInt8], limit: Int = 1000, chunk: Int
    ) throws -> [(text: String?, number: Int, offset: Int64, count: Int64)] {
        var reader = LineReader(MemorySource(text, name: "a", chunk: chunk), limit: limit, chunk: chunk)
        var result: [(text: String?, number: Int, offset: Int64, count: Int64)] = []
        while let line = try reader.next() {
            let text = try reader.withBytes(of: line) { (bytes) throws(Problem) in
                String(decoding: bytes, as: UTF8.self)
            }
            result.append((line.isTooLong ? nil : text, line.number, line.byteOffset, line.byteCount))
        }
        return result
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 16, 1000])
    func cutsAtEveryKindOfEnding(chunk: Int) throws {
        let table: [(String, [(String, Int64)])] = [
            ("", []), ("\n", [("", 0)]), ("a", [("a", 0)]), ("a\n", [("a", 0)]), ("a\r\n", [("a", 0)]),
            ("a\nb", [("a", 0), ("b", 2)]), ("a\r\nb\r\n", [("a", 0), ("b", 3)]), ("\r\n\r\n", [("", 0), ("", 2)]),
            ("a\r", [("a", 0)]), ("a\rb\n", [("a\rb", 0)]), ("\u{FEFF}", []), ("\u{FEFF}a\n", [("a", 3)]),
            ("\u{FEFF}\nb", [("", 3), ("b", 4)]), ("é\n\né", [("é", 0), ("", 3), ("é", 4)]),
            ("abcdefghij\nk\n\nlmnopqrstuvwxyz", [("abcdefghij", 0), ("k", 11), ("", 13), ("lmnopqrstuvwxyz", 14)]),
        ]
        for (text, expected) in table {
            let found = try lines(of: Array(text.utf8), chunk: chunk)
            #expect(found.map(\.text) == expected.map(\.0), "\(text)")
            #expect(found.map(\.offset) == expected.map(\.1), "\(text)")
            #expect(found.map(\.number) == Array(1..<expected.count + 1))
            #expect(found.map(\.count) == expected.map { Int64($0.0.utf8.count) })
        }
    }

    @Test(arguments: [1, 2, 3, 5, 64, 1000])
    func dropsWhatIsTooLong(chunk: Int) throws {
        for ending in ["\n", "\r\n"] {
            for length in [9, 10, 11, 12, 13, 200] {
                let long = String(repeating: "x", count: length)
                let found = try lines(of: Array("ab\(ending)\(long)\(ending)c".utf8), limit: 10, chunk: chunk)
                #expect(found.map(\.text) == ["ab", length > 10 ? nil : long, "c"], "\(length) \(chunk)")
                let width = Int64(ending.utf8.count)
                #expect(found.map(\.offset) == [0, 2 + width, 2 + 2 * width + Int64(length)])
                #expect(found.map(\.count) == [2, Int64(length), 1])
            }
        }
    }

    @Test func aLastLineMayLackItsEnd() throws {
        for (text, ends) in [
            ("a\nb", [true, false]), ("a\r\nb\r\n", [true, true]), ("a", [false]), ("a\nb\r", [true, false]),
        ] {
            var reader = LineReader(MemorySource(Array(text.utf8), name: "a"), limit: 10)
            var found: [Bool] = []
            while let line = try reader.next() { found.append(line.hasLineFeed) }
            #expect(found == ends, "\(text)")
        }
    }
}
