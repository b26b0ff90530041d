import ScanModel

extension CaptureTree {
    /// The names of a folder's files, without second copies of files that are there too: a copy has the number of another
    /// frame in its name.
    func originals(in folder: String) -> [String] { names(in: folder) { !$0 } }

    /// The second copies that ``originals(in:)`` leaves out.
    func copies(in folder: String) -> [String] { names(in: folder) { $0 } }

    private func names(in folder: String, areWanted: (_ isCopy: Bool) -> Bool) -> [String] {
        let names = entries(in: folder).filter { $0.byteCount != nil }.map(\.name)
        let known = Set(names)
        return names.filter { areWanted(FileCopy.isCopy($0, among: known)) }
    }
}

/// The names that file managers and clouds give to what is there already: of `12.png`, `12 2.png` and `12 copy.png`
/// (macOS, iCloud), `12 (1).png` (Windows, Google Drive), `12(1).png` (browsers), `12 - Copy.png` (Windows), and what a
/// copy is called elsewhere (`12 - Kopie.png`, `12 - Copie.png`, `12 copie.png`).
enum FileCopy {
    static func isCopy(_ name: String, among names: Set<String>) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        let (stem, ending) = (name[..<dot], name[dot...])
        if let bracket = stem.lastIndex(of: "("), bracket > stem.startIndex, isNumber(stem[bracket...]),
            names.contains("\(stem[..<bracket])\(ending)")
        {
            return true
        }
        guard let space = stem.lastIndex(of: " ") else { return false }
        let mark = stem[stem.index(after: space)...]
        let rest = stem[..<space]
        // A copy of a copy need not have the first one beside it.
        if isNumber(mark) { return names.contains("\(rest)\(ending)") || isCopyByWord(rest, ending, among: names) }
        return isCopyByWord(stem, ending, among: names)
    }

    /// A word behind a number that is there without it.
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
        let folders = Set(files.map { $0.path.split(separator: "/").dropLast().joined(separator: "/") }).sorted()
        for folder in folders where !folder.isEmpty {
            let copies = tree.copies(in: folder)
            guard let first = copies.first else { continue }
            warnings.append(
                copies.count == 1
                    ? "\(folder)/\(first) looks like a second copy of a file, and was left out"
                    : "\(copies.count) files in \(folder)/ look like second copies, and were left out: \(first), …")
        }
    }
}
