import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct JSONNumberTests {
    private func number(_ text: String) throws -> JSONNumber {
        try Array(text.utf8).withUnsafeBufferPointer { (buffer) throws(Problem) -> JSONNumber in
            var scanner = JSONScanner(buffer)
            let number = try scanner.number()
            try scanner.end()
            return number
        }
    }

    @Test func isCorrectlyRounded() throws {
        // The standard library's conversion is the reference: it is exact, and code of its own.
        var random = SplitMix(seed: 1)
        for round in 0..<200_000 {
            let digits = String(
                UInt64.random(in: 0...(.max), using: &random) >> UInt64.random(in: 0..<64, using: &random))
            let exponent = Int.random(in: -330...305, using: &random) / (round % 2 == 0 ? 10 : 1)
            let text = "\(digits).\(round % 7)e\(exponent)"
            let expected = try #require(Double(text))
            if expected.isFinite {
                #expect(try number(text).double.bitPattern == expected.bitPattern, "\(text)")
            } else {
                #expect(throws: Problem.self) { try number(text) }
            }
        }
    }

    @Test func roundsTiesToEven() throws {
        // Halfway between two doubles, just below, and just above, in each of the exact ways.
        for exponent in -26...3 {
            for offset: UInt64 in [0, 1, 2, 3] {
                let text = "\((UInt64(1) << 63) + 1024 * offset)e\(exponent)"
                #expect(try number(text).double == Double(text), "\(text)")
            }
        }
        #expect(try number("9007199254740993.0").double == 9_007_199_254_740_992)
        #expect(try number("9007199254740995.0").double == 9_007_199_254_740_996)
    }

    @Test func wholeNumbersStayWhole() throws {
        #expect(try number("280670466266040") == .integer(280_670_466_266_040))
        #expect(try number("-9223372036854775808") == .integer(.min))
        #expect(try number("9223372036854775807") == .integer(.max))
        #expect(try number("9223372036854775808") == .double(9_223_372_036_854_775_808))
        #expect(try number("3.0") == .double(3))
        #expect(try number("3.0").integer == 3)
        #expect(try number("3.5").integer == nil)
        #expect(try number("1e30").integer == nil)
    }

    @Test func limitsItsLength() throws {
        let long = "0." + String(repeating: "3", count: 4000)
        #expect(try number(long).double == 1.0 / 3)
        let problem = #expect(throws: Problem.self) { try number("0." + String(repeating: "3", count: 5000)) }
        #expect(problem?.summary == "invalid JSON: a number of more than 4096 characters")
    }

    @Test func hugeExponentsDoNotOverflow() throws {
        #expect(try number("1e-99999999999999999999").double == 0)
        #expect(try number("0e99999999999999999999").double == 0)
        #expect(throws: Problem.self) { try number("1e99999999999999999999") }
        #expect(throws: Problem.self) { try number("0.1e99999999999999999999") }
    }
}
