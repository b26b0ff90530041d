import ScanFormats
import ScanModel
import Testing

@Suite struct JSONFieldTests {
    private let root: JSONField

    init() throws {
        let text = #"{"a":{"b":[1,2.5,"x",true,null]},"n":7,"big":1e18,"long":[1,2,3,4,5,6,7],"e":{}}"#
        root = JSONField(try JSONValue.parse(Array(text.utf8), file: "a.json"), file: "a.json")
    }

    @Test func readsWhatFits() throws {
        let list = try root["a"]["b"].elements()
        #expect(try list[0].whole(in: 0...1) == 1)
        #expect(try list[1].number() == 2.5)
        #expect(try list[2].text() == "x")
        #expect(list[4].isAbsent)
        #expect(try root["long"].numbers(7) == [1, 2, 3, 4, 5, 6, 7])
        #expect(try root["nothing"].ifPresent { (field) throws(Problem) in try field.text() } == nil)
        #expect(try root["n"].ifPresent { (field) throws(Problem) in try field.number() } == 7)
    }

    @Test func namesThePathOfWhatDoesNot() throws {
        let list = try root["a"]["b"].elements()
        let table: [(String, () throws -> Void)] = [
            ("“a.b[2]” is “x”; expected a number", { _ = try list[2].number() }),
            ("“a.b[1]” is 2.5; expected a whole number from 0 to 9", { _ = try list[1].whole(in: 0...9) }),
            ("“n” is 7; expected a whole number from 8", { _ = try root["n"].whole(in: 8 ... .max) }),
            ("“big” is 1e+18; expected a whole number from 0 to 9", { _ = try root["big"].whole(in: 0...9) }),
            ("“a.c.d” is missing; expected text", { _ = try root["a"]["c"]["d"].text() }),
            ("“a” is an object; expected a list", { _ = try root["a"].elements() }),
            ("“long” is a list of 7 values; expected a list of 9 numbers", { _ = try root["long"].numbers(9) }),
            (
                "“a.b” is [1, 2.5, “x”, true, null]; expected a list of 5 numbers",
                { _ = try root["a"]["b"].numbers(5) }
            ),
            ("“a.b[4]” is null; expected an object", { _ = try list[4].object() }),
            ("the text is an object; expected a list", { _ = try root.elements() }),
        ]
        for (summary, body) in table {
            let problem = #expect(throws: Problem.self) { try body() }
            #expect(problem?.summary == summary)
            #expect(problem?.place.file == "a.json")
            #expect(problem?.fault == .input)
        }
    }

    @Test func keysThatStandTwiceAreSaid() throws {
        var warnings: [String] = []
        let text = "{\"a\": 1,\n\"b\": {\"unit\": \"m\", \"unit\": \"mm\"}}"
        let root = try JSONField(parsing: Array(text.utf8), file: "x.json", warnings: &warnings)
        #expect(root["b"]["unit"].value?.string == "mm")
        #expect(warnings == ["x.json holds keys twice, of which the last counts: “unit” in line 2"])
    }
}
