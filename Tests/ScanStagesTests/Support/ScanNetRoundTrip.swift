import ScanFormats
import ScanModel
import TestSupport

/// A synthesised capture, written in a format and read back: what went in, and what came out.
struct ScanNetRoundTrip {
    let truth: StageRun
    let written: PipelineRun
    let back: StageRun

    static let small =
        "picture-width: 64, picture-height: 48, depth-width: 32, depth-height: 24, rate: 10, lap: 8, seed: 5"

    /// - Parameters:
    ///   - writer: the line of a pipeline.
    ///   - path: what is read back, in the published folder.
    ///   - more: further lines between `decompress` and the writer.
    init(
        _ writer: String, reading path: String, frames: Int = 6, more: String = "", probing: [Channel] = [.depth]
    ) throws {
        let source = "- synthesize: {frames: \(frames), \(Self.small)}\n- decompress" + more
        truth = try StageRun(source, reading: "nowhere/room", probing: [.depth])
        written = try PipelineRun("\(source)\n- \(writer)", on: "nowhere/room")
        back = try StageRun("- read\n- decompress", reading: "\(written.path)/\(path)", probing: probing)
    }

    /// The largest distance between a camera's centre as it went in and as it came out, metres.
    var centreError: Double {
        zip(truth.frames, back.frames).map { one, other in
            (one.pose ?? .identity).position - (other.pose ?? .identity).position
        }.map(\.length).max() ?? .infinity
    }

    /// The largest difference between matrix entries of the rotations.
    var rotationError: Double {
        zip(truth.frames, back.frames).flatMap { one, other in
            zip((one.pose ?? .identity).columnMajor.prefix(12), (other.pose ?? .identity).columnMajor.prefix(12))
                .map { abs($0 - $1) }
        }.max() ?? .infinity
    }

    /// The largest difference between a depth pixel and what `expected` makes of the one that went in, metres: the one
    /// in which it lies, if the maps came out enlarged by a whole factor.
    func depthError(_ expected: (Float) -> Float = { $0 }) -> Float {
        zip(truth.frames, back.frames).flatMap { one, other -> [Float] in
            guard let (before, after) = one.depth.flatMap({ one in other.depth.map { (one, $0) } }) else { return [] }
            let factor = after.width / before.width
            return after.metres.indices.map { i in
                let (u, v) = (i % after.width / factor, i / after.width / factor)
                return abs(expected(before.metres[v * before.width + u]) - after.metres[i])
            }
        }.max() ?? .infinity
    }

    /// The lower median of one number over the frames' cameras, counted from the centre of the first pixel.
    func median(_ number: KeyPath<CameraIntrinsics, Double>) -> Double {
        let values = truth.frames.compactMap { $0.intrinsics?.counted(from: .centre)[keyPath: number] }.sorted()
        return values.isEmpty ? .nan : values[(values.count - 1) / 2]
    }

    /// The largest difference between the camera that came out and the median of those that went in, pixels.
    var cameraError: Double {
        guard let camera = back.frames.first?.intrinsics?.counted(from: .centre) else { return .infinity }
        return [\CameraIntrinsics.fx, \.fy, \.cx, \.cy].map { abs(camera[keyPath: $0] - median($0)) }.max() ?? .infinity
    }
}

extension MemoryCapture {
    /// Frames with a depth sensor of its own beside the colour camera.
    static func twoCameras(_ count: Int) throws(Problem) -> MemoryCapture {
        var capture = try posed(count)
        let place = Pose(rotation: .rotation(aboutY: 0.05), position: Vector3(0.04, -0.01, 0.002))
        let camera = CameraIntrinsics(fx: 4.25, fy: 4.5, cx: 1.75, cy: 1.5, width: 4, height: 3, pixelOrigin: .centre)
        capture.depthCamera = DepthCamera(intrinsics: camera, colorFromDepth: place)
        return capture
    }

    /// A frame whose depth sensor is in the place of the colour camera and looks one depth pixel to the left: what it
    /// sees in column u + 1 is in the pictures' column u. Recorded in millimetres: a metre in the first column, then
    /// one more in each.
    static func depthBeside() throws(Problem) -> MemoryCapture {
        var capture = try posed(1)
        // Like `camera` at 4 × 3 pixels, f = 2 and c = (2, 1.5), except for cx.
        let camera = CameraIntrinsics(fx: 2, fy: 2, cx: 3, cy: 1.5, width: 4, height: 3, pixelOrigin: .corner)
        capture.depthCamera = DepthCamera(intrinsics: camera, colorFromDepth: .identity)
        capture.items[0].depth = nil
        let row = [1000, 2000, 3000, 4000].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        capture.items[0].recordedDepth = RecordedDepth(
            width: 4, height: 3, encoding: .uint16(unitsPerMetre: 1000), bytes: row + row + row)
        return capture
    }
}
