import ScanPipeline
import Testing

@Suite struct OptionTextTests {
    @Test(arguments: [
        (0.0, "0"), (-0.0, "0"), (4, "4"), (-4, "-4"), (0.02, "0.02"), (1e-7, "1e-07"), (999_999_999, "999999999"),
        (1e300, "1e+300"), (-9_223_372_036_854_775_808, "-9.223372036854776e+18"),
    ]) func numbers(_ value: Double, _ text: String) {
        #expect(OptionText.number(value) == text)
    }

    @Test func ranges() {
        let greatest = Double.greatestFiniteMagnitude
        #expect(OptionText.range(0...2.5, unit: "m") == "between 0 and 2.5 m")
        #expect(OptionText.range(0...greatest, unit: nil) == "at least 0")
        #expect(OptionText.range((-greatest)...1, unit: "s") == "at most 1 s")
        #expect(OptionText.range((-greatest)...greatest, unit: nil) == "finite")
        #expect(OptionText.range(1...Int.max, unit: "frames") == "at least 1 frame")
        #expect(OptionText.range(2...Int.max, unit: "frames") == "at least 2 frames")
        #expect(OptionText.range(1...greatest, unit: "m/s") == "at least 1 m/s")
        #expect(OptionText.range(Int.min...3, unit: nil) == "at most 3")
        #expect(OptionText.range(1...3, unit: nil) == "between 1 and 3")
    }

    @Test func lists() {
        #expect(OptionText.list([]) == "[]")
        #expect(OptionText.list([1, -2]) == "[1, -2]")
    }
}
