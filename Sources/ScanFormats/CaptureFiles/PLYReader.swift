import ScanModel

/// Reads the points of a PLY file in chunks: text or binary of either byte order, x, y, z of any type, nx, ny, nz as floats
/// or doubles, which become normals of length 1, red, green, blue as bytes, 16-bit numbers without a sign, or floats or
/// doubles from 0 to 1. Other properties are skipped, and so is everything after the vertices (faces, for the most part).
/// Positions become metres where ``PLYHeader/unit`` is another.
public struct PLYReader {
    public let header: PLYHeader
    /// How many points the header announces.
    public let pointCount: Int
    /// Which of the points' other properties are read.
    public let properties: PointCloud.Properties
    /// What the user should know about the file.
    public let warnings: [String]
    /// Points left out so far because a coordinate is not finite.
    public private(set) var notFiniteCount = 0
    private var clippedCount = 0
    /// Points read so far, including those left out.
    public private(set) var readCount = 0

    /// Bytes requested at once: a record may have thousands of properties.
    private static let chunkByteCount = 1 << 20
    /// An ASCII file's longest line, bytes.
    private static let lineLimit = 1 << 20
    /// What programs call colours; only the first three are read.
    private static let colorNames: Set = [
        "red", "green", "blue", "r", "g", "b", "diffuse_red", "diffuse_green", "diffuse_blue",
    ]
    private let vertex: PLYHeader.Element
    /// The places of x, y, z, of nx, ny, nz with normals, and of red, green, blue with colours, among the properties.
    private let wanted: [Int]
    /// For each property, its index in `wanted`.
    private let places: [Int?]
    private var lines: LineReader

    /// Reads the header.
    /// - Throws: fault `input` when it is damaged, or the points have a layout that is not supported.
    public init(_ source: any ByteSource) throws(Problem) {
        try self.init(source, chunk: 1 << 16)
    }

    package init(_ source: any ByteSource, chunk: Int) throws(Problem) {
        lines = LineReader(source, limit: Self.lineLimit, chunk: chunk)
        header = try PLYHeader(&lines)
        let refuse = { (why: String) in Problem(.input, why).at(file: source.name) }
        guard let place = header.elements.firstIndex(where: { $0.name == "vertex" }) else {
            throw refuse("the PLY file has no points: no element is called “vertex”")
        }
        vertex = header.elements[place]
        if vertex.index(of: "packed_position") != nil {
            throw Problem(
                .input, "the points are packed (“packed_position”), which is not read",
                fix: "make an ordinary PLY of it first, as PlayCanvas' `splat-transform packed.ply plain.ply` does"
            ).at(file: source.name).ofPipeline()
        }
        if vertex.hasLists { throw refuse("the points have a list among their properties, which is not read") }
        let axes = ["x", "y", "z"].compactMap(vertex.index)
        guard axes.count == 3 else { throw refuse("the points have no x, y and z") }
        let colors = ["red", "green", "blue"].compactMap(vertex.index)
        let hasColor =
            colors.count == 3
            && colors.allSatisfy { [vertex] in PLYPoints.colorScale(vertex.properties[$0].type) != nil }
        let namesColor = vertex.properties.contains { Self.colorNames.contains($0.name) }
        var warnings: [String] = []
        if namesColor && !hasColor {
            warnings.append(
                "the colours are not read: red, green and blue have to be there as bytes, 16-bit numbers or floats")
        }
        if header.isSplats {
            warnings.append(
                "the file is a scene of Gaussian splats: only their centres are read, and what is written of it is no such "
                    + "scene any more")
        }
        self.warnings = warnings
        let normals = ["nx", "ny", "nz"].compactMap(vertex.index)
        // Scenes of Gaussian splats have them for form's sake, all 0.
        let hasNormals =
            normals.count == 3 && !header.isSplats
            && normals.allSatisfy { [vertex] in [.float32, .float64].contains(vertex.properties[$0].type) }
        let wanted = axes + (hasNormals ? normals : []) + (hasColor ? colors : [])
        self.wanted = wanted
        properties = (hasNormals ? PointCloud.Properties.normals : []).union(hasColor ? .colors : [])
        places = vertex.properties.indices.map { wanted.firstIndex(of: $0) }
        pointCount = vertex.count
        for element in header.elements[..<place] { try skip(element) }
    }

    /// The next points, at most `limit` of them; nil after the last. Points that are not finite are left out.
    /// - Throws: fault `input` where the file ends too early or holds something that is not a number.
    public mutating func next(_ limit: Int = 1 << 16) throws(Problem) -> PointCloud? {
        let count = min(max(1, limit), pointCount - readCount)
        if count == 0 { return nil }
        var values = PLYPoints(properties)
        switch header.format {
        case .ascii:
            values.reserve(min(count, Self.chunkByteCount / 12))
            for _ in 0..<count {
                try readLine(&values)
                readCount += 1
            }
        case .binaryLittleEndian, .binaryBigEndian:
            let stride = vertex.byteCount
            try lines.rest.fill(min(count, max(1, Self.chunkByteCount / stride)) * stride)
            let whole = min(count, lines.rest.unread.count / stride)
            if whole == 0 { throw truncated(at: lines.rest.unread.count) }
            values.reserve(whole)
            let range = lines.rest.unread.prefix(whole * stride)
            let places = wanted.map { vertex.properties[$0] }
            let isBigEndian = header.format == .binaryBigEndian
            try lines.rest.withBytes(range) { (bytes) throws(Problem) in
                values.append(
                    UnsafeRawBufferPointer(bytes), count: whole, stride: stride, places, isBigEndian: isBigEndian)
            }
            lines.rest.consume(whole * stride)
            readCount += whole
        }
        notFiniteCount += values.notFiniteCount
        clippedCount += values.clippedCount
        return values.cloud.converted(from: header.unit, to: .metre)
    }

    /// Whether at least one more point follows those that the header announces: that number may be damaged. Asked after
    /// the last point; where other elements follow the points, this cannot be told.
    public mutating func hasMore() throws(Problem) -> Bool {
        guard readCount == pointCount, header.elements.last?.name == vertex.name else { return false }
        switch header.format {
        case .ascii:
            return try nextFilledLine() != nil
        case .binaryLittleEndian, .binaryBigEndian:
            try lines.rest.fill(vertex.byteCount)
            return lines.rest.unread.count >= vertex.byteCount
        }
    }

    /// What to say where there are more points than the header announces.
    var excess: String {
        "the file holds more than the number of points in its header, \(pointCount): what follows them was left out; if they "
            + "are points, correct that number"
    }

    /// What to say of colours that were read so far; nil where nothing is odd about them.
    var colorDoubt: String? {
        clippedCount == 0
            ? nil
            : "the colours of \(clippedCount.counted("point")) were cut to 1: floats should be from 0 to 1, so all colours may be wrong"
    }

    /// Before the first point: whether a binary file is long enough for all of them.
    /// - Throws: what ``next(_:)`` would throw at the end of the file.
    func requireLength() throws(Problem) {
        guard header.format != .ascii, readCount == 0 else { return }
        let size = lines.rest.byteCount
        let whole = (size - lines.rest.offset) / Int64(vertex.byteCount)
        if whole >= Int64(pointCount) { return }
        throw truncated(after: whole, at: size)
    }

    /// The next line that is not blank.
    private mutating func nextFilledLine() throws(Problem) -> LineReader.Line? {
        while let line = try lines.next() {
            if line.isTooLong { return line }
            if try lines.withBytes(of: line, { !$0.allSatisfy(Self.isBlank) }) { return line }
        }
        return nil
    }

    private mutating func readLine(_ values: inout PLYPoints) throws(Problem) {
        guard let line = try nextFilledLine() else { throw truncated(at: 0) }
        if line.isTooLong {
            throw Problem(.input, "a point's line is longer than \(Self.lineLimit) bytes")
                .at(file: lines.rest.name, line: line.number)
        }
        try lines.withBytes(of: line) { (bytes) throws(Problem) in
            guard let (vectors, color) = point(bytes) else {
                throw noPoint(bytes).at(file: lines.rest.name, line: line.number)
            }
            values.append(vectors, color)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The position and the normal of a line's point, and its colour; nil where it has too few numbers, or something else.
    private func point(
        _ line: UnsafeBufferPointer<UInt8>
    ) -> (vectors: InlineArray<6, Float>, color: InlineArray<3, Float>)? {
        let floats = properties.contains(.normals) ? 6 : 3
        var vectors = InlineArray<6, Float>(repeating: 0)
        var color = InlineArray<3, Float>(repeating: 0)
        var start = 0
        for (property, place) in zip(vertex.properties, places) {
            while start < line.count, Self.isBlank(line[start]) { start += 1 }
            var end = start
            while end < line.count, !Self.isBlank(line[end]) { end += 1 }
            if start == end { return nil }
            let word = line[start..<end]
            start = end
            guard let place else { continue }
            if place < floats {
                guard let coordinate = Float(text: UnsafeBufferPointer(rebasing: word)) else { return nil }
                vectors[place] = coordinate
            } else {
                guard let scale = PLYPoints.colorScale(property.type), let value = number(word, property.type) else {
                    return nil
                }
                color[place - floats] = value * scale
            }
        }
        return (vectors, color)
    }

    /// The number of a colour; nil where it is not of its type.
    private func number(_ word: Slice<UnsafeBufferPointer<UInt8>>, _ type: PLYHeader.Scalar) -> Float? {
        switch type {
        case .uint8: UInt8(String(decoding: word, as: UTF8.self)).map { Float($0) }
        case .uint16: UInt16(String(decoding: word, as: UTF8.self)).map { Float($0) }
        default: Float(text: UnsafeBufferPointer(rebasing: word))
        }
    }

    private func noPoint(_ line: UnsafeBufferPointer<UInt8>) -> Problem {
        let words = line.split(whereSeparator: Self.isBlank)
        if words.count < vertex.properties.count {
            return Problem(.input, "a point has \(vertex.properties.count) numbers, not \(words.count)")
        }
        let shown = words.map { String(decoding: $0, as: UTF8.self).prefix(20) }
        for (place, index) in wanted.enumerated() {
            let property = vertex.properties[index]
            // What is no colour is read as a float, whatever the header calls it.
            let isColor = place >= (properties.contains(.normals) ? 6 : 3)
            if number(words[index], isColor ? property.type : .float32) != nil { continue }
            guard isColor, property.type == .uint8 || property.type == .uint16 else { break }
            let bits = 8 * property.type.byteCount
            let most = (1 << bits) - 1
            return Problem(
                .input,
                "“\(property.name)” is \(shown[index]), and the header calls it a whole number of \(bits) bits",
                fix: "write whole numbers up to \(most), or numbers from 0 to 1 and call it float in the header")
        }
        let names = wanted.map { shown[$0] }.joined(separator: " ")
        return Problem(.input, "expected the numbers of a point, found “\(names)”")
    }

    private mutating func skip(_ element: PLYHeader.Element) throws(Problem) {
        switch header.format {
        case .ascii:
            // One without properties is a blank line.
            for _ in 0..<element.count {
                let line = try element.properties.isEmpty ? lines.next() : nextFilledLine()
                if line == nil { throw truncated(at: 0) }
            }
        case .binaryLittleEndian, .binaryBigEndian:
            if element.hasLists {
                throw Problem(.input, "the element “\(element.name)” before the points has lists, which is not read")
                    .at(file: lines.rest.name)
            }
            // No overflow: the header limits counts to 2⁴⁰ and properties to 2¹².
            if try !lines.rest.skip(element.count * element.byteCount) { throw truncated(at: 0) }
        }
    }

    /// - Parameter unread: bytes after the last whole point.
    private func truncated(at unread: Int) -> Problem {
        truncated(after: Int64(readCount), at: lines.rest.offset + Int64(unread))
    }

    private func truncated(after points: Int64, at byte: Int64) -> Problem {
        Problem(.input, "the PLY file ends after \(points) of \(pointCount) points").at(
            file: lines.rest.name, byte: byte, of: lines.rest.byteCount)
    }
}
