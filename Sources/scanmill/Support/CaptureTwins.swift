import ScanFormats
import ScanModel
import ScanPipeline

/// Captures that share one id, or have ids that are one name to the disk, under which only one result can be published.
struct CaptureTwins {
    /// The paths that were named on the command line.
    let inputs: [String]
    /// The formats that the command line or the pipeline asks for; empty for all.
    let asked: [String]
    /// For the archives among them.
    let limits: ArchiveLimits

    /// Separates archives of which the captures hold the folders into which they were unpacked, too: exports often lie
    /// beside these.
    /// - Returns: all other captures in their order, and the archives' paths.
    func separate(_ captures: [CaptureSearch.Found]) -> (others: [CaptureSearch.Found], packed: [String]) {
        let byID = Dictionary(grouping: captures, by: \.id)
        let twins = captures.filter { $0.result == nil && (byID[$0.id]?.count ?? 0) > 1 }
        let folders = Dictionary(grouping: twins.filter { FileSystem.isFolder($0.path) }, by: Kind.init)
        var others: [CaptureSearch.Found] = []
        var packed: [String] = []
        for capture in captures {
            // Several folders are refused whatever is beside them, so that no archive has to be opened.
            let copies = folders[Kind(capture)] ?? []
            let isPacked =
                copies.count == 1 && capture.result == nil && ZipArchive.isArchive(capture.path)
                && UnpackedCopy.missing(from: copies[0].path, of: capture.path, limits: limits)?.isEmpty == true
            if isPacked { packed.append(capture.path) } else { others.append(capture) }
        }
        return (others, packed)
    }

    /// What an archive and the folder into which it was unpacked have in common.
    private struct Kind: Hashable {
        let id: String
        let format: String?

        init(_ capture: CaptureSearch.Found) { (id, format) = (capture.id, capture.format) }
    }

    /// Why captures with one id cannot be run; nil for a single one.
    func problem(of twins: [CaptureSearch.Found]) -> Problem? {
        guard let first = twins.first, twins.count > 1 else { return nil }
        // A result holds one capture in the format of each of its writers.
        let isOne = first.result != nil && twins.allSatisfy { $0.result == first.result }
        let names = twins.map(\.id).distinctByBytes
        // To Swift, strings that differ only in Unicode composition are equal.
        let summary =
            names.allSatisfy { $0 == first.id }
            ? "\(twins.count) captures are called \(first.id)"
            : "\(names.listed) are one name on OUT's disk, which ignores case"
        if isOne {
            return lackOfFormat(twins)
                ?? Problem(.usage, summary, notes: places(twins) + resultAround(twins), fix: choice(of: twins))
        }
        if let (folder, archive) = Self.folderAndArchive(twins) {
            return problem(of: folder, beside: archive, summary)
        }
        return Problem(
            .usage, summary, notes: places(twins) + spelling(names), fix: "rename all but one, \(Self.waysApart)")
    }

    private static let waysApart =
        "run them into different output folders, or run a folder of links that have other names (ln -s)"

    private func places(_ twins: [CaptureSearch.Found]) -> [String] {
        let shown = CaptureList.shown
        return twins.prefix(shown).map { "one is \($0.path)" }
            + (twins.count > shown ? ["and \(twins.count - shown) more"] : [])
    }

    /// What gives captures in one result its name. The file may have come there by mistake.
    private func resultAround(_ twins: [CaptureSearch.Found]) -> [String] {
        guard let result = twins.first?.result else { return [] }
        return [
            "\(ResultPlace(result).receipt) makes them parts of one result; if they are not, remove that file"
        ]
    }

    /// - Parameter names: that differ in their bytes.
    private func spelling(_ names: [String]) -> [String] {
        names.count == 1 || names.contains { $0 != names[0] }
            ? [] : ["the names look the same, but are spelt with different Unicode characters"]
    }

    // MARK: - In one result

    private static func formats(of twins: [CaptureSearch.Found]) -> [String] {
        let present = Set(twins.compactMap(\.format))
        return CaptureFormats.names.filter(present.contains)
    }

    /// The problem with a result that holds none of the formats that are asked for.
    private func lackOfFormat(_ twins: [CaptureSearch.Found]) -> Problem? {
        let formats = Self.formats(of: twins)
        guard let result = twins.first?.result, let format = formats.first, !asked.isEmpty,
            Set(formats).isDisjoint(with: asked)
        else { return nil }
        if let own = ownCapture(of: result, besides: twins) { return own }
        let files = ShellWord.quoted(path: result) + "/*.ply"
        let other =
            "take another one with  --format \(format)  or, where the pipeline names the format, with  "
            + "--set read.format=\(format)"
        return Problem(
            .usage, "the result holds no capture in the format \(asked.joined(separator: " or "))",
            notes: ["\(result) holds \(formats.listed)"],
            fix: asked == [PLYCapture.name] ? "name its PLY files:  \(files)" : other)
    }

    /// The problem with a result whose own files are a capture in a format that is asked for, and one in another, which
    /// comes first; nil where they are not.
    private func ownCapture(of result: String, besides twins: [CaptureSearch.Found]) -> Problem? {
        guard let first = twins.first(where: { $0.path == result })?.format else { return nil }
        let formats = asked.compactMap(CaptureFormats.format(named:))
        guard let own = formats.compactMap({ $0.recognise(CaptureFolder(path: result)) }).first else { return nil }
        return Problem(
            .usage, "the result's own files are taken for \(first), and not for \(own.format)",
            notes: [own.reason, "\(result) holds \(Self.formats(of: twins).listed) as well"],
            fix: "copy or link (ln -s) the files of \(own.format) into a folder of their own, and name that")
    }

    private func choice(of twins: [CaptureSearch.Found]) -> String {
        let formats = Self.formats(of: twins)
        guard formats.count == twins.count else {
            // Whatever their folders are called, their name is the result's.
            guard let part = twins.last(where: { $0.path != $0.result }) else { return Self.waysApart }
            return "name the folder of the one that is meant, such as  \(ShellWord.quoted(path: part.path))"
        }
        return
            "take one of them with  --format \(formats[0])  (or \(formats.dropFirst().joined(separator: ", ")))"
    }

    // MARK: - A folder and an archive

    /// The paths of two captures in one format of which one is a folder and the other an archive.
    private static func folderAndArchive(_ twins: [CaptureSearch.Found]) -> (folder: String, archive: String)? {
        guard twins.count == 2, twins[0].format == twins[1].format,
            let archive = twins.first(where: { ZipArchive.isArchive($0.path) })?.path,
            let folder = twins.first(where: { FileSystem.isFolder($0.path) })?.path
        else { return nil }
        return (folder, archive)
    }

    /// - Parameter summary: what is wrong with both.
    private func problem(of folder: String, beside archive: String, _ summary: String) -> Problem {
        var notes = ["one is \(folder), a folder", "one is \(archive), an archive"]
        if let missing = UnpackedCopy.missing(from: folder, of: archive, limits: limits), !missing.isEmpty {
            notes.append(
                "the archive holds \(missing.count.counted("file")) that the folder lacks or has in another size: "
                    + missing.listed(most: CaptureList.shown))
        }
        let ways = [folder, archive].map { path in
            // Where several paths were named, the others are to stay.
            inputs.count == 1
                ? CommandWords.command(exchanging: [inputs[0]: path]) : ShellWord.quoted(path: path)
        }
        return Problem(
            .usage, summary, notes: notes,
            fix: "move one of them elsewhere, or name the one that is meant:  "
                + ways.joined(separator: "  or  "))
    }
}
