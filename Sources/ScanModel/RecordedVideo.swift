/// The video that a capture's pictures come from.
public struct RecordedVideo: Hashable, Sendable {
    /// Relative to the capture.
    public var file: String
    /// Which of its frames each frame's picture is, ascending, if it lacks some in between; nil if its frame n is frame
    /// n of the capture.
    public var places: [Int?]?
    /// Whether its times were compared with the frames' own.
    public var comparesTimes = false
    /// Whether frames that its edit list hides count too, as with an app that lists them like the others.
    public var ignoresEditList: Bool
    /// Says that it was cut off and is used as far as its frames are whole.
    public var cut: Problem?

    public init(_ file: String, ignoresEditList: Bool = false) {
        self.file = file
        self.ignoresEditList = ignoresEditList
    }

    /// The number of its frame that is this frame's picture; nil where it is known to lack it.
    public func place(of index: Int) -> Int? {
        guard let places else { return index }
        return places.indices.contains(index) ? places[index] : nil
    }
}
