internal import CScanMill
import ScanModel

/// Bytes in zlib's wrapper (RFC 1950), as some formats store single frames; ``Inflate`` unpacks them.
public enum ZlibData {
    public static func compress(_ bytes: [UInt8]) throws(Problem) -> [UInt8] {
        let checksum = adler32(bytes)
        // A window of 32 KB, the usual level.
        var result: [UInt8] = [0x78, 0x9C]
        result += try DeflateBlock.compress(bytes, level: 6)
        result += DeflateBlock.end
        for shift in [24, 16, 8, 0] as [UInt32] { result.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
        return result
    }

    /// The checksum of RFC 1950.
    static func adler32(_ bytes: [UInt8]) -> UInt32 { sm_adler32(bytes, bytes.count) }
}
