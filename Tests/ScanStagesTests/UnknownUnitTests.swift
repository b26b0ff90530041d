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
        ("select-keyframes: {distance: 2}", "select-keyframes", "2 m may be anything"),
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

    /// Cameras half round a block of points that stands on the ground.
    private static var block: MemoryCapture {
        var items = (0..<12).map { number in
            let place = Vector3(0, 1, 0) + Matrix3.rotation(aboutY: Double(number) / 11 * .pi) * Vector3(0, 0, 1.5)
            return MemoryCapture.Item(pose: .camera(at: place, lookingAt: .zero))
        }
        var positions: [Float] = []
        for n in 0..<1000 { positions += [Float(n % 10), Float(n / 10 % 10), Float(n / 100)].map { 0.02 * $0 - 0.09 } }
        for n in 0..<900 { positions += [Float(n % 30) * 0.04 - 0.6, -0.09, Float(n / 30) * 0.04 - 0.6] }
        items[0].points = PointCloud(positions: positions)
        var capture = MemoryCapture(items)
        capture.box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(0.1, 0.1, 0.1))
        return capture
    }

    /// Programs take the figures of a receipt for metres unless it says otherwise.
    @Test(arguments: [
        ("find-floor", "height"), ("fit-box", "box-size"), ("report-coverage", "distance"),
        ("crop: {around: 9, centre: focus}", "focus"),
    ]) func figuresOfReceipts(stage: String, figure: String) throws {
        var capture = Self.block
        func counts() throws -> JSONObject {
            try StageRun("- voxel-downsample: {size: 0.001}\n- \(stage)", on: capture)
                .counts(String(stage.prefix { $0 != ":" }))
        }
        let metric = try counts()
        #expect(metric[figure] != nil && metric["is-metric"] == nil, "\(metric)")
        capture.isMetric = false
        let unknown = try counts()
        #expect(unknown[figure] != nil && unknown["is-metric"] == .bool(false), "\(unknown)")
    }
}
