import ScanModel

/// Everything that is known of one capture.
struct CaptureCard {
    let page: ReportPage
    let index: Int

    private var capture: CaptureFacts { page.report.captures[index] }
    private var pointer: String { "/captures/\(index)" }

    var html: HTML {
        let facts = [capture.device, capture.format].compactMap(\.self).joined(separator: " · ")
        return """
            <article class="card \(capture.status.rawValue)" id="c\(index)"><p class="name">\(ReportPage.pill(capture.status)) \
            <b><bdi>\(capture.id)</bdi></b> <span class="muted">\(facts)</span></p>\(words)\
            \(pictures)\(CapturePlots(capture: capture, pointer: pointer).html)\(details)</article>

            """
    }

    /// Where there are none, but a drawing is seen below, a line says why.
    private var pictures: HTML {
        guard capture.isSeenByDrawing, let lack = capture.thumbnails.lack else {
            return ThumbnailView.row(capture.thumbnails)
        }
        return "<p class=\"lack\">\(Wording.capitalised(lack)).</p>"
    }

    private var words: HTML {
        if let problem = capture.problem {
            let rest = problem.notes + (problem.fix.map { ["fix: \($0)"] } ?? [])
            return """
                <p><b>\(marked: Wording.capitalised(problem.oneLine))</b>. \(marked: rest.joined(separator: "; "))\
                \(capture.hasResult && capture.failure?.damage != .lost ? "; the result that is there is from an earlier run" : "")</p>
                """
        }
        if let wait = capture.wait, let why = wait.why {
            if wait.isUnreadable { return "<p>\(marked: Wording.capitalised(why)).</p>" }
            return capture.hasResult
                ? "<p>An older result is there: \(marked: why).</p>" : "<p>It has no result: \(why).</p>"
        }
        let reasons = (page.report.findingsOf[index] ?? []).map { group, finding -> HTML in
            "<li><b>\(marked: page.report.findings[group].title)</b>\(marked: finding.text.isEmpty ? "" : ". \(finding.text)")</li>"
        }
        return reasons.isEmpty ? HTML() : "<ul class=\"why-look\">\(reasons)</ul>"
    }

    private var details: HTML {
        var rows: [HTML] = []
        if let frames = capture.frames, !frames.losses.isEmpty {
            let items = frames.losses.enumerated().map { number, loss -> HTML in
                """
                <li>\(Figure.count(loss.count, "\(pointer)/frames/dropped/\(number)/frames")) × <code>\(loss.stage)</code>: \
                \(marked: loss.reason.text)</li>
                """
            }
            rows.append("<dt>Dropped frames</dt><dd><ul>\(items)</ul></dd>")
        }
        if let reason = capture.reason {
            rows.append("<dt>Why it ran</dt><dd>\(marked: reason)</dd>")
        }
        if let times = capture.share?.times, !times.isEmpty {
            let items = times.map { time -> HTML in
                "<li><code>\(time.label)</code> \(Figure.time(time.seconds, "\(pointer)/run/stages/\(time.label)"))</li>"
            }
            rows.append("<dt>Time, summed over cores</dt><dd><ul class=\"inline\">\(items)</ul></dd>")
        }
        if !capture.warnings.isEmpty {
            rows.append(
                "<dt>Warnings</dt><dd><ul>\(capture.warnings.map { "<li>\(marked: $0)</li>" as HTML })</ul></dd>")
        }
        if !capture.notes.isEmpty {
            rows.append("<dt>Notes</dt><dd><ul>\(capture.notes.map { "<li>\(marked: $0)</li>" as HTML })</ul></dd>")
        }
        if let geometry = capture.measured.geometry {
            rows.append("<dt>Geometry</dt><dd>\(geometry.verdict): \(geometry.reason)</dd>")
        }
        if let mesh = capture.measured.mesh { rows.append("<dt>Mesh</dt><dd>\(words(on: mesh))</dd>") }
        if capture.hasResult {
            rows.append(
                """
                <dt>Result</dt><dd>\(Figure.count(capture.fileCount, "\(pointer)/files")) files, \
                \(Figure.bytes(capture.byteCount, "\(pointer)/bytes")), \
                \(link("receipt.json"))</dd>
                """)
        }
        if let loss = page.report.loss(of: capture) { rows.append("<dt>Capture</dt><dd>\(loss)</dd>") }
        for command in page.report.nextCommands(for: capture) {
            rows.append("<dt>Next</dt><dd><code class=\"command\">\(command)</code></dd>")
        }
        if let key = capture.key { rows.append("<dt>Key</dt><dd><code>\(key)</code></dd>") }
        if let tool = capture.tool { rows.append("<dt>Made by</dt><dd>\(tool)</dd>") }
        return rows.isEmpty ? HTML() : "<details><summary>more</summary><dl>\(rows)</dl></details>"
    }

    private func words(on mesh: Measured.Mesh) -> HTML {
        let at = "\(pointer)/mesh"
        var parts: [HTML] = [
            "\(Figure.count(mesh.vertices, "\(at)/vertices")) vertices",
            "\(Figure.count(mesh.triangles, "\(at)/triangles")) triangles",
            "\(Figure.measure(mesh.area, " \(mesh.unit)", "\(at)/area"))",
        ]
        if mesh.smallPieces > 0 {
            let pieces = mesh.smallPieces == 1 ? "small piece" : "small pieces"
            parts.append("without \(Figure.count(mesh.smallPieces, "\(at)/small-pieces")) \(pieces)")
        }
        return (parts + mesh.files.map(link)).joined(", ")
    }

    /// - Parameter file: in the result.
    private func link(_ file: String) -> HTML {
        "<a href=\"../../../\(HTML.address(capture.id))/\(HTML.address(file))\">\(file)</a>"
    }
}
