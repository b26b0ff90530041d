import ScanModel
import Testing

@Suite struct PointCloudTests {
    @Test func threeNumbersAreOnePoint() {
        #expect(PointCloud().count == 0)
        #expect(PointCloud(positions: [1, 2, 3, 4, 5, 6]).count == 2)
        #expect(PointCloud(positions: [1, 2, 3], colors: [4, 5, 6]) != PointCloud(positions: [1, 2, 3]))
    }
}
