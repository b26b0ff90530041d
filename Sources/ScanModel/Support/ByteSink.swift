/// Where formats write to, such as a file of the output folder.
///
/// Bytes come in order. A sink remembers the first failure and reports it from the call that met it.
public protocol ByteSink: AnyObject {
    /// - Throws: a problem with fault `environment` when the bytes cannot be stored (disk full, I/O error).
    func write(_ bytes: UnsafeRawBufferPointer) throws(Problem)
}

extension ByteSink {
    public func write(_ bytes: [UInt8]) throws(Problem) {
        let failure: Problem? = bytes.withUnsafeBytes { buffer in
            do throws(Problem) {
                try write(buffer)
                return nil
            } catch { return error }
        }
        if let failure { throw failure }
    }

    public func write(_ text: String) throws(Problem) {
        try write(Array(text.utf8))
    }
}
