import ScanModel

extension Problem {
    /// The problem as `check --json` and `inspect --json` give it to programs: `message`, whose fault it is, where it is,
    /// `notes`, `fix`. On disk it is kept as its ``facts``, which have other keys in another order.
    var json: JSONObject {
        var object: JSONObject = ["message": .string(summary), "fault": .string(fault.rawValue)]
        object["file"] = place.file.map { .string($0) }
        object["line"] = place.line.map { .of($0) }
        object["column"] = place.column.map { .of($0) }
        object["byte"] = place.byte.map { .integer($0) }
        object["of-bytes"] = place.byteCount.map { .integer($0) }
        object["frame"] = place.frame.map { .of($0) }
        object["stage"] = place.stage.map { .string($0) }
        object["notes"] = notes.isEmpty ? nil : .of(notes)
        object["fix"] = fix.map { .string($0) }
        return object
    }
}
