import ScanFormats
import Testing

@Suite struct DecimalSecondsTests {
    @Test(arguments: [
        ("1305031102.175304", 1_305_031_102_175_304_000), ("0", 0), ("-1.5", -1_500_000_000), ("+2.", 2_000_000_000),
        (".25", 250_000_000), ("1.0000000019", 1_000_000_002), ("1.00000000049", 1_000_000_000),
        ("1.0000000005", 1_000_000_001),
        ("1.9999999999", 2_000_000_000), ("12345.6e-1", 1_234_560_000_000),
        ("3999999999.999999999", 3_999_999_999_999_999_999),
        ("000001.5", 1_500_000_000),
    ]) func whatATextMeans(_ text: String, _ nanoseconds: Int) {
        #expect(DecimalSeconds.nanoseconds(text) == Int64(nanoseconds))
    }

    @Test(arguments: [
        "", ".", "-", "1.2.3", "nan", "inf", "0x10", "4000000000", "99999999999999999999", "1e10", "1e999", "1 2", "１",
        "--1", "1-1",
    ]) func whatIsNoTime(_ text: String) { #expect(DecimalSeconds.nanoseconds(text) == nil) }

    @Test func timesAreWrittenWithSoManyDigits() {
        #expect(DecimalSeconds.text(1_305_031_102_175_304_499, places: 6) == "1305031102.175304")
        #expect(DecimalSeconds.text(1_305_031_102_175_304_500, places: 6) == "1305031102.175305")
        #expect(DecimalSeconds.text(1_999_999_999, places: 3) == "2.000")
        #expect(DecimalSeconds.text(-1_500_000, places: 3) == "-0.002")
        #expect(DecimalSeconds.text(-1, places: 3) == "0.000")
        #expect(DecimalSeconds.text(5, places: 9) == "0.000000005")
        #expect(DecimalSeconds.text(.min, places: 9) == "-9223372036.854775808")
        #expect(DecimalSeconds.rounded(1_499_999, places: 3) == 1_000_000)
        #expect(DecimalSeconds.rounded(-1_500_000, places: 3) == -2_000_000)
    }

    @Test func theyComeBack() {
        for time: Int64 in [0, 1, 999_999_999, 1_000_000_000, 123_456_789_012_345_678] {
            #expect(DecimalSeconds.nanoseconds(DecimalSeconds.text(time, places: 9)) == time)
        }
    }
}
