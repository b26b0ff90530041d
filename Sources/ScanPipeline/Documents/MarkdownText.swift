/// Texts of declarations as a page shows them.
public enum MarkdownText {
    /// `<id>` outside of code would be taken for HTML, and vanish.
    public static func prose(_ text: String) -> String {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            index.isMultiple(of: 2) ? String(part.replacing("<", with: "\\<")) : String(part)
        }.joined(separator: "`")
    }

    /// Prose as a table's cell holds it.
    public static func cell(_ text: String) -> String { prose(text).replacing("|", with: "\\|") }
}
