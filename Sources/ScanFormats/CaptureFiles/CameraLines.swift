import Glibc
import ScanModel

/// Reads and writes the camera lines of a MultiScan capture, `<id>.jsonl`: line i is a JSON object for frame i.
///
/// A line that cannot be read is a failure of that frame only, so it is returned, not thrown. A blank line between
/// others is such a failure and keeps its place: skipping it would give every later frame the pose of another one.
/// Blank lines at the end are ignored.
public struct CameraLines {
    private var lines: LineReader
    private let file: String
    private let lineLimit: Int
    /// The numbers of blank lines that have not been returned yet, and the line after them, which makes them failures.
    private var blanks = 0..<0
    private var pending: LineReader.Line?

    /// - Parameters:
    ///   - lineLimit: a line of more bytes is not kept in memory, but fails.
    ///   - chunk: how many bytes are read at a time.
    public init(_ source: any ByteSource, lineLimit: Int = 1 << 20, chunk: Int = 1 << 16) {
        lines = LineReader(source, limit: lineLimit, chunk: chunk)
        file = source.name
        self.lineLimit = lineLimit
    }

    /// The record of the next frame, or what is wrong with its line; nil after the last one.
    /// - Throws: only when the file itself cannot be read.
    public mutating func next() throws(Problem) -> Result<CameraLine, Problem>? {
        if pending == nil { pending = try nextLineWithText() }
        guard let line = pending else { return nil }
        if let blank = blanks.first {
            blanks = blanks.dropFirst()
            return .failure(Problem(.input, "the camera line is blank").at(file: file, line: blank))
        }
        pending = nil
        if line.isTooLong {
            let problem = Problem(.input, "the camera line has \(line.byteCount) bytes; the limit is \(lineLimit)")
            return .failure(problem.at(file: file, line: line.number, byte: line.byteOffset))
        }
        do throws(Problem) {
            return .success(
                try lines.withBytes(of: line) { (bytes) throws(Problem) -> CameraLine in
                    try CameraLine(bytes, file: file, line: line.number, byte: line.byteOffset)
                })
        } catch {
            return .failure(error)
        }
    }

    private mutating func nextLineWithText() throws(Problem) -> LineReader.Line? {
        while let line = try lines.next() {
            let isBlank = try lines.withBytes(of: line) { (bytes) throws(Problem) -> Bool in
                bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            }
            if !isBlank || line.isTooLong { return line }
            blanks = (blanks.isEmpty ? line.number : blanks.lowerBound)..<line.number + 1
        }
        return nil
    }
}

// MARK: - Writing

extension CameraLines {
    /// The line as it was recorded, byte for byte, with `"source_frame": number` as its last member.
    ///
    /// A number that is already there is replaced in place: it refers to the capture that this one was made from, while
    /// the new one refers to this capture, the one that a receipt accounts for.
    /// - Parameter line: one line without its line ending.
    public static func rewrite(
        _ line: [UInt8], addingSourceFrame number: Int, file: String = "camera lines"
    ) throws(Problem) -> [UInt8] {
        let place = try line.withUnsafeBufferPointer { (bytes) throws(Problem) -> (range: Range<Int>, text: String) in
            var scanner = JSONScanner(bytes, file: file)
            var old: Range<Int>?
            var isEmpty = true
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                isEmpty = false
                _ = try scanner.kind()
                let start = scanner.position
                try scanner.skip()
                if key == "source_frame" { old = start..<scanner.position }
            }
            let brace = scanner.position - 1
            try scanner.end()
            if let old { return (old, "\(number)") }
            return (brace..<brace, "\(isEmpty ? "" : ",")\"source_frame\":\(number)")
        }
        var rewritten = line
        rewritten.replaceSubrange(place.range, with: place.text.utf8)
        return rewritten
    }

    /// The recorded line with another camera and time. Everything else the recorder wrote is kept, except other forms
    /// of the old camera's pose: quaternions, and Android's matrices of the sensors' pose.
    /// - Parameter line: one line without its line ending.
    /// - Throws: as ``line(timestamp:intrinsics:pose:exposure:extra:)``, and when the recorded line is not a JSON
    ///   object.
    public static func rewrite(
        _ line: [UInt8], timestamp: Int64, intrinsics: CameraIntrinsics, pose: Pose, sourceFrame number: Int,
        file: String = "camera lines"
    ) throws(Problem) -> [UInt8] {
        guard var object = try JSONValue.parse(line, file: file).object else {
            throw Problem(.input, "the camera line is no JSON object").at(file: file)
        }
        let outdated = ["quaternion", "rotationQuaternion", "transformMatrices"]
        for key in object.keys where outdated.contains(where: key.hasPrefix) { object[key] = nil }
        object.merge(try members(timestamp, intrinsics, pose))
        object["source_frame"] = .of(number)
        return JSONWriter.text(.object(object), pretty: false)
    }

    /// A camera line in MultiScan's own order of keys, without a line ending, for captures of other formats.
    /// - Parameters:
    ///   - extra: members to put after MultiScan's own.
    /// - Throws: when the camera has a ``CameraIntrinsics/defect`` or the pose has one: such a frame belongs in no
    ///   output. Also when camera lines cannot have that time.
    public static func line(
        timestamp: Int64, intrinsics: CameraIntrinsics, pose: Pose, exposure: Int64? = nil,
        extra: JSONObject = [:]
    ) throws(Problem) -> [UInt8] {
        var line = try members(timestamp, intrinsics, pose)
        line["exposure_duration"] = .of(exposure)
        line.merge(extra)
        return JSONWriter.text(.object(line), pretty: false)
    }

    private static func members(
        _ timestamp: Int64, _ intrinsics: CameraIntrinsics, _ pose: Pose
    ) throws(Problem) -> JSONObject {
        if let defect = intrinsics.defect ?? pose.defect { throw Problem(.input, defect) }
        guard CameraLine.timestamps.contains(timestamp) else {
            throw Problem(
                .input, "a camera line cannot have the time \(timestamp) ns",
                notes: ["times go from 0 to \(CameraLine.timestamps.upperBound) ns"],
                fix: "add the same to all times of the capture before it is read, or write another format")
        }
        var line = JSONObject()
        line["timestamp"] = .integer(timestamp)
        line["intrinsics"] = .of(intrinsics.counted(from: .arKit).columnMajor)
        line["transform"] = .of(pose.columnMajor)
        line["euler_angles"] = .of(pose.rotation.eulerAngles.components)
        return line
    }
}

extension Matrix3 {
    /// Pitch about x, yaw about y, roll about z, radians, with R = Ry(yaw)·Rx(pitch)·Rz(roll), as ARKit's
    /// `ARCamera.eulerAngles`. Where the camera looks straight up or down, so that yaw and roll turn about one axis, the
    /// whole turn is yaw.
    var eulerAngles: Vector3 {
        let r = rows
        // R = [[…, …, sy·cp], [cp·sr, cp·cr, −sp], [−sy·cr + cy·sp·sr, …, cy·cp]]
        let cosPitch = (r.1.x * r.1.x + r.1.y * r.1.y).squareRoot()
        let pitch = atan2(-r.1.z, cosPitch)
        if cosPitch < 1e-9 { return Vector3(pitch, atan2(-r.2.x, r.0.x), 0) }
        return Vector3(pitch, atan2(r.0.z, r.2.z), atan2(r.1.x, r.1.y))
    }
}
