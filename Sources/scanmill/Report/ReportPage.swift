import ScanModel
import ScanPipeline

/// The report as static HTML: the main page, and pages of cards where a batch has many captures.
struct ReportPage {
    /// How many cards are on one page: a browser takes about half a second for them.
    private static let cardsPerPage = 200
    static let fileName = RunRecord.pageName

    let report: NightReport
    let sheets: WallSheets

    /// How many pages of cards there are beside the main page; none when it has all the cards.
    private var cardPageCount: Int {
        report.captures.count <= Self.cardsPerPage
            ? 0 : (report.captures.count + Self.cardsPerPage - 1) / Self.cardsPerPage
    }

    /// The names of all pages, the main page last.
    var names: [String] { (0..<cardPageCount).map(pageName) + [Self.fileName] }

    /// A page, by its place in ``names``.
    func html(_ page: Int) -> HTML {
        if page == cardPageCount { return main(cards: cardPageCount > 0 ? nil : cards(report.captures.indices)) }
        let first = page * Self.cardsPerPage
        return cardPage(first..<min(report.captures.count, first + Self.cardsPerPage), page, of: cardPageCount)
    }

    /// The address of a capture's card.
    func link(_ index: Int) -> String {
        report.captures.count <= Self.cardsPerPage ? "#c\(index)" : "\(pageName(index / Self.cardsPerPage))#c\(index)"
    }

    private func pageName(_ page: Int) -> String {
        let number = String(page + 1)
        return "captures-\(String(repeating: "0", count: max(0, 3 - number.count)))\(number).html"
    }

    // MARK: - The main page

    private func main(cards: HTML?) -> HTML {
        document(
            title: "\(report.verdict.headline) – ScanMill",
            body: """
                <header>\(headerLine)<h1>\(report.verdict.headline)</h1>\(counts)\
                \(MarkStrip.draw(report, link: link))\(legend)\(notes)</header>
                \(LookFirst(page: self).html)
                \(FigureSections(report: report).html)
                \(CaptureWall(page: self).html)
                \(cards.map { "<section id=\"cards\"><h2>Capture by capture</h2>\($0)</section>" as HTML })
                \(provenance)
                """)
    }

    private var headerLine: HTML {
        var parts: [HTML] = []
        if let run = report.run, let span = RunMoment.span(RunMoment(run.began), RunMoment(run.ended)) {
            parts.append("\(span)")
        }
        if let name = report.pipeline?["name"]?.string { parts.append("<code>\(name)</code>") }
        parts.append("results in <code>\(report.run?.command?.output ?? report.output)</code>")
        let joined = parts.enumerated().map { $0 == 0 ? $1 : " · \($1)" as HTML }
        return "<p class=\"top\"><b>ScanMill</b> \(joined)</p>"
    }

    /// What is not ready, in a sentence with links.
    private var counts: HTML {
        let summary = report.summary
        var parts: [HTML] = []
        if summary.look > 0 {
            parts.append(
                """
                <a class="count look" href="#look"><b>\(Figure.count(summary.look, "/summary/look"))</b> \
                \(summary.look == summary.captures ? "to look at" : summary.look == 1 ? "needs a look" : "need a look")</a>
                """)
        }
        if summary.failed > 0 {
            parts.append(
                "<a class=\"count failed\" href=\"#look\"><b>\(Figure.count(summary.failed, "/summary/failed"))</b> failed</a>"
            )
        }
        if summary.waiting > 0 {
            parts.append(
                """
                <span class="count"><b>\(Figure.count(summary.waiting, "/summary/waiting"))</b> \
                \(waiting)</span>\(older)
                """)
        }
        let list = parts.enumerated().map { number, part -> HTML in
            number == 0 ? part : number == parts.count - 1 ? " and \(part)" : ", \(part)"
        }
        let shared = report.verdict.shared
        var sentence: HTML
        if parts.isEmpty {
            sentence = shared.map { "Nothing failed; \(marked: $0)." } ?? "Nothing failed, and nothing is odd."
        } else {
            sentence = "\(list)."
            if let shared { sentence += " \(marked: Wording.capitalised(shared))." }
        }
        if let standsOut = report.verdict.standsOut {
            sentence +=
                report.verdict.group.map { " <a href=\"#g\($0)\">\(marked: standsOut)</a>" as HTML } ?? " \(standsOut)"
        }
        if summary.ran > 0 && summary.ran < summary.captures {
            sentence += """
                 <span class="muted">\(Figure.count(summary.ran, "/summary/ran")) ran in this run; \(others).</span>
                """
        }
        return "<p class=\"verdict\">\(sentence)</p>"
    }

    /// What is said of the waiting captures.
    private var waiting: String {
        let summary = report.summary
        if summary.unreadable == summary.waiting { return "unreadable" }
        if summary.unreadable > 0 { return "waiting or unreadable" }
        if summary.excluded == summary.waiting { return "left out" }
        if summary.excluded > 0 { return "waiting or left out" }
        return summary.older == 0 ? "not run yet" : "wait\(summary.waiting == 1 ? "s" : "") for another run"
    }

    /// How many of the waiting captures have a result that is not what a run would make now.
    private var older: HTML {
        let (older, waiting) = (report.summary.older, report.summary.waiting)
        if older == 0 { return HTML() }
        if waiting == 1 { return " (an older result is there)" }
        return " (\(Figure.count(older, "/summary/older-results")) with an older result)"
    }

    /// What became of the captures that did not run.
    private var others: HTML {
        let others = report.captures.filter { $0.share == nil }
        if others.allSatisfy(\.hasResult) { return "the others are as earlier runs left them" }
        if others.contains(where: \.hasResult) {
            return "of the others, those that have a result are as earlier runs left them"
        }
        return "the others did not"
    }

    private var legend: HTML {
        """
        <p class="legend"><span class="key ready"></span>ready <span class="key look"></span>look \
        <span class="key failed"></span>failed \(report.summary.waiting > 0 ? "<span class=\"key waiting\"></span>waiting " as HTML : HTML())\
        <span class="muted aside">one mark per capture, in the order in which they ran</span></p>
        """
    }

    /// Warnings that most captures have, and what follows from the pipeline: neither says anything about one capture.
    private var notes: HTML {
        let warnings = report.commonWarnings.enumerated().map { index, warning -> HTML in
            """
            <li>\(Figure.count(warning.count, "/common-warnings/\(index)/captures")) captures say: \(marked: warning.text)</li>
            """
        }
        let notes = report.notes.enumerated().map { index, note -> HTML in
            """
            <li>\(Figure.count(note.count, "/notes/\(index)/captures")) capture\(note.count == 1 ? "" : "s"): \(marked: note.text)</li>
            """
        }
        let items = warnings + notes
        return items.isEmpty ? HTML() : "<ul class=\"notes\">\(items)</ul>"
    }

    // MARK: - Cards

    private func cards(_ range: Range<Int>) -> HTML { "\(range.map { CaptureCard(page: self, index: $0).html })" }

    private func cardPage(_ range: Range<Int>, _ page: Int, of pages: Int) -> HTML {
        let before = page > 0 ? "<a href=\"\(pageName(page - 1))\" rel=\"prev\">← before</a> " as HTML : HTML()
        let after = page + 1 < pages ? " <a href=\"\(pageName(page + 1))\" rel=\"next\">after →</a>" as HTML : HTML()
        return document(
            title: "Captures \(range.lowerBound + 1) to \(range.upperBound) – ScanMill",
            body: """
                <header><p class="top"><b>ScanMill</b> <a href="\(Self.fileName)">the whole report</a></p>\
                <h1>Captures \(range.lowerBound + 1) to \(range.upperBound) of \(Wording.grouped(report.captures.count))</h1>\
                <p>\(before)\(after)</p></header>\(cards(range))<p>\(before)\(after)</p>
                """)
    }

    // MARK: - Provenance

    private var provenance: HTML {
        let text = report.pipeline.map { String(decoding: JSONWriter.text($0), as: UTF8.self) }
        let tools = Dictionary(grouping: report.captures.compactMap(\.tool), by: \.self).mapValues(\.count)
        let made = tools.sorted { $0.key < $1.key }.map { "\(Wording.count($0.value, "result")) by \($0.key)" }
        let current = report.pipeline.map(Digest.of)
        let others = report.captures.count { $0.pipeline != nil && $0.pipeline != current }
        let settings = report.run?.command?.settings ?? []
        return """
            <section id="provenance"><h2>Where this comes from</h2><dl>
            <dt>Report</dt><dd>\(Tool.nameAndVersion); its numbers are in <a href="\(NightReport.fileName)"><code>\(NightReport.fileName)</code></a></dd>
            <dt>Results</dt><dd>\(made.isEmpty ? "none" : made.joined(separator: ", ")); each has its <code>receipt.json</code> \
            with the digests of everything that went in and came out</dd>
            \((report.run?.command?.pipeline).map { "<dt>Pipeline</dt><dd><code>\($0)</code>\(settings.isEmpty ? "" : ", changed by \(settings.joined(separator: ", "))")</dd>" as HTML })
            \(others > 0 ? "<dt>Other pipelines</dt><dd>\(Wording.count(others, "result")) \(others.isOrAre) from another version of the pipeline than this</dd>" as HTML : HTML())
            \(report.run.map { "<dt>Run</dt><dd><code>\($0.name)</code></dd>" as HTML })</dl>
            \(text.map { "<details><summary>The pipeline with every option</summary><pre>\($0)</pre></details>" as HTML })</section>
            """
    }

    // MARK: - The frame of every page

    /// Nothing is loaded but pictures beside the page, and no script runs but the page's own.
    private func document(title: String, body: HTML) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' file: data:; \
        style-src 'unsafe-inline'; script-src '\(ReportScript.fingerprint)'">
        <meta name="color-scheme" content="light dark"><meta name="generator" content="\(Tool.nameAndVersion)">
        <link rel="icon" href="data:,"><title>\(title)</title><style>\(HTML(trusted: ReportStyle.text))</style></head>
        <body><main>
        \(body)
        </main><script>\(HTML(trusted: ReportScript.text))</script></body></html>

        """
    }
}

extension ReportPage {
    /// A mark with a word, so that colour is not the only sign.
    static func pill(_ status: CaptureFacts.Status) -> HTML {
        "<span class=\"pill \(status.rawValue)\">\(Wording.capitalised(status.rawValue))</span>"
    }

    /// What a person would type next.
    func commands(_ capture: CaptureFacts) -> [String] {
        guard let input = capture.input, !capture.isLost else { return [] }
        // A name that is not text cannot be typed.
        if FileSystem.isMended(FileSystem.path(input, from: report.run?.command?.folder ?? ".")) { return [] }
        var commands: [String] = []
        if let run = report.run, var command = run.command {
            let only = PublishedResult.only(capture.id)
            if capture.status == .failed {
                if capture.needsForce, !command.further.contains("--force") { command.further.append("--force") }
                // A wrong request would only fail again.
                if capture.problem?.fault != .usage, capture.problem?.isOfPipeline != true,
                    OutputFolder.defect(ofID: capture.id) == nil
                {
                    commands.append(command.again([input], only))
                }
            } else if capture.status != .waiting,
                let remedy = capture.warnings.firstNonNil(Hole.init)?.remedy(in: run.pipeline)
            {
                // The capture itself has no hole, so that a look at it tells nothing.
                command.settings = remedy.added(to: command.settings)
                commands.append(command.again([input], only))
            }
        }
        return commands + [Wording.command(["scanmill", "inspect", CommandWords.path(input)])]
    }
}
