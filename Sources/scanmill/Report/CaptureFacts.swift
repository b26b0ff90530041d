import ScanModel
import ScanPipeline

/// What the report knows of one capture: from its receipt, its failure note and the run's record.
struct CaptureFacts: Sendable {
    /// What became of a capture.
    enum Fate: Sendable {
        /// It has a result, and nothing about it is odd.
        case ready
        /// It has a result that a person should look at.
        case look
        case failed(Failure)
        /// It is still arriving, another runner works on it, the run ended before its turn, or left it out.
        case waiting(Wait)
    }

    struct Failure: Sendable {
        /// Nil where the run did not say why.
        var problem: Problem?
        /// What its result is like, where that is why, and not its last attempt.
        var damage: Damage?
    }

    enum Damage: Sendable {
        /// The result is broken and nothing can make it again.
        case lost
        /// A run would take the result for up to date, and only `--force` makes it again.
        case unnoticed
    }

    struct Wait: Sendable {
        var why: String?
        /// Whether the run was asked to leave it out.
        var isExcluded = false
        /// Whether nobody can tell if OUT has a result of it; ``why`` says why.
        var isUnreadable = false
        /// Whether a result of it was made, also where that is gone or cannot be read.
        var hadResult = false
    }

    /// The same in one word, by which captures are counted and coloured.
    enum Status: String, Sendable, CaseIterable {
        case ready
        case look
        case failed
        case waiting
    }

    var id: String
    var fate = Fate.ready
    /// The capture's path as it was given.
    var input: String?
    var device: String?
    var format: String?
    /// What it had for stages to use; nil where the receipt does not say.
    var channels: Set<String>?
    /// Whether it is no longer where it was: no command would find it.
    var isGone = false
    /// Whether OUT has a result, even an earlier run's.
    var hasResult = false
    var frames: FrameAccount?
    var measured = Measured()
    var warnings: [String] = []
    /// What the copy has lost, by the warnings that say so.
    var copyLosses: [String: CopyLoss] = [:]
    /// What follows from the pipeline; the capture is not odd because of it.
    var notes: [String] = []
    var fileCount = 0
    var byteCount: Int64 = 0
    /// What the result rests on: its key, the tool, and the digest of the resolved pipeline that made it.
    var key: String?
    var tool: String?
    var pipeline: Digest?
    /// Of all input files of its result; nil where the receipt lists none.
    var inputs: Digest?
    /// How it went in this run; nil when it did not run.
    var share: RunOutcome.Share?
    /// Whether it is as an earlier run left it.
    var isFromBefore = false
    /// When it was tried last, of one that failed before this run.
    var tried: RunMoment?
    /// Why it ran in this run.
    var reason: String?
    /// While this stays, so do the capture's pictures: the result's key, or the failure's fingerprint.
    var pictureKey: String?
    var thumbnails = Thumbnails.Shown.unexplained
    /// What a stage drew of its mesh or cloud, small: the file beside the page, once it is put there.
    var drawing: String?
    /// Whether that stands for the capture, which has no pictures of its own. Of one that failed it shows an older result.
    var isSeenByDrawing: Bool { drawing != nil && thumbnails.strip == nil && status != .failed }

    init(id: String) { self.id = id }

    var status: Status {
        switch fate {
        case .ready: .ready
        case .look: .look
        case .failed: .failed
        case .waiting: .waiting
        }
    }

    /// Nil for one that did not fail.
    var failure: Failure? { if case .failed(let failure) = fate { failure } else { nil } }

    /// Why it failed.
    var problem: Problem? { failure?.problem }

    /// Whether the same run may succeed once it is mended; what is gone is not found.
    var isRepeatable: Bool { !isGone && problem?.isMendable(id, at: input ?? "") != false }

    /// Nil for one that does not wait.
    var wait: Wait? { if case .waiting(let wait) = fate { wait } else { nil } }

    /// Frames of the source, by what became of them.
    struct FrameAccount: Sendable, Hashable {
        struct Loss: Sendable, Hashable {
            var stage: String
            /// What the reasons have in common, and one of them as the receipt has it.
            var reason: Phrase
            var example: String
            var count: Int
        }

        var source: Int
        var kept: Int
        /// By stage in the order of the pipeline, then the most frequent reason first.
        var losses: [Loss]

        var dropped: Int { source - kept }
        var keptShare: Double { source == 0 ? 0 : Double(kept) / Double(source) }

        /// The stages that dropped any, in the order of the pipeline.
        var droppingStages: [String] {
            losses.map(\.stage).unique
        }

        /// Frames that a stage dropped.
        func dropped(by stage: String) -> Int { losses.reduce(0) { $0 + ($1.stage == stage ? $1.count : 0) } }
    }

    // MARK: - From a receipt

    mutating func take(receipt: JSONValue) {
        hasResult = true
        device = receipt["capture"]?["device"]?.string
        format = receipt["capture"]?["format"]?.string
        channels = receipt["capture"]?["channels"]?.array.map { Set($0.compactMap(\.string)) }
        key = receipt["key"]?.string
        pictureKey = key
        tool = receipt["tool"]?.string
        pipeline = receipt["pipeline"].map(Digest.of)
        let inputs = (receipt["inputs"]?.array ?? []).compactMap { $0["sha256"]?.string }
        if !inputs.isEmpty { self.inputs = Digest.of(inputs.sorted().joined(separator: "\n")) }
        warnings = receipt["warnings"]?.array?.compactMap(\.string) ?? []
        notes = receipt["notes"]?.array?.compactMap(\.string) ?? []
        let files = receipt["files"]?.array ?? []
        fileCount = files.count
        byteCount = PublishedResult.sum(files.map { $0["bytes"]?.integer ?? 0 })
        let stages = receipt["stages"]?.array ?? []
        frames = receipt["frames"].map { Self.account($0, of: id, order: stages.compactMap { $0["name"]?.string }) }
        takeLosses(of: receipt)
        measured = Measured(
            stages, files: files.compactMap { $0["path"]?.string }, of: receipt["capture"]?["id"]?.string ?? id,
            frameCount: frames?.source ?? 0)
        let dropped = receipt["frames"]?["dropped"]?.array?.compactMap { $0["frame"]?.asCount }
        measured.motion?.jumps.forget(Set(dropped ?? []), of: frames?.source ?? 0)
    }

    private static func account(_ json: JSONValue, of id: String, order: [String]) -> FrameAccount {
        struct Cause: Hashable {
            var stage: String
            var reason: Phrase
        }
        var causes: [Cause: FrameAccount.Loss] = [:]
        for drop in json["dropped"]?.array ?? [] {
            let example = drop["reason"]?.string ?? ""
            let cause = Cause(stage: drop["stage"]?.string ?? "", reason: Phrase(example, id: id))
            let first = FrameAccount.Loss(stage: cause.stage, reason: cause.reason, example: example, count: 0)
            causes[cause, default: first].count += 1
            causes[cause]?.reason.merge(cause.reason)
        }
        let places = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
        return FrameAccount(
            source: json["source"]?.asCount ?? 0, kept: json["kept"]?.asCount ?? 0,
            losses: causes.values.sorted {
                (places[$0.stage] ?? .max, $1.count, $0.reason.text)
                    < (places[$1.stage] ?? .max, $0.count, $1.reason.text)
            })
    }
}
