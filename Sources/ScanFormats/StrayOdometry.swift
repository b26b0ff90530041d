import ScanModel

/// Stray Scanner's `odometry.csv`: a line a frame, with its pose camera-to-world in OpenCV's axes, in ARKit's world.
///
/// The first line names the columns. Before version 1.2 of the app there were no `timestamp` and `frame`.
///
/// Source: the Stray Scanner app, OdometryEncoder.swift, and its documentation of the format.
public struct StrayOdometry {
    public struct Row: Hashable, Sendable {
        /// Nanoseconds of uptime; nil where the file has none.
        public var timestamp: Int64?
        /// The number in the names of the frame's depth and confidence; nil where the file has none.
        public var number: Int?
        public var pose: Pose
    }

    static let columns = ["timestamp", "frame", "x", "y", "z", "qx", "qy", "qz", "qw"]

    public let file: String
    /// Whether there is a timestamp and a number in each line.
    public var hasTimestamps: Bool { start == 2 }
    private var table: TextTable
    /// The column of x.
    private let start: Int
    /// A file without names of columns begins with a frame.
    private var first: TextTable.Row?

    /// - Throws: when the first line is none of this file's.
    public init(_ source: any ByteSource, lineLimit: Int) throws(Problem) {
        file = source.name
        table = TextTable(source, .comma, lineLimit: lineLimit)
        do throws(Problem) {
            guard let row = try table.next() else { throw Problem(.input, "there are no frames in the file") }
            if row.fields == Self.columns || row.fields == Array(Self.columns.dropFirst(2)) {
                start = row.fields.count - 7
            } else if row.fields.count == 9 || row.fields.count == 7, (try? row.number(row.fields.count - 1)) != nil {
                start = row.fields.count - 7
                first = row
            } else {
                throw Problem(
                    .input, "the columns are not those of an odometry.csv",
                    notes: ["expected \(Self.columns.joined(separator: ", "))"]
                ).at(line: row.line)
            }
        } catch { throw error.at(file: source.name) }
    }

    /// The next frame; nil after the last. A line that cannot be used is a failure with its place.
    public mutating func next() throws(Problem) -> Result<Row, Problem>? {
        let row: TextTable.Row
        if let waiting = first {
            row = waiting
            first = nil
        } else {
            guard let found = try table.next() else { return nil }
            row = found
        }
        do throws(Problem) {
            let pose = try Pose(trajectory: try row.numbers(start..<start + 7))
            guard hasTimestamps else { return .success(Row(pose: pose)) }
            let time = try row.time(0)
            guard let number = Int(try row.text(1)), number >= 0 else {
                throw Problem(.input, "“\(row.fields[1].prefix(40))” is not a frame's number")
            }
            return .success(Row(timestamp: time, number: number, pose: pose))
        } catch { return .failure(error.at(file: file, line: row.line)) }
    }

    // MARK: - Writing

    public static var header: String { columns.joined(separator: ", ") + "\n" }

    /// - Parameter name: the frame's number as it stands in file names, `000012`.
    public static func line(timestamp: Int64, name: String, pose: Pose) -> String {
        let numbers = pose.trajectory.map { String($0) }.joined(separator: ", ")
        return "\(DecimalSeconds.text(timestamp, places: 9)), \(name), \(numbers)\n"
    }
}

/// Stray Scanner's `camera_matrix.csv`: the rows of the 3×3 matrix of the last frame's camera, in pixels of the video.
public enum StrayCameraMatrix {
    /// - Returns: the camera for pictures of this size; its principal point counts from the corner, as ARKit's is taken to.
    /// - Throws: when there are not three lines of three numbers, or no camera can have them.
    public static func read(_ source: any ByteSource, size: PixelSize) throws(Problem) -> CameraIntrinsics {
        do throws(Problem) {
            var table = TextTable(source, .comma, lineLimit: 1 << 16)
            var rows: [[Double]] = []
            while rows.count < 3, let row = try table.next() { rows.append(try row.numbers(0..<3)) }
            guard rows.count == 3 else { throw Problem(.input, "the camera matrix has \(rows.count) rows of 3") }
            let camera = CameraIntrinsics(
                fx: rows[0][0], fy: rows[1][1], cx: rows[0][2], cy: rows[1][2], width: size.width, height: size.height,
                pixelOrigin: .corner)
            if let defect = camera.defect { throw Problem(.input, defect) }
            return camera
        } catch { throw error.at(file: source.name) }
    }

    public static func text(_ camera: CameraIntrinsics) -> String {
        let k = camera.counted(from: .corner)
        return "\(k.fx), 0.0, \(k.cx)\n0.0, \(k.fy), \(k.cy)\n0.0, 0.0, 1.0\n"
    }
}
