import ScanModel
import Testing

@Suite struct PointCloudTests {
    @Test func threeNumbersAreOnePoint() {
        #expect(PointCloud().count == 0)
        #expect(PointCloud(positions: [1, 2, 3, 4, 5, 6]).count == 2)
        #expect(PointCloud(positions: [1, 2, 3], colors: [4, 5, 6]) != PointCloud(positions: [1, 2, 3]))
    }

    /// Single precision holds 24 bits: steps of 2⁻³ m beyond 2²⁰ m.
    @Test func pointsFarFromTheOriginAreCoarse() {
        #expect(PointCloud().coarseness == nil)
        #expect(PointCloud(positions: [8000, 0, -16_000]).coarseness == nil)
        #expect(PointCloud.coarseness(at: Vector3(500_000, -5_400_000, 0))?.contains("5400 km") == true)
        #expect(PointCloud.coarseness(at: Vector3(0, 1_048_577, 0))?.contains("steps of 125 mm") == true)
        #expect(PointCloud.coarseness(at: Vector3(1e300, 0, 0)) == nil)
        #expect(PointCloud.coarseness(at: Vector3(.nan, 0, 1)) == nil)
    }
}
