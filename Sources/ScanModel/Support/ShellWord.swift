/// Words of the commands that messages show, to be copied into a shell.
package enum ShellWord {
    /// An option that people are told to set: a label such as `crop[2]` is in quotes, or the shell would look for files.
    /// - Parameter setting: `option=value`.
    package static func setting(_ label: String, _ setting: String) -> String {
        "--set \(quoted("\(label).\(setting)"))"
    }

    /// A path quoted as a word of a command.
    package static func quoted(path: some StringProtocol) -> String { quoted(Self.path(String(path))) }

    /// With a folder before it, a name that begins with a dash is no option.
    package static func path(_ path: String) -> String { path.hasPrefix("-") ? "./\(path)" : path }

    /// A word quoted for the shell where need be.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            $0.isASCIIDigit || $0.isASCIILetter || "/._-+=:,@".utf8.contains($0)
        }
        if isPlain && !word.isEmpty { return word }
        // The shell's own way to write what would not be copied as it is shown: bytes in octal.
        if word.unicodeScalars.contains(where: \.steersText) {
            let escaped = word.unicodeScalars.flatMap { scalar in
                let bytes = Array(String(scalar).utf8)
                let isSafe = !scalar.steersText && scalar != "'" && scalar != "\\"
                return isSafe ? bytes : bytes.flatMap { Array("\\\($0 / 64)\($0 / 8 % 8)\($0 % 8)".utf8) }
            }
            return "$'" + String(decoding: escaped, as: UTF8.self) + "'"
        }
        // By bytes: an apostrophe followed by a combining accent is no `Character` of its own, yet it ends the word.
        let escaped = word.utf8.flatMap { $0 == 0x27 ? Array("'\\''".utf8) : [$0] }
        return "'" + String(decoding: escaped, as: UTF8.self) + "'"
    }
}
