import ScanModel

/// ScanNet++'s `pose_intrinsic_imu.json`: an object with a member for each frame of the video, `frame_000000`, …
///
/// Of each: `timestamp` in seconds; `pose`, four rows camera-to-world as ARKit gives it; `aligned_pose`, the same in the
/// frame of the laser scan's mesh; `intrinsic`, three rows for pictures of 1920 × 1440; `imu`.
package enum ScanNetPPPoses {
    /// Frames in the order of the file, which need not be that of their numbers. What of a frame cannot be used is said
    /// in its drop.
    /// - Parameter size: of the pictures that `intrinsic` is for.
    /// - Throws: when the text is no JSON object, or holds more frames than the rules allow.
    package static func read(
        _ bytes: [UInt8], file: String, size: PixelSize, rules: ReadRules
    ) throws(Problem) -> [FrameFacts] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Problem) -> [FrameFacts] in
            var scanner = JSONScanner(buffer, file: file)
            // `NaN` is one frame's fault.
            scanner.keepsNonNumbers = true
            var frames: [FrameFacts] = []
            var seen: Set<Int> = []
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                guard let number = number(of: key) else {
                    try scanner.skip()
                    continue
                }
                do throws(Problem) {
                    // The number may be the largest that there is.
                    try rules.check(frames: min(max(number, frames.count), .max - 1) + 1, of: "frames")
                    guard seen.insert(number).inserted else { throw scanner.problem("“\(key)” is there twice") }
                } catch { throw error.at(file: file) }
                frames.append(facts(number, key, JSONField(try scanner.value(), file: file), size))
            }
            try scanner.end()
            return frames
        }
    }

    private static func number(of key: String) -> Int? {
        guard key.hasPrefix("frame_"), let number = Int(key.dropFirst(6)), number >= 0 else { return nil }
        return number
    }

    private static func facts(_ number: Int, _ key: String, _ entry: JSONField, _ size: PixelSize) -> FrameFacts {
        var facts = FrameFacts(index: number)
        do throws(Problem) {
            let seconds = try entry["timestamp"].number()
            guard abs(seconds) < 4e9 else { throw entry["timestamp"].unlike("seconds") }
            facts.timestamp = Int64((seconds * 1e9).rounded())
            let matrix = try rows(entry["pose"], 4)
            let pose = Pose(rowMajor: matrix)
            let k = try rows(entry["intrinsic"], 3)
            let camera = CameraIntrinsics(
                fx: k[0], fy: k[4], cx: k[2], cy: k[5], width: size.width, height: size.height, pixelOrigin: .corner)
            if let defect = pose.defect ?? Pose.layoutDefect(rowMajor: matrix) ?? camera.defect {
                throw Problem(.input, defect)
            }
            facts.pose = pose
            facts.intrinsics = camera
        } catch {
            facts.drop = Drop(whileReading: "\(key): \(error.oneLine)", isBad: true)
        }
        return facts
    }

    /// A square matrix, row by row.
    private static func rows(_ field: JSONField, _ side: Int) throws(Problem) -> [Double] {
        let numbers = try field.rows(of: side)
        guard numbers.count == side * side else { throw field.unlike("\(side) rows of \(side) numbers") }
        return numbers
    }

    // MARK: - Writing

    /// A frame's member.
    /// - Parameter name: the frame's number as it stands in names, `000012`.
    package static func write(
        _ name: String, timestamp: Int64, pose: Pose, camera: CameraIntrinsics, to json: inout JSONWriter
    ) {
        let k = camera.counted(from: .corner)
        let matrix = JSONValue.array(pose.rowMajorRows.map { .of($0) })
        json.key("frame_\(name)")
        json.object { json in
            json.member("timestamp", .number(Double(timestamp) / 1e9))
            json.member("pose", matrix)
            // There is no mesh whose frame could be another one.
            json.member("aligned_pose", matrix)
            json.member("intrinsic", .array([.of([k.fx, 0, k.cx]), .of([0, k.fy, k.cy]), .of([0, 0, 1])]))
        }
    }
}
