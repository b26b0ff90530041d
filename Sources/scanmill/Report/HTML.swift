import ScanModel

/// A piece of HTML or SVG. Interpolated text is escaped, so that no name or message can become a tag: only literals and
/// other pieces are taken as they are.
struct HTML: Sendable, ExpressibleByStringInterpolation {
    private(set) var text: String

    init() { text = "" }
    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
    /// Trusts the text: for what is HTML already, and the page's own style and script.
    init(trusted text: String) { self.text = text }

    var isEmpty: Bool { text.isEmpty }

    static func += (page: inout HTML, piece: HTML) { page.text += piece.text }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ piece: HTML) { text += piece.text }
        mutating func appendInterpolation(_ piece: HTML?) { text += piece?.text ?? "" }
        mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { text += piece.text } }
        mutating func appendInterpolation(_ number: Int) { text += String(number) }
        /// For coordinates: one decimal, which is a tenth of a pixel.
        mutating func appendInterpolation(_ number: Double) { text += HTML.short(number) }
        mutating func appendInterpolation(_ words: String) { text += HTML.escaped(words) }
        /// Text of several lines, for `<pre>`.
        mutating func appendInterpolation(lines: String) { text += HTML.escaped(lines, besides: "\n") }
        /// A message, in which text between backticks is code.
        mutating func appendInterpolation(marked words: String) { text += HTML.marked(words) }
    }

    /// A path as an address.
    static func address(_ path: String) -> String {
        path.utf8.reduce(into: "") { address, byte in
            let isPlain = byte.isASCIIDigit || byte.isASCIILetter || "-._/".utf8.contains(byte)
            if isPlain {
                address.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = Array("0123456789ABCDEF")
                address += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }

    /// With one decimal, and none where it is 0.
    static func short(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "0" }
        let tenths = Int((number * 10).rounded())
        if tenths.isMultiple(of: 10) { return String(tenths / 10) }
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// With three decimals, for places in large sprites.
    static func fine(_ number: Double) -> HTML { HTML(trusted: number.fixedText(decimals: 3)) }

    /// Escaped like all text, so that nothing between backticks can be more than code. A backtick without a partner is
    /// only a backtick.
    private static func marked(_ words: String) -> String {
        let parts = words.split(separator: "`", omittingEmptySubsequences: false).map { escaped(String($0)) }
        guard parts.count.isMultiple(of: 2) == false else { return escaped(words) }
        return parts.enumerated().map { $0.isMultiple(of: 2) ? $1 : "<code>\($1)</code>" }.joined()
    }

    /// Safe between tags and in quoted attributes. Control characters are made visible, since HTML knows no way to
    /// write them, and shows a line break as a space.
    /// - Parameter kept: control characters that stay as they are.
    private static func escaped(_ text: String, besides kept: String = "") -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte < 0x7f && byte != 0x22 && byte != 0x26 && byte != 0x27 && byte != 0x3c && byte != 0x3e
        }
        if isPlain { return text }
        var escaped = ""
        for scalar in text.withControlsShown(besides: kept).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension [HTML] {
    func joined(_ separator: HTML) -> HTML {
        HTML(trusted: map(\.text).joined(separator: separator.text))
    }
}
