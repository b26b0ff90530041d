import ScanFormats
import ScanModel
import ScanPipeline

/// A PLY file whose points come cloud by cloud, or all at once.
public final class PointFile {
    /// What the file holds if its points have no colour.
    enum Colorless: Sendable {
        /// No colours at all.
        case none
        /// Grey 128 for every point, for trainers that want colours.
        case grey
    }

    private let file: OutputFile
    private let turn: WorldTurn
    private let unit: LengthUnit
    private let colorless: Colorless
    /// Made with the first points, which say whether there are colours and normals.
    private var writer: PLYWriter?
    private var properties: PointCloud.Properties = []

    var count: Int { writer?.count ?? 0 }

    init(
        _ context: StageContext, path: String, turn: WorldTurn = .none, unit: LengthUnit = .metre,
        colorless: Colorless = .none
    ) throws(Problem) {
        file = try context.output.create(path)
        self.turn = turn
        self.unit = unit
        self.colorless = colorless
    }

    func add(_ cloud: PointCloud) throws(Problem) {
        if writer == nil {
            try begin(with: cloud)
            try file.write(PLYWriter.reservedHeader(count: 0, properties, unit: unit))
        }
        try append(cloud)
    }

    /// Puts the number of points into the header and closes the file.
    func close() throws(Problem) {
        if writer == nil { try add(PointCloud()) }
        try file.patch(PLYWriter.reservedHeader(count: count, properties, unit: unit), at: 0)
        try file.close()
    }

    /// Writes a cloud whose number of points is known.
    static func write(
        _ cloud: PointCloud, _ context: StageContext, path: String, turn: WorldTurn = .none,
        unit: LengthUnit = .metre, colorless: Colorless = .none
    ) throws(Problem) {
        let file = try PointFile(context, path: path, turn: turn, unit: unit, colorless: colorless)
        try file.begin(with: cloud)
        try file.file.write(PLYWriter.header(count: cloud.count, file.properties, unit: unit))
        try file.append(cloud)
        try file.file.close()
    }

    private func begin(with cloud: PointCloud) throws(Problem) {
        properties = cloud.properties
        if colorless == .grey { properties.insert(.colors) }
        writer = PLYWriter(properties)
    }

    private func append(_ cloud: PointCloud) throws(Problem) {
        var turned = turn.apply(cloud).converted(from: .metre, to: unit)
        if properties.contains(.colors) && turned.colors == nil {
            turned.colors = Array(repeating: 128, count: turned.positions.count)
        }
        var sink = file
        try writer?.write(turned, to: &sink)
    }
}
