import ScanModel
import Synchronization

/// A motion file in the iOS app's layout that exists on no disk: its records are generated in batches as they are read.
package final class MotionFileSource: ByteSource {
    package let name: String
    package let byteCount: Int64
    private let count: Int
    private let samples: @Sendable (Range<Int>) throws(Problem) -> [MotionSample]
    /// Bytes generated but not read yet (at first the header), and the next sample.
    private let state: Mutex<(unread: ArraySlice<UInt8>, next: Int)>

    private static let samplesAtOnce = 512

    /// - Parameters:
    ///   - count: of all samples, those that are left out among them.
    ///   - lostCount: how many are left out.
    ///   - samples: gives those of a range within 0..<`count`, without those that are left out.
    package init(
        _ kind: MotionKind, count: Int, leavingOut lostCount: Int = 0, name: String,
        samples: @escaping @Sendable (Range<Int>) throws(Problem) -> [MotionSample]
    ) {
        let header = MotionStream.header(kind, count: count - lostCount)
        self.name = name
        self.count = count
        self.samples = samples
        byteCount = Int64(header.count + MotionStream.recordByteCount * (count - lostCount))
        state = Mutex((header[...], 0))
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        try state.withLock { (state) throws(Problem) in
            while state.unread.isEmpty, state.next < count {
                let range = state.next..<min(state.next + Self.samplesAtOnce, count)
                var bytes: [UInt8] = []
                for sample in try samples(range) { MotionStream.append(sample, to: &bytes) }
                state.unread = bytes[...]
                state.next = range.upperBound
            }
            let count = min(buffer.count, state.unread.count)
            buffer.copyBytes(from: state.unread.prefix(count))
            state.unread = state.unread.dropFirst(count)
            return count
        }
    }
}
