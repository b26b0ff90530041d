import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Datasets of which a part is damaged or missing.
extension TransformsDatasetTests {
    private func write(_ top: [String: Any], _ pictures: [String], to file: String) throws {
        let json = top.merging(["frames": pictures.map { frame("./\($0)") }]) { $1 }
        let bytes = try JSONSerialization.data(withJSONObject: json, options: [.sortedKeys, .withoutEscapingSlashes])
        try folder.write([UInt8](bytes), to: "d/\(file)")
    }

    /// Blender's: six frames to train on, three for validation, three for tests.
    private func blender(_ top: [String: Any] = ["camera_angle_x": 0.7], without folders: [String] = []) throws {
        for (part, count) in [("train", 6), ("val", 3), ("test", 3)] {
            let pictures = (0..<count).map { "\(part)/r_\($0)" }
            try write(top, pictures, to: "transforms_\(part).json")
            for name in pictures where !folders.contains(part) { try picture("\(name).png") }
        }
    }

    private func cut(_ file: String, behind words: String) throws {
        let text = String(decoding: try folder.bytes("d/\(file)"), as: UTF8.self)
        let end = try #require(text.range(of: words)?.upperBound)
        try folder.write(String(text[..<end]), to: "d/\(file)")
    }

    /// Whole, they would flood messages and receipts.
    @Test func pathsWithoutEnd() throws {
        let long = String(repeating: "x", count: 1 << 16)
        let accents = String(repeating: "\u{301}", count: 1 << 16)
        let paths = ["images/0.png", "images/\(long).png", "\(long)/1.png", "images/2\(accents).png"]
        try write(["camera_angle_x": 0.7], paths, to: "transforms.json")
        try picture("images/0.png")
        let reasons = try open().frames.compactMap(\.drop).map(\.reason)
        #expect(reasons.count == 3 && reasons.allSatisfy { $0.utf8.count < 500 })
    }

    /// The text names one of its frames, and the folder of its pictures the others.
    @Test func aDamagedDescriptionCostsItsFrames() throws {
        try blender()
        try picture("val/r_0_depth_0001.png")
        try cut("transforms_val.json", behind: "val/r_0\"")
        let capture = try open()
        #expect(capture.frames.count == 12 && capture.warnings == [])
        let lost = capture.frames.filter(\.isDropped)
        #expect(lost.map(\.split) == [.validation, .validation, .validation])
        #expect(lost.allSatisfy { $0.drop?.isBad == true && $0.drop?.reason.contains("transforms_val.json") == true })
        #expect(capture.files.first { $0.path == "transforms_val.json" }?.stake == .nothing)
        // The description is one for all of them: only the picture says which one it is.
        for (frame, name) in zip(lost, ["./val/r_0", "val/r_1.png", "val/r_2.png"]) {
            #expect(frame.drop?.reason.hasPrefix("\(name) is lost: invalid JSON: ") == true)
        }
        let excess = capture.excessOfBadFrames()
        #expect(excess?.summary == "3 of 12 frames are bad (25 %)")
        #expect(
            excess?.fix == "copy transforms_val.json again, or allow more with  --set read.bad-frame-limit=0.25")
        // Nothing but the folder tells of them.
        try folder.write("", to: "d/transforms_val.json")
        #expect(try open().excessOfBadFrames()?.summary == "3 of 12 frames are bad (25 %)")
    }

    /// A text that is whole says which pictures are its frames'; others in the folder are not.
    @Test func aDescriptionThatCannotBeUsedCostsItsFrames() throws {
        try blender()
        try write(["camera_angle_x": 0.7, "applied_scale": 0], ["val/r_0", "val/r_1"], to: "transforms_val.json")
        let capture = try open()
        #expect(capture.frames.count == 11 && capture.keptFrames.count == 9)
        #expect(capture.frames.compactMap(\.drop).allSatisfy { $0.reason.contains("applied_scale") })
    }

    /// Nobody must train on them because the description that holds them out is damaged.
    @Test func framesThatAnotherDescriptionListsAreHeldOut() throws {
        try blender(without: ["val"])
        try write(["camera_angle_x": 0.7, "applied_scale": 0], ["train/r_0", "test/r_1"], to: "transforms_val.json")
        let capture = try open()
        #expect(capture.frames.count == 9 && capture.keptFrames.count == 9)
        let validation = capture.frames.filter { $0.split?.contains(.validation) == true }
        #expect(validation.map(\.pictureFile) == ["test/r_1.png", "train/r_0.png"])
        let words = "2 held-out frames were taken from other descriptions: “applied_scale” is 0"
        #expect(capture.warnings.count == 2 && capture.warnings[0].hasPrefix(words), "\(capture.warnings)")
    }

    @Test(arguments: ["is missing", "is a folder", "lists no frames"])
    func picturesOfAPartThatNothingDescribes(_ lack: String) throws {
        try blender()
        let file = "transforms_test.json"
        try FileManager.default.removeItem(atPath: "\(folder.path)/d/\(file)")
        if lack == "is a folder" { try folder.write("x", to: "d/\(file)/x") }
        if lack == "lists no frames" { try write(["camera_angle_x": 0.7], [], to: file) }
        try picture("test/r_0_depth_0001.png")
        let capture = try open()
        let words = "test/ holds 3 pictures that no description lists, since \(file) \(lack): "
        let stead = "the other held-out frames serve for tests too; to have them read, copy \(file) with its frames, "
        #expect(capture.frames.count == 9 && capture.warnings.count == 1, "\(capture.warnings)")
        #expect(capture.warnings.first?.hasPrefix(words + stead) == true, "\(capture.warnings)")
    }

    @Test func picturesOfPartsOfWhichNoneIsDescribed() throws {
        try blender()
        for part in ["val", "test"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/d/transforms_\(part).json")
        }
        let warnings = try open().warnings
        let lacking = warnings.filter { $0.contains(": no frame is held out for ") }
        #expect(warnings.count == 2 && lacking.count == 2, "\(warnings)")
    }

    @Test func testsOnFramesThatWereTrainedOn() throws {
        try blender()
        try folder.write(try folder.bytes("d/transforms_train.json"), to: "d/transforms_test.json")
        let words = "6 of 9 held-out frames are training frames too, the first train/r_0.png: "
        #expect(try open().warnings == [words + "an evaluation would be on frames that were trained on"])
    }

    @Test func whatNothingTellsIsSaid() throws {
        try blender(without: ["val"])
        try folder.write("{", to: "d/transforms_val.json")
        let capture = try open()
        #expect(capture.keptFrames.count == 9 && capture.frames.count == 9)
        let words = "held-out frames were left out, and it is unknown how many: invalid JSON"
        #expect(capture.warnings.count == 1 && capture.warnings[0].hasPrefix(words), "\(capture.warnings)")
        #expect(capture.warnings.first?.hasSuffix("; copy transforms_val.json again") == true)
    }

    /// More frames than a capture may have are no damage of the description that has them.
    @Test func heldOutFramesCountTowardsTheLimit() throws {
        try blender()
        var rules = ReadRules()
        rules.maxFrames = 8
        let tree = try CaptureFormats.tree(at: "\(folder.path)/d")
        let problem = problem { () throws(Problem) in _ = try TransformsDataset.open(tree, rules: rules) }
        #expect(problem?.summary == "there are more than 8 frames")
    }

    @Test func aMissingFolderIsToBeCopied() throws {
        try blender(without: ["train"])
        let untrained = try open()
        let reasons = untrained.frames.compactMap(\.drop?.reason)
        #expect(reasons.count == 6)
        #expect(reasons.first == "its picture ./train/r_0 is not there, and its folder is missing or empty")
        // Frames that are held out alone are of no use.
        #expect(untrained.excessOfBadFrames()?.fix == "copy the folder train/ too")
    }

    @Test func foldersOfHeldOutFramesMayBeMissing() throws {
        try blender(without: ["val", "test"])
        #expect(
            try open().excessOfBadFrames()?.fix
                == "copy the folders test/ and val/ too, or allow more with  --set read.bad-frame-limit=0.5")
    }

    @Test func allFoldersMissing() throws {
        try blender(without: ["train", "val", "test"])
        let capture = try open()
        #expect(capture.remedies[.color] == "copy the folders test/, train/ and val/ too")
        let reason = capture.frames[0].drop?.reason ?? ""
        #expect(reason.hasPrefix("its picture is not there, and the file does not say how large it was"), "\(reason)")
        #expect(capture.excessOfBadFrames()?.fix == capture.remedies[.color])
    }

    @Test func aDatasetWithoutIntrinsics() throws {
        try blender([:])
        let tree = try CaptureFormats.tree(at: "\(folder.path)/d")
        let problem = problem { () throws(Problem) in _ = try TransformsDataset.open(tree, rules: ReadRules()) }
        #expect(problem?.summary == "there are no intrinsics" && problem?.place.file == "transforms_train.json")
        #expect(problem?.fix?.contains("\"camera_angle_x\": RADIANS") == true)
        // One part that lacks them costs its frames.
        try write(["camera_angle_x": 0.7], (0..<6).map { "train/r_\($0)" }, to: "transforms_train.json")
        let fix = try open().excessOfBadFrames()?.fix
        #expect(fix?.contains("\"camera_angle_x\": RADIANS") == true, "\(fix ?? "")")
    }

    /// The name of its folder alone does not make a dataset a part.
    @Test func aDatasetOfItsOwnInAFolderForTests() throws {
        try write(["camera_angle_x": 0.7], ["r_0"], to: "test/transforms_train.json")
        #expect(!TransformsDataset.isPart(CaptureFolder(path: "\(folder.path)/d/test")))
    }

    /// It holds out no frame of the dataset around it, though it names its pictures alike.
    @Test func aDamagedDatasetOfItsOwn() throws {
        try write([frame("a.png")], Self.lens.merging(["aabb_scale": 4]) { $1 })
        try picture("a.png")
        try write(["applied_scale": 0], ["a.png", "b.png"], to: "test/transforms.json")
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["a.png"] && capture.frames[0].split == nil)
        #expect(capture.warnings.count == 1, "\(capture.warnings)")
    }

    @Test func aPictureOfUnknownHeight() throws {
        try blender(["camera_angle_x": 0.7, "w": 8], without: ["train", "val", "test"])
        let reason = try open().frames[0].drop?.reason ?? ""
        #expect(reason.hasPrefix("its picture is not there, and the file does not say how large it was"), "\(reason)")
    }

    /// Where nothing is held out, or its description is damaged, it is no capture of its own.
    @Test(arguments: [
        (#"{"aabb_scale": 4, "frames": []}"#, "test", true), ("{", "test", true), ("{", "other", false),
        (#"{"frames": []}"#, "other", true),
    ]) func anInnerDescriptionWithoutFrames(_ text: String, _ name: String, _ isPart: Bool) throws {
        try write([frame("a.png")], Self.lens.merging(["aabb_scale": 4, "applied_scale": 0.5]) { $1 })
        try picture("a.png")
        try folder.write(text, to: "d/\(name)/transforms.json")
        #expect(TransformsDataset.isPart(CaptureFolder(path: "\(folder.path)/d/\(name)")) == isPart)
        let search = try CaptureSearch(at: "\(folder.path)/d")
        #expect(search.within.isEmpty == isPart)
        let warnings = try open().warnings
        #expect(warnings.count == (text == "{" && name == "test" ? 1 : 0), "\(warnings)")
    }
}
