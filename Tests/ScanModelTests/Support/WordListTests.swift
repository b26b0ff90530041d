import ScanModel
import Testing

@Suite struct WordListTests {
    @Test func numbersAndVerbsAgree() {
        #expect([0, 1, 2].map { $0.counted("frame") } == ["0 frames", "1 frame", "2 frames"])
        #expect(Int64(1).counted("byte") == "1 byte" && UInt64.max.counted("byte") == "18446744073709551615 bytes")
        let sentences = [0, 1, 2].map { $0.counted("frame", "is", "are") }
        #expect(sentences == ["0 frames are", "1 frame is", "2 frames are"])
    }
}
