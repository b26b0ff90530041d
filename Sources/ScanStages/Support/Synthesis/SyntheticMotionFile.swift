import ScanFormats
import ScanModel
import Synchronization

/// A motion file in iOS's layout that is on no disk: its records are made as they are read.
final class SyntheticMotionFile: ByteSource {
    private static let recordSize = 32

    let name: String
    let byteCount: Int64?
    private let motion: SyntheticMotion
    private let kind: MotionKind
    /// Records that are made already and not read yet: the header at first.
    private let unread: Mutex<(bytes: ArraySlice<UInt8>, next: Int)>

    init(_ motion: SyntheticMotion, _ kind: MotionKind, name: String) {
        self.name = name
        self.motion = motion
        self.kind = kind
        let header = MotionStream.header(kind, count: motion.count)
        byteCount = Int64(header.count + Self.recordSize * motion.count)
        unread = Mutex((header[...], 0))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        unread.withLock { unread in
            if unread.bytes.isEmpty {
                let end = min(unread.next + 1024, motion.count)
                unread.bytes = (unread.next..<end).flatMap { Self.record(motion.sample(kind, $0)) }[...]
                unread.next = end
            }
            let count = min(buffer.count, unread.bytes.count)
            buffer.copyBytes(from: unread.bytes.prefix(count))
            unread.bytes = unread.bytes.dropFirst(count)
            return count
        }
    }

    /// Little-endian: the timestamp, and three doubles.
    private static func record(_ sample: MotionSample) -> [UInt8] {
        let words = [UInt64(bitPattern: sample.timestamp)] + sample.value.components.map(\.bitPattern)
        return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }
}
