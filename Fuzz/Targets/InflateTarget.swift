import KernelTwins
import ScanFormats
import ScanModel

extension FuzzTarget {
    /// Raw DEFLATE, or in its zlib wrapper, by ScanMill and by zlib.
    static let inflate = FuzzTarget("inflate") { bytes in
        let limit = 1 << 16
        do throws(Problem) {
            let result = try Inflate.bytes(bytes, limit: limit)
            expect(result.count <= limit, "nothing is larger than its limit")
            // No sound stream is shorter than two bytes.
            let isWrapped: Int32 = Inflate.isWrapped(bytes[0], bytes[1]) ? 1 : 0
            var isSound: Int32 = 0
            let byZlib = [UInt8](unsafeUninitializedCapacity: limit + 1) { output, count in
                count = twin_inflate(bytes, bytes.count, isWrapped, output.baseAddress, output.count, &isSound)
            }
            if isSound != 0 { expect(byZlib == result, "zlib gives the same bytes") }
        } catch {
            expect(error.fault == .input, "only the bytes are at fault")
        }
    }
}
