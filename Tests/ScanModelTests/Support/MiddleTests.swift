import ScanModel
import Testing

@Suite struct MiddleTests {
    @Test func ofAnEvenNumberTheUpperOfTheTwo() {
        #expect([Int]().middle == nil)
        #expect([7].middle == 7)
        #expect([2, 1].middle == 2)
        #expect([3, 1, 2].middle == 2)
        #expect([4, 1, 3, 2].middle == 3)
        #expect([5, 9, 1, 4][1...2].middle == 9)
    }

    /// Against the standard library's sort, at every place, in orders that quick searches are known to be slow in.
    @Test(arguments: [1, 2, 3, 7, 64, 257])
    func everyPlaceIsAsInASortedArray(count: Int) {
        var random = SystemRandomNumberGenerator()
        let orders: [[Int]] = [
            Array(0..<count), (0..<count).reversed(), Array(repeating: 3, count: count), (0..<count).map { $0 % 3 },
            (0..<count).map { min($0, count - $0) }, (0..<count).map { ($0 * 7919) % count },
            (0..<count).map { _ in Int.random(in: 0...9, using: &random) },
            (0..<count).shuffled(using: &random),
        ]
        for order in orders {
            let sorted = order.sorted()
            for place in order.indices {
                var elements = order
                let found = elements.withUnsafeMutableBufferPointer { $0.find(place) }
                #expect(found == sorted[place], "\(order) at \(place)")
                #expect(elements.sorted() == sorted)
            }
        }
    }

    @Test func numbersThatAreNoneDoNoHarm() {
        let values: [Float] = [.nan, 1, .nan, 3, 2, .nan, 0]
        for shift in values.indices {
            let turned = Array(values[shift...] + values[..<shift])
            #expect(turned.middle != nil)
        }
    }

    /// M. D. McIlroy, "A Killer Adversary for Quicksort", 1999: the order is made up while it is searched, so that each
    /// choice of a pivot turns out to have been a bad one.
    @Test func noOrderTakesLong() {
        let count = 4096
        let adversary = Adversary(count)
        let elements = (0..<count).map { Adversary.Element(number: $0, of: adversary) }
        _ = elements.middle
        // Without the bound on splits it would be 770 for each element here, and more for each of more.
        #expect(adversary.comparisons < 50 * count, "\(adversary.comparisons) comparisons")
    }

    private final class Adversary {
        struct Element: Comparable {
            let number: Int
            let of: Adversary

            static func < (a: Element, b: Element) -> Bool { a.of.compare(a.number, b.number) }
            static func == (a: Element, b: Element) -> Bool { a.number == b.number }
        }

        /// Those that are not frozen yet are all larger than those that are.
        private var values: [Int]
        private let gas: Int
        private var frozen = 0
        private var candidate = 0
        private(set) var comparisons = 0

        init(_ count: Int) {
            gas = count
            values = Array(repeating: count, count: count)
        }

        func compare(_ a: Int, _ b: Int) -> Bool {
            comparisons += 1
            if values[a] == gas, values[b] == gas {
                values[a == candidate ? a : b] = frozen
                frozen += 1
            }
            if values[a] == gas { candidate = a } else if values[b] == gas { candidate = b }
            return values[a] < values[b]
        }
    }
}
