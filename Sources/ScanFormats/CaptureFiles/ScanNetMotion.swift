import ScanModel

/// Motion samples of all five sensors in one record of 128 bytes, as ScanNet keeps them. They are read as the five files
/// that ScanMill knows: each sensor's file has the iOS app's layout.
///
/// A record has fifteen little-endian f64: rotation rate (rad/s), acceleration without gravity (G), magnetic field
/// (µT), attitude (roll, pitch, yaw; rad), gravity (G); and a time: in `.sens` files after them as u64 microseconds, in
/// the recorder's `.imu` files before them as f64 seconds.
public struct ScanNetMotion: Sendable {
    enum Time: Hashable, Sendable { case secondsFirst, microsecondsLast }

    static let recordByteCount = 128

    private let file: FileSource
    private let offset: Int64
    private let count: Int
    private let time: Time
    /// Samples whose time cannot be read: they are left out.
    private var lostCount = 0
    /// The files as which the samples are read; none without samples.
    private(set) var files: [MotionFile] = []
    /// How many records are looked at at once.
    private static let recordsAtOnce = 4096

    /// The order in which a record holds the sensors.
    public static let kinds: [MotionKind] = [.rotationRate, .acceleration, .magneticField, .attitude, .gravity]

    /// - Parameters:
    ///   - offset: where in `file` the records begin.
    ///   - stem: what ``files`` are called, without their extensions.
    init(_ file: FileSource, offset: Int64, count: Int, time: Time, stem: String) {
        self.file = file
        self.offset = offset
        self.count = count
        self.time = time
        // A file that cannot be read says so when its samples are wanted.
        for start in stride(from: 0, to: count, by: Self.recordsAtOnce) {
            let range = start..<min(start + Self.recordsAtOnce, count)
            guard let bytes = try? records(range) else { break }
            lostCount += stride(from: 0, to: bytes.count, by: Self.recordByteCount)
                .count { timestamp(bytes, at: $0) == nil }
        }
        if lostCount < count {
            files = Self.kinds.map { MotionFile(kind: $0, path: "\(stem).\($0.rawValue)", source: file.name) }
        }
    }

    /// Why there are no ``files``.
    /// - Parameter bare: what to say where there are no records either.
    func absence(_ bare: String) -> String {
        count == 0 ? bare : "no motion sample of \(file.name) has a time that can be read"
    }

    /// What to say of the samples that are left out; nil where none is.
    var loss: String? {
        if lostCount == 0 || files.isEmpty { return nil }
        let (have, are) = lostCount == 1 ? ("has", "is") : ("have", "are")
        let samples = count.counted("motion sample")
        return "\(lostCount) of \(samples) of \(file.name) \(have) no time that can be read, and \(are) left out"
    }

    /// Opens one of ``files``; nil for any other path.
    func open(_ path: String) -> (any ByteSource)? {
        guard let kind = files.first(where: { $0.path == path })?.kind else { return nil }
        return MotionFileSource(kind, count: count, leavingOut: lostCount, name: path) { (range) throws(Problem) in
            try samples(kind, range)
        }
    }

    private func records(_ range: Range<Int>) throws(Problem) -> [UInt8] {
        try file.bytes(
            at: offset + Int64(range.lowerBound * Self.recordByteCount), count: range.count * Self.recordByteCount)
    }

    private func samples(_ kind: MotionKind, _ range: Range<Int>) throws(Problem) -> [MotionSample] {
        let bytes = try records(range)
        let place = Self.kinds.firstIndex(of: kind) ?? 0
        return stride(from: 0, to: bytes.count, by: Self.recordByteCount).compactMap { start in
            guard let timestamp = timestamp(bytes, at: start) else { return nil }
            let values = start + (time == .secondsFirst ? 8 : 0)
            var cursor = LittleEndianCursor(bytes, at: values + 24 * place)
            let value = Vector3(cursor.double(), cursor.double(), cursor.double())
            return MotionSample(timestamp: timestamp, value: value)
        }
    }

    /// Nanoseconds; nil where the record's time cannot be read.
    private func timestamp(_ bytes: [UInt8], at start: Int) -> Int64? {
        switch time {
        case .secondsFirst:
            var cursor = LittleEndianCursor(bytes, at: start)
            return RecordedTime.nanoseconds(seconds: cursor.double())
        case .microsecondsLast:
            var cursor = LittleEndianCursor(bytes, at: start + Self.recordByteCount - 8)
            return RecordedTime.nanoseconds(microseconds: cursor.integer())
        }
    }
}

extension ScanNetMotion {
    /// One sample of all five sensors, to be written.
    public struct Record: Hashable, Sendable {
        /// Nanoseconds.
        public var timestamp: Int64
        /// One for each of ``ScanNetMotion/kinds``, in their order and units.
        public var values: [Vector3] = []

        public init(timestamp: Int64) {
            self.timestamp = timestamp
            values.reserveCapacity(ScanNetMotion.kinds.count)
        }

        fileprivate func append(to bytes: inout [UInt8]) {
            for value in values { for component in value.components { bytes.append(littleEndian: component) } }
        }
    }

    /// The block after the frames of a `.sens` file: u64 number of samples, then each with its microseconds last.
    public static func sensBlock(_ records: [Record]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + recordByteCount * records.count)
        bytes.append(littleEndian: UInt64(records.count))
        for record in records {
            record.append(to: &bytes)
            bytes.append(littleEndian: DecimalSeconds.microseconds(max(0, record.timestamp)).magnitude)
        }
        return bytes
    }

    /// The recorder's `.imu` file: each sample with its seconds first.
    public static func imuFile(_ records: [Record]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(recordByteCount * records.count)
        for record in records {
            bytes.append(littleEndian: Double(record.timestamp) / 1e9)
            record.append(to: &bytes)
        }
        return bytes
    }
}

extension Capture {
    /// Gives the capture motion files that are generated from these records when they are read.
    mutating func attach(_ motion: ScanNetMotion, absence: String) {
        motionFiles = motion.files
        if motionFiles.isEmpty {
            absences[.motion] = Absence(motion.absence(absence))
        } else {
            channels.insert(.motion)
        }
        if let loss = motion.loss { warnings.append(loss) }
    }
}
