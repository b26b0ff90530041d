/// Where formats read from: a file, an archive's entry, or memory. Read from the start to the end, by one thread at a
/// time.
public protocol ByteSource: AnyObject, Sendable {
    /// For messages: the path relative to the capture.
    var name: String { get }
    /// The size in bytes, where it is known beforehand.
    var byteCount: Int64? { get }
    /// Fills the buffer from the front.
    /// - Returns: how many bytes were read; 0 only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int
}
