import ScanModel
import TestSupport
import Testing

@Suite struct DecimalTests {
    private func float(_ text: String) -> Float? {
        var text = text
        return text.withUTF8 { Float(text: $0) }
    }

    /// The bits, since −0 and 0 are equal, and not-a-number is not.
    private func isSame(_ text: String) -> Bool {
        float(text)?.bitPattern == Float(text)?.bitPattern
    }

    private static let numbers = [
        "0", "-0", "0.0", "+1", "1.", ".5", "-.5", "1e3", "1E+3", "1e-3", "12.5e2", "0.1", "1e-40", "1e-46", "1e39",
        "1e400",
        "3.4028235e38", "3.4028236e38", "-1e400", "1e-400", "nan", "-inf", "inf", "0x1p3", "16777217", "1.17549435e-38",
        "33554433.0000001", "123456789012345678901234567890", "0.00000000000000000000000000000000000000000000001",
    ]

    @Test(arguments: numbers) func readsWhatTheStandardLibraryReads(text: String) {
        #expect(float(text) != nil)
        #expect(isSame(text), "\(text): \(float(text) ?? .nan)")
    }

    private static let others = [
        "", ".", "-", "+", "e", "1e", "1e+", ".e1", "1.2.3", "--1", "1-", "1 ", "1,5", "abc", "1e5x", "é",
    ]

    @Test(arguments: others) func refusesWhatIsNoNumber(text: String) {
        #expect(float(text) == nil)
        #expect(Float(text) == nil)
    }

    @Test func randomNumbersAreRoundedOnce() {
        var dice = SplitMix(seed: 7)
        for _ in 0..<20_000 {
            let float = Float(bitPattern: UInt32.random(in: 0..<0x7F80_0000, using: &dice))
            #expect(isSame("\(float)"))
            // Half-way to the next one, just below and just above: rounding to a double first would lose the difference.
            let middle = (Double(float) + Double(float.nextUp)) / 2
            let text = "\(middle)"
            if !text.contains("e"), text.contains(".") {
                #expect(isSame(text))
                #expect(isSame(text + "0000000000000001"))
                #expect(isSame(text + "1"))
            }
            let digits = "\(UInt64.random(in: .min ... .max, using: &dice))"
            #expect(isSame(digits))
            #expect(isSame("-" + digits.prefix(9) + "." + digits.suffix(7)))
            #expect(isSame("0." + digits + "e\(Int.random(in: -50...40, using: &dice))"))
        }
    }
}
