import ScanModel

extension Problem {
    /// The problem as `check --json` and `inspect --json` give it to programs: `message`, whose fault it is, where it is,
    /// `notes`, `fix`. On disk it is kept as its ``facts``, which have other keys in another order.
    var json: JSONObject {
        [
            "message": .string(summary), "fault": .string(fault.rawValue), "file": .of(place.file),
            "line": .of(place.line), "column": .of(place.column), "byte": .of(place.byte),
            "of-bytes": .of(place.byteCount), "frame": .of(place.frame), "stage": .of(place.stage),
            "notes": notes.isEmpty ? nil : .of(notes), "fix": .of(fix),
        ]
    }
}
