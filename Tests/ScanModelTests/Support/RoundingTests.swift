import ScanModel
import Testing

@Suite struct RoundingTests {
    @Test func theNearestNumberWithSoManyDecimals() {
        #expect(1234.5678.rounded(decimals: 0) == 1235)
        #expect(1234.5678.rounded(decimals: 1) == 1234.6)
        #expect((-1234.5678).rounded(decimals: 3) == -1234.568)
        #expect(0.125.rounded(decimals: 2) == 0.13)
        #expect((-0.125).rounded(decimals: 2) == -0.13)
        #expect(Double.infinity.rounded(decimals: 2) == .infinity)
        #expect(Double.nan.rounded(decimals: 2).isNaN)
        #expect(1e308.rounded(decimals: 6) == 1e308 && (-1e308).rounded(decimals: 1) == -1e308)
    }

    @Test func shortNumbers() {
        #expect((1.0 / 3).shortText == "0.333")
        #expect(12.0005.shortText == "12.001")
        #expect(5.0.shortText == "5")
        #expect(99.9999.shortText == "100")
    }

    @Test func theNearestNumberWithSoManyDigits() {
        #expect(1234.5678.rounded(digits: 2) == 1200)
        #expect((-0.0012345).rounded(digits: 3) == -0.00123)
        #expect(0.0996.rounded(digits: 2) == 0.1)
        #expect(0.0.rounded(digits: 4) == 0)
        #expect(Double.infinity.rounded(digits: 2) == .infinity)
        #expect(0x1p-1040.rounded(digits: 2) == 0x1p-1040)
    }

    /// As on a drawing: never in powers of ten.
    @Test func shortNumbersOfSoManyDigits() {
        let values = [0, 0.05, 0.0123, 1.5, 9.96, 12, 130.4, 0.0000123, 0.0000001, 1234567]
        let expected = ["0", "0.05", "0.012", "1.5", "10", "12", "130", "0.000012", "0", "1234567"]
        #expect(values.map { $0.shortText(digits: 2) } == expected)
        #expect(4.0.shortText(decimals: 2) == "4" && 0.304.shortText(decimals: 2) == "0.3")
        #expect((-0.001).shortText(decimals: 2) == "0" && 1e300.shortText == "1e+300")
        #expect(0.0000123.shortText(decimals: 6) == "0.000012")
    }

    @Test func soManyDecimals() {
        #expect(2.0.fixedText(decimals: 2) == "2.00")
        #expect((-0.001).fixedText(decimals: 2) == "0.00")
        #expect((-1.005).fixedText(decimals: 1) == "-1.0")
        #expect((-0.75).fixedText(decimals: 2) == "-0.75")
        #expect(0.0625.fixedText(decimals: 3) == "0.063")
        #expect(7.5.fixedText(decimals: 0) == "8")
        #expect(Double.infinity.fixedText(decimals: 1) == "inf")
    }

    @Test func thousandsApart() {
        #expect(0.groupedText() == "0")
        #expect(999.groupedText() == "999")
        #expect(1000.groupedText() == "1,000")
        #expect((-1_234_567).groupedText(separator: " ", minus: "−") == "−1 234 567")
    }
}
