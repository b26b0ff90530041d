/// Words of the commands that messages show, to be copied into a shell.
package enum ShellWord {
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
