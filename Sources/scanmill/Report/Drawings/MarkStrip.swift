/// One mark per capture, in the order in which they ran, each a link to its card. They are no stops for whoever goes
/// through the page with the keyboard: the wall has the same links.
enum MarkStrip {
    /// With more captures than this, marks of ready ones have no link or title of their own: a page of 10,000 captures
    /// opens with a few paths in place of 30,000 elements.
    private static let mostLinks = 2000

    private static let width = 1184.0

    /// - Parameter link: the address of a capture's card.
    static func draw(_ report: NightReport, link: (Int) -> String) -> HTML {
        let order = report.order
        let pitch = order.count <= 50 ? 23.6 : order.count <= 1500 ? 11.5 : order.count <= 4000 ? 8 : 5.5
        let columns = Int(width / pitch)
        let step = pitch < 8 ? 8.0 : pitch > 20 ? 24.0 : 16.0
        let rows = (order.count + columns - 1) / columns
        let size = (width: pitch - (pitch < 8 ? 1.5 : 2.5), height: step / 2)
        var plain = ""
        var marks: [HTML] = []
        for (place, index) in order.enumerated() {
            let x = Double(place % columns) * pitch
            let y = Double(place / columns) * step + step / 2
            let capture = report.captures[index]
            if capture.status == .ready && order.count > mostLinks {
                plain +=
                    "M\(HTML.short(x)) \(HTML.short(y))h\(HTML.short(size.width))v\(HTML.short(size.height))"
                    + "h-\(HTML.short(size.width))z"
                continue
            }
            marks.append(
                """
                <a href="\(link(index))" tabindex="-1"><title>\(title(capture))</title>\
                \(mark(capture.status, x, y, size, step))</a>
                """)
        }
        let height = Double(rows) * step + 2
        return """
            <svg class="strip" viewBox="0 0 \(width) \(height)" role="group" aria-label="\(label(report.summary))">\
            \(plain.isEmpty ? HTML() : "<path class=\"ready\" d=\"\(plain)\"/>")\(marks)</svg>
            """
    }

    /// Told apart by shape too: a look is taller, a failure is taller and has a notch.
    private static func mark(
        _ status: CaptureFacts.Status, _ x: Double, _ y: Double, _ size: (width: Double, height: Double), _ step: Double
    ) -> HTML {
        switch status {
        case .ready:
            "<rect class=\"ready\" x=\"\(x)\" y=\"\(y)\" width=\"\(size.width)\" height=\"\(size.height)\"/>"
        case .waiting:
            "<rect class=\"waiting\" x=\"\(x + 0.5)\" y=\"\(y + 0.5)\" width=\"\(size.width - 1)\" height=\"\(size.height - 1)\"/>"
        case .look:
            "<rect class=\"look\" x=\"\(x)\" y=\"\(y - 0.4 * step)\" width=\"\(size.width)\" height=\"\(size.height + 0.4 * step)\"/>"
        case .failed:
            """
            <path class="failed" d="M\(x) \(y - 0.45 * step)h\(size.width)v\(size.height + 0.45 * step)\
            h-\(size.width / 3)v-\(size.height / 2)h-\(size.width / 3)v\(size.height / 2)h-\(size.width / 3)z"/>
            """
        }
    }

    private static func title(_ capture: CaptureFacts) -> String {
        let why = capture.problem?.summary ?? capture.wait?.why
        return "\(capture.id): \(capture.status.rawValue)" + (why.map { ", \($0)" } ?? "")
    }

    private static func label(_ summary: Summary) -> String {
        "\(Wording.count(summary.captures, "capture")): \(summary.ready) ready, \(summary.look) to look at, "
            + "\(summary.failed) failed, \(summary.waiting) waiting"
    }
}
