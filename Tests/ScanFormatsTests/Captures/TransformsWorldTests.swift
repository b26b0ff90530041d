import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// What datasets say of their world, and of their points.
extension TransformsDatasetTests {
    /// instant-ngp's key. It is an axis of the world as saved, and what was applied to the original one is undone.
    @Test func upMayBeSaid() throws {
        try picture("a.png")
        // (x, y, z) → (x, −z, y).
        let turned = [[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0]]
        let cases: [(top: [String: Any], up: Vector3?)] = [
            (["up": [1, 0, 0]], Vector3(1, 0, 0)), (["up": [0, 0, -1]], Vector3(0, 0, -1)),
            (["up": [0, -1, 0], "orientation_override": "none"], Vector3(0, -1, 0)),
            (["up": [0, 0, 1], "applied_transform": turned], Vector3(0, 1, 0)),
            (["up": [0, 1, 0], "applied_transform": turned], Vector3(0, 0, -1)),
            // No direction of unit length.
            (["up": [0, 0, 2]], nil), (["up": [0, 1]], nil), (["up": "z"], nil),
            (["up": [0, 0, 0], "orientation_override": "none"], Vector3(0, 0, 1)),
        ]
        for (top, up) in cases {
            try write([frame("a.png")], Self.lens.merging(top) { $1 })
            #expect(try open().worldUp == up, "\(top)")
        }
    }

    @Test func withoutPointsThereIsNoCloud() throws {
        try picture("a.png")
        try write([frame("a.png")], Self.lens)
        let capture = try open()
        #expect(capture.cloud == nil && !capture.channels.contains(.cloud))
        #expect(capture.absences[.cloud] == "transforms.json names no points")
        try write([frame("a.png")], Self.lens.merging(["ply_file_path": "p.ply"]) { $1 })
        #expect(try open().absences[.cloud] == "p.ply, which transforms.json names, is not there")
    }
}
