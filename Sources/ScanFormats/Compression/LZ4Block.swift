internal import CScanMill
import ScanModel

/// An LZ4 block, without the frame format around it: it gives neither its own size nor that of its content.
enum LZ4Block {
    /// - Parameter limit: the most bytes that the block may unpack to.
    /// - Returns: nil when the bytes are not a whole block, or unpack to more.
    static func decode(_ block: [UInt8], limit: Int) -> [UInt8]? {
        var size = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            size = sm_lz4_decode(block, block.count, output.baseAddress, limit)
            count = max(0, size)
        }
        return size >= 0 ? bytes : nil
    }

    static func encode(_ bytes: [UInt8]) throws(Problem) -> [UInt8] {
        let capacity = sm_lz4_bound(bytes.count)
        let block = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            count = sm_lz4_encode(bytes, bytes.count, output.baseAddress, capacity)
        }
        if block.isEmpty { throw Problem(.tool, "\(bytes.count) bytes do not fit into an LZ4 block") }
        return block
    }
}
