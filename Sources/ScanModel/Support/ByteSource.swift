/// Where formats read from: a file, an archive's entry, or memory. Read from the start to the end, by one thread at a
/// time.
public protocol ByteSource: AnyObject, Sendable {
    /// For messages: the path relative to the capture.
    var name: String { get }
    /// The size in bytes.
    var byteCount: Int64 { get }
    /// Fills the buffer from the front.
    /// - Returns: how many bytes were read; 0 only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int
}

extension ByteSource {
    /// Everything up to the end.
    /// - Throws: fault `input` when that is more than `limit` bytes, before they are read; whatever reading throws.
    public func readAll(limit: Int) throws(Problem) -> [UInt8] {
        if byteCount > Int64(limit) {
            throw Problem(.input, "the file is larger than the limit of \(limit) bytes").at(file: name)
        }
        // One more than is expected: some sources notice only at their end that they are damaged or too long.
        return try [UInt8](room: Int(byteCount) + 1) { (buffer) throws(Problem) in
            var filled = 0
            while filled < buffer.count {
                let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                if count == 0 { break }
                filled += count
            }
            return filled
        }
    }

    /// Fills the array from the front, as ``read(into:)`` does.
    package func read(into array: inout [UInt8], from start: Int = 0) throws(Problem) -> Int {
        var failure: Problem?
        let count = array.withUnsafeMutableBytes { buffer in
            do throws(Problem) {
                return try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return count
    }
}

extension [UInt8] {
    /// The bytes that `fill` puts at the front of a buffer for `count` or more; it returns how many.
    ///
    /// Large buffers are sized in steps of 64 KiB, so that the memory that one picture frees fits the next, which is of
    /// nearly the same size. With exact sizes, a thousand pictures left two hundred megabytes of gaps.
    package init(
        room count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Problem) -> Int
    ) throws(Problem) {
        var failure: Problem?
        self.init(unsafeUninitializedCapacity: count < 1 << 14 ? count : (count | 0xffff) + 1) { buffer, filled in
            do throws(Problem) { filled = try fill(UnsafeMutableRawBufferPointer(buffer)) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
