import ScanModel
import Testing

@Suite struct JSONValueTests {
    private let none: (text: String?, whole: Int?, number: Double?) = (nil, nil, nil)
    private let some: (text: String?, whole: Int?, number: Double?) = ("a", 1, 0.5)

    @Test func membersWithoutAValueAreLeftOut() {
        let empty: JSONObject = ["text": .of(none.text), "whole": .of(none.whole), "number": .of(none.number)]
        #expect(empty.keys == [])
        let full: JSONObject = ["text": .of(some.text), "whole": .of(some.whole), "number": .of(some.number)]
        let expected: JSONObject = ["text": .string("a"), "whole": .integer(1), "number": .number(0.5)]
        #expect(full == expected)
        // Null is a value.
        let null: JSONObject = ["a": .null]
        #expect(null.keys == ["a"])
    }

    @Test func mergedMembersKeepTheirPlaces() {
        var object: JSONObject = ["a": .of(1), "b": .of(2)]
        object.merge(["c": .of(3), "a": .of(4)])
        let expected: JSONObject = ["a": .of(4), "b": .of(2), "c": .of(3)]
        #expect(object == expected)
    }
}
