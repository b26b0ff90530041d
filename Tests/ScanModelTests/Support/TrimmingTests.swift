import ScanModel
import Testing

@Suite struct TrimmingTests {
    @Test(arguments: [("a b  ", "a b"), ("  a", "  a"), ("  ", ""), ("", ""), ("é ", "é")])
    func onlyTheEndIsDropped(_ text: String, _ left: String) {
        #expect(text.dropLast { $0 == " " } == left)
        #expect(text[...].dropLast(while: \.isWhitespace) == left)
    }
}
