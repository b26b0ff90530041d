import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct TextTableTests {
    private func rows(
        _ text: String, _ separator: TextTable.Separator, limit: Int = 100
    ) throws -> [TextTable.Row] {
        var table = TextTable(MemorySource(Array(text.utf8), name: "table", chunk: 7), separator, lineLimit: limit)
        var rows: [TextTable.Row] = []
        while let row = try table.next() { rows.append(row) }
        return rows
    }

    @Test func columnsWithSpaces() throws {
        let found = try rows("# a comment\n\n 1.5  rgb/a.png\t\r\n  # 7\n2,3\n", .space)
        #expect(found.map(\.fields) == [["1.5", "rgb/a.png"], ["2", "3"]])
        #expect(found.map(\.line) == [3, 5])
    }

    @Test func columnsWithCommas() throws {
        let found = try rows("a, b c ,,\n  \n1,2\n", .comma)
        #expect(found.map(\.fields) == [["a", "b c", "", ""], ["1", "2"]])
    }

    @Test func numbersAreFiniteAndDecimal() throws {
        let row = try #require(try rows("1 -2.5e3 nan inf 0x10 12a 1e999 3", .space).first)
        #expect(try row.numbers(0..<2) == [1, -2500])
        for column in 2..<7 {
            let problem = #expect(throws: Problem.self) { try row.number(column) }
            #expect(problem?.summary.hasSuffix("is not a number") == true)
            #expect(problem?.place.file == "table" && problem?.place.line == 1)
        }
        let beyond = #expect(throws: Problem.self) { try row.number(8) }
        #expect(beyond?.summary == "the line has 8 columns, and column 9 is needed")
        #expect(try row.time(0) == 1_000_000_000)
    }

    /// As Windows' shell writes what it is given with `>`.
    @Test func sixteenBitsACharacterAreNamed() throws {
        let bytes: [UInt8] = [0xFF, 0xFE] + "1 2\n".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        var table = TextTable(MemorySource(bytes, name: "rgb.txt"), .space, lineLimit: 100)
        let found = problem { _ = try table.next() }
        #expect(found?.summary == "the text is UTF-16, where UTF-8 is needed" && found?.place.file == "rgb.txt")
    }

    @Test func longLinesHaveNoColumns() throws {
        let found = try rows("1\n" + String(repeating: "2 ", count: 80) + "\n3\n", .space)
        #expect(found.map(\.fields) == [["1"], [], ["3"]])
        let problem = #expect(throws: Problem.self) { try found[1].number(0) }
        #expect(problem?.summary == "the line is too long")
    }

    /// If a file was cut off, its last number is wrong when it lacks digits that the others have.
    @Test func aLastLineThatWasCutOff() throws {
        let lines = ["0.0 -1.25", "1.0 0.123456", "2.0 -10.654321", "3.0 0.333333", "4.0 7.500001"]
        func end(_ last: String, after lines: [String]) throws -> TextTable.End? {
            try rows((lines + [last]).joined(separator: "\n"), .space).last?.end
        }
        #expect(try end("5.0 -1.2345", after: lines) == .open)
        #expect(try end("5.0 0.123\n", after: lines) == .lineFeed)
        for last in ["5.0 -1.234", "5.0 -1", "5.0 -1."] { #expect(try end(last, after: lines) == .cut, "\(last)") }
        // A writer that prints whole numbers or exponents leaves out digits anyway.
        #expect(try end("5.0 -1", after: lines + ["4.5 0"]) == .open)
        #expect(try end("5.0 2e-17", after: lines) == .open)
        // If all numbers have the same number of decimals, each one counts.
        let fixed = Array(lines.dropFirst())
        #expect(try end("5.0 -1.23456", after: fixed) == .cut)
        #expect(try end("5.0 -1.234567", after: fixed) == .open)
        // Two lines, names, and numbers that are short anyway tell nothing.
        #expect(try end("5.0 1", after: Array(fixed.prefix(2))) == .open)
        #expect(try end("5.0 rgb/5", after: ["0 rgb/0.png", "1 rgb/1.png", "2 rgb/2.png"]) == .open)
        #expect(try end("5.0 1", after: ["0 0.5", "1 0.7", "2 0.1"]) == .open)
        #expect(try end("5.0 1", after: []) == .alone)
        let cut = try #require(try rows((lines + ["5.0 -1.2"]).joined(separator: "\n"), .space).last)
        #expect(try cut.number(0) == 5)
        let problem = #expect(throws: Problem.self) { try cut.number(1) }
        #expect(
            problem?.oneLine
                == "the last line has no end, and its number “-1.2” fewer digits than the others: the file was cut off (table:6)"
        )
        let lacking = #expect(throws: Problem.self) { try cut.number(2) }
        #expect(lacking?.summary == "the line has 2 columns, and column 3 is needed: the file was cut off here")
    }

    @Test func theLineOfAnOpenRowIsKept() throws {
        for (text, line) in [("1\n2\n\n3", 4), ("1\n2\n", nil), ("1", nil), ("1\n# a comment", nil)] as [(String, Int?)]
        {
            var table = TextTable(MemorySource(Array(text.utf8), name: "table"), .space, lineLimit: 100)
            while try table.next() != nil {}
            #expect(table.openLine == line, "\(text)")
        }
    }
}
