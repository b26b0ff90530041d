import ScanModel

extension CaptureTree {
    /// The names of a folder's files, without second copies of files that are there too: a copy has the number of another
    /// frame in its name.
    func originals(in folder: String) -> [String] { names(in: folder) { !$0 } }

    /// The second copies that ``originals(in:)`` leaves out.
    func copies(in folder: String) -> [String] { names(in: folder) { $0 } }

    private func names(in folder: String, areWanted: (_ isCopy: Bool) -> Bool) -> [String] {
        let names = files(in: folder)
        let known = Set(names)
        return names.filter { areWanted(FileCopy.isCopy($0, among: known)) }
    }
}

/// The names that file managers and clouds give to copies of existing files: for `12.png`, `12 2.png` and `12 copy.png`
/// (macOS, iCloud), `12 (1).png` (Windows, Google Drive), `12(1).png` (browsers), `12 - Copy.png` (Windows), and what a
/// copy is called elsewhere (`12 - Kopie.png`, `12 - Copie.png`, `12 copie.png`).
enum FileCopy {
    static func isCopy(_ name: String, among names: Set<String>) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        let (stem, ending) = (name[..<dot], name[dot...])
        if let bracket = stem.lastIndex(of: "(") {
            let original = stem[..<bracket]
            // Phones count the pictures of one second in this way, from 0 on; a copy's number is 1 or more.
            if names.contains("\(original)(0)\(ending)") { return false }
            if !original.isEmpty, isNumber(stem[bracket...]), names.contains("\(original)\(ending)") { return true }
        }
        guard let space = stem.lastIndex(of: " ") else { return false }
        let mark = stem[stem.index(after: space)...]
        let rest = stem[..<space]
        // A copy of a copy need not have the first one beside it.
        if isNumber(mark) { return names.contains("\(rest)\(ending)") || isCopyByWord(rest, ending, among: names) }
        return isCopyByWord(stem, ending, among: names)
    }

    /// A word after a number, where the file without the word exists.
    private static func isCopyByWord(_ stem: Substring, _ ending: Substring, among names: Set<String>) -> Bool {
        guard let space = stem.lastIndex(of: " ") else { return false }
        let mark = stem[stem.index(after: space)...]
        var original = stem[..<space]
        if original.hasSuffix(" -") { original = original.dropLast(2) }
        guard !mark.isEmpty, mark.allSatisfy(\.isLetter),
            original.last?.isNumber == true || mark == "copy" || mark == "Copy"
        else { return false }
        return names.contains("\(original)\(ending)")
    }

    /// What follows the last dot, without regard to case; nil where there is none.
    static func ending(_ name: String) -> String? {
        name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
    }

    /// `2` or `(2)`.
    private static func isNumber(_ text: Substring) -> Bool {
        let isBracketed = text.hasPrefix("(") && text.hasSuffix(")")
        let digits = isBracketed ? text.dropFirst().dropLast() : text
        return !digits.isEmpty && digits.utf8.allSatisfy(\.isASCIIDigit)
    }
}

extension Capture {
    /// Warns of second copies among the frames' files.
    mutating func noteCopies(in tree: any CaptureTree) {
        let folders = Set(files.map { $0.path.folderPath }).sorted()
        let used = Set(files.map(\.path))
        // At the top, files that are not the capture's may have copies too: only the endings of its own files count.
        let endings = Set(used.filter { !$0.contains("/") }.compactMap(FileCopy.ending))
        for folder in folders {
            let copies = tree.copies(in: folder).filter { name in
                // What the capture's own list names is a frame's, whatever it is called.
                if used.contains(name.path(in: folder)) { return false }
                return !folder.isEmpty || FileCopy.ending(name).map(endings.contains) == true
            }
            guard let first = copies.first else { continue }
            let place = folder.isEmpty ? "" : " in \(folder)/"
            warnings.append(
                copies.count == 1
                    ? "\(first.path(in: folder)) looks like a second copy of a file, and was left out"
                    : "\(copies.count) files\(place) look like second copies, and were left out: \(first), …")
        }
        noteSharedNumbers(in: tree, folders, besides: used)
    }

    /// Warns of files whose names differ only in the zeros before their number, `7.png` and `000007.png`: only one of
    /// them can be the frame's.
    private mutating func noteSharedNumbers(
        in tree: any CaptureTree, _ folders: [String], besides used: Set<String>
    ) {
        for folder in folders {
            func isUsed(_ name: String) -> Bool { used.contains(name.path(in: folder)) }
            var names: [String: [String]] = [:]
            for name in tree.originals(in: folder) { names[name.withoutLeadingZeros, default: []].append(name) }
            // Where both are used, their names mean more than a number.
            let shared = names.values.filter { $0.count > 1 && $0.count(where: isUsed) == 1 }
                .map { names in names.sorted { isUsed($0) && !isUsed($1) } }
            guard let first = shared.min(by: { $0[0] < $1[0] }) else { continue }
            let place = folder.isEmpty ? "" : " in \(folder)/"
            let more = shared.count > 1 ? "; so \(shared.count == 2 ? "has" : "have") \(shared.count - 1) more" : ""
            warnings.append("\(first[0]) and \(first[1])\(place) have the same number: the first was taken\(more)")
        }
    }
}

extension String {
    /// `frame_7.jpg` for `frame_00007.jpg`.
    fileprivate var withoutLeadingZeros: String {
        var text: [UInt8] = []
        let bytes = Array(utf8)
        for (place, byte) in bytes.enumerated() {
            // After a point they are digits of a time.
            let isBehindDigit = text.last.map { $0.isASCIIDigit || $0 == UInt8(ascii: ".") } == true
            let isBeforeDigit = place + 1 < bytes.count && bytes[place + 1].isASCIIDigit
            if byte == UInt8(ascii: "0"), !isBehindDigit, isBeforeDigit { continue }
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
