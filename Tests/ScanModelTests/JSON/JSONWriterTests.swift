import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    @Test func numbersReadBackBitForBit() throws {
        var random = SplitMix(seed: 3)
        var values: [Double] = [
            0, -0.0, 1, -1, 0.1, 1e16, 1e17, 1e22, 1e23, 123_456_789_012_345_680, .leastNonzeroMagnitude,
            .leastNormalMagnitude,
            .greatestFiniteMagnitude, 0.3, .pi, 1e-5, 1e-4, 4_294_967_296, 9_007_199_254_740_992,
        ]
        while values.count < 50_000 {
            let value = Double(bitPattern: random.next())
            if value.isFinite { values.append(value) }
            // As recorded: single precision, widened.
            values.append(Double(Float.random(in: -3000...3000, using: &random)))
        }
        let text = JSONWriter.text(.array(values.map { .number($0) }), pretty: false)
        let read = try JSONValue.parse(text, file: "a").array ?? []
        #expect(read.count == values.count)
        for (value, back) in zip(values, read) {
            guard case .number(let number) = back else {
                Issue.record("\(value) came back as \(back)")
                continue
            }
            #expect(number.bitPattern == value.bitPattern)
        }

        let folder = try TemporaryFolder()
        let script = """
            import json, struct, sys
            for v in json.load(open(sys.argv[1])): print(struct.pack(">d", v).hex())
            """
        let answer = try runPython(script, [try folder.write(text, to: "numbers.json")])
        #expect(answer.status == 0, "\(answer.errors)")
        let expected = values.map { String(format: "%016llx", $0.bitPattern) }
        #expect(answer.output.split(separator: "\n").map(String.init) == expected)
    }

    @Test func textsReadBackAsTheyWere() throws {
        var random = SplitMix(seed: 5)
        for _ in 0..<500 {
            let value = Self.randomValue(depth: 0, &random)
            for pretty in [true, false] {
                let text = JSONWriter.text(value, pretty: pretty)
                #expect(try JSONValue.parse(text, file: "a") == value)
            }
        }
    }

    @Test func pythonReadsIt() throws {
        var random = SplitMix(seed: 6)
        let values = (0..<300).map { _ in Self.randomValue(depth: 0, &random) }
        let answers = try JSONParseTests.askPython(values.map { JSONWriter.text($0) })
        #expect(answers == values.map(JSONParseTests.canonical))
    }

    static func randomValue(depth: Int, _ random: inout SplitMix) -> JSONValue {
        switch Int.random(in: 0..<(depth < 5 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random)))
        case 3: return .number(Double.random(in: -1e6...1e6, using: &random))
        case 4: return .string(randomText(&random))
        case 5, 6:
            let count = Int.random(in: 0..<5, using: &random)
            return .array((0..<count).map { _ in randomValue(depth: depth + 1, &random) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                object[randomText(&random)] = randomValue(depth: depth + 1, &random)
            }
            return .object(object)
        }
    }

    private static func randomText(_ random: inout SplitMix) -> String {
        let alphabet = Array("ab\"\\/\n\t\u{1}\u{1F}é€😀 \u{7F}")
        return String(
            (0..<Int.random(in: 0..<6, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "a" })
    }
}
