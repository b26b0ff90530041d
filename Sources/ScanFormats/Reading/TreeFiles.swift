import ScanModel

// How readers find and look into the files of a tree.

extension CaptureTree {
    /// The names of a folder's files.
    func files(in folder: String) -> [String] { entries(in: folder).filter { $0.byteCount != nil }.map(\.name) }

    /// The files of a folder with one of these extensions, by the number in their names. Of two with the same number
    /// the shorter name counts, since copying adds to a name; of equally long names, the one whose extension comes
    /// first in the list.
    func numbered(in folder: String, _ endings: [String]) -> [Int: String] {
        var found: [Int: (length: Int, rank: Int, path: String)] = [:]
        for name in originals(in: folder) {
            guard let ending = name.split(separator: ".").last?.lowercased(),
                let rank = endings.firstIndex(of: ending), let number = PictureFolder.number(in: name)
            else { continue }
            let length = name.count - ending.count
            if let other = found[number], (other.length, other.rank) <= (length, rank) { continue }
            found[number] = (length, rank, "\(folder)/\(name)")
        }
        return found.mapValues(\.path)
    }

    /// - Throws: a problem that says `summary`, where a file is missing without which there is no capture.
    func require(_ file: String, _ summary: String, fix: String) throws(Problem) {
        if byteCount(of: file) != nil { return }
        throw Problem(.input, summary, notes: [absence(of: file)], fix: fix)
    }

    /// What to do about something that is no file and stands where one should; nil where nothing does.
    func wayToReplace(_ file: String) -> String? {
        switch entry(file)?.kind {
        case nil, .file?, .outOfReach?, .other(.setAside)?: nil
        case .folder?, .other?: "put the file \(file) in its place"
        }
    }

    /// The first bytes of a file; fewer where it is shorter, nil where it cannot be read.
    func beginning(of file: String, _ count: Int = 4096) -> [UInt8]? {
        guard byteCount(of: file) != nil, let source = try? open(file) else { return nil }
        var buffered = BufferedSource(source, chunk: count)
        return try? buffered.peek(count)
    }

    /// What a JSON file is about, for recognising it in little memory: see ``JSONValue/outline(_:file:)``.
    /// - Parameter limit: the most bytes that the file may have.
    func outline(of file: String, limit: Int) throws(Problem) -> JSONValue {
        try JSONValue.outline(try bytes(of: file, limit: limit), file: file)
    }

    /// The first of an app's JSON files that has these keys at its top. Five are looked at, because the first one may be
    /// damaged.
    func firstFile(of files: some Sequence<String>, with keys: [String], limit: Int) -> String? {
        files.prefix(5).first { file in
            guard let json = try? outline(of: file, limit: limit) else { return false }
            return keys.allSatisfy { json[$0] != nil }
        }
    }

    /// The file that a path in one of the capture's own files refers to; nil when it is not there.
    /// - Throws: when the path leads out of the capture, by its parts or by a link.
    func file(named path: String) throws(Problem) -> String? { try file(at: try path.plainPath()) }

    /// The same for a path without redundant parts, as `plainPath` makes it.
    /// - Throws: when a link there leads out of the capture.
    func file(at plain: String) throws(Problem) -> String? {
        guard let file = fileThere(plain) else { return nil }
        guard holds(file) else {
            throw Problem(
                .input, "a link leads out of the capture", fix: "copy the file itself into the capture"
            ).at(file: file)
        }
        return file
    }

    /// The file with this path, as the tree spells it; nil where there is none.
    func fileThere(_ plain: String) -> String? {
        if byteCount(of: plain) != nil { return plain }
        return spelling(of: plain).flatMap { byteCount(of: $0) == nil ? nil : $0 }
    }

    /// A path as the tree spells it where that differs: macOS and clouds may write the `ü` of a name as `u` and two dots,
    /// and on disk names are bytes. Folders are listed for names beyond ASCII only.
    /// - Returns: nil for a path in ASCII, and where a part of it is not there.
    func spelling(of path: String) -> String? {
        if path.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
        var found = ""
        for part in path.pathParts.map({ String($0) }) {
            let isPlain = part.utf8.allSatisfy { $0 < 0x80 }
            guard let name = isPlain ? part : spelling(of: part, in: found) else { return nil }
            found = name.path(in: found)
        }
        return found
    }
}

extension [UInt8] {
    /// The standard library's own search takes a hundred times as long.
    func contains(subsequence text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard count >= wanted.count else { return false }
        return (0...(count - wanted.count)).contains { self[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }
}
