import FoundationEssentials
import ScanModel
import ScanPipeline

/// What a run says about its captures.
struct RunMessages: Sendable {
    let isQuiet: Bool
    var log: RunLog?
    private let start = ContinuousClock.now
    private let warnings = RepeatedMessages()
    private let failures = RepeatedMessages()
    private let left = RepeatedMessages()
    private let excluded = RepeatedMessages()

    init(isQuiet: Bool, log: RunLog? = nil) {
        self.isQuiet = isQuiet
        self.log = log
    }

    var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// Logs the run itself, so that one night can be told from the next in a log that goes on.
    /// - Parameter found: nil for a run that could not begin.
    func runBegan(_ options: BatchOptions, _ found: CaptureList?) {
        log?.write(
            "run-began",
            [
                "tool": .string(Tool.nameAndVersion), "pipeline": .string(options.pipeline),
                "output": .string(options.output), "captures": .of(found?.count ?? 0),
                "without-capture": .of(found?.withoutCapture ?? []),
            ])
    }

    func runEnded(_ outcomes: [CaptureOutcome], status: Int32) {
        let counts = Dictionary(grouping: outcomes, by: \.ending.kind.rawValue)
        log?.write(
            "run-ended",
            [
                "status": .of(Int(status)), "seconds": .number(seconds),
                "captures": .object(JSONObject(counts) { .of($0.count) }),
            ])
    }

    func began(_ input: CaptureInput, because reason: String?) {
        log?.write("began", ["id": .string(input.id), "input": .string(input.path), "reason": .of(reason)])
    }

    func ended(_ outcome: CaptureOutcome) {
        log?.write("ended", outcome.json)
        let id = Console.visible(outcome.input.id)
        switch outcome.ending {
        case .done(let summary):
            say("done     \(id)  \(Self.text(summary))")
            let salvaged = summary.forgiven.first
            // Why it was salvaged is said below.
            let others = summary.warnings.filter { text in salvaged.map { !text.hasPrefix($0.oneLine) } ?? true }
            for warning in warnings.news(in: isQuiet ? summary.grave : others, of: outcome.input.id) {
                Console.error("warning: \(id): \(warning)")
            }
            if let problem = salvaged {
                // The capture may still be on the device, but not for long.
                let count = summary.unreadFrameCount
                let lost = count == 0 ? "" : "\(count.counted(of: summary.frameCount, "frame", "is", "are")) lost: "
                Console.error("warning: \(id): \(lost)\(problem.oneLine); \(Self.wayAfterSalvage)")
            }
            // Said with -q too: a truncated copy may have replaced a good result.
            if let before = summary.framesBefore {
                Console.error(
                    "warning: \(id): \(summary.framesKept.counted("frame", "is", "are")) left, and the result that was replaced had \(before)"
                )
            }
        case .upToDate: break
        case .failed(let problem):
            say("failed   \(id)  \(problem.summary)")
            let isNew = !failures.news(in: [Self.cause(of: problem, outcome.input)], of: outcome.input.id).isEmpty
            Console.error(
                isNew
                    ? problem.message(ofCapture: outcome.input.path)
                    : "error: \(id): \(Console.visible(problem.oneLine))")
        case .failedBefore(let problem): say("failed   \(id)  as before: \(problem.summary)")
        case .arriving: say("waiting  \(id)  it is still arriving")
        case .busy: say("busy     \(id)  another runner works on it")
        case .excluded: say("excluded", outcome.input.id, because: "", unlessIn: excluded)
        case .unsuited(let problem): say("excluded", outcome.input.id, because: problem.summary, unlessIn: excluded)
        case .left(let reason): say("left", outcome.input.id, because: reason.text, unlessIn: left)
        }
    }

    func summary(
        _ outcomes: [CaptureOutcome], of found: CaptureList, news: [CaptureInput], options: BatchOptions,
        asRun: RunRecord.Command
    ) {
        for (word, repeated) in [("left", left), ("excluded", excluded)] {
            for (reason, count) in repeated.rest { say(word, count.counted("more capture"), because: reason) }
        }
        let groups = Dictionary(grouping: outcomes, by: \.ending.kind)
        if outcomes.isEmpty {
            say("0 captures: of those asked for, none has the format \(found.formats.joined(separator: " or "))")
        } else if !isQuiet {
            let parts = CaptureEnding.Kind.allCases.compactMap { kind in
                groups[kind].map { "\($0.count) \(kind.rawValue)" }
            }
            Console.out(
                "\(outcomes.count.counted("capture")): \(parts.joined(separator: ", ")); results are in "
                    + Console.visible(options.output))
        }
        sayDoubts(outcomes)
        if !outcomes.isEmpty, outcomes.allSatisfy({ if case .unsuited = $0.ending { true } else { false } }) {
            Console.error("warning: the pipeline suits no capture: --exclude-unsuited left all of them out")
        }
        for (text, count) in warnings.rest { Console.error("warning: \(count.counted("more capture")): \(text)") }
        if isQuiet { sayLeft(outcomes, news: Set(news)) } else { sayNotes(outcomes) }
        sayUpdates(outcomes)
        let failed = outcomes.filter { $0.ending.problem != nil }
        if failed.isEmpty { return }
        Console.error("\(failed.count.counted("capture")) failed:")
        sayCauses(FailureGroup.causes(of: failed), in: options.output)
        sayAgain(failed.filter(\.isRepeatable), options, asRun)
        Self.lines(FailureGroup.unmendable(failed)) { "trying \($0) again does not help" }.forEach(Console.error)
        if !options.excludeUnsuited, failed.contains(where: { $0.ending.problem?.isUnsuited == true }) {
            Console.error("to leave out what the pipeline does not suit:  --exclude-unsuited")
        }
    }

    /// Which of the results are not what the captures' apps recorded: their warnings are far above by now. A quiet run
    /// says nothing else, and of a single result the warning stands right above.
    private func sayDoubts(_ outcomes: [CaptureOutcome]) {
        let results = outcomes.filter { $0.ending.kind == .done }
        let doubtful = results.filter { if case .done(let summary) = $0.ending { summary.isDoubtful } else { false } }
        if isQuiet || results.count < 2 || doubtful.isEmpty { return }
        let ids = doubtful.map { Console.visible($0.input.id) }.listed(most: Self.mostNames)
        Console.error(
            "\(doubtful.count) of the results \(doubtful.count == 1 ? "is" : "are") doubtful: \(ids) (see the warnings)"
        )
    }

    /// What to do about captures, a line for each group.
    /// - Parameter beginning: of a group's line, given its captures.
    static func lines(_ groups: [FailureGroup], _ beginning: (String) -> String) -> [String] {
        let lines = groups.prefix(mostGroups).map { group in
            "\(beginning(listed(group.captures))): \(Console.visible(group.text))"
        }
        let rest = groups.count - lines.count
        return rest > 0 ? lines + ["and \(rest) more of other kinds"] : lines
    }

    /// What a failure shares with those of other captures: they lie elsewhere, in other formats, with other notes.
    private static func cause(of problem: Problem, _ input: CaptureInput) -> String {
        [problem.place.stage, problem.summary, problem.fix].compactMap(\.self).joined(separator: "\n")
            .replacing(input.path, with: input.id)
    }

    /// Why captures failed, the most frequent causes first.
    private func sayCauses(_ causes: [FailureGroup], in output: String) {
        for cause in causes.prefix(Self.mostGroups) {
            let ids = Self.listed(cause.captures)
            Console.error("  \(cause.captures.count) × \(Console.visible(cause.text)): \(ids)")
            sayFixes(of: cause)
        }
        let rest = causes.dropFirst(Self.mostGroups)
        if rest.isEmpty { return }
        let captures = rest.reduce(0) { $0 + $1.captures.count }
        Console.error(
            "  and \(rest.count.counted("more cause")), of \(captures.counted("capture")); for all of them:  "
                + CommandWords.status(output))
    }

    /// What to do before the captures of a cause are tried again.
    private func sayFixes(of cause: FailureGroup) {
        let fixes = cause.fixes
        for fix in fixes.prefix(Self.mostNames) {
            let whose = fix.captures.count == cause.captures.count ? "" : " for \(Self.listed(fix.captures))"
            Console.error("      fix\(whose): \(Console.visible(fix.text))")
        }
        if fixes.count > Self.mostNames { Console.error("      and \(fixes.count - Self.mostNames) more") }
    }

    /// One command that tries again all captures that may succeed. If there are too many to name, it is the same run
    /// once more: that tries those that were mended since and passes over the others.
    private func sayAgain(_ captures: [CaptureOutcome], _ options: BatchOptions, _ asRun: RunRecord.Command) {
        if captures.isEmpty { return }
        let named = captures.prefix(Self.mostNamed)
        if captures.count > named.count && !options.force {
            let command = options.isShort ? asRun.again(options.inputs, options.choice, retries: false) : nil
            let way = command.map { ":  \($0)" } ?? ", run the same command again"
            Console.error("to try all \(captures.count) again once they are fixed\(way)")
            return
        }
        let which = captures.count == 1 ? "it" : captures.count == named.count ? "them" : "the first \(named.count)"
        Console.error("to try \(which) again:  \(asRun.again(named.map(\.input.path)))")
    }

    /// What to do where only what was whole of a damaged file was kept.
    static let wayAfterSalvage = "copy it again from the device, and the next run makes the result again"

    /// A bad night fails many captures for one reason.
    private static let mostNames = 5

    private static let mostNamed = RunRecord.Command.mostNamed

    private static func listed(_ outcomes: [CaptureOutcome]) -> String {
        outcomes.map { Console.visible($0.input.id) }.listed(most: mostNames)
    }

    /// More would push the rest off the screen.
    private static let mostGroups = 12

    /// Otherwise a disk that stays full would end every night in silence, a capture that never stops changing would wait
    /// for ever, and so would new ones where captures come faster than they are worked on. That time runs out before all
    /// results are made again is as planned, and is not said.
    private func sayLeft(_ outcomes: [CaptureOutcome], news: Set<CaptureInput>) {
        let arriving = outcomes.filter { $0.ending == .arriving }
        if !arriving.isEmpty {
            Console.error("warning: \(arriving.count.counted("capture")) still arriving: \(Self.listed(arriving))")
        }
        let left = outcomes.compactMap { outcome -> (input: CaptureInput, reason: LeftReason)? in
            if case .left(let reason) = outcome.ending { (outcome.input, reason) } else { nil }
        }
        let forSpace = left.filter { $0.reason.want == .space }
        if let reason = forSpace.last?.reason {
            Console.error("warning: \(forSpace.count.counted("capture")) left for another night: \(reason.text)")
        }
        let late = left.filter { $0.reason.want == .time && news.contains($0.input) }
        if let reason = late.last?.reason {
            let which = late.count == 1 ? "1 new or changed capture" : "\(late.count) new or changed captures"
            Console.error("warning: \(which) left for another night: \(reason.text)")
        }
    }

    /// What follows from the pipeline is so for many captures, and is said once.
    private func sayNotes(_ outcomes: [CaptureOutcome]) {
        var captures: [String: [String]] = [:]
        for case (let id, .done(let summary)) in outcomes.map({ ($0.input.id, $0.ending) }) {
            for note in summary.notes { captures[note, default: []].append(id) }
        }
        for (note, ids) in captures.sorted(by: { $0.key < $1.key }) {
            let who = ids.count == 1 ? Console.visible(ids[0]) : ids.count.counted("capture")
            Console.error("note: \(who): \(note)")
        }
    }

    /// What is made again though nobody changed anything should not pass for any other night.
    private func sayUpdates(_ outcomes: [CaptureOutcome]) {
        let reasons = outcomes.filter { $0.ending.kind == .done }.compactMap(\.reason)
        for (reason, count) in PipelineChange.updates(among: reasons) {
            Console.error("note: \(count.counted("capture", "was", "were")) made again: \(reason)")
        }
    }

    private func say(_ line: String) { if !isQuiet { Console.out(line) } }

    /// What became of a capture, for a reason that is said of the first few alone.
    private func say(_ word: String, _ id: String, because reason: String, unlessIn repeated: RepeatedMessages) {
        if !repeated.news(in: [reason], of: id).isEmpty { say(word, id, because: reason) }
    }

    /// - Parameters:
    ///   - who: a capture's id, or several captures.
    ///   - reason: empty where there is none to tell.
    private func say(_ word: String, _ who: String, because reason: String) {
        say(word.padded(to: 8) + " " + Console.visible(who) + (reason.isEmpty ? "" : "  \(reason)"))
    }

    private static func text(_ summary: CaptureSummary) -> String {
        let frames =
            summary.framesKept == summary.frameCount
            ? summary.frameCount.counted("frame")
            : "\(summary.framesKept) of \(summary.frameCount.counted("frame"))"
        let bad = summary.badFrameCount == 0 ? "" : " (\(summary.badFrameCount.counted("bad frame")) dropped)"
        return "\(frames)\(bad), \(summary.fileCount.counted("file")), \(Console.size(summary.byteCount))"
    }
}
