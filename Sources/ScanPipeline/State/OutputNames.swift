import Glibc
import ScanModel

/// How the disk of OUT tells names apart: most disks go by every byte, but those of cards and sticks (FAT, exFAT), and
/// many shares, ignore case, and FAT drops the dots at a name's end. There, two ids may be one name.
package struct OutputNames: Hashable, Sendable {
    /// Whether names that differ only in case are one.
    package var ignoreCase: Bool
    package var dropLastDots: Bool

    package init(ignoreCase: Bool = false, dropLastDots: Bool = false) {
        self.ignoreCase = ignoreCase
        self.dropLastDots = dropLastDots
    }

    /// Asks the disk, and writes nothing. Where OUT is not there yet, or no run has begun in it, it is asked by what lies
    /// where OUT will be made; of an empty folder the answer is unknown, and counts as the usual one.
    package init(of output: String) {
        self.init()
        let state = StateFolder(output: output)
        if FileSystem.exists(state.owner) {
            ignoreCase = state.ignoresCase
            dropLastDots = FileSystem.exists("\(state.path)./\(StateFolder.ownerName)")
            return
        }
        guard var folder = FileSystem.realPath(output) else { return }
        while !FileSystem.isFolder(folder), folder != "/" { folder = FileSystem.parent(of: folder) }
        let names = FileSystem.names(in: folder)
        let known = Set(names.map(PathKey.init))
        // A name that leads somewhere, though the folder does not list it, is another one's.
        let isAlias = { (name: String) in !known.contains(PathKey(name)) && FileSystem.exists("\(folder)/\(name)") }
        ignoreCase = names.firstNonNil(Self.inOtherCase).map(isAlias) ?? false
        dropLastDots = names.first.map { isAlias("\($0).") } ?? false
    }

    /// A name with all its ASCII letters in the other case; nil where it has none.
    private static func inOtherCase(_ name: String) -> String? {
        let other = String(decoding: name.utf8.map { $0.isASCIILetter ? $0 ^ 0x20 : $0 }, as: UTF8.self)
        return other == name ? nil : other
    }

    /// What ids have in common that are one name to the disk. Of some rare letters disks differ in whether they have two
    /// cases: names with them may be taken for one.
    package func key(_ id: String) -> String {
        var key = id
        if dropLastDots { while key.utf8.last == UInt8(ascii: ".") { key = String(Substring(key.utf8.dropLast())) } }
        return ignoreCase ? Self.withoutCase(key) : key
    }

    private static func withoutCase(_ id: String) -> String {
        var text = ""
        for scalar in id.unicodeScalars {
            let lower = only(scalar.properties.lowercaseMapping) ?? scalar
            text.unicodeScalars.append(only(lower.properties.uppercaseMapping) ?? lower)
        }
        return text
    }

    /// The only character of a text; nil where there are several.
    private static func only(_ text: String) -> Unicode.Scalar? {
        text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
    }

    // MARK: - Names that the disk does not take

    /// Why an id cannot be the name of a result on this disk; nil where it can, as far as that is known beforehand.
    package func defect(ofID id: String) -> Problem? {
        if let defect = OutputFolder.defect(ofID: id) { return defect }
        if dropLastDots && id.utf8.last == UInt8(ascii: ".") { return Self.refusal(of: "that end in a dot") }
        // Here, `Receipt` is the receipt's name, too.
        return ignoreCase ? OutputFolder.defect(ofID: id.lowercased()) : nil
    }

    /// What to say when the disk does not make a file with an id for its name, though the folder is there.
    /// - Parameter code: the system's error.
    /// - Returns: nil where the id does not explain it.
    package static func refusal(of id: String, code: Int32) -> Problem? {
        guard code == EINVAL || code == ENOENT else { return nil }
        // What FAT, exFAT and NTFS have in no name.
        if let character = id.unicodeScalars.first(where: { "\"*:<>?\\|".unicodeScalars.contains($0) }) {
            return refusal(of: "with `\(character)`")
        }
        switch id.utf8.last {
        case UInt8(ascii: "."): return refusal(of: "that end in a dot")
        case UInt8(ascii: " "): return refusal(of: "that end in a space")
        default: return nil
        }
    }

    private static func refusal(of which: String) -> Problem {
        Problem(
            .usage, "the disk of OUT does not allow names \(which)",
            fix: "rename the capture, or choose a folder on another disk with -o")
    }
}

/// The results in OUT, by the names that the folder lists.
package struct ListedResults: Sendable {
    private let names: OutputNames
    private let listed: Set<PathKey>
    private let byKey: [PathKey: String]

    package init(_ ids: [String], _ names: OutputNames) {
        self.names = names
        listed = Set(ids.map(PathKey.init))
        byKey = Dictionary(ids.map { (PathKey(names.key($0)), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether a result is listed by the very bytes of an id.
    package func contains(_ id: String) -> Bool { listed.contains(PathKey(id)) }

    /// The name of the result that stands in an id's place, which may be listed otherwise; the id itself where none
    /// stands there.
    package func name(of id: String) -> String { contains(id) ? id : byKey[PathKey(names.key(id))] ?? id }
}
