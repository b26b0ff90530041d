import Glibc
import ScanModel

/// What is wrong with a result, as far as its files' names and sizes tell.
enum ResultLoss: Hashable, Sendable {
    /// Something of it is certainly not there as it was written.
    case certain(String)
    /// A file of it cannot be looked at, and may be there: only another user may, or the disk fails.
    case possible(String)

    /// What is wrong with the first file that is certainly not there with its size, whatever else cannot be looked at, or
    /// else with the first that cannot be looked at; nil for a whole result.
    /// - Parameter files: those of the result, by their paths in it, with their sizes.
    fileprivate static func first(
        in result: String, of files: some Sequence<(path: String, size: Int64)>
    ) -> ResultLoss? {
        var possible: ResultLoss?
        for file in files {
            guard let loss = loss(of: file.path, file.size, in: result) else { continue }
            if case .certain = loss { return loss }
            possible = possible ?? loss
        }
        return possible
    }

    private static func loss(of file: String, _ size: Int64, in result: String) -> ResultLoss? {
        var status = stat()
        let path = "\(result)/\(file)"
        var code = stat(path, &status) == 0 ? 0 : errno
        if code == 0, status.st_size == size {
            // Only the receipt's bytes tell whose result this is; what else there is, `verify` reads.
            guard file == Receipt.fileName, access(path, R_OK) != 0 else { return nil }
            code = errno
        }
        return code == 0 || FileSystem.isAbsence(code)
            ? .certain("\(file) of the result is missing or has another size")
            : .possible(
                "\(file) of the result cannot be \(file == Receipt.fileName ? "read" : "looked at"): \(systemText(code))"
            )
    }
}

extension ResultState {
    /// What is wrong with a result by what is known of its files.
    func firstLoss(in result: String) -> ResultLoss? {
        ResultLoss.first(in: result, of: outputs.sorted { $0.key < $1.key }.lazy.map { (path: $0.key, size: $0.value) })
    }
}

extension PublishedResult {
    /// What is wrong with the result by the files that its receipt lists.
    var firstLoss: ResultLoss? {
        ResultLoss.first(in: path, of: files.lazy.map { (path: $0.path, size: $0.byteCount) })
    }
}
