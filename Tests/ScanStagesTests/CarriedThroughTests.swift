import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// What somebody has added to a dataset by hand, masks and lists of frames for tests, stands in what comes of it.
@Suite struct CarriedThroughTests {
    /// Four frames of 8 × 6 pixels; the mask of frame n leaves out the n topmost rows, and the last has none.
    private static func dataset() throws -> MemoryCapture {
        var capture = try MemoryCapture.posed(4)
        let splits: [DatasetSplit] = [.training, .heldOut, .training, []]
        for n in 0..<4 {
            capture.items[n].split = splits[n]
            if n < 3 { capture.items[n].mask = mask(without: n) }
        }
        return capture
    }

    private static func mask(without rows: Int) -> LumaImage {
        LumaImage(width: 8, height: 6, pixels: (0..<48).map { $0 < 8 * rows ? 0 : 255 })
    }

    private func mask(_ run: StageRun, _ path: String) throws -> LumaImage { try PNG.decodeGray8(try run.bytes(path)) }

    private func json(_ run: StageRun, _ path: String) throws -> JSONValue {
        try JSONValue.parse(try run.bytes(path), file: path)
    }

    private func lists(_ run: StageRun) throws -> [[String]?] {
        let data = try json(run, "nerf/transforms.json")
        return ["train_filenames", "val_filenames", "test_filenames"].map { data[$0]?.array?.compactMap(\.string) }
    }

    private static let trained = ["images/000000.png", "images/000002.png"]
    private static let held = ["images/000001.png"]

    // MARK: - Masks

    @Test(arguments: ["write-transforms", "write-colmap"]) func recordedMasksAreWritten(_ writer: String) throws {
        let folder = writer == "write-colmap" ? "colmap" : "nerf"
        let run = try StageRun("- downscale: {factors: [2]}\n- \(writer)", on: try Self.dataset())
        for n in 0..<4 {
            let expected = Self.mask(without: n < 3 ? n : 0)
            #expect(try mask(run, "\(folder)/masks/00000\(n).png") == expected)
            #expect(
                try mask(run, "\(folder)/masks_2/00000\(n).png") == expected.nearest(to: PixelSize(4, 3)))
        }
        #expect(run.count(writer, "frames-without-mask") == 1)
    }

    @Test func entriesNameTheirMasks() throws {
        let run = try StageRun("- write-transforms", on: try Self.dataset())
        let paths = try json(run, "nerf/transforms.json")["frames"]?.array?.map { $0["mask_path"]?.string }
        #expect(paths == (0..<4).map { "masks/00000\($0).png" })
    }

    /// 255 = ignore.
    @Test func instantNGPsMasksAreTheOtherWayRound() throws {
        let run = try StageRun(
            "- downscale: {factors: [2]}\n- write-transforms: {dialect: instant-ngp}", on: try Self.dataset())
        #expect(try mask(run, "ngp/images/dynamic_mask_000002.png") == Self.mask(without: 2).inverted)
        let small = Self.mask(without: 2).nearest(to: PixelSize(4, 3)).inverted
        #expect(try mask(run, "ngp/images_2/dynamic_mask_000002.png") == small)
        #expect(try mask(run, "ngp/images/dynamic_mask_000003.png").pixels.allSatisfy { $0 == 0 })
    }

    @Test func aMaskOfAnotherSizeCostsTheFrame() throws {
        var capture = try Self.dataset()
        capture.items[1].mask = LumaImage(width: 4, height: 3, pixels: Array(repeating: 255, count: 12))
        let run = try StageRun("- write-transforms", on: capture)
        #expect(run.drops == ["1 write-transforms: the frame's mask is 4×3, and its picture 8×6"])
        #expect(try StageRun("- write-transforms: {masks: none}", on: capture).drops == [])
    }

    @Test func masksAreTurnedWithTheirPictures() throws {
        let first = try StageRun("- write-transforms", on: try Self.dataset())
        let run = try StageRun(
            "- read\n- turn: {quarter-turns: 1}\n- write-transforms: {z-up: false}", reading: "\(first.path)/nerf")
        #expect(run.drops == [])
        for n in 0..<3 {
            #expect(try mask(run, "nerf/masks/00000\(n).png") == Self.mask(without: n).turned(quarterTurns: 1))
        }
    }

    @Test(arguments: ["", ": {masks: none}"]) func withoutMasksThereAreNone(_ options: String) throws {
        var capture = try Self.dataset()
        if options.isEmpty { for n in 0..<4 { capture.items[n].mask = nil } }
        let run = try StageRun("- write-transforms\(options)\n- write-colmap\(options)", on: capture)
        #expect(!run.files.contains { $0.contains("mask") })
        #expect(run.count("write-transforms", "frames-without-mask") == nil)
    }

    @Test func masksThatIgnoreEverythingAreWarnedOf() throws {
        var capture = try Self.dataset()
        for n in 0..<4 { capture.items[n].mask = Self.mask(without: 6) }
        let run = try StageRun("- write-transforms", on: capture)
        #expect(run.warnings.contains("write-transforms: every mask ignores its whole picture"))
        capture.items[2].mask = Self.mask(without: 5)
        let one = try StageRun("- write-transforms", on: capture)
        #expect(!one.warnings.contains { $0.contains("every mask") })
        let some = "write-transforms: 3 of 4 masks ignore their whole picture, from which trainers learn nothing"
        #expect(one.warnings.contains { $0.hasPrefix(some) && !$0.contains("filter-view") }, "\(one.warnings)")
        #expect(one.count("write-transforms", "masks-that-ignore-all") == 3)
        // A box that no camera sees.
        capture.box = OrientedBox(center: Vector3(0, 90, 0), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        let far = try StageRun("- write-colmap: {masks: silhouette}", on: capture)
        #expect(far.warnings.contains { $0.contains("nothing of the box is seen") }, "\(far.warnings)")
    }

    /// Walls that have passed each other are no box.
    @Test func aMarginThatLeavesNothingOfTheBoxIsRefused() throws {
        var capture = try Self.dataset()
        capture.box = OrientedBox(center: Vector3(0, 0, -2), worldFromBox: .identity, halfSize: Vector3(1, 0.5, 2))
        for margin in [-0.5, -3] {
            let problem = problem {
                _ = try StageRun("- write-transforms: {masks: silhouette, mask-margin: \(margin)}", on: capture)
            }
            #expect(problem?.summary == "`mask-margin: \(margin.shortText)` leaves nothing of the box")
            #expect(problem?.notes == ["half of its shortest side is 0.5 m"])
        }
        _ = try StageRun("- write-transforms: {masks: silhouette, mask-margin: -0.49}", on: capture)
        // A floor that cuts the box off keeps its place.
        capture.box?.floor = 0.3
        #expect(throws: Problem.self) {
            _ = try StageRun("- write-transforms: {masks: silhouette, mask-margin: -0.25}", on: capture)
        }
        capture.box?.floor = -0.4
        _ = try StageRun("- write-transforms: {masks: silhouette, mask-margin: -0.25}", on: capture)
        // The bottom alone takes off as much of the height as it moves.
        capture.box?.floor = nil
        _ = try StageRun("- write-transforms: {masks: silhouette, mask-bottom: -0.9}", on: capture)
        let bottom = problem {
            _ = try StageRun(
                "- write-transforms: {masks: silhouette, mask-margin: -0.25, mask-bottom: -0.6}", on: capture)
        }
        #expect(bottom?.summary == "`mask-bottom: -0.6` and `mask-margin: -0.25` leave nothing of the box")
    }

    /// nerfstudio's way to draw pixels where masks are fails of a single picture.
    @Test func aLoneTestFrameWithAMaskIsWarnedOf() throws {
        func isWarnedOf(_ stage: String) throws -> Bool {
            try StageRun("- \(stage)", on: try Self.dataset()).warnings.contains {
                $0.contains("only one frame is held out")
            }
        }
        #expect(try isWarnedOf("write-transforms: {test-every: 4}") && isWarnedOf("write-colmap: {test-every: 4}"))
        #expect(try !isWarnedOf("write-transforms: {test-every: 2}"))
        #expect(try !isWarnedOf("write-transforms: {test-every: 4, masks: none}"))
        #expect(try !isWarnedOf("write-transforms: {test-every: 4, dialect: instant-ngp}"))
    }

    // MARK: - Lists

    @Test func listsWithoutTestFramesAreWarnedOf() throws {
        var capture = try Self.dataset()
        for n in 0..<4 { capture.items[n].split = .training }
        let run = try StageRun("- write-transforms", on: capture)
        #expect(
            run.warnings.contains { $0.contains("none of the frames that are left is held out") }, "\(run.warnings)")
    }

    @Test func framesStayInTheirLists() throws {
        let run = try StageRun("- write-transforms\n- write-colmap", on: try Self.dataset())
        #expect(try lists(run) == [Self.trained, Self.held, Self.held])
        for (file, names) in [("train", "000000.png\n000002.png\n"), ("val", "000001.png\n"), ("test", "000001.png\n")]
        {
            #expect(try run.bytes("colmap/\(file)_list.txt") == Array(names.utf8))
        }
        #expect(run.count("write-transforms", "frames-for-training") == 2)
        #expect(run.count("write-transforms", "frames-held-out") == 1)
        #expect(
            run.warnings.contains(
                "write-transforms: 1 of 4 frames has no place in the dataset's lists: trainers pass them over"))
    }

    /// nerfstudio's loader wants both of the lists that it evaluates with.
    @Test func oneListOfHeldOutFramesDoesForBoth() throws {
        var capture = try Self.dataset()
        for only in [DatasetSplit.validation, .test] {
            capture.items[1].split = only
            #expect(try lists(StageRun("- write-transforms", on: capture)) == [Self.trained, Self.held, Self.held])
        }
        capture.items[3].split = .validation
        #expect(
            try lists(StageRun("- write-transforms", on: capture))
                == [Self.trained, ["images/000003.png"], ["images/000001.png"]])
    }

    @Test func instantNGPHasAFileForEach() throws {
        let run = try StageRun("- write-transforms: {dialect: instant-ngp}", on: try Self.dataset())
        func pictures(_ path: String) throws -> [String?]? {
            try json(run, path)["frames"]?.array?.map { $0["file_path"]?.string }
        }
        #expect(try pictures("ngp/transforms.json") == Self.trained)
        #expect(try pictures("ngp/test/transforms.json") == ["../images/000001.png"])
    }

    @Test func otherListsCanBeMade() throws {
        let every = try StageRun("- write-transforms: {test-every: 2}", on: try Self.dataset())
        #expect(try lists(every)[2] == Self.trained)
        #expect(
            try lists(StageRun("- write-transforms: {keep-split: false}", on: try Self.dataset())) == [nil, nil, nil])
        let model = try StageRun("- write-colmap: {test-every: 3}", on: try Self.dataset())
        #expect(try model.bytes("colmap/test_list.txt") == Array("000000.png\n000003.png\n".utf8))
    }

    @Test func noneIsLeftForTraining() throws {
        let run = try StageRun("- select-frames: {include: [1]}\n- write-transforms", on: try Self.dataset())
        #expect(run.warnings.contains("write-transforms: none of the frames that are left is for training"))
    }

    // MARK: - There and back

    @Test(arguments: [
        ("write-transforms", "nerf"), ("write-transforms: {dialect: instant-ngp}", "ngp"), ("write-colmap", "colmap"),
    ])
    func aDatasetComesBack(_ writer: String, _ folder: String) throws {
        let first = try StageRun("- write-transforms", on: try Self.dataset())
        let there = try StageRun("- read\n- \(writer)", reading: "\(first.path)/nerf")
        let back = try StageRun("- read\n- write-transforms", reading: "\(there.path)/\(folder)")
        // What is for neither has no place in instant-ngp's files.
        let rows = folder == "ngp" ? [0, 1, 2] : [0, 1, 2, 0]
        for (n, row) in rows.enumerated() {
            #expect(try mask(back, "nerf/masks/00000\(n).png") == Self.mask(without: row))
        }
        #expect(try lists(back) == [Self.trained, Self.held, Self.held])
    }

    /// Whoever has made masks hears of it when they go nowhere.
    @Test func whatNobodyReadsIsSaid() throws {
        let first = try StageRun("- write-transforms", on: try Self.dataset())
        for pipeline in [
            "- read\n- write-tum",
            "- read\n- turn: {quarter-turns: 1}\n- write-transforms: {masks: none, test-every: 2}",
        ] {
            let frames = pipeline.contains("tum") ? "- read: {rate: 30}\n- write-tum" : pipeline
            let run = try StageRun(frames, reading: "\(first.path)/nerf")
            #expect(
                run.warnings.contains {
                    $0.contains("the masks of 4 frames are not used: write-transforms and write-colmap keep them")
                }, "\(run.warnings)")
            #expect(run.warnings.contains { $0.contains("lists of frames for training and for tests are not used") })
        }
        let used = try StageRun("- read\n- write-transforms", reading: "\(first.path)/nerf")
        #expect(!used.warnings.contains { $0.contains("not used") })
    }

    /// Depth in the layout of nerfstudio's loader of COLMAP models.
    @Test func depthBesideACOLMAPModel() throws {
        var capture = try Self.dataset()
        for n in 0..<4 {
            capture.items[n].depth = DepthMap(width: 4, height: 3, metres: Array(repeating: 1.5, count: 12))
        }
        let run = try StageRun("- downscale: {factors: [4]}\n- write-colmap: {depth: true}", on: capture)
        #expect(
            try PNG.decodeGray16(try run.bytes("colmap/depths/000003.png")).pixels == Array(repeating: 1500, count: 12))
        let small = try PNG.decodeGray16(try run.bytes("colmap/depths_4/000003.png"))
        #expect(small.width == 2 && small.height == 1)
        let without = try StageRun("- write-colmap", on: capture)
        #expect(!without.files.contains { $0.contains("depths") })
    }
}
