/// Views of each side of the box, on the box unfolded as it is seen from outside. The colours go from yellow to
/// cyan-green at the goal, as in the capture app; a side without views is a hole.
enum FaceCross {
    /// Sides are named from within, so a viewer of the front has the left one on the right, as in all other drawings.
    private static let places: [(face: String, column: Int, row: Int)] = [
        ("top", 1, 0), ("right", 0, 1), ("front", 1, 1), ("left", 2, 1), ("back", 3, 1), ("bottom", 1, 2),
    ]
    private static let side = 40.0

    /// - Parameter pointer: of the coverage in `report.json`.
    static func draw(_ coverage: Measured.Coverage, _ pointer: String) -> HTML {
        let cells = places.map { place -> HTML in
            let (x, y) = (Double(place.column) * (side + 3), Double(place.row) * (side + 3))
            let figure = Figure.count(
                coverage[place.face],
                coverage.sides == nil ? "\(pointer)/faces/\(place.face)" : "\(pointer)/sides/\(place.face)/views")
            return """
                <g class="\(shade(place.face, coverage))"><title>\(place.face)</title>\
                <rect x="\(x + 1)" y="\(y + 1)" width="\(side)" height="\(side)" rx="3"/>\
                <text class="n" x="\(x + side / 2 + 1)" y="\(y + 20)" \(figure.attributes)>\(figure.words)</text>\
                <text class="f" x="\(x + side / 2 + 1)" y="\(y + 33)">\(place.face)</text></g>
                """
        }
        return """
            <svg class="cross" viewBox="0 0 \(4 * (side + 3)) \(3 * (side + 3))" role="img" aria-label="\(label(coverage))">\
            \(cells)</svg>
            """
    }

    private static func shade(_ face: String, _ coverage: Measured.Coverage) -> String {
        let views = coverage[face]
        // What stands on the floor is not seen from below.
        if views == 0 { return face == "bottom" ? "cn" : "c0" }
        return "c\(1 + min(4, 4 * views / max(1, coverage.goal)))"
    }

    private static func label(_ coverage: Measured.Coverage) -> String {
        let faces = Measured.Coverage.faces.map { "\($0) \(coverage[$0])" }
        let what = coverage.sides == nil ? "cameras aimed at each face" : "pictures of each side"
        return "\(what) of the box: \(faces.joined(separator: ", ")); goal \(coverage.goal)"
    }
}
