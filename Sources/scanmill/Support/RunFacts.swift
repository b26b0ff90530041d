import ScanModel
import ScanPipeline

/// What one run's record says, as ``RunRecord`` wrote it to `OUT/.scanmill/runs/<when>/`.
struct RunFacts: Sendable {
    /// The folder's name.
    var name: String
    /// As `20261121T031500Z`.
    var began: String?
    var ended: String?
    var seconds: Double?
    /// The resolved pipeline.
    var pipeline: JSONValue?
    /// As it was given, with what OUT is called now.
    var command: RunRecord.Command?
    var entries: [RunOutcome.Entry] = []
    var course = Course.ended

    /// Whether it has said how it went.
    enum Course: Sendable {
        case ended
        /// It has not, and some capture is being run, which may be one of its own.
        case open
        /// It has not, and no capture is being run any more: it never will, or it is between two captures for a moment.
        case cutShort
    }

    /// The run about which the newest thing is known: how it went, or else that it began.
    /// - Parameter condition: which runs count.
    static func newest(in state: StateFolder, where condition: (String) -> Bool = { _ in true }) -> String? {
        let names = RunRecord.names(in: state).filter(condition)
        let now = wallClock()
        var newest: (name: String, time: RunRecord.Time)?
        for name in names {
            // By when these files were written, not by when the run began.
            let time = [RunRecord.outcomeName, RunRecord.planName].firstNonNil {
                RunRecord.time(of: $0, in: name, state, by: now)
            }
            guard let time else { continue }
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
        command = RunRecord.Command(plan: plan)
        if let given = command, !given.leads(to: state.output) { command?.output = FileSystem.absolute(state.output) }
        ended = outcome?.ended
        seconds = outcome?.seconds
        if plan != nil, outcome == nil { course = RunHold.isHeld(in: state) ? .open : .cutShort }
        entries =
            outcome?.captures
            ?? RunRecord.captures(ofPlan: plan).map { RunOutcome.Entry(unfinished: $0.id, input: $0.input) }
        if course == .cutShort { for index in entries.indices { entries[index].cause = "the run was cut short" } }
    }

    /// Where a path that it was given leads.
    func place(of input: String) -> String { FileSystem.path(input, from: command?.folder ?? ".") }

    /// When it was.
    var span: String? {
        let span = RunMoment.span(RunMoment(began), RunMoment(ended))
        return course == .cutShort ? span.map { "\($0) and cut short" } : span
    }

    /// What the verdict says of a run without an end.
    /// - Parameter waiting: how many captures have no result that the run was to make. Without any, nobody needs to know.
    func lackOfEnd(waiting: Int) -> String? {
        switch course {
        case .ended: nil
        case .open: "The run has not ended: it was killed or is still running."
        case .cutShort: waiting > 0 ? "The run was cut short: it was killed, or the machine went down." : nil
        }
    }
}
