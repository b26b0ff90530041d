import ScanModel

/// The `.depth` file of ScanNet's recorder: for each frame a u32 length and that many bytes of Occipital's codec; after
/// all of them f64 seconds of each depth frame, then of each colour frame.
///
/// It holds no count: the frames end where the rest of the file is as long as their times.
struct ShiftFrames: Sendable {
    let file: FileSource
    let size: PixelSize
    /// The number of frames according to the description.
    let announced: Int?
    /// Each frame's bytes.
    private(set) var spans: [ByteSpan] = []
    /// Nanoseconds; empty where they are missing.
    private(set) var depthTimes: [Int64?] = []
    private(set) var colorTimes: [Int64?] = []
    /// Set where the file ends inside a frame, or inside the times after the last.
    private(set) var truncation: Problem?

    /// - Parameter announced: the number of frames according to the description, trusted where it fits.
    init(_ file: FileSource, size: PixelSize, announced: Int?, rules: ReadRules) throws(Problem) {
        self.file = file
        self.size = size
        self.announced = announced
        let total = file.byteCount
        var position: Int64 = 0
        // The number of frames for which the file's length works out exactly, and where they end.
        var even: (count: Int, end: Int64)?
        // Where the announced frames end.
        var said: Int64?
        while true {
            if !spans.isEmpty, total - position == 16 * Int64(spans.count) { even = (spans.count, position) }
            if spans.count == announced { said = position }
            if even?.count == announced ?? spans.count, even?.end == position { break }
            guard position <= total - 4 else { break }
            var cursor = LittleEndianCursor(try file.bytes(at: position, count: 4))
            let count = Int64(cursor.integer(as: UInt32.self))
            guard count <= total - position - 4 else { break }
            do throws(Problem) { try rules.check(frames: spans.count + 1, of: "depth frames") } catch {
                // After the frames anything may look like more of them.
                if said != nil || even != nil { break }
                throw error.at(file: file.name)
            }
            spans.append(ByteSpan(offset: position + 4, count: Int(count)))
            position += 4 + count
        }
        try takeTimes(said: said, even: even, end: position)
    }

    private mutating func takeTimes(said: Int64?, even: (count: Int, end: Int64)?, end: Int64) throws(Problem) {
        let total = file.byteCount
        if let even {
            spans.removeLast(spans.count - even.count)
            depthTimes = try times(at: even.end)
            colorTimes = try times(at: even.end + 8 * Int64(even.count))
            return
        }
        if let announced, let said {
            spans.removeLast(spans.count - announced)
            // Older files have one block of times.
            if total - said == 8 * Int64(announced) {
                depthTimes = try times(at: said)
                return
            }
        }
        let whole = spans.count
        truncation = Problem(
            .input, "the depth stream is truncated or damaged",
            notes: ["\(whole.counted("whole frame", "is", "are")) there, without the times that follow the last one"]
                + (announced.map { ["the description announces \($0)"] } ?? []),
            fix: "copy the file again"
        ).at(file: file.name, byte: said ?? end, of: total)
    }

    private func times(at offset: Int64) throws(Problem) -> [Int64?] {
        var cursor = LittleEndianCursor(try file.bytes(at: offset, count: 8 * spans.count))
        return spans.map { _ in RecordedTime.nanoseconds(seconds: cursor.double()) }
    }

    /// A frame's depth, whole millimetres; nil where there is none.
    func depth(of index: Int) throws(Problem) -> RecordedDepth? {
        guard spans.indices.contains(index) else { return nil }
        do throws(Problem) {
            guard spans[index].count <= PictureLimits.fileBytes else {
                throw Problem(.input, "a depth frame of \(spans[index].count.counted("byte"))")
            }
            let pixels = try ShiftCodec.decode(try file.bytes(of: spans[index]), count: size.width * size.height)
            return RecordedDepth(
                width: size.width, height: size.height, encoding: .uint16(unitsPerMetre: 1000),
                bytes: pixels.withUnsafeBytes { Array($0) })
        } catch { throw error.at(file: file.name, byte: spans[index].offset, of: file.byteCount) }
    }
}
