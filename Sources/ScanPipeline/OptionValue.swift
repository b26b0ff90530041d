import ScanModel

/// A value as it stands in a pipeline file, with its place.
public struct OptionValue: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        case scalar(String)
        case list([String])
        /// Something that no option takes: a mapping, or a list of lists.
        case other
    }

    public var content: Content
    /// 1-based; nil for a value given on the command line.
    public var line: Int?
    public var column: Int?

    public init(_ content: Content, line: Int? = nil, column: Int? = nil) {
        self.content = content
        self.line = line
        self.column = column
    }

    var text: String? { if case .scalar(let text) = content { text } else { nil } }
    var items: [String]? { if case .list(let items) = content { items } else { nil } }
}
