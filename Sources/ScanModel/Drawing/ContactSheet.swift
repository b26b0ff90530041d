/// A page of small pictures in rows, each with its number below.
public struct ContactSheet: Sendable {
    public let columns: Int
    public let rows: Int
    /// The room that a picture may take on the page.
    public let cell: PixelSize
    public private(set) var count = 0
    private var page: RGBImage

    private static let gap = 4
    /// The least width of a picture.
    private static let narrowest = 8
    static let paper = RGBColor(32, 32, 36)
    private static let ink = RGBColor(235, 235, 235)
    /// Pixels per dot of the numbers.
    private let dot: Int
    /// From one picture's place to the next one's, across and down.
    private let pitch: PixelSize

    /// - Parameters:
    ///   - width: of the page, pixels.
    ///   - picture: the size of the pictures before downscaling; it decides the shape of a cell.
    public init(width: Int, columns: Int, rows: Int, picture: PixelSize) {
        self.columns = columns
        self.rows = rows
        let cellWidth = Self.cellWidth(width: width, columns: columns)
        cell = PixelSize(
            cellWidth, max(1, (2 * picture.height * cellWidth + picture.width) / (2 * max(1, picture.width))))
        dot = cellWidth >= 120 ? 2 : 1
        pitch = PixelSize(cellWidth + Self.gap, cell.height + (BitmapFont.height + 4) * dot + Self.gap)
        page = RGBImage(width: width, height: rows * pitch.height + Self.gap, color: Self.paper)
    }

    /// How wide the pictures on a page are.
    public static func cellWidth(width: Int, columns: Int) -> Int { max(narrowest, (width - gap) / columns - gap) }

    /// How many pictures fit side by side on a page.
    public static func mostColumns(width: Int) -> Int { max(1, (width - gap) / (narrowest + gap)) }

    public var isFull: Bool { count == columns * rows }

    /// About how many pixels the page would have.
    public static func pixelCount(width: Int, columns: Int, rows: Int, picture: PixelSize) -> Int {
        let cellWidth = cellWidth(width: width, columns: columns)
        return width * rows * (cellWidth * picture.height / max(1, picture.width) + 30)
    }

    /// Puts a picture into the middle of the next cell, and shrinks it if it is too large for that: a portrait picture
    /// among landscape ones.
    public mutating func add(_ picture: RGBImage, number: Int) {
        let fits = picture.width <= cell.width && picture.height <= cell.height
        let picture = fits ? picture : picture.downscaled(to: picture.size.fitting(into: cell))
        let (column, row) = (count % columns, count / columns)
        let (x, y) = (Self.gap + column * pitch.width, Self.gap + row * pitch.height)
        page.paste(picture, atX: x + (cell.width - picture.width) / 2, y: y + (cell.height - picture.height) / 2)
        let text = String(number)
        page.write(
            text, x: x + (cell.width - BitmapFont.width(of: text, scale: dot)) / 2, y: y + cell.height + 2 * dot,
            scale: dot, color: Self.ink)
        count += 1
    }

    /// The page, as tall as its rows with pictures need.
    public var image: RGBImage {
        let used = (count + columns - 1) / columns
        let height = used * pitch.height + Self.gap
        return RGBImage(width: page.width, height: height, pixels: Array(page.pixels.prefix(page.width * height * 3)))
    }

    /// A strip for the foot of a page that says what its colours mean.
    /// - Parameters:
    ///   - low: the label before the colours, which run from the first to the last.
    ///   - color: the colour for a share from 0 to 1.
    public static func legend(
        width: Int, from low: String, to high: String, _ color: (Double) -> RGBColor
    ) -> RGBImage {
        let (dot, barWidth) = (2, min(256, width / 3))
        var strip = RGBImage(width: width, height: (BitmapFont.height + 6) * dot, color: paper)
        let y = 2 * dot
        strip.write(low, x: 2 * gap, y: y, scale: dot, color: ink)
        let bar = 2 * gap + BitmapFont.width(of: low, scale: dot) + 8
        for x in 0..<barWidth {
            strip.fill(
                x: bar + x, y: y, width: 1, height: BitmapFont.height * dot,
                color(Double(x) / Double(max(1, barWidth - 1))))
        }
        strip.write(high, x: bar + barWidth + 8, y: y, scale: dot, color: ink)
        return strip
    }

    /// Returns the page and begins an empty one.
    public mutating func takePage() -> RGBImage {
        defer {
            page = RGBImage(width: page.width, height: page.height, color: Self.paper)
            count = 0
        }
        return image
    }
}
