import ScanModel
import Testing

@Suite struct RecordedDepthTests {
    @Test func bytesOfAPixel() {
        #expect(DepthEncoding.float16Metres.bytesPerPixel == 2)
        #expect(DepthEncoding.uint16(unitsPerMetre: 1000, mask: 0x1FFF).bytesPerPixel == 2)
        #expect(DepthEncoding.float32Metres.bytesPerPixel == 4)
    }
}
