import ScanModel

/// Writes a ZIP archive as its files come, each stored uncompressed: pictures do not get smaller.
///
/// libzip keeps all entries until the archive is closed, so a long capture would not fit into memory. Format: PKWARE's
/// APPNOTE.TXT, 4.3; archives beyond 4 GB or 65,535 files get ZIP64 records. Times are all 1980-01-01, so that equal
/// files make equal archives.
public struct ZipWriter {
    private struct Entry {
        var name: [UInt8]
        var crc: UInt32
        var byteCount: UInt32
        var offset: UInt64
    }

    private let sink: any ByteSink
    private var entries: [Entry] = []
    private var names: Set<String> = []
    private var position: UInt64 = 0

    public init(_ sink: any ByteSink) { self.sink = sink }

    /// Adds a file.
    /// - Throws: `tool` for a name that is there already or a file of 4 GB.
    public mutating func add(_ name: String, _ bytes: [UInt8]) throws(Problem) {
        guard let byteCount = UInt32(exactly: bytes.count), byteCount < .max, names.insert(name).inserted else {
            throw Problem(.tool, "\(name) cannot be put into the archive")
        }
        let entry = Entry(name: Array(name.utf8), crc: CRC32.of(bytes), byteCount: byteCount, offset: position)
        var header: [UInt8] = []
        header.append(littleEndian: UInt32(0x0403_4B50))
        append(entry, to: &header)
        header += entry.name
        try write(header)
        try write(bytes)
        entries.append(entry)
    }

    /// The fields that the local header and the directory have in common.
    private func append(_ entry: Entry, to record: inout [UInt8], extra: Int = 0) {
        // The version that can read it; names are UTF-8; stored; the time and the date.
        let version: UInt16 = entry.offset >= 0xFFFF_FFFF ? 45 : 20
        for field: UInt16 in [version, 1 << 11, 0, 0, 1 << 5 | 1] { record.append(littleEndian: field) }
        record.append(littleEndian: entry.crc)
        record.append(littleEndian: entry.byteCount)
        record.append(littleEndian: entry.byteCount)
        record.append(littleEndian: UInt16(entry.name.count))
        record.append(littleEndian: UInt16(extra))
    }

    /// Writes the directory. Nothing can be added afterwards.
    public mutating func close() throws(Problem) {
        let start = position
        for entry in entries {
            let isFar = entry.offset >= 0xFFFF_FFFF
            var record: [UInt8] = []
            record.append(littleEndian: UInt32(0x0201_4B50))
            // Made on Unix, so that the mode is understood.
            record.append(littleEndian: UInt16(3 << 8 | 45))
            append(entry, to: &record, extra: isFar ? 12 : 0)
            // No comment, the first part, no attributes but the mode.
            for _ in 0..<3 { record.append(littleEndian: UInt16(0)) }
            record.append(littleEndian: UInt32(0o100644) << 16)
            record.append(littleEndian: isFar ? 0xFFFF_FFFF : UInt32(entry.offset))
            record += entry.name
            if isFar {
                // ZIP64's own field.
                record.append(littleEndian: UInt16(1))
                record.append(littleEndian: UInt16(8))
                record.append(littleEndian: entry.offset)
            }
            try write(record)
        }
        try write(end(directory: start, byteCount: position - start))
    }

    private func end(directory start: UInt64, byteCount: UInt64) -> [UInt8] {
        var record: [UInt8] = []
        let count = UInt64(entries.count)
        if count >= 0xFFFF || start >= 0xFFFF_FFFF || byteCount >= 0xFFFF_FFFF {
            // ZIP64's end record, and the one that tells where it is.
            record.append(littleEndian: UInt32(0x0606_4B50))
            record.append(littleEndian: UInt64(44))
            record.append(littleEndian: UInt16(3 << 8 | 45))
            record.append(littleEndian: UInt16(45))
            record.append(littleEndian: UInt32(0))
            record.append(littleEndian: UInt32(0))
            for value in [count, count, byteCount, start] { record.append(littleEndian: value) }
            record.append(littleEndian: UInt32(0x0706_4B50))
            record.append(littleEndian: UInt32(0))
            record.append(littleEndian: start + byteCount)
            record.append(littleEndian: UInt32(1))
        }
        record.append(littleEndian: UInt32(0x0605_4B50))
        record.append(littleEndian: UInt32(0))
        record.append(littleEndian: UInt16(clamping: count))
        record.append(littleEndian: UInt16(clamping: count))
        record.append(littleEndian: UInt32(clamping: byteCount))
        record.append(littleEndian: UInt32(clamping: start))
        record.append(littleEndian: UInt16(0))
        return record
    }

    private mutating func write(_ bytes: [UInt8]) throws(Problem) {
        try sink.write(bytes)
        position += UInt64(bytes.count)
    }
}
