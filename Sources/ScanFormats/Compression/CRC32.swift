internal import CScanMill

/// The checksum of ZIP archives (reflected polynomial 0xEDB88320).
enum CRC32 {
    static func of(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBufferPointer { sm_crc32($0.baseAddress, $0.count) }
    }
}
