import ScanModel
import Testing

@Suite struct FirstNonNilTests {
    /// What is asked may have another answer the second time, as files have.
    @Test func eachElementIsAskedOnce() {
        var asked: [Int] = []
        let found = [1, 2, 3, 4].firstNonNil { number -> String? in
            defer { asked.append(number) }
            return number > 1 && !asked.contains(number) ? "\(number)" : nil
        }
        #expect(found == "2")
        #expect(asked == [1, 2])
        #expect([Int]().firstNonNil { $0 } == nil)
        #expect([nil, 5, 6].firstNonNil(\.self) == 5)
    }
}
