import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import Synchronization
import TestSupport
import Testing

/// The whole job on real captures, against figures that others computed (numpy in double precision, OpenCV, the
/// sharpness that instant-ngp publishes). No figure stands here: all come from the files beside the captures.
@Suite(.enabled(if: SharedData.isThere))
struct ReferenceTests {
    private static let captures = ["office", "office-video"]
    private static let masks = "- mask-confidence: {at-least: 2}\n- mask-range: {near: 0.1, far: 10}\n"

    @Test(arguments: captures)
    func pointsInTheBoxAndVoxels(name: String) throws {
        let expected = try Expected(name)
        let run = try Job(
            """
            - read
            - decompress
            \(Self.masks)- unproject: {color: false}
            - tally: {name: all}
            - cull-by-box
            - tally: {name: inside}
            - voxel-downsample: {size: 0.02}
            """, on: name)
        try expect(run.tally("all"), expected, "points_k2")
        try expect(run.tally("inside"), expected, "inside_box_k2")
        #expect(run.tally("all").perFrame == (try expected.integers("valid_k2_per_frame")))
        #expect(run.count("mask-range", "pixels-out") == (try expected.integer("valid", "k2")))
        #expect(run.count("unproject", "points") == (try expected.integer("points_k2", "count")))
        let near = try expected.integer("points_within_1e_6_m_of_a_face")
        #expect(abs(run.count("cull-by-box", "points-out") - (try expected.integer("points_k2", "inside_obb"))) <= near)
        #expect(
            run.count("voxel-downsample", "voxels")
                == (try expected.integer("voxel_2cm_counts", "inside_k2_world_origin")))
    }

    @Test(arguments: captures)
    func voxelsOfEverything(name: String) throws {
        let run = try Job(
            "- read\n- decompress\n\(Self.masks)- unproject: {color: false}\n- voxel-downsample: {size: 0.02}", on: name
        )
        #expect(
            run.count("voxel-downsample", "voxels")
                == (try Expected(name).integer("voxel_2cm_counts", "all_k2_world_origin")))
    }

    @Test(arguments: captures)
    func withoutPixelsThatJump(name: String) throws {
        let expected = try Expected(name)
        let run = try Job(
            """
            - read
            - decompress
            - mask-jumps: {max: 0.05, within: 1000}
            \(Self.masks)- tally: {name: all}
            - unproject: {color: false}
            - cull-by-box
            - voxel-downsample: {size: 0.02}
            """, on: name)
        #expect(run.count("mask-range", "pixels-out") == (try expected.integer("valid", "k2_delta")))
        #expect(run.count("mask-jumps", "frames-without-previous") == 1)
        #expect(
            run.count("voxel-downsample", "voxels")
                == (try expected.integer("voxel_2cm_counts", "inside_k2_delta_world_origin")))
        #expect(run.tally("all").millimetres == (try expected.integer("depth_png16_mm_sum_k2_delta", "round")))
    }

    @Test(arguments: captures, [0, 1])
    func lowerLevels(name: String, level: Int) throws {
        let run = try Job(
            "- read\n- decompress\n- mask-confidence: {at-least: \(level)}\n- mask-range: {near: 0.1, far: 10}",
            on: name)
        #expect(run.count("mask-range", "pixels-out") == (try Expected(name).integer("valid", "k\(level)")))
    }

    @Test(arguments: captures)
    func sharpness(name: String) throws {
        let run = try Job("- read\n- filter-blur: {at-least: 0}", on: name)
        expect(run.scores, near: try Expected(name).numbers("blur", "per_frame"))
    }

    @Test func sharpnessOfTheFox() throws {
        let run = try Job("- read\n- filter-blur: {at-least: 0}", on: "fox")
        let data = try Data(contentsOf: URL(fileURLWithPath: SharedData.path("fox.expected-sharpness.json")))
        let list = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        // The list is in the order of the pictures' numbers, and so are the frames.
        expect(run.scores, near: list.compactMap { $0["published_sharpness"] as? Double })
        #expect(run.scores.count == 13)
    }

    private func expect(_ found: [Double], near expected: [Double]) {
        #expect(found.count == expected.count)
        for (frame, (a, b)) in zip(found, expected).enumerated() where abs(a - b) > 1e-9 * b {
            Issue.record("frame \(frame): \(a), not \(b)")
        }
    }

    private func expect(_ tally: Tally.Sum, _ expected: Expected, _ key: String) throws {
        #expect(tally.count == (try expected.integer(key, "count")))
        let table = [("mean", tally.mean), ("min", tally.low), ("max", tally.high)]
        for (name, found) in table {
            let wanted = try expected.numbers(key, name)
            #expect(wanted.count == 3)
            #expect(zip(found, wanted).allSatisfy { abs($0 - $1) < 1e-5 }, "\(key).\(name): \(found), not \(wanted)")
        }
    }
}

/// An `….expected.json`.
private struct Expected {
    private let root: [String: Any]
    private let name: String

    init(_ name: String) throws {
        self.name = "\(name).expected.json"
        root = try SharedData.expected(self.name)
    }

    private func value(_ path: [String]) -> Any? {
        path.reduce(root as Any?) { value, key in (value as? [String: Any])?[key] }
    }

    func integer(_ path: String...) throws -> Int { try #require(value(path) as? Int, "\(path) in \(name)") }
    func integers(_ path: String...) throws -> [Int] { try #require(value(path) as? [Int], "\(path) in \(name)") }
    func numbers(_ path: String...) throws -> [Double] { try #require(value(path) as? [Double], "\(path) in \(name)") }
}

/// A pipeline taken over one of the real captures, in this process.
private struct Job {
    let receipt: Receipt
    private let log = Tally.Log()

    init(_ stages: String, on name: String) throws {
        let log = log
        let entry = StageLibrary.Entry(card: Tally.card) { Tally(&$0, log) }
        let pipeline = try Pipeline.load(
            text: "stages:\n\(stages)\n", path: "reference.yaml",
            library: StageLibrary(StageLibrary.builtIn.entries + [entry]))
        let folder = try TemporaryFolder()
        let output = try OutputFolder(root: folder.path, id: name)
        defer { output.abandon() }
        receipt = try Runner(pipeline: pipeline, workers: 2, tool: "test")
            .run(CaptureInput(id: name, path: SharedData.path(name)), into: output)
    }

    func tally(_ name: String) -> Tally.Sum { log.sums[name] ?? Tally.Sum() }

    /// What a stage counted; −1 when it did not.
    func count(_ stage: String, _ name: String) -> Int {
        let counts = receipt.stages.first { $0.label == stage }?.counts
        return counts?[name]?.integer.map { Int($0) } ?? -1
    }

    var scores: [Double] {
        let scores = receipt.stages.first { $0.label == "filter-blur" }?.counts["scores"]?.array ?? []
        return scores.compactMap { $0["score"]?.double }
    }
}

/// Sums up the points and the depth that pass by.
private struct Tally: FoldStage {
    static let card = StageCard(name: "tally", summary: "Sum up.", details: "For tests.", example: "- tally")

    struct Sum: Sendable {
        var count = 0
        var total = [0.0, 0, 0]
        var low = [Double](repeating: .infinity, count: 3)
        var high = [Double](repeating: -.infinity, count: 3)
        var perFrame: [Int] = []
        /// The sum of all depths in whole millimetres.
        var millimetres = 0

        var mean: [Double] { total.map { $0 / Double(count) } }
    }

    final class Log: Sendable {
        private let state = Mutex([String: Sum]())
        var sums: [String: Sum] { state.withLock(\.self) }
        func keep(_ name: String, _ sum: Sum) { state.withLock { $0[name] = sum } }
    }

    private let name: String
    private let log: Log

    init(_ options: inout OptionReader) { self.init(&options, Log()) }

    init(_ options: inout OptionReader, _ log: Log) {
        name = options.text("name", "What the sum is called.", default: "sum")
        self.log = log
    }

    var uses: Uses { Uses(fold: .init(wants: [.points, .depth])) }

    func begin(_ context: StageContext) -> Sum { Sum() }

    func fold(_ frame: inout Frame, into sum: inout Sum, in context: StageContext) {
        let positions = frame.points?.positions ?? []
        sum.perFrame.append(positions.count / 3)
        sum.count += positions.count / 3
        var (total, low, high) = (sum.total, sum.low, sum.high)
        for i in stride(from: 0, to: positions.count, by: 3) {
            for axis in 0..<3 {
                let value = Double(positions[i + axis])
                total[axis] += value
                low[axis] = min(low[axis], value)
                high[axis] = max(high[axis], value)
            }
        }
        (sum.total, sum.low, sum.high) = (total, low, high)
        if let depth = frame.depth {
            sum.millimetres += DepthCodec.millimetres(depth, rounding: .nearest).image.pixels.reduce(0) { $0 + Int($1) }
        }
    }

    func end(_ sum: consuming Sum, _ capture: inout Capture, in context: StageContext) { log.keep(name, sum) }
}
