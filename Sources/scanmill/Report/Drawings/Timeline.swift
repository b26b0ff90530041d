/// When each capture ran, in as many lanes as captures ran side by side.
enum Timeline {
    private static let mostTitles = 600

    static func draw(_ captures: [CaptureFacts], seconds: Double?) -> HTML? {
        let ran = captures.compactMap { capture in capture.share.map { (capture: capture, share: $0) } }
            .sorted { $0.share.begin < $1.share.begin }
        let last = ran.reduce(0.0) { max($0, $1.share.begin + $1.share.seconds) }
        let end = max(last, seconds ?? 0)
        guard ran.count > 1, end > 0 else { return nil }
        var lanes: [Double] = []
        var paths: [CaptureFacts.Status: String] = [:]
        var marks: [HTML] = []
        for (capture, share) in ran {
            let lane = lanes.firstIndex { $0 <= share.begin + 0.01 } ?? lanes.count
            if lane == lanes.count { lanes.append(0) }
            lanes[lane] = share.begin + share.seconds
            let x = share.begin / end * 1180 + 2
            let wide = max(0.8, share.seconds / end * 1180 - 0.8)
            let y = Double(lane) * 15
            if ran.count > mostTitles {
                paths[capture.status, default: ""] +=
                    "M\(HTML.short(x)) \(HTML.short(y))h\(HTML.short(wide))v12h-\(HTML.short(wide))z"
            } else {
                marks.append(
                    """
                    <rect class="\(capture.status.rawValue)" x="\(x)" y="\(y)" width="\(wide)" height="12">\
                    <title>\(capture.id): \(Wording.time(share.seconds))</title></rect>
                    """)
            }
        }
        for status in CaptureFacts.Status.allCases {
            if let path = paths[status] { marks.append("<path class=\"\(status.rawValue)\" d=\"\(path)\"/>") }
        }
        let base = Double(lanes.count) * 15
        return """
            <svg class="time" viewBox="0 0 1184 \(base + 22)" role="img" aria-label="when each of \
            \(Wording.count(ran.count, "capture")) ran, \(lanes.count) side by side">\(marks)\(axis(end, base))</svg>
            """
    }

    /// Four to ten ticks at round times.
    private static func axis(_ end: Double, _ base: Double) -> HTML {
        let steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400]
        let step = steps.first { end / $0 <= 9 } ?? (end / 9)
        let ticks = stride(from: 0, through: end, by: step).map { time -> HTML in
            let x = time / end * 1180 + 2
            let anchor = x > 1150 ? "end" : time == 0 ? "start" : "middle"
            return """
                <path class="axis" d="M\(x) \(base)v5"/>\
                <text x="\(x)" y="\(base + 17)" text-anchor="\(anchor)">\(time == 0 ? "0" : words(time))</text>
                """
        }
        return "<path class=\"axis\" d=\"M2 \(base)H1182\"/>\(ticks)"
    }

    private static func words(_ seconds: Double) -> String {
        if seconds < 10 { return "\(HTML.short(seconds)) s" }
        if seconds < 120 { return "\(Int(seconds)) s" }
        if seconds < 7200 {
            let rest = Int(seconds) % 60
            return "\(Int(seconds) / 60) min" + (rest == 0 ? "" : " \(rest) s")
        }
        return "\(Int(seconds / 3600)) h\(Int(seconds) % 3600 == 0 ? "" : " \(Int(seconds) % 3600 / 60) min")"
    }
}
