import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// What datasets say of their world, and of their points.
extension TransformsDatasetTests {
    /// One at (4, 5, 6), coloured (1, 2, 3).
    private func point() throws {
        let ply =
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
            + "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n4 5 6 1 2 3\n"
        try folder.write(Array(ply.utf8), to: "d/p.ply")
    }

    /// (x, y, z) → (x, −z, y).
    static let yUpToZUp = [[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0]]

    /// (x, y, z) → (x, −z, y) was applied: it is undone, for points as for cameras, and up is y again.
    @Test func appliedTransformIsUndone() throws {
        try write(
            [frame("a.png", x: 1)],
            Self.lens.merging(["applied_transform": Self.yUpToZUp, "ply_file_path": "p.ply"]) { $1 })
        try picture("a.png")
        try point()
        let capture = try open()
        #expect(capture.frames[0].pose?.position == Vector3(1, 3, -2))
        #expect(capture.cloud == PointCloud(positions: [4, 6, -5], colors: [1, 2, 3]))
        #expect(capture.worldUp == Vector3(0, 1, 0))
    }

    /// Positions that were scaled to fit a trainer's cube are in another unit than depth.
    @Test func appliedScaleIsUndone() throws {
        try write(
            [frame("a.png", x: 1)],
            Self.lens.merging(["applied_transform": Self.yUpToZUp, "applied_scale": 0.25, "ply_file_path": "p.ply"]) {
                $1
            })
        try picture("a.png")
        try point()
        let capture = try open()
        #expect(capture.frames[0].pose?.position == Vector3(4, 12, -8))
        #expect(capture.cloud?.positions == [16, 24, -20])
        try write([frame("a.png")], Self.lens.merging(["applied_scale": 0]) { $1 })
        #expect(throws: Problem.self) { try open() }
    }

    /// Positions of 10¹² m: the poses are sound as they are saved, and not as they were.
    @Test func aScaleThatCannotBeIsABadFrame() throws {
        try write([frame("a.png", x: 1)], Self.lens.merging(["applied_scale": 1e-12]) { $1 })
        try picture("a.png")
        let drop = try #require(try open().frames[0].drop)
        #expect(drop.isBad && drop.reason.hasPrefix("the camera is more than 10,000 km from the origin"))
    }

    /// A path means the same in a folder and in an archive.
    @Test func pointsBesideTheFile() throws {
        try write([frame("a.png")], Self.lens.merging(["ply_file_path": "./p.ply"]) { $1 })
        try picture("a.png")
        try point()
        let script = "import shutil, sys; shutil.make_archive(sys.argv[1] + '/d', 'zip', sys.argv[1] + '/d')"
        #expect(try runPython(script, [folder.path]).status == 0)
        for name in ["d", "d.zip"] {
            let tree = try CaptureFormats.tree(at: "\(folder.path)/\(name)")
            let capture = try TransformsDataset.open(tree, rules: ReadRules())
            #expect(capture.cloud?.positions == [4, 5, 6], "\(name)")
            #expect(capture.files.map(\.path).contains("p.ply"))
        }
        try write([frame("a.png")], Self.lens.merging(["ply_file_path": "../p.ply"]) { $1 })
        #expect(try open().absences[.cloud]?.reason.hasPrefix("a path leads out of the capture") == true)
    }

    /// nerfstudio takes z for up, so whoever tells it to leave the world as it is has seen to that.
    @Test func aWorldThatIsToBeLeftAsItIsHasZUp() throws {
        try picture("a.png")
        let turned = [[0.0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]
        for (top, up) in [
            (["orientation_override": "none"], Vector3(0, 0, 1)), (["orientation_override": "up"], nil), ([:], nil),
            (["orientation_override": "none", "applied_transform": turned], Vector3(1, 0, 0)),
        ] as [([String: Any], Vector3?)] {
            try write([frame("a.png")], Self.lens.merging(top) { $1 })
            #expect(try open().worldUp == up, "\(top)")
        }
    }

    /// instant-ngp's key. It is an axis of the world as saved, and what was applied to the original one is undone.
    @Test func upMayBeSaid() throws {
        try picture("a.png")
        let cases: [(top: [String: Any], up: Vector3?)] = [
            (["up": [1, 0, 0]], Vector3(1, 0, 0)), (["up": [0, 0, -1]], Vector3(0, 0, -1)),
            (["up": [0, -1, 0], "orientation_override": "none"], Vector3(0, -1, 0)),
            (["up": [0, 0, 1], "applied_transform": Self.yUpToZUp], Vector3(0, 1, 0)),
            (["up": [0, 1, 0], "applied_transform": Self.yUpToZUp], Vector3(0, 0, -1)),
            // No direction of unit length.
            (["up": [0, 0, 2]], nil), (["up": [0, 1]], nil), (["up": "z"], nil),
            (["up": [0, 0, 0], "orientation_override": "none"], Vector3(0, 0, 1)),
        ]
        for (top, up) in cases {
            try write([frame("a.png")], Self.lens.merging(top) { $1 })
            #expect(try open().worldUp == up, "\(top)")
        }
    }

    /// What a file's rounding leaves of an axis is that axis: a box is upright, or it is not.
    @Test func upIsAnAxisUpToRounding() throws {
        try picture("a.png")
        let (c, s) = (cos(3e-8), sin(3e-8))
        // (x, y, z) → (x, −z, y), and a little more about x.
        let turned = [[1, 0, 0, 0], [0, s, -c, 0], [0, c, s, 0]]
        for top in [["up": [0, 0, 1]], ["orientation_override": "none"], [:]] as [[String: Any]] {
            try write([frame("a.png")], Self.lens.merging(top.merging(["applied_transform": turned]) { $1 }) { $1 })
            #expect(try open().worldUp == Vector3(0, 1, 0), "\(top)")
        }
        let tilted = [[1, 0, 0, 0], [0, 1e-5, -1, 0], [0, 1, 1e-5, 0]]
        try write([frame("a.png")], Self.lens.merging(["up": [0, 0, 1], "applied_transform": tilted]) { $1 })
        let up = try #require(try open().worldUp)
        #expect(up != Vector3(0, 1, 0) && (up - Vector3(0, 1, 0)).length < 2e-5)
    }

    /// A turn that was written with few decimals is no exact one, and what follows from it is a direction all the same.
    @Test func upHasUnitLength() throws {
        try picture("a.png")
        let turned = [[1.0, 0, 0, 0], [0, 0.866, -0.5, 0], [0, 0.5, 0.866, 0]]
        for top in [["up": [0, 0, 1]], ["orientation_override": "none"], ["up": [0, 0.5, 0.866]]] as [[String: Any]] {
            try write([frame("a.png")], Self.lens.merging(top.merging(["applied_transform": turned]) { $1 }) { $1 })
            let up = try #require(try open().worldUp)
            #expect(abs(up.length - 1) < 1e-15, "\(top)")
        }
    }

    /// Undoing a scale may leave single precision, and infinities less each other are no numbers.
    @Test func pointsThatLeaveSinglePrecisionAreLeftOut() throws {
        try picture("a.png")
        let rows = ["0 0 0", "9 9 9", "-9 9 0", "0.5 0 0"]
        let header =
            "ply\nformat ascii 1.0\nelement vertex \(rows.count)\nproperty float x\nproperty float y\nproperty float z\n"
        try folder.write(header + "end_header\n" + rows.joined(separator: "\n") + "\n", to: "d/p.ply")
        let turned = [[0.6, -0.8, 0, 0], [0.8, 0.6, 0, 0], [0, 0, 1, 0]]
        try write(
            [frame("a.png")],
            Self.lens.merging(["ply_file_path": "p.ply", "applied_scale": 1e-38, "applied_transform": turned]) { $1 })
        let capture = try open()
        let cloud = try #require(capture.cloud)
        #expect(cloud.count == 2 && cloud.positions.allSatisfy(\.isFinite))
        #expect(capture.warnings.contains("2 points of p.ply were left out: a coordinate is not a finite number"))
    }

    /// As of the file alone.
    @Test func whatIsNotReadOfThePointsIsSaid() throws {
        try picture("a.png")
        let names = ["float x", "float y", "float z", "int red", "int green", "int blue"]
        let header = names.map { "property \($0)\n" }.joined()
        let text = "ply\nformat ascii 1.0\nelement vertex 1\n\(header)end_header\n1 2 3 4 5 6\n"
        try folder.write(text, to: "d/p.ply")
        try write([frame("a.png")], Self.lens.merging(["ply_file_path": "p.ply"]) { $1 })
        let capture = try open()
        #expect(capture.cloud?.count == 1 && capture.cloud?.colors == nil)
        let warning =
            "p.ply: the colours are not read: red, green and blue have to be there as bytes, 16-bit numbers or floats"
        #expect(capture.warnings.contains(warning), "\(capture.warnings)")
        let stream = try CaptureInspection.inspect("\(folder.path)/d").streams.first { $0.file == "p.ply" }
        #expect(stream?.content == "points" && stream?.frameCount == 1)
    }

    @Test func withoutPointsThereIsNoCloud() throws {
        try picture("a.png")
        try write([frame("a.png")], Self.lens)
        let capture = try open()
        #expect(capture.cloud == nil && !capture.channels.contains(.cloud))
        let reason = "transforms.json names no points"
        #expect(capture.absences[.cloud]?.reason == reason)
        let missing = try CaptureInspection.inspect("\(folder.path)/d").missing
        #expect(missing.first { $0.what == "points" }?.reason == reason)
        try write([frame("a.png")], Self.lens.merging(["ply_file_path": "p.ply"]) { $1 })
        #expect(try open().absences[.cloud]?.reason == "p.ply, which transforms.json names, is not there")
    }
}
