import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Capture → write → read: the same frames, camera centres, rotations, intrinsics and depth. The formats of
/// `write-capture`, `write-tum`, `write-scannet` and `write-sens` go the same way in those stages' own tests.
@Suite struct RoundTripTests {
    /// A writer, and what the format can hold.
    struct Format: Sendable, CustomTestStringConvertible {
        /// The reader's name.
        var name: String
        /// The lines of the pipeline that write.
        var writer: String
        /// What to read, relative to the result; `{id}` stands for the capture's id.
        var path = ""
        /// What is left of the result's files, where others would tell another format.
        var keeps: [String] = []
        /// Metres.
        var centre = 1e-6
        /// Largest entry of the difference to the nearest rotation.
        var rotation = 1e-6
        /// Pixels; nil where the format has one camera for all frames.
        var intrinsics: Double? = 1e-6
        /// Metres; nil without depth.
        var depth: Double?
        var hasConfidence = false
        var hasPoses = true
        var synthesize = ""

        var testDescription: String { name + (path.isEmpty ? "" : " (\(path))") }
    }

    static let formats = [
        Format(
            name: "multiscan", writer: "- write-staging: {depth: source, color: png}", centre: 0, rotation: 2e-7,
            intrinsics: 0, depth: 0, hasConfidence: true),
        Format(name: "nerfcapture", writer: "- write-zip", path: "{id}.zip"),
        Format(
            name: "transforms", writer: "- write-transforms: {depth: true, color: png}", path: "nerf", depth: 0.0005),
        Format(
            name: "transforms", writer: "- write-transforms: {dialect: instant-ngp, depth: true, color: png}",
            path: "ngp", depth: 0.0005),
        Format(name: "colmap", writer: "- write-colmap: {color: png}", path: "colmap"),
        Format(
            name: "colmap", writer: "- write-colmap: {color: png}", path: "colmap, text",
            keeps: ["cameras.txt", "images.txt", "points3D.txt"]),
    ]

    /// Errors that were seen, for the table at the end.
    private struct Seen {
        var (centre, rotation, intrinsics, depth) = (0.0, 0.0, 0.0, 0.0)
    }

    @Test(arguments: formats) func comesBackAsItWas(_ format: Format) throws {
        let scene =
            "- synthesize: {frames: 12, rate: 3, picture-width: 64, picture-height: 48, depth-width: 32, depth-height: 24"
            + "\(format.synthesize)}\n- decompress\n"
        let run = try StageRun(
            scene + format.writer, reading: "nowhere/round", workers: 2, probing: [.depth, .confidence])
        let path = try Self.input(run, format)
        let recognised = CaptureFormats.recognise(try CaptureFormats.tree(at: path))
        #expect(recognised?.format == format.name, "\(recognised?.reason ?? "nothing")")
        let reading = "- read" + (format.depth == nil ? "" : "\n- decompress")
        let back = try StageRun(reading, reading: path, workers: 2, probing: [.depth, .confidence, .color])
        #expect(back.frames.count == run.frames.count)
        var seen = Seen()
        for (a, b) in zip(run.frames, back.frames) { try Self.compare(a, b, format, &seen) }
        print(
            "ROUND TRIP \(format.testDescription): centre \(seen.centre) m, rotation \(seen.rotation), "
                + "intrinsics \(seen.intrinsics) px, depth \(seen.depth) m")
        #expect(seen.centre <= format.centre)
        #expect(seen.rotation <= format.rotation)
        if let limit = format.intrinsics { #expect(seen.intrinsics <= limit) }
        if let limit = format.depth { #expect(seen.depth <= limit * 1.001) }
    }

    private static func input(_ run: StageRun, _ format: Format) throws -> String {
        if format.keeps.isEmpty {
            return run.path + (format.path.isEmpty ? "" : "/" + format.path.replacing("{id}", with: "round"))
        }
        // The text form alone.
        let folder = "\(run.path)/colmap/sparse/0"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !format.keeps.contains(name) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        return "\(run.path)/colmap"
    }

    private static func compare(_ a: Frame, _ b: Frame, _ format: Format, _ seen: inout Seen) throws {
        if format.hasPoses {
            let (p, q) = (try #require(a.pose), try #require(b.pose))
            seen.centre = max(seen.centre, (p.position - q.position).length)
            let (r, s) = (p.rotation.nearestRotation, q.rotation)
            for (x, y) in [(r.columns.0, s.columns.0), (r.columns.1, s.columns.1), (r.columns.2, s.columns.2)] {
                for d in (x - y).components { seen.rotation = max(seen.rotation, abs(d)) }
            }
        }
        if format.intrinsics != nil {
            let (k, l) = (try #require(a.intrinsics), try #require(b.intrinsics))
            #expect(k.width == l.width && k.height == l.height)
            let m = l.counted(from: k.pixelOrigin)
            for d in [k.fx - m.fx, k.fy - m.fy, k.cx - m.cx, k.cy - m.cy] {
                seen.intrinsics = max(seen.intrinsics, abs(d))
            }
        }
        if format.depth != nil {
            let (d, e) = (try #require(a.depth), try #require(b.depth))
            // Enlarged depth is looked at where its pixels came from.
            let f = e.width == d.width ? e : e.nearest(to: d.size)
            for (x, y) in zip(d.metres, f.metres) { seen.depth = max(seen.depth, abs(Double(x) - Double(y))) }
        }
        if format.hasConfidence { #expect(a.confidence == b.confidence) }
    }
}
