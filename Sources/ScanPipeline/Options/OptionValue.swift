import ScanModel

/// A value as it stands in a pipeline file, with its place.
public struct OptionValue: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        case scalar(String)
        case list([String])
        /// Something that no option takes, in words: `mapping`, `nested list`.
        case other(String)
    }

    public var content: Content
    /// 1-based; nil for a value that is in no file.
    public var line: Int?
    public var column: Int?
    /// The `--set` that gave it, when it comes from the command line.
    var setting: String?

    public init(_ content: Content, line: Int? = nil, column: Int? = nil) {
        self.content = content
        self.line = line
        self.column = column
    }

    /// The items of a list; a text by itself counts as a list of one.
    package var texts: [String] {
        switch content {
        case .scalar(let text): [text]
        case .list(let items): items
        case .other: []
        }
    }
}
