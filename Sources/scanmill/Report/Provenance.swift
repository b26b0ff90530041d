import ScanModel
import ScanPipeline

/// Which tool and which pipeline made the results.
struct Provenance {
    let report: NightReport

    var html: HTML {
        let text = report.pipeline.map { String(decoding: JSONWriter.text($0), as: UTF8.self) }
        let tools = Dictionary(grouping: report.captures.compactMap(\.tool), by: \.self).mapValues(\.count)
        let made = tools.sorted { $0.key < $1.key }.map { "\(Wording.count($0.value, "result")) by \($0.key)" }
        let current = report.pipeline.map(Digest.of)
        let others = report.captures.count { $0.pipeline != nil && $0.pipeline != current }
        // One that was begun and left has a reason too, and an older result or none.
        let reasons = report.captures.filter { [.ready, .look].contains($0.status) }.compactMap(\.reason)
        let again = PipelineChange.updates(among: reasons).map { "\(Wording.count($0.count, "result")): \($0.reason)" }
        let settings = report.run?.command?.settings ?? []
        return """
            <section id="provenance"><h2>Where this comes from</h2><dl>
            <dt>Report</dt><dd>\(Tool.nameAndVersion); its numbers are in <a href="\(NightReport.fileName)"><code>\(NightReport.fileName)</code></a></dd>
            <dt>Results</dt><dd>\(made.isEmpty ? "none" : made.joined(separator: ", ")); each has its <code>receipt.json</code> \
            with the digests of everything that went in and came out</dd>
            \(again.isEmpty ? HTML() : "<dt>Made again</dt><dd>\(again.joined(separator: "; "))</dd>" as HTML)
            \((report.run?.command?.pipeline).map { "<dt>Pipeline</dt><dd><code>\($0)</code>\(settings.isEmpty ? "" : ", changed by \(settings.joined(separator: ", "))")</dd>" as HTML })
            \(others > 0 ? "<dt>Other pipelines</dt><dd>\(Wording.count(others, "result")) \(others.isOrAre) from another version of the pipeline than this</dd>" as HTML : HTML())
            \(report.run.map { "<dt>Run</dt><dd><code>\($0.name)</code></dd>" as HTML })</dl>
            \(text.map { "<details><summary>The pipeline with every option</summary><pre>\(lines: $0)</pre></details>" as HTML })</section>
            """
    }
}
