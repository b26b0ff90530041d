import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct JSONParseTests {
    /// Documents on which parsers tend to differ, as they stand.
    static let tricky: [String] = [
        "0", "-0", "-1", "1.0", "1e3", "1E-3", "123456789012345678", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890", "0.1", "2.5e-324",
        "1.7976931348623157e308", "2.2250738585072011e-308", "2.2250738585072014e-308", "4.9e-324", "2e-324", "1e-400",
        "9007199254740993", "9007199254740993.0", "0.500000000000000166533453693773481063544750213623046875",
        "3.518437208883201171875e13", "62.5364939768271845828", "8.10109172351e-10",
        "1.50000000000000011102230246251565",
        "0.30000000000000004", "1234567890123456789e-19", "18446744073709551615", "18446744073709551616e-5",
        "9.999999999999999999999999999999999999999999e22", "1e23", "8.5e22", "1e22", "1e27", "1e28", "-0.0", "0e10",
        "0.000000000000000000000000000000000000000000000000000001", "5e-27", "7e-28", "100000000000000000000000000e-26",
        "\"\"", #""\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9\u20ac\uD83D\uDE00""#, "\"é€😀\u{7F}\u{2028}\"", #""\u0000""#,
        "null", "true", "false", "[]", "{}", " [ ] ", "\t{\r\n}\n", "[[],[[]],{}]", "{\"a\":{\"b\":[1,{\"c\":null}]}}",
        "{\"a\":1,\"b\":2,\"a\":3}", "{\"\":0}", #"{"a\u0062":1}"#, "\u{FEFF}[1]", "[1,2,3]", "[ 1 , 2 ]",
        // Not JSON.
        "", " ", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{1:2}",
        "{a:1}", "{'a':1}", "[1]]", "1 2", "01", "-", "-a", "+1", ".5", "1.", "1.e3", "1e", "1e+", "0x10", "1_000",
        "--1",
        "tru", "True", "nul", "None", "undefined", "\"", "\"\\\"", "\"\\x41\"", "\"\\u00g0\"", "\"\\u00\"", "\"a\nb\"",
        "\"a\tb\"", "'a'", "// c\n1", "/* c */ 1", "[1]//", "\u{A0}1", "\u{FEFF}", "[\u{FEFF}1]", "١", "１",
    ]

    /// A value in a form that shows every bit: Python and Swift write it alike.
    static func canonical(_ value: JSONValue) -> String {
        let hex = { (text: String) in text.utf8.map { String(format: "%02x", $0) }.joined() }
        return switch value {
        case .null: "n"
        case .bool(let value): value ? "t" : "f"
        case .integer(let value): "i\(value)"
        case .number(let value): "d" + String(format: "%016llx", value.bitPattern)
        case .string(let value): "s" + hex(value)
        case .array(let items): "[" + items.map(canonical).joined(separator: ",") + "]"
        case .object(let object):
            "{" + object.members.map { hex($0.key) + ":" + canonical($0.value) }.joined(separator: ",") + "}"
        }
    }

    /// Reads one file a line of its arguments' folder and prints the canonical form, or `error`.
    static let python = """
        import json, struct, sys
        def canonical(v):
            if v is None: return "n"
            if v is True: return "t"
            if v is False: return "f"
            if isinstance(v, int) and -2**63 <= v < 2**63: return "i%d" % v
            if isinstance(v, (int, float)): return "d" + struct.pack(">d", float(v)).hex()
            if isinstance(v, str): return "s" + v.encode().hex()
            if isinstance(v, list): return "[" + ",".join(canonical(x) for x in v) + "]"
            return "{" + ",".join(k.encode().hex() + ":" + canonical(x) for k, x in v.items()) + "}"
        for line in open(sys.argv[1]):
            # Python makes the integer 0 of -0; we keep the sign.
            whole = lambda text: -0.0 if text == "-0" else int(text)
            try: print(canonical(json.loads(bytes.fromhex(line), parse_int=whole)))
            except ValueError: print("error")
        """

    static func askPython(_ texts: [[UInt8]]) throws -> [String] {
        let folder = try TemporaryFolder()
        let lines =
            texts.map { text in text.map { String(format: "%02x", $0) }.joined() }.joined(separator: "\n") + "\n"
        let result = try runPython(python, [try folder.write(lines, to: "texts")])
        #expect(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func agreesWithPython() throws {
        let answers = try Self.askPython(Self.tricky.map { Array($0.utf8) })
        #expect(answers.count == Self.tricky.count)
        for (text, answer) in zip(Self.tricky, answers) {
            let mine = (try? JSONValue.parse(Array(text.utf8), file: "a")).map(Self.canonical) ?? "error"
            #expect(mine == answer, "\(text)")
        }
        #expect(answers.filter { $0 == "error" }.count > 40)
    }

    @Test func isStricterThanPythonOnPurpose() throws {
        for text in ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", #""\ud83d""#] {
            #expect(throws: Problem.self) { try JSONValue.parse(Array(text.utf8), file: "a") }
        }
    }

    /// Where a list of frames is read, a word that Python writes for a number is a text.
    @Test func keepsWhatPythonWritesForNumbers() throws {
        var keys: [String] = []
        let kept = try JSONValue.parse(
            Array("[1, NaN, Infinity, -Infinity, -1]".utf8), file: "x", repeatedKeys: &keys, keepsNonNumbers: true)
        #expect(
            kept == .array([.integer(1), .string("NaN"), .string("Infinity"), .string("-Infinity"), .integer(-1)]))
        #expect(throws: Problem.self) {
            try JSONValue.parse(Array("[NaX]".utf8), file: "x", repeatedKeys: &keys, keepsNonNumbers: true)
        }
    }

    @Test func reportsRepeatedKeys() throws {
        var repeated: [String] = []
        let text = "{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2},\n \"a\": 3}"
        let value = try JSONValue.parse(Array(text.utf8), file: "a", repeatedKeys: &repeated)
        #expect(repeated == ["“c” in line 2", "“a” in line 3"])
        #expect(value["a"] == .integer(3))
        #expect(value.object?.keys == ["a", "b"])
    }

    /// Two spellings of one letter are two keys, in short objects and in long ones.
    @Test(arguments: [0, 40]) func keysAreTheSameWhenTheirBytesAre(_ others: Int) throws {
        let more = (0..<others).map { "\"k\($0)\": 0, " }.joined()
        let text = "{\(more)\"caf\\u00e9\": 1, \"cafe\\u0301\": 2}"
        var repeated: [String] = []
        let value = try JSONValue.parse(Array(text.utf8), file: "a", repeatedKeys: &repeated)
        #expect(repeated == [])
        #expect(value["caf\u{e9}"] == .integer(1) && value["cafe\u{301}"] == .integer(2))
        let back = try JSONValue.parse(JSONWriter.text(value), file: "a")
        #expect(back == value && back.object?.members.count == others + 2)
        let other = text.replacing("caf\\u00e9", with: "cafe\\u0301\\u0301")
        #expect(try JSONValue.parse(Array(other.utf8), file: "a") != value)
    }

    static let sample =
        #"{"s":"a\"\u00e9é😀","n":[0,-1,2.5e-3,12345678901234567890],"o":{"t":true,"f":false,"z":null},"e":{},"l":[[]]}"#

    @Test func everyPrefixIsAnError() throws {
        let bytes = Array(Self.sample.utf8)
        _ = try JSONValue.parse(bytes, file: "a")
        for length in 0..<bytes.count {
            #expect(throws: Problem.self) { try JSONValue.parse(Array(bytes[..<length]), file: "a") }
        }
    }

    @Test func randomDamageNeverCrashes() throws {
        var random = SplitMix(seed: 7)
        let bytes = Array(Self.sample.utf8)
        var texts: [[UInt8]] = []
        var mine: [String] = []
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let at = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: damaged[at] = UInt8.random(in: 0...255, using: &random)
                case 1: damaged[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: damaged.remove(at: at)
                default: damaged.insert(damaged[Int.random(in: 0..<damaged.count, using: &random)], at: at)
                }
            }
            do throws(Problem) {
                let value = try JSONValue.parse(damaged, file: "a")
                #expect(try JSONValue.parse(JSONWriter.text(value), file: "a") == value)
                texts.append(damaged)
                mine.append(Self.canonical(value))
            } catch {
                #expect(error.place.line != nil)
            }
        }
        // What survives the damage means the same to Python.
        let answers = try Self.askPython(texts)
        #expect(texts.count > 1000)
        #expect(answers.count == mine.count)
        for (answer, value) in zip(answers, mine) { #expect(answer == value) }
    }

    // MARK: - Outlines

    @Test func anOutlineHoldsTheFirstOfEachList() throws {
        let text = #"{"a": [1, 2, 3], "b": {"c": [[4, 5], [6]], "d": null}, "e": "f", "g": []}"#
        let outline = try JSONValue.outline(Array(text.utf8), file: "x.json")
        #expect(
            outline
                == (try JSONValue.parse(
                    Array(#"{"a": [1], "b": {"c": [[4]], "d": null}, "e": "f", "g": []}"#.utf8), file: "")))
        let problem = #expect(throws: Problem.self) { try JSONValue.outline(Array("[1, 2, x]".utf8), file: "x.json") }
        #expect(problem?.place.file == "x.json" && problem?.place.column == 8, "it is checked to its end")
    }

    /// Whatever somebody makes up, it takes little memory.
    @Test func anOutlineIsSmall() throws {
        func count(_ value: JSONValue) -> Int {
            switch value {
            case .array(let items): 1 + items.map(count).reduce(0, +)
            case .object(let object): 1 + object.members.map { count($0.value) }.reduce(0, +)
            default: 1
            }
        }
        let keys = (0..<150_000).map { "\"\($0)\": {\"a\": 1}" }.joined(separator: ",")
        for text in ["{\(keys)}", "[{\(keys)}]", "[" + String(repeating: "[0],", count: 50_000) + "0]"] {
            let outline = try JSONValue.outline(Array(text.utf8), file: "")
            #expect(count(outline) <= JSONValue.outlineCount + 2)
        }
    }
}
