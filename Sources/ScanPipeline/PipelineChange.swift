import ScanModel

/// How a pipeline differs from the one that made a result, in words.
enum PipelineChange {
    static func text(from old: JSONValue?, to new: Pipeline) -> String {
        text(from: old, to: new.resolved, chosen: new.steps.map(\.chosen))
    }

    /// - Parameters:
    ///   - new: resolved, as records of runs keep it.
    ///   - chosen: of each stage, the options that the pipeline itself sets; nil where nobody knows, and any may be.
    static func text(from old: JSONValue?, to new: JSONValue?, chosen: [Set<String>]? = nil) -> String {
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
        // A receipt has the defaults too: one that it lacks came with a newer version, and is nobody's change.
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
        return changes.isEmpty ? "a stage makes other results than before" : changes.joined(separator: ", ")
    }

    /// What to say of stages that are the same by their names alone.
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
