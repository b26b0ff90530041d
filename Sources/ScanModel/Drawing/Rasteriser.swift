/// Draws discs, triangles and lines into a picture, nearer ones over farther ones.
///
/// Screen coordinates are pixels from the picture's top-left corner, x to the right and y down: pixel (i, j) covers
/// i ..< i + 1 and j ..< j + 1, and is painted when its centre lies inside of what is drawn. Depth grows away from the
/// viewer. Edges are hard; draw twice as large and shrink for soft ones.
///
/// Only additions, products, quotients and square roots decide what is painted, in the order of the calls: every machine
/// draws the same pixels.
public struct Rasteriser: Sendable {
    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double
        public var depth: Double

        public init(_ x: Double, _ y: Double, depth: Double) {
            self.x = x
            self.y = y
            self.depth = depth
        }

        /// Far outside of any picture, or not a number.
        var isUnusable: Bool { !(abs(x) < 1e6 && abs(y) < 1e6 && depth.isFinite) }
    }

    /// A corner of a triangle.
    public struct Corner: Hashable, Sendable {
        public var point: Point
        /// Red, green and blue, 0 to 255.
        public var color: Vector3

        public init(_ point: Point, color: Vector3) {
            self.point = point
            self.color = color
        }
    }

    public private(set) var image: RGBImage
    /// The depth of each pixel; infinite where there is only background.
    package private(set) var depth: [Float]
    /// The pixels that triangles no longer change.
    private var isSealed: [Bool]?

    public init(width: Int, height: Int, background: RGBColor) {
        image = RGBImage(width: width, height: height, color: background)
        depth = Array(repeating: .infinity, count: width * height)
    }

    /// A disc that faces the viewer. Where two are equally far away, the one drawn first stays.
    /// - Parameter diameter: in pixels; a disc that holds no pixel's centre still paints the pixel it lies in.
    public mutating func disc(at point: Point, diameter: Double, color: RGBColor) {
        if point.isUnusable { return }
        let radius = diameter / 2
        let columns = Self.span(point.x, radius).clamped(to: 0..<image.width)
        let rows = Self.span(point.y, radius).clamped(to: 0..<image.height)
        let limit = radius * radius
        let own = (x: Int(point.x.rounded(.down)), y: Int(point.y.rounded(.down)))
        for y in rows {
            let dy = Double(y) + 0.5 - point.y
            for x in columns {
                let dx = Double(x) + 0.5 - point.x
                if dx * dx + dy * dy > limit, x != own.x || y != own.y { continue }
                let i = y * image.width + x
                guard Float(point.depth) < depth[i] else { continue }
                depth[i] = Float(point.depth)
                image[x, y] = color
            }
        }
    }

    /// Keeps what is painted so far: triangles that follow are seen only where there is nothing yet.
    public mutating func seal() { isSealed = depth.map { $0 < .infinity } }

    /// A triangle whose depth and colour change evenly between its corners, as those of a small one do in perspective too.
    /// It is painted only if its corners are counterclockwise as seen here. Triangles that share two corners leave no gap
    /// between them.
    public mutating func triangle(_ a: Corner, _ b: Corner, _ c: Corner) {
        if a.point.isUnusable || b.point.isUnusable || c.point.isUnusable { return }
        // In whole numbers a pixel's centre is on one side of an edge or the other, whichever triangle asks.
        let (p, q, r) = (Self.fine(a.point), Self.fine(b.point), Self.fine(c.point))
        // From r to q, counterclockwise corners have p on the right.
        let area = Self.side(of: p, from: r, to: q)
        guard area > 0 else { return }
        let size = Double(area)
        let columns = Self.centres(min(p.x, q.x, r.x), max(p.x, q.x, r.x)).clamped(to: 0..<image.width)
        let rows = Self.centres(min(p.y, q.y, r.y), max(p.y, q.y, r.y)).clamped(to: 0..<image.height)
        for y in rows {
            for x in columns {
                let centre = (x: x * Self.fineness + Self.fineness / 2, y: y * Self.fineness + Self.fineness / 2)
                let ofA = Self.side(of: centre, from: r, to: q)
                let ofB = Self.side(of: centre, from: p, to: r)
                let ofC = area - ofA - ofB
                if ofA < 0 || ofB < 0 || ofC < 0 { continue }
                let (shareA, shareB, shareC) = (Double(ofA) / size, Double(ofB) / size, Double(ofC) / size)
                let here = Float(a.point.depth * shareA + b.point.depth * shareB + c.point.depth * shareC)
                let i = y * image.width + x
                guard here < depth[i], isSealed?[i] != true else { continue }
                depth[i] = here
                let color = a.color * shareA + b.color * shareB + c.color * shareC
                image[x, y] = RGBColor(
                    UInt8(color.x.rounded()), UInt8(color.y.rounded()), UInt8(color.z.rounded()))
            }
        }
    }

    /// Parts of a pixel in which corners of triangles are counted.
    private static let fineness = 256

    private static func fine(_ point: Point) -> (x: Int, y: Int) {
        (Int((point.x * Double(fineness)).rounded()), Int((point.y * Double(fineness)).rounded()))
    }

    /// Twice the area of the triangle that a point makes with an edge; positive to the edge's right, as y points down.
    private static func side(of point: (x: Int, y: Int), from a: (x: Int, y: Int), to b: (x: Int, y: Int)) -> Int {
        (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
    }

    /// The pixels whose centres lie in low ... high, in parts of a pixel.
    private static func centres(_ low: Int, _ high: Int) -> Range<Int> {
        centres(Double(low) / Double(fineness), Double(high) / Double(fineness))
    }

    /// A straight line, over what lies behind it; it hides nothing that is drawn later.
    /// - Parameters:
    ///   - width: across, in pixels.
    ///   - bias: how far it may lie behind a surface and still be seen, so that a line on a surface is drawn whole.
    ///   - hidden: how much of its colour shows through what lies in front of it, 0 to 1.
    public mutating func line(
        from a: Point, to b: Point, width: Double, color: RGBColor, bias: Double = 0, hidden: Double = 0
    ) {
        if a.isUnusable || b.isUnusable { return }
        let isSteep = abs(b.y - a.y) > abs(b.x - a.x)
        // Along the longer axis first, then across it.
        let (from, to) = isSteep ? ((a.y, a.x), (b.y, b.x)) : ((a.x, a.y), (b.x, b.y))
        let length = to.0 - from.0
        if length == 0 { return }
        let slope = (to.1 - from.1) / length
        let half = width / 2 * (1 + slope * slope).squareRoot()
        let (alongCount, acrossCount) = isSteep ? (image.height, image.width) : (image.width, image.height)
        for along in Self.centres(min(from.0, to.0), max(from.0, to.0)).clamped(to: 0..<alongCount) {
            let t = (Double(along) + 0.5 - from.0) / length
            let middle = from.1 + t * (to.1 - from.1)
            let depth = a.depth + t * (b.depth - a.depth) - bias
            for across in Self.span(middle, half).clamped(to: 0..<acrossCount) {
                let (x, y) = isSteep ? (across, along) : (along, across)
                blend(color, x, y, share: Float(depth) <= self.depth[y * image.width + x] ? 1 : hidden)
            }
        }
    }

    private mutating func blend(_ color: RGBColor, _ x: Int, _ y: Int, share: Double) {
        if share == 1 {
            image[x, y] = color
        } else if share > 0 {
            let old = image[x, y]
            func mix(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8((Double(a) + (Double(b) - Double(a)) * share).rounded()) }
            image[x, y] = RGBColor(mix(old.red, color.red), mix(old.green, color.green), mix(old.blue, color.blue))
        }
    }

    /// Darkens what lies behind its neighbours, which brings out edges and shapes in a cloud without light or normals
    /// (eye-dome lighting: C. Boucheny, "Visualisation scientifique de grands volumes de données", thesis, 2009; with
    /// 1 / (1 + s) in place of the exponential).
    /// - Parameters:
    ///   - reach: how many pixels away the neighbours are.
    ///   - strength: of the darkening; 0 is none.
    ///   - pixelSize: the length that one pixel covers at depth d is `at0` + `perDepth` · d.
    public mutating func shade(reach: Int, strength: Double, pixelSize: (at0: Double, perDepth: Double)) {
        let (width, height) = (image.width, image.height)
        guard width > 2 * reach, height > 2 * reach else { return }
        let strength = Float(strength)
        let size = (at0: Float(pixelSize.at0), perDepth: Float(pixelSize.perDepth))
        let offsets = [-reach, reach, -reach * width, reach * width]
        for y in reach..<(height - reach) {
            for x in reach..<(width - reach) {
                let i = y * width + x
                let here = depth[i]
                if here == .infinity { continue }
                var sum: Float = 0
                for offset in offsets {
                    let ahead = here - depth[i + offset]
                    // A steep surface is no edge: beyond a slope of 4 nothing gets darker.
                    if ahead > 0 { sum += min(4, ahead / ((size.at0 + size.perDepth * here) * Float(reach))) }
                }
                if sum == 0 { continue }
                let share = 1 / (1 + strength * sum)
                for channel in (3 * i)..<(3 * i + 3) {
                    image.pixels[channel] = UInt8((Float(image.pixels[channel]) * share).rounded())
                }
            }
        }
    }

    /// The pixels whose centres lie in low ... high.
    private static func centres(_ low: Double, _ high: Double) -> Range<Int> {
        Int((low - 0.5).rounded(.up))..<Int((high - 0.5).rounded(.down)) + 1
    }

    /// The pixels whose centres lie within `reach` of a place, or else the one that it lies in.
    private static func span(_ middle: Double, _ reach: Double) -> Range<Int> {
        let pixels = centres(middle - reach, middle + reach)
        if !pixels.isEmpty { return pixels }
        let own = Int(middle.rounded(.down))
        return own..<own + 1
    }
}
