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
        let found = try rows("# a comment\n\n 1.5  rgb/a.png\t\r\n#\n2,3\n", .space)
        #expect(found.map(\.fields) == [["1.5", "rgb/a.png"], ["2", "3"]])
        #expect(found.map(\.line) == [3, 5])
    }

    @Test func columnsWithCommas() throws {
        let found = try rows("a, b c ,,\n1,2\n", .comma)
        #expect(found.map(\.fields) == [["a", "b c", "", ""], ["1", "2"]])
    }

    @Test func numbersAreFiniteAndDecimal() throws {
        let row = try #require(try rows("1 -2.5e3 nan inf 0x10 12a 1e999 3", .space).first)
        #expect(try row.numbers(0..<2) == [1, -2500])
        for column in 2..<7 {
            let problem = #expect(throws: Problem.self) { try row.number(column) }
            #expect(problem?.summary.hasSuffix("is not a number") == true && problem?.place.line == 1)
        }
        let beyond = #expect(throws: Problem.self) { try row.number(8) }
        #expect(beyond?.summary == "the line has 8 columns, and column 9 is needed")
        #expect(try row.time(0) == 1_000_000_000)
    }

    @Test func longLinesHaveNoColumns() throws {
        let found = try rows("1\n" + String(repeating: "2 ", count: 80) + "\n3\n", .space)
        #expect(found.map(\.fields) == [["1"], [], ["3"]])
        let problem = #expect(throws: Problem.self) { try found[1].number(0) }
        #expect(problem?.summary == "the line is too long")
    }
}
