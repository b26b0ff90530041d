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
        "\u{202e}gpj.exe", "é\u{9b}31m'\u{301}\\", "a\u{2028}b",
    ])
    func aShellReadsTheWord(_ word: String) throws {
        let result = try runCommand(["bash", "-c", "printf %s \(ShellWord.quoted(word))"])
        #expect(result.status == 0 && Array(result.output.utf8) == Array(word.utf8), "\(ShellWord.quoted(word))")
        // It is shown as it is, to be copied.
        #expect(ShellWord.quoted(word).withControlsShown() == ShellWord.quoted(word))
    }

    @Test func aSettingIsNoPattern() {
        #expect(ShellWord.setting("mask-range", "far=4") == "--set mask-range.far=4")
        #expect(ShellWord.setting("mask-range[2]", "far=4") == "--set 'mask-range[2].far=4'")
    }
}
