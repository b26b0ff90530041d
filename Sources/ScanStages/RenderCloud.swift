import ScanFormats
import ScanModel
import ScanPipeline

/// Draws the cloud with the box and the cameras.
public struct RenderCloud: CaptureStage {
    public enum View: String, CaseIterable, Sendable { case sheet, above, front, side, perspective }
    public enum Cameras: String, CaseIterable, Sendable { case time, speed, none }
    public enum Around: String, CaseIterable, Sendable { case all, box }
    public enum Ceiling: String, CaseIterable, Sendable { case hide, show }

    public static let card = StageCard(
        name: "render-cloud",
        summary: "Draw the cloud with the box and the cameras: from above, front and side, and in perspective.",
        details: """
            `view: sheet` puts all four views on one picture, `<id>_cloud.png`, the three orthographic ones at one
            scale; a single view is written to `<id>_cloud_above.png` and so on. `cloud: false` draws only the cameras
            and the box, in `<id>_cameras.png`, and needs no depth.

            **Directions.** Up is the world's up, or +y if that is unknown. The front view looks along −z of a world
            with y up, along +y with z up; a capture with a box is seen with the box's front face towards the viewer.
            The side view is from the right of the front view; with a box it is titled "from the left", because it shows
            the face that the capture app calls left. The view from above has the front view's right on the right and
            its far side at the top. The perspective view is from the front, the right and above at once; if the cameras
            of a capture look one way rather than around, it is from behind the cameras instead of from the front. Each
            view shows everything but the outermost two-hundredth of the points on either side, which may be cut off;
            `around: box` fits the views to the box.

            **Points** have their own colours; those without are coloured by height, dark violet at the bottom and
            yellow at the top (Viridis). A point is drawn large enough to close the gaps to its neighbours, or
            `point-size` pixels wide. Points behind their neighbours are shaded a little, so that shapes can be seen.
            `ceiling: hide` leaves points above the highest camera out of the views from above, unless they are in the
            box: you look into a room as into a doll's house.

            **The box** is drawn in magenta, and pale where it lies behind points. **The cameras'** path, and a pyramid
            for 40 of them, are coloured from dark blue to dark red (Turbo): by `time`, or by `speed`, where red is what
            a twentieth of the frames exceed. If the frames have no times, both go by the frames' numbers. The key to
            the colours is at the bottom left, the scale at the bottom right.

            It needs a merged cloud: put it below `voxel-downsample`. The picture depends only on the capture and the
            options.
            """,
        example: "- render-cloud: {view: perspective, width: 1280, height: 960}", revision: 7)

    /// Drawing takes four times as many pixels.
    private static let mostPixels = 8_000_000

    let view: View
    let size: PixelSize
    let pointSize: Double?
    let drawsCloud: Bool
    let drawsBox: Bool
    let cameras: Cameras
    let around: Around
    let ceiling: Ceiling

    public init(_ options: inout OptionReader) {
        view = options.choice("view", "Where it is seen from; `sheet` has all four views.", default: .sheet)
        size = PixelSize(
            options.integer("width", "Width of the picture.", default: 1600, in: 64...4096, unit: "pixels"),
            options.integer("height", "Height of the picture.", default: 1200, in: 64...4096, unit: "pixels"))
        pointSize = options.number(
            "point-size", "Diameter of a point; by default it closes the gaps.", in: 0.5...50, unit: "pixels")
        drawsCloud = options.flag("cloud", "Draw the points.", default: true)
        drawsBox = options.flag("box", "Draw the capture's box, where it has one.", default: true)
        cameras = options.choice("cameras", "What the cameras' path is coloured by, or `none`.", default: .time)
        around = options.choice("around", "What the views are fitted to.", default: .all)
        ceiling = options.choice(
            "ceiling", "Whether points above the highest camera are seen from above.", default: .hide)
        if size.width * size.height > Self.mostPixels {
            options.fail(
                "height", "\(size) is more than \(Self.mostPixels / 1_000_000) million pixels",
                "a smaller `width` or `height`")
        }
        options.warn("point-size", unless: drawsCloud, "with `cloud: true`")
        options.warn(
            "ceiling", unless: drawsCloud && ![.front, .side].contains(view), "in views from above, with `cloud: true`")
        if !drawsCloud && cameras == .none {
            options.fail("cameras", "with `cloud: false` and `cameras: none` nothing is drawn", "draw one of them")
        }
    }

    public var uses: Uses {
        Uses(
            finish: .init(
                needs: [.frames] + (drawsCloud ? [.cloud] : [.pose]),
                wants: [.box, .pose, .intrinsics, .timestamp]),
            claims: [path("{id}")], instead: [[.cloud]: [.cloudFromDepth]])
    }

    private func path(_ id: String) -> String {
        "\(id)_\(drawsCloud ? "cloud" : "cameras")\(view == .sheet ? "" : "_\(view.rawValue)").png"
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        let box = capture.channels.contains(.box) ? capture.box : nil
        var scene = CloudScene(
            cloud: drawsCloud ? capture.cloud : nil, box: box,
            trail: CameraTrail.Measure(rawValue: cameras.rawValue).map { CameraTrail(capture.frames, by: $0) },
            axes: CloudView.Axes(up: capture.worldUp, box: box))
        scene.drawsBox = drawsBox
        scene.pointSize = pointSize
        if ceiling == .hide { scene.ceiling = capture.cameraPositions.map(scene.axes.up.dot).max() }
        if cameras == .speed, let trail = scene.trail, !trail.stations.isEmpty, trail.measure != .speed {
            context.warn(
                "the frames have no times that ascend, so the cameras are coloured in their order and not by speed")
        }
        if around == .box && box == nil { context.warn("the capture has no box, so the views show everything") }
        let points = scene.extent(ofBoxAlone: around == .box)
        guard !points.isEmpty else {
            return context.warn("there is nothing to draw: the cloud holds no points, and no frame has a pose")
        }
        context.count("points", scene.cloud?.count ?? 0)
        let picture =
            view == .sheet
            ? sheet(scene, points, capture)
            : Self.panel(
                CloudView.Direction(rawValue: view.rawValue) ?? .oblique, scene, fitting: points, size: size, capture)
        try context.output.write(try PNG.encodeRGB(picture, compressionLevel: 6), to: path(capture.id))
    }

    /// Four views, two by two; the three orthographic ones at the scale that the largest of them needs.
    private func sheet(_ scene: CloudScene, _ points: [Vector3], _ capture: Capture) -> RGBImage {
        let gap = 2
        let panel = PixelSize(max(1, (size.width - gap) / 2), max(1, (size.height - gap) / 2))
        let flat: [CloudView.Direction] = [.above, .front, .side]
        let scale = flat.compactMap {
            CloudView($0, axes: scene.axes, fitting: points, size: panel).scale
        }.min()
        var picture = RGBImage(width: size.width, height: size.height, color: RGBColor(205, 205, 205))
        let places: [CloudView.Direction] = [.above, .oblique, .front, .side]
        for (place, direction) in places.enumerated() {
            picture.paste(
                Self.panel(direction, scene, fitting: points, size: panel, scale: scale, capture),
                atX: place % 2 * (size.width - panel.width), y: place / 2 * (size.height - panel.height))
        }
        return picture
    }

    /// The name of the view from the right of the front: with a box, that of the face that it shows, as in
    /// `report-coverage`. Faces are named from within, so a viewer of the front has the left one on the right.
    package static func sideTitle(of box: OrientedBox?, seenFrom right: Vector3) -> String {
        let isLeft = box.map { $0.worldFromBox.columns.0.dot(right) < 0 } ?? false
        return isLeft ? "from the left" : "from the right"
    }

    /// One view with its legend.
    private static func panel(
        _ direction: CloudView.Direction, _ scene: CloudScene, fitting points: [Vector3], size: PixelSize,
        scale: Double? = nil, _ capture: Capture
    ) -> RGBImage {
        let axes = direction == .oblique ? scene.axes.facing(as: capture.keptFrames.compactMap(\.pose)) : scene.axes
        let view = CloudView(direction, axes: axes, fitting: points, size: size, scale: scale)
        let title =
            switch direction {
            case .above: "from above"
            case .front: "from the front"
            case .side: sideTitle(of: capture.box, seenFrom: scene.axes.right)
            case .oblique: "in perspective"
            }
        var picture = scene.picture(view)
        picture.addLegend(title, view: view, trail: scene.trail, isMetric: capture.isMetric)
        return picture
    }
}
