import ScanModel

/// A step of a pipeline. The roles that a stage conforms to say what it can do: ``FrameStage``, ``FoldStage``,
/// ``ParcelStage``, ``CaptureStage``, ``NeighbourStage``, ``DemandingStage``; it may take more than one.
///
/// A stage is a value: it reads its options once and is never changed afterwards.
public protocol Stage: Sendable {
    /// What people read about the stage, and the name that pipelines use for it.
    static var card: StageCard { get }

    /// Declares and reads the options. Called once to describe the stage, and once for each time it occurs in a
    /// pipeline; mistakes are collected in `options`, so there is nothing to throw.
    init(_ options: inout OptionReader)

    /// What this instance needs and makes, given its options.
    var uses: Uses { get }

    /// The versions of the programs that this stage will use for a capture, by name: they decide the result too.
    func toolVersions(for capture: Capture) throws(Problem) -> [String: String]
}

extension Stage {
    public func toolVersions(for capture: Capture) throws(Problem) -> [String: String] { [:] }
}

/// Looks at one frame at a time. Many frames run at once; none can change the stage.
public protocol FrameStage: Stage {
    /// Looks at what all frames share, such as a file that an option names, before each pass: a mistake there is not
    /// any one frame's fault. Called before the `begin` of any stage; only in these two does `context.capture` hold the
    /// list of frames. Whatever it throws fails the capture.
    func prepare(_ context: StageContext) throws(Problem)

    /// Changes what the frame carries, or drops it by setting its ``FrameFacts/drop``. Not called for frames that are
    /// dropped. A later pass that needs what the stage made calls it again for the same frame, with the same result;
    /// what it counts then is discarded.
    /// - Throws: a problem with fault `input` when this frame's data is bad: the frame is then dropped or the capture
    ///   fails, as the capture's rules say. Any other fault fails the capture.
    func process(_ frame: inout Frame, in context: StageContext) throws(Problem)
}

extension FrameStage {
    public func prepare(_ context: StageContext) throws(Problem) {}
}

/// Takes the frames one at a time, in frame order, into something that grows: a voxel grid, an output stream. It never
/// holds frames.
///
/// Whatever it throws fails the capture: a frame that was half taken can be neither kept nor dropped.
public protocol FoldStage: Stage {
    /// What grows: a value of the stage's own; each run makes a new one.
    associatedtype Fold

    /// Makes what grows, before the first frame. Here, and in `prepare`, `context.capture` holds the list of frames.
    func begin(_ context: StageContext) throws(Problem) -> Fold

    /// Takes the next frame that is not dropped, after the stage's own `process` if it is a ``FrameStage`` too.
    func fold(_ frame: inout Frame, into fold: inout Fold, in context: StageContext) throws(Problem)

    /// Finishes what has grown, once every frame is through, and puts the outcome into the capture. Not called when no
    /// frame is left.
    func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem)

    /// Whether a frame that went into the fold is part of the result, so that the capture is run again without it when a
    /// later stage finds it bad. A stage that makes only figures from frames, or a picture to look at, says no.
    var bindsFrames: Bool { get }
}

extension FoldStage {
    public var bindsFrames: Bool { true }
}

/// Works on many frames at once, and takes what it has made of each in frame order, as most writers do: a
/// ``FrameStage`` whose parallel half hands a parcel to the ordered half of the same stage, a ``FoldStage``.
public protocol ParcelStage: FrameStage, FoldStage {
    /// What is made of a frame: a value of the stage's own; an optional where there is nothing to hand over of some.
    associatedtype Parcel: Sendable

    /// Stands in place of ``FrameStage/process(_:in:)``, with the same rules. The parcel of a frame that is dropped here
    /// is discarded.
    func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Parcel

    /// Stands in place of ``FoldStage/fold(_:into:in:)``.
    /// - Parameter parcel: what ``parcel(of:in:)`` has made of this frame.
    func fold(
        _ parcel: Parcel, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem)
}

extension ParcelStage {
    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        frame.parcel = Handed(try parcel(of: &frame, in: context))
    }

    /// - Throws: a problem with fault `tool`, too, when nothing was handed over.
    public func fold(_ frame: inout Frame, into fold: inout Fold, in context: StageContext) throws(Problem) {
        // Between the two halves no other stage comes, so one place is enough for all of a pass.
        guard let handed = frame.parcel.take() as? Handed<Parcel> else {
            throw Problem(.tool, "the frame's turn has come, and the stage has made nothing of it")
        }
        try self.fold(handed.parcel, of: &frame, into: &fold, in: context)
    }
}

/// A parcel under way. Without it, one that is nil could not be told from none.
private final class Handed<Parcel: Sendable>: Sendable {
    let parcel: Parcel

    init(_ parcel: Parcel) { self.parcel = parcel }
}

/// Waits for every frame, then works on the capture as a whole: light records only.
public protocol CaptureStage: Stage {
    /// Called once, in the order of the list, when every frame has been through the stages above. A problem fails the
    /// capture. Not called when no frame is left.
    /// - Parameter capture: as it is now, with all its frames' facts, dropped ones too.
    func finish(_ capture: inout Capture, in context: StageContext) throws(Problem)
}

/// Compares a few frames in a row and drops some of them: a bounded form of a ``CaptureStage`` whose `finish` drops
/// frames. The runner makes the frames wait for each other, or looks at their facts when all are through; the stage
/// never holds them.
public protocol NeighbourStage: CaptureStage {
    /// How many frames in a row are compared with each other at most; nil where this instance compares none, or all of them.
    /// The stage says in its ``Uses`` that its `finish` drops frames.
    /// - Parameter frames: those that are left; some of them may be dropped before their turn comes.
    func mostNeighbours(among frames: [FrameFacts]) -> Int?

    /// Whether a frame is compared with those before it.
    /// - Parameter first: the first of these.
    func isNeighbour(_ frame: FrameFacts, of first: FrameFacts) -> Bool

    /// The frames to drop, and why.
    /// - Parameter frames: neighbours as the stages above and the stage's own `process` have left them.
    func drops(among frames: [FrameFacts]) -> [(frame: Int, reason: String)]
}

extension NeighbourStage {
    public func isNeighbour(_ frame: FrameFacts, of first: FrameFacts) -> Bool { true }

    /// The frames that are compared with each other, group by group; empty where none are.
    func groups(of frames: [FrameFacts]) -> [[FrameFacts]] {
        guard let most = mostNeighbours(among: frames) else { return [] }
        var groups: [[FrameFacts]] = []
        for frame in frames {
            if let group = groups.last, group.count < most, isNeighbour(frame, of: group[0]) {
                groups[groups.count - 1].append(frame)
            } else {
                groups.append([frame])
            }
        }
        return groups
    }
}

/// A stage that needs more of a capture than its channels.
public protocol DemandingStage: Stage {
    /// Looks at what is known of a capture when it has been opened, before any frame is read, so that nobody waits for
    /// a failure that is certain.
    /// - Parameters:
    ///   - capture: as it was opened, without a box, floor or cloud that a stage above may make or change.
    ///   - label: the stage's name in the pipeline.
    /// - Throws: what `finish` would throw in the end.
    func check(_ capture: Capture, _ label: String) throws(Problem)

    /// Looks at the files that the options name, at the same time; by default at none. Called where there are any.
    /// - Parameter context: the capture is in it as it was opened; what is counted and said is discarded.
    /// - Throws: what `prepare`, `begin` or `finish` would throw.
    func checkFiles(_ context: StageContext) throws(Problem)

    /// Ways to do without a need that depend on the capture; nil for those of ``Uses/instead``, which is the default.
    /// - Parameters:
    ///   - group: the channels of which the stage needs one, and the capture has none.
    ///   - label: the stage's name in the pipeline.
    func instead(of group: [Channel], for capture: Capture, _ label: String) -> [Uses.Instead]?
}

extension DemandingStage {
    public func checkFiles(_ context: StageContext) throws(Problem) {}

    public func instead(of group: [Channel], for capture: Capture, _ label: String) -> [Uses.Instead]? { nil }
}

/// What people read about a stage.
public struct StageCard: Sendable {
    /// Kebab-case, verb-noun or one verb; the file and the type are named after it.
    public var name: String
    /// One sentence.
    public var summary: String
    /// Markdown: rules, formulas, where they come from, what the receipt holds.
    public var details: String
    /// Lines of a pipeline that show the stage at work.
    public var example: String
    /// Raised by the author when the stage's results change, so that captures are processed again.
    public var revision: Int

    public init(name: String, summary: String, details: String, example: String, revision: Int = 1) {
        self.name = name
        self.summary = summary
        self.details = details
        self.example = example
        self.revision = revision
    }
}
