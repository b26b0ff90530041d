import ScanModel
import ScanPipeline

/// The folder of a capture's result, as it was before a child began to work on it.
struct ResultBefore {
    private let job: CaptureJob
    /// Tells a published folder from the one that replaces it.
    private let identity: FileSystem.Identity?

    init(_ job: CaptureJob) {
        self.job = job
        identity = Self.identity(of: job)
    }

    /// Says that there is a new result: a child may have been ended between renaming it into place and saying so.
    var newResult: String? {
        guard let now = Self.identity(of: job), now != identity else { return nil }
        return Problem.newResult(of: job.input.id)
    }

    /// What the end of a child left there, as people read it.
    var whatBecameOfIt: String {
        if let newResult { return newResult }
        // The old result was moved away to make room for the new one.
        let isAway = Self.identity(of: job) == nil
        let older = isAway ? "is put back by the next run" : "is unchanged"
        return Problem.nothingPublished(of: job.input.id, older: identity == nil ? nil : older)
    }

    private static func identity(of job: CaptureJob) -> FileSystem.Identity? {
        FileSystem.identity(of: "\(job.output)/\(job.input.id)")
    }
}
