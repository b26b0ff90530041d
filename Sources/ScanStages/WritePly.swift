import ScanModel
import ScanPipeline

/// Writes points.
public struct WritePly: FoldStage {
    public static let card = StageCard(
        name: "write-ply",
        summary: "Write the points as a PLY file.",
        details: """
            Binary little-endian: x, y, z as floats in metres, in the world as recorded, nx, ny, nz as floats where the
            points have normals (`unproject: {normals: true}`), and red, green, blue as bytes where they have colours.
            Below `voxel-downsample` it writes the merged cloud; without one it writes every frame's points one after
            another, in the order of the frames.

            `{unit: mm, up: z}` is for CAD. PLY knows no units, and programs do not ask: the file says one other than the
            metre in a comment, by which ScanMill reads it again. The receipt has the turn as `applied-transform`.

            A mesh can be made of a cloud with normals, merged to 1 or 2 cm: by MeshLab and CloudCompare (screened Poisson
            reconstruction), or by Open3D in Python:

                import open3d
                cloud = open3d.io.read_point_cloud("desk.ply")
                mesh, density = open3d.geometry.TriangleMesh.create_from_point_cloud_poisson(cloud, depth=9)
                open3d.io.write_triangle_mesh("desk-mesh.ply", mesh)

            Poisson reconstruction closes holes, and passes over points whose normal is unknown; MeshLab does so with
            “Pre-Clean”, and refuses the cloud without it.
            """,
        example: "- write-ply")

    /// Which way is up in the file.
    public enum Up: String, CaseIterable, Sendable { case recorded, y, z }

    let file: String
    let unit: LengthUnit
    let up: Up

    public init(_ options: inout OptionReader) {
        file = options.text("file", "The file's path in the result; `{id}` is the capture's id.", default: "{id}.ply")
        unit = options.choice("unit", "The unit of the coordinates.", default: .metre)
        up = options.choice("up", "Which axis is to point up: as recorded, y or z.", default: .recorded)
        if !file.hasSuffix(".ply") { options.fail("file", "`file` does not end in .ply", Self.example) }
        let parts = file.allPathParts
        if parts.contains(where: { ["", ".", ".."].contains($0) }) {
            options.fail("file", "`file` is no plain path in the result's folder", Self.example)
        } else if let sign = file.unicodeScalars.first(where: Self.isNoneOfName) {
            let number = String(sign.value, radix: 16, uppercase: true)
            options.fail("file", "`file` holds a character that no file's name should: number \(number)", Self.example)
        } else if let size = parts.map({ OptionText.path(String($0), ofCapture: "").utf8.count }).max(),
            size > Self.longestName
        {
            options.fail(
                "file", "`file` holds a name of \(size) bytes, and file systems take \(Self.longestName) at most",
                Self.example)
        } else {
            options.checkBraces("file", in: file)
        }
    }

    private static let example = "a path such as clouds/{id}.ply"
    /// In bytes: Linux' NAME_MAX.
    private static let longestName = 255

    /// Line ends and the like, of which NUL ends a name for the system.
    private static func isNoneOfName(_ sign: Unicode.Scalar) -> Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(sign.properties.generalCategory)
    }

    public var uses: Uses {
        Uses(
            fold: .init(anyOf: [[.cloud, .points]]), claims: [file], instead: [[.cloud, .points]: [.pointsFromDepth]])
    }

    public func begin(_ context: StageContext) throws(Problem) -> PointFile? {
        guard context.reads.contains(.points) else { return nil }
        return try PointFile(context, path: path(context), turn: try turn(context), unit: unit)
    }

    private func turn(_ context: StageContext) throws(Problem) -> WorldTurn {
        if up == .recorded { return .none }
        _ = try context.capture.requiredUp(
            fix: "write it as recorded with  --set \(context.label).up=recorded")
        return up == .y ? .yUp(context.capture) : .zUp(context.capture)
    }

    public func fold(_ frame: inout Frame, into file: inout PointFile?, in context: StageContext) throws(Problem) {
        if let points = frame.points { try file?.add(points) }
    }

    public func end(_ file: consuming PointFile?, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        let turn = try turn(context)
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
