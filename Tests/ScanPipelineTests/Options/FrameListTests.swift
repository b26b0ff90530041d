import ScanPipeline
import Testing

@Suite struct FrameListTests {
    @Test(arguments: [
        ("3", 3...3), ("17-20", 17...20), (" 5 - 7 ", 5...7), ("\t3\r", 3...3), ("0", 0...0), ("8-8", 8...8),
        ("007", 7...7),
        ("0-9223372036854775807", 0...Int.max),
    ]) func parses(_ text: String, _ range: ClosedRange<Int>) {
        #expect(FrameList(parsing: [text]) == .ranges([range]))
    }

    @Test(arguments: [
        "", " ", "-", "-3", "3-", "7-5", "1-2-3", "--", "a", "1.5", "+3", "5 6", "1 - 2 3", "0x3", "1_0", "٣",
        "9223372036854775808", "0-99999999999999999999", "3\t4", "3 # three",
    ]) func refuses(_ text: String) {
        #expect(FrameList(parsing: [text]) == nil)
        #expect(FrameList(parsing: ["1", text]) == nil)
    }

    @Test func keepsOrderAndRepeats() {
        #expect(FrameList(parsing: ["9", "1-3", "2"]) == .ranges([9...9, 1...3, 2...2]))
        #expect(FrameList(parsing: []) == .ranges([]))
    }
}
