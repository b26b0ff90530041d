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

    /// Those of files that had stood still for 2 s at `time`: a change within one tick of the clock does not show.
    func settled(at time: Int64) -> KnownDigests {
        KnownDigests(entries: entries.filter { $0.value.status.latest < time - 2_000_000_000 })
    }

    init(entries: [String: Entry]) { self.entries = entries }

    func digest(of path: String, _ status: FileSystem.Status) -> Digest? {
        entries[path].flatMap { $0.status == status ? $0.digest : nil }
    }
}

/// The SHA-256 of the input files that a run uses.
package enum InputDigests {
    /// The digests in the order of their paths, and those of them that a copy of the same file can go by.
    package struct Taken: Sendable {
        package var inputs: [Receipt.Input] = []
        package var known = KnownDigests()
    }

    private struct One: Sendable {
        var input: Receipt.Input
        var path: String?
        var status: FileSystem.Status?
    }

    /// - Throws: the problem of the first file, in the order given, that cannot be read.
    package static func take(
        _ files: [InputFile], from source: any CaptureSource, workers: Int, known: KnownDigests = KnownDigests()
    ) throws(Problem) -> Taken {
        let results = Mutex([Int: Result<One, Problem>]())
        let next = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: max(1, min(workers, files.count))) { _ in
            let buffer = CopyBuffer.allocate()
            defer { buffer.deallocate() }
            while true {
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < files.count else { return }
                let result = one(files[index], source, known, buffer)
                results.withLock { $0[index] = result }
            }
        }
        var taken = Taken()
        for index in files.indices {
            guard let result = results.withLock({ $0[index] }) else { continue }
            let one = try result.get()
            taken.inputs.append(one.input)
            guard let path = one.path, let status = one.status else { continue }
            taken.known.entries[path] = KnownDigests.Entry(status: status, digest: one.input.digest)
        }
        taken.inputs.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        return taken
    }

    private static func one(
        _ file: InputFile, _ source: any CaptureSource, _ known: KnownDigests, _ buffer: UnsafeMutableRawBufferPointer
    ) -> Result<One, Problem> {
        // A stretch of a file, as in an archive, has no status of its own.
        let path = source.location(of: file.path).flatMap { $0.range == nil ? $0.path : nil }
        // Before the bytes are read: whatever changes them afterwards changes the status too.
        let status = path.flatMap(FileSystem.status(of:))
        if let path, let status, let digest = known.digest(of: path, status) {
            let input = Receipt.Input(path: file.path, byteCount: status.byteCount, digest: digest)
            return .success(One(input: input, path: path, status: status))
        }
        do throws(Problem) {
            let (digest, count) = try Digest.of(try source.open(file.path), through: buffer)
            let input = Receipt.Input(path: file.path, byteCount: count, digest: digest)
            return .success(One(input: input, path: path, status: status?.byteCount == count ? status : nil))
        } catch { return .failure(error) }
    }
}

extension FileSystem.Status {
    /// When the file changed last, by either of its times.
    var latest: Int64 { max(modified, changed) }
}
