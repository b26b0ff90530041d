import ScanModel
import ScanPipeline

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
            let text = FindingRules.sentences(problem.notes + (olderResult(besides: problem).map { [$0] } ?? []))
            return """
                <p><b>\(marked: Wording.capitalised(problem.oneLine))</b>.\(marked: text.isEmpty ? "" : " \(text)")</p>\
                \(problem.fix.map { ReportPage.fix($0) })
                """
        }
        if let wait = capture.wait, let why = wait.why {
            let said =
                wait.isUnreadable
                ? why : capture.hasResult ? "an older result is there: \(why)" : "it has no result: \(why)"
            return "<p>\(marked: FindingRules.sentences([said]))</p>"
        }
        let reasons = (page.report.findingsOf[index] ?? []).map { group, finding -> HTML in
            let title = page.report.findings[group].title
            let text = finding.text.isEmpty ? "" : "\(Wording.fullStop(behind: title)) \(finding.text)"
            return "<li><b>\(marked: title)</b>\(marked: text)</li>"
        }
        return reasons.isEmpty ? HTML() : "<ul class=\"why-look\">\(reasons)</ul>"
    }

    /// That the result is an older one, where the notes of the capture's problem do not say so.
    private func olderResult(besides problem: Problem) -> String? {
        guard capture.hasResult, capture.failure?.damage != .lost else { return nil }
        let words = Problem.nothingPublished(of: capture.id, older: "")
        return problem.notes.contains { $0.hasPrefix(words) } ? nil : "the result that is there is from an earlier run"
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
                <dt>Result</dt><dd>\(Figure.counted(capture.fileCount, "file", "\(pointer)/files")), \
                \(Figure.bytes(capture.byteCount, "\(pointer)/bytes")), \
                \(link("receipt.json"))</dd>
                """)
        }
        if let loss = page.report.loss(of: capture) { rows.append("<dt>Capture</dt><dd>\(loss)</dd>") }
        for command in page.report.nextSteps(for: capture).commands {
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
            Figure.counted(mesh.triangles, "triangle", "\(at)/triangles"),
            "\(Figure.measure(mesh.area, " \(mesh.unit)", "\(at)/area"))",
        ]
        if mesh.smallPieces > 0 {
            parts.append("without \(Figure.counted(mesh.smallPieces, "small piece", "\(at)/small-pieces"))")
        }
        return (parts + mesh.files.map(link)).joined(", ")
    }

    /// - Parameter file: in the result.
    private func link(_ file: String) -> HTML {
        "<a href=\"../../../\(HTML.address(capture.id))/\(HTML.address(file))\">\(file)</a>"
    }
}
