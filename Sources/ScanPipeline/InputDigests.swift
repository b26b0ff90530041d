import Dispatch
import ScanModel
import Synchronization

/// Digests of input files that were taken earlier, valid while size and time of change stand.
package struct KnownDigests: Sendable {
    struct Entry: Hashable, Sendable {
        var status: FileSystem.Status
        var digest: Digest
    }

    /// By path on disk.
    var entries: [String: Entry] = [:]

    package init() {}

    init(entries: [String: Entry]) { self.entries = entries }

    func digest(of path: String, _ status: FileSystem.Status) -> Digest? {
        entries[path].flatMap { $0.status == status ? $0.digest : nil }
    }
}

/// The SHA-256 of the input files that a run uses.
package enum InputDigests {
    /// - Throws: the problem of the first file, in the order given, that cannot be read.
    package static func take(
        _ files: [InputFile], from source: any CaptureSource, workers: Int, known: KnownDigests = KnownDigests()
    ) throws(Problem) -> [Receipt.Input] {
        let results = Mutex([Int: Result<Receipt.Input, Problem>]())
        let next = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: max(1, min(workers, files.count))) { _ in
            while true {
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < files.count else { return }
                let result = one(files[index], source, known)
                results.withLock { $0[index] = result }
            }
        }
        var inputs: [Receipt.Input] = []
        for index in files.indices {
            guard let result = results.withLock({ $0[index] }) else { continue }
            inputs.append(try result.get())
        }
        return inputs.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private static func one(
        _ file: InputFile, _ source: any CaptureSource, _ known: KnownDigests
    ) -> Result<Receipt.Input, Problem> {
        if !known.entries.isEmpty, let location = source.location(of: file.path), location.range == nil,
            let status = FileSystem.status(of: location.path), let digest = known.digest(of: location.path, status)
        {
            return .success(Receipt.Input(path: file.path, byteCount: status.byteCount, digest: digest))
        }
        do throws(Problem) {
            let (digest, count) = try Digest.of(try source.open(file.path))
            return .success(Receipt.Input(path: file.path, byteCount: count, digest: digest))
        } catch { return .failure(error) }
    }
}
