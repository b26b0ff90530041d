import ScanModel

extension COLMAPModelReader {
    /// All observations of an image are on one line.
    static let lineLimit = 64 << 20

    /// Calls `body` with each line that is not a comment.
    /// - Parameter takesBlank: whether lines without words count too.
    static func eachLine(
        of source: any ByteSource, takesBlank: Bool = false, _ openLine: (Int) -> Void,
        _ body: (COLMAPLine, (String) -> Problem) throws(Problem) -> Void
    ) throws(Problem) {
        var lines = LineReader(source, limit: lineLimit)
        while let line = try lines.next() {
            let place = { (what: String) in Problem(.input, what).at(file: source.name, line: line.number) }
            if line.isTooLong { throw place("the line is longer than \(lineLimit) bytes") }
            try lines.withBytes(of: line) { (bytes) throws(Problem) in
                let text = COLMAPLine(bytes)
                if bytes.first == UInt8(ascii: "#") || text.isBlank && !takesBlank { return }
                if !line.hasLineFeed, line.number > 1, !text.isBlank { openLine(line.number) }
                try body(text, place)
            }
        }
    }
}

/// A line's words, separated by white space, scanned as bytes: a model's observation lines have millions of them.
struct COLMAPLine {
    private let bytes: UnsafeBufferPointer<UInt8>

    /// - Parameter bytes: valid for as long as the line is used.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isBlank: Bool { bytes.allSatisfy(\.isASCIISpace) }
    var words: [String] { words(atMost: .max) }

    func words(atMost limit: Int) -> [String] {
        bytes.split(maxSplits: limit, whereSeparator: \.isASCIISpace).prefix(limit)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The text from a word onwards, as written, without trailing white space.
    /// - Parameter number: the word's, from 0; the line has more words than that.
    func rest(fromWord number: Int) -> String {
        let rest = bytes.split(maxSplits: number, whereSeparator: \.isASCIISpace).last ?? bytes[...]
        return String(decoding: rest.withoutSpaceAround, as: UTF8.self)
    }

    /// Whether the words consist of characters used in numbers, and come in threes.
    var isThreesOfNumbers: Bool {
        var count = 0
        var isInWord = false
        for byte in bytes {
            if byte.isASCIISpace {
                isInWord = false
                continue
            }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."): break
            // As in 1e-05, nan and inf.
            case UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "n"), UInt8(ascii: "a"), UInt8(ascii: "i"),
                UInt8(ascii: "f"):
                break
            default: return false
            }
            if !isInWord { count += 1 }
            isInWord = true
        }
        return count % 3 == 0
    }
}
