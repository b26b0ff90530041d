import ScanModel
import Testing

/// Runs `body` on a scanner over `text`.
private func scanning<R>(
    _ text: String, line: Int = 1, byte: Int64 = 0, _ body: (inout JSONScanner) throws(Problem) -> R
) throws(Problem) -> R {
    try Array(text.utf8).withUnsafeBufferPointer { (buffer) throws(Problem) -> R in
        var scanner = JSONScanner(buffer, file: "a.json", line: line, byte: byte)
        return try body(&scanner)
    }
}

@Suite struct JSONScannerTests {
    @Test func pullsValuesInOrder() throws {
        let text = #" { "a" : [1, 2.5 , -3e2 ], "b":{"c":null}, "d":"x", "e":true } "#
        try scanning(text) { scanner throws(Problem) in
            try scanner.beginObject()
            #expect(try scanner.nextKey() == "a")
            try scanner.beginArray()
            var numbers: [JSONNumber] = []
            while try scanner.nextElement() { numbers.append(try scanner.number()) }
            #expect(numbers == [.integer(1), .double(2.5), .double(-300)])
            #expect(try scanner.nextKey() == "b")
            #expect(try scanner.kind() == .object)
            try scanner.skip()
            #expect(try scanner.nextKey() == "d")
            #expect(try scanner.string() == "x")
            #expect(try scanner.nextKey() == "e")
            #expect(try scanner.bool())
            #expect(try scanner.nextKey() == nil)
            try scanner.end()
        }
    }

    @Test func saysWhereAndWhat() throws {
        // What is wrong, and the line, column and byte that the message has to name.
        let table: [(String, String, Int, Int, Int64)] = [
            ("", "invalid JSON: the text ends where a value is expected", 1, 1, 0),
            ("{\n  \"a\": ]\n}", "invalid JSON: expected a value, found “]”", 2, 8, 9),
            ("{\"é\": x}", "invalid JSON: expected a value, found “x”", 1, 7, 7),
            ("{\"a\": 1,}", "invalid JSON: no comma may stand before the closing “}”", 1, 8, 7),
            ("[1,\n2\n,]", "invalid JSON: no comma may stand before the closing “]”", 3, 1, 6),
            ("[1 2]", "invalid JSON: expected “,” or “]”, found “2”", 1, 4, 3),
            ("{\"a\" 1}", "invalid JSON: expected “:” after the key, found “1”", 1, 6, 5),
            (
                "{ // a\n\"a\": 1}",
                "invalid JSON: expected a key in double quotes, found a comment, which JSON does not have: take it out",
                1, 3, 2
            ),
            (
                "[1 /* a */]",
                "invalid JSON: expected “,” or “]”, found a comment, which JSON does not have: take it out", 1, 4, 3
            ),
            ("{'a': 1}", "invalid JSON: expected a key in double quotes, found “'”", 1, 2, 1),
            ("{\"a\": 1", "invalid JSON: the text ends where “,” or “}” is expected", 1, 8, 7),
            ("[\"abc", "invalid JSON: the string is not closed", 1, 2, 1),
            ("[\"abc\n\"]", "invalid JSON: a line break inside a string (is its closing quote missing?)", 1, 6, 5),
            ("[\"a\u{1}\"]", "invalid JSON: the control character 0x1 inside a string has to be escaped", 1, 4, 3),
            ("[\"\\x\"]", "invalid JSON: a backslash may stand only before one of \" \\ / b f n r t u", 1, 3, 2),
            ("[\"\\u12g4\"]", "invalid JSON: “\\u” needs four hexadecimal digits", 1, 3, 2),
            ("[\"\\ud83d\"]", "invalid JSON: the escape is half of a surrogate pair", 1, 3, 2),
            ("[\"\\ude00\"]", "invalid JSON: the escape is half of a surrogate pair", 1, 3, 2),
            ("[\"\\ud83d\\u0041\"]", "invalid JSON: the escape is half of a surrogate pair", 1, 3, 2),
            ("[012]", "invalid JSON: a number may not start with 0", 1, 2, 1),
            ("[-]", "invalid JSON: expected a digit after “-”", 1, 2, 1),
            ("[1.]", "invalid JSON: expected a digit after the decimal point", 1, 4, 3),
            ("[1e+]", "invalid JSON: expected a digit in the exponent", 1, 5, 4),
            ("[+1]", "invalid JSON: expected a value, found “+”", 1, 2, 1),
            ("[.5]", "invalid JSON: expected a value, found “.”", 1, 2, 1),
            ("[True]", "invalid JSON: expected a value, found “True”", 1, 2, 1),
            ("[tru]", "invalid JSON: expected a value, found “tru”", 1, 2, 1),
            ("{} {}", "invalid JSON: expected the end of the text, found “{”", 1, 4, 3),
            ("[1e999]", "the number 1e999 is too large for a double", 1, 2, 1),
            ("[\u{FF}]", "invalid JSON: expected a value, found “ÿ”", 1, 2, 1),
        ]
        for (text, summary, line, column, byte) in table {
            let problem = #expect(throws: Problem.self) {
                try scanning(text) { scanner throws(Problem) in
                    try scanner.skip()
                    try scanner.end()
                }
            }
            #expect(problem?.summary == summary, "\(text)")
            #expect(problem?.fault == .input)
            #expect(problem?.place.line == line, "\(text)")
            #expect(problem?.place.column == column, "\(text)")
            #expect(problem?.place.byte == byte, "\(text)")
        }
    }

    @Test(arguments: ["NaN", "Infinity", "nan", "inf", "-Infinity"])
    func namesWhatIsNotANumber(_ word: String) throws {
        let problem = #expect(throws: Problem.self) {
            try scanning("[1, \(word)]") { scanner throws(Problem) in try scanner.skip() }
        }
        #expect(
            problem?.summary
                == "invalid JSON: \(word) is not a number in JSON (Python's json writes it unless told allow_nan=False)"
        )
        #expect(problem?.place.column == 5)
    }

    @Test func countsFromTheGivenLineAndByte() throws {
        let problem = #expect(throws: Problem.self) {
            try scanning("[1,,2]", line: 12, byte: 7000) { scanner throws(Problem) in try scanner.skip() }
        }
        #expect(
            problem?.message() == "error: invalid JSON: expected a value, found “,”\n  --> a.json:12:4 at byte 7003")
    }

    @Test func tellsWrongKindsFromBadText() throws {
        let problem = #expect(throws: Problem.self) {
            try scanning("  \"12\"") { scanner throws(Problem) in try scanner.number() }
        }
        #expect(problem?.summary == "expected a number, found text")
        #expect(problem?.place.column == 3)
    }

    @Test func skipsAByteOrderMarkAndNamesUTF16() throws {
        #expect(try JSONValue.parse([0xEF, 0xBB, 0xBF] + Array("[1]".utf8), file: "a") == .array([.integer(1)]))
        let problem = #expect(throws: Problem.self) {
            try JSONValue.parse([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], file: "a")
        }
        #expect(problem?.summary == "invalid JSON: the text is not UTF-8 (it looks like UTF-16 or UTF-32)")
        // The mark is no column.
        let late = #expect(throws: Problem.self) { try JSONValue.parse([0xEF, 0xBB, 0xBF, 0x5B, 0x2C], file: "a") }
        #expect(late?.place.column == 2)
        #expect(late?.place.byte == 4)
    }

    @Test func limitsTheDepth() throws {
        let nested = { (n: Int) in Array((String(repeating: "[", count: n) + String(repeating: "]", count: n)).utf8) }
        _ = try JSONValue.parse(nested(64), file: "a")
        let problem = #expect(throws: Problem.self) { try JSONValue.parse(nested(65), file: "a") }
        #expect(problem?.summary == "invalid JSON: values are nested more than 64 deep")
        #expect(throws: Problem.self) { try JSONValue.parse(nested(1_000_000), file: "a") }
    }

    @Test(
        arguments: [
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
            [0xE2, 0x28, 0xA1], [0xFE], [0xFF],
        ] as [[UInt8]])
    func refusesInvalidUTF8(_ sequence: [UInt8]) throws {
        for text in [
            Array("[\"ab".utf8) + sequence + Array("\"]".utf8), Array("{\"".utf8) + sequence + Array("\":1}".utf8),
        ] {
            let problem = #expect(throws: Problem.self) { try JSONValue.parse(text, file: "a") }
            #expect(problem?.summary.hasSuffix("is not valid UTF-8") == true)
        }
        let cut = #expect(throws: Problem.self) { try JSONValue.parse(Array("[\"".utf8) + sequence, file: "a") }
        #expect(cut != nil)
    }
}
