import ScanFormats
import ScanModel
import ScanPipeline

/// Draws the cloud with the box and the cameras.
public struct RenderCloud: CaptureStage {
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
            for up to 40 of them that do not overlap, are coloured from dark blue to dark red (Turbo): by `time`, or by
            `speed`, where dark red is \(Trajectory.tooFast.shortText) m/s and more, or more than a twentieth of the frames
            exceed where that is faster or the unit is not known. If the frames have no times, both go by the frames'
            numbers. The key to the colours is at the bottom left of views that show cameras, the scale at the bottom
            right.

            It needs a merged cloud: put it below `voxel-downsample`. The picture depends only on the capture and the
            options.
            """,
        example: "- render-cloud: {view: perspective, width: 1280, height: 960}", revision: 10)

    let drawing: SceneDrawing
    let pointSize: Double?
    let drawsCloud: Bool
    let ceiling: Ceiling

    public init(_ options: inout OptionReader) {
        drawing = SceneDrawing(&options)
        pointSize = options.number(
            "point-size", "Diameter of a point; by default it closes the gaps.", in: 0.5...50, unit: "pixels")
        drawsCloud = options.flag("cloud", "Draw the points.", default: true)
        ceiling = options.choice(
            "ceiling", "Whether points above the highest camera are seen from above.", default: .hide)
        options.warn("point-size", unless: drawsCloud, "with `cloud: true`")
        options.warn(
            "ceiling", unless: drawsCloud && ![.front, .side].contains(drawing.view),
            "in views from above, with `cloud: true`")
        if !drawsCloud && drawing.cameras == .none {
            options.fail("cameras", "with `cloud: false` and `cameras: none` nothing is drawn", "draw one of them")
        }
    }

    public var uses: Uses {
        Uses(
            finish: .init(
                needs: [.frames] + (drawsCloud ? [.cloud] : [.pose]), wants: SceneDrawing.wants),
            claims: [drawing.path(kind, id: "{id}")], instead: [[.cloud]: [.cloudFromDepth]])
    }

    private var kind: String { drawsCloud ? "cloud" : "cameras" }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        var scene = drawing.scene(of: capture, cloud: drawsCloud ? capture.cloud : nil)
        scene.pointSize = pointSize
        if ceiling == .hide { scene.ceiling = capture.cameraPositions.map(scene.axes.up.dot).max() }
        if try drawing.write(scene, kind, capture, context) { context.count("points", scene.cloud?.count ?? 0) }
    }
}
