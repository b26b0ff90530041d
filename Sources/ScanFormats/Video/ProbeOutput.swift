/// Reads ffprobe's compact form: one line for each packet or stream, `packet|stream_index=0|pts=0|dts=-512|flags=K_`.
struct ProbeOutput {
    private var tracks: [Int: ProbedTrack] = [:]
    private var version: String?

    /// Of the longest track.
    var frameCount: Int { tracks.values.reduce(0) { max($0, $1.frameCount) } }

    /// - Parameter output: whole lines of it.
    mutating func take(_ output: ArraySlice<UInt8>) {
        for line in output.split(separator: UInt8(ascii: "\n")) {
            let fields = String(decoding: line, as: UTF8.self).split(separator: "|")
            switch fields.first {
            case "packet": tracks[Self.stream(of: fields), default: ProbedTrack()].addPacket(fields.dropFirst())
            case "stream": tracks[Self.stream(of: fields), default: ProbedTrack()].addStream(fields.dropFirst())
            case "program_version": version = fields.last.map { String(Self.pair($0).value) }
            default: continue
            }
        }
    }

    /// The track to read: the first of those that the file says are to be shown, else the first.
    var chosen: ProbedTrack {
        let found = tracks.sorted { $0.key < $1.key }.map(\.value).filter(\.hasStream)
        var track = found.first(where: \.isToBeShown) ?? found.first ?? ProbedTrack()
        track.note(trackCount: found.count, version)
        return track
    }

    private static func stream(of fields: [Substring]) -> Int {
        let index = fields.lazy.map(Self.pair).first { $0.key == "index" || $0.key == "stream_index" }
        return index.flatMap { Int($0.value) } ?? 0
    }

    /// - Parameter output: ffprobe's, one line for each frame: `frame|pts=512`.
    static func frameTimes(_ output: [UInt8]) -> [Int64?] {
        output.split(separator: UInt8(ascii: "\n")).compactMap { line -> Int64?? in
            let fields = String(decoding: line, as: UTF8.self).split(separator: "|")
            guard fields.first == "frame" else { return nil }
            return .some(fields.lazy.map(pair).first { $0.key == "pts" }.flatMap { Int64($0.value) })
        }
    }

    /// Splits `key=value`; newer versions put the section before the key, as in `side_datum/matrix:rotation`.
    static func pair(_ field: Substring) -> (key: Substring, value: Substring) {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let key = parts[0].split(whereSeparator: { $0 == ":" || $0 == "/" }).last ?? parts[0]
        return (key, parts.count == 2 ? parts[1] : "")
    }
}
