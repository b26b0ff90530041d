import ScanModel

/// The result that stands under a capture's id. It may be another capture's: ids are names of folders, and two captures
/// in different places may share one.
struct OlderResult {
    private let place: ResultPlace
    /// Nil where its receipt is damaged.
    private let published: PublishedResult?
    /// What earlier runs have found out about it.
    private let known: ResultState?
    /// Whether it was made of what lay where the capture lies.
    private let isOfSamePlace: Bool

    /// - Parameters:
    ///   - published: the result there, if its receipt can be read.
    ///   - known: what is known of a result with this id.
    ///   - path: the capture's.
    /// - Returns: nil where there is no result, or nothing to tell by whose it is.
    init?(at place: ResultPlace, _ published: PublishedResult?, known: ResultState?, under path: String) {
        // Where the receipt is damaged, what is known of its result is all that there is to go by.
        if published == nil, !place.holdsResult || known == nil { return nil }
        self.place = place
        self.published = published
        // What is known may be of the result before this one, if this one's runner was killed before it could say so.
        self.known = published == nil || known?.key == published?.key ? known : nil
        isOfSamePlace = self.known.map { Self.isSamePlace($0.input, FileSystem.absolute(path)) } ?? false
    }

    /// Whether two paths are one capture's, however they are spelt.
    private static func isSamePlace(_ a: String, _ b: String) -> Bool {
        if a == b { return true }
        guard let a = FileSystem.realPath(a), let b = FileSystem.realPath(b) else { return false }
        return a == b
    }

    /// Whether it was made of this capture, in whatever state that was.
    func isOf(_ opened: OpenedCapture, _ pipeline: Pipeline) -> Bool {
        // Files beside the pipeline are every capture's, and tell none from another.
        let common = opened.inputs.filter { opened.options[$0.path] != nil }.map(\.digest.hex)
        let own = opened.inputs.filter { opened.options[$0.path] == nil }.map(\.digest.hex)
        let before = (published?.inputDigests ?? Set(known.map { $0.inputs.values.compactMap(\.digest?.hex) } ?? []))
            .subtracting(common)
        let shared = before.intersection(own).count
        if let known, isOfSamePlace { return shared > 0 || !known.isOfAnotherRecording(than: opened) }
        // Most of a capture that was moved is still the same, whatever was mended in it. Another pipeline may use less
        // of it; but where the other capture is still there, having a little of it proves nothing.
        let isOfThisPipeline = known.map { $0.pipeline == pipeline.digest } ?? published?.isMade(by: pipeline) ?? true
        if !isOfThisPipeline, !own.isEmpty, shared == Set(own).count { return true }
        let all = isOfThisPipeline || known?.isStillThere == true
        return shared * 2 >= (all ? before.count : min(before.count, own.count))
    }

    /// What to say where it is another capture's: it is not this one's to replace.
    var problemOfAnother: Problem {
        let isGone = !isOfSamePlace && known.map { FileSystem.isGone($0.input) } ?? false
        let origin = known.map {
            isOfSamePlace
                ? "it was made from another recording, which was in the same place"
                : "it was made from \($0.input), \(isGone ? "which is no longer there" : "and its files are others")"
        }
        // Renaming the other one leaves its result here under this one's name.
        let way = isGone ? "remove \(place.path) if that capture has another name now" : "rename this capture"
        return Problem(
            .usage, "the result of another capture has this name", notes: [origin ?? "it was made from other files"],
            fix: "\(way), choose another folder with -o, or replace the result with  --replace")
    }
}

extension ResultState {
    /// Whether any file of the capture that it was made of is as it was.
    fileprivate var isStillThere: Bool {
        let own = inputs.filter { !options.values.contains($0.key.path) }
        return own.contains { FileSystem.status(of: $0.key.path)?.hasBytes(of: $0.value.status) == true }
    }

    /// Whether a capture of which no file is what this result was made of is another recording: an app has used a name
    /// again, and not somebody exported or mended the same recording once more.
    fileprivate func isOfAnotherRecording(than opened: OpenedCapture) -> Bool {
        // What it was made of may lie beside what is read now.
        if isStillThere { return false }
        if format != opened.capture.format { return true }
        guard let before = span, let now = opened.span else { return false }
        return !before.overlaps(now)
    }
}
