/// Where a scene is viewed from, and how it is projected onto a picture.
public struct SceneView: Hashable, Sendable {
    /// The directions from which people look.
    public enum Direction: String, Hashable, Sendable, CaseIterable {
        case above, front, side
        /// From the front, the right and above at once.
        case oblique
    }

    /// The directions of a scene, all of unit length and at right angles: right × up = front, which points from the
    /// scene to a viewer who stands in front of it.
    public struct Axes: Hashable, Sendable {
        public var right: Vector3
        public var up: Vector3
        public var front: Vector3

        /// The world's axes: a viewer in front of a y-up world looks along −z and has +x on the right; in a z-up world
        /// along +y. With a box, a viewer in front of it looks at its front face.
        public init(up: Vector3?, box: OrientedBox?) {
            let up = (up ?? Vector3(0, 1, 0)).normalized
            var front = -Floor.ground(up).forward
            if let face = box.map({ -$0.worldFromBox.columns.2 }) {
                let level = face - up * up.dot(face)
                if level.length > 0.1 { front = level.normalized }
            }
            self.init(up: up, front: front)
        }

        private init(up: Vector3, front: Vector3) {
            self.up = up
            self.front = front
            right = up.cross(front)
        }

        /// The same axes turned about `up`, so that a viewer in front looks the way the cameras look on average;
        /// unchanged if the cameras look in all directions, as around an object.
        public func facing(as poses: [Pose]) -> Axes {
            var sum = Vector3.zero
            for pose in poses { sum = sum + pose.rotation.columns.2 }
            let level = sum - up * up.dot(sum)
            return level.length > 0.3 * Double(max(1, poses.count)) ? Axes(up: up, front: level.normalized) : self
        }
    }

    enum Projection: Hashable, Sendable {
        /// Pixels per metre.
        case orthographic(scale: Double)
        /// The focal length in pixels, and how far the eye is from the centre.
        case perspective(focal: Double, distance: Double)
    }

    public private(set) var size: PixelSize
    /// The picture's axes in the world: to the right, up, and towards the viewer.
    let right: Vector3
    let up: Vector3
    let towards: Vector3
    /// The point that is seen in the middle of the picture.
    let centre: Vector3
    private(set) var projection: Projection

    /// The eye sees nothing nearer than this share of its distance to the centre.
    private static let nearShare = 0.02
    /// The part of the picture's width and height that the scene fills.
    private static let fill = 0.9

    /// A view that shows all of `points` as large as possible: orthographic, except for `oblique`.
    /// - Parameter scale: for orthographic views, pixels per metre; nil for the largest that fits.
    public init(_ direction: Direction, axes: Axes, fitting points: [Vector3], size: PixelSize, scale: Double? = nil) {
        self.size = size
        let (right, up, towards) = Self.frame(direction, axes)
        (self.right, self.up, self.towards) = (right, up, towards)
        let inView = points.map { Vector3(right.dot($0), up.dot($0), towards.dot($0)) }
        let middle = Self.middle(inView)
        centre = right * middle.x + up * middle.y + towards * middle.z
        let half = (x: Double(size.width) / 2 * Self.fill, y: Double(size.height) / 2 * Self.fill)
        let offsets = inView.map { $0 - middle }
        if direction == .oblique {
            // About 45° across, as a picture hung on a wall is seen.
            let focal = 1.2 * Double(max(size.width, size.height))
            let needed = offsets.map { $0.z + focal * max(abs($0.x) / half.x, abs($0.y) / half.y) }
            projection = .perspective(focal: focal, distance: max(needed.max() ?? 0, 1e-6))
        } else {
            let extent = offsets.map { max(abs($0.x) / half.x, abs($0.y) / half.y) }.max() ?? 0
            // A single point has no extent: a micrometre per pixel is enough.
            projection = .orthographic(scale: scale ?? 1 / max(extent, 1e-6))
        }
    }

    /// Pixels per metre of an orthographic view.
    public var scale: Double? { if case .orthographic(let scale) = projection { scale } else { nil } }

    /// The same view in a picture twice as large each way.
    public var doubled: SceneView {
        var large = self
        large.size = PixelSize(2 * size.width, 2 * size.height)
        large.projection =
            switch projection {
            case .orthographic(let scale): .orthographic(scale: 2 * scale)
            case .perspective(let focal, let distance): .perspective(focal: 2 * focal, distance: distance)
            }
        return large
    }

    /// Where a point of the world is seen; nil behind the eye or too near to it. Depth is metres, from the plane through
    /// the centre in orthographic views and from the eye in perspective.
    public func project(_ point: Vector3) -> Rasteriser.Point? {
        let q = point - centre
        let (x, y, z) = (right.dot(q), up.dot(q), towards.dot(q))
        let (cx, cy) = (Double(size.width) / 2, Double(size.height) / 2)
        switch projection {
        case .orthographic(let scale): return Rasteriser.Point(cx + scale * x, cy - scale * y, depth: -z)
        case .perspective(let focal, let distance):
            let depth = distance - z
            guard depth > Self.nearShare * distance else { return nil }
            return Rasteriser.Point(cx + focal * x / depth, cy - focal * y / depth, depth: depth)
        }
    }

    /// Whether lines between some points may cross the picture; not if all are seen beyond one of its edges.
    func mayShowLines(between points: [Vector3]) -> Bool {
        let seen = points.compactMap(project)
        return seen.contains { $0.x > 0 } && seen.contains { $0.x < Double(size.width) }
            && seen.contains { $0.y > 0 } && seen.contains { $0.y < Double(size.height) }
    }

    /// The length that one pixel covers, at depth 0 and how much more for each metre of depth.
    var pixelSize: (at0: Double, perDepth: Double) {
        switch projection {
        case .orthographic(let scale): (1 / scale, 0)
        case .perspective(let focal, _): (0, 1 / focal)
        }
    }

    /// Pixels per metre at a depth.
    func pixelsPerMetre(at depth: Double) -> Double { 1 / (pixelSize.at0 + pixelSize.perDepth * depth) }

    private static func frame(_ direction: Direction, _ axes: Axes) -> (Vector3, Vector3, Vector3) {
        switch direction {
        case .above: return (axes.right, -axes.front, axes.up)
        case .front: return (axes.right, axes.up, axes.front)
        case .side: return (-axes.front, axes.up, axes.right)
        case .oblique:
            let towards = (axes.right * 0.55 + axes.front * 0.8 + axes.up * 0.6).normalized
            let right = axes.up.cross(towards).normalized
            return (right, towards.cross(right), towards)
        }
    }

    private static func middle(_ points: [Vector3]) -> Vector3 {
        guard let first = points.first else { return .zero }
        var (low, high) = (first, first)
        for p in points {
            low = Vector3(min(low.x, p.x), min(low.y, p.y), min(low.z, p.z))
            high = Vector3(max(high.x, p.x), max(high.y, p.y), max(high.z, p.z))
        }
        return (low + high) / 2
    }
}
