/// A figure of earlier runs and of this one, with the band in which it usually lies.
enum SparkLine {
    static func draw(_ trend: Trend) -> HTML? {
        guard let usual = trend.usual else { return nil }
        let values = trend.history + [trend.value]
        guard let low = values.min(), let high = values.max() else { return nil }
        let span = max(high - low, max(abs(high), 1e-9) * 1e-3)
        func x(_ place: Int) -> Double { 4 + Double(place) * 172 / Double(max(1, values.count - 1)) }
        func y(_ value: Double) -> Double { 4 + (high - value) / span * 26 }
        let line = values.enumerated().map { "\(HTML.short(x($0))) \(HTML.short(y($1)))" }.joined(separator: "L")
        let top = y(usual.high)
        return """
            <svg class="spark" viewBox="0 0 180 34" role="img" aria-label="of \
            \(Wording.count(trend.history.count, "earlier run")) and this one">\
            <rect class="band" x="4" y="\(top)" width="172" height="\(max(2, y(usual.low) - top))"/>\
            <path class="line" d="M\(line)"/>\
            <circle class="now" cx="\(x(values.count - 1))" cy="\(y(trend.value))" r="3.5"/></svg>
            """
    }
}
