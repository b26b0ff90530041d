import ScanModel

/// The archive's directory, checked.
struct ZipContents: Sendable {
    /// By full path in the archive.
    var files: [String: ZipArchive.Entry] = [:]
    /// The kind of each full path, folders too.
    var kinds: [String: CaptureEntry.Kind] = [:]
    /// What lies in each folder and is not hidden, sorted by name; the top is "".
    var folders: [String: [CaptureEntry]] = ["": []]
    /// The folder that holds everything; "" where there is no such folder.
    var top = ""
    var entryCount = 0

    init(_ handle: borrowing ZipHandle, packedByteCount: Int64, _ limits: ArchiveLimits) throws(Problem) {
        entryCount = handle.count
        try Self.check(entryCount, limits)
        var (unpacked, packed): (Int64, Int64) = (0, 0)
        for index in 0..<entryCount {
            let entry = try handle.entry(UInt64(index))
            guard let name = Self.checked(entry.name) else { throw Self.refusal(of: entry.name) }
            if Self.isPassedOver(name) { continue }
            unpacked = unpacked.addingReportingOverflow(entry.byteCount).partialValue
            packed = packed.addingReportingOverflow(entry.packedByteCount).partialValue
            guard entry.byteCount >= 0, unpacked >= 0, packed >= 0, unpacked <= limits.byteCount else {
                throw Self.excess(
                    "more than \(limits.byteCount) bytes", "\(limits.byteCount)", option: "max-archive-bytes",
                    enough: try Self.byteCount(of: handle))
            }
            if kinds.updateValue(entry.kind, forKey: name).map({ $0 != .folder || entry.kind != .folder }) ?? false {
                throw Self.collision(name)
            }
            if case .file = entry.kind {
                files[name] = ZipArchive.Entry(
                    index: UInt64(index), name: entry.name, byteCount: entry.byteCount,
                    packedByteCount: entry.packedByteCount,
                    isStored: entry.isStored, isDeflated: entry.isDeflated, crc: entry.crc)
            }
        }
        if packed > packedByteCount {
            throw Problem(
                .input, "the archive's entries overlap",
                notes: ["they take \(packed) bytes of a file that has \(packedByteCount)"],
                fix: "pack the capture again")
        }
        if unpacked > 16 << 20, unpacked / limits.ratio > packedByteCount {
            let ratio = unpacked / max(1, packedByteCount)
            throw Self.excess(
                "\(ratio) bytes for each of the archive's", "\(limits.ratio)", option: "max-archive-ratio",
                enough: ratio + 1)
        }
        try listFolders()
    }

    /// - Throws: when these are more entries than an archive may have.
    static func check(_ entryCount: Int, _ limits: ArchiveLimits) throws(Problem) {
        if entryCount <= limits.entryCount { return }
        throw excess(
            "\(entryCount) entries", "\(limits.entryCount)", option: "max-archive-entries", enough: Int64(entryCount))
    }

    private mutating func listFolders() throws(Problem) {
        // Folders need not have entries of their own.
        var pathBytes = 0
        for name in Array(kinds.keys) {
            var folder = Self.parent(name)
            while !folder.isEmpty {
                if let known = kinds[folder], known != .folder { throw Self.collision(folder) }
                if kinds.updateValue(.folder, forKey: folder) != nil { break }
                pathBytes += folder.utf8.count
                if pathBytes > Self.mostPathBytes {
                    throw Problem(
                        .input, "the archive holds too many folders inside each other",
                        notes: ["their paths alone have more than \(Self.mostPathBytes) bytes"],
                        fix: "check where it comes from, or unpack it and name the folder")
                }
                folder = Self.parent(folder)
            }
        }
        for (name, kind) in kinds {
            if kind == .folder, folders[name] == nil { folders[name] = [] }
            let entry = CaptureEntry(name: name.lastPart, kind: kind)
            if !entry.isHidden { folders[Self.parent(name), default: []].append(entry) }
        }
        for name in folders.keys {
            folders[name]?.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
        while let entries = folders[top], entries.count == 1, let only = entries.first, only.kind == .folder {
            top = only.name.path(in: top)
        }
    }

    /// How deep folders may be nested. Each level of each name becomes a folder here.
    private static let deepest = 64

    /// How long the paths of all folders may be together. A few long names can add up to very many bytes.
    private static let mostPathBytes = 16 << 20

    /// The name without a folder's last slash, and without the `./` that bsdtar writes before every name: empty for
    /// `./` itself. Nil for anything but a plain path below the archive.
    private static func checked(_ name: String) -> String? {
        var parts = name.allPathParts
        if parts.count > 1, parts.last == "" { parts.removeLast() }
        parts = Array(parts.drop { $0 == "." })
        guard parts.count <= deepest, !parts.isEmpty || name.endsInSlash else { return nil }
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 255
                && part.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\\") && $0 != 0x7F }
        }
        let path = parts.joined(separator: "/")
        // "C:" is a drive elsewhere.
        return isPlain && path.utf8.dropFirst().first != UInt8(ascii: ":") ? path : nil
    }

    private static func refusal(of name: String) -> Problem {
        let start = String(name.prefix(200))
        // APPNOTE.TXT, 4.4.17.1, allows slashes alone. `unzip` makes folders of backslashes where the archive says that
        // it comes from DOS or Windows, and the name has no slash.
        if checked(name.replacing("\\", with: "/")) != nil {
            return Problem(
                .input, "the names in the archive have backslashes where ZIP archives have slashes",
                notes: ["one is \(start)"],
                fix: "unpack it with  unzip  which makes folders of them if the archive comes from Windows, and run "
                    + "the folder; or pack the capture with another program, such as 7-Zip or `zip -r`")
        }
        return Problem(
            .input, "the archive holds a name that leads out of it, or that systems read differently",
            notes: ["it is \(String(reflecting: start))"], fix: "pack the capture again; the archive was not unpacked")
    }

    private static func parent(_ name: String) -> String {
        name.lastSlash.map { String(name[..<$0]) } ?? ""
    }

    private static func collision(_ name: String) -> Problem {
        Problem(.input, "the archive holds two entries called \(name)", fix: "pack the capture again")
    }

    /// The archive's own top, and Finder's notes on the other files.
    private static func isPassedOver(_ name: String) -> Bool {
        name.isEmpty || name == "__MACOSX" || name.hasPrefix("__MACOSX/")
    }

    /// The bytes of all entries that are read, unpacked; nil where the directory's numbers cannot be true.
    private static func byteCount(of handle: borrowing ZipHandle) throws(Problem) -> Int64? {
        var sum: Int64 = 0
        for index in 0..<handle.count {
            let entry = try handle.entry(UInt64(index))
            if isPassedOver(checked(entry.name) ?? entry.name) { continue }
            let (next, overflow) = sum.addingReportingOverflow(entry.byteCount)
            if overflow || entry.byteCount < 0 { return nil }
            sum = next
        }
        return sum
    }

    /// - Parameter enough: the value of the option that allows this archive, if there is one.
    private static func excess(_ what: String, _ limit: String, option: String, enough: Int64?) -> Problem {
        let setting = enough.map { "allow more with  --set read.\(option)=\($0)  or " } ?? ""
        return Problem(
            .input, "the archive holds \(what)", notes: ["the limit is \(limit); nothing was unpacked"],
            fix: "if it is sound, \(setting)unpack it yourself")
    }
}
