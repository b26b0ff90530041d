import ScanModel

/// The one size of all pictures, or of all depth, in formats with room for only one.
struct OneSize {
    /// That of the first; nil before.
    private(set) var size: PixelSize?

    /// - Throws: if a frame's pictures differ in size from those before.
    mutating func add(pictures other: PixelSize) throws(Problem) {
        guard let before = take(other) else { return }
        throw Self.noPlace("the frame's pictures are \(other), and those before are \(before)")
    }

    /// - Throws: if a frame's depth differs in size from that before.
    mutating func add(depth other: PixelSize) throws(Problem) {
        guard let before = take(other) else { return }
        throw Self.noPlace("the frame's depth is \(other), and that of others is \(before)")
    }

    /// - Returns: the size that it should have been; nil where it is.
    private mutating func take(_ other: PixelSize) -> PixelSize? {
        size = size ?? other
        return size == other ? nil : size
    }

    private static func noPlace(_ summary: String) -> Problem {
        Problem(
            .input, summary, notes: ["the format has one size for all"],
            fix: "leave the frames of other sizes out with select-frames, or write transforms or COLMAP"
        ).ofPipeline()
    }
}
