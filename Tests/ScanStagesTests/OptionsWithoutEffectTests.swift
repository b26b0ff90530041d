import ScanPipeline
import ScanStages
import Testing

@Suite struct OptionsWithoutEffectTests {
    private func warnings(of stages: String) throws -> [String] {
        let pipeline = try Pipeline.load(text: "stages:\n\(stages)\n", path: "p.yaml", library: .builtIn)
        return pipeline.warnings.map { "\($0.summary); \($0.fix ?? "")" }
    }

    @Test func theFineCloudComesFirst() throws {
        let clouds =
            "- {read: {format: ply}}\n- voxel-downsample: {size: SIZE}\n- write-ply: {file: a.ply}\n"
            + "- voxel-downsample: {size: 0.01}\n- write-ply: {file: b.ply}"
        #expect(try warnings(of: clouds.replacing("SIZE", with: "0.001")) == [])
        #expect(
            try warnings(of: clouds.replacing("SIZE", with: "0.05")) == [
                "`size` has an effect only where it is larger than that of the `voxel-downsample` above: the fine one first; "
                    + "take it out"
            ])
    }

    /// Only the captures of some formats bring a cloud along, or pinhole intrinsics.
    @Test func stagesAboveThoseThatMakeWhatTheyNeed() throws {
        let made = "- read\n- decompress\n- unproject\n"
        #expect(
            try warnings(of: "- read\n- decompress\n- cull-by-box\n- unproject\n- write-ply").contains(
                "`cull-by-box` needs cloud or points, which no stage above it makes: a capture that was not recorded with it "
                    + "will fail; move it below `unproject`, which makes it"))
        #expect(try warnings(of: made + "- cull-by-box\n- write-ply") == [])
        #expect(try warnings(of: "- read: {format: ply}\n- cull-by-box\n- voxel-downsample\n- write-ply") == [])
        #expect(
            try warnings(of: "- read\n- decompress\n- check-geometry\n- undistort\n- write-colmap") == [
                "`check-geometry` needs intrinsics, which no stage above it makes: a capture that was not recorded with it "
                    + "will fail; move it below `undistort`, which makes it"
            ])
        // What lies between may need what the stage makes, and then it cannot go there.
        #expect(
            try warnings(of: "- read\n- decompress\n- fuse-depth\n- write-mesh\n- undistort\n- write-tum").first
                == "`fuse-depth` needs intrinsics, which no stage above it makes: a capture that was not recorded with it "
                + "will fail; move `undistort`, which makes it, above it")
    }

    /// Said of the first, since one stage is missing; and of none where the format has a cloud, or a stage works on either.
    @Test func aCloudThatCouldBeMadeOfTheMesh() throws {
        let made = "- read\n- decompress\n- fuse-depth\n"
        func said(_ stage: String) -> String {
            "`\(stage)` needs cloud, which no stage above it makes: a capture that was not recorded with it will fail; put "
                + "`sample-mesh`, which makes it, above it"
        }
        #expect(
            try warnings(of: made + "- find-floor\n- crop: {above: 0.1}\n- fit-box\n- cull-by-box\n- write-mesh")
                == [said("find-floor")])
        #expect(try warnings(of: made + "- render-cloud\n- write-mesh") == [said("render-cloud")])
        #expect(
            try warnings(of: made + "- sample-mesh\n- find-floor\n- crop: {above: 0.1, from: floor}\n- write-mesh")
                == [])
        #expect(try warnings(of: made + "- crop: {above: 0.1, from: origin}\n- cull-by-box\n- write-mesh") == [])
        #expect(try warnings(of: "- read\n- find-floor\n- crop: {above: 0.1}\n- write-ply") == [])
    }

    /// A cloud of the old poses beside a dataset of the new ones.
    @Test func posesThatAreCorrectedTooLate() throws {
        func said(_ stage: String) -> String {
            "`correct-drift` changes the poses from which `\(stage)` above it has made what stages below use; move it "
                + "above `\(stage)`"
        }
        let read = "- read\n- decompress\n"
        #expect(
            try warnings(
                of: read + "- unproject\n- voxel-downsample\n- correct-drift\n- write-ply\n- write-transforms")
                == [said("unproject")])
        #expect(
            try warnings(of: read + "- fuse-depth\n- correct-drift\n- check-geometry\n- write-mesh")
                == [said("fuse-depth")])
        #expect(
            try warnings(of: read + "- fuse-depth\n- write-mesh\n- correct-drift\n- check-geometry") == [])
        #expect(try warnings(of: read + "- correct-drift\n- unproject\n- voxel-downsample\n- write-ply") == [])
        // Points of single frames are made again.
        let points = try warnings(of: read + "- unproject\n- correct-drift\n- voxel-downsample\n- write-ply")
        #expect(!points.contains { $0.contains("changes the poses") }, "\(points)")
        // And so is a cloud that a stage below makes of them.
        let cloud = "- unproject\n- voxel-downsample\n"
        let twice = try warnings(
            of: read + cloud + "- write-ply: {file: a.ply}\n- correct-drift\n" + cloud + "- write-ply")
        #expect(!twice.contains { $0.contains("changes the poses") }, "\(twice)")
        // A box is of the cloud that it was fitted to.
        let box = try warnings(of: read + cloud + "- fit-box\n- correct-drift\n- report-coverage\n- write-frames")
        #expect(box.contains(said("unproject")), "\(box)")
    }

    /// Of the frames that a stage above has picked, every n-th of the source's is there by chance.
    @Test(arguments: [
        ("filter-blur: {window: 5}", true), ("filter-blur: {seconds: 0.2}", true), ("filter-blur: {count: 9}", true),
        ("select-keyframes", true), ("filter-blur: {window: 1}", false), ("filter-blur: {keep: 0.9}", false),
        ("filter-blur: {at-least: 1}", false), ("select-every: {step: 2}", false),
    ]) func everyNthOfFramesThatWerePicked(above: String, isSaid: Bool) throws {
        func said(_ every: String) throws -> [String] {
            try warnings(of: "- read\n- \(above)\n- select-every: {\(every)}\n- write-frames: {depth: none}")
        }
        let name = above.prefix { $0 != ":" }
        let text =
            "`step` counts source frames, and the `\(name)` above has left only some of them: few frames are "
            + "kept by both, and those are not evenly spread; spread a number of them over time with  count: …"
        #expect(try said("step: 3").contains(text) == isSaid)
        #expect(try !said("count: 3").contains { $0.contains("kept by both") })
    }

    /// A box above a mesh has to cut depth, or to be below it.
    @Test func aMeshOfABox() throws {
        func said(_ cull: String) throws -> [String] {
            try warnings(
                of:
                    "- read\n- decompress\n- unproject: {pixel-centre: half}\n- cull-by-box\(cull)\n- voxel-downsample\n- write-ply\n"
                    + "- fuse-depth\n- write-mesh")
        }
        #expect(
            try said("") == [
                "the `cull-by-box` above removes points but no depth, so the mesh shows everything; move it below "
                    + "for a mesh of what it leaves"
            ])
        #expect(try said(": {depth: true, pixel-centre: half}") == [])
        #expect(
            try said(": {depth: true, pixel-centre: integer}") == [
                "`pixel-centre` is `half`, and `integer` in the `cull-by-box` above: the mesh lies half a depth pixel "
                    + "away from what that makes; set  pixel-centre: half  there"
            ])
    }

    /// Points outside of the box for masks are none that a trainer may learn from.
    @Test(arguments: ["silhouette", "depth"]) func masksOfLessThanTheBoxOfThePoints(_ masks: String) throws {
        func said(_ cull: String, _ options: String) throws -> [String] {
            try warnings(
                of: "- read\n- decompress\n- unproject\n- cull-by-box: {\(cull)}\n- voxel-downsample\n- write-colmap\n"
                    + "- write-transforms: {masks: \(masks)\(options)}")
        }
        #expect(
            try said("margin: 0.02", "") == [
                "`mask-margin`, 0, is less than the `margin` of the `cull-by-box` above, 0.02: points lie where masks say "
                    + "ignore; set  mask-margin: 0.02"
            ])
        #expect(try said("margin: 0.02", ", mask-margin: 0.01").count == 1)
        #expect(try said("margin: 0.02", ", mask-margin: 0.02") == [])
        #expect(try said("margin: -0.1", "") == [])
        #expect(try said("margin: 0.02, keep: outside", "") == [])
    }

    /// Nor may a trainer learn the table that was taken away from under an object.
    @Test(arguments: ["silhouette", "depth"]) func masksWithAnotherBottomThanTheBoxOfThePoints(_ masks: String) throws {
        func said(_ cull: String, _ options: String) throws -> [String] {
            try warnings(
                of: "- read\n- decompress\n- unproject\n- cull-by-box: {\(cull)}\n- voxel-downsample\n- write-colmap\n"
                    + "- write-transforms: {masks: \(masks)\(options)}")
        }
        #expect(
            try said("bottom: 0.1", "") == [
                "`mask-bottom`, 0, is less than the `bottom` of the `cull-by-box` above, 0.1: points lie where masks say "
                    + "ignore; set  mask-bottom: 0.1"
            ])
        #expect(
            try said("margin: 0.02, bottom: -0.02", ", mask-margin: 0.02") == [
                "`mask-bottom`, 0, is more than the `bottom` of the `cull-by-box` above, -0.02: masks keep what that "
                    + "removes at the bottom; set  mask-bottom: -0.02"
            ])
        #expect(try said("margin: 0.02, bottom: -0.02", ", mask-margin: 0.02, mask-bottom: -0.02") == [])
        #expect(try said("margin: 0.02, bottom: 0.1", "").count == 2)
        #expect(try said("bottom: 0.1, keep: outside", "") == [])
    }

    /// It moves each picture by another part of a pixel.
    @Test(arguments: ["filter-blur: {window: 3}", "measure-blur"]) func sharpnessBelowUndistort(_ stage: String) throws
    {
        let straight = "- undistort: {one-camera: true}"
        #expect(
            try warnings(of: "- read\n\(straight)\n- \(stage)\n- write-colmap") == [
                "the `undistort` above softens some pictures more than others, so that their scores mislead; move it above "
                    + "`undistort`"
            ])
        #expect(try warnings(of: "- read\n- \(stage)\n\(straight)\n- write-colmap") == [])
        // Distorted pictures have to be straightened somewhere.
        for plain in ["- undistort", "- undistort: {one-camera: false}"] {
            #expect(try warnings(of: "- read\n\(plain)\n- \(stage)\n- write-colmap") == [])
        }
    }

    @Test func aBoxIsMovedAboveTheFirstOfItsWriters() throws {
        let clouds =
            "- voxel-downsample: {size: 0.01}\n- write-ply: {file: a.ply}\n- voxel-downsample: {size: 0.1}\n"
            + "- write-ply: {file: b.ply}\n- cull-by-box"
        let said = try warnings(of: "- read\n- decompress\n- unproject\n" + clouds)
        #expect(said.count == 1 && said[0].hasSuffix("move it above `write-ply[1]`"), "\(said)")
    }

    @Test func aMisspeltBoxIsNoFile() {
        #expect(
            StageRun.mistakes(in: "- voxel-downsample\n- cull-by-box: {box: clod}").contains(
                "`box` is `clod`, which is neither `capture` nor the name of a JSON file"))
    }

    @Test func optionsWithoutEffectAreSaid() throws {
        func warnings(_ stages: String) throws -> [String] {
            let text = "stages:\n- synthesize\n- decompress\n- unproject\n- voxel-downsample\n\(stages)\n- write-ply\n"
            let warnings = try Pipeline.load(text: text, path: "p.yaml", library: .builtIn).warnings.map(\.summary)
            return warnings.filter { !$0.hasPrefix("`filter-motion` drops frames that `voxel-downsample` above it") }
        }
        #expect(
            try warnings("- crop: {above: 1, centre: focus, from: origin}") == [
                "`centre` has an effect only with `around`"
            ])
        #expect(
            try warnings("- crop: {around: 1, from: floor}") == ["`from` has an effect only with `above` or `below`"])
        #expect(try warnings("- crop: {around: 1, centre: focus, above: 0, from: origin}") == [])
        #expect(
            try warnings("- cull-by-box: {pixel-centre: half}") == [
                "`pixel-centre` has an effect only with `depth: true`"
            ])
        #expect(
            try warnings("- write-contact-sheet: {near: 1}\n- write-frames: {depth: none, rounding: multiscan}") == [
                "`near` has an effect only with `of: depth`", "`rounding` has an effect only with `depth: png16`",
            ])
        #expect(
            try warnings(
                "- render-cloud: {cloud: false, point-size: 3}\n- predict-blur\n- filter-motion: {blur: 9, jump-speed: 2}"
            )
                == [
                    "`point-size` has an effect only with `cloud: true`",
                    "`jump-speed` has an effect only with `speed`, `turning` or `after-jump`",
                ])
    }

    /// A file need not change for what is set on the command line.
    @Test func whatASettingLeavesWithoutEffectIsNoMistake() throws {
        func warnings(_ stages: String, _ setting: String) throws -> [String] {
            let text = "stages:\n- read\n\(stages)\n"
            let pipeline = try Pipeline.load(text: text, path: "p.yaml", settings: [setting], library: .builtIn)
            return pipeline.warnings.map(\.summary)
        }
        let masks = "- write-transforms: {masks: silhouette, mask-margin: 0.02, mask-as: alpha}"
        #expect(
            try warnings(masks, "write-transforms.masks=none") == [
                "`mask-margin` has an effect only with `masks: silhouette` and `masks: depth`",
                "`mask-as` has an effect only with masks",
            ])
        let every = "- select-every: {step: 2, offset: 1}\n- write-transforms"
        #expect(
            try warnings(every, "select-every.count=3") == [
                "`offset` has an effect only with `step`, not with `count`"
            ])
        let both = "`mask-margin` goes with `masks: silhouette` and `masks: depth`; take it out"
        #expect(PipelineRun.mistakes("- read\n- write-transforms: {mask-margin: 0.02}") == [both])
        let size = "- decompress\n- write-transforms: {depth: true, depth-size: map}"
        #expect(
            try warnings(size, "write-transforms.dialect=instant-ngp") == [
                "`depth-size` has an effect only with `dialect: nerfstudio`"
            ])
        #expect(
            try warnings(size, "write-transforms.depth=false").contains(
                "`depth-size` has an effect only with `depth: true`"))
        let bottom = both.replacing("margin", with: "bottom")
        #expect(PipelineRun.mistakes("- read\n- write-transforms: {mask-bottom: 0.02}") == [bottom])
    }

    /// Each with what to do about it.
    @Test(arguments: [
        ("write-contact-sheet: {near: 1000}", "`near`, 1000, is not below `far`", "set a smaller `near`"),
        ("select-time: {from: 3, to: 2}", "`from: 3` is after `to: 2`", "swap them"),
        ("write-transforms: {test-every: 1}", "`test-every: 1` leaves no", "or none with  test-every: 0"),
        ("write-ply: {file: a.obj}", "`file` does not end in .ply", "a path such as clouds/{id}.ply"),
        ("downscale: {factors: []}", "`factors` is empty", "for example  factors: [2]"),
        ("downscale: {factors: [2, 2]}", "`factors` holds a number twice", "keep one of them"),
        ("select-every: {count: 3, offset: 1}", "`offset` goes with `step`, not with `count`", "take it out"),
        ("crop: {above: 2, below: 1}", "`above: 2` and `below: 1` leave nothing", "swap them"),
        ("voxel-downsample: {size 0.01}", "`voxel-downsample` has no option `size 0.01`", "write  {size: 0.01}"),
    ]) func mistakesComeWithAFix(_ stage: String, _ summary: String, _ fix: String) {
        let mistakes = PipelineRun.mistakes("- read\n- \(stage)")
        #expect(mistakes.contains { $0.hasPrefix(summary) && $0.hasSuffix(fix) }, "\(mistakes)")
    }

    /// Options of pictures, where a writer makes none, or none of this kind.
    @Test(arguments: [
        ("write-staging: {rgb: mp4, color: png}", "`color` has an effect only where pictures are files"),
        ("write-staging: {rgb: mp4, quality: 50}", "`quality` has an effect only where pictures are files"),
        ("write-scannet: {layout: raw, quality: 50}", "`quality` has an effect only where pictures are files"),
        ("write-scannet: {layout: raw, number: kept}", "`number` has an effect only where pictures are files"),
        ("write-capture: {format: stray-scanner, quality: 50}", "`quality` has an effect only where JPEGs are written"),
        ("write-capture: {format: polycam, quality: 50}", ""),
        ("write-frames: {color: none, quality: 50}", "`quality` has an effect only where JPEGs are written"),
        ("write-colmap: {color: png, quality: 50}", "`quality` has an effect only where JPEGs are written"),
        ("write-colmap: {quality: 50}", ""),
        (
            "write-transforms: {test-every: 4, keep-split: false}",
            "`keep-split` has an effect only with `test-every: 0`"
        ),
        (
            "render-cloud: {view: front, ceiling: show}",
            "`ceiling` has an effect only in views from above, with `cloud: true`"
        ),
        ("render-cloud: {view: perspective, ceiling: show}", ""),
    ]) func optionsOfPictures(_ stage: String, _ warning: String) throws {
        let said = try warnings(of: "- synthesize\n- decompress\n- unproject\n- voxel-downsample\n- \(stage)")
            .filter { $0.contains("has an effect") }
        #expect(said == (warning.isEmpty ? [] : [warning + "; take it out"]))
    }
}
