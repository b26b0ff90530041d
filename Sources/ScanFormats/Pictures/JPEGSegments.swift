/// What precedes the pixels of a JPEG file: segments, each a marker and the bytes that belong to it.
///
/// Source: ITU-T T.81, B.1.1.
struct JPEGSegments: Sequence, IteratorProtocol {
    struct Segment {
        /// Without the FF in front of it: E1 is APP1.
        let marker: UInt8
        /// The first byte after its length.
        let start: Int
    }

    private let head: [UInt8]
    /// Where the next segment begins; after the last one, where the marker SOS is, with which the pixels begin, or as
    /// far as the bytes tell: that may be beyond their end.
    private(set) var place = 2

    /// - Parameter head: the file's first bytes, from the marker SOI on.
    init(_ head: [UInt8]) { self.head = head }

    mutating func next() -> Segment? {
        // FF bytes may pad the space before a marker; what else is no marker libjpeg skips too.
        while place + 3 < head.count, head[place] != 0xFF || !(0x01...0xFE ~= head[place + 1]) { place += 1 }
        guard place + 3 < head.count, head[place + 1] != 0xDA else { return nil }
        let segment = Segment(marker: head[place + 1], start: place + 4)
        // The length counts its own two bytes.
        let length = Int(head[place + 2]) << 8 | Int(head[place + 3])
        place += 2 + Swift.max(2, length)
        return segment
    }
}
