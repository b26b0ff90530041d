internal import CScanMill
import ScanModel

/// Apple's LZFSE: a stream of blocks that does not say how large it is when unpacked.
public enum LZFSE {
    /// Unpacks a whole stream.
    /// - Parameters:
    ///   - limit: the most bytes that it may unpack to; that much memory is allocated.
    ///   - subject: what messages call it.
    /// - Throws: a problem with fault `input` when it is damaged or ends early, or unpacks to more.
    public static func decode(
        _ stream: [UInt8], limit: Int, subject: String = "LZFSE stream"
    ) throws(Problem) -> [UInt8] {
        var reason: UnsafePointer<CChar>?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            count = max(0, sm_lzfse_decode(stream, stream.count, output.baseAddress, limit, &reason))
        }
        guard let reason else { return bytes }
        throw Problem(
            .input, "\(subject) damaged: \(String(cString: reason))", fix: "copy the file again from the device")
    }
}
