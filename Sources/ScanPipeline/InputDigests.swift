import Dispatch
import ScanModel
import Synchronization

/// The SHA-256 of the input files that a run uses.
package enum InputDigests {
    /// - Throws: the problem of the first file, in the order given, that cannot be read.
    package static func take(
        _ files: [InputFile], from source: any CaptureSource, workers: Int
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
                let result = one(files[index], source)
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

    private static func one(_ file: InputFile, _ source: any CaptureSource) -> Result<Receipt.Input, Problem> {
        do throws(Problem) {
            let (digest, count) = try Digest.of(try source.open(file.path))
            return .success(Receipt.Input(path: file.path, byteCount: count, digest: digest))
        } catch { return .failure(error) }
    }
}
