import ScanModel

/// How failure notes, the records of runs and `report.json` keep a problem.
extension Problem {
    /// Each part of the problem under a key of its own, from which it can be read back.
    package var facts: JSONObject {
        [
            "fault": .string(fault.rawValue), "summary": .string(summary), "notes": .of(notes), "fix": .of(fix),
            "stage": .of(place.stage), "frame": .of(place.frame), "file": .of(place.file), "line": .of(place.line),
            "column": .of(place.column), "byte": .of(place.byte), "of": .of(place.byteCount), "excerpt": .of(excerpt),
            "of-pipeline": isOfPipeline ? .bool(true) : nil, "unsuited": isUnsuited ? .bool(true) : nil,
            "besides": besides.isEmpty ? nil : .of(besides), "whole-frames": .of(cut?.whole),
            "of-frames": .of(cut?.count),
        ]
    }

    /// Reads ``facts`` back.
    /// - Returns: nil where the fault or the summary is missing.
    package init?(facts json: JSONValue) {
        guard let fault = json["fault"]?.string.flatMap(Problem.Fault.init), let summary = json["summary"]?.string
        else { return nil }
        self.init(fault, summary, notes: json["notes"]?.array?.compactMap(\.string) ?? [], fix: json["fix"]?.string)
        besides = json["besides"]?.array?.compactMap(\.string) ?? []
        place.stage = json["stage"]?.string
        place.frame = json["frame"]?.integer.flatMap { Int(exactly: $0) }
        place.file = json["file"]?.string
        place.line = json["line"]?.integer.flatMap { Int(exactly: $0) }
        place.column = json["column"]?.integer.flatMap { Int(exactly: $0) }
        place.byte = json["byte"]?.integer
        place.byteCount = json["of"]?.integer
        excerpt = json["excerpt"]?.string
        if let whole = json["whole-frames"]?.integer.flatMap({ Int(exactly: $0) }),
            let count = json["of-frames"]?.integer.flatMap({ Int(exactly: $0) })
        {
            cut = Cut(whole: whole, count: count)
        }
        self = ofPipeline(json["of-pipeline"]?.bool == true).unsuited(json["unsuited"]?.bool == true)
    }
}
