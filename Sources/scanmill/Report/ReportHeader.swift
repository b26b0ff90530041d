import ScanModel

/// The verdict, one mark for each capture, and what is said of the batch as a whole.
struct ReportHeader {
    let page: ReportPage

    private var report: NightReport { page.report }

    var html: HTML {
        """
        <header>\(line)<h1>\(report.verdict.headline)</h1>\(counts)\
        \(MarkStrip.draw(report, link: page.link))\(legend)\(notes)</header>
        """
    }

    /// When the run was, its pipeline, and where the results are.
    private var line: HTML {
        var parts: [HTML] = []
        if let span = report.run?.span { parts.append("\(span)") }
        if let name = report.pipeline?["name"]?.string { parts.append("<code>\(name)</code>") }
        parts.append("results in <code>\(report.run?.command?.output ?? report.output)</code>")
        return "<p class=\"top\"><b>ScanMill</b> \(parts.joined(" · "))</p>"
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
                """
                <a class="count failed" href="#look"><b>\(Figure.count(summary.failed, "/summary/failed"))</b> failed</a>\
                \(new)
                """)
        }
        if summary.waiting > 0 {
            parts.append(
                """
                <a class="count" href="#wall"><b>\(Figure.count(summary.waiting, "/summary/waiting"))</b> \
                \(waiting)</a>\(kinds)
                """)
        }
        let list = parts.enumerated().map { number, part -> HTML in
            number == 0 ? part : number == parts.count - 1 ? " and \(part)" : ", \(part)"
        }
        let shared = report.verdict.shared
        var sentence: HTML
        if parts.isEmpty {
            sentence =
                shared.map { "\(marked: FindingRules.sentences(["nothing failed; \($0)"]))" }
                ?? "Nothing failed, and nothing is odd."
        } else {
            sentence = "\(list)."
            if let shared { sentence += " \(marked: FindingRules.sentences([shared]))" }
        }
        if let standsOut = report.verdict.standsOut {
            sentence +=
                report.verdict.group.map { " <a href=\"#g\($0)\">\(marked: standsOut)</a>" as HTML } ?? " \(standsOut)"
        }
        if summary.ran > 0 && summary.ran < summary.captures {
            sentence += """
                 <span class="muted">\(Figure.count(summary.ran, "/summary/ran")) ran in this run; \(others).</span>
                """
        } else if summary.ran == 0 && summary.captures > 0 && report.run?.course == .ended {
            sentence += " <span class=\"muted\">Nothing was made in this run.</span>"
        }
        return "<p class=\"verdict\">\(sentence)</p>"
    }

    /// How many of the failed captures failed in this run, where earlier ones left others.
    private var new: HTML {
        let (new, all) = (report.summary.runFailed, report.summary.failed)
        if new == all { return HTML() }
        if all == 1 { return " (in an earlier run)" }
        return new == 0
            ? " (none of them in this run)" : " (\(Figure.count(new, "/summary/run-failed")) of them in this run)"
    }

    /// What is said of the waiting captures.
    private var waiting: String {
        let summary = report.summary
        if summary.unreadable == summary.waiting { return "unreadable" }
        if summary.excluded == summary.waiting { return "left out" }
        if summary.unreadable > 0 || summary.excluded > 0 { return "waiting" }
        if summary.older > 0 { return "wait\(summary.waiting == 1 ? "s" : "") for another run" }
        // One that was stopped has run, and so has one whose result was lost since.
        let hasRun = report.captures.contains { capture in
            capture.wait.map { $0.hadResult || capture.share != nil } ?? false
        }
        return hasRun ? "without a result" : "not run yet"
    }

    /// How many of the waiting captures were left out or cannot be read, where others just wait, and how many have a
    /// result that is not what a run would make now.
    private var kinds: HTML {
        let summary = report.summary
        if summary.waiting == 1 { return summary.older == 1 ? " (an older result is there)" : HTML() }
        var kinds: [HTML] = []
        if summary.excluded > 0 && summary.excluded < summary.waiting {
            kinds.append("\(Figure.count(summary.excluded, "/summary/excluded")) left out")
        }
        if summary.unreadable > 0 && summary.unreadable < summary.waiting {
            kinds.append("\(Figure.count(summary.unreadable, "/summary/unreadable")) unreadable")
        }
        if summary.older > 0 {
            kinds.append("\(Figure.count(summary.older, "/summary/older-results")) with an older result")
        }
        return kinds.isEmpty ? HTML() : " (\(kinds.joined(", ")))"
    }

    /// What became of the captures that did not run.
    private var others: HTML {
        let others = report.captures.filter { $0.share == nil }
        let isOne = others.count == 1
        if others.allSatisfy({ $0.status == .failed && !$0.isFromBefore }) {
            return isOne ? "the other could not be begun" : "the others could not be begun"
        }
        if others.allSatisfy(\.hasResult) {
            return isOne ? "the other is as an earlier run left it" : "the others are as earlier runs left them"
        }
        if others.contains(where: \.hasResult) {
            return "of the others, those that have a result are as earlier runs left them"
        }
        return isOne ? "the other did not" : "the others did not"
    }

    private var legend: HTML {
        """
        <p class="legend"><span class="key ready"></span>ready <span class="key look"></span>look \
        <span class="key failed"></span>failed \(report.summary.waiting > 0 ? "<span class=\"key waiting\"></span>waiting " as HTML : HTML())\
        <span class="muted aside">one mark per capture, \(order)</span></p>
        """
    }

    private var order: HTML {
        let summary = report.summary
        if summary.ran == summary.captures { return "in the order in which they ran" }
        return summary.ran == 0
            ? "by name" : "those that did not run first, then the others in the order in which they ran"
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
            <li>\(Figure.counted(note.count, "capture", "/notes/\(index)/captures"))\(names(of: note)): \
            \(marked: note.text)</li>
            """
        }
        let items = warnings + notes
        return items.isEmpty ? HTML() : "<ul class=\"notes\">\(items)</ul>"
    }

    /// Which captures a note is about, where they are few.
    private func names(of note: (text: String, count: Int, first: [Int])) -> HTML {
        if note.count > note.first.count || note.count == report.summary.captures { return HTML() }
        let links = note.first.map { place -> HTML in
            "<a href=\"\(page.link(place))\"><bdi>\(report.captures[place].id)</bdi></a>"
        }
        return " (\(links.joined(", ")))"
    }
}
