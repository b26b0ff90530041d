/// A choice of frames by their source numbers.
public enum FrameList: Sendable, Hashable {
    case ranges([ClosedRange<Int>])
    /// A text file, relative to the capture or to the pipeline, with a number or a range on each line; `{id}` in its path
    /// is the capture's id.
    case file(String)

    /// The path of the file, if it is one.
    public var file: String? { if case .file(let path) = self { path } else { nil } }

    /// Nil when an item is neither a number nor a range `a-b` with a ≤ b.
    public init?(parsing items: [String]) {
        var ranges: [ClosedRange<Int>] = []
        for item in items {
            let bounds = item.split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
            guard bounds.count <= 2, let low = bounds[0], let high = bounds[bounds.count - 1], low <= high else {
                return nil
            }
            ranges.append(low...high)
        }
        self = .ranges(ranges)
    }

    /// Whether a text was meant as numbers, right or wrong, rather than as a file's name.
    static func isMeantAsNumbers(_ text: String) -> Bool { text.utf8.allSatisfy("0123456789-,.: ".utf8.contains) }

    /// The numbers and ranges as they are written in a pipeline.
    var texts: [String] {
        guard case .ranges(let ranges) = self else { return [] }
        return ranges.map {
            $0.lowerBound == $0.upperBound ? String($0.lowerBound) : "\($0.lowerBound)-\($0.upperBound)"
        }
    }

    /// Digits with white space around them.
    private static func number(_ text: Substring) -> Int? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 1, words[0].utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(words[0])
    }
}
