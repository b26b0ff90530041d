import Glibc
import ScanModel

/// A source seen through a buffer, for formats that have to look ahead. Memory is bounded by what is asked for.
package struct BufferedSource {
    private let source: any ByteSource
    private var buffer: [UInt8]
    /// What was read but not consumed, as a range of the buffer.
    package private(set) var unread = 0..<0
    /// Where in the file the unread bytes start.
    package private(set) var offset: Int64 = 0
    private var isAtEnd = false

    package var name: String { source.name }
    package var byteCount: Int64 { source.byteCount }

    package init(_ source: any ByteSource, chunk: Int = 1 << 16) {
        self.source = source
        buffer = [UInt8](repeating: 0, count: max(chunk, 16))
    }

    /// Makes sure that `count` bytes are unread, or all that are left. Ranges of the buffer handed out before become
    /// invalid.
    package mutating func fill(_ count: Int) throws(Problem) {
        while unread.count < count, !isAtEnd {
            if unread.lowerBound > 0, unread.lowerBound + count > buffer.count { moveToFront() }
            if count > buffer.count {
                buffer += [UInt8](repeating: 0, count: max(count, 2 * buffer.count) - buffer.count)
            }
            let got = try source.read(into: &buffer, from: unread.upperBound)
            isAtEnd = got == 0
            unread = unread.lowerBound..<unread.upperBound + got
        }
    }

    /// The next `count` bytes, or all that are left. They stay unread.
    mutating func peek(_ count: Int) throws(Problem) -> [UInt8] {
        try fill(count)
        return Array(buffer[unread.prefix(count)])
    }

    /// Steps over the first `count` unread bytes, which stay readable as a range of the buffer.
    package mutating func consume(_ count: Int) {
        unread = unread.lowerBound + count..<unread.upperBound
        offset += Int64(count)
    }

    /// Skips `count` bytes, however many that is; false when there are fewer.
    mutating func skip(_ count: Int) throws(Problem) -> Bool {
        var left = count
        while left > 0 {
            try fill(min(left, 1 << 16))
            if unread.isEmpty { return false }
            let step = min(left, unread.count)
            consume(step)
            left -= step
        }
        return true
    }

    package func withBytes<R>(
        _ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) throws(Problem) -> R
    ) throws(Problem) -> R {
        try buffer.withUnsafeBufferPointer { (all) throws(Problem) -> R in
            try body(UnsafeBufferPointer(rebasing: all[range]))
        }
    }

    /// The distance from the first unread byte to the first line feed among those from `start` on.
    func distanceToLineFeed(from start: Int) -> Int? {
        buffer.withUnsafeBytes { all in
            let rest = UnsafeRawBufferPointer(rebasing: all[unread].dropFirst(start))
            guard let first = rest.baseAddress, let found = memchr(first, Int32(UInt8(ascii: "\n")), rest.count)
            else { return nil }
            return start + (UnsafeRawPointer(found) - first)
        }
    }

    func endsInCarriageReturn(_ range: Range<Int>) -> Bool {
        range.last.map { buffer[$0] == UInt8(ascii: "\r") } ?? false
    }

    private mutating func moveToFront() {
        buffer.withUnsafeMutableBytes { all in
            if let start = all.baseAddress { _ = memmove(start, start + unread.lowerBound, unread.count) }
        }
        unread = 0..<unread.count
    }
}
