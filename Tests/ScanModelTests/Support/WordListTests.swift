import ScanModel
import Testing

@Suite struct WordListTests {
    @Test func numbersAndVerbsAgree() {
        #expect([0, 1, 2].map { $0.counted("frame") } == ["0 frames", "1 frame", "2 frames"])
        #expect(Int64(1).counted("byte") == "1 byte" && UInt64.max.counted("byte") == "18446744073709551615 bytes")
        let plurals = ["poses", "camera lines", "lines in poses", "slices of 9 points"]
        #expect(
            plurals.map { 1.counted(plural: $0) }
                == ["1 pose", "1 camera line", "1 line in poses", "1 slice of 9 points"])
        #expect(plurals.map { 0.counted(plural: $0) } == plurals.map { "0 \($0)" })
        let sentences = [0, 1, 2].map { $0.counted("frame", "is", "are") }
        #expect(sentences == ["0 frames are", "1 frame is", "2 frames are"])
        let parts = [0, 1, 2].map { $0.counted(of: 3, "frame", "is", "are") }
        #expect(parts == ["0 of 3 frames are", "1 of 3 frames is", "2 of 3 frames are"])
        #expect(1.counted(of: Int64(1), "byte", "is", "are") == "1 of 1 byte is")
    }
}
