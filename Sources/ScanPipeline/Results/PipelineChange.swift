import ScanModel

/// How a pipeline differs from the one that made a result, in words.
package enum PipelineChange {
    /// - Parameter revisions: those of the stages that made the result; nil where they were not kept.
    static func text(from old: JSONValue?, to new: Pipeline, revisions: [Int]?) -> String {
        text(
            changes(from: old, to: new), in: new.steps.map(\.label), (revisions, new.steps.map(\.revision)))
    }

    /// - Parameters:
    ///   - new: resolved, as records of runs keep it.
    ///   - deviating: for each stage of the new one, the options that are not at their defaults; nil where these are not
    ///     known, and any may be.
    ///   - revisions: those of the stages of both; nil where they were not kept.
    static func text(
        from old: JSONValue?, to new: JSONValue?, deviating: [Set<String>]?, revisions: (before: [Int]?, after: [Int]?)
    ) -> String {
        text(
            changes(from: old, to: new, deviating: deviating), in: Pipeline.labels(of: stages(new).map(\.name)),
            revisions)
    }

    /// The same where only readers differ.
    static func text(ofFormats formats: [String]) -> String {
        "\(update)ScanMill reads \(formats.listed) differently"
    }

    /// The same where another version of a program such as ffmpeg is installed.
    static func text(ofProgram version: String, now: String) -> String {
        "\(update)there is \(now), and no longer \(version)"
    }

    /// How a change begins that nobody has made but by an update.
    private static let update = "since an update, "

    /// Those of the reasons why captures ran that are an update of ScanMill or of a program that it uses, and nothing
    /// that anybody changed: each once, in the order of their words, with how many captures have it.
    package static func updates(among reasons: [String]) -> [(reason: String, count: Int)] {
        let updates = Dictionary(grouping: reasons.filter { $0.hasPrefix(update) }, by: \.self)
        return updates.sorted { $0.key < $1.key }.map { ($0.key, $0.value.count) }
    }

    private static func text(
        _ changes: [String], in labels: [String], _ revisions: (before: [Int]?, after: [Int]?)
    ) -> String {
        if !changes.isEmpty { return changes.joined(separator: ", ") }
        // The pipelines are the same, so only another version of ScanMill can make a difference.
        let revised = zip(labels, zip(revisions.before ?? [], revisions.after ?? [])).filter { $1.0 != $1.1 }.map(\.0)
        return "\(update)ScanMill makes different results in \(revised.isEmpty ? "a stage" : revised.listed)"
    }

    /// What differs, but for options that a newer version has and that are at their defaults.
    /// - Parameter old: as a receipt has it.
    static func changes(from old: JSONValue?, to new: Pipeline) -> [String] {
        changes(from: old, to: new.resolved, deviating: new.deviating)
    }

    /// The same of records; see ``text(from:to:deviating:revisions:)``.
    static func changes(from old: JSONValue?, to new: JSONValue?, deviating: [Set<String>]?) -> [String] {
        // Of two pipelines nobody wants to hear how they differ.
        if let was = old?["name"]?.string, let now = new?["name"]?.string, was != now {
            return ["the pipeline was `\(was)`, and is `\(now)`"]
        }
        let (before, after) = (stages(old), stages(new))
        let names = after.map(\.name)
        var changes = rearrangements(before.map(\.name), names)
        let labels = Pipeline.labels(of: names)
        let earlier = Dictionary(
            zip(numbered(before.map(\.name)), before.map(\.options)), uniquingKeysWith: { first, _ in first })
        for (index, (label, number)) in zip(labels, numbered(names)).enumerated() {
            guard let a = earlier[number] else { continue }
            let b = after[index].options
            for key in Set(a.keys).union(b.keys).sorted() where a[key] != b[key] {
                // A receipt has the defaults too: an option that it lacks came with a newer version.
                if a[key] == nil, let deviating, deviating.indices.contains(index), !deviating[index].contains(key) {
                    continue
                }
                changes.append("\(label).\(key) changed from \(word(a[key])) to \(word(b[key]))")
            }
        }
        return changes
    }

    /// Which stages came, went, stand there another number of times, and whether those that stay were moved.
    private static func rearrangements(_ before: [String], _ after: [String]) -> [String] {
        let (few, many) = (counts(before), counts(after))
        let came = after.filter { few[$0] == nil }
        let went = before.filter { many[$0] == nil }
        let parts = [
            came.isEmpty ? nil : "new: " + came.joined(separator: ", "),
            went.isEmpty ? nil : "gone: " + went.joined(separator: ", "),
        ].compactMap(\.self)
        let recounted = many.keys.sorted().filter { few[$0] != nil && few[$0] != many[$0] }
        let isMoved = before.filter { few[$0] == many[$0] } != after.filter { few[$0] == many[$0] }
        return (parts.isEmpty ? [] : ["the stages changed (\(parts.joined(separator: "; ")))"])
            + recounted.map { "`\($0)` stands there \(times(many[$0])), before \(times(few[$0]))" }
            + (isMoved ? ["the stages are in another order"] : [])
    }

    /// Each stage by its number among those of its name, even the only one: a stage keeps it when another one comes.
    private static func numbered(_ names: [String]) -> [String] {
        var seen: [String: Int] = [:]
        return names.map { name in
            seen[name, default: 0] += 1
            return "\(name)[\(seen[name, default: 0])]"
        }
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
