import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct PipelineSchemaTests {
    enum Quality: String, CaseIterable { case low, ten = "10", yes = "true" }

    static let library = StageLibrary([
        Mock.reader().entry, StageDocTests.entry, Mock.decompress.entry,
        Mock.frame("odd").taking { options in
            _ = options.number(
                "any", "Any.", default: 1, in: (-Double.greatestFiniteMagnitude)...Double.greatestFiniteMagnitude)
            _ = options.number("share", "A share.", in: 0.5...1)
            _ = options.integer("whole", "Any.", in: Int.min...Int.max)
            _ = options.choice("quality", "How good.", default: Quality.ten)
        }.entry,
    ])

    private static func schema() throws -> String {
        String(decoding: JSONWriter.text(PipelineSchema.schema(library)), as: UTF8.self)
    }

    private static func options(of stage: String) throws -> [String: [String: Any]] {
        let json = try #require(try JSONSerialization.jsonObject(with: Data(try schema().utf8)) as? [String: Any])
        let stages = try #require((json["properties"] as? [String: Any])?["stages"] as? [String: Any])
        let forms = try #require((stages["items"] as? [String: Any])?["oneOf"] as? [[String: Any]])
        let form = try #require(forms.first { ($0["required"] as? [String]) == [stage] })
        let body = try #require((form["properties"] as? [String: Any])?[stage] as? [String: Any])
        return try #require(body["properties"] as? [String: [String: Any]])
    }

    @Test func everyOptionAppears() throws {
        let options = try Self.options(of: "cull-points")
        #expect(Set(options.keys) == ["margin", "every", "levels", "depth", "keep", "title", "frames"])
        #expect(options["margin"]?["minimum"] as? Int == -10)
        #expect(options["margin"]?["maximum"] as? Int == 10)
        #expect(options["margin"]?["default"] as? Double == 0.5)
        #expect(options["margin"]?["description"] as? String == "Grow the box | on every side. (m)")
        #expect(options["every"]?["minimum"] as? Int == 1)
        #expect(options["every"]?["maximum"] == nil)
        #expect(options["every"]?["default"] == nil)
        #expect(options["levels"]?["default"] as? [Int] == [2, 4])
        #expect(options["depth"]?["default"] as? Bool == false)
        #expect(options["keep"]?["enum"] as? [String] == ["inside", "outside"])
        let odd = try Self.options(of: "odd")
        #expect(odd["any"]?["minimum"] == nil && odd["any"]?["maximum"] == nil)
        #expect(odd["share"]?["minimum"] as? Double == 0.5)
        #expect(odd["whole"]?["minimum"] == nil && odd["whole"]?["maximum"] == nil)
        let words = try #require(odd["quality"]?["enum"] as? [Any])
        #expect(words[0] as? String == "low" && words[1] as? Int == 10 && words[2] as? Bool == true)
        #expect(odd["quality"]?["default"] as? Int == 10)
        #expect(try Self.options(of: "decompress").isEmpty)
    }

    /// What the schema takes and refuses, by an implementation of JSON Schema that is not ours.
    @Test func aValidatorAgrees() throws {
        let script = """
            import json, sys
            try:
                import jsonschema
            except ImportError:
                print('no jsonschema')
                sys.exit()
            schema = json.loads(sys.argv[1])
            jsonschema.Draft7Validator.check_schema(schema)
            validator = jsonschema.Draft7Validator(schema)
            for text in sys.argv[2:]:
                print('yes' if validator.is_valid(json.loads(text)) else 'no')
            """
        let cases = [
            (#"{"stages": ["read"]}"#, true),
            (#"{"name": "a", "description": "b", "stages": ["read", {"decompress": null}, {"decompress": {}}]}"#, true),
            (
                #"{"stages": ["read", {"cull-points": {"margin": 0.25, "levels": [1, 8], "keep": "outside", "depth": true}}]}"#,
                true
            ),
            (
                #"{"stages": ["read", {"cull-points": {"levels": 3, "frames": [3, "17-20"]}}, {"cull-points": {"frames": "a.txt"}}]}"#,
                true
            ),
            (
                #"{"stages": [{"read": {}}, {"odd": {"quality": 10}}, {"odd": {"quality": true}}, {"odd": {"any": -1e300}}]}"#,
                true
            ),
            (#"{"stages": [{"read": null}, "decompress"]}"#, true), (#"{"stages": ["decompress"]}"#, false),
            (#"{"stages": ["decompress", "read"]}"#, false), (#"{"stages": [{"decompress": null}, "read"]}"#, false),
            (#"{}"#, false), (#"{"stages": []}"#, false), (#"{"stages": "read"}"#, false), (#"["read"]"#, false),
            (#"{"stages": ["reed"]}"#, false), (#"{"stages": ["read"], "extra": 1}"#, false),
            (#"{"stages": [{"read": {}, "decompress": {}}]}"#, false),
            (#"{"stages": ["read", {"decompress": {"level": 1}}]}"#, false),
            (#"{"stages": ["read", {"cull-points": {"margin": 11}}]}"#, false),
            (#"{"stages": ["read", {"cull-points": {"margin": "1"}}]}"#, false),
            (#"{"stages": ["read", {"cull-points": {"every": 0}}]}"#, false),
            (#"{"stages": ["read", {"cull-points": {"every": 1.5}}]}"#, false),
            (#"{"stages": ["read", {"cull-points": {"levels": [9]}}]}"#, false),
            (#"{"stages": ["read", {"cull-points": {"levels": []}}]}"#, false),
            (#"{"stages": ["read", {"cull-points": {"levels": [2, 2]}}]}"#, false),
            (#"{"stages": ["read", {"cull-points": {"keep": "up"}}]}"#, false),
            (#"{"stages": ["read", {"odd": {"quality": "10"}}]}"#, false),
            (#"{"stages": ["read", {"odd": {"share": 0.4}}]}"#, false),
        ]
        let result = try runPython(script, [try Self.schema()] + cases.map(\.0))
        if result.output == "no jsonschema\n" {
            return skip("the check of the schema, because Python has no module jsonschema")
        }
        let answers = result.output.split(separator: "\n")
        try #require(answers.count == cases.count, "\(result.errors)")
        for (answer, expected) in zip(answers, cases) {
            #expect(answer == (expected.1 ? "yes" : "no"), "\(expected.0)")
        }
    }

    /// What the schema takes, the reader takes as well.
    @Test func theReaderAgrees() throws {
        let text = """
            stages:
              - read
              - decompress
              - cull-points: {margin: 0.25, levels: 3, keep: outside, depth: true, frames: [3, 17-20], title: 5}
              - odd: {quality: 10, any: -1e300, share: 1, whole: -9223372036854775808}
            """
        let failure = #expect(throws: PipelineMistakes.self) {
            _ = try Pipeline.load(text: text, path: "p", library: Self.library)
        }
        #expect(failure?.problems.map(\.summary) == ["`cull-points` needs points, which no stage before it makes"])
    }
}
