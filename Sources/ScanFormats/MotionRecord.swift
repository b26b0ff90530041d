import ScanModel

/// One sample of all five motion sensors, as ``RecordedMotion`` describes it.
public struct MotionRecord: Hashable, Sendable {
    /// The order of the values.
    public static let kinds: [MotionKind] = RecordedMotion.kinds

    /// Nanoseconds.
    public var timestamp: Int64
    public var values: [Vector3] = []

    public init(timestamp: Int64) {
        self.timestamp = timestamp
        values.reserveCapacity(Self.kinds.count)
    }

    /// The block behind the frames of a `.sens` file: u64 number of samples, then each with its microseconds last.
    public static func sensBlock(_ records: [MotionRecord]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + RecordedMotion.recordByteCount * records.count)
        bytes.append(littleEndian: UInt64(records.count))
        for record in records {
            record.append(to: &bytes)
            bytes.append(littleEndian: DecimalSeconds.microseconds(max(0, record.timestamp)).magnitude)
        }
        return bytes
    }

    /// The recorder's `.imu` file: each sample with its seconds first.
    public static func imuFile(_ records: [MotionRecord]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(RecordedMotion.recordByteCount * records.count)
        for record in records {
            bytes.append(littleEndian: Double(record.timestamp) / 1e9)
            record.append(to: &bytes)
        }
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        for value in values { for component in value.components { bytes.append(littleEndian: component) } }
    }
}
