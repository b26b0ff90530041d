import ScanPipeline
import Testing

@Suite struct OptionValueTests {
    @Test func texts() {
        #expect(OptionValue(.scalar("a")).texts == ["a"])
        #expect(OptionValue(.list(["a", "b"])).texts == ["a", "b"])
        #expect(OptionValue(.other("mapping")).texts == [])
    }
}
