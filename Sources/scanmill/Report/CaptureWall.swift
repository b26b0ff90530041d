import ScanModel

/// A tile for every capture: to see them all, and to find one. Chips filter without a script; sorting and searching need
/// one, which looks at the tiles only when asked.
struct CaptureWall {
    let page: ReportPage

    /// A browser lays out only the groups that are in sight. The number has many divisors, so that a group fills its
    /// last row at most widths.
    private static let groupSize = 240

    private var report: NightReport { page.report }

    var html: HTML {
        if report.captures.isEmpty { return HTML() }
        let tiles = Parallel.map(report.captures.count, tile)
        let groups = stride(from: 0, to: tiles.count, by: Self.groupSize).map { start -> HTML in
            // The first group is drawn at once; the others' height is guessed until they come into sight.
            "<ul class=\"g\(start > 0 ? " far" : "")\">\(Array(tiles[start..<min(tiles.count, start + Self.groupSize)]))</ul>"
        }
        return """
            <section id="wall"><h2>Every capture</h2><div class="chips" role="radiogroup" aria-label="which captures">\(chips)</div>
            <div class="tools" id="tools" hidden><label>sort by <select id="sort"><option value="">name</option>\
            <option value="b">order of the run</option><option value="k">frames kept</option>\
            <option value="q">sharpness</option><option value="p">path length</option><option value="t">time taken</option>\
            </select></label> <label>find <input id="find" type="search" placeholder="name or device" size="16"></label> \
            <span id="found" role="status"></span></div><div class="wall" id="tiles">\(groups)</div></section>
            """
    }

    private var chips: [HTML] {
        let summary = report.summary
        var chips: [(name: String, count: Int, pointer: String)] = [
            ("all", summary.captures, "captures"), ("ready", summary.ready, "ready"), ("look", summary.look, "look"),
            ("failed", summary.failed, "failed"), ("waiting", summary.waiting, "waiting"),
        ]
        // Where all ran they are all.
        if isOfMore { chips.append(("ran", summary.ran, "ran")) }
        return chips.filter { $0.name == "all" || $0.count > 0 }.map { name, count, pointer in
            """
            <label class="chip"><input type="radio" name="show" id="show-\(name)" value="\(name)"\
            \(name == "all" ? " checked" as HTML : HTML())><span>\(name == "ran" ? "this run" : name) \
            \(Figure.count(count, "/summary/\(pointer)"))</span></label>
            """
        }
    }

    /// Whether the report shows captures that did not run in this run, beside some that did.
    private var isOfMore: Bool { report.summary.ran > 0 && report.summary.ran < report.summary.captures }

    private func tile(_ index: Int) -> HTML {
        let capture = report.captures[index]
        let measured = capture.measured
        // Of one that failed or waits the frames are those of an older result.
        let frames = capture.status == .ready || capture.status == .look ? capture.frames : nil
        let numbers: [(String, Double?)] = [
            ("b", capture.share?.begin), ("k", frames?.keptShare), ("q", measured.sharpness?.median),
            ("p", measured.motion?.pathLength), ("t", capture.share?.seconds),
        ]
        let data = numbers.map { name, value -> HTML in
            value.map { " data-\(name)=\"\(JSONWriter.number($0.rounded(decimals: 3)))\"" as HTML } ?? HTML()
        }
        let device: HTML = capture.device.map { " data-d=\"\($0)\"" } ?? HTML()
        let kept = frames.map {
            "\(Figure.share($0.keptShare, "/captures/\(index)/frames/kept-share")) kept" as HTML
        }
        return """
            <li class="t \(capture.status.rawValue)\(isOfMore && capture.share != nil ? " ran" : "")"\(data)\(device)><a href="\(page.link(index))">\
            \(ThumbnailView.tile(capture.thumbnails, page.sheets.place(of: index)))<b><bdi>\(capture.id)</bdi></b>\
            <small>\(capture.status == .ready ? HTML() : ReportPage.pill(capture.status))\(kept)</small></a></li>

            """
    }
}
