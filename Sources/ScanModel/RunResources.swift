/// What a run gives to whoever works for a capture. Results do not depend on it.
public struct RunResources: Hashable, Sendable {
    /// Threads that may work at once; 0 leaves it to whoever works. More than there are free cores cost more time in all.
    public var threads: Int
    /// Threads that decode a video, as ``threads``. Of a damaged one, more than one make something else each time, so that
    /// such a capture is run again with one: see ``TrackEnd/isChance``.
    public var videoThreads: Int
    /// Seconds after which a program that neither reads nor writes is taken to hang, and is ended.
    public var patience: Int

    /// The ``patience`` of whoever does not say otherwise.
    public static let usualPatience = 600

    public init(threads: Int = 0, patience: Int = usualPatience) {
        self.threads = threads
        videoThreads = threads
        self.patience = patience
    }
}
