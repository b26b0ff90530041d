import ScanModel
import Testing

@Suite struct FrameNameTests {
    @Test func namesSortAsTextInTheOrderOfTheFrames() {
        #expect(FrameName.padded(0) == "000000")
        #expect(FrameName.padded(42) == "000042")
        #expect(FrameName.padded(999_999) == "999999")
        #expect(FrameName.padded(1_234_567) == "1234567")
        let names = (0..<3000).map { FrameName.padded($0 * 7) }
        #expect(names == names.sorted())
    }
}
