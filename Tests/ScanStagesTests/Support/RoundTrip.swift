import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// A synthetic capture, written by a stage and read again.
struct RoundTrip {
    static let frameCount = 6

    let written: StageRun
    let read: StageRun

    /// - Parameters:
    ///   - options: of `synthesize`, besides small pictures and six frames.
    ///   - folder: what is read, in the published folder.
    init(
        _ writer: String, in folder: String = "", synthesize options: String = "", between stages: String = "",
        workers: Int = 2
    ) throws {
        let synthesize =
            "- synthesize: {frames: \(Self.frameCount), rate: 10, lap: 8, seed: 7, picture-width: 128, picture-height: 96, "
            + "depth-width: 64, depth-height: 48\(options)}"
        written = try StageRun(
            "\(synthesize)\n- decompress\n\(stages)\(writer)", reading: "nowhere/made", workers: workers,
            probing: [.depth, .recordedConfidence])
        read = try StageRun("- read\n- decompress", reading: written.path + folder, probing: [.depth, .confidence])
    }

    /// The largest differences between what was written and what was read.
    struct Errors: CustomStringConvertible {
        var time: Int64 = 0
        var position = 0.0
        var rotation = 0.0
        var intrinsics = 0.0
        /// Nil where no frame has a map to compare.
        var depth: Float?
        var confidence: Int?

        var description: String {
            "time \(time) ns, position \(position) m, rotation \(rotation), intrinsics \(intrinsics) px, "
                + "depth \(depth ?? .nan) m, confidence \(confidence ?? -1)"
        }
    }

    /// - Parameters:
    ///   - turn: what the format does to the world.
    ///   - hasOneCamera: whether the median of each number of the cameras stands for all frames.
    func errors(turn: Matrix3 = .identity, hasOneCamera: Bool = false) throws -> Errors {
        var errors = Errors()
        let cameras = written.frames.compactMap(\.intrinsics)
        let median = { (number: KeyPath<CameraIntrinsics, Double>) in
            cameras.map { $0[keyPath: number] }.sorted()[(cameras.count - 1) / 2]
        }
        let (truth, found) = (written.frames, read.frames)
        #expect(truth.count == found.count && found.count == read.capture.frames.count)
        for (truth, found) in zip(truth, found) {
            let (t, f) = (try #require(truth.pose), try #require(found.pose))
            let nearest = (turn * t.rotation).nearestRotation
            errors.position = max(errors.position, (turn * t.position - f.position).length)
            for (a, b) in [
                (nearest.columns.0, f.rotation.columns.0), (nearest.columns.1, f.rotation.columns.1),
                (nearest.columns.2, f.rotation.columns.2),
            ] { errors.rotation = max(errors.rotation, (a - b).length) }
            errors.time = max(errors.time, abs((truth.timestamp ?? 0) - (found.timestamp ?? .max)))
            let k = try #require(truth.intrinsics)
            let l = try #require(found.intrinsics?.counted(from: k.pixelOrigin))
            #expect((k.width, k.height) == (l.width, l.height))
            for number in [\CameraIntrinsics.fx, \.fy, \.cx, \.cy] {
                let expected = hasOneCamera ? median(number) : k[keyPath: number]
                errors.intrinsics = max(errors.intrinsics, abs(expected - l[keyPath: number]))
            }
            if let map = truth.depth, let other = found.depth {
                errors.depth = max(errors.depth ?? 0, Self.worst(map, other))
            }
            if let map = truth.recordedConfidence, let other = found.confidence {
                #expect(other.range == 0...2)
                #expect(map.values.count == other.values.count)
                let worst = zip(map.values, other.values).map { abs(Int($0) - Int($1)) }.max() ?? 0
                errors.confidence = max(errors.confidence ?? 0, worst)
            }
        }
        return errors
    }

    /// The largest difference between a pixel of `other` and the pixel of `map` in which its centre lies.
    private static func worst(_ map: DepthMap, _ other: DepthMap) -> Float {
        var worst: Float = 0
        for v in 0..<other.height {
            for u in 0..<other.width {
                let (x, y) = (
                    (2 * u + 1) * map.width / (2 * other.width), (2 * v + 1) * map.height / (2 * other.height)
                )
                worst = max(worst, abs(map.metres[y * map.width + x] - other.metres[v * other.width + u]))
            }
        }
        return worst
    }
}
