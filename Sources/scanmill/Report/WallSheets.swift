import ScanFormats
import ScanModel
import ScanPipeline

/// Sheets of one picture of each capture, for the wall: a browser loads a few sheets much faster than a thousand files.
struct WallSheets: Sendable {
    /// Pictures in a row, and rows in a sheet at most.
    static let side = 16

    struct Place: Sendable {
        var file: String
        var column: Int
        var row: Int
        var rows: Int
    }

    private var places: [Int: Place] = [:]
    /// The sheets' file names beside the page, and the captures on each.
    private(set) var sheets: [(file: String, captures: [Int])] = []

    init(_ captures: [CaptureFacts]) {
        let shown = captures.indices.filter { captures[$0].thumbnails.strip != nil || captures[$0].isSeenByDrawing }
        for start in stride(from: 0, to: shown.count, by: Self.side * Self.side) {
            let part = Array(shown[start..<min(shown.count, start + Self.side * Self.side)])
            let rows = (part.count + Self.side - 1) / Self.side
            let file = "wall-\(sheets.count + 1).jpg"
            for (place, index) in part.enumerated() {
                places[index] = Place(file: file, column: place % Self.side, row: place / Self.side, rows: rows)
            }
            sheets.append((file, part))
        }
    }

    func place(of index: Int) -> Place? { places[index] }

    /// Draws a sheet.
    static func draw(
        _ members: [Int], of captures: [CaptureFacts], in state: StateFolder
    ) throws(Problem) -> [UInt8] {
        let (thumbnails, drawings) = (Thumbnails(in: state), ResultDrawing(in: state))
        let blank = RGBImage(width: 1, height: 1, pixels: [0x80, 0x80, 0x80])
        var images = members.map { index in
            let capture = captures[index]
            let cover = capture.isSeenByDrawing ? drawings.cover(of: capture.id) : thumbnails.cover(of: capture)
            return cover ?? blank
        }
        // A sheet has whole rows, however many captures the last one holds.
        while !images.count.isMultiple(of: side) { images.append(blank) }
        return try JPEG.encode(Thumbnails.sheet(images, columns: side), quality: 70)
    }
}
