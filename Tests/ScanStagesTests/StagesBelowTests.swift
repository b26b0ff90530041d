import ScanModel
import TestSupport
import Testing

/// What a stage makes depends on the stages above it alone, whichever passes the stages below it make of the run.
@Suite struct StagesBelowTests {
    private static let scene =
        "- synthesize: {frames: 12, lap: 3, rate: 5, blur-every: 2, picture-width: 96, picture-height: 72, "
        + "depth-width: 48, depth-height: 36}\n- decompress\n"
    private static let cloud = scene + "- unproject\n- voxel-downsample: {size: 0.01}\n"

    private static func run(_ stages: String) throws -> StageRun {
        try StageRun(stages, reading: "nowhere/scene", probing: [])
    }

    private func expectTheSame(_ stage: String, above below: String) throws {
        let label = String(stage.prefix { $0 != ":" })
        let alone = try Self.run("\(Self.cloud)- \(stage)")
        let run = try Self.run("\(Self.cloud)- \(stage)\n\(below)")
        #expect(run.counts(label) == alone.counts(label))
        #expect(run.files == alone.files)
        for file in alone.files { #expect(try run.bytes(file) == alone.bytes(file), "\(file)") }
    }

    /// A filter that drops half of the frames while they go by. It is refused below writers of what is kept, but not
    /// below those of pictures to look at.
    @Test(arguments: [
        "crop: {around: 0.6}", "crop: {around: 0.6, centre: focus}", "find-floor", "cull-by-box",
        "fit-box", "check-geometry", "measure-motion", "measure-depth", "predict-blur: {exposure: 10}",
        "report-coverage", "render-cloud: {width: 160, height: 120}", "mask-confidence: {at-least: 2}", "mask-jumps",
        "write-contact-sheet", "write-thumbnail",
    ]) func aFilterBelowChangesNothing(_ stage: String) throws {
        let scored = try Self.run(Self.scene + "- measure-blur")
        let scores = (scored.counts("measure-blur")["scores"]?.array ?? []).compactMap { $0["score"]?.double }.sorted()
        try #require(scores.count == 12 && scores[5] < scores[6])
        try expectTheSame(stage, above: "- filter-blur: {at-least: \((scores[5] + scores[6]) / 2)}")
    }

    /// One that asks for the frames' points although there is a cloud.
    @Test(arguments: [
        "crop: {around: 0.6}", "cull-by-box", "render-cloud: {width: 160, height: 120}", "write-ply", "write-tum",
        "write-capture: {format: polycam}", "write-transforms", "write-transforms: {dialect: instant-ngp}",
        "crop: {around: 0.6}\n- write-transforms: {dialect: instant-ngp}", "write-colmap",
        "write-staging: {rgb: frames}",
        "write-scannet", "write-sens", "write-zip", "write-frames",
    ]) func aCoarserCloudBelowChangesNothing(_ stage: String) throws {
        try expectTheSame(stage, above: "- voxel-downsample: {size: 0.05}")
    }
}
