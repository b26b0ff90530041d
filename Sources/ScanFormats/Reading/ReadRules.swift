import ScanModel

/// How `read` deals with what is not as it should be.
public struct ReadRules: Hashable, Sendable {
    public enum Mismatch: String, CaseIterable, Sendable { case auto, shortest, fail }
    public enum Truncated: String, CaseIterable, Sendable {
        case fail
        case keepWhole = "keep-whole"
    }

    /// Streams of different lengths.
    public var mismatch = Mismatch.auto
    /// A file of many frames that ends early: a packed stream, a video, a `.sens` file, ScanNet's `.depth`, ScanNet++'s
    /// `depth.bin`, one of TUM's lists. These rules do not cover one that holds wrong bytes.
    public var truncated = Truncated.fail
    /// With ``Truncated/keepWhole``, the share of the frames below which those before the cut are too few to be the capture.
    public var minWhole = 0.5
    /// With ``Truncated/keepWhole``, whether frames before wrong bytes count too, though nothing tells which of them are
    /// right: only for looking at a capture.
    var countsDoubtfulFrames = false
    /// A frame whose own data is bad.
    public var onBadFrame = BadFrameRule.drop
    /// The share of bad frames above which the capture fails.
    public var badFrameLimit = 0.05
    /// What a capture may hold; more is refused before memory is allocated for it. Frames, of any stream: an hour at 60
    /// a second has 216,000.
    public var maxFrames = 250_000
    /// Bytes of a camera line.
    public var maxLine = 1_000_000
    /// Pixels of a picture, of a video's frame, of a depth map.
    public var maxPicturePixels = PictureLimits.standard.pixels
    /// Points of a model that a capture brings along.
    public var maxPoints = 50_000_000
    /// Whether a capture without camera lines fails. Nothing can be made of one, but it can be looked at.
    var needsCameras = true
    /// Whether depth that lies on its side beside upright pictures fails the capture. It can be looked at all the same.
    var refusesTurnedDepth = true
    /// What an archive may hold.
    public var archive = ArchiveLimits()
    /// The resources for it: threads that look at a capture's pictures at once, time for programs that look at its
    /// video.
    public var resources = RunResources(threads: 1)

    public init() {}

    /// The largest values of the options that raise ``maxFrames`` and the other limits.
    public static let (mostFrames, mostPicturePixels, mostPoints) = (100_000_000, 1_000_000_000, 1_000_000_000)

    /// For looking at a capture: goes on wherever that is possible, and notes what it skipped in ``Capture/forgiven``
    /// and ``TrackEnd/forgiven``.
    public static var forgiving: ReadRules {
        var rules = ReadRules()
        rules.mismatch = .shortest
        rules.truncated = .keepWhole
        rules.minWhole = 0
        rules.countsDoubtfulFrames = true
        rules.needsCameras = false
        rules.refusesTurnedDepth = false
        return rules
    }

    var pictureLimits: PictureLimits { PictureLimits(pixels: maxPicturePixels) }

    /// - Parameters:
    ///   - stream: what is counted, as messages call it: "pictures".
    ///   - file: the file that lists them, where the caller does not name it.
    /// - Throws: when these are more than a capture may have.
    func check(frames: Int, of stream: String, in file: String? = nil) throws(Problem) {
        if frames <= maxFrames { return }
        let excess = "there \(maxFrames.isOrAre) more than \(maxFrames.counted(plural: stream))"
        throw Problem(.input, excess, fix: Self.wayToAllowFrames(frames, limit: maxFrames)).at(file: file)
    }

    /// - Parameter file: the file that tells the size, where the caller does not name it.
    /// - Throws: when a picture of this size is larger than allowed.
    func check(_ size: PixelSize, of stream: String, in file: String? = nil) throws(Problem) {
        if size.width <= maxPicturePixels / max(1, size.height) { return }
        throw Problem(
            .input, "the \(stream) is \(size), more than \(maxPicturePixels.counted("pixel"))",
            fix: Self.wayToAllowPicture(of: size)
        ).at(file: file)
    }

    /// The fix for more of something than allowed: the option that allows it, or, where that does not go so far, a
    /// doubt.
    /// - Parameters:
    ///   - option: of `read`.
    ///   - number: what it has to allow.
    ///   - most: the most that it can allow.
    static func wayToAllow(_ option: String, _ number: Int, of most: Int) -> String {
        number <= most
            ? "if that is right, allow more with  --set read.\(option)=\(number)"
            : "copy the file again: nothing so large is read"
    }

    /// The fix for too many frames, with `max-frames`.
    /// - Parameters:
    ///   - frames: how many were counted so far; there may be more.
    ///   - limit: the limit that they exceed.
    static func wayToAllowFrames(_ frames: Int, limit: Int) -> String {
        wayToAllow("max-frames", counted: frames, limit: limit, of: mostFrames)
    }

    /// The fix for too many points of a model, with `max-points`.
    /// - Parameter points: how many there are; nil where they were not counted to the end.
    static func wayToAllowPoints(_ points: Int?, limit: Int) -> String {
        points.map { wayToAllow("max-points", $0, of: mostPoints) }
            ?? wayToAllow("max-points", counted: limit + 1, limit: limit, of: mostPoints)
    }

    /// The fix for a picture that is too large, with `max-picture-pixels`.
    static func wayToAllowPicture(of size: PixelSize) -> String {
        let (pixels, isOverflow) = size.width.multipliedReportingOverflow(by: size.height)
        return wayToAllow("max-picture-pixels", isOverflow ? .max : pixels, of: mostPicturePixels)
    }

    /// For what was not counted to its end: twice the limit, as far as the option goes.
    private static func wayToAllow(_ option: String, counted: Int, limit: Int, of most: Int) -> String {
        wayToAllow(option, max(counted, min(2 * limit, most)), of: most)
    }

    /// Decides whether the whole frames of a file that was cut off are kept.
    /// - Parameter failure: what the default rules throw, made with `mendable(cutAfter:of:)`.
    /// - Returns: what fails the capture; nil when they are kept. Where nobody has counted them, none is.
    public func refusal(of failure: Problem) -> Problem? {
        guard truncated == .keepWhole, let cut = failure.cut else { return failure }
        if isEnough(cut) { return nil }
        let least = (minWhole * 100).shortText
        var refusal = failure.noting(
            "\(cut.whole.counted(of: cut.count, "frame", "is", "are")) whole; the minimum is \(least) %")
        let keeping = cut.whole > 0 ? ", or keep them all the same with  \(Self.taking(cut))" : ""
        refusal.fix = "copy the file again from the device\(keeping)"
        return refusal
    }

    /// How a fix goes on where the whole frames of a file that was cut off could be kept; empty where there are none.
    fileprivate static func wayToKeep(_ cut: Problem.Cut) -> String {
        if cut.whole == 0 { return "" }
        return ", or keep the whole frames with  --set read.truncated=keep-whole"
            + (ReadRules().isEnough(cut) ? "" : " \(taking(cut))")
    }

    /// Whether ``minWhole`` allows so few frames. Shares are compared, not counts: 0.14 · 50 comes out above 7.
    private func isEnough(_ cut: Problem.Cut) -> Bool {
        cut.count == 0 || Double(cut.whole) / Double(cut.count) >= minWhole
    }

    /// The setting that allows so few, rounded down so that it does.
    private static func taking(_ cut: Problem.Cut) -> String {
        "--set read.min-whole=\((Double(100 * cut.whole / max(1, cut.count)) / 100).shortText)"
    }

    /// How far streams may differ in length before the capture fails under `auto`: 3 frames, or 1 % of the longest.
    public func tolerance(longest: Int) -> Int { max(3, longest / 100) }

    /// The smallest number of frames beyond `frames` that ``tolerance(longest:)`` does not allow.
    func firstExcess(over frames: Int) -> Int {
        var excess = 1
        while excess <= tolerance(longest: frames + excess) { excess += 1 }
        return excess
    }

    /// Decides what different numbers of frames mean.
    /// - Parameters:
    ///   - counts: the streams, as messages call them, with their numbers of frames.
    ///   - goesOn: whether the last of them was not read to its end, and has at least that many.
    /// - Returns: the number of frames to use: the shortest stream's.
    /// - Throws: when the rule does not allow the difference; all counts are named.
    public func reconcile(
        _ counts: [(stream: String, frames: Int)], goesOn: Bool = false
    ) throws(Problem) -> Int {
        let shortest = counts.map(\.frames).min() ?? 0
        let longest = counts.map(\.frames).max() ?? 0
        let difference = longest - shortest
        let isAllowed =
            switch mismatch {
            case .auto: difference <= tolerance(longest: longest)
            case .shortest: true
            case .fail: difference == 0
            }
        if isAllowed { return shortest }
        let limit = mismatch == .fail ? "none" : "at most \(tolerance(longest: longest))"
        let named = counts.map { "\($0.stream): \($0.frames)" }.joined(separator: ", ")
        throw Problem(
            .input, "the streams differ in length by \(goesOn ? "at least " : "")\(difference.counted("frame"))",
            notes: [named + (goesOn ? " or more" : ""), "allowed: \(limit)"],
            fix:
                "copy the capture again; if only the end is missing, the frames that all streams have can be used "
                + "with  --set read.mismatch=shortest")
    }

    /// The same, noting what only these rules allow.
    /// - Parameter forgiven: gets what the default rules would have thrown.
    @discardableResult
    func reconcile(
        _ counts: [(stream: String, frames: Int)], noting forgiven: inout [Problem]
    ) throws(Problem) -> Int {
        let shortest = try reconcile(counts)
        forgiven += self.forgiven(counts)
        return shortest
    }

    /// What the default rules would have thrown for these numbers of frames, which these rules allow.
    func forgiven(_ counts: [(stream: String, frames: Int)], goesOn: Bool = false) -> [Problem] {
        do throws(Problem) {
            _ = try ReadRules().reconcile(counts, goesOn: goesOn)
            return []
        } catch { return [error] }
    }
}

extension Problem {
    /// The same of a file that was cut off, with ``ScanModel/Problem/cut``, and a fix that also says what can be done
    /// with the whole frames.
    /// - Parameters:
    ///   - whole: the frames before the cut.
    ///   - count: the frames that there should be.
    package func mendable(cutAfter whole: Int, of count: Int) -> Problem {
        let cut = Cut(whole: whole, count: count)
        var copy = self
        copy.cut = cut
        copy.fix = (fix ?? "copy the file again") + ReadRules.wayToKeep(cut)
        return copy
    }
}
