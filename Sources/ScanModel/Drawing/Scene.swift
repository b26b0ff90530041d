/// What is drawn of a capture: its points or its surface, its box and its cameras.
public struct Scene: Sendable {
    public let cloud: PointCloud?
    public let mesh: TriangleMesh?
    public var box: OrientedBox?
    /// Whether the box's edges are drawn.
    public var drawsBox = true
    public let trail: CameraTrail?
    public let axes: SceneView.Axes
    /// Pixels across a point; nil for just large enough to close the gaps between neighbours.
    public var pointSize: Double?
    /// Points higher than this along ``SceneView/Axes/up`` are left out of views from above, unless they are in the box.
    public var ceiling: Double?
    /// The median distance from a point, or a vertex of the mesh, to its nearest neighbour, metres.
    private let spacing: Double
    /// Points of the cloud or the mesh, which tell where it lies.
    private let sample: [Vector3]
    /// The heights between which points without colour go from dark violet to yellow.
    private let heights: ClosedRange<Double>

    public static let background = RGBColor(250, 250, 247)
    static let ink = RGBColor(60, 60, 66)
    private static let boxColor = RGBColor(208, 0, 111)
    /// Of a mesh without colours.
    private static let gray = Vector3(215, 215, 215)
    private static let back = Vector3(232, 230, 224)
    /// At most so many cameras are drawn as pyramids, and so many steps of the path.
    private static let viewerCount = 40
    private static let stepCount = 2000
    private static let sampleCount = 10_000
    /// Pixels of the doubled picture. A few points that are far apart are not to cover everything.
    private static let largestPoint = 120.0

    /// - Parameters:
    ///   - mesh: with normals, for the light that falls on it from the viewer's upper left.
    ///   - trail: the cameras.
    public init(
        cloud: PointCloud? = nil, mesh: TriangleMesh? = nil, box: OrientedBox?, trail: CameraTrail?,
        axes: SceneView.Axes
    ) {
        self.cloud = cloud
        self.mesh = mesh
        self.box = box
        self.trail = trail
        self.axes = axes
        let points = cloud ?? mesh?.vertices
        spacing = points.map { Self.spacing($0) } ?? 0
        let up = axes.up
        sample = points?.sample(about: Self.sampleCount) ?? []
        heights = Distribution(sample.map { up.dot($0) })?.range(without: 0.02) ?? 0...0
    }

    // MARK: - What a view has to show

    /// Points that a view has to show: the cloud's or the mesh's, without the outermost two-hundredth at either end of
    /// each axis, the box's corners, and the cameras with their pyramids; or the box alone.
    public func extent(ofBoxAlone: Bool = false) -> [Vector3] {
        if ofBoxAlone, let box { return box.cutByItsFloor.corners }
        var points = drawnBox?.corners ?? []
        points += (trail?.spread(Self.stepCount) ?? []).map { $0.pose.position }
        let viewerLength = viewerLength
        points += viewers.flatMap { Self.base(of: $0.view, length: viewerLength) }
        let sample = sample.filter(\.isFinite)
        let ranges = [axes.right, axes.up, axes.front].map { axis in
            (axis: axis, range: Distribution(sample.map { axis.dot($0) })?.range(without: 0.005) ?? 0...0)
        }
        return points + sample.filter { p in ranges.allSatisfy { $0.range.contains($0.axis.dot(p)) } }
    }

    /// Whether any of the cameras' path or of their pyramids is in the picture; close to a box, often nothing is.
    public func showsCameras(in view: SceneView) -> Bool {
        let path = (trail?.spread(Self.stepCount) ?? []).map { $0.pose.position }
        let steps = zip(path, path.dropFirst()).map { [$0, $1] }
        let viewerLength = viewerLength
        let pyramids = viewers.map { [$0.view.pose.position] + Self.base(of: $0.view, length: viewerLength) }
        return (steps + pyramids).contains(where: view.mayShowLines(between:))
    }

    /// The part of the box above its floor.
    private var drawnBox: OrientedBox? { drawsBox ? box?.cutByItsFloor : nil }

    private static func spacing(_ cloud: PointCloud) -> Double {
        let probes = stride(from: 0, to: cloud.count, by: max(1, cloud.count / 32)).map { $0 }
        let nearest = probes.compactMap { probe -> Double? in
            Heartbeat.beat()
            let here = cloud[probe]
            var best = Double.infinity
            for i in 0..<cloud.count where i != probe {
                let d = cloud[i] - here
                let squared = d.dot(d)
                if squared < best && squared > 0 { best = squared }
            }
            return best.isFinite ? best.squareRoot() : nil
        }
        return nearest.middle ?? 0
    }

    // MARK: - Drawing

    /// The scene from one direction. It is drawn twice as large and shrunk, so that edges are soft.
    public func picture(_ view: SceneView) -> RGBImage {
        let large = view.doubled
        var canvas = Rasteriser(width: large.size.width, height: large.size.height, background: Self.background)
        if let cloud { draw(cloud, large, &canvas) }
        if let mesh { draw(mesh, large, &canvas) }
        canvas.shade(reach: 3, strength: 0.08, pixelSize: large.pixelSize)
        if let drawnBox { draw(drawnBox, large, &canvas) }
        if let trail { draw(trail, large, &canvas) }
        return canvas.image.downscaled(to: view.size)
    }

    private func draw(_ cloud: PointCloud, _ view: SceneView, _ canvas: inout Rasteriser) {
        let isFromAbove = view.towards.dot(axes.up) > 0.1
        for i in 0..<cloud.count {
            // Large points take a microsecond and more each.
            if i % 4096 == 0 { Heartbeat.beat() }
            let p = cloud[i]
            if isFromAbove, let ceiling, axes.up.dot(p) > ceiling, box?.contains(p) != true { continue }
            guard let point = view.project(p) else { continue }
            let natural = min(max(2.5 * spacing * view.pixelsPerMetre(at: point.depth), 3), Self.largestPoint)
            canvas.disc(at: point, diameter: pointSize.map { 2 * $0 } ?? natural, color: color(of: i, in: cloud))
        }
    }

    private func color(of i: Int, in cloud: PointCloud) -> RGBColor {
        if let colors = cloud.colors { return RGBColor(colors[3 * i], colors[3 * i + 1], colors[3 * i + 2]) }
        let span = heights.upperBound - heights.lowerBound
        let share = span > 0 ? (axes.up.dot(cloud[i]) - heights.lowerBound) / span : 0.5
        return ColorMap.viridis.color(at: share)
    }

    /// The back of the surface is pale and hides no part that faces the viewer: a room is seen from outside as if the
    /// wall were not there.
    private func draw(_ mesh: TriangleMesh, _ view: SceneView, _ canvas: inout Rasteriser) {
        let vertices = mesh.vertices
        let light = (view.towards + view.up * 0.6 - view.right * 0.4).normalized
        // Colours have been lit when they were recorded.
        let ambient = vertices.colors == nil ? 0.4 : 0.7
        func corner(_ vertex: Int, isBack: Bool) -> Rasteriser.Corner? {
            guard let point = view.project(vertices[vertex]) else { return nil }
            let lit = max(0, (vertices.normal(of: vertex)?.dot(light) ?? 0) * (isBack ? -1 : 1))
            let color = isBack ? Self.back : vertices.color(of: vertex) ?? Self.gray
            let share = isBack ? 0.8 : ambient
            return Rasteriser.Corner(point, color: color * (share + (1 - share) * lit))
        }
        for isBack in [false, true] {
            for triangle in 0..<mesh.triangleCount {
                if triangle % 4096 == 0 { Heartbeat.beat() }
                let (a, b, c) = mesh.corners(of: triangle)
                guard let first = corner(a, isBack: isBack), let second = corner(isBack ? c : b, isBack: isBack),
                    let third = corner(isBack ? b : c, isBack: isBack)
                else { continue }
                canvas.triangle(first, second, third)
            }
            if !isBack { canvas.seal() }
        }
    }

    private func draw(_ box: OrientedBox, _ view: SceneView, _ canvas: inout Rasteriser) {
        let corners = box.corners
        for a in 0..<8 {
            for bit in [1, 2, 4] where a & bit == 0 {
                line(corners[a], corners[a | bit], 4, Self.boxColor, hidden: 0.4, view, &canvas)
            }
        }
    }

    private func draw(_ trail: CameraTrail, _ view: SceneView, _ canvas: inout Rasteriser) {
        let viewerLength = viewerLength
        for viewer in viewers { draw(viewer.view, length: viewerLength, viewer.color, view, &canvas) }
        let path = trail.spread(Self.stepCount)
        for (width, isHalo) in [(10.0, true), (6.0, false)] {
            for (a, b) in zip(path, path.dropFirst()) {
                let color = isHalo ? RGBColor.white : Self.color(b)
                line(
                    a.pose.position, b.pose.position, width, color, hidden: isHalo ? 0.5 : 0.8, view, &canvas)
            }
        }
    }

    static func color(_ station: CameraTrail.Station) -> RGBColor { ColorMap.turbo.color(at: station.shade) }

    /// The cameras that are drawn as pyramids. Overlapping ones are left out, as they could not be told apart.
    private var viewers: [(view: CameraView, color: RGBColor)] {
        var last: Vector3?
        let least = 0.7 * viewerLength
        return (trail?.spread(Self.viewerCount) ?? []).compactMap { station in
            guard let camera = station.intrinsics, camera.defect == nil else { return nil }
            if let last, (station.pose.position - last).length < least { return nil }
            last = station.pose.position
            return (CameraView(camera: camera, pose: station.pose), Self.color(station))
        }
    }

    /// The corners of a camera's field of view at a distance from it.
    private static func base(of viewer: CameraView, length: Double) -> [Vector3] {
        let k = viewer.camera.counted(from: .corner)
        let (w, h) = (Double(k.width), Double(k.height))
        return [(0, 0), (w, 0), (w, h), (0, h)].map { u, v in
            viewer.pose.apply(k.point(u: u, v: v, depth: length))
        }
    }

    /// A pyramid whose base is the camera's field of view.
    private func draw(
        _ viewer: CameraView, length: Double, _ color: RGBColor, _ view: SceneView, _ canvas: inout Rasteriser
    ) {
        let base = Self.base(of: viewer, length: length)
        for (i, corner) in base.enumerated() {
            line(viewer.pose.position, corner, 2.5, color, hidden: 0.4, view, &canvas)
            line(corner, base[(i + 1) % 4], 2.5, color, hidden: 0.4, view, &canvas)
        }
    }

    /// How long the pyramids are: a share of the extent of the cameras and the box.
    private var viewerLength: Double {
        let places = (trail?.spread(Self.viewerCount) ?? []).map { $0.pose.position } + (drawnBox?.corners ?? [])
        guard let first = places.first else { return 0 }
        return 0.05 * (places.map { ($0 - first).length }.max() ?? 0)
    }

    /// Drawn in pieces, because depth does not change evenly along a line seen in perspective, and part of it may lie
    /// behind the eye.
    private func line(
        _ a: Vector3, _ b: Vector3, _ width: Double, _ color: RGBColor, hidden: Double, _ view: SceneView,
        _ canvas: inout Rasteriser
    ) {
        let pieces = view.scale == nil ? 24 : 1
        var from = view.project(a)
        for piece in 1...pieces {
            let to = view.project(a + (b - a) * (Double(piece) / Double(pieces)))
            if let from, let to {
                canvas.line(from: from, to: to, width: width, color: color, bias: 2 * spacing, hidden: hidden)
            }
            from = to
        }
    }
}
