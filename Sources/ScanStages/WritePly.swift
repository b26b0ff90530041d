import ScanModel
import ScanPipeline

/// Writes points.
public struct WritePly: FoldStage, DemandingStage {
    public static let card = StageCard(
        name: "write-ply",
        summary: "Write the points as a PLY file.",
        details: """
            Binary little-endian: x, y, z as floats in metres, in the world as recorded, nx, ny, nz as floats where the
            points have normals (`unproject: {normals: true}`), and red, green, blue as bytes where they have colours.
            Below `voxel-downsample` it writes the merged cloud; without one it writes every frame's points one after
            another, in the order of the frames.

            `{unit: mm, up: z}` is for CAD. PLY has no units, and programs do not ask: if the unit is not the metre, a
            comment in the file says so, and ScanMill heeds it. The receipt has the turn as `applied-transform`.

            For a mesh, there are `fuse-depth` and `write-mesh`. Where holes are to be closed, screened Poisson reconstruction
            does so, from a cloud with normals that was merged to 1 or 2 cm: MeshLab and CloudCompare have it, and Open3D in
            Python:

                import open3d
                cloud = open3d.io.read_point_cloud("desk.ply")
                mesh, density = open3d.geometry.TriangleMesh.create_from_point_cloud_poisson(cloud, depth=9)
                open3d.io.write_triangle_mesh("desk-mesh.ply", mesh)

            Poisson reconstruction passes over points whose normal is unknown; MeshLab does so with “Pre-Clean”, and refuses
            the cloud without it.
            """,
        example: "- write-ply")

    let file: String
    let unit: LengthUnit
    let up: WorldTurn.Up

    public init(_ options: inout OptionReader) {
        file = options.resultFile(default: "{id}.ply", endings: ["ply"], folder: "clouds")
        unit = options.choice("unit", "The unit of the coordinates.", default: .metre)
        up = options.choice("up", "Which axis is to point up: as recorded, y or z.", default: .recorded)
    }

    public var uses: Uses {
        Uses(
            fold: .init(anyOf: [[.cloud, .points]]), claims: [file], instead: [[.cloud, .points]: [.pointsFromDepth]])
    }

    public func check(_ capture: Capture, _ label: String) throws(Problem) { _ = try up.turn(of: capture, label) }

    public func begin(_ context: StageContext) throws(Problem) -> PointFile? {
        guard context.reads.contains(.points) else { return nil }
        let turn = try up.turn(of: context.capture, context.label)
        return try PointFile(context, path: path(context), turn: turn, unit: unit)
    }

    public func fold(_ frame: inout Frame, into file: inout PointFile?, in context: StageContext) throws(Problem) {
        if let points = frame.points { try file?.add(points) }
    }

    public func end(_ file: consuming PointFile?, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        let turn = try up.turn(of: context.capture, context.label)
        context.record(turn)
        if unit != .metre { context.warnUnlessMetric(capture, "coordinates may not be in \(unit.rawValue)") }
        if let file {
            try file.close()
            Self.note(file.count, of: capture, context)
        } else if let cloud = capture.cloud {
            try PointFile.write(cloud, context, path: path(context), turn: turn, unit: unit)
            Self.note(cloud.count, of: capture, context)
        }
    }

    private static func note(_ count: Int, of capture: Capture, _ context: StageContext) {
        context.count("points", count)
        // The stage that emptied it may have said so.
        if count == 0, capture.absences[.cloud] == nil {
            context.warn("the cloud holds no points: the stages above left none")
        }
    }

    private func path(_ context: StageContext) -> String { OptionText.path(file, ofCapture: context.capture.id) }
}
