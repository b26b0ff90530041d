import ScanModel
import ScanPipeline

/// Draws the mesh with the box and the cameras.
public struct RenderMesh: CaptureStage {
    public static let card = StageCard(
        name: "render-mesh",
        summary: "Draw the mesh with the box and the cameras: from above, front and side, and in perspective.",
        details: """
            `view: sheet` puts all four views on one picture, `<id>_mesh.png`, the three orthographic ones at one scale; a
            single view is written to `<id>_mesh_above.png` and so on. Directions, the box, the cameras, the key to their
            colours and the scale are those of `render-cloud`.

            The surface has its own colours under light from the viewer's upper left; `colors: false` draws it in plain
            grey, which shows shapes better. Its back, the side from which it was not recorded, is pale and hides
            no surface that faces you: you look into a room through the walls and the ceiling that are on your side.

            The picture depends only on the capture and the options.
            """,
        example: "- render-mesh: {view: perspective, width: 1280, height: 960}", revision: 3)

    let drawing: SceneDrawing
    let usesColors: Bool

    public init(_ options: inout OptionReader) {
        drawing = SceneDrawing(&options)
        usesColors = options.flag("colors", "Draw the surface in its own colours, not in grey.", default: true)
    }

    public var uses: Uses {
        Uses(
            finish: .init(needs: [.frames, .mesh], wants: SceneDrawing.wants),
            claims: [drawing.path("mesh", id: "{id}")])
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        var mesh = try capture.requiredMesh
        if mesh.triangleCount == 0 {
            return context.warn("nothing is drawn: \(capture.reasonForEmptyMesh)")
        }
        if !usesColors { mesh.vertices.colors = nil }
        let scene = drawing.scene(of: capture, mesh: mesh)
        if try drawing.write(scene, "mesh", capture, context) { context.count("triangles", mesh.triangleCount) }
    }
}
