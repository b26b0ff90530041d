extension String {
    /// With control characters written out, such as `\u{a}`: file names and other foreign text must not control the
    /// terminal, a name with a line break must not look like two lines, and one that turns the direction of text must
    /// not be read backwards.
    /// - Parameter kept: characters that stay as they are.
    package func withControlsShown(besides kept: String = "") -> String {
        guard unicodeScalars.contains(where: \.steersText) else { return self }
        return unicodeScalars.reduce(into: "") { shown, scalar in
            if scalar.steersText && !kept.unicodeScalars.contains(scalar) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
    }
}

extension String {
    /// A name for a message: in quotes where it could not be told from another one, since it begins or ends with a
    /// blank, holds control characters, or is empty.
    package var distinctly: String {
        let isClear =
            first?.isWhitespace == false && last?.isWhitespace == false && !unicodeScalars.contains(where: \.steersText)
        return isClear ? self : String(reflecting: self)
    }
}

extension Unicode.Scalar {
    /// Whether it shows nothing itself and changes how the text around it is shown: a control character, a line or
    /// paragraph separator, or one of the characters that set the direction of text (Unicode's `Bidi_Control`).
    package var steersText: Bool {
        switch value {
        case 0..<0x20, 0x7f...0x9f: true
        case 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}

extension JSONWriter {
    /// The text for a screen: scalars that steer a terminal or the direction of text stand as escapes, from which every
    /// parser reads the same value.
    package static func visibleText(_ value: JSONValue, pretty: Bool = true) -> [UInt8] {
        let bytes = Self.text(value, pretty: pretty)
        // In UTF-8 each of these begins with one of these bytes, and most texts hold none.
        guard bytes.contains(where: { [0x7f, 0xc2, 0xd8, 0xe2].contains($0) }) else { return bytes }
        // They can only stand in strings. What is below 0x20 in those is escaped already.
        let text = String(decoding: bytes, as: UTF8.self).unicodeScalars.reduce(into: "") { shown, scalar in
            if scalar.steersText && scalar.value >= 0x20 {
                let digits = String(scalar.value, radix: 16)
                shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return Array(text.utf8)
    }
}
