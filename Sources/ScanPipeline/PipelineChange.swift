import ScanModel

/// How a pipeline differs from the one that made a result, in words.
enum PipelineChange {
    /// - Parameter revisions: those of the stages that made the result; nil where they were not kept.
    static func text(from old: JSONValue?, to new: Pipeline, revisions: [Int]?) -> String {
        text(
            from: old, to: new.resolved, revisions: (before: revisions, after: new.steps.map(\.revision)),
            chosen: new.steps.map(\.chosen))
    }

    /// - Parameters:
    ///   - new: resolved, as records of runs keep it.
    ///   - revisions: those of the stages of both; nil where they were not kept.
    ///   - chosen: for each stage, the options that the pipeline itself sets; nil where these are not known, and any
    ///     may be set.
    static func text(
        from old: JSONValue?, to new: JSONValue?, revisions: (before: [Int]?, after: [Int]?),
        chosen: [Set<String>]? = nil
    ) -> String {
        let before = stages(old)
        let after = stages(new)
        if before.map(\.name) != after.map(\.name) {
            let came = after.map(\.name).filter { !before.map(\.name).contains($0) }
            let went = before.map(\.name).filter { !after.map(\.name).contains($0) }
            if came.isEmpty && went.isEmpty { return rearranged(before.map(\.name), after.map(\.name)) }
            let parts = [
                came.isEmpty ? nil : "new: " + came.joined(separator: ", "),
                went.isEmpty ? nil : "gone: " + went.joined(separator: ", "),
            ]
            return "the stages changed (\(parts.compactMap(\.self).joined(separator: "; ")))"
        }
        var changes: [String] = []
        if old?["name"]?.string != new?["name"]?.string { changes.append("the pipeline's name changed") }
        // A receipt has the defaults too: an option that it lacks came with a newer version, and nobody changed it.
        var renewed: [String] = []
        let labels = Pipeline.labels(of: after.map(\.name))
        for (index, label) in labels.enumerated() {
            let (a, b) = (before[index].options, after[index].options)
            for key in Set(a.keys).union(b.keys).sorted() where a[key] != b[key] {
                if a[key] == nil, let chosen, !chosen[index].contains(key) {
                    if renewed.last != label { renewed.append(label) }
                } else {
                    changes.append("\(label).\(key) changed from \(word(a[key])) to \(word(b[key]))")
                }
            }
        }
        if !renewed.isEmpty { changes.append("this version of ScanMill has more options for \(renewed.listed)") }
        if !changes.isEmpty { return changes.joined(separator: ", ") }
        // The pipelines are the same, so only another version of ScanMill can make a difference.
        let revised = zip(labels, zip(revisions.before ?? [], revisions.after ?? [])).filter { $1.0 != $1.1 }.map(\.0)
        return "since an update, ScanMill makes other results in \(revised.isEmpty ? "a stage" : revised.listed)"
    }

    /// What to say where the same stage names come in another order or number.
    private static func rearranged(_ before: [String], _ after: [String]) -> String {
        if before.sorted() == after.sorted() { return "the stages stand in another order" }
        let (few, many) = (counts(before), counts(after))
        let changed = many.keys.sorted().filter { few[$0] != many[$0] }
        return changed.map { "`\($0)` stands there \(times(many[$0])), before \(times(few[$0]))" }.joined(
            separator: ", ")
    }

    private static func counts(_ names: [String]) -> [String: Int] {
        Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }

    private static func times(_ count: Int?) -> String { count == 1 ? "once" : "\(count ?? 0) times" }

    private static func stages(_ pipeline: JSONValue?) -> [(name: String, options: JSONObject)] {
        (pipeline?["stages"]?.array ?? []).map { ($0["name"]?.string ?? "", $0["options"]?.object ?? JSONObject()) }
    }

    private static func word(_ value: JSONValue?) -> String {
        guard let value else { return "nothing" }
        return String(decoding: JSONWriter.text(value, pretty: false), as: UTF8.self)
    }
}
