import ScanModel

/// Where files stored in a ZIP archive begin, which libzip does not tell. ffmpeg needs it to read a video in place.
enum ZipOffsets {
    /// The offsets of the entries' local headers, in the order of the directory; none for archives that need ZIP64.
    static func read(_ path: String) throws(Problem) -> [Int64] {
        let file = try FileSource(path: path, name: path)
        guard let end = try ZipEnd(of: file), !end.lacksDirectoryStart, end.entryCount < UInt16.max else { return [] }
        var offsets: [Int64] = []
        try end.eachEntry(of: path) { offsets.append(Int64($0.uint32(42))) }
        return offsets
    }

    /// How many entries libzip would find, without building its table of them.
    /// - Parameter most: the number from which on it matters. Without ZIP64 some programs count beyond 65,535 from 0 again,
    ///   as libzip knows: a directory that is large enough for more is gone through.
    /// - Returns: nil where the archive's end is missing or cannot be true, which libzip says.
    static func entryCount(of path: String, most: Int) throws(Problem) -> Int? {
        let file = try FileSource(path: path, name: path)
        guard let end = try ZipEnd(of: file) else { return nil }
        if let start = end.longRecordStart {
            let record = try file.bytes(at: start, count: 56)
            let count = Int64(clamping: record.uint64(32))
            return record.starts(with: ZipSignature.longEnd) && count <= file.byteCount / 46 ? Int(count) : nil
        }
        let mayHoldMore = end.entryCount <= most && end.directory.count / 46 > most
        guard mayHoldMore, end.directory.upperBound <= file.byteCount else { return end.entryCount }
        var found = 0
        try end.eachEntry(of: path) { _ in found += 1 }
        return found
    }

    /// The first byte of a file's data, when its local header (4.3.7) is where it should be and has its name.
    static func start(of name: String, header: Int64, in path: String) -> Int64? {
        guard let file = try? FileSource(path: path, name: path), let bytes = try? file.bytes(at: header, count: 30),
            Array(bytes[..<4]) == ZipSignature.file, bytes.uint16(26) == name.utf8.count,
            let stored = try? file.bytes(at: header + 30, count: name.utf8.count), stored == Array(name.utf8)
        else { return nil }
        return header + 30 + Int64(bytes.uint16(26) + bytes.uint16(28))
    }
}

/// What records begin with, by the sections of PKWARE's APPNOTE.TXT.
private enum ZipSignature {
    /// A file's local header, 4.3.7.
    static let file: [UInt8] = [0x50, 0x4B, 3, 4]
    /// An entry of the directory, 4.3.12.
    static let entry: [UInt8] = [0x50, 0x4B, 1, 2]
    /// ZIP64's end record, 4.3.14.
    static let longEnd: [UInt8] = [0x50, 0x4B, 6, 6]
    /// Its locator, 4.3.15.
    static let locator: [UInt8] = [0x50, 0x4B, 6, 7]
    /// The end record, 4.3.16.
    static let end: [UInt8] = [0x50, 0x4B, 5, 6]
}

/// The record at an archive's end, which says where its directory is.
///
/// Format: PKWARE's APPNOTE.TXT, 4.3.12 (directory), 4.3.14 (ZIP64's end record), 4.3.15 (its locator), 4.3.16 (end record).
private struct ZipEnd {
    /// Where in the file the record begins.
    let start: Int64
    /// The number of this part of an archive that was cut into several, from 0 on (4.4.19).
    let part: Int
    let entryCount: Int
    /// The directory's bytes in the file.
    let directory: Range<Int64>
    /// Where ZIP64's end record begins; nil without one.
    let longRecordStart: Int64?
    /// How many bytes of the file follow the record and its comment.
    let byteCountBehind: Int

    /// Whether only ZIP64's end record says where the directory begins.
    var lacksDirectoryStart: Bool { directory.lowerBound == UInt32.max }

    /// - Parameter endsFile: whether only a record counts that ends with the file; else the last thing does that looks
    ///   like one, whatever stands behind it.
    /// - Returns: nil where there is none.
    init?(of file: FileSource, endsFile: Bool = true) throws(Problem) {
        // As far back as a record with the longest comment begins.
        let count = min(file.byteCount, 22 + 65_535)
        let tail = try file.bytes(at: file.byteCount - count, count: Int(count))
        // A comment may look like a record itself.
        let found = tail.indices.dropLast(21).last {
            tail[$0...].starts(with: ZipSignature.end) && (!endsFile || $0 + 22 + tail.uint16($0 + 20) == tail.count)
        }
        guard let place = found else { return nil }
        start = file.byteCount - count + Int64(place)
        part = tail.uint16(place + 4)
        entryCount = tail.uint16(place + 10)
        let directoryStart = Int64(tail.uint32(place + 16))
        directory = directoryStart..<directoryStart + Int64(tail.uint32(place + 12))
        byteCountBehind = tail.count - (place + 22 + tail.uint16(place + 20))
        let hasLocator = place >= 20 && tail[(place - 20)...].starts(with: ZipSignature.locator)
        longRecordStart = hasLocator ? Int64(clamping: tail.uint64(place - 12)) : nil
    }

    /// Calls `body` with the fixed part of each entry's record in the directory. It is read piece by piece, since its
    /// size may be forged.
    func eachEntry(of path: String, _ body: ([UInt8]) -> Void) throws(Problem) {
        var source = BufferedSource(try FileSource(path: path, name: path, range: directory))
        while case let entry = try source.peek(46), entry.count == 46, entry.starts(with: ZipSignature.entry) {
            body(entry)
            // Name, extra field and comment follow the fixed part.
            guard try source.skip([28, 30, 32].reduce(46) { $0 + entry.uint16($1) }) else { return }
        }
    }
}

/// What an archive that libzip cannot open lacks, for which libzip has no words of its own.
enum ZipDamage {
    /// - Returns: nil where the file is no part of an archive, or what is wrong with it is something else.
    static func problem(with path: String) throws(Problem) -> Problem? {
        let file = try FileSource(path: path, name: path)
        let end = try ZipEnd(of: file)
        if let split = split(path, part: end?.part) { return split }
        let size = file.byteCount
        let fix = "the copy is incomplete: copy the archive again"
        /// How many bytes are missing before an end record; nil with ZIP64, whose numbers stand elsewhere.
        func lack(before end: ZipEnd) -> Int64? {
            end.lacksDirectoryStart ? nil : end.directory.upperBound - end.start
        }
        var notes = ["they are missing somewhere before its directory"]
        var lacking = end.flatMap(lack)
        // Behind its end something else may stand, such as the rest of a block.
        if end == nil, let likely = try ZipEnd(of: file, endsFile: false), let lack = lack(before: likely), lack > 0 {
            lacking = lack
            let stray = likely.byteCountBehind
            if stray > 0 {
                notes.append(
                    stray.counted("byte", "that is not its own follows", "that are not its own follow") + " its end")
            }
        } else if end == nil {
            guard ZipArchive.isArchive(path) else { return nil }
            return Problem(
                .input, "the archive is cut off",
                notes: ["its directory, which is at its end and says where its files are, is missing"], fix: fix
            ).at(byte: size, of: size)
        }
        if let end, let surplus = try surplus(end, of: file) { return surplus }
        guard let lacking, lacking > 0 else { return nil }
        return Problem(.input, "the archive lacks \(lacking.counted("byte"))", notes: notes, fix: fix)
    }

    /// What is wrong with an archive whose directory stands behind the place where it should.
    /// - Returns: nil where it does not.
    private static func surplus(_ end: ZipEnd, of file: FileSource) throws(Problem) -> Problem? {
        let count = end.start - end.directory.upperBound
        // ZIP64's records would stand between the two.
        guard count > 0, end.longRecordStart == nil,
            try file.bytes(at: end.directory.lowerBound + count, count: 4) == ZipSignature.entry
        else { return nil }
        let starts = [try file.bytes(at: 0, count: 4), try file.bytes(at: count, count: 4)].map {
            $0 == ZipSignature.file
        }
        let isPrefixed = starts == [false, true]
        return Problem(
            .input, "the archive has \(count.counted("byte")) too many before its directory",
            notes: isPrefixed ? ["they stand before its first file, as a program does that unpacks it"] : [],
            fix: isPrefixed
                ? "unpack it into a folder, or copy the archive again" : "the copy is damaged: copy the archive again")
    }

    /// What to do with a part of an archive that was cut into several.
    /// - Parameter part: its number, as the end record has it.
    /// - Returns: nil where the file is not known to be one.
    private static func split(_ path: String, part: Int?) -> Problem? {
        let isThere = { (file: String) in (try? FileSource(path: file, name: file)) != nil }
        // `zip -s` and WinZip: scan.z01, scan.z02, …, and the end in scan.zip.
        if let part, part > 0, part < UInt16.max, path.lowercased().hasSuffix(".zip") {
            let parts = (1...part).map { "\(path.dropLast(2))\($0 < 10 ? "0" : "")\($0)" }
            let missing = parts.filter { !isThere($0) }
            let whole = ShellWord.quoted("\(path.dropLast(4))-whole.zip")
            let way = "zip -s 0 \(ShellWord.quoted(path)) --out \(whole)  and remove the parts"
            return Problem(
                .input, "the archive is split into \(part + 1) parts",
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
