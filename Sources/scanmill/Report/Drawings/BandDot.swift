/// One value on a line, against the band in which it usually lies.
enum BandDot {
    /// - Parameter end: the value at the line's right end.
    static func draw(_ value: Double, usual: Statistics.Band?, end: Double, isOdd: Bool, label: String) -> HTML {
        func x(_ value: Double) -> Double { 5 + max(0, min(1, value / max(end, 1e-9))) * 390 }
        let band = usual.map { usual -> HTML in
            """
            <rect class="band" x="\(x(usual.low))" y="3" width="\(max(2, x(usual.high) - x(usual.low)))" height="12" rx="3"/>\
            <path class="middle" d="M\(x(usual.median)) 1v16"/>
            """
        }
        return """
            <svg class="dot" viewBox="0 0 400 18" role="img" aria-label="\(label)"><path class="axis" d="M5 9H395"/>\(band)\
            <circle class="\(isOdd ? "look" : "ready")" cx="\(x(value))" cy="9" r="5.5"/></svg>
            """
    }
}
