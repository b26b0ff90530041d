/// The directions around the box that have views: rows from the top down, columns once around.
enum SphereMap {
    static func draw(_ coverage: Measured.Coverage) -> HTML? {
        guard let columns = coverage.sphere.first?.count, columns > 0 else { return nil }
        let width = 171.0 / Double(columns)
        let height = 60.0 / Double(coverage.sphere.count)
        let most = max(1, coverage.sphere.lazy.compactMap { $0.max() }.max() ?? 1)
        var paths = Array(repeating: "", count: 4)
        for (row, views) in coverage.sphere.enumerated() {
            for (column, count) in views.enumerated() {
                let band = count == 0 ? 0 : 1 + min(2, 3 * count / (most + 1))
                paths[band] +=
                    "M\(HTML.short(Double(column) * width)) \(HTML.short(Double(row) * height))"
                    + "h\(HTML.short(width - 0.8))v\(HTML.short(height - 0.8))h-\(HTML.short(width - 0.8))z"
            }
        }
        let seen = coverage.sphere.joined().count { $0 > 0 }
        let all = coverage.sphere.count * columns
        let cells = paths.enumerated().map { band, path -> HTML in
            path.isEmpty ? HTML() : "<path class=\"d\(band)\" d=\"\(path)\"/>"
        }
        return """
            <svg class="sphere" viewBox="0 0 171 60" role="img" \
            aria-label="directions around the box with views: \(seen) of \(all)">\(cells)</svg>
            """
    }
}
