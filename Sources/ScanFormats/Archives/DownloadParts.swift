import ScanModel

/// The archives into which Google Drive packs a large download, each with some of its files:
/// `mug-20240604T101500Z-001.zip`, `mug-20240604T101500Z-002.zip`; lately `mug-20240604T101500Z-1-001.zip`.
struct DownloadParts {
    /// What was downloaded.
    private let name: Substring
    /// What the names of all parts begin with.
    private let start: Substring

    /// Nil where a file's name is none that Drive gives.
    private init?(_ file: Substring) {
        guard file.hasSuffix(".zip"), let part = file.dropLast(4).lastIndex(of: "-") else { return nil }
        guard Self.isNumber(file[part...].dropFirst().dropLast(4), digits: 3...3) else { return nil }
        var fields = file[..<part].split(separator: "-", omittingEmptySubsequences: false)
        if fields.count > 2, Self.isNumber(fields[fields.count - 1], digits: 1...3) { fields.removeLast() }
        guard fields.count > 1, let time = fields.last, time.hasSuffix("Z") else { return nil }
        let halves = time.dropLast().split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count == 2, Self.isNumber(halves[0], digits: 8...8), Self.isNumber(halves[1], digits: 4...6)
        else { return nil }
        name = file[..<file.index(before: time.startIndex)]
        start = file[...part]
    }

    private static func isNumber(_ text: Substring, digits: ClosedRange<Int>) -> Bool {
        digits.contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIDigit)
    }

    /// What is wrong with an archive beside which others of its download lie; nil where none do.
    static func problem(of path: String) -> Problem? {
        guard let own = DownloadParts(Substring(path.lastPart)) else { return nil }
        let folder = path.lastSlash.map { String(path[..<$0]) } ?? "."
        // Each of perhaps thousands of downloads is asked for its parts.
        let alike = CaptureFolder(path: folder).names(startingWith: String(own.start))
        let parts = alike.filter { DownloadParts(Substring($0))?.start == own.start }
        guard parts.count > 1 else { return nil }
        let start = ShellWord.quoted(path: String(own.start).path(in: folder))
        let target = ShellWord.quoted(path: String(own.name).path(in: folder))
        return Problem(
            .input, "\(parts.count) archives are parts of one download, each with some of its files",
            notes: ["they are \(parts.listed(most: 8))"],
            fix:
                "unpack them into one folder with  for part in \(start)*.zip; do unzip -n \"$part\" -d \(target); done  and "
                + "remove the parts")
    }
}
