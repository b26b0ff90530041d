import ScanModel
import ScanPipeline

/// What the report of an earlier run said, from the `night.json` beside it: the summary alone, since `report.json`
/// holds every capture and fourteen of those would take longer to read than the batch's receipts.
struct EarlierRun: Sendable {
    static let fileName = "night.json"
    /// Two weeks of nights.
    static let most = 14

    struct Device: Sendable {
        var name: String
        var droppedShare: Double?
        var sharpness: Double?
    }

    /// How many captures ran.
    var ran: Int
    var readyShare: Double?
    var keptShare: Double?
    var seconds: Double?
    var bytes: Int64
    var devices: [Device]

    /// The newest ``most`` of them, the oldest first.
    /// - Parameter current: the run that is reported on; runs after it do not count as earlier.
    static func all(in state: StateFolder, before current: String?) -> [EarlierRun] {
        let names = RunRecord.names(in: state)
        guard let place = current.flatMap(names.firstIndex) else { return [] }
        var runs: [EarlierRun] = []
        for name in names[..<place].reversed() where runs.count < most {
            let json = StateFolder.read("\(state.runs)/\(name)/\(fileName)")
            if let run = json.flatMap(EarlierRun.init) { runs.append(run) }
        }
        return runs.reversed()
    }

    /// - Returns: nil for a run in which no capture got a result: there is nothing to compare with.
    init?(_ json: JSONValue) {
        guard let captures = json["ran"]?.asCount, captures > 0 else { return nil }
        ran = captures
        readyShare = json["ready-share"]?.boundedNumber
        keptShare = json["kept-share"]?.boundedNumber
        seconds = json["seconds"]?.boundedNumber
        bytes = json["bytes"]?.integer ?? 0
        devices = (json["devices"]?.array ?? []).compactMap { device in
            device["name"]?.string.map {
                Device(
                    name: $0, droppedShare: device["dropped-share"]?.boundedNumber,
                    sharpness: device["sharpness"]?.boundedNumber)
            }
        }
    }

    /// What later reports read of this one.
    static func json(of report: NightReport) -> JSONValue {
        let summary = report.summary
        // Only of the captures that ran: others were counted in earlier runs.
        let devices = DeviceRow.all(report.captures.filter { $0.share != nil }, usual: [:])
        return .object([
            "ran": .of(summary.ran), "bytes": .integer(summary.runBytes), "ready-share": .of(summary.runReadyShare),
            "kept-share": .of(summary.runFrames.keptShare), "seconds": .of(summary.seconds),
            "devices": .array(
                devices.map {
                    .object([
                        "name": .string($0.name), "dropped-share": .of($0.droppedShare),
                        "sharpness": .of($0.sharpness),
                    ])
                }),
        ])
    }
}
