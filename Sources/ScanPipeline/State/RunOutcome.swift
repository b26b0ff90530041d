import ScanModel

/// What the `outcome.json` of a run says, as ``RunRecord`` wrote it: how it went.
package struct RunOutcome: Sendable {
    /// How it went for one capture.
    package struct Entry: Sendable {
        package var id: String
        /// The capture's path as it was given.
        package var input: String?
        /// As the record has it, which knows no `failedBefore`.
        package var ended: CaptureEnding.Kind
        package var cause: String?
        package var problem: Problem?
        package var share: Share?
        /// Why it was run.
        package var reason: String?

        /// Why the run did not come to it; nil where it did.
        var why: String? {
            switch ended {
            case .arriving: "it was still arriving"
            case .busy: "another runner worked on it"
            case .excluded: cause.map { "--exclude-unsuited left it out: \($0)" } ?? "--exclude named it"
            case .left: cause
            default: nil
            }
        }

        /// Whether the capture has its result, whatever ended its process afterwards.
        package var isFine: Bool {
            ended == .done || ended == .upToDate || problem?.leavesNewResult(of: id) == true
        }
    }

    /// How one capture's own share of the run went.
    package struct Share: Sendable, Hashable {
        /// Seconds from the run's beginning, and how long it took.
        package var begin: Double
        package var seconds: Double
        package var peakBytes: Int64?
        /// By stage, in the order of the pipeline; empty when it failed.
        package var times: [StageTime]
    }

    /// As ``RunRecord/stamp(_:)`` has it.
    package let ended: String?
    package let seconds: Double?
    package let captures: [Entry]

    init(_ json: JSONValue) {
        ended = json["ended"]?.string
        seconds = json["seconds"]?.boundedNumber
        captures = (json["captures"]?.array ?? []).compactMap(Entry.init)
    }
}

extension CaptureOutcome {
    /// As ``RunOutcome`` reads it.
    var record: JSONObject {
        var object: JSONObject = ["id": .string(input.id), "input": .string(input.path)]
        if let span {
            object["begin"] = .number(span.begin.rounded(decimals: 3))
            object["seconds"] = .number(span.seconds.rounded(decimals: 3))
        }
        object["reason"] = .of(reason)
        // That it failed in an earlier run is that run's news.
        let kind = ending.kind == .failedBefore ? .failed : ending.kind
        object["ended"] = .string(kind.rawValue)
        switch ending {
        case .done(let summary):
            object["frames"] = .of(summary.frameCount)
            object["kept"] = .of(summary.framesKept)
            object["bytes"] = .integer(summary.byteCount)
            object["peak-bytes"] = .of(summary.peakBytes)
            var times = JSONObject()
            for time in summary.times { times[time.label] = .number(time.seconds.rounded(decimals: 6)) }
            if !summary.times.isEmpty { object["stages"] = .object(times) }
        case .failed(let problem), .failedBefore(let problem):
            object["cause"] = .string(problem.summary)
            object["problem"] = .object(problem.facts)
        case .unsuited(let problem): object["cause"] = .string(problem.summary)
        case .left(let reason): object["cause"] = .string(reason.text)
        case .upToDate, .arriving, .busy, .excluded: break
        }
        return object
    }
}

extension RunOutcome.Entry {
    /// What a run that has not said how it went says of a capture in its plan.
    package init(unfinished id: String, input: String) {
        self.init(id: id, input: input, ended: .left, cause: "the run has not ended")
    }

    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let ended = json["ended"]?.string.flatMap(CaptureEnding.Kind.init)
        else { return nil }
        self.init(
            id: id, input: json["input"]?.string, ended: ended, cause: json["cause"]?.string,
            problem: json["problem"].flatMap(Problem.init(facts:)), share: RunOutcome.Share(json),
            reason: json["reason"]?.string)
    }
}

extension RunOutcome.Share {
    /// - Returns: nil of a capture that did not run.
    fileprivate init?(_ json: JSONValue) {
        guard let begin = json["begin"]?.boundedNumber, let seconds = json["seconds"]?.boundedNumber else { return nil }
        let times = json["stages"]?.object?.members.compactMap { label, value in
            value.boundedNumber.map { StageTime(label: label, seconds: $0) }
        }
        self.init(begin: begin, seconds: seconds, peakBytes: json["peak-bytes"]?.integer, times: times ?? [])
    }
}
