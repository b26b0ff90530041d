import ScanModel

/// Where files stored in a ZIP archive begin, which libzip does not tell. ffmpeg needs it to read a video in place.
///
/// Format: PKWARE's APPNOTE.TXT, 4.3.7 (local header), 4.3.12 (directory), 4.3.14 (ZIP64's end record), 4.3.15 (its
/// locator), 4.3.16 (end record). Archives that need ZIP64 for it have no offsets.
enum ZipOffsets {
    /// The offsets of the entries' local headers, in the order of the directory.
    static func read(_ path: String) throws(Problem) -> [Int64] {
        let file = try FileSource(path: path, name: path)
        let tail = try tail(of: file)
        guard let end = endRecord(in: tail) else { return [] }
        let (count, byteCount, start) = (tail.uint16(end + 10), tail.uint32(end + 12), tail.uint32(end + 16))
        if start == UInt32.max || count == UInt16.max { return [] }
        var offsets: [Int64] = []
        // One by one: the directory's size may be forged.
        var position = Int64(start)
        while offsets.count < count, position + 46 <= Int64(start + byteCount) {
            let entry = try file.bytes(at: position, count: 46)
            offsets.append(Int64(entry.uint32(42)))
            // Name, extra field and comment follow the fixed part.
            position += 46 + [28, 30, 32].reduce(0) { $0 + Int64(entry.uint16($1)) }
        }
        return offsets
    }

    /// How many entries libzip would find, without building its table of them.
    /// - Parameter most: the number from which on it matters. Without ZIP64 some programs count beyond 65,535 from 0 again,
    ///   as libzip knows: a directory that is large enough for more is gone through.
    /// - Returns: nil where the archive's end is missing or cannot be true, which libzip says.
    static func entryCount(of path: String, most: Int) throws(Problem) -> Int? {
        let file = try FileSource(path: path, name: path)
        let tail = try tail(of: file)
        guard let end = endRecord(in: tail) else { return nil }
        if end >= 20, tail[(end - 20)...].starts(with: [0x50, 0x4B, 6, 7]) {
            let record = try file.bytes(at: Int64(clamping: tail.uint64(end - 12)), count: 56)
            let count = Int64(clamping: record.uint64(32))
            return record.starts(with: [0x50, 0x4B, 6, 6]) && count <= file.byteCount / 46 ? Int(count) : nil
        }
        let (count, byteCount, start) = (tail.uint16(end + 10), tail.uint32(end + 12), tail.uint32(end + 16))
        guard count <= most, byteCount / 46 > most, Int64(start + byteCount) <= file.byteCount else { return count }
        let range = Int64(start)..<Int64(start + byteCount)
        var directory = BufferedSource(try FileSource(path: path, name: path, range: range))
        var found = 0
        while case let entry = try directory.peek(46), entry.count == 46, entry.starts(with: [0x50, 0x4B, 1, 2]) {
            found += 1
            guard try directory.skip([28, 30, 32].reduce(46) { $0 + entry.uint16($1) }) else { break }
        }
        return found
    }

    /// The end of a file, as far back as an archive's end record can begin.
    fileprivate static func tail(of file: FileSource) throws(Problem) -> [UInt8] {
        let size = file.byteCount
        let count = min(size, 22 + 65_535)
        return try file.bytes(at: size - count, count: Int(count))
    }

    /// Where the end record begins.
    fileprivate static func endRecord(in tail: [UInt8]) -> Int? {
        // The record ends with a comment of a given length, which may look like a record itself.
        tail.indices.dropLast(21).reversed().first {
            tail[$0...].starts(with: [0x50, 0x4B, 5, 6]) && $0 + 22 + tail.uint16($0 + 20) == tail.count
        }
    }

    /// Where the last thing begins that looks like an end record, whatever stands behind it.
    fileprivate static func likelyEndRecord(in tail: [UInt8]) -> Int? {
        tail.indices.dropLast(21).last { tail[$0...].starts(with: [0x50, 0x4B, 5, 6]) }
    }

    /// The first byte of a file's data, when its local header is where it should be and has its name.
    static func start(of name: String, header: Int64, in path: String) -> Int64? {
        guard let file = try? FileSource(path: path, name: path), let bytes = try? file.bytes(at: header, count: 30),
            Array(bytes[..<4]) == [0x50, 0x4B, 3, 4], bytes.uint16(26) == name.utf8.count,
            let stored = try? file.bytes(at: header + 30, count: name.utf8.count), stored == Array(name.utf8)
        else { return nil }
        return header + 30 + Int64(bytes.uint16(26) + bytes.uint16(28))
    }
}

/// What an archive that libzip cannot open lacks, for which libzip has no words of its own.
enum ZipDamage {
    /// - Returns: nil where the file is no part of an archive, or what is wrong with it is something else.
    static func problem(with path: String) -> Problem? {
        guard let file = try? FileSource(path: path, name: path), let tail = try? ZipOffsets.tail(of: file) else {
            return nil
        }
        let end = ZipOffsets.endRecord(in: tail)
        if let split = split(path, disk: end.map { tail.uint16($0 + 4) }) { return split }
        let size = file.byteCount
        let fix = "the copy is incomplete: copy the archive again"
        /// How many bytes are missing before an end record; nil with ZIP64, whose numbers stand elsewhere.
        func lack(before end: Int) -> Int64? {
            let (byteCount, start) = (tail.uint32(end + 12), tail.uint32(end + 16))
            if start == UInt32.max { return nil }
            return Int64(start) + Int64(byteCount) - (size - Int64(tail.count) + Int64(end))
        }
        var notes = ["they are missing somewhere before its directory"]
        var lacking = end.flatMap(lack)
        // Behind its end something else may stand, such as the rest of a block.
        if end == nil, let likely = ZipOffsets.likelyEndRecord(in: tail), let lack = lack(before: likely), lack > 0 {
            lacking = lack
            let end = likely + 22 + tail.uint16(likely + 20)
            let stray = tail.count - end
            if stray > 0 {
                notes.append(
                    stray.counted("byte", "that is not its own follows", "that are not its own follow") + " its end")
            }
        } else if end == nil {
            guard ZipArchive.isArchive(path) else { return nil }
            return Problem(
                .input, "the archive is cut off",
                notes: ["its directory, which stands at its end and tells where its files are, is missing"], fix: fix
            ).at(byte: size, of: size)
        }
        guard let lacking, lacking > 0 else { return nil }
        return Problem(.input, "the archive lacks \(lacking.counted("byte"))", notes: notes, fix: fix)
    }

    /// What to do with a part of an archive that was cut into several.
    /// - Parameter disk: the number of this part, from 0 on, as the end record has it (APPNOTE.TXT, 4.4.19).
    /// - Returns: nil where the file is not known to be one.
    private static func split(_ path: String, disk: Int?) -> Problem? {
        let isThere = { (part: String) in (try? FileSource(path: part, name: part)) != nil }
        // `zip -s` and WinZip: scan.z01, scan.z02, …, and the end in scan.zip.
        if let disk, disk > 0, disk < UInt16.max, path.lowercased().hasSuffix(".zip") {
            let parts = (1...disk).map { "\(path.dropLast(2))\($0 < 10 ? "0" : "")\($0)" }
            let missing = parts.filter { !isThere($0) }
            let whole = ShellWord.quoted("\(path.dropLast(4))-whole.zip")
            let way = "zip -s 0 \(ShellWord.quoted(path)) --out \(whole)  and remove the parts"
            return Problem(
                .input, "the archive is split into \(disk + 1) parts",
                notes: missing.isEmpty ? [] : ["not beside it: \(missing.map(\.lastPart).listed(most: 8))"],
                fix: missing.isEmpty ? "join them with  \(way)" : "copy all of them, and join them with  \(way)")
        }
        // 7-Zip and `split`: scan.zip.001, scan.zip.002, …
        guard path.hasSuffix(".001"), isThere("\(path.dropLast())2") else { return nil }
        let whole = ShellWord.quoted(String(path.dropLast(4)))
        return Problem(
            .input, "this is the first part of an archive that is split",
            fix: "join the parts with  cat \(whole).[0-9]* > \(whole)  and remove them")
    }
}

extension [UInt8] {
    fileprivate func uint16(_ index: Int) -> Int { Int(self[index]) | Int(self[index + 1]) << 8 }
    fileprivate func uint32(_ index: Int) -> Int { uint16(index) | uint16(index + 2) << 16 }
    fileprivate func uint64(_ index: Int) -> UInt64 { UInt64(uint32(index)) | UInt64(uint32(index + 4)) << 32 }
}
