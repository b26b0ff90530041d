import ScanPipeline

extension OptionReader {
    /// The option `file`: the path of a file in the result, in which `{id}` is the capture's id.
    /// - Parameters:
    ///   - endings: of which it must have one, without the dot.
    ///   - folder: a name for such files' folder, for messages.
    mutating func resultFile(default path: String, endings: [String], folder: String) -> String {
        let file = text("file", "The file's path in the result; `{id}` is the capture's id.", default: path)
        let example = "a path such as \(folder)/{id}.\(endings[0])"
        let parts = file.allPathParts
        if !endings.contains(where: { file.hasSuffix(".\($0)") }) {
            fail("file", "`file` does not end in \(endings.map { ".\($0)" }.joined(separator: " or "))", example)
        }
        if parts.contains(where: { ["", ".", ".."].contains($0) }) {
            fail("file", "`file` is no plain path in the result's folder", example)
        } else if let sign = file.unicodeScalars.first(where: ResultPath.isNoneOfName) {
            let number = String(sign.value, radix: 16, uppercase: true)
            fail("file", "`file` holds a character that no file's name should: number \(number)", example)
        } else if let size = parts.map({ OptionText.path(String($0), ofCapture: "").utf8.count }).max(),
            size > ResultPath.longestName
        {
            fail(
                "file", "`file` holds a name of \(size) bytes, and file systems take \(ResultPath.longestName) at most",
                example)
        } else {
            checkBraces("file", in: file)
        }
        return file
    }
}

/// What may be the name of a file in a result.
private enum ResultPath {
    /// In bytes: Linux' NAME_MAX.
    static let longestName = 255

    /// Line ends and the like, of which NUL ends a name for the system.
    static func isNoneOfName(_ sign: Unicode.Scalar) -> Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(sign.properties.generalCategory)
    }
}
