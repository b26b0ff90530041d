import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Which frames datasets are trained on, and which they hold out.
extension TransformsDatasetTests {
    /// As ScanNet++ has them: another list for testing. Sizes may differ from frame to frame.
    @Test func testFramesAreFramesToo() throws {
        try write([frame("a.png")], ["fl_x": 9.0, "test_frames": [frame("b.png")]])
        try picture("a.png")
        try picture("b.png", 6, 8)
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["a.png", "b.png"])
        #expect(capture.frames.map(\.split) == [.training, .heldOut])
        #expect(capture.frames.map { $0.intrinsics?.width } == [8, 6])
        #expect(capture.colorSize == nil)
        #expect(
            capture.warnings == [
                "transforms.json gives one lens without w and h for pictures of several shapes, none of them that of most (6×8, 8×6): each was given a camera for its own size"
            ])
    }

    @Test func theListsSayWhatAFrameIsFor() throws {
        try write(
            (0..<5).map { frame("images/\($0).png") },
            Self.lens.merging([
                "train_filenames": ["images/0.png", "./images/1.png"], "val_filenames": ["images\\2.png"],
                "test_filenames": ["images/2.png", "images/3.png", "images/9.png"],
            ]) { $1 })
        for number in 0..<5 { try picture("images/\(number).png") }
        let capture = try open()
        #expect(capture.frames.map(\.split) == [.training, .training, .heldOut, .test, []])
        #expect(capture.channels.contains(.split) && capture.regrets[.split] != nil)
        #expect(
            capture.warnings == [
                "test_filenames of transforms.json names 1 picture that no frame has, the first images/9"
            ])
    }

    /// Blender numbers pictures so, and its datasets leave the extension out.
    @Test func namesThatOnlyDifferBehindADot() throws {
        let names = (1...4).map { "images/render.000\($0)" }
        try write(
            names.map { frame($0) },
            Self.lens.merging(["train_filenames": Array(names[..<3]), "test_filenames": [names[3]]]) { $1 })
        for name in names { try picture("\(name).png") }
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == names.map { "\($0).png" })
        #expect(capture.frames.map(\.split) == [.training, .training, .training, .test])
        #expect(capture.warnings.isEmpty)
    }

    /// ScanNet++ keeps its test pictures in a list of their own.
    @Test func aListOfTestFrames() throws {
        try write([frame("b.png")], Self.lens.merging(["test_frames": [frame("a.png")]]) { $1 })
        for name in ["a", "b"] { try picture("\(name).png") }
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["a.png", "b.png"])
        #expect(capture.frames.map(\.split) == [.heldOut, .training])
    }

    /// instant-ngp's frames that are held out, as `write-transforms` writes them.
    @Test func aDescriptionOfTestFrames() throws {
        let ngp = Self.lens.merging(["aabb_scale": 4, "integer_depth_scale": 0.001]) { $1 }
        try write([frame("images/0.png"), frame("images/2.png")], ngp)
        for number in 0..<3 { try picture("images/\(number).png") }
        try folder.write(
            try PNG.encodeGray16(Gray16Image(width: 8, height: 6, pixels: Array(repeating: 2000, count: 48))),
            to: "d/depths/1.png")
        func writeHeld(_ frames: [[String: Any]], _ more: [String: Any] = [:]) throws {
            let json = ngp.merging(more.merging(["frames": frames]) { $1 }) { $1 }
            try folder.write([UInt8](try JSONSerialization.data(withJSONObject: json)), to: "d/test/transforms.json")
        }
        try writeHeld([
            frame("../images/1.png", x: 7, with: ["depth_path": "../depths/1.png"]), frame("../images/2.png"),
        ])
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["images/0.png", "images/1.png", "images/2.png"])
        #expect(capture.frames.map(\.split) == [.training, .heldOut, DatasetSplit.training.union(.heldOut)])
        #expect(capture.frames[1].pose?.position.x == 7 && capture.dropReasons == [nil, nil, nil])
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth != nil } == [false, true, false])
        let trained = "1 of 2 held-out frames is a training frame too, images/2.png: "
        #expect(capture.warnings.count == 2 && capture.warnings[0].hasPrefix(trained), "\(capture.warnings)")
        #expect(capture.warnings.last == "2 of 3 frames have no depth: frames 0, 2")
        #expect(capture.files.contains { $0.path == "test/transforms.json" })
        // In another unit than that of the frames that are trained on.
        let deep = frame("../images/1.png", with: ["depth_path": "../depths/1.png"])
        try writeHeld([deep], ["integer_depth_scale": 0.01])
        let other = try open()
        #expect(other.frames[1].split == .heldOut && !other.channels.contains(.recordedDepth))
        let unit = "the unit of depth in test/transforms.json differs from that in transforms.json"
        #expect(other.warnings == ["\(unit): the depth of 1 of its frames was left out"])
        try picture("masks/1.png")
        try writeHeld([frame("../images/1.png", with: ["mask_path": "../masks/1.png"])])
        #expect(try open().files.contains { $0.path == "masks/1.png" })
        // Another dataset that lies there.
        for (frames, more) in [
            ([frame("../images/1.png")], ["applied_transform": Self.yUpToZUp]), ([frame("images/1.png")], [:]),
            ([frame("../images/1.png")], ["from_na": true]),
        ] as [([[String: Any]], [String: Any])] {
            try writeHeld(frames, more)
            let other = try open()
            #expect(other.frames.count == 2 && other.frames.allSatisfy { $0.split == nil })
            #expect(other.warnings.contains { $0.hasPrefix("test/transforms.json is a dataset of its own") })
        }
        try folder.write("{", to: "d/test/transforms.json")
        #expect(try open().warnings.contains { $0.hasPrefix("held-out frames were left out") })
        // nerfstudio would not look there.
        try write([frame("images/0.png"), frame("images/2.png")], Self.lens)
        #expect(try open().frames.count == 2)
    }

    /// As `write-transforms` leaves a dataset of so few frames that none is left to train on.
    @Test func aDatasetOfWhichAllFramesAreHeldOut() throws {
        let ngp = Self.lens.merging(["aabb_scale": 4]) { $1 }
        func write(_ frames: [[String: Any]], to file: String) throws {
            let json = ngp.merging(["frames": frames]) { $1 }
            try folder.write([UInt8](try JSONSerialization.data(withJSONObject: json)), to: "d/\(file)")
        }
        for file in ["transforms.json", "downscaled_2/transforms.json"] { try write([], to: file) }
        try picture("images/0.png")
        func dataset(_ part: String = "") -> CaptureFolder { CaptureFolder(path: "\(folder.path)/d\(part)") }
        #expect(TransformsDataset.recognise(dataset()) == nil && TransformsDataset.isPart(dataset()))
        try write([frame("../images/0.png", x: 7)], to: "test/transforms.json")
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["images/0.png"] && capture.dropReasons == [nil])
        #expect(capture.frames.map(\.split) == [.heldOut] && capture.frames[0].pose?.position.x == 7)
        #expect(capture.warnings.isEmpty, "\(capture.warnings)")
        #expect(["", "/test", "/downscaled_2"].map { TransformsDataset.isPart(dataset($0)) } == [false, true, true])
        #expect(try CaptureSearch.captures(at: folder.path).map(\.format) == ["transforms"])
        // A dataset of its own.
        try write([frame("images/0.png")], to: "test/transforms.json")
        let problem = #expect(throws: Problem.self) { try open() }
        #expect(problem?.summary == "the dataset has no frames")
    }

    /// instant-ngp sorts the frames by name and takes the first; who reads its dataset otherwise takes what was left out.
    @Test func framesBeyondTheLimitAreDropped() throws {
        for name in ["a_2", "a_9", "a_10"] { try picture("\(name).png") }
        let frames = [frame("a_10.png"), frame("a_9.png"), frame("a_2.png")]
        for (top, kept) in [
            (["aabb_scale": 4, "n_frames": 2], 2), (["aabb_scale": 4, "n_frames": 9], 3), (["n_frames": 2], 3),
            (["aabb_scale": 4, "n_frames": "2"], 3), (["aabb_scale": 4, "n_frames": -1], 3),
        ] as [([String: Any], Int)] {
            try write(frames, Self.lens.merging(top) { $1 })
            let capture = try open()
            #expect(capture.frames.map(\.pictureFile).prefix(2) == ["a_2.png", "a_9.png"])
            #expect(capture.keptFrames.count == kept, "\(top)")
            if kept == 3 { continue }
            #expect(
                capture.frames[2].drop?.reason
                    == "n_frames of transforms.json is 2, and instant-ngp takes so many frames, the first by name")
            #expect(capture.frames[2].drop?.isBad == false)
            #expect(capture.findings["frames-beyond-n_frames"]?.integer == 1)
        }
    }

    // MARK: - Blender's descriptions

    private func write(_ pictures: [String], asPart part: String) throws {
        let json: [String: Any] = ["camera_angle_x": 0.7, "frames": pictures.map { frame("./\($0)") }]
        try folder.write([UInt8](try JSONSerialization.data(withJSONObject: json)), to: "d/transforms_\(part).json")
    }

    @Test func aDescriptionOfEachPart() throws {
        try write(["train/r_0", "train/r_1"], asPart: "train")
        try write(["val/r_0"], asPart: "val")
        try write(["test/r_0", "val/r_0", "train/r_1"], asPart: "test")
        for name in ["train/r_0", "train/r_1", "val/r_0", "test/r_0"] { try picture("\(name).png") }
        // What lies beside them: of what is tested, and a copy for the web.
        for name in ["test/r_0_depth_0001.png", "test/r_0_normal_0001.png", "train/r_1.jpg"] { try picture(name) }
        let capture = try open()
        #expect(
            capture.frames.map(\.pictureFile) == ["test/r_0.png", "train/r_0.png", "train/r_1.png", "val/r_0.png"])
        #expect(
            capture.frames.map(\.split) == [.test, .training, DatasetSplit.training.union(.test), .heldOut])
        #expect(capture.variant == "Blender" && capture.dropReasons == [nil, nil, nil, nil])
        let trained = "1 of 3 held-out frames is a training frame too, train/r_1.png: "
        #expect(capture.warnings.count == 1 && capture.warnings[0].hasPrefix(trained), "\(capture.warnings)")
        let read = capture.files.map(\.path)
        for part in ["train", "val", "test"] { #expect(read.contains("transforms_\(part).json")) }
        try folder.write("{", to: "d/transforms_val.json")
        let damaged = try open()
        #expect(damaged.frames.count == 4)
        #expect(damaged.warnings.count == 2)
        #expect(damaged.warnings.first?.hasPrefix("held-out frames were left out") == true)
    }

    /// instant-ngp's number is one of frames to train on.
    @Test func theLimitLeavesPartsThatAreHeldOutAlone() throws {
        for (part, pictures) in [("train", ["a", "b"]), ("val", ["v", "b"]), ("test", ["t"])] {
            let json: [String: Any] = [
                "camera_angle_x": 0.7, "aabb_scale": 4, "n_frames": 1, "frames": pictures.map { frame($0) },
            ]
            try folder.write(
                [UInt8](try JSONSerialization.data(withJSONObject: json)), to: "d/transforms_\(part).json")
            for name in pictures { try picture("\(name).png") }
        }
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["a.png", "b.png", "t.png", "v.png"])
        #expect(capture.frames.map(\.split) == [.training, .validation, .test, .validation])
        #expect(capture.dropReasons == [nil, nil, nil, nil])
    }

    /// As those had it who once copied one of the parts.
    @Test func partsBesideADescriptionOfTheWhole() throws {
        try write([frame("train/r_0.png")], Self.lens)
        try write(["val/r_0", "train/r_0"], asPart: "val")
        for name in ["train/r_0", "val/r_0"] { try picture("\(name).png") }
        let words =
            "not read: 1 frame of transforms_val.json, which transforms.json does not list; to have all parts read, "
        #expect(try open().warnings == [words + "rename transforms.json to transforms_train.json"])
        try write(["train/r_0"], asPart: "train")
        let capture = try open()
        #expect(capture.warnings == [words + "move transforms.json elsewhere"])
        #expect(capture.frames.count == 1 && capture.frames[0].split == nil)
    }

    /// Without the description of the frames to train on.
    @Test func descriptionsOfPartsAreNamed() throws {
        try folder.write("{}", to: "d/transforms_val.json")
        try picture("train/r_0.png")
        let way = "copy transforms_train.json too; to have transforms_val.json read alone, copy it to transforms.json"
        let tree = try CaptureFormats.tree(at: "\(folder.path)/d")
        let problem = problem { () throws(Problem) in _ = try CaptureFormats.format(of: tree) }
        #expect(problem?.fix == way)
        try picture("images/r_0.png")
        let pictures = try PictureFolderCapture.open(tree, rules: ReadRules())
        #expect(pictures.warnings.count == 1 && pictures.warnings[0].hasSuffix("; \(way)"), "\(pictures.warnings)")
    }
}
