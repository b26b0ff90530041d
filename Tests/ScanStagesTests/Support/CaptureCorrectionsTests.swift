import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Through `read`, whose options they are.
@Suite struct CaptureCorrectionsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func framesWithoutTimesAreGivenThem() throws {
        let scene = SharedData.checkout.appendingPathComponent("samples/7-scenes/seq-01").path
        let refused = problem { _ = try StageRun("- read\n- write-tum", reading: scene) }
        #expect(refused?.summary == "write-tum needs timestamp, and this capture has none")
        #expect(refused?.fix?.hasSuffix("--set read.rate=30") == true)
        let run = try StageRun("- read: {rate: 20}\n- write-tum", reading: scene)
        #expect(run.capture.frames.prefix(3).map(\.timestamp) == [0, 50_000_000, 100_000_000])
        #expect(run.capture.frameRate == 20)
        #expect(
            run.receipt["notes"]?.array?.compactMap(\.string) == [
                "read: the capture has no times: frame n counts as taken after n / 20 s"
            ])
        // Those that a capture has are its own.
        let path = try folder.write(try MultiScanSample().files(), under: "capture")
        let (with, without) = (
            try StageRun("- read: {rate: 20}", reading: path), try StageRun("- read", reading: path)
        )
        #expect(with.capture.frames.map(\.timestamp) == without.capture.frames.map(\.timestamp))
        #expect(with.receipt["notes"] == without.receipt["notes"])
    }

    /// As other programs write datasets. What `check-geometry` finds out, `poses` makes up for.
    @Test(arguments: ["cv-axes", "inverse", "inverse-cv-axes", "transposed-rotation"])
    func posesThatAreNotWhatTheFormatSays(_ mistake: String) throws {
        let sound = try StageRun("- read", reading: try folder.copySample("transforms")).capture
        let file = "transforms/transforms.json"
        var json = try #require(try JSONSerialization.jsonObject(with: Data(folder.bytes(file))) as? [String: Any])
        var frames = try #require(json["frames"] as? [[String: Any]])
        for index in frames.indices {
            let rows = try #require(frames[index]["transform_matrix"] as? [[Double]])
            let pose = Pose(rowMajor: rows.flatMap(\.self))
            let spoilt =
                switch mistake {
                case "cv-axes": pose.withCVAxes
                case "inverse": pose.inverse
                case "inverse-cv-axes": pose.withCVAxes.inverse
                default: Pose(rotation: pose.rotation.transposed, position: pose.position)
                }
            frames[index]["transform_matrix"] = spoilt.rowMajorRows
        }
        json["frames"] = frames
        try folder.write(Array(try JSONSerialization.data(withJSONObject: json)), to: file)
        let path = folder.url("transforms").path
        let check = "- decompress\n- check-geometry: {if-wrong: fail}"
        let wrong = problem { _ = try StageRun("- read\n\(check)", reading: path) }
        #expect(
            wrong?.fix == "read the poses as what they are with  --set read.poses=\(mistake), or go on with  "
                + "--set check-geometry.if-wrong=warn")
        let mended = try StageRun("- read: {poses: \(mistake)}\n\(check)", reading: path)
        #expect(mended.counts("check-geometry")["verdict"]?.string == "pass")
        #expect(mended.receipt["capture"]?["poses-read-as"]?.string == mistake)
        for (frame, own) in zip(mended.capture.frames, sound.frames) {
            let (a, b) = (try #require(frame.pose), try #require(own.pose))
            let turn = a.rotation.transposed * b.rotation
            #expect((a.position - b.position).length < 1e-9)
            #expect((turn.columns.0 - Vector3(1, 0, 0)).length + (turn.columns.1 - Vector3(0, 1, 0)).length < 1e-9)
        }
    }

    /// ScanNet's poses are those of a rig, on which the colour camera has a place of its own.
    @Test func posesOfARigAreReadAsWhatTheyAre() throws {
        try folder.copySample("scannet", to: "scan")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url("scan").path)
        let extrinsic = try #require(files.first { $0.hasSuffix("extrinsic_color.txt") })
        try folder.write(
            Array("0.98 -0.19899749 0 0.04\n0.19899749 0.98 0 -0.02\n0 0 1 0.01\n0 0 0 1\n".utf8),
            to: "scan/\(extrinsic)")
        let path = folder.url("scan").path
        let sound = try StageRun("- read", reading: path).capture
        for file in files where file.contains("pose/") && file.hasSuffix(".txt") {
            let url = folder.url("scan/\(file)")
            let numbers = String(decoding: try Data(contentsOf: url), as: UTF8.self)
                .split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            guard numbers.count == 16, numbers.allSatisfy(\.isFinite) else { continue }
            let text = Pose(rowMajor: numbers).inverse.rowMajorRows.map { $0.map { "\($0)" }.joined(separator: " ") }
            try folder.write(Array(text.joined(separator: "\n").utf8), to: "scan/\(file)")
        }
        let mended = try StageRun("- read: {poses: inverse-cv-axes}", reading: path).capture
        #expect(mended.frames.count == sound.frames.count)
        // In a world of its own: the first camera's counts for the others.
        let (start, ownStart) = (try #require(mended.frames[0].pose), try #require(sound.frames[0].pose))
        for (frame, own) in zip(mended.frames, sound.frames) {
            guard let pose = frame.pose, let ownPose = own.pose else { continue }
            let (a, b) = (start.inverse * pose, ownStart.inverse * ownPose)
            #expect((a.position - b.position).length < 1e-5)
            let turn = a.rotation.transposed * b.rotation
            #expect((turn.columns.0 - Vector3(1, 0, 0)).length + (turn.columns.1 - Vector3(0, 1, 0)).length < 1e-5)
        }
    }

    @Test func positionsCanBeScaled() throws {
        let model = SharedData.checkout.appendingPathComponent("samples/colmap").path
        let plain = try StageRun("- read", reading: model).capture
        let run = try StageRun("- read: {scale: 0.5}", reading: model)
        #expect(!plain.isMetric && run.capture.isMetric)
        for (frame, own) in zip(run.capture.frames, plain.frames) {
            let (a, b) = (try #require(frame.pose), try #require(own.pose))
            #expect(a.position == b.position * 0.5 && a.rotation == b.rotation)
        }
        #expect(
            run.receipt["notes"]?.array?.compactMap(\.string) == [
                "read: all positions were multiplied by 0.5, and count as metres"
            ])
    }

    /// The points of a PLY file come slice by slice, and a box is scaled with the cameras.
    @Test func whatElseIsScaled() throws {
        let text =
            "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
        try folder.write(Array((text + "1000 2000 3000\n4000 5000 -6000\n").utf8), to: "scan.ply")
        let run = try StageRun("- read: {format: ply, scale: 0.001}", reading: folder.url("scan.ply").path)
        #expect(run.frames.flatMap { $0.points?.positions ?? [] } == [1, 2, 3, 4, 5, -6])
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        let (box, before) = (
            try #require(try StageRun("- read: {scale: 2}", reading: desk).capture.box),
            try #require(try StageRun("- read", reading: desk).capture.box)
        )
        #expect(box.center == before.center * 2 && box.halfSize == before.halfSize * 2)
        #expect(box.floor == before.floor.map { $0 * 2 } && box.worldFromBox == before.worldFromBox)
    }

    /// As where a night's captures are not all alike.
    @Test func soundPosesThatAreReadAsSomethingElse() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/transforms").path
        let stages = "- read: {poses: cv-axes}\n- decompress\n- check-geometry: {if-wrong: fail}"
        let wrong = problem { _ = try StageRun(stages, reading: sample) }
        let way = "take `poses: cv-axes` out of `read`, if it was meant for other captures, or go on with  "
        #expect(wrong?.fix?.hasPrefix(way) == true, "\(String(describing: wrong))")
        // The file has the axes that its format has.
        let summary = "the geometry is wrong: `poses: cv-axes` of `read` does not suit this capture"
        #expect(wrong?.summary == summary)
        #expect(wrong?.notes.contains { $0.contains(" without it, and ") } == true, "\(wrong?.notes ?? [])")
        #expect(wrong?.isOfPipeline == true)
    }

    @Test(arguments: [("z", Vector3(0, 0, 1)), ("-y", Vector3(0, -1, 0))])
    func upCanBeSaid(_ axis: String, _ direction: Vector3) throws {
        let scene = SharedData.checkout.appendingPathComponent("samples/7-scenes/seq-01").path
        #expect(try StageRun("- read", reading: scene).capture.worldUp == nil)
        let run = try StageRun("- read: {up: \(axis)}", reading: scene)
        #expect(run.capture.worldUp == direction)
        #expect(
            run.receipt["notes"]?.array?.compactMap(\.string) == [
                "read: the capture does not say which way is up: \(axis) counts as up"
            ])
    }

    /// The samples are one room, walked through in its formats; in these the camera's own path tells what is up.
    @Test func upThatCannotBeIsDoubted() throws {
        let scene = SharedData.checkout.appendingPathComponent("samples/7-scenes/seq-01").path
        let likely = try StageRun("- read", reading: scene).capture.likelyUp
        try #require(likely.count == 1)
        #expect(try StageRun("- read: {up: \(likely[0].rawValue)}", reading: scene).warnings == [])
        let wrong = try #require(WorldAxis.allCases.first { $0 != likely[0] })
        #expect(
            try StageRun("- read: {up: \(wrong.rawValue)}", reading: scene).warnings == [
                "read: by the way in which the camera was held, \(likely[0].rawValue) is up, and not \(wrong.rawValue), as "
                    + "`up` says"
            ])
    }

    /// Where the format says which way is up, guessing it gives the same, or nothing.
    @Test func whatIsGuessedIsWhatTheFormatSays() throws {
        let samples = SharedData.checkout.appendingPathComponent("samples").path
        var (known, guessed) = (0, 0)
        for name in ["desk", "polycam", "3d-scanner-app", "stray-scanner", "arkitscenes", "scannetpp", "transforms"] {
            let capture = try StageRun("- read", reading: "\(samples)/\(name)").capture
            guard let up = capture.worldUp?.normalized else { continue }
            known += 1
            let likely = capture.likelyUp
            if likely.isEmpty { continue }
            guessed += 1
            #expect(likely.contains { ($0.direction - up).length < 1e-6 }, "\(name): \(likely)")
        }
        #expect(known >= 4 && guessed >= 3, "\(known), \(guessed)")
    }

    /// A capture knows better.
    @Test func upThatTheCaptureSaysItself() throws {
        let path = try folder.write(try MultiScanSample().files(), under: "capture")
        let same = try StageRun("- read: {up: y}", reading: path)
        let other = try StageRun("- read: {up: -y}", reading: path)
        #expect(same.capture.worldUp == Vector3(0, 1, 0) && other.capture.worldUp == Vector3(0, 1, 0))
        let warning = "read: the capture says itself that y is up, so `up: -y` has no effect"
        #expect(other.warnings.contains(warning) && !same.warnings.contains { $0.contains("is up") })
        let mistakes = StageRun.mistakes(in: "- read: {up: down}")
        #expect(mistakes.last == "`up` is `down`, which is not one of recorded, x, y, z, -x, -y, -z")
    }
}
