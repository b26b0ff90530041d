import ScanModel

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

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
        fileprivate var range: Range<Int>
    }

    private let source: any ByteSource
    private let limit: Int
    private var buffer: [UInt8]
    /// The part of the buffer that was read but not given out yet.
    private var unread = 0..<0
    private var isAtEnd = false
    private var number = 0
    /// Where in the file the unread part starts.
    private var byteOffset: Int64 = 0

    package init(_ source: any ByteSource, limit: Int, chunk: Int = 1 << 16) {
        self.source = source
        self.limit = limit
        // A byte order mark has to fit.
        buffer = [UInt8](repeating: 0, count: max(chunk, 3))
    }

    /// The next line, or nil after the last one.
    package mutating func next() throws(Problem) -> Line? {
        var searched = 0
        // Bytes of a line that is too long, already thrown away.
        var dropped: Int64 = 0
        while true {
            if let length = lengthToNewline(from: searched) {
                return take(length, ending: 1, dropped: dropped)
            }
            searched = unread.count
            // One byte more than the limit may stay, since it may be the CR of a line ending.
            if searched > limit + 1 {
                // The last byte is kept: it may be the CR of the line ending.
                dropped += Int64(searched - 1)
                byteOffset += Int64(searched - 1)
                unread = unread.upperBound - 1..<unread.upperBound
                searched = 1
            }
            if isAtEnd {
                return unread.isEmpty && dropped == 0 ? nil : take(unread.count, ending: 0, dropped: dropped)
            }
            try fill()
        }
    }

    /// Calls `body` with the bytes of the line that was returned last.
    package func withBytes<R>(
        of line: Line, _ body: (UnsafeBufferPointer<UInt8>) throws(Problem) -> R
    ) throws(Problem) -> R {
        try buffer.withUnsafeBufferPointer { (all) throws(Problem) -> R in
            try body(UnsafeBufferPointer(rebasing: all[line.range]))
        }
    }

    private func lengthToNewline(from searched: Int) -> Int? {
        buffer.withUnsafeBytes { all in
            let rest = all[unread].dropFirst(searched)
            guard !rest.isEmpty, let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                let found = memchr(start, Int32(UInt8(ascii: "\n")), rest.count)
            else { return nil }
            return searched + (UnsafeRawPointer(found) - start)
        }
    }

    /// Gives out the first `length` unread bytes as a line, and steps over its ending.
    private mutating func take(_ length: Int, ending: Int, dropped: Int64) -> Line {
        var range = unread.lowerBound..<unread.lowerBound + length
        if range.last.map({ buffer[$0] == UInt8(ascii: "\r") }) == true { range = range.dropLast() }
        number += 1
        let line = Line(
            number: number, byteOffset: byteOffset - dropped, byteCount: Int64(range.count) + dropped,
            isTooLong: Int64(range.count) + dropped > Int64(limit), range: range)
        unread = unread.lowerBound + length + ending..<unread.upperBound
        byteOffset += Int64(length + ending)
        return line
    }

    /// Moves the unread bytes to the front and reads more behind them.
    private mutating func fill() throws(Problem) {
        if unread.lowerBound > 0 {
            buffer.withUnsafeMutableBytes { all in
                guard let start = all.baseAddress else { return }
                memmove(start, start + unread.lowerBound, unread.count)
            }
            unread = 0..<unread.count
        }
        if unread.upperBound == buffer.count {
            buffer += [UInt8](repeating: 0, count: buffer.count)
        }
        let count = try source.read(into: &buffer, from: unread.upperBound)
        isAtEnd = count == 0
        let isStart = byteOffset == 0 && unread.isEmpty && number == 0
        unread = unread.lowerBound..<unread.upperBound + count
        if isStart { try skipByteOrderMark() }
    }

    private mutating func skipByteOrderMark() throws(Problem) {
        while unread.count < 3, !isAtEnd {
            let count = try source.read(into: &buffer, from: unread.upperBound)
            isAtEnd = count == 0
            unread = unread.lowerBound..<unread.upperBound + count
        }
        if buffer[unread].starts(with: [0xEF, 0xBB, 0xBF]) {
            unread = unread.lowerBound + 3..<unread.upperBound
            byteOffset = 3
        }
    }
}
