/// Words of the commands that messages show, to be copied into a shell.
package enum ShellWord {
    /// A word quoted for the shell where need be.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a) || "/._-+=:,@".utf8.contains($0)
        }
        if isPlain && !word.isEmpty { return word }
        // The shell's own way to write control characters: bytes in octal.
        if word.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
            let isSafe = { (byte: UInt8) in byte >= 0x20 && byte != 0x7f && byte != 0x27 && byte != 0x5c }
            let escaped = word.utf8.flatMap { byte in
                isSafe(byte) ? [byte] : Array("\\\(byte / 64)\(byte / 8 % 8)\(byte % 8)".utf8)
            }
            return "$'" + String(decoding: escaped, as: UTF8.self) + "'"
        }
        // By bytes: an apostrophe followed by a combining accent is no `Character` of its own, yet it ends the word.
        let escaped = word.utf8.flatMap { $0 == 0x27 ? Array("'\\''".utf8) : [$0] }
        return "'" + String(decoding: escaped, as: UTF8.self) + "'"
    }
}
