import Crypto
import ScanModel

/// A SHA-256.
public struct Digest: Hashable, Sendable {
    /// 64 lower-case hexadecimal digits.
    public let hex: String

    public init(hex: String) { self.hex = hex }

    public static func of(_ bytes: [UInt8]) -> Digest {
        var digester = Digester()
        bytes.withUnsafeBytes { digester.update($0) }
        return digester.finish()
    }

    /// Reads a source to its end.
    /// - Returns: the digest, and how many bytes there were.
    public static func of(_ source: any ByteSource) throws(Problem) -> (digest: Digest, byteCount: Int64) {
        let buffer = CopyBuffer.allocate()
        defer { buffer.deallocate() }
        return try of(source, through: buffer)
    }

    /// - Parameter buffer: what the bytes pass through. For many small files, a new one each would cost as much as the
    ///   digests.
    static func of(
        _ source: any ByteSource, through buffer: UnsafeMutableRawBufferPointer
    ) throws(Problem) -> (digest: Digest, byteCount: Int64) {
        let read = ofReadable(source, through: buffer)
        if let problem = read.problem { throw problem }
        return (read.digest, read.byteCount)
    }

    /// Of what can be read of a source, and what is wrong with the rest.
    static func ofReadable(
        _ source: any ByteSource, through buffer: UnsafeMutableRawBufferPointer
    ) -> (digest: Digest, byteCount: Int64, problem: Problem?) {
        var digester = Digester()
        var total: Int64 = 0
        do throws(Problem) {
            while true {
                let count = try source.read(into: buffer)
                if count == 0 { return (digester.finish(), total, nil) }
                digester.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                total += Int64(count)
            }
        } catch { return (digester.finish(), total, error) }
    }
}

/// Takes bytes as they come.
struct Digester {
    private var hash = SHA256()

    mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

    func finish() -> Digest {
        let digits = Array("0123456789abcdef".utf8)
        var hex: [UInt8] = []
        hex.reserveCapacity(64)
        for byte in hash.finalize() {
            hex.append(digits[Int(byte >> 4)])
            hex.append(digits[Int(byte & 15)])
        }
        return Digest(hex: String(decoding: hex, as: UTF8.self))
    }
}
