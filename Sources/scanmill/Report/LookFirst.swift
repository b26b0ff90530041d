import ScanModel
import ScanPipeline

/// What a person should look at, one card per cause, with what proves it and the next command.
struct LookFirst {
    let page: ReportPage

    /// Causes beyond this many get one line each.
    private static let mostCards = 12
    /// Captures beyond this many are only counted; the wall shows them all.
    private static let mostNames = 40
    /// Fixes beyond this many are only counted, and so are the captures of each.
    private static let mostFixes = 5
    private static let mostNamed = RunRecord.Command.mostNamed

    private var report: NightReport { page.report }

    var html: HTML {
        if report.findings.isEmpty { return HTML() }
        let cards = report.findings.prefix(Self.mostCards).indices.map(card)
        let rest = report.findings.indices.dropFirst(Self.mostCards).map { index -> HTML in
            let group = report.findings[index]
            return "<li id=\"g\(index)\">\(marked: group.title): \(names(group.findings[...]))</li>"
        }
        let more: HTML =
            rest.isEmpty
            ? HTML()
            : "<details class=\"more\"><summary>\(rest.count) more, one line each</summary><ul>\(rest)</ul></details>"
        let folder = report.run?.command.map {
            "<p class=\"muted\">Run the commands in <code>\($0.folder)</code>.</p>" as HTML
        }
        return "<section id=\"look\"><h2>Look at these first</h2>\(folder)\(cards)\(more)</section>"
    }

    private func card(_ index: Int) -> HTML {
        let group = report.findings[index]
        guard let worst = group.findings.first else { return HTML() }
        let capture = report.captures[worst.capture]
        let fixes = group.fixes(report.captures)
        let loss = report.loss(of: capture).map { "<p class=\"muted\">\($0)</p>" as HTML }
        let others = group.findings.dropFirst()
        let rest: HTML =
            others.isEmpty
            ? HTML()
            : "<details><summary>\(others.count) more with this cause</summary><p>\(names(others))</p></details>"
        return """
            <article class="finding \(capture.status.rawValue)" id="g\(index)">\(picture(capture, group.kind))<div class="words">\
            <p class="name">\(ReportPage.pill(capture.status)) <a href="\(page.link(worst.capture))"><bdi>\(capture.id)</bdi></a>\
            \(rank(of: worst, in: group, index))</p><h3>\(marked: group.title)</h3><p>\(marked: worst.text)</p>\
            \(fixed(group, fixes))\(next(capture, group))\(loss)\(rest)</div>\(headline(worst, index))\
            <div class="proof">\(proof(worst, capture))</div></article>

            """
    }

    /// What stands behind the name of the capture that is shown: its place among those with the same cause, and whether
    /// all of it is from an earlier run.
    private func rank(of worst: Finding, in group: FindingGroup, _ index: Int) -> HTML? {
        let capture = report.captures[worst.capture]
        let age: HTML? =
            !capture.isFromBefore
            ? nil : capture.tried.map { "as before, last tried on \($0.date)" } ?? "as before"
        let parts = [place(of: worst, in: group, index), age].compactMap(\.self)
        return parts.isEmpty ? nil : " <span class=\"muted\">\(parts.joined("; "))</span>"
    }

    /// Of how many captures the one that is shown is the worst; nil for a single one. Where only some ran in this run, it
    /// is the worst of these.
    private func place(of worst: Finding, in group: FindingGroup, _ index: Int) -> HTML? {
        guard group.findings.count > 1 else { return nil }
        let isPartlyNew = group.ran > 0 && group.ran < group.findings.count
        let alike = isPartlyNew ? group.findings[..<group.ran] : group.findings[...]
        // Without weights, or where all are equal, the first is only the first by name.
        let weights = alike.map(\.weight)
        let isWorst = weights.max() == worst.weight && weights.min() != worst.weight
        let place: HTML = isWorst ? "the worst of" : alike.count == 1 ? "the one of" : "one of"
        let ran: HTML = alike.count == 1 ? HTML() : " the \(Figure.count(group.ran, "/findings/\(index)/ran")) of"
        let count = Figure.count(group.findings.count, "/findings/\(index)/count")
        let which: HTML = isPartlyNew ? "\(ran) \(count) that ran in this run" : " \(count)"
        return "\(group.isCommon ? "in most captures; " : "")\(place)\(which)"
    }

    /// What to do: in the words of the capture that is shown where it is for all of them, else with those that it is for.
    private func fixed(_ group: FindingGroup, _ fixes: [FindingGroup.Fix]) -> HTML {
        if let only = fixes.first, only.findings.count == group.findings.count {
            return ReportPage.fix(group.findings[0].fix ?? only.text)
        }
        let rows = fixes.prefix(Self.mostFixes).map {
            ReportPage.fix($0.text, for: names($0.findings[...], most: Self.mostFixes, hasValues: false))
        }
        let rest = fixes.count - Self.mostFixes
        return "\(rows)\(rest > 0 ? "<p class=\"fix muted\">and \(rest) more</p>" : HTML())"
    }

    /// The next commands, of which one tries all failures again that may succeed, and all that are copied again.
    private func next(_ capture: CaptureFacts, _ group: FindingGroup) -> HTML {
        let isFailure = group.kind == .failure || group.kind == .loss
        let others = isFailure ? group.findings.dropFirst().map { report.captures[$0.capture] } : []
        let steps = report.nextSteps(for: capture, and: others)
        if steps.commands.isEmpty { return HTML() }
        let commands = steps.commands.map { "<code class=\"command\">\($0)</code>" as HTML }
        let way = steps.isSameRun ? ": the same run again; to look at this one" : ""
        let whose =
            switch steps.tries {
            case (let count, true)?: ", for all \(Wording.grouped(count)) once they are fixed\(way)"
            case (let count, false)? where count > Self.mostNamed: ", for the first \(Self.mostNamed)"
            default: ""
            }
        return "<div class=\"next\"><span class=\"muted\">next\(whose)</span><div>\(commands)</div></div>"
    }

    private func names(_ findings: ArraySlice<Finding>, most: Int = mostNames, hasValues: Bool = true) -> HTML {
        let links = findings.prefix(most).map { finding -> HTML in
            let value = hasValues ? finding.headline.map { " (\($0.words))" } ?? "" : ""
            let id = report.captures[finding.capture].id
            return "<a href=\"\(page.link(finding.capture))\"><bdi>\(id)</bdi></a>\(value)"
        }
        let rest = findings.count - most
        return "\(links.joined(", "))\(rest > 0 ? " and \(rest) more" : "")"
    }

    private func headline(_ finding: Finding, _ index: Int) -> HTML {
        guard let headline = finding.headline else { return HTML() }
        let figure = Figure(
            pointer: "/findings/\(index)/captures/0/value", value: headline.value, words: headline.words)
        return """
            <div class="headline"><span class="muted">\(headline.label)</span><b>\(figure)</b>\
            <span class="muted">\(headline.expected)</span></div>
            """
    }

    /// The picture that shows it best.
    private func picture(_ capture: CaptureFacts, _ kind: Finding.Kind) -> HTML {
        let isOfShape = kind == .geometry || kind == .misfit
        if capture.isSeenByDrawing || isOfShape && capture.status != .failed, let file = capture.drawing {
            return """
                <div class="shot"><img loading="lazy" src="\(file)" alt="drawing of the result"></div>
                """
        }
        guard let strip = capture.thumbnails.strip else {
            return "<div class=\"shot none\"><span>\(capture.thumbnails.lack ?? "")</span></div>"
        }
        let wanted: Thumbnails.Role = kind == .blur || kind == .speed ? .blurriest : .sharpest
        let main = strip.cells.firstIndex { $0.roles.contains(wanted) } ?? 0
        let others = strip.cells.indices.filter { $0 != main }.prefix(2)
        return """
            <div class="shot">\(ThumbnailView.draw(strip, main))\
            <div class="small">\(others.map { ThumbnailView.draw(strip, $0) })</div></div>
            """
    }

    // MARK: - The drawing that proves it

    private func proof(_ finding: Finding, _ capture: CaptureFacts) -> [HTML] {
        let measured = capture.measured
        let index = finding.capture
        let path = measured.motion.flatMap(PathFromAbove.draw).map { CapturePlots.plot($0, "path from above") }
        let faces = measured.coverage.map {
            CapturePlots.plot(
                FaceCross.draw($0, "/captures/\(index)/coverage"),
                $0.sides == nil ? "cameras aimed at each face" : "pictures of each side")
        }
        let blur = measured.sharpness.map {
            CapturePlots.plot(SharpnessBars.overTime($0), "sharpness over time", wide: true)
        }
        let frames = capture.frames.flatMap { ShareBar.frames($0) }.map {
            CapturePlots.plot($0, "frames kept and dropped", wide: true)
        }
        let depth = measured.depth.map {
            CapturePlots.plot(
                DepthBars.range($0),
                "depth, \(Wording.measure($0.lowest)) to \(Wording.measure($0.highest)) \($0.unit)",
                wide: true)
        }
        let sphere = measured.coverage.flatMap(SphereMap.draw).map {
            CapturePlots.plot($0, "directions around the box")
        }
        let extent = capture.problem.flatMap(Readable.init).map {
            CapturePlots.plot(ShareBar.readable($0.share), "\($0.caption)", wide: true)
        }
        let drawings: [HTML?] =
            switch finding.kind {
            case .failure: [extent]
            case .loss: finding.headline == nil ? [] : [frames]
            case .coverage: [path, faces, sphere]
            case .jumps, .speed, .path: [path, faces, blur]
            case .blur: [path, blur]
            case .dropped: [frames, blur]
            case .depth: [depth]
            case .geometry, .misfit: [path, faces]
            case .warning: [path, faces, frames]
            }
        return drawings.compactMap(\.self)
    }
}
