import ScanModel
import ScanPipeline

/// The sections that look at the batch as a whole: figures against earlier runs, devices, stages, time.
struct FigureSections {
    let report: NightReport

    var html: HTML { "\(figures)\(devices)\(stages)\(timeline)" }

    // MARK: - This run's figures

    private var figures: HTML {
        let summary = report.summary
        guard summary.ran > 0 || summary.frames.source > 0 else { return HTML() }
        let title =
            report.trends.contains { $0.usual != nil }
            ? "Against the last \(Wording.count(report.earlierCount, "run"))" : "In figures"
        var cards: [HTML] = []
        if summary.ran > 0 {
            cards.append(
                card(
                    "Captures ready", "\(Figure.count(summary.runReady, "/summary/run-ready"))",
                    "of \(Figure.count(summary.ran, "/summary/ran")) that ran", .ready))
        }
        let ofRun = summary.ran > 0
        let frames = ofRun ? summary.runFrames : summary.frames
        let at = ofRun ? "/summary/run-frames" : "/summary/frames"
        if let share = frames.keptShare {
            cards.append(
                card(
                    "Frames kept", "\(Figure.share(share, "\(at)/kept-share"))",
                    "\(Figure.count(frames.kept, "\(at)/kept")) of \(Figure.count(frames.source, "\(at)/source"))",
                    .kept))
        }
        if let seconds = summary.seconds, summary.ran > 0 {
            let rate = summary.capturesPerMinute.map {
                "\(Figure.measure($0, "", "/summary/captures-per-minute")) captures a minute" as HTML
            }
            let memory = summary.peakBytes.map {
                "at most \(Figure.bytes($0, "/summary/peak-bytes")) of memory each" as HTML
            }
            let words = [rate, memory].compactMap(\.self).joined(", ")
            cards.append(card("Time", "\(Figure.time(seconds, "/summary/seconds"))", words, .time))
        }
        let bytes = ofRun ? summary.runBytes : summary.bytes
        cards.append(
            card(
                "Written", "\(Figure.bytes(bytes, ofRun ? "/summary/run-bytes" : "/summary/bytes"))",
                "\(Figure.bytes(summary.bytes, "/summary/bytes")) in all", .written))
        return "<section id=\"figures\"><h2>\(title)</h2><div class=\"trends\">\(cards)</div></section>"
    }

    private func card(_ name: String, _ value: HTML, _ detail: HTML, _ kind: Trend.Kind) -> HTML {
        let index = report.trends.firstIndex { $0.kind == kind }
        let trend = index.map { report.trends[$0] }
        let change = trend.flatMap { trend -> HTML? in
            guard let change = trend.change, let index else { return nil }
            // More time is bad news, more of everything else is good.
            let isBad = kind == .time ? trend.side > 0 : trend.side < 0 && kind != .written
            let figure = Figure(
                pointer: "/trends/\(index)/change", value: change, words: Self.words(change, kind))
            let tone = isBad ? "bad" : trend.side == 0 || kind == .written ? "" : "good"
            let runs = trend.history.count < report.earlierCount ? " of runs of about this size" : ""
            return "<p><b class=\"\(tone)\">\(figure)</b> <span class=\"muted\">against the usual\(runs)</span></p>"
        }
        return """
            <div class="trend"><p>\(name)</p><p class="value">\(value)</p><p class="muted">\(detail)</p>\(change)\
            \(trend.flatMap(SparkLine.draw))</div>
            """
    }

    private static func words(_ change: Double, _ kind: Trend.Kind) -> String {
        let sign = change < 0 ? "−" : "+"
        switch kind {
        case .ready, .kept: return "\(sign)\((abs(change) * 100).fixedText(decimals: 1))\(Wording.thin)pt"
        case .time: return sign + Wording.time(abs(change))
        case .written: return sign + Wording.size(Int64(min(9e18, abs(change))))
        }
    }

    // MARK: - Devices

    private var devices: HTML {
        let hasUsual = report.devices.contains { $0.usual.isKnown }
        guard report.devices.count > 1 || hasUsual else { return HTML() }
        let hasSharpness = report.devices.contains { $0.sharpness != nil }
        let values = report.devices.flatMap { [$0.sharpness, $0.usual.sharpness?.high] }.compactMap(\.self)
        let end = (values.max() ?? 1) * 1.05
        let rows = report.devices.enumerated().map { index, row -> HTML in
            let at = "/devices/\(index)"
            let dropped = row.droppedShare.map { share in
                Self.cells(
                    "frames dropped", Figure.share(share, "\(at)/dropped-share"), usual: row.usual.droppedShare, end: 1
                ) { share > $0.high + 0.05 }
            }
            let sharp = row.sharpness.map { value in
                Self.cells(
                    "median sharpness", Figure.measure(value, "", "\(at)/sharpness"), usual: row.usual.sharpness,
                    end: end
                ) { value < $0.low && value < 0.7 * $0.median }
            }
            return """
                <tr><th scope="row"><bdi>\(row.name)</bdi></th><td class="n">\(Figure.count(row.captures, "\(at)/captures"))</td>\
                <td class="n">\(Figure.count(row.odd, "\(at)/odd"))</td>\(dropped ?? Self.nothing)\
                \(hasSharpness ? sharp ?? Self.nothing : HTML())</tr>
                """
        }
        return """
            <section id="devices"><h2>Device by device</h2><p class="muted">\
            \(hasUsual ? "Grey: the middle half of this device's earlier runs." : "What is usual for each is shown after \(Statistics.fewestRuns) runs.")</p>\
            <div class="scroll"><table><thead><tr><th scope="col">device</th><th scope="col" class="n">captures</th>\
            <th scope="col" class="n">look or failed</th>\(Self.head("frames dropped"))\
            \(hasSharpness ? Self.head("median sharpness") : HTML())</tr></thead><tbody>\(rows)</tbody></table></div></section>
            """
    }

    /// A figure behind its drawing, in two cells of the table.
    /// - Parameters:
    ///   - end: the value at the drawing's right end.
    ///   - isOdd: whether it is unlike what is usual for the device.
    private static func cells(
        _ what: String, _ figure: Figure, usual: Statistics.Band?, end: Double, isOdd: (Statistics.Band) -> Bool
    ) -> HTML {
        let isOdd = usual.map(isOdd) ?? false
        let dot = BandDot.draw(
            figure.value, usual: usual, end: end, isOdd: isOdd, label: "\(what): \(figure.words)")
        return "<td class=\"draw\">\(dot)</td><td class=\"n\(isOdd ? " odd" : "")\">\(figure)</td>"
    }

    private static let nothing: HTML = "<td class=\"draw\"></td><td class=\"n\">–</td>"

    /// Above the figure: a narrow page has no drawing.
    private static func head(_ title: String) -> HTML {
        "<td class=\"draw\"></td><th scope=\"col\" class=\"n\">\(title)</th>"
    }

    // MARK: - Stages

    private var stages: HTML {
        guard let first = report.stages.first else { return HTML() }
        let all = max(1, first.framesIn)
        let rows = report.stages.enumerated().map { index, row -> HTML in
            let at = "/stages/\(index)"
            let time = row.seconds.map { Figure.time($0, "\(at)/seconds").html } ?? "–"
            if row.isAround {
                let what = row.label == StageClock.digests ? "digests of the input files" : "receipt and publishing"
                return
                    "<tr><th scope=\"row\" class=\"around\">\(what)</th><td></td><td></td><td></td><td class=\"why\"></td><td class=\"n\">\(time)</td></tr>"
            }
            let kept = Double(row.framesOut) / Double(all) * 240
            let lost = Double(row.dropped) / Double(all) * 240
            let failed: [HTML] =
                row.failed == 0
                ? [] : ["\(Figure.counted(row.failed, "capture", "\(at)/failed")) failed here"]
            let dropped = row.reasons.prefix(2).enumerated().map { number, reason -> HTML in
                "\(Figure.count(reason.count, "\(at)/reasons/\(number)/frames")) × \(marked: reason.reason)"
            }
            return """
                <tr><th scope="row">\(row.label)</th><td class="n">\(Figure.count(row.framesIn, "\(at)/frames-in"))</td>\
                <td class="n">\(Figure.count(row.framesOut, "\(at)/frames-out"))</td><td class="draw">\
                <svg class="share" viewBox="0 0 240 12" preserveAspectRatio="none" aria-hidden="true">\
                <rect class="rest" x="0" y="0" width="240" height="12"/><rect class="ready" x="0" y="0" width="\(kept)" height="12"/>\
                <rect class="look" x="\(kept)" y="0" width="\(lost)" height="12"/></svg></td>\
                <td class="why">\((failed + dropped).joined("; "))</td><td class="n">\(time)</td></tr>
                """
        }
        let hasTimes = report.stages.contains { $0.seconds != nil }
        let summary = report.summary
        let note: HTML =
            !hasTimes
            ? "Times are measured by runs; this report has none."
            : summary.ran == summary.captures
                ? "Time is summed over cores."
                : """
                Frames and failures are those of all captures in OUT; time is that of the \
                \(Figure.counted(summary.ran, "capture", "/summary/ran")) that ran in this run, summed over cores.
                """
        return """
            <section id="stages"><h2>Where frames and time went</h2><p class="muted">\(note)</p><div class="scroll"><table>\
            <thead><tr><th scope="col">stage</th><th scope="col" class="n">frames in</th><th scope="col" class="n">frames out</th>\
            <th scope="col"></th><th scope="col">why</th><th scope="col" class="n">time</th></tr></thead><tbody>\(rows)</tbody></table></div></section>
            """
    }

    // MARK: - Time

    private var timeline: HTML {
        guard let drawing = Timeline.draw(report.captures, seconds: report.summary.seconds) else { return HTML() }
        let longest = report.captures.indices.filter { report.captures[$0].share != nil }
            .sorted { (report.captures[$0].share?.seconds ?? 0) > (report.captures[$1].share?.seconds ?? 0) }.prefix(3)
        let names = longest.map { index -> HTML in
            let capture = report.captures[index]
            let time = Figure.time(capture.share?.seconds ?? 0, "/captures/\(index)/run/seconds")
            return "<bdi>\(capture.id)</bdi> \(time)"
        }
        return """
            <section id="time"><h2>The run over time</h2>\(drawing)<p class="muted">One bar per capture. The longest: \(names.joined(", ")).</p></section>
            """
    }
}
