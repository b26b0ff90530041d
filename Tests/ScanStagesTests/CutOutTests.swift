import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// Masks that are put into the pictures, for trainers that know no files of masks.
@Suite struct CutOutTests {
    private static let box = OrientedBox(
        center: Vector3(0, 0, 0), worldFromBox: .identity, halfSize: Vector3(0.6, 0.6, 0.6))

    private static func capture(_ count: Int) throws -> MemoryCapture {
        var capture = try MemoryCapture.posed(count)
        for index in capture.items.indices {
            capture.items[index].pose = Pose(rotation: .identity, position: Vector3(0, 0, 2.5))
        }
        capture.box = box
        return capture
    }

    /// Smaller pictures have theirs too, and no mask is written as a file.
    @Test(arguments: [("write-transforms", "nerf"), ("write-colmap", "colmap")])
    func cutsThePicturesOut(_ writer: String, _ folder: String) throws {
        let capture = try Self.capture(2)
        let stages = "- downscale: {factors: [2]}\n- \(writer): {masks: silhouette, test-every: 2"
        let files = try StageRun(stages + "}", on: capture)
        let run = try StageRun(stages + ", mask-as: alpha}", on: capture)
        for suffix in ["", "_2"] {
            let mask = try PNG.decodeGray8(files.bytes("\(folder)/masks\(suffix)/000001.png"))
            let color = try PNG.decodeRGB(files.bytes("\(folder)/images\(suffix)/000001.png"))
            let used = mask.pixels.count { $0 == 255 }
            #expect(used > 0 && used < mask.pixels.count, "\(used)")
            let picture = try PythonReaders.run(
                "print(json.dumps(read_png(sys.argv[1])))", ["\(run.path)/\(folder)/images\(suffix)/000001.png"])
            #expect(picture["channels"]?.integer == 4)
            let found = (picture["rows"]?.array ?? []).compactMap(\.doubles).flatMap { $0 }
            var expected: [Double] = []
            for (place, alpha) in mask.pixels.enumerated() {
                let colors = color.pixels[3 * place..<3 * place + 3].map { Double($0) }
                expected += alpha == 0 ? [0, 0, 0, 0] : colors + [255]
            }
            #expect(found == expected)
            #expect(throws: (any Error).self) { try run.bytes("\(folder)/masks\(suffix)/000001.png") }
        }
        // nerfacto fails only at a file.
        #expect(files.warnings.contains { $0.contains("only one frame is held out") })
        #expect(!run.warnings.contains { $0.contains("only one frame is held out") })
    }

    /// Of three channels, so that no reader finds anything beneath.
    @Test func blackIsBlackForEveryReader() throws {
        var capture = try Self.capture(1)
        // A recorded mask need not be of two values.
        let values: [UInt8] = [0, 128, 255, 7]
        capture.items[0].mask = LumaImage(width: 8, height: 6, pixels: (0..<48).map { values[$0 % 4] })
        let whole = try StageRun("- write-colmap: {color: png}", on: capture)
        let run = try StageRun("- write-colmap: {mask-as: black}", on: capture)
        let color = try PNG.decodeRGB(whole.bytes("colmap/images/000000.png"))
        let picture = try PythonReaders.run(
            "print(json.dumps(read_png(sys.argv[1])))", ["\(run.path)/colmap/images/000000.png"])
        #expect(picture["channels"]?.integer == 3)
        let found = (picture["rows"]?.array ?? []).compactMap(\.doubles).flatMap { $0 }
        let expected = color.pixels.enumerated().map { place, sample in
            (Double(sample) * Double(values[place / 3 % 4]) / 255).rounded()
        }
        #expect(found == expected && found.contains { $0 > 0 && $0 < 255 })
        #expect(throws: (any Error).self) { try run.bytes("colmap/masks/000000.png") }
    }

    /// What is behind the object is within a silhouette too, and outside others.
    @Test(arguments: ["alpha", "black"]) func silhouettesAreNoCutOuts(_ place: String) throws {
        func warnings(_ options: String) throws -> [Problem] {
            // With the depth, so that it is of use in each of them.
            let text = "stages:\n- read\n- decompress\n- write-colmap: {depth: true, \(options)}\n"
            return try Pipeline.load(text: text, path: "p.yaml", library: .builtIn).warnings
        }
        let warned = try warnings("masks: silhouette, mask-as: \(place)")
        #expect(warned.count == 1 && warned[0].summary.contains("leaves in what is seen behind the object"))
        #expect(warned[0].fix == "set  masks: depth")
        #expect(try warnings("masks: depth, mask-as: \(place)").isEmpty)
        #expect(try warnings("masks: silhouette").isEmpty)
    }

    /// nerfstudio's and instant-ngp's trainers change their background at each step.
    @Test func blackIsForModelsOfColmap() throws {
        func warnings(_ stage: String) throws -> [String?] {
            let text = "stages:\n- read\n- decompress\n- \(stage)\n"
            return try Pipeline.load(text: text, path: "p.yaml", library: .builtIn).warnings.map(\.fix)
        }
        #expect(try warnings("write-transforms: {masks: depth, mask-as: black}") == ["set  mask-as: alpha"])
        #expect(try warnings("write-transforms: {masks: depth, mask-as: alpha}") == [])
    }

    /// What a trainer would take for emptiness, or for a part of the object.
    @Test func falseCutOutsAreNamed() throws {
        var capture = try Self.capture(3)
        for index in capture.items.indices {
            capture.items[index].depth?.metres = Array(repeating: index == 1 ? 0 : 2.5, count: 12)
        }
        let blind = try StageRun("- write-colmap: {masks: depth, mask-as: black}", on: capture)
        #expect(blind.count("write-colmap", "pictures-cut-for-want-of-depth") == 1)
        let away =
            "1 of 3 pictures is cut away as a whole, because there is no depth: trainers learn that nothing is there"
        #expect(blind.warnings.contains("write-colmap: \(away)"), "\(blind.warnings)")
        let files = try StageRun("- write-colmap: {masks: depth}", on: capture)
        #expect(!files.warnings.contains { $0.contains("cut away") })
        for index in [0, 1] {
            capture.items[index].mask = LumaImage(width: 8, height: 6, pixels: Array(repeating: 255, count: 48))
        }
        let whole = try StageRun("- write-colmap: {mask-as: black}", on: capture)
        #expect(
            whole.warnings.contains("write-colmap: 1 of 3 pictures is not cut out, because there is no mask"),
            "\(whole.warnings)")
        capture.box = nil
        let passing = try StageRun(
            "- write-colmap: {masks: depth, mask-as: black, mask-if-missing: pass}", on: capture)
        #expect(
            passing.warnings.contains("write-colmap: the capture has no box, so its pictures were not cut out"),
            "\(passing.warnings)")
    }

    @Test func theDatasetNamesNoMasks() throws {
        let run = try StageRun(
            "- write-transforms: {masks: silhouette, mask-as: alpha}", on: try Self.capture(1))
        #expect(try !run.text("nerf/transforms.json").contains("mask"))
        let other = try StageRun(
            "- write-transforms: {dialect: instant-ngp, masks: silhouette, mask-as: alpha}", on: try Self.capture(1))
        #expect(throws: (any Error).self) { try other.bytes("ngp/images/dynamic_mask_000000.png") }
    }

    @Test func aMaskThatIgnoresAllIsCounted() throws {
        var capture = try Self.capture(1)
        capture.box = OrientedBox(
            center: Vector3(0, 0, 9), worldFromBox: .identity, halfSize: Vector3(0.2, 0.2, 0.2))
        let run = try StageRun("- write-transforms: {masks: silhouette, mask-as: alpha}", on: capture)
        #expect(run.count("write-transforms", "masks-that-ignore-all") == 1)
    }

    @Test func aCaptureWithoutMasksHasItsPicturesCopied() throws {
        var capture = try Self.capture(1)
        capture.box = nil
        let run = try StageRun("- write-transforms: {mask-as: alpha}", on: capture)
        #expect(try run.bytes("nerf/images/000000.png") == capture.files["color/0.png"])
        #expect(
            run.warnings == [
                "write-transforms: the capture has no masks to put into pictures"
            ])
    }

    @Test func goesWithMasks() throws {
        #expect(
            StageRun.mistakes(in: "- write-transforms: {masks: none, mask-as: alpha}") == [
                "`mask-as` goes with masks"
            ])
        let recorded = "stages:\n- read\n- write-transforms: {mask-if-missing: pass}\n"
        #expect(
            try Pipeline.load(text: recorded, path: "p.yaml", library: .builtIn).warnings.map(\.summary) == [
                "`mask-if-missing` has an effect only with `masks: silhouette` and `masks: depth`"
            ])
        let options = "masks: depth, mask-as: alpha, color: jpeg, quality: 80"
        let text = "stages:\n- read\n- decompress\n- write-transforms: {\(options)}\n"
        #expect(
            try Pipeline.load(text: text, path: "p.yaml", library: .builtIn).warnings.map(\.summary) == [
                "`color` has an effect only where masks are files",
                "`quality` has an effect only where masks are files",
            ])
        // They decide how the pictures of a capture without a box are written.
        let passing = text.replacing("quality: 80", with: "quality: 80, mask-if-missing: pass")
        #expect(try Pipeline.load(text: passing, path: "p.yaml", library: .builtIn).warnings.isEmpty)
    }
}
