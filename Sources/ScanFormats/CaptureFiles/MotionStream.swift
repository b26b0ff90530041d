import ScanModel

/// How a motion file is laid out on disk.
public enum MotionLayout: String, Hashable, Sendable {
    /// iOS: a PLY-like text header, then little-endian records.
    case header = "iOS"
    /// iOS after a crash: only the records, little-endian, because the header is prepended when a recording ends.
    case headerMissing = "iOS, header missing"
    /// Android: only the records, big-endian.
    case bigEndian = "Android"
}

/// What a motion file holds.
public struct MotionFacts: Hashable, Sendable {
    /// From the header, or as the caller said.
    public var kind: MotionKind?
    public var layout: MotionLayout
    /// The number of samples that the header announces.
    public var declaredCount: Int?
    /// The number of complete records.
    public var sampleCount = 0
    public var first: MotionSample?
    public var last: MotionSample?
    /// Samples with a value that is not finite.
    public var notFiniteCount = 0
    /// Samples that are not later than the one before them.
    public var backwardCount = 0
    /// Bytes of an incomplete last record.
    public var partialByteCount = 0
    /// Nanoseconds from one sample to the next, as frames' are told: samples of equal times count, and where most have the
    /// time of the one before, it is the mean. Nil where no time is later than the one before.
    public var medianStep: Double?
    /// The times from the first to the last sample that is less than ten seconds from a neighbour, so that a damaged one
    /// moves neither end. Where none is, those of the first and the last sample; nil without samples.
    public var span: ClosedRange<Int64>?

    /// Samples per second, by the median step.
    public var rate: Double? { medianStep.map { 1e9 / $0 } }

    /// What the user should know about the file: sentences without a full stop.
    public var warnings: [String] {
        var texts: [String] = []
        if sampleCount == 0 { texts.append("there are no samples in the file") }
        if let declaredCount, declaredCount != sampleCount {
            texts.append("the header announces \(declaredCount.counted("sample")), the file holds \(sampleCount)")
        }
        if partialByteCount > 0 { texts.append("the last record has only \(partialByteCount) of 32 bytes") }
        if notFiniteCount > 0 { texts.append("\(notFiniteCount.counted("sample", "is", "are")) not finite") }
        if backwardCount > 0 {
            let before = backwardCount == 1 ? "it" : "them"
            texts.append("\(backwardCount.counted("sample", "is", "are")) not later than the one before \(before)")
        }
        return texts
    }
}

/// Motion sensor files of MultiScan and the earlier ScannerApp: `<id>.rot .acce .mag .atti .grav`.
///
/// Records of 32 bytes: Int64 nanoseconds on the clock of the camera lines, three doubles. iOS puts a PLY-like header
/// before little-endian records, but only when a recording ends, so a crash leaves records without one; Android writes
/// big-endian records and no header. The number of records follows from the file's size, not from the header.
public enum MotionStream {
    static let recordByteCount = 32
    /// How many records are examined to determine the byte order.
    private static let sniffCount = 16
    /// Nanoseconds; no sensor takes longer from one sample to the next.
    private static let longestStep: Int64 = 10_000_000_000
    /// From so many steps the median is taken at most.
    private static let stepLimit = 1 << 20

    /// Reads a file from its start to its end, one chunk at a time.
    /// - Parameters:
    ///   - kind: what the file's name says it holds; a header that says otherwise is a problem.
    ///   - chunk: how many bytes are read at a time.
    ///   - body: gets every sample in order, including those that are not finite.
    /// - Throws: fault `input` when the header is damaged or the byte order cannot be determined.
    public static func read(
        _ source: any ByteSource, kind: MotionKind? = nil, chunk: Int = 1 << 16,
        each body: (MotionSample) throws(Problem) -> Void = { _ in }
    ) throws(Problem) -> MotionFacts {
        var lines = LineReader(source, limit: 4096, chunk: chunk)
        let start = try lines.rest.peek(4)
        var facts = MotionFacts(kind: kind, layout: .header)
        var isBigEndian = false
        if start == Array("ply\n".utf8) || start == Array("ply\r".utf8) {
            let header = try PLYHeader(&lines)
            try take(header, into: &facts, file: source.name)
            isBigEndian = header.format == .binaryBigEndian
        } else {
            isBigEndian = try sniff(&lines.rest)
            facts.layout = isBigEndian ? .bigEndian : .headerMissing
        }
        try readRecords(&lines.rest, isBigEndian: isBigEndian, into: &facts, each: body)
        return facts
    }

    /// All samples of a file at once: an hour at 60 Hz takes 7 MB.
    /// - Throws: also where there are more than `limit`; ten million are two days at 60 Hz.
    public static func samples(
        _ source: any ByteSource, kind: MotionKind? = nil, limit: Int = 10_000_000
    ) throws(Problem) -> (samples: ContiguousArray<MotionSample>, facts: MotionFacts) {
        var samples: ContiguousArray<MotionSample> = []
        let facts = try read(source, kind: kind) { (sample) throws(Problem) in
            guard samples.count < limit else {
                throw Problem(.input, "there are more than \(limit) motion samples").at(file: source.name)
            }
            samples.append(sample)
        }
        return (samples, facts)
    }

    private static func take(_ header: PLYHeader, into facts: inout MotionFacts, file: String) throws(Problem) {
        guard header.elements.count == 1, let element = header.elements.first,
            let kind = MotionKind(rawValue: element.name)
        else {
            let names = header.elements.map(\.name).joined(separator: ", ")
            throw Problem(.input, "expected the samples of one motion sensor, found “\(names)”").at(file: file)
        }
        let types = element.properties.map(\.type)
        guard header.format != .ascii, !element.hasLists, types.dropFirst() == [.float64, .float64, .float64],
            types.first == .int64 || types.first == .uint64
        else {
            throw Problem(.input, "expected binary samples of an int64 and three doubles").at(file: file)
        }
        if let expected = facts.kind, expected != kind {
            throw Problem(.input, "the file is called “.\(expected.rawValue)”, but its header says “\(kind.rawValue)”")
                .at(file: file)
        }
        facts.kind = kind
        facts.layout = header.format == .binaryBigEndian ? .bigEndian : .header
        facts.declaredCount = element.count
    }

    private static func readRecords(
        _ source: inout BufferedSource, isBigEndian: Bool, into facts: inout MotionFacts,
        each body: (MotionSample) throws(Problem) -> Void
    ) throws(Problem) {
        var steps: ContiguousArray<Int64> = []
        // The first and the last sample that are in step with a neighbour.
        var inStep: (first: Int64, last: Int64)?
        while true {
            try source.fill(recordByteCount)
            let whole = source.unread.count / recordByteCount
            if whole == 0 { break }
            let range = source.unread.prefix(whole * recordByteCount)
            try source.withBytes(range) { (bytes) throws(Problem) in
                for i in 0..<whole {
                    let sample = sample(UnsafeRawBufferPointer(bytes), i * recordByteCount, isBigEndian)
                    if let before = facts.last?.timestamp {
                        let (step, isTooFar) = sample.timestamp.subtractingReportingOverflow(before)
                        if sample.timestamp <= before { facts.backwardCount += 1 }
                        if !isTooFar, step >= 0, steps.count < stepLimit { steps.append(step) }
                        if !isTooFar, (1..<longestStep).contains(step) {
                            inStep = (inStep?.first ?? before, sample.timestamp)
                        }
                    }
                    if facts.first == nil { facts.first = sample }
                    facts.last = sample
                    facts.sampleCount += 1
                    if !sample.value.isFinite { facts.notFiniteCount += 1 }
                    try body(sample)
                }
            }
            source.consume(whole * recordByteCount)
        }
        facts.partialByteCount = source.unread.count
        facts.medianStep = steps.lazy.map(Double.init).usualStep(median: steps.middle.map(Double.init))
        if let first = inStep?.first ?? facts.first?.timestamp, let last = inStep?.last ?? facts.last?.timestamp {
            facts.span = min(first, last)...max(first, last)
        }
    }

    private static func sample(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ isBigEndian: Bool) -> MotionSample {
        func word(_ index: Int) -> UInt64 {
            let value = bytes.loadUnaligned(fromByteOffset: offset + 8 * index, as: UInt64.self)
            return isBigEndian ? UInt64(bigEndian: value) : UInt64(littleEndian: value)
        }
        return MotionSample(
            timestamp: Int64(bitPattern: word(0)),
            value: Vector3(Double(bitPattern: word(1)), Double(bitPattern: word(2)), Double(bitPattern: word(3))))
    }

    // MARK: Telling the byte order

    /// Whether records without a header are big-endian: in the right order timestamps are below a century and advance
    /// in steps of less than ten seconds; in the wrong one they jump all over the range.
    private static func sniff(_ source: inout BufferedSource) throws(Problem) -> Bool {
        try source.fill(sniffCount * recordByteCount)
        let count = min(sniffCount, source.unread.count / recordByteCount)
        // Nothing was recorded: any order will do.
        if count == 0 { return false }
        let plausible = try source.withBytes(source.unread) { (bytes) throws(Problem) in
            [false, true].map { isBigEndian in
                let times = (0..<count).map { i in
                    sample(UnsafeRawBufferPointer(bytes), i * recordByteCount, isBigEndian).timestamp
                }
                let century: Int64 = 3_155_760_000_000_000_000
                return times.allSatisfy { (0...century).contains($0) }
                    && zip(times, times.dropFirst()).allSatisfy { (0...longestStep).contains($1 - $0) }
            }
        }
        guard plausible[0] != plausible[1] else {
            throw Problem(
                .input, "the byte order of the motion samples cannot be told from their timestamps",
                notes: ["the file has no header; expected 32-byte records that start with nanoseconds in rising order"]
            ).at(file: source.name)
        }
        return plausible[1]
    }

    // MARK: Writing

    /// The header that the iOS app puts before the records.
    public static func header(_ kind: MotionKind, count: Int) -> [UInt8] {
        let names = kind == .attitude ? ["roll", "pitch", "yaw"] : ["x", "y", "z"]
        // The app's comment line is empty.
        let lines =
            ["ply", "format binary_little_endian 1.0", "element \(kind.rawValue) \(count)", "comment"]
            + ["property int64 timestamp"] + names.map { "property double \($0)" } + ["end_header"]
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// A record: the timestamp, and three doubles.
    static func append(_ sample: MotionSample, to bytes: inout [UInt8]) {
        bytes.append(littleEndian: sample.timestamp)
        for component in sample.value.components { bytes.append(littleEndian: component) }
    }
}
