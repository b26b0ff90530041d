import ScanModel

/// What results are made with, besides captures and other programs: a pipeline, and the revisions of the stages and of
/// the readers that carry it out. It tells a result from one that a run was to make.
struct Recipe {
    /// Resolved.
    let pipeline: JSONValue?
    /// ``Pipeline/digest``, which the stages' revisions decide too; nil where it was not kept.
    let digest: Digest?
    /// Those of the stages, in their order; nil where they were not kept.
    private let revisions: [Int]?
    /// For each stage, its options that are not at their defaults; nil where this was not kept.
    private let deviating: [Set<String>]?
    /// Those of the readers; for a result, only that of its own format.
    private let formats: FormatRevisions

    /// What a run was to make results with.
    init(of pipeline: Pipeline, formats: FormatRevisions) {
        // As records have it: a number that is whole is written as such.
        let resolved = try? JSONValue.parse(JSONWriter.text(pipeline.resolved), file: "")
        self.pipeline = resolved ?? pipeline.resolved
        digest = pipeline.digest
        revisions = pipeline.steps.map(\.revision)
        deviating = pipeline.deviating
        self.formats = formats
    }

    /// What a result was made with.
    /// - Parameters:
    ///   - pipeline: as its receipt has it.
    ///   - known: what else is known of the result.
    init(_ pipeline: JSONValue?, _ known: ResultState? = nil) {
        self.pipeline = pipeline
        digest = known?.pipeline
        revisions = known?.revisions
        deviating = nil
        formats = FormatRevisions(byName: known.map { [$0.format: $0.formatRevision] } ?? [:])
    }

    /// Whether a result with this recipe is what a run with another one was to make, as far as is known.
    func meets(_ wanted: Recipe) -> Bool {
        hasPipeline(of: wanted) && formats.readOtherwise(by: wanted.formats).isEmpty
    }

    private func hasPipeline(of other: Recipe) -> Bool {
        if let digest, let otherDigest = other.digest { return digest == otherDigest }
        return PipelineChange.changes(from: pipeline, to: other.pipeline, deviating: other.deviating).isEmpty
    }

    /// How another one differs, in words.
    func change(to new: Recipe) -> String {
        guard hasPipeline(of: new) else {
            return PipelineChange.text(
                from: pipeline, to: new.pipeline, deviating: new.deviating,
                revisions: (before: revisions, after: new.revisions))
        }
        return PipelineChange.text(ofFormats: formats.readOtherwise(by: new.formats))
    }
}

extension Recipe {
    private static let key = (digest: "pipeline-digest", formats: "formats-digest")

    /// As a run's plan has it. The digests come first: they are enough to tell a plan by, which may name many captures.
    var json: JSONObject {
        [
            Self.key.digest: .string(digest?.hex ?? ""), Self.key.formats: .string(formatsDigest.hex),
            "pipeline": pipeline, "revisions": .object(["stages": .of(revisions ?? []), "formats": formats.json]),
            "not-at-defaults": deviating.map { .array($0.map { .of($0.sorted()) }) },
        ]
    }

    /// Of a run's plan.
    init(plan: JSONValue?) {
        pipeline = plan?["pipeline"]
        let kept = plan?["revisions"]
        revisions = kept?["stages"]?.array?.compactMap { $0.integer.flatMap { Int(exactly: $0) } }
        deviating = plan?["not-at-defaults"]?.array?.map { Set(($0.array ?? []).compactMap(\.string)) }
        // Without revisions it is the digest of the pipeline alone, as earlier versions wrote it.
        digest = kept == nil ? nil : plan?[Self.key.digest]?.string.flatMap(Digest.init(hex:))
        formats = FormatRevisions(kept?["formats"])
    }

    /// How many of a plan's first bytes tell whether its recipe is the same.
    static let headLength = 256

    /// Whether a plan that begins so is one with this recipe.
    func isSame(asPlanWithHead head: String) -> Bool {
        if head.contains("\"\(Self.key.formats)\"") {
            guard let digest else { return false }
            return head.contains(digest.hex) && head.contains(formatsDigest.hex)
        }
        return pipeline.map { head.contains(Digest.of($0).hex) } ?? false
    }

    private var formatsDigest: Digest { Digest.of(formats.json) }
}
