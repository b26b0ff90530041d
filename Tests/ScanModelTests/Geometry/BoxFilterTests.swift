import ScanModel
import TestSupport
import Testing

@Suite struct BoxFilterTests {
    private let cube = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(1, 1, 1))

    private func cloud(_ count: Int, _ seed: UInt64, colors: Bool = true) -> PointCloud {
        var dice = SplitMix(seed: seed)
        return PointCloud(
            positions: (0..<3 * count).map { _ in Float.random(in: -2...2, using: &dice) },
            colors: colors ? (0..<3 * count).map { UInt8(truncatingIfNeeded: $0) } : nil)
    }

    @Test func keepsTheOrderAndTheColours() {
        let cloud = PointCloud(
            positions: [0, 0, 0, 3, 0, 0, 1, 1, 1, 0, -1.5, 0], colors: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
        #expect(cube.filter(cloud) == PointCloud(positions: [0, 0, 0, 1, 1, 1], colors: [1, 2, 3, 7, 8, 9]))
        #expect(
            cube.filter(cloud, keepInside: false)
                == PointCloud(positions: [3, 0, 0, 0, -1.5, 0], colors: [4, 5, 6, 10, 11, 12]))
        #expect(cube.selection(cloud, keepInside: true) == [0, 2])
        #expect(cube.selection(cloud, keepInside: false) == [1, 3])
        #expect(cube.filter(PointCloud(positions: [0, 0, 0])).colors == nil)
    }

    @Test func keepsTheNormals() {
        let cloud = PointCloud(positions: [0, 0, 0, 3, 0, 0, 1, 1, 1], normals: [1, 0, 0, 0, 1, 0, 0, 0, 1])
        #expect(
            cube.filter(cloud) == PointCloud(positions: [0, 0, 0, 1, 1, 1], normals: [1, 0, 0, 0, 0, 1]))
    }

    @Test func nothingAndEverything() {
        #expect(cube.filter(PointCloud()) == PointCloud())
        #expect(cube.filter(PointCloud(positions: [], colors: [])) == PointCloud(positions: [], colors: []))
        let all = PointCloud(positions: Array(repeating: 0.5, count: 30))
        #expect(cube.filter(all) == all)
        #expect(cube.filter(all, keepInside: false).count == 0)
    }

    @Test func agreesWithTheDefinitionInDoublePrecision() {
        var dice = SplitMix(seed: 8)
        for round in 0..<20 {
            let box = OrientedBox(
                center: .random(&dice), worldFromBox: Quaternion.random(&dice).matrix,
                halfSize: Vector3(0.5, 0.8, 1.1), floor: round % 2 == 0 ? nil : -0.2)
            let cloud = cloud(2000, UInt64(round))
            let chosen = Set(box.selection(cloud, keepInside: true))
            for i in 0..<cloud.count {
                let p = Vector3(
                    Double(cloud.positions[3 * i]), Double(cloud.positions[3 * i + 1]),
                    Double(cloud.positions[3 * i + 2]))
                // Points within 1e-6 m of a face may fall on either side.
                if box.grown(by: 1e-6, bottom: 1e-6).contains(p) != box.grown(by: -1e-6, bottom: -1e-6).contains(p) {
                    continue
                }
                #expect(chosen.contains(Int32(i)) == box.contains(p))
            }
        }
    }

    @Test func whatIsInsideAndWhatIsOutsideMakeTheWhole() {
        let cloud = cloud(5000, 9)
        let inside = cube.selection(cloud, keepInside: true)
        let outside = cube.selection(cloud, keepInside: false)
        #expect((inside + outside).sorted() == (0..<5000).map { Int32($0) })
        #expect(cube.filter(cloud).count == inside.count)
    }

    @Test func pointsThatAreNoNumbersAreOutside() {
        let cloud = PointCloud(positions: [.nan, 0, 0, 0, .nan, 0, 0, 0, .infinity, 0, 0, 0])
        #expect(cube.selection(cloud, keepInside: true) == [3])
        var cut = cube
        cut.floor = -0.5
        #expect(cut.selection(cloud, keepInside: true) == [3])
    }
}
