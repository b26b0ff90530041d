import ScanModel

/// A number as the page shows it: it names its place in `report.json` (a JSON pointer) and carries the value that
/// stands there, so that a program, or a person with the inspector open, can compare them.
struct Figure: Sendable {
    var pointer: String
    var value: Double
    var words: String

    /// A whole number.
    static func count(_ value: Int, _ pointer: String) -> Figure {
        Figure(pointer: pointer, value: Double(value), words: Wording.grouped(value))
    }

    /// With a noun whose plural ends in s: `1 frame`, `3 frames`.
    static func counted(_ value: Int, _ noun: String, _ pointer: String) -> HTML {
        "\(count(value, pointer)) \(noun)\(value == 1 ? "" : "s")"
    }

    static func share(_ value: Double, _ pointer: String) -> Figure {
        Figure(pointer: pointer, value: value, words: Wording.percent(value))
    }

    /// - Parameter unit: including the space before it, if it needs one.
    static func measure(_ value: Double, _ unit: String, _ pointer: String) -> Figure {
        Figure(pointer: pointer, value: value, words: Wording.measure(value) + unit)
    }

    static func time(_ seconds: Double, _ pointer: String) -> Figure {
        Figure(pointer: pointer, value: seconds, words: Wording.time(seconds))
    }

    static func bytes(_ bytes: Int64, _ pointer: String) -> Figure {
        Figure(pointer: pointer, value: Double(bytes), words: Wording.size(bytes))
    }

    /// For running text.
    var html: HTML { "<data \(attributes)>\(words)</data>" }

    /// For an SVG `text` element, which takes no `data` element inside it.
    var attributes: HTML { "value=\"\(JSONWriter.number(value))\" data-of=\"\(pointer)\"" }
}

extension HTML.StringInterpolation {
    mutating func appendInterpolation(_ figure: Figure) { appendInterpolation(figure.html) }
}
