import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct ShellWordTests {
    /// What a shell makes of the word is the word: with an accent behind it, an apostrophe is no character of its own.
    @Test(arguments: [
        "plain", "", "two words", "it's", "'", "a'\u{301}b", "x'\u{301}; echo no; '\u{301}", "$HOME `id`", "\\", "\"",
        "tab\there",
        "line\nbreak'\u{301}",
    ])
    func aShellReadsTheWord(_ word: String) throws {
        let result = try runCommand(["bash", "-c", "printf %s \(ShellWord.quoted(word))"])
        #expect(result.status == 0 && Array(result.output.utf8) == Array(word.utf8), "\(ShellWord.quoted(word))")
    }
}
