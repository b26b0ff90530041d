/// How far things are, and how much of the depth can be trusted.
enum DepthBars {
    private static let width = 240.0

    /// A line from the nearest to the farthest, a box around nine tenths, a tick at the median.
    static func range(_ depth: Measured.Depth) -> HTML {
        // With a farther end the near part would be a dot.
        let end = max(min(depth.highest, 4 * depth.p95), 1e-6)
        func x(_ depth: Double) -> Double { max(0, min(1, depth / end)) * (width - 2) + 1 }
        return """
            <svg class="depth" viewBox="0 0 \(width) 26" preserveAspectRatio="none" role="img" aria-label="\
            depth from \(Wording.measure(depth.lowest)) to \(Wording.measure(depth.highest)) \(depth.unit), nine tenths between \
            \(Wording.measure(depth.p05)) and \(Wording.measure(depth.p95)), median \(Wording.measure(depth.median))">\
            <path class="axis" d="M0 13H\(width)"/><path class="whisker" d="M\(x(depth.lowest)) 13H\(x(depth.highest))"/>\
            <rect class="box" x="\(x(depth.p05))" y="5" width="\(max(1, x(depth.p95) - x(depth.p05)))" height="16" rx="2"/>\
            <path class="middle" d="M\(x(depth.median)) 2v22"/></svg>
            """
    }

    static func confidence(_ levels: [Int]) -> HTML? {
        let all = levels.reduce(0, +)
        guard all > 0 else { return nil }
        var x = 0.0
        let names = ["low", "medium", "high"]
        let parts = levels.enumerated().map { level, count -> HTML in
            let wide = Double(count) / Double(all) * width
            defer { x += wide }
            return """
                <rect class="q\(level)" x="\(x)" y="0" width="\(wide)" height="12"><title>\(names[level]): \
                \(Wording.percent(Double(count) / Double(all)))</title></rect>
                """
        }
        let label = zip(names, levels).map { "\($0) \(Wording.percent(Double($1) / Double(all)))" }
        return """
            <svg class="confidence" viewBox="0 0 \(width) 12" preserveAspectRatio="none" role="img" \
            aria-label="confidence: \(label.joined(separator: ", "))">\(parts)</svg>
            """
    }
}
