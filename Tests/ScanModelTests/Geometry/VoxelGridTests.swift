import ScanModel
import TestSupport
import Testing

@Suite struct VoxelGridTests {
    private func grid(_ positions: [Float], size: Double = 1) -> VoxelGrid {
        var grid = VoxelGrid(size: size)
        grid.add(PointCloud(positions: positions))
        return grid
    }

    @Test func cubesKeepTheOrderInWhichTheyWereMet() {
        let grid = grid([5.5, 0, 0, 0.5, 0, 0, 5.25, 0, 0, -0.5, 0, 0])
        #expect(grid.count == 3)
        #expect(grid.cloud().positions == [5.375, 0, 0, 0.5, 0, 0, -0.5, 0, 0])
        #expect(VoxelGrid(size: 1).cloud() == PointCloud())
    }

    @Test func mergingIsAddingWhereOrderAndSumsGo() {
        var dice = SplitMix(seed: 13)
        // Multiples of 1/1024: their sums are exact, so the order of adding cannot show.
        let parts = (0..<8).map { _ in
            PointCloud(
                positions: (0..<1500).map { _ in Float(Int.random(in: -3000...3000, using: &dice)) / 1024 },
                colors: (0..<1500).map { _ in UInt8.random(in: 0...255, using: &dice) })
        }
        var whole = VoxelGrid(size: 0.25)
        var merged = VoxelGrid(size: 0.25)
        for part in parts {
            whole.add(part)
            var grid = VoxelGrid(size: 0.25)
            grid.add(part)
            merged.merge(grid)
        }
        #expect(merged.count == whole.count)
        #expect(merged.cloud() == whole.cloud())
    }

    @Test func manyCubesAreAllFoundAgain() {
        // More than the table begins with, several times over, far apart and close together.
        var positions: [Float] = []
        for i in 0..<40_000 {
            positions += [Float(i % 200) - 100 + 0.5, Float(i / 200) + 0.5, Float(i % 7) * 1000 + 0.5]
        }
        let once = grid(positions)
        let twice = grid(positions + positions)
        #expect(once.count == 40_000)
        #expect(twice.count == 40_000)
        #expect(once.cloud().positions == positions)
        #expect(twice.cloud().positions == positions)
    }

    @Test func theWorldIsTwoMillionCubesWide() {
        // Cubes −(2²⁰ − 1) to 2²⁰ − 1.
        let ends: [Float] = [1_048_575.5, 0.5, 0.5, -1_048_575, 0.5, 0.5]
        #expect(grid(ends).cloud().positions == ends)
        let beyond = grid([1_048_576, 0, 0, -1_048_577, 0, 0, 0, .infinity, 0, 0, 0, .nan, 1e30, 0, 0, 0, 0, 0])
        #expect(beyond.outOfRange == 5)
        #expect(beyond.count == 1)
        var sum = beyond
        sum.merge(beyond)
        #expect(sum.outOfRange == 10)
    }

    @Test func colourIsThereWhenAnyPartHasIt() {
        var grid = grid([0.5, 0.5, 0.5])
        #expect(!grid.hasColor && grid.cloud().colors == nil)
        var colored = VoxelGrid(size: 1)
        colored.add(PointCloud(positions: [5, 5, 5], colors: [10, 20, 30]))
        grid.merge(colored)
        #expect(grid.hasColor)
        #expect(grid.cloud().colors?.suffix(3) == [10, 20, 30])
    }

    /// The direction of their sum, however many grids it is added up in; opposite ones leave none.
    @Test func normalsAreAdded() throws {
        let points = PointCloud(
            positions: [0.1, 0, 0, 0.2, 0, 0, 5.1, 0, 0, 5.2, 0, 0], normals: [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1])
        var whole = grid([5.5, 0, 0, 9.5, 0, 0])
        #expect(!whole.hasNormals && whole.cloud().normals == nil)
        var part = VoxelGrid(size: 1)
        part.add(points)
        whole.merge(part)
        whole.merge(grid([7.5, 0, 0]))
        let half = Float(0.5).squareRoot()
        #expect(whole.cloud().positions.count == 12)
        // Of the cubes at 5, 9, 0 and 7, in the order in which they were met.
        #expect(try #require(whole.cloud().normals) == [0, 0, 0, 0, 0, 0, half, half, 0, 0, 0, 0])
        #expect(whole.cloud().colors == nil)
        // A frame without points has no normals either, and yet says that points have them.
        var bare = grid([5.5, 0, 0])
        bare.add(PointCloud(normals: []))
        #expect(bare.cloud().normals == [0, 0, 0])
        part.merge(bare)
        #expect(part.cloud().normals == [half, half, 0, 0, 0, 0])
        // Enough cubes for the table to grow in between.
        var many = VoxelGrid(size: 1)
        for i in 0..<3000 {
            many.add(PointCloud(positions: [Float(i) + 0.5, 0, 0], normals: i.isMultiple(of: 2) ? [0, 1, 0] : nil))
        }
        let normals = try #require(many.cloud().normals)
        let heights = (0..<3000).map { normals[3 * $0 + 1] }
        let expected = (0..<3000).map { Float(1 - $0 % 2) }
        #expect(heights == expected)
    }

    /// The points may come from grids that are merged: what counts is their sum.
    @Test func voxelsWithTooFewPointsAreLeftOut() {
        var whole = grid([0.5, 0, 0, 5.5, 0, 0, 0.25, 0, 0])
        whole.merge(grid([5.25, 0, 0, 7.5, 0, 0, 0.75, 0, 0]))
        #expect(whole.cloud(minPoints: 1).count == 3)
        #expect(whole.cloud(minPoints: 2).positions == [0.5, 0, 0, 5.375, 0, 0])
        #expect(whole.cloud(minPoints: 3).positions == [0.5, 0, 0])
        #expect(whole.cloud(minPoints: 4) == PointCloud())
        whole.add(PointCloud(positions: [7.5, 0, 0, 9.5, 0, 0], colors: [10, 20, 30, 1, 1, 1]))
        #expect(whole.cloud(minPoints: 2).colors == [0, 0, 0, 0, 0, 0, 5, 10, 15])
    }

    @Test func millionsOfBrightPointsDoNotOverflow() {
        var grid = VoxelGrid(size: 1)
        let part = PointCloud(
            positions: Array(repeating: 0.5, count: 300_000), colors: Array(repeating: 255, count: 300_000))
        for _ in 0..<20 { grid.add(part) }
        #expect(grid.cloud() == PointCloud(positions: [0.5, 0.5, 0.5], colors: [255, 255, 255]))
    }
}
