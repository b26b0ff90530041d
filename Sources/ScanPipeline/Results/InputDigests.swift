import ScanModel
import Synchronization

/// The SHA-256 of the input files that a run uses.
package enum InputDigests {
    /// The digests in the order of their paths, and those of them that a copy of the same file can reuse.
    package struct Taken: Sendable {
        package var inputs: [Receipt.File] = []
        /// The frames whose own files cannot be read to their ends, and why. The digest of such a file, and of one that
        /// nothing depends on, is that of what can be read.
        package var damagedFrames: [Int: Problem] = [:]
        package var known = KnownDigests()
        /// What the files on disk were like before their bytes were read; for an archive's parts, the archive.
        var statuses: [PathKey: KnownDigests.Entry] = [:]
        /// What lies in the folders that were to be looked at beside the files.
        var folders: [String: FolderContents] = [:]
    }

    private struct One: Sendable {
        var input: Receipt.File
        var damage: Problem?
        var location: FileLocation?
        var status: FileSystem.Status?
    }

    /// - Parameter folders: on disk, looked at by threads that would otherwise wait for the longest file.
    /// - Throws: the problem of the first file, in the order given, that cannot be read and that the capture depends
    ///   on; of any file where the machine is at fault.
    package static func take(
        _ files: [InputFile], from source: any CaptureSource, besides folders: [String] = [], workers: Int,
        known: KnownDigests = KnownDigests()
    ) throws(Problem) -> Taken {
        let results = Mutex([Int: Result<One, Problem>]())
        let contents = Mutex([String: FolderContents]())
        Parallel.share(files.count + folders.count, workers: workers) { next in
            let buffer = CopyBuffer.allocate()
            defer { buffer.deallocate() }
            while let index = next() {
                if index < files.count {
                    let result = one(files[index], source, known, buffer)
                    results.withLock { $0[index] = result }
                } else {
                    let folder = folders[index - files.count]
                    let found = FolderContents(of: folder)
                    contents.withLock { $0[folder] = found }
                }
            }
        }
        var taken = Taken(folders: contents.withLock(\.self))
        for index in files.indices {
            guard let result = results.withLock({ $0[index] }) else { continue }
            let one = try result.get()
            taken.inputs.append(one.input)
            if case .frame(let frame) = files[index].stake, let damage = one.damage {
                taken.damagedFrames[frame] = damage
            }
            guard let location = one.location, let status = one.status else { continue }
            // A stretch of a file, as in an archive, has no status of its own, and its digest is not the file's.
            let entry = KnownDigests.Entry(
                status: status, digest: location.range == nil && one.damage == nil ? one.input.digest : nil)
            taken.statuses[PathKey(location.path)] = entry
            if status.byteCount == one.input.byteCount { taken.known.entries[PathKey(location.path)] = entry }
        }
        taken.inputs.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        return taken
    }

    private static func one(
        _ file: InputFile, _ source: any CaptureSource, _ known: KnownDigests, _ buffer: UnsafeMutableRawBufferPointer
    ) -> Result<One, Problem> {
        let location = source.location(of: file.path)
        // Before the bytes are read: whatever changes them afterwards changes the status too.
        let status = location.flatMap { FileSystem.status(of: $0.path) }
        if let location, location.range == nil, let status, let digest = known.digest(of: location.path, status) {
            let input = Receipt.File(path: file.path, byteCount: status.byteCount, digest: digest)
            return .success(One(input: input, location: location, status: status))
        }
        do throws(Problem) {
            let read = Digest.of(try source.open(file.path), through: buffer)
            if let problem = read.problem, file.stake == .capture || problem.fault != .input { throw problem }
            let input = Receipt.File(path: file.path, byteCount: read.byteCount, digest: read.digest)
            return .success(One(input: input, damage: read.problem, location: location, status: status))
        } catch { return .failure(error) }
    }
}
