import ScanFormats
import ScanModel

extension FuzzTarget {
    /// A frame of Record3D's depth.
    static let lzfse = FuzzTarget("lzfse") { bytes in
        let limit = 1 << 16
        do throws(Problem) {
            let unpacked = try LZFSE.decode(bytes, limit: limit)
            expect(unpacked.count <= limit, "no more than there is room for")
            expect(try LZFSE.decode(bytes, limit: unpacked.count) == unpacked, "the same with just as much room")
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}
