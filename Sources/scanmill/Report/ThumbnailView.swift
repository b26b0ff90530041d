/// Pictures out of a sprite: a strip of one capture's pictures, or a sheet with one of each of many captures. Sizes and
/// positions are in percent, so that the same file serves every width.
enum ThumbnailView {
    static func draw(_ strip: Thumbnails.Strip, _ index: Int) -> HTML {
        let cell = strip.cells[index]
        let words = cell.roles == [.between] ? "frame" : cell.roles.map(\.rawValue).joined(separator: ", ")
        let columns = strip.cells.count
        let place = columns > 1 ? Double(index) / Double(columns - 1) * 100 : 0
        return """
            <figure class="th"><div role="img" aria-label="frame \(cell.frame): \(words)" \
            style="background-image:url(\(strip.file));background-size:\(columns * 100)% 100%;background-position:\(HTML.fine(place))% 0"></div>\
            <figcaption>\(words) <span class="muted">\(cell.frame)</span></figcaption></figure>
            """
    }

    /// All of a capture's pictures, or why there are none.
    static func row(_ thumbnails: Thumbnails.Shown) -> HTML {
        switch thumbnails {
        case .strip(let strip): "<div class=\"row\">\(strip.cells.indices.map { draw(strip, $0) })</div>"
        case .nothing(let why): "<p class=\"nopictures\">\(why)</p>"
        }
    }

    /// - Parameter place: where the one is that stands for the capture; nil for none.
    static func tile(_ thumbnails: Thumbnails.Shown, _ place: WallSheets.Place?) -> HTML {
        guard let place else { return "<span class=\"p none\"><i>\(thumbnails.lack ?? "")</i></span>" }
        let side = Double(WallSheets.side - 1)
        return """
            <span class="p" style="background-image:url(\(place.file));background-position:\
            \(HTML.fine(Double(place.column) / side * 100))% \(HTML.fine(Double(place.row) / Double(max(1, place.rows - 1)) * 100))%;\
            background-size:\(WallSheets.side * 100)% \(place.rows * 100)%"></span>
            """
    }
}
