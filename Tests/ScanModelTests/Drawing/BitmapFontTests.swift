import ScanModel
import Testing

@Suite struct BitmapFontTests {
    private static func lines(_ text: String, scale: Int = 1) -> [String] {
        let width = max(1, BitmapFont.width(of: text, scale: scale))
        var picture = RGBImage(width: width, height: BitmapFont.height * scale, color: .white)
        picture.write(text, x: 0, y: 0, scale: scale, color: .black)
        return (0..<picture.height).map { y in
            String((0..<width).map { picture[$0, y] == .black ? "#" : "." })
        }
    }

    @Test func aNumberReadsAsPeopleReadIt() {
        #expect(
            Self.lines("17") == [
                "..#...#####",
                ".##.......#",
                "..#......#.",
                "..#.....#..",
                "..#....#...",
                "..#....#...",
                ".###...#...",
            ])
    }

    @Test func everySignIsAnotherOne() {
        let signs = "0123456789abcdefghijklmnopqrstuvwxyz.,-/:≤≥"
        #expect(Set(signs.map { Self.lines(String($0)) }).count == signs.count)
        #expect(Self.lines("A") == Self.lines("a"))
        #expect(Self.lines("§").joined().contains("#") == false)
    }

    @Test func dotsGrowWithTheScale() {
        let (small, large) = (Self.lines("4 m"), Self.lines("4 m", scale: 3))
        for (y, line) in large.enumerated() {
            for (x, dot) in line.enumerated() { #expect(dot == Array(small[y / 3])[x / 3]) }
        }
        #expect(BitmapFont.width(of: "4 m", scale: 3) == 3 * 17)
    }

    @Test func whatDoesNotFitIsCutOff() {
        var picture = RGBImage(width: 3, height: 3, color: .white)
        picture.write("8888", x: -4, y: -2, color: .black)
        picture.write("8", x: 90, y: 90, color: .black)
        #expect(picture.pixels.count == 27)
    }
}
