import ScanModel
import TestSupport
import Testing

/// What is said where a length in metres meets a world whose unit nobody knows.
@Suite struct UnknownUnitTests {
    @Test(arguments: [
        ("mask-range: {near: 0.5, far: 4}", "mask-range", "0.5 to 4 m may be anything"),
        ("mask-jumps", "mask-jumps", "0.05 m may be anything"),
        ("unproject\n- voxel-downsample: {size: 0.5}", "voxel-downsample", "a voxel of 0.5 m may be anything"),
        (
            "fuse-depth: {voxel: 0.1, min-piece: 0}\n- sample-mesh: {spacing: 0.2}", "sample-mesh",
            "0.2 m between points may be anything"
        ),
    ]) func lengths(stages: String, name: String, consequence: String) throws {
        // 8 × 6 pixels at 1 m.
        var capture = MemoryCapture(
            (0..<3).map { _ in .init(depth: Array(repeating: 1, count: 48), height: 6) })
        let text = "\(name): the world's unit is unknown: \(consequence)"
        func warnings() throws -> [String] { try StageRun("- \(stages)", on: capture).warnings }
        #expect(try !warnings().contains(text))
        capture.isMetric = false
        let said = try warnings()
        #expect(said.contains(text), "\(said)")
    }
}
