import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct ShellWordTests {
    /// A shell reads the quoted word as the word: an apostrophe followed by a combining accent is no `Character` of its
    /// own.
    @Test(arguments: [
        "plain", "", "two words", "it's", "'", "a'\u{301}b", "x'\u{301}; echo no; '\u{301}", "$HOME `id`", "\\", "\"",
        "tab\there", "tab\there\\back",
        "line\nbreak'\u{301}",
    ])
    func aShellReadsTheWord(_ word: String) throws {
        let result = try runCommand(["bash", "-c", "printf %s \(ShellWord.quoted(word))"])
        #expect(result.status == 0 && Array(result.output.utf8) == Array(word.utf8), "\(ShellWord.quoted(word))")
    }
}
