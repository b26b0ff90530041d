internal import CNettle
import ScanModel

/// A SHA-256.
public struct Digest: Hashable, Sendable {
    /// 64 lower-case hexadecimal digits.
    public let hex: String

    /// - Returns: nil for any other text, as a damaged file may have it.
    public init?(hex: String) {
        guard hex.utf8.count == 64, hex.utf8.allSatisfy(Self.isDigit) else { return nil }
        self.hex = hex
    }

    fileprivate init(digits: [UInt8]) { hex = String(decoding: digits, as: UTF8.self) }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    public static func of(_ bytes: [UInt8]) -> Digest {
        var digester = Digester()
        bytes.withUnsafeBytes { digester.update($0) }
        return digester.finish()
    }

    package static func of(_ text: String) -> Digest { of(Array(text.utf8)) }

    /// Of a value's text on one line.
    package static func of(_ json: JSONValue) -> Digest { of(JSONWriter.text(json, pretty: false)) }

    /// Of what can be read of a source, with how many bytes that is, and what is wrong with the rest.
    /// - Parameter buffer: what the bytes pass through. For many small files, a new one each would cost as much as the
    ///   digests.
    package static func of(
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
    private var state = sha256_ctx()

    init() { nettle_sha256_init(&state) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        nettle_sha256_update(&state, bytes.count, start.assumingMemoryBound(to: UInt8.self))
    }

    func finish() -> Digest {
        var state = state
        var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        sm_sha256_digest(&state, &hash)
        let digits = Array("0123456789abcdef".utf8)
        var hex: [UInt8] = []
        hex.reserveCapacity(64)
        for byte in hash {
            hex.append(digits[Int(byte >> 4)])
            hex.append(digits[Int(byte & 15)])
        }
        return Digest(digits: hex)
    }
}
