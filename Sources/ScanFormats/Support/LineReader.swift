import ScanModel

/// Cuts a text into lines, holding no more than one of them and a chunk of the file.
///
/// Lines end in LF or CR LF; the last one may end without. A UTF-8 byte order mark at the start belongs to no line.
package struct LineReader {
    package struct Line {
        /// From 1.
        package var number: Int
        /// Where the line starts in the file, and its length without the line ending.
        package var byteOffset: Int64
        package var byteCount: Int64
        /// Whether the line is longer than the limit, so that its bytes were not kept.
        package var isTooLong: Bool
        /// Whether a line feed ends it: the last line of a file may have none.
        package var hasLineFeed: Bool
        fileprivate var range: Range<Int>
    }

    /// What follows the lines that were read so far, for formats in which other data follows the text.
    package var rest: BufferedSource
    private let limit: Int
    private var number = 0

    /// - Parameter limit: a line of more bytes is not kept.
    package init(_ source: any ByteSource, limit: Int, chunk: Int = 1 << 16) {
        rest = BufferedSource(source, chunk: chunk)
        self.limit = limit
    }

    /// The next line, or nil after the last one.
    package mutating func next() throws(Problem) -> Line? {
        if number == 0, rest.offset == 0 { try skipByteOrderMark() }
        var searched = 0
        // Bytes of a line that is too long, already thrown away.
        var dropped: Int64 = 0
        while true {
            if let length = rest.distanceToLineFeed(from: searched) { return take(length, ending: 1, dropped) }
            searched = rest.unread.count
            if searched - 1 > limit {
                // The last byte is kept: it may be the CR of the line ending.
                dropped += Int64(searched - 1)
                rest.consume(searched - 1)
                searched = 1
            }
            try rest.fill(searched + 1)
            if rest.unread.count == searched {
                return searched == 0 && dropped == 0 ? nil : take(searched, ending: 0, dropped)
            }
        }
    }

    /// Calls `body` with the bytes of the line that was returned last.
    package func withBytes<R>(
        of line: Line, _ body: (UnsafeBufferPointer<UInt8>) throws(Problem) -> R
    ) throws(Problem) -> R {
        try rest.withBytes(line.range, body)
    }

    /// Gives out the first `length` unread bytes as a line, and steps over its ending.
    private mutating func take(_ length: Int, ending: Int, _ dropped: Int64) -> Line {
        var range = rest.unread.prefix(length)
        let start = rest.offset - dropped
        let endsInCR = rest.endsInCarriageReturn(range)
        if endsInCR { range = range.dropLast() }
        rest.consume(length + ending)
        number += 1
        let byteCount = Int64(range.count) + dropped
        return Line(
            number: number, byteOffset: start, byteCount: byteCount, isTooLong: byteCount > Int64(limit),
            hasLineFeed: ending == 1, range: range)
    }

    private mutating func skipByteOrderMark() throws(Problem) {
        let count = ByteOrderMark.bytes.count
        let start = try rest.peek(count)
        if start == ByteOrderMark.bytes { rest.consume(count) }
        if ByteOrderMark.beginsUTF16(start) {
            throw Problem(
                .input, "the text is UTF-16, where UTF-8 is needed",
                fix: "convert it to UTF-8:  iconv -f UTF-16 -t UTF-8"
            )
            .at(file: rest.name)
        }
    }
}
