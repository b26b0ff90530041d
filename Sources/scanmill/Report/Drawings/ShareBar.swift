/// Parts of a whole side by side.
enum ShareBar {
    struct Part: Sendable {
        /// The class that colours it.
        var style: String
        var amount: Double
        var title: String
    }

    static func draw(_ parts: [Part], label: String) -> HTML? {
        let all = parts.reduce(0) { $0 + $1.amount }
        guard all > 0 else { return nil }
        var x = 0.0
        let rects = parts.filter { $0.amount > 0 }.map { part -> HTML in
            let wide = part.amount / all * 240
            defer { x += wide }
            return """
                <rect class="\(part.style)" x="\(x)" y="0" width="\(max(0.5, wide - 0.7))" height="14">\
                <title>\(part.title)</title></rect>
                """
        }
        return """
            <svg class="share" viewBox="0 0 240 14" preserveAspectRatio="none" role="img" aria-label="\(label)">\
            \(rects)</svg>
            """
    }

    /// Frames by what became of them.
    static func frames(_ frames: CaptureFacts.FrameAccount) -> HTML? {
        var parts = [Part(style: "ready", amount: Double(frames.kept), title: "kept: \(frames.kept)")]
        for (number, stage) in frames.droppingStages.enumerated() {
            let count = frames.dropped(by: stage)
            parts.append(Part(style: "s\(number % 6)", amount: Double(count), title: "\(stage): \(count)"))
        }
        return draw(parts, label: "frames: \(parts.map(\.title).joined(separator: ", "))")
    }

    /// How much of a file could be read before it broke off.
    static func readable(_ share: Double) -> HTML {
        let good = max(0, min(1, share)) * 240
        return """
            <svg class="share tall" viewBox="0 0 240 40" preserveAspectRatio="none" role="img" \
            aria-label="\(Wording.percent(share)) of the file can be read">\
            <rect class="ready" x="0" y="0" width="\(good)" height="40"/>\
            <rect class="gap" x="\(good + 0.5)" y="0.5" width="\(max(0, 239 - good))" height="39"/></svg>
            """
    }
}
