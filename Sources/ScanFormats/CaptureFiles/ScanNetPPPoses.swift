import ScanModel

/// ScanNet++'s `pose_intrinsic_imu.json`: an object with a member for each frame of the video, `frame_000000`, …
///
/// Each has `timestamp` in seconds; `pose`, four rows camera-to-world as ARKit gives it (x right, y up, z backward);
/// `aligned_pose`, the same in the frame of the laser scan's mesh, for a camera with x right, y down, z forward, as the
/// data set's own tools use it (iphone/arkit_pcl.py of scannetpp/scannetpp); `intrinsic`, three rows for pictures of
/// 1920 × 1440; `imu`.
package enum ScanNetPPPoses {
    /// Frames in the order of the file, which need not be that of their numbers. Why a frame cannot be used is said in
    /// its drop.
    /// - Parameter size: of the pictures that `intrinsic` is for.
    /// - Throws: when the text is not a JSON object, or holds more frames than the rules allow.
    package static func read(
        _ bytes: [UInt8], file: String, size: PixelSize, rules: ReadRules
    ) throws(Problem) -> [FrameFacts] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Problem) -> [FrameFacts] in
            var scanner = JSONScanner(buffer, file: file)
            // `NaN` spoils one frame, not the file.
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
                    // The number may be the largest possible.
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
            facts.timestamp = try entry["timestamp"].time()
            let pose = try entry["pose"].pose()
            let k = try entry["intrinsic"].rows(of: 3)
            guard k.count == 9 else { throw entry["intrinsic"].unlike("three rows of three numbers") }
            let camera = CameraIntrinsics(
                fx: k[0], fy: k[4], cx: k[2], cy: k[5], width: size.width, height: size.height, pixelOrigin: .arKit)
            if let defect = CameraIntrinsics.layoutDefect(rowMajor: k) ?? camera.defect {
                throw Problem(.input, defect)
            }
            facts.pose = pose
            facts.intrinsics = camera
        } catch {
            facts.drop = Drop(whileReading: "\(key): \(error.oneLine)", isBad: true)
        }
        return facts
    }

    // MARK: - Writing

    /// A frame's member.
    /// - Parameter name: the frame's number as in file names, `000012`.
    package static func write(
        _ name: String, timestamp: Int64, pose: Pose, camera: CameraIntrinsics, to json: inout JSONWriter
    ) {
        let rows = camera.counted(from: .arKit).matrixRows
        func matrix(_ pose: Pose) -> JSONValue { .array(pose.rowMajorRows.map { .of($0) }) }
        json.key("frame_\(name)")
        json.object { json in
            json.member("timestamp", .number(Double(timestamp) / 1e9))
            json.member("pose", matrix(pose))
            // There is no mesh that could have another frame.
            json.member("aligned_pose", matrix(pose.withCVAxes))
            json.member("intrinsic", .array([.of(rows[0]), .of(rows[1]), .of([0, 0, 1])]))
        }
    }
}
