import ScanFormats
import ScanModel
import TestSupport
import Testing

/// The committed samples of ScanNet's formats against the generator's own truth.
@Suite struct CommittedSamplesTests {
    private static let truth = """
        - synthesize: {frames: 12, rate: 3, picture-width: 128, picture-height: 96, depth-width: 64, \
        depth-height: 48, seed: 7}
        - decompress
        """

    /// A sample's path, its format, and by how much poses and depth may be off.
    struct Sample: Sendable {
        var path: String
        var format: String
        var poseError: Double?
        var depthError: @Sendable (Float) -> Float
    }

    private static let samples = [
        Sample(path: "scannet", format: "scannet", poseError: 1e-15) { _ in 0.00051 },
        Sample(path: "7-scenes/seq-01", format: "7-scenes", poseError: 1e-15) { _ in 0.00051 },
        Sample(path: "sens/sens.sens", format: "sens", poseError: 2.5e-7) { _ in 0.00051 },
        Sample(path: "sens", format: "sens", poseError: 2.5e-7) { _ in 0.00051 },
        Sample(path: "scannet-raw", format: "scannet-raw", poseError: nil) { $0 * $0 / 600 + 0.0011 },
    ]

    /// Motion that is made of records is no file that could be copied from its place.
    @Test(arguments: ["sens", "sens/sens.sens"]) func becomesAStagingCapture(_ path: String) throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/\(path)").path
        let run = try StageRun("- read\n- decompress\n- write-staging", reading: sample)
        for ending in [".rot", ".grav"] {
            let file = try #require(run.files.first { $0.hasSuffix(ending) })
            #expect(try run.bytes(file).count > 32)
        }
        let file = try #require(run.files.first { $0.hasSuffix(".json") })
        let metadata = try ScanMetadata(try JSONValue.parse(try run.bytes(file), file: file), file: file)
        #expect(metadata.colorStream?.frequency == 3)
    }

    @Test(arguments: samples) func isReadAsItWasMade(_ sample: Sample) throws {
        let truth = try StageRun(Self.truth, reading: "nowhere/room")
        let back = try StageRun(
            "- read\n- decompress", reading: SharedData.checkout.appendingPathComponent("samples/\(sample.path)").path)
        #expect(back.capture.format == sample.format)
        #expect(back.frames.count == 12 && back.warnings.isEmpty, "\(back.warnings)")
        for (one, other) in zip(truth.frames, back.frames) {
            if let limit = sample.poseError {
                let (before, after) = (try #require(one.pose), try #require(other.pose))
                let pairs = zip(before.columnMajor, after.columnMajor)
                #expect(pairs.allSatisfy { abs($0 - $1) <= limit })
            }
            let (before, after) = (try #require(one.depth), try #require(other.depth))
            // 7-Scenes has depth of the pictures' size.
            let factor = sample.format == "7-scenes" ? 2 : 1
            #expect((factor * before.width, factor * before.height) == (after.width, after.height))
            for (i, found) in after.metres.enumerated() {
                let metres = before.metres[i / after.width / factor * before.width + i % after.width / factor]
                #expect(abs(metres - found) <= sample.depthError(metres))
            }
        }
    }
}
