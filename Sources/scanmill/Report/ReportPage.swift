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
                \(skip)\(ReportHeader(page: self).html)
                \(LookFirst(page: self).html)
                \(FigureSections(report: report).html)
                \(CaptureWall(page: self).html)
                \(cards.map { "<section id=\"cards\"><h2>Capture by capture</h2>\($0)</section>" as HTML })
                \(Provenance(report: report).html)
                """)
    }

    /// The first stop for whoever goes through the page with the keyboard, and seen only then.
    private var skip: HTML {
        report.findings.isEmpty ? HTML() : "<a class=\"skip\" href=\"#look\">What to look at first</a>"
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

    /// What can be done, as a paragraph of its own.
    /// - Parameter whose: the captures that it is for, where others need something else.
    static func fix(_ words: String, for whose: HTML? = nil) -> HTML {
        """
        <p class="fix"><span class="muted">fix\(whose == nil ? "" : " for")</span>\(whose.map { " \($0):" }) \
        \(marked: Wording.capitalised(words))\(Wording.fullStop(behind: words))</p>
        """
    }
}
