import ScanModel

/// The JSON Schema of pipeline files, from the stages' own declarations: editors complete and check with it.
///
/// Draft-07, the newest that yaml-language-server knows.
public enum PipelineSchema {
    public static func schema(_ library: StageLibrary) -> JSONValue {
        .object([
            "$schema": .string("http://json-schema.org/draft-07/schema#"),
            "title": .string("ScanMill pipeline"),
            "type": .string("object"),
            "required": .of(["stages"]),
            "additionalProperties": .bool(false),
            "properties": .object([
                "name": .object([
                    "type": .string("string"), "minLength": .of(1),
                    "description": .string("The pipeline's name, for receipts."),
                ]),
                "description": .object(["type": .string("string"), "description": .string("One sentence for people.")]),
                "stages": .object([
                    "type": .string("array"), "minItems": .of(1),
                    "description": .string("The stages, in the order in which frames go through them."),
                    "items": .object(["oneOf": .array([names(library)] + library.entries.map(stage))]),
                    // A list of schemas is for the first items, one each, and says nothing of those behind them.
                    "allOf": .array([.object(["items": .array([reader(library)])])]),
                ]),
            ]),
        ])
    }

    /// A stage without options is its name alone.
    private static func names(_ library: StageLibrary) -> JSONValue {
        .object(["type": .string("string"), "enum": .of(library.names)])
    }

    /// What a pipeline can begin with. How its options are given is said with all stages.
    private static func reader(_ library: StageLibrary) -> JSONValue {
        let readers = library.makers(of: .frames)
        let withOptions = readers.map { name -> JSONValue in
            .object(["type": .string("object"), "required": .of([name])])
        }
        return .object(["anyOf": .array([.object(["enum": .of(readers)])] + withOptions)])
    }

    private static func stage(_ entry: StageLibrary.Entry) -> JSONValue {
        var options = JSONObject()
        for option in entry.options { options[option.name] = .object(schema(of: option)) }
        let body: JSONObject = [
            "type": .of(["object", "null"]), "description": .string(entry.card.summary),
            "additionalProperties": .bool(false), "properties": .object(options),
        ]
        return .object([
            "type": .string("object"), "required": .of([entry.card.name]), "additionalProperties": .bool(false),
            "description": .string(entry.card.summary), "properties": .object([entry.card.name: .object(body)]),
        ])
    }

    private static func schema(of option: OptionSpec) -> JSONObject {
        var schema = JSONObject()
        switch option.kind {
        case .number(let range):
            let greatest = Double.greatestFiniteMagnitude
            schema["type"] = .string("number")
            schema["minimum"] = range.lowerBound == -greatest ? nil : OptionReader.json(range.lowerBound)
            schema["maximum"] = range.upperBound == greatest ? nil : OptionReader.json(range.upperBound)
        case .integer(let range): schema = integer(range)
        case .integers(let range):
            // None at all, or one twice, is a mistake.
            schema["oneOf"] = oneOrMany(
                .object(integer(range)), ["minItems": .of(1), "uniqueItems": .bool(true)])
        case .flag: schema["type"] = .string("boolean")
        case .choice(let words): schema["enum"] = .array(words.map(word))
        case .text: schema["type"] = .string("string")
        case .frames:
            schema["oneOf"] = oneOrMany(.object(["type": .of(["integer", "string"])]))
        }
        let unit = option.unit.map { " (\($0))" } ?? ""
        schema["description"] = .string(option.help + unit)
        schema["default"] = option.defaultText.map { fallback($0, option.kind) }
        return schema
    }

    private static func integer(_ range: ClosedRange<Int>) -> JSONObject {
        [
            "type": .string("integer"), "minimum": range.lowerBound == .min ? nil : .of(range.lowerBound),
            "maximum": range.upperBound == .max ? nil : .of(range.upperBound),
        ]
    }

    /// A list, or its only item by itself.
    private static func oneOrMany(_ item: JSONValue, _ rules: JSONObject = JSONObject()) -> JSONValue {
        var list: JSONObject = ["type": .string("array"), "items": item]
        list.merge(rules)
        return .array([item, .object(list)])
    }

    /// A word that YAML reads as something else must be that in the schema.
    private static func word(_ text: String) -> JSONValue {
        switch text {
        case "true", "false": .bool(text == "true")
        case "null": .null
        default: Int64(text).map { .integer($0) } ?? .string(text)
        }
    }

    private static func fallback(_ text: String, _ kind: OptionSpec.Kind) -> JSONValue {
        switch kind {
        case .number, .integer: Double(text).map(OptionReader.json) ?? .string(text)
        case .flag: .bool(text == "true")
        case .integers:
            .array(text.split { "[], ".contains($0) }.compactMap { Int64($0).map { .integer($0) } })
        case .choice: word(text)
        default: .string(text)
        }
    }
}
