extension String {
    /// With control characters written out, such as `\u{a}`: file names and other foreign text must not control the
    /// terminal, and a name with a line break must not look like two lines.
    /// - Parameter kept: characters that stay as they are.
    package func withControlsShown(besides kept: String = "") -> String {
        let isControl = { (scalar: Unicode.Scalar) in scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) }
        guard unicodeScalars.contains(where: isControl) else { return self }
        return unicodeScalars.reduce(into: "") { shown, scalar in
            if isControl(scalar) && !kept.unicodeScalars.contains(scalar) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
    }
}
