import ScanModel

/// Reads the points of a PLY file in chunks: text or binary of either byte order, x, y, z of any type, red, green, blue
/// as bytes. Other properties are skipped, and so is everything after the vertices (faces, for the most part).
public struct PLYReader {
    public let header: PLYHeader
    /// How many points the header announces.
    public let pointCount: Int
    public let hasColor: Bool
    /// What the user should know about the file.
    public let warnings: [String]
    /// Points left out so far because a coordinate is not finite.
    public private(set) var notFiniteCount = 0
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
    /// The places of x, y, z and, with colours, of red, green, blue among the properties.
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
            throw refuse("the points are packed (“packed_position”), which is not read")
        }
        if vertex.hasLists { throw refuse("the points have a list among their properties, which is not read") }
        let axes = ["x", "y", "z"].compactMap(vertex.index)
        guard axes.count == 3 else { throw refuse("the points have no x, y and z") }
        let colors = ["red", "green", "blue"].compactMap(vertex.index)
        hasColor = colors.count == 3 && colors.allSatisfy { [vertex] in vertex.properties[$0].type == .uint8 }
        let namesColor = vertex.properties.contains { Self.colorNames.contains($0.name) }
        warnings =
            hasColor || !namesColor
            ? [] : ["the colours are not read: red, green and blue have to be there as bytes"]
        let wanted = hasColor ? axes + colors : axes
        self.wanted = wanted
        places = vertex.properties.indices.map { wanted.firstIndex(of: $0) }
        pointCount = vertex.count
        for element in header.elements[..<place] { try skip(element) }
    }

    /// The next points, at most `limit` of them; nil after the last. Points that are not finite are left out.
    /// - Throws: fault `input` where the file ends too early or holds something that is not a number.
    public mutating func next(_ limit: Int = 1 << 16) throws(Problem) -> PointCloud? {
        let count = min(max(1, limit), pointCount - readCount)
        if count == 0 { return nil }
        var values = PointValues(hasColor: hasColor)
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
            let properties = wanted.map { vertex.properties[$0] }
            let isBigEndian = header.format == .binaryBigEndian
            try lines.rest.withBytes(range) { (bytes) throws(Problem) in
                values.append(
                    UnsafeRawBufferPointer(bytes), count: whole, stride: stride, properties, isBigEndian: isBigEndian)
            }
            lines.rest.consume(whole * stride)
            readCount += whole
        }
        notFiniteCount += values.notFiniteCount
        return PointCloud(positions: values.positions, colors: hasColor ? values.colors : nil)
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

    /// Before the first point: whether a binary file is long enough for all of them.
    /// - Throws: what ``next(_:)`` would throw at the end of the file.
    func requireLength() throws(Problem) {
        guard header.format != .ascii, readCount == 0, let size = lines.rest.byteCount else { return }
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

    private mutating func readLine(_ values: inout PointValues) throws(Problem) {
        guard let line = try nextFilledLine() else { throw truncated(at: 0) }
        if line.isTooLong {
            throw Problem(.input, "a point's line is longer than \(Self.lineLimit) bytes")
                .at(file: lines.rest.name, line: line.number)
        }
        try lines.withBytes(of: line) { (bytes) throws(Problem) in
            guard let (position, color) = point(bytes) else {
                throw noPoint(bytes).at(file: lines.rest.name, line: line.number)
            }
            values.append(position, color)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The point of a line; nil where it has too few numbers, or something else.
    private func point(
        _ line: UnsafeBufferPointer<UInt8>
    ) -> (position: InlineArray<3, Float>, color: InlineArray<3, UInt8>)? {
        var position = InlineArray<3, Float>(repeating: 0)
        var color = InlineArray<3, UInt8>(repeating: 0)
        var start = 0
        for place in places {
            while start < line.count, Self.isBlank(line[start]) { start += 1 }
            var end = start
            while end < line.count, !Self.isBlank(line[end]) { end += 1 }
            if start == end { return nil }
            let word = line[start..<end]
            start = end
            guard let place else { continue }
            if place < 3 {
                guard let coordinate = Float(text: UnsafeBufferPointer(rebasing: word)) else { return nil }
                position[place] = coordinate
            } else {
                guard let value = UInt8(String(decoding: word, as: UTF8.self)) else { return nil }
                color[place - 3] = value
            }
        }
        return (position, color)
    }

    private func noPoint(_ line: UnsafeBufferPointer<UInt8>) -> Problem {
        let words = line.split(whereSeparator: Self.isBlank).map { String(decoding: $0, as: UTF8.self) }
        if words.count < vertex.properties.count {
            return Problem(.input, "a point has \(vertex.properties.count) numbers, not \(words.count)")
        }
        let names = wanted.map { words[$0].prefix(20) }.joined(separator: " ")
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
            var left = element.count * element.byteCount
            while left > 0 {
                try lines.rest.fill(min(left, 1 << 16))
                let step = min(left, lines.rest.unread.count)
                if step == 0 { throw truncated(at: 0) }
                lines.rest.consume(step)
                left -= step
            }
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

/// Points as they are collected from a file.
private struct PointValues {
    var positions: [Float] = []
    var colors: [UInt8] = []
    var notFiniteCount = 0
    private let hasColor: Bool

    init(hasColor: Bool) { self.hasColor = hasColor }

    mutating func reserve(_ count: Int) {
        positions.reserveCapacity(3 * count)
        if hasColor { colors.reserveCapacity(3 * count) }
    }

    mutating func append(_ position: InlineArray<3, Float>, _ color: InlineArray<3, UInt8>) {
        guard position[0].isFinite, position[1].isFinite, position[2].isFinite else {
            notFiniteCount += 1
            return
        }
        for axis in 0..<3 {
            positions.append(position[axis])
            if hasColor { colors.append(color[axis]) }
        }
    }

    /// Takes x, y, z and perhaps red, green, blue out of binary records.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer, count: Int, stride: Int, _ properties: [PLYHeader.Property], isBigEndian: Bool
    ) {
        let (px, py, pz) = (properties[0], properties[1], properties[2])
        let offsets = properties.map(\.offset)
        // What nearly every program writes, ScanMill among them.
        if !isBigEndian, px.type == .float32, py.type == .float32, pz.type == .float32 {
            return appendFloats(bytes, count, stride, offsets)
        }
        for i in 0..<count {
            let record = i * stride
            let x = Self.float(bytes, record + px.offset, px.type, isBigEndian)
            let y = Self.float(bytes, record + py.offset, py.type, isBigEndian)
            let z = Self.float(bytes, record + pz.offset, pz.type, isBigEndian)
            guard x.isFinite, y.isFinite, z.isFinite else {
                notFiniteCount += 1
                continue
            }
            positions.append(x)
            positions.append(y)
            positions.append(z)
            guard hasColor else { continue }
            colors.append(bytes[record + offsets[3]])
            colors.append(bytes[record + offsets[4]])
            colors.append(bytes[record + offsets[5]])
        }
    }

    /// The same for records whose coordinates are floats in the machine's own byte order.
    private mutating func appendFloats(_ bytes: UnsafeRawBufferPointer, _ count: Int, _ stride: Int, _ offsets: [Int]) {
        let (ox, oy, oz) = (offsets[0], offsets[1], offsets[2])
        let places = hasColor ? (offsets[3], offsets[4], offsets[5]) : nil
        var kept = 0
        positions += [Float](unsafeUninitializedCapacity: 3 * count) { out, written in
            var record = 0
            for _ in 0..<count {
                let x = bytes.loadUnaligned(fromByteOffset: record &+ ox, as: Float.self)
                let y = bytes.loadUnaligned(fromByteOffset: record &+ oy, as: Float.self)
                let z = bytes.loadUnaligned(fromByteOffset: record &+ oz, as: Float.self)
                out[3 &* kept] = x
                out[3 &* kept &+ 1] = y
                out[3 &* kept &+ 2] = z
                // Only infinities and NaN are not 0 when multiplied by 0.
                kept &+= (x * 0 + y * 0 + z * 0) == 0 ? 1 : 0
                record &+= stride
            }
            written = 3 * kept
        }
        notFiniteCount += count - kept
        guard let (red, green, blue) = places else { return }
        colors += [UInt8](unsafeUninitializedCapacity: 3 * count) { out, written in
            var target = 0
            var record = 0
            for _ in 0..<count {
                out[target] = bytes[record &+ red]
                out[target &+ 1] = bytes[record &+ green]
                out[target &+ 2] = bytes[record &+ blue]
                let x = bytes.loadUnaligned(fromByteOffset: record &+ ox, as: Float.self)
                let y = bytes.loadUnaligned(fromByteOffset: record &+ oy, as: Float.self)
                let z = bytes.loadUnaligned(fromByteOffset: record &+ oz, as: Float.self)
                target &+= (x * 0 + y * 0 + z * 0) == 0 ? 3 : 0
                record &+= stride
            }
            written = target
        }
    }

    @inline(__always)
    private static func float(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ type: PLYHeader.Scalar, _ isBigEndian: Bool
    ) -> Float {
        func load<T: FixedWidthInteger>(_: T.Type) -> T {
            let value = bytes.loadUnaligned(fromByteOffset: offset, as: T.self)
            return isBigEndian ? T(bigEndian: value) : T(littleEndian: value)
        }
        return switch type {
        case .float32: Float(bitPattern: load(UInt32.self))
        case .float64: Float(Double(bitPattern: load(UInt64.self)))
        case .int8: Float(load(Int8.self))
        case .uint8: Float(load(UInt8.self))
        case .int16: Float(load(Int16.self))
        case .uint16: Float(load(UInt16.self))
        case .int32: Float(load(Int32.self))
        case .uint32: Float(load(UInt32.self))
        case .int64: Float(load(Int64.self))
        case .uint64: Float(load(UInt64.self))
        }
    }
}
