import ScanModel

/// Little-endian numbers from a source, with never more than a buffer in memory.
struct COLMAPBytes {
    private var source: BufferedSource

    init(_ source: any ByteSource) { self.source = BufferedSource(source) }

    func problem(_ what: String) -> Problem {
        Problem(.input, what).at(file: source.name, byte: source.offset, of: source.byteCount)
    }

    private mutating func need(_ count: Int) throws(Problem) {
        try source.fill(count)
        if source.unread.count < count { throw problem("the file ends inside the model") }
    }

    mutating func integer<Value: FixedWidthInteger>() throws(Problem) -> Value {
        let size = MemoryLayout<Value>.size
        try need(size)
        let value = try source.withBytes(source.unread.prefix(size)) { (bytes) throws(Problem) -> Value in
            Value(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: Value.self))
        }
        source.consume(size)
        return value
    }

    /// - Throws: when the file goes on: whatever the count at its start says, something would be left out.
    mutating func requireEnd(behind count: UInt64, _ noun: String) throws(Problem) {
        try source.fill(1)
        if source.unread.isEmpty { return }
        var problem = problem("the file goes on after its \(count.counted(noun))")
        problem.notes = ["the number at its start is wrong, or two files were joined"]
        problem.fix = "copy the model again, or write it again with COLMAP"
        throw problem
    }

    mutating func double() throws(Problem) -> Double { Double(bitPattern: try integer()) }

    /// Text up to a zero byte.
    mutating func text(limit: Int) throws(Problem) -> String {
        var bytes: [UInt8] = []
        while true {
            let byte: UInt8 = try integer()
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
            if bytes.count > limit { throw problem("a name is longer than \(limit) bytes") }
        }
    }

    mutating func skip(_ count: UInt64, of size: UInt64) throws(Problem) {
        let (total, isTooMany) = count.multipliedReportingOverflow(by: size)
        guard !isTooMany, let total = Int(exactly: total), try source.skip(total) else {
            throw problem("the file ends inside the model")
        }
    }
}
