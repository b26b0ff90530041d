import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Copies that lost the part by which their format is known: they fail by name instead of being no capture at all.
@Suite struct CaptureRemainsTests {
    struct Rest: Sendable {
        var format: String
        var files: [String: String]
        var summary: String
        var fix: String?
        /// Where the problem is.
        var file: String?
    }

    @Test(arguments: [
        Rest(
            format: "record3d", files: ["rgbd/0.depth": "x"], summary: "there is no Record3D metadata",
            fix: "the folder must hold metadata and rgbd/"),
        Rest(
            format: "record3d", files: ["metadata": #"{"w": 6, "K": [9"#, "rgbd/0.jpg": "x"],
            summary: "invalid JSON: the text ends where “,” or “]” is expected", file: "metadata"),
        Rest(
            format: "record3d", files: ["metadata": #"{"w": 6}"#, "rgbd/0.jpg": "x"],
            summary: "“h” is missing; expected a whole number from 1 to 1048576", file: "metadata"),
        Rest(
            format: "arkitscenes",
            files: ["lowres_wide/1_1.000.png": "x", "lowres_wide_intrinsics/1_1.000.pincam": "8 6 9 9 4 3\n"],
            summary: "the poses are missing", fix: "download lowres_wide.traj too"),
        Rest(
            format: "arkitscenes",
            files: [
                "wide/1_1.000.png": "x", "wide_intrinsics/1_1.000.pincam": "8 6 9 9 4 3\n",
                "lowres_wide.traj": "<html>\n",
            ], summary: "there are no poses in the file", file: "lowres_wide.traj"),
        Rest(
            format: "arkitscenes", files: ["lowres_wide.traj": "1 0 0 0 0 0 0\n"],
            summary: "there are no pictures with cameras",
            fix: "download lowres_wide and lowres_wide_intrinsics of this video"),
        Rest(
            format: "arkitscenes",
            files: [
                "color.traj": "1 0 0 0 0 0 0\n", "color_intrinsics/1.0000.pincam": "8 6 9 9 4 3\n",
                "wide/1.00000.png": "x",
            ],
            summary: "this is the layout of ARKitScenes' samples, which is not read",
            fix: "download lowres_wide.traj, lowres_wide, lowres_wide_intrinsics, lowres_depth and confidence"),
        Rest(
            format: "scannetpp", files: ["iphone/rgb.mkv": "x", "iphone/depth.bin": "x", "dslr/notes.txt": "x"],
            summary: "the poses are missing", fix: "download pose_intrinsic_imu.json too"),
        Rest(
            format: "scannetpp", files: ["iphone/rgb.mp4": "x", "iphone/depth.bin": "x"],
            summary: "the poses are missing", fix: "download pose_intrinsic_imu.json too"),
        Rest(
            format: "scannetpp", files: ["pose_intrinsic_imu.json": #"{"frame_00"#],
            summary: "invalid JSON: the string is not closed", file: "pose_intrinsic_imu.json"),
        Rest(
            format: "7-scenes", files: ["frame-000000.color.png": "x", "frame-000000.depth.png": "x"],
            summary: "the poses are missing", fix: "copy the files frame-….pose.txt too"),
        Rest(
            format: "7-scenes", files: ["frame-000000.pose.txt": "x"],
            summary: "there are no poses with pictures or depth beside them",
            fix: "copy the pictures frame-….color.… and frame-….depth.… too, whatever their extensions"),
        Rest(
            format: "nerfcapture", files: ["images/0.png": "x", "images/0.depth.png": "x"],
            summary: "the poses are missing",
            fix: "copy transforms.json too, or read the pictures alone with  --set read.format=frames  in a pipeline "
                + "that needs no poses, such as `read` and `write-frames: {depth: none}`"),
        Rest(
            format: "nerfcapture", files: ["images/3.png": "x", "boundingbox.json": "{}"],
            summary: "the poses are missing"),
        Rest(
            format: "tum", files: ["RGB.TXT": "1.0 rgb/1.png\n", "DEPTH.TXT": "1.0 depth/1.png\n", "RGB/1.png": "x"],
            summary: "the names of its files are in capitals: DEPTH.TXT, RGB and RGB.TXT",
            fix: "rename them:  mv DEPTH.TXT depth.txt; mv RGB rgb; mv RGB.TXT rgb.txt"),
        Rest(
            format: "scannet", files: ["intrinsic/intrinsic_color.txt": "x", "pose/0.txt": "x"],
            summary: "there are no poses with pictures or depth beside them",
            fix: "copy the folders color/, depth/ and pose/ too"),
        Rest(
            format: "colmap", files: ["sparse/0/cameras.bin": "x", "sparse/0/points3D.bin": "x", "images/0.png": "x"],
            summary: "there is no COLMAP model: cameras.bin or cameras.txt beside images.bin or images.txt",
            fix: "copy the whole model"),
        Rest(
            format: "scannet-raw", files: ["a.depth": "x", "a.h264": "x", "a.txt": ""],
            summary: "there is no description <id>.txt with streams beside it", fix: "copy the file <id>.txt again"),
        Rest(
            format: "transforms", files: ["transforms.json": #"{"frames": ["#, "train/a.png": "x"],
            summary: "invalid JSON: the text ends where “,” or “]” is expected", file: "transforms.json"),
        Rest(
            format: "transforms", files: ["transforms_train.json": #"{"frames": ["#, "train/a.png": "x"],
            summary: "invalid JSON: the text ends where “,” or “]” is expected", file: "transforms_train.json"),
        Rest(
            format: "transforms", files: ["transforms.json": #"{"frames": []}"#],
            summary: "the dataset has no frames", fix: "export it again", file: "transforms.json"),
    ])
    func whatIsLeftOfACaptureFailsByName(_ rest: Rest) throws {
        let capture = try WrittenCapture()
        for (file, text) in rest.files { try capture.write(text, to: file) }
        #expect(capture.recognition?.format == rest.format)
        #expect(try CaptureSearch.captures(at: capture.folder.path).map(\.format) == [rest.format])
        let problem = try capture.problem(try #require(CaptureFormats.format(named: rest.format)))
        #expect(problem?.fault == .input && problem?.summary == rest.summary)
        if let fix = rest.fix { #expect(problem?.fix == fix) }
        #expect(problem?.place.file == rest.file)
        // Nor does looking at it fail otherwise.
        let inspection = try CaptureInspection.inspect(capture.path)
        #expect(inspection.errors.contains { $0.problem.summary == rest.summary }, "\(inspection.findings)")
    }

    /// Names that anything may have.
    @Test(arguments: [
        ["rgbd/0.jpg"], ["metadata"], ["metadata.json", "rgb/notes.txt"], ["lowres_wide/1_1.000.png"],
        ["lowres_wide_intrinsics/notes.txt"], ["rgb.mkv"], ["rgb.mp4", "depth.bin"],
        ["color.traj", "wide/1.png"], ["frame-000000.color.txt"], ["color.png"],
        ["pose/0.txt"], ["intrinsic/intrinsic_color.txt"], ["cameras/1.json", "depth/1.png"], ["camera_matrix.csv"],
        ["depth.txt", "groundtruth.txt"], ["RGB.TXT", "notes.txt"], ["frame-a.pose.txt"], ["a.depth", "a.txt"],
        ["sparse/notes.txt"],
    ])
    func whatMayBeAnythingIsNoCapture(_ files: [String]) throws {
        let other = try WrittenCapture()
        for file in files { try other.write("{}", to: file) }
        #expect(other.recognition == nil)
    }

    @Test func anotherAppsTransforms() throws {
        let other = try WrittenCapture()
        try other.write(#"{"transforms": [1, 2]}"#, to: "transforms.json")
        #expect(other.recognition == nil)
    }

    /// Whatever else lies there, what is whole is read.
    @Test func aSoundCaptureComesFirst() throws {
        let dataset = try WrittenCapture()
        let text = #"{"frames": [{"file_path": "a.png", "transform_matrix": []}]}"#
        try dataset.write(text, to: "transforms.json")
        for file in ["lowres_wide.traj", "rgb.mkv", "depth.bin", "rgbd/0.depth", "depth.txt", "groundtruth.txt"] {
            try dataset.write("x", to: file)
        }
        try dataset.picture("rgb/0.png")
        #expect(dataset.recognition?.format == "transforms")
    }
}
