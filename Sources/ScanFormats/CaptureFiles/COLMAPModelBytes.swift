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
