import ScanModel

/// Sharpness of a capture's frames: a histogram of the scores, and the scores over time.
enum SharpnessBars {
    private static let width = 240.0
    private static let height = 84.0

    /// How many frames have each score, with the limit as a dashed line.
    static func histogram(_ sharpness: Measured.Sharpness) -> HTML {
        let step = width / Double(sharpness.histogram.count)
        let most = Double(max(1, sharpness.histogram.max() ?? 1))
        let limit = sharpness.limit.map { min(width, $0 / max(sharpness.highest, 1e-9) * width) }
        var (above, below) = ("", "")
        for (bin, count) in sharpness.histogram.enumerated() where count > 0 {
            let bar = bar(Double(bin) * step, step - 1.5, Double(count) / most)
            // A bar that the limit cuts belongs to the side on which its middle lies.
            if let limit, (Double(bin) + 0.5) * step < limit { below += bar } else { above += bar }
        }
        let label =
            "histogram of the sharpness of \(sharpness.count.counted("frame")), from 0 to "
            + Wording.measure(sharpness.highest)
        return svg(above, below, line: limit.map { "M\(HTML.short($0)) 0V\(HTML.short(height))" }, label)
    }

    /// The median score over time, left to right.
    static func overTime(_ sharpness: Measured.Sharpness) -> HTML {
        let step = width / Double(sharpness.moments.count)
        let most = max(sharpness.highest, 1e-9)
        var (above, below) = ("", "")
        for (place, score) in sharpness.moments.enumerated() {
            guard let score else { continue }
            let bar = bar(Double(place) * step, step - 1.5, score / most)
            if let limit = sharpness.limit, score < limit { below += bar } else { above += bar }
        }
        let line = sharpness.limit.map { height - min(1, $0 / most) * (height - 2) }
        return svg(
            above, below, line: line.map { "M0 \(HTML.short($0))H\(HTML.short(width))" },
            "sharpness from the first frame to the last")
    }

    private static func bar(_ x: Double, _ width: Double, _ share: Double) -> String {
        let tall = max(1, share * (height - 2))
        return "M\(HTML.short(x)) \(HTML.short(height))v-\(HTML.short(tall))h\(HTML.short(width))v\(HTML.short(tall))z"
    }

    private static func svg(_ above: String, _ below: String, line: String?, _ label: String) -> HTML {
        """
        <svg class="bars" viewBox="0 0 \(width) \(height + 1)" preserveAspectRatio="none" role="img" aria-label="\(label)">\
        \(above.isEmpty ? HTML() : "<path class=\"ready\" d=\"\(above)\"/>")\
        \(below.isEmpty ? HTML() : "<path class=\"look\" d=\"\(below)\"/>")\
        <path class="axis" d="M0 \(height)H\(width)"/>\(line.map { "<path class=\"limit\" d=\"\($0)\"/>" as HTML })</svg>
        """
    }
}
