/// What a run grants to the code that works on a capture. Results do not depend on it.
public struct RunResources: Hashable, Sendable {
    /// Threads that may work at once; 0 leaves the choice to that code. More threads than free cores cost time overall.
    public var threads: Int
    /// Threads that decode a video, as ``threads``. With more than one, a damaged video decodes differently each time,
    /// so such a capture is run again with one thread: see ``TrackEnd/isChance``.
    public var videoThreads: Int
    /// Seconds after which a program that neither reads nor writes is considered hung, and is ended.
    public var patience: Int

    /// The default ``patience``.
    public static let usualPatience = 600

    public init(threads: Int = 0, patience: Int = usualPatience) {
        self.threads = threads
        videoThreads = threads
        self.patience = patience
    }
}
