import ScanModel
import Testing

@Suite struct ContactSheetTests {
    private static func color(_ n: Int) -> RGBColor { RGBColor(UInt8(100 + n), UInt8(20 * n), 7) }

    /// 3 × 2 places of 40 × 30 pixels on 136: gaps of 4, and 11 for the number.
    private func sheet() -> ContactSheet {
        ContactSheet(width: 136, columns: 3, rows: 2, picture: PixelSize(80, 60))
    }

    @Test func everyPictureHasItsPlace() {
        var sheet = sheet()
        #expect(sheet.cell == PixelSize(40, 30) && ContactSheet.cellWidth(width: 136, columns: 3) == 40)
        for n in 0..<5 { sheet.add(RGBImage(width: 40, height: 30, color: Self.color(n)), number: n) }
        let page = sheet.image
        #expect((page.width, page.height) == (136, 2 * 45 + 4))
        for n in 0..<5 {
            let (x, y) = (4 + n % 3 * 44, 4 + n / 3 * 45)
            for (u, v) in [(0, 0), (39, 0), (0, 29), (39, 29)] { #expect(page[x + u, y + v] == Self.color(n)) }
            #expect(page[x - 1, y] != Self.color(n) && page[x, y - 1] != Self.color(n))
            #expect(page[x + 40, y] != Self.color(n) && page[x, y + 30] != Self.color(n))
        }
    }

    @Test func theNumberStandsBelowInTheMiddle() {
        var sheet = sheet()
        sheet.add(RGBImage(width: 40, height: 30, color: .black), number: 1234)
        let page = sheet.image
        var expected = RGBImage(width: page.width, height: page.height, color: page[0, 0])
        expected.paste(RGBImage(width: 40, height: 30, color: .black), atX: 4, y: 4)
        // 23 pixels wide, 8 from the cell's left.
        expected.write("1234", x: 12, y: 36, color: RGBColor(235, 235, 235))
        #expect(page == expected)
    }

    @Test func smallerPicturesStandInTheMiddleAndLargerOnesAreCut() {
        var sheet = sheet()
        sheet.add(RGBImage(width: 10, height: 10, color: .white), number: 0)
        #expect(sheet.image[19, 14] == .white && sheet.image[28, 23] == .white)
        #expect(sheet.image[18, 14] != .white && sheet.image[29, 23] != .white)
    }

    /// Of pictures that stand and lie: neither another's place nor a number is covered.
    @Test func aPictureLargerThanItsPlaceIsMadeSmaller() {
        var sheet = sheet()
        sheet.add(RGBImage(width: 40, height: 30, color: .white), number: 0)
        let numbered = sheet.image
        sheet.add(RGBImage(width: 40, height: 60, color: .white), number: 1)
        let page = sheet.image
        // 20 × 30 in the middle of the second place.
        #expect(page[58, 4] == .white && page[77, 33] == .white)
        #expect(page[57, 20] != .white && page[78, 20] != .white && page[68, 3] != .white && page[68, 34] != .white)
        for y in 0..<numbered.height { for x in 0..<48 { #expect(page[x, y] == numbered[x, y]) } }
    }

    @Test func aPageEndsWithItsLastRow() {
        var sheet = sheet()
        let picture = RGBImage(width: 40, height: 30, color: .white)
        sheet.add(picture, number: 0)
        #expect(sheet.image.height == 45 + 4 && !sheet.isFull)
        for n in 1..<6 { sheet.add(picture, number: n) }
        #expect(sheet.isFull)
        let page = sheet.takePage()
        #expect(page.height == 2 * 45 + 4)
        #expect(sheet.count == 0 && sheet.image.height == 4)
        sheet.add(picture, number: 6)
        #expect(sheet.image.pixels != page.pixels)
    }

    @Test func theLegendShowsTheColoursInTheirOrder() {
        let legend = ContactSheet.legend(width: 400, from: "0", to: "1") { RGBColor(UInt8($0 * 250), 0, 255) }
        let bar = (0..<400).map { legend[$0, 10] }.filter { $0.green == 0 && $0.blue == 255 }
        #expect(bar.count == 133)
        #expect(bar.map(\.red) == bar.map(\.red).sorted() && bar.first?.red == 0 && bar.last?.red == 250)
    }
}
