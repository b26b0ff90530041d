import Glibc
import ScanModel
import ScanPipeline

/// What one run's record says, as ``RunRecord`` wrote it to `OUT/.scanmill/runs/<when>/`.
struct RunFacts: Sendable {
    /// How one capture's own share of the run went.
    struct Share: Sendable, Hashable {
        /// Seconds from the run's beginning, and how long it took.
        var begin: Double
        var seconds: Double
        var peakBytes: Int64?
        /// By stage, in the order of the pipeline; empty when it failed.
        var times: [StageTime]
    }

    struct Entry: Sendable {
        var id: String
        var input: String?
        /// As the record has it, which knows no `failedBefore`.
        var ended: CaptureEnding.Kind
        var cause: String?
        var problem: Problem?
        var share: Share?
    }

    /// The folder's name.
    var name: String
    /// As `20261121T031500Z`.
    var began: String?
    var ended: String?
    var seconds: Double?
    /// The resolved pipeline.
    var pipeline: JSONValue?
    /// The pipeline's file, the changes to it, and OUT, as they were given, and the folder in which they were given.
    /// OUT may have another name by now.
    var pipelineFile: String?
    var settings: [String] = []
    /// The other words that decided what was run and how.
    var further: [String] = []
    var output: String?
    var folder: String?
    var tool: String?
    var entries: [Entry] = []
    /// Whether it has not said how it went: it was killed or is still running.
    var isOpen = false

    /// The run about which the newest thing is known: how it went, or else that it began.
    static func newest(in state: StateFolder) -> String? {
        let names = RunRecord.names(in: state)
        let now = wallClock()
        var newest: (name: String, time: RunRecord.Time)?
        for name in names {
            // By when these files were written, not by when the run began.
            let times = [RunRecord.outcomeName, RunRecord.planName].lazy.compactMap {
                RunRecord.time(of: $0, in: name, state, by: now)
            }
            guard let time = times.first else { continue }
            if time >= newest?.time ?? .longAgo { newest = (name, time) }
        }
        return newest?.name ?? names.last
    }

    init(_ name: String, in state: StateFolder) {
        self.name = name
        let plan = RunRecord.plan(of: name, in: state)
        let outcome = RunRecord.outcome(of: name, in: state)
        began = plan?["began"]?.string
        pipeline = plan?["pipeline"]
        let command = plan?["command"]
        pipelineFile = command?["pipeline"]?.string
        settings = command?["set"]?.array?.compactMap(\.string) ?? []
        further = command?["further"]?.array?.compactMap(\.string) ?? []
        output = Self.output(command, state)
        folder = command?["folder"]?.string
        tool = command?["tool"]?.string
        ended = outcome?["ended"]?.string
        seconds = outcome?["seconds"]?.finite
        isOpen = plan != nil && outcome == nil
        entries =
            isOpen
            ? RunRecord.captures(of: plan).map { planned in
                Entry(id: planned.id, input: planned.input, ended: .left, cause: "the run has not ended")
            } : (outcome?["captures"]?.array ?? []).compactMap(Self.entry)
    }

    /// OUT as the command called it, or its absolute path where that name leads elsewhere by now.
    private static func output(_ command: JSONValue?, _ state: StateFolder) -> String? {
        guard let given = command?["output"]?.string else { return nil }
        let place = FileSystem.path(given, from: command?["folder"]?.string ?? ".")
        let isSame = FileSystem.identity(of: place) == FileSystem.identity(of: state.output)
        return isSame ? given : FileSystem.absolute(state.output)
    }

    private static func entry(_ json: JSONValue) -> Entry? {
        guard let id = json["id"]?.string, let ended = RunRecord.kind(of: json) else { return nil }
        var share: Share?
        if let begin = json["begin"]?.finite, let seconds = json["seconds"]?.finite {
            let times = json["stages"]?.object?.members.compactMap { label, value in
                value.finite.map { StageTime(label: label, seconds: $0) }
            }
            share = Share(
                begin: begin, seconds: seconds, peakBytes: json["peak-bytes"]?.integer, times: times ?? [])
        }
        return Entry(
            id: id, input: json["input"]?.string, ended: ended, cause: json["cause"]?.string,
            problem: json["problem"].flatMap(Problem.init(facts:)), share: share)
    }
}

/// A moment that the run's record writes as `20261121T031500Z`, for people in this machine's time zone.
struct RunMoment: Sendable {
    private let year, month, day, hour, minute: Int

    init?(_ stamp: String?) {
        guard let stamp, let second = RunRecord.second(ofStamp: stamp[...]) else { return nil }
        var seconds = time_t(second)
        var local = tm()
        localtime_r(&seconds, &local)
        year = Int(local.tm_year) + 1900
        month = Int(local.tm_mon)
        day = Int(local.tm_mday)
        hour = Int(local.tm_hour)
        minute = Int(local.tm_min)
    }

    /// `03:58`
    var clock: String { "\(Self.two(hour)):\(Self.two(minute))" }

    /// `21 November 2026`
    var date: String {
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return "\(day) \(months[month]) \(year)"
    }

    private static func two(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }

    /// `20 November 2026, 21:40 to 23:10`, or with both dates.
    static func span(_ began: RunMoment?, _ ended: RunMoment?) -> String? {
        guard let began else { return ended.map { "\($0.date), \($0.clock)" } }
        guard let ended else { return "begun \(began.date), \(began.clock)" }
        if began.date == ended.date {
            return "\(began.date), \(began.clock)" + (began.clock == ended.clock ? "" : " to \(ended.clock)")
        }
        return "\(began.date), \(began.clock) to \(ended.date), \(ended.clock)"
    }
}
