import ScanModel
import Testing

@Suite struct ColorMapTests {
    /// Every 32nd colour of the maps as matplotlib 3 publishes them.
    private static let turbo: [[Int]] = [
        [48, 18, 59], [70, 107, 227], [40, 188, 235], [50, 242, 152], [164, 252, 60], [238, 207, 58], [251, 126, 33],
        [208, 47, 5], [122, 4, 3],
    ]
    private static let viridis: [[Int]] = [
        [68, 1, 84], [71, 45, 123], [59, 82, 139], [44, 114, 142], [33, 145, 140], [40, 174, 128], [94, 201, 98],
        [173, 220, 48], [253, 231, 37],
    ]

    private static func distance(_ map: ColorMap, _ published: [[Int]]) -> Int {
        published.enumerated().map { number, color in
            let found = map.color(at: Double(min(32 * number, 255)) / 255)
            return zip([found.red, found.green, found.blue], color).map { abs(Int($0) - $1) }.max() ?? 255
        }.max() ?? 255
    }

    @Test func theMapsAreThePublishedOnes() {
        #expect(Self.distance(.viridis, Self.viridis) <= 4)
        #expect(Self.distance(.turbo, Self.turbo) <= 32)
        #expect(Self.distance(.turbo, [[0, 0, 0]] + Self.turbo.dropFirst()) > 32)
    }

    @Test func whatLiesOutsideHasTheNearerEnd() {
        for map in [ColorMap.turbo, .viridis] {
            #expect(map.color(at: -3) == map.color(at: 0))
            #expect(map.color(at: 7) == map.color(at: 1))
            #expect(map.color(at: .infinity) == map.color(at: 1))
            #expect(map.color(at: .nan) == map.color(at: 0))
            #expect(map.color(at: 0) != map.color(at: 1))
        }
    }
}
