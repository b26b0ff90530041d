import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a surface.
public struct WriteMesh: CaptureStage, DemandingStage {
    public static let card = StageCard(
        name: "write-mesh",
        summary: "Write the mesh as a PLY or GLB file.",
        details: """
            The file's extension says which. PLY is binary little-endian, with x, y, z and the normals as floats, red,
            green, blue as bytes where the mesh has colours, and three vertex indices for each triangle: MeshLab,
            CloudCompare, Open3D and Blender read it. It is in metres, in the world as recorded; `{unit: mm, up: z}` is
            for CAD, as with `write-ply`.

            GLB is glTF 2.0 in one file, for browsers, phones, game engines and Blender: always in metres, and with y up if
            the capture says which way is up. Its colours are unlit, so that the room looks as it was recorded.

            The receipt has the turn as `applied-transform`.
            """,
        example: "- write-mesh: {file: \"{id}.glb\"}")

    enum Kind: String, CaseIterable {
        case ply, glb
    }

    let file: String
    let kind: Kind
    let unit: LengthUnit
    let up: WorldTurn.Up

    public init(_ options: inout OptionReader) {
        file = options.resultFile(default: "{id}_mesh.ply", endings: Kind.allCases.map(\.rawValue), folder: "meshes")
        kind = file.hasSuffix(".glb") ? .glb : .ply
        unit = options.choice("unit", "The unit of the coordinates.", default: .metre)
        up = options.choice("up", "Which axis is to point up in a PLY file.", default: .recorded)
        options.warn("up", unless: kind == .ply, "in PLY files: in GLB files y is up")
        if kind == .glb && unit != .metre {
            options.fail("unit", "glTF is always in metres", "leave out `unit`, or write a .ply file")
        }
    }

    public var uses: Uses {
        Uses(finish: .init(needs: [.mesh]), claims: [file])
    }

    public func check(_ capture: Capture, _ label: String) throws(Problem) { _ = try turn(of: capture, label) }

    private func turn(of capture: Capture, _ label: String) throws(Problem) -> WorldTurn {
        kind == .glb ? .yUp(capture) : try up.turn(of: capture, label)
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        var mesh = try capture.requiredMesh
        if mesh.triangleCount == 0 {
            return context.warn("no file is written: \(capture.reasonForEmptyMesh)")
        }
        let turn = try turn(of: capture, context.label)
        if kind == .glb { context.warnUnlessUp(capture, "and viewers take y for it") }
        context.record(turn)
        if unit != .metre { context.warnUnlessMetric(capture, "coordinates may not be in \(unit.rawValue)") }
        mesh.vertices = turn.apply(mesh.vertices).converted(from: .metre, to: unit)
        var output = try context.output.create(OptionText.path(file, ofCapture: capture.id))
        switch kind {
        case .ply: try PLYWriter.write(mesh, unit: unit, to: &output)
        case .glb: try GLB.write(mesh, name: capture.id, to: &output)
        }
        try output.close()
        context.count("triangles", mesh.triangleCount)
    }
}
