import ScanModel

/// One device's captures, against what is usual for it.
struct DeviceRow: Sendable {
    var name: String
    var captures: Int
    /// Failed, or worth a look.
    var odd: Int
    /// The share of its frames that were dropped; nil when it has no result.
    var droppedShare: Double?
    /// The median of its captures' median sharpness; nil when not measured.
    var sharpness: Double?
    var usual: UsualRun

    /// What was usual for a device in earlier runs.
    struct UsualRun: Sendable {
        var runs = 0
        var droppedShare: Statistics.Band?
        var sharpness: Statistics.Band?
        /// Whether anything is known to be usual.
        var isKnown: Bool { droppedShare != nil || sharpness != nil }
    }

    static func usual(_ earlier: [EarlierRun]) -> [String: UsualRun] {
        var rows: [String: [EarlierRun.Device]] = [:]
        for run in earlier { for device in run.devices { rows[device.name, default: []].append(device) } }
        return rows.mapValues { rows in
            UsualRun(
                runs: rows.count, droppedShare: Statistics.usual(rows.compactMap(\.droppedShare)),
                sharpness: Statistics.usual(rows.compactMap(\.sharpness)))
        }
    }

    /// By name.
    static func all(_ captures: [CaptureFacts], usual: [String: UsualRun]) -> [DeviceRow] {
        let groups = Dictionary(grouping: captures.filter { $0.device != nil }) { $0.device ?? "" }
        return groups.sorted { $0.key < $1.key }.map { name, captures in
            DeviceRow(
                name: name, captures: captures.count,
                odd: captures.count { $0.status == .look || $0.status == .failed },
                droppedShare: FrameTotal(captures).keptShare.map { 1 - $0 },
                sharpness: Distribution(captures.compactMap { $0.measured.sharpness?.median })?.median,
                usual: usual[name] ?? UsualRun())
        }
    }
}
