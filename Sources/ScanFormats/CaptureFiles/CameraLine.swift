import ScanModel

/// What one line of a MultiScan `<id>.jsonl` says about its frame.
///
/// `timestamp` is nanoseconds on the recorder's clock, never negative, so that differences cannot overflow. A whole
/// number may also be written as a float (2.8e14), or as a string of digits, as JavaScript writes what its own numbers
/// cannot hold. A fraction is a problem: it would be seconds or milliseconds. `exposure_duration` and `source_frame`,
/// on which no result depends, are nil where they are anything but a whole number. `quaternion` is never used: the app
/// builds it with another order of angles, and it is off by tens of degrees. Other keys are skipped. Where a key occurs
/// twice, nothing tells which value holds, so that is a problem.
public struct CameraLine: Hashable, Sendable {
    public var timestamp: Int64
    /// For the colour picture, pixels.
    public var fx: Double
    public var fy: Double
    public var cx: Double
    public var cy: Double
    /// worldFromCamera, OpenGL axes.
    public var pose: Pose
    /// Nanoseconds.
    public var exposure: Int64?
    /// The frame's number in the capture that this one was made from.
    public var sourceFrame: Int?
    /// Why no frame can have this camera, or nil: not finite, singular, mirrored, or laid out in another way.
    public var defect: String?
    /// Where the line is in its file, without its line ending.
    public var span: ByteSpan

    /// Twice as much still fits into 64 bits; a century has 3.2e18 ns.
    static let timestamps: ClosedRange<Int64> = 0...RecordedTime.limit

    /// The camera for pictures of `width` × `height`, as ARKit gives it. ARCore's documents do not say from where it
    /// counts the principal point, and it is taken for the same.
    public func intrinsics(width: Int, height: Int) -> CameraIntrinsics {
        CameraIntrinsics(fx: fx, fy: fy, cx: cx, cy: cy, width: width, height: height, pixelOrigin: .arKit)
    }

    /// Reads one line.
    /// - Parameters:
    ///   - bytes: the line without its line ending.
    ///   - line: the line's number in `file`, from 1.
    ///   - byte: where it starts in the file.
    /// - Throws: fault `input` with line, column and byte, when it is not JSON, or `timestamp`, `intrinsics` (9 numbers)
    ///   or `transform` (16 numbers) is missing or something else.
    public init(_ bytes: UnsafeBufferPointer<UInt8>, file: String, line: Int = 1, byte: Int64 = 0) throws(Problem) {
        var scanner = JSONScanner(bytes, file: file, line: line, byte: byte)
        var timestamp: Int64?
        var matrix: [Double]?
        var transform: [Double]?
        var exposure: Int64?
        var sourceFrame: Int64?
        var seen: Set<String> = []

        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            let start = scanner.position
            switch key {
            case "timestamp": timestamp = try scanner.timestamp()
            case "intrinsics": matrix = try scanner.numbers(9, of: key)
            case "transform": transform = try scanner.numbers(16, of: key)
            case "exposure_duration": exposure = try scanner.wholeNumber()
            case "source_frame": sourceFrame = try scanner.wholeNumber()
            default:
                try scanner.skip()
                continue
            }
            if !seen.insert(key).inserted {
                throw scanner.problem("“\(key)” is there twice in one camera line", at: start)
            }
        }
        let end = scanner.position - 1
        try scanner.end()
        guard let timestamp else { throw scanner.problem("the camera line has no “timestamp”", at: end) }
        guard let matrix else { throw scanner.problem("the camera line has no “intrinsics”", at: end) }
        guard let transform else { throw scanner.problem("the camera line has no “transform”", at: end) }

        self.timestamp = timestamp
        (fx, fy, cx, cy) = (matrix[0], matrix[4], matrix[6], matrix[7])
        pose = Pose(columnMajor: transform)
        self.exposure = exposure
        self.sourceFrame = sourceFrame.flatMap { Int(exactly: $0) }
        span = ByteSpan(offset: byte, count: bytes.count)
        defect =
            CameraIntrinsics.layoutDefect(columnMajor: matrix) ?? Pose.layoutDefect(columnMajor: transform)
            ?? intrinsics(width: 1, height: 1).defect ?? pose.defect
    }
}

extension JSONScanner {
    fileprivate mutating func timestamp() throws(Problem) -> Int64 {
        let wanted = "a timestamp is a whole number of nanoseconds"
        let kind = try kind()
        let start = position
        let value: Int64?
        switch kind {
        case .number: value = try number().integer
        case .string: value = Int64(try string())
        default: throw problem("\(wanted), not \(kind.rawValue)")
        }
        guard let value, CameraLine.timestamps.contains(value) else {
            throw problem("\(wanted), not \(text(start..<position).prefix(40))", at: start)
        }
        return value
    }

    /// Exactly `count` numbers.
    fileprivate mutating func numbers(_ count: Int, of key: String) throws(Problem) -> [Double] {
        _ = try kind()
        let start = position
        var values: [Double] = []
        values.reserveCapacity(count)
        var found = 0
        try beginArray()
        while try nextElement() {
            let value = try number().double
            if found < count { values.append(value) }
            found += 1
        }
        if found != count { throw problem("“\(key)” has \(found.counted("number")), not \(count)", at: start) }
        return values
    }

    /// The next value if it is a whole number from 0; nil for anything else.
    fileprivate mutating func wholeNumber() throws(Problem) -> Int64? {
        guard try kind() == .number else {
            try skip()
            return nil
        }
        return try number().integer.flatMap { $0 < 0 ? nil : $0 }
    }
}
