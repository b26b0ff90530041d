/// The directions around the box that have views: rows from the top down, columns once around with the front in the
/// middle, in the order in which ``FaceCross`` has the sides.
enum SphereMap {
    private static let width = 171.0
    private static let height = 60.0
    /// For the words beside the rows, and for those below the columns.
    private static let margin = (left: 36.0, below: 13.0)

    static func draw(_ coverage: Measured.Coverage) -> HTML? {
        guard let columns = coverage.sphere.first?.count, columns > 0 else { return nil }
        let high = height / Double(coverage.sphere.count)
        let most = max(1, coverage.sphere.lazy.compactMap { $0.max() }.max() ?? 1)
        var paths = Array(repeating: "", count: 4)
        for (row, views) in coverage.sphere.enumerated() {
            for (column, count) in views.enumerated() {
                let band = count == 0 ? 0 : 1 + min(2, 3 * count / (most + 1))
                for part in parts(of: column, columns) {
                    let wide = HTML.short((part.to - part.from) * width - 0.8)
                    paths[band] +=
                        "M\(HTML.short(part.from * width)) \(HTML.short(Double(row) * high))"
                        + "h\(wide)v\(HTML.short(high - 0.8))h-\(wide)z"
                }
            }
        }
        let seen = coverage.sphere.joined().count { $0 > 0 }
        let all = coverage.sphere.count * columns
        let cells = paths.enumerated().map { band, path -> HTML in
            path.isEmpty ? HTML() : "<path class=\"d\(band)\" d=\"\(path)\"/>"
        }
        return """
            <svg class="sphere" viewBox="\(-margin.left) 0 \(width + margin.left) \(height + margin.below)" role="img" \
            aria-label="directions around the box with views: \(seen) of \(all)">\(cells)\(words)</svg>
            """
    }

    /// Where a column lies, in shares of the width. Columns go from the front, in the middle of column 0, to the side that
    /// is named the right, which a viewer of the front has on the left. One that lies behind is in two parts.
    private static func parts(of column: Int, _ columns: Int) -> [(from: Double, to: Double)] {
        let half = 0.5 / Double(columns)
        let angle = Double(column) / Double(columns)
        let middle = angle > 0.5 ? 1.5 - angle : 0.5 - angle
        if middle < half - 1e-9 { return [(0, middle + half), (1 + middle - half, 1)] }
        if middle > 1 - half + 1e-9 { return [(middle - half, 1), (0, middle + half - 1)] }
        return [(middle - half, middle + half)]
    }

    private static let words: HTML = {
        let rows: [(String, Double)] = [("above", 0), ("level", 0.5), ("below", 1)]
        let beside = rows.map { word, share -> HTML in
            "<text x=\"-5\" y=\"\(8 + share * (height - 10))\" text-anchor=\"end\">\(word)</text>"
        }
        let sides: [(String, Double)] = [("back", 0), ("right", 0.25), ("front", 0.5), ("left", 0.75), ("back", 1)]
        let below = sides.map { word, share -> HTML in
            let anchor = share == 0 ? "start" : share == 1 ? "end" : "middle"
            return """
                <text x="\(share * width)" y="\(height + margin.below - 3)" text-anchor="\(anchor)">\(word)</text>
                """
        }
        return "\(beside)\(below)"
    }()
}
