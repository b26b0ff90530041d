import ScanModel

/// A file in whose place something else has arrived, recognised by its first bytes. Those of every picture are looked at,
/// so this is quick for a sound one.
enum UnarrivedFile {
    /// Some formats begin with a few zero bytes, and none that is read with so many.
    private static let fewestZeros = 64

    /// What is wrong with a file that begins like this; nil where nothing is known to be.
    static func problem(_ start: some Collection<UInt8>) -> Problem? {
        if start.starts(with: "version https://git-lfs".utf8) {
            return Problem(.input, "this is a Git LFS pointer, not the file", fix: "git lfs pull")
        }
        guard start.count >= fewestZeros, start.prefix(1 << 12).allSatisfy({ $0 == 0 }) else { return nil }
        return Problem(
            .input, "the file begins with nothing but zero bytes: its copy was never finished", fix: "copy it again")
    }
}

extension Problem {
    /// The same problem, or what caused it where the file did not arrive.
    package func traced(in tree: any CaptureTree) -> Problem {
        guard fault == .input, let file = place.file, let start = tree.beginning(of: file) else { return self }
        return UnarrivedFile.problem(start)?.at(file: file) ?? self
    }
}
