import ScanFormats
import ScanModel
import ScanPipeline

/// How a capture's points or its surface are drawn with its box and its cameras: what the stages for such pictures share.
package struct SceneDrawing: Sendable {
    enum View: String, CaseIterable {
        case sheet, above, front, side, perspective

        /// Nil for the sheet, which has all four.
        var direction: SceneView.Direction? {
            switch self {
            case .sheet: nil
            case .above: .above
            case .front: .front
            case .side: .side
            case .perspective: .oblique
            }
        }
    }
    enum Cameras: String, CaseIterable { case time, speed, none }
    enum Around: String, CaseIterable { case all, box }

    static let wants: [Channel] = [.box, .pose, .intrinsics, .timestamp]
    /// Drawing takes four times as many pixels.
    private static let mostPixels = 8_000_000

    let view: View
    let size: PixelSize
    let drawsBox: Bool
    let cameras: Cameras
    let around: Around

    init(_ options: inout OptionReader) {
        view = options.choice("view", "Where it is seen from; `sheet` has all four views.", default: .sheet)
        size = PixelSize(
            options.integer("width", "Width of the picture.", default: 1600, in: 64...4096, unit: "pixels"),
            options.integer("height", "Height of the picture.", default: 1200, in: 64...4096, unit: "pixels"))
        drawsBox = options.flag("box", "Draw the capture's box, where it has one.", default: true)
        cameras = options.choice("cameras", "What the cameras' path is coloured by, or `none`.", default: .time)
        around = options.choice("around", "What the views are fitted to.", default: .all)
        if size.width * size.height > Self.mostPixels {
            options.fail(
                "height", "\(size) is more than \(Self.mostPixels / 1_000_000) million pixels",
                "a smaller `width` or `height`")
        }
    }

    /// - Parameter kind: what is drawn, for the file's name.
    func path(_ kind: String, id: String) -> String { Self.path(kind, view: view.rawValue, id: id) }

    package static func path(_ kind: String, view: String, id: String) -> String {
        "\(id)_\(kind)\(view == View.sheet.rawValue ? "" : "_\(view)").png"
    }

    func scene(of capture: Capture, cloud: PointCloud? = nil, mesh: TriangleMesh? = nil) -> Scene {
        var scene = Scene(
            cloud: cloud, mesh: mesh, box: capture.box,
            trail: CameraTrail.Measure(rawValue: cameras.rawValue).map {
                CameraTrail(capture.frames, by: $0, tooFast: capture.isMetric ? Trajectory.tooFast : 0)
            },
            axes: SceneView.Axes(up: capture.worldUp, box: capture.box))
        scene.drawsBox = drawsBox
        return scene
    }

    /// Draws the picture and writes it to ``path(_:id:)``.
    /// - Returns: false if there is nothing to draw, which is warned of.
    func write(
        _ scene: Scene, _ kind: String, _ capture: Capture, _ context: StageContext
    ) throws(Problem) -> Bool {
        if cameras == .speed, let trail = scene.trail, !trail.stations.isEmpty, trail.measure != .speed {
            context.warn(
                "the frames have no times that ascend, so the cameras are coloured in their order and not by speed")
        }
        if around == .box && scene.box == nil {
            context.warn("the capture has no box, so the views show everything")
        }
        let points = scene.extent(ofBoxAlone: around == .box)
        guard !points.isEmpty else {
            context.warn("there is nothing to draw: the cloud holds no points, and no frame has a pose")
            return false
        }
        let picture =
            if let direction = view.direction {
                Self.panel(direction, scene, fitting: points, size: size, capture)
            } else { sheet(scene, points, capture) }
        try context.output.write(try PNG.encodeRGB(picture, compressionLevel: 6), to: path(kind, id: capture.id))
        return true
    }

    /// Four views, two by two; the three orthographic ones at the scale that the largest of them needs.
    private func sheet(_ scene: Scene, _ points: [Vector3], _ capture: Capture) -> RGBImage {
        let gap = 2
        let panel = PixelSize(max(1, (size.width - gap) / 2), max(1, (size.height - gap) / 2))
        let flat: [SceneView.Direction] = [.above, .front, .side]
        let scale = flat.compactMap {
            SceneView($0, axes: scene.axes, fitting: points, size: panel).scale
        }.min()
        var picture = RGBImage(width: size.width, height: size.height, color: RGBColor(205, 205, 205))
        let places: [SceneView.Direction] = [.above, .oblique, .front, .side]
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
        _ direction: SceneView.Direction, _ scene: Scene, fitting points: [Vector3], size: PixelSize,
        scale: Double? = nil, _ capture: Capture
    ) -> RGBImage {
        let axes = direction == .oblique ? scene.axes.facing(as: capture.keptFrames.compactMap(\.pose)) : scene.axes
        let view = SceneView(direction, axes: axes, fitting: points, size: size, scale: scale)
        let title =
            switch direction {
            case .above: "from above"
            case .front: "from the front"
            case .side: sideTitle(of: scene.box, seenFrom: scene.axes.right)
            case .oblique: "in perspective"
            }
        var picture = scene.picture(view)
        picture.addLegend(
            title, view: view, trail: scene.showsCameras(in: view) ? scene.trail : nil, isMetric: capture.isMetric)
        return picture
    }
}
