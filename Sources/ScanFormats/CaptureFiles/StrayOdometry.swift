import ScanModel

/// Stray Scanner's `odometry.csv`: one line per frame, with its pose camera-to-world in OpenCV's axes, in ARKit's
/// world.
///
/// The first line names the columns. `timestamp` and `frame` exist since version 1.2 of the app; `fx, fy, cx, cy`, the
/// frame's own camera in pixels of the video as recorded, and the centre of the lens's distortion came later. Other
/// columns, and any order, are accepted. Before version 1.2 the app did not name the columns either, and joined the
/// lines with line feeds, so the last line had none.
///
/// Source: the Stray Scanner app, OdometryEncoder.swift, and its documentation of the format.
public struct StrayOdometry {
    public struct Row: Hashable, Sendable {
        /// Nanoseconds of uptime; nil where the file has none.
        public var timestamp: Int64?
        public var pose: Pose
        /// The frame's own camera, for the app's ``StrayCameraMatrix/recordedSize``; nil where the line has none.
        public var camera: CameraIntrinsics?
    }

    public struct Line: Sendable {
        /// The frame's number, which is also in the names of its depth and confidence files. Even a line that cannot be
        /// used may have one. Nil where the file has none.
        public var number: Int?
        /// What the line says, or why it cannot be used, with its place.
        public var row: Result<Row, Problem>
    }

    static let columns = ["timestamp", "frame", "x", "y", "z", "qx", "qy", "qz", "qw"]

    public let file: String
    /// Whether each line has a timestamp.
    public var hasTimestamps: Bool { layout.timestamp != nil }
    /// Whether each line has its frame's number.
    public var hasNumbers: Bool { layout.number != nil }
    /// The last line read, if it has no line feed although the app, since version 1.2, ends every line with one.
    var openLine: Int? { layout.endsLines ? table.openLine : nil }
    private var table: TextTable
    private let layout: Layout
    /// In a file without column names the first line is a frame.
    private var first: TextTable.Row?

    /// - Throws: when the first line is not that of an `odometry.csv`.
    public init(_ source: any ByteSource, lineLimit: Int) throws(Problem) {
        file = source.name
        table = TextTable(source, .comma, lineLimit: lineLimit)
        do throws(Problem) {
            guard let row = try table.next() else { throw Problem(.input, "there are no frames in the file") }
            let count = row.fields.count
            let isFrame = (count == 9 || count == 7) && (try? row.number(count - 1)) != nil
            guard let layout = Layout(isFrame ? Array(Self.columns.suffix(count)) : row.fields) else {
                throw Problem(
                    .input, "the columns are not those of an odometry.csv",
                    notes: [
                        "expected \(Self.columns.joined(separator: ", "))",
                        "the first line is \(String(reflecting: row.fields.joined(separator: ", ").prefix(200)))",
                    ]
                ).at(line: row.line)
            }
            self.layout = layout
            if isFrame { first = row }
        } catch { throw error.at(file: source.name) }
    }

    /// The next line; nil after the last.
    public mutating func next() throws(Problem) -> Line? {
        var row: TextTable.Row
        if let waiting = first {
            row = waiting
            first = nil
        } else {
            guard let found = try table.next() else { return nil }
            row = found
        }
        // In such a file a missing line feed tells nothing, and the number of digits hardly more.
        if !layout.endsLines, row.end == .cut { row.end = .open }
        let number = layout.number.flatMap { try? Self.number(in: row, $0) }
        do throws(Problem) {
            return Line(number: number, row: .success(try read(row)))
        } catch {
            return Line(number: number, row: .failure(error.at(file: file, line: row.line)))
        }
    }

    private func read(_ row: TextTable.Row) throws(Problem) -> Row {
        var result = Row(pose: try Pose(trajectory: try row.numbers(layout.pose)))
        if let column = layout.timestamp { result.timestamp = try row.time(column) }
        if let column = layout.number { _ = try Self.number(in: row, column) }
        if let columns = layout.camera { result.camera = try Self.camera(in: row, columns) }
        return result
    }

    private static func number(in row: TextTable.Row, _ column: Int) throws(Problem) -> Int {
        let text = try row.text(column)
        guard let number = Int(text), number >= 0 else {
            throw Problem(.input, "“\(text.prefix(40))” is not a frame's number")
        }
        return number
    }

    /// - Parameter columns: of fx, fy, cx and cy.
    /// - Returns: nil where all four are empty; a line that ends before them was cut off.
    private static func camera(in row: TextTable.Row, _ columns: [Int]) throws(Problem) -> CameraIntrinsics? {
        let texts = try columns.map { (column) throws(Problem) in try row.text(column) }
        if texts.allSatisfy(\.isEmpty) { return nil }
        let k = try row.numbers(columns)
        let size = StrayCameraMatrix.recordedSize
        let camera = CameraIntrinsics(
            fx: k[0], fy: k[1], cx: k[2], cy: k[3], width: size.width, height: size.height, pixelOrigin: .arKit)
        if let defect = camera.defect { throw Problem(.input, defect) }
        return camera
    }

    /// The column of each value, from 0.
    private struct Layout {
        var timestamp: Int?
        var number: Int?
        /// Of x, y, z, qx, qy, qz and qw.
        var pose: [Int]
        /// Of fx, fy, cx and cy.
        var camera: [Int]?
        /// Whether a line feed ends the last line too.
        var endsLines: Bool { timestamp != nil || number != nil }

        /// - Returns: nil where a column of the pose is not named.
        init?(_ names: [String]) {
            let pose = ["x", "y", "z", "qx", "qy", "qz", "qw"].compactMap { names.firstIndex(of: $0) }
            guard pose.count == 7 else { return nil }
            self.pose = pose
            timestamp = names.firstIndex(of: "timestamp")
            number = names.firstIndex(of: "frame")
            let camera = ["fx", "fy", "cx", "cy"].compactMap { names.firstIndex(of: $0) }
            if camera.count == 4 { self.camera = camera }
        }
    }

    // MARK: - Writing

    public static var header: String { columns.joined(separator: ", ") + "\n" }

    /// - Parameter name: the frame's number as in file names, `000012`.
    public static func line(timestamp: Int64, name: String, pose: Pose) -> String {
        let numbers = pose.trajectory.map { String($0) }.joined(separator: ", ")
        return "\(DecimalSeconds.text(timestamp, places: 9)), \(name), \(numbers)\n"
    }
}

/// Stray Scanner's `camera_matrix.csv`: the rows of the 3×3 matrix of the last frame's camera, in pixels of the video as
/// the app recorded it.
public enum StrayCameraMatrix {
    /// The size of the pictures that the app records.
    static let recordedSize = PixelSize(1920, 1440)

    /// - Returns: the camera, as ARKit gives it.
    /// - Throws: when there are not three lines of three numbers, or they cannot be a camera's.
    public static func read(_ source: any ByteSource) throws(Problem) -> CameraIntrinsics {
        do throws(Problem) {
            var table = TextTable(source, .comma, lineLimit: 1 << 16)
            var rows: [[Double]] = []
            while rows.count < 3, let row = try table.next() { rows.append(try row.numbers(0..<3)) }
            guard rows.count == 3 else {
                throw Problem(.input, "the camera matrix has \(rows.count.counted("row")) of 3")
            }
            let camera = CameraIntrinsics(
                fx: rows[0][0], fy: rows[1][1], cx: rows[0][2], cy: rows[1][2], width: recordedSize.width,
                height: recordedSize.height, pixelOrigin: .arKit)
            let defect = CameraIntrinsics.layoutDefect(rowMajor: rows.flatMap(\.self)) ?? camera.defect
            if let defect { throw Problem(.input, defect) }
            return camera
        } catch { throw error.at(file: source.name) }
    }

    public static func text(_ camera: CameraIntrinsics) -> String {
        let k = camera.counted(from: .arKit)
        return "\(k.fx), 0.0, \(k.cx)\n0.0, \(k.fy), \(k.cy)\n0.0, 0.0, 1.0\n"
    }
}
